"""Opening a round: which queries, to whom, and in which order each labeller sees them."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Literal

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from app.db import new_id, now
from app.errors import FieldError, RuleError
from app.judging.choosing import (
    Pooled,
    PooledPair,
    choose,
    draw_overlap,
    fresh_queries,
    pairs_of,
    remaining,
    sizes,
)
from app.judging.lots import checked_seed, lot
from app.judging.models import Assignment, Deal, Round
from app.judging.sharing import Shares, share_in_couples, share_singly
from app.people.models import Person
from app.pools.models import Pool
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.rubrics.queries import required_rubric
from app.words import plural

MAIN_OVERLAP = 0.10

Kind = Literal["agreement", "main"]


def open_round(
    session: Session,
    seat: Seat,
    *,
    kind: Kind,
    pool: Pool,
    labellers: Sequence[str],
    queries: int | Sequence[str] | None = None,
    seed: int | None = None,
    overlap: float = MAIN_OVERLAP,
    gate_answer: str | None = None,
    is_warned: bool = False,
) -> Round:
    """A round under the newest published rubric, dealt out whole: `labellers` are member ids.

    An agreement round takes `queries` (a number, drawn by the seed, or qids) that are fresh in the rubric's family and
    gives each to two labellers; fewer, where the pool has fewer. A main round takes all that the family has not had
    yet, and gives the share `overlap` of them to a second labeller. `gate_answer` is what the agreement of the family
    says; where that is not `passed`, a main round opens only for a lead who `is_warned`.
    """
    project = lock_project(session, seat.project)
    rubric = required_rubric(session, project.id)
    members = require_labellers(session, project, labellers, at_least=2 if kind == "agreement" else 1)
    seed = checked_seed(seed)
    pooled = pairs_of(session, pool)
    if kind == "agreement":
        pooled = choose(pooled, fresh_queries(session, rubric, pooled), queries, seed=seed)
        overlap, shares = 1.0, share_in_couples(sizes(pooled), sorted(members), seed=seed)
    else:
        require_warning(gate_answer, is_warned=is_warned)
        pooled = remaining(session, rubric, pooled)
        overlap, shares = checked_overlap(overlap, labellers=len(members)), {}
        shares = share_singly(sizes(pooled), sorted(members), seed=seed, twice=draw_overlap(pooled, overlap, seed=seed))
    refuse_placeholders(pooled)
    round_ = Round(
        project_id=project.id,
        number=next_number(session, project),
        kind=kind,
        rubric_id=rubric.id,
        pool_id=pool.id,
        seed=seed,
        overlap=overlap,
        opened_by_id=seat.person.id,
    )
    session.add(round_)
    session.flush()
    deal(session, round_, pooled, shares, members)
    freeze_policy(project)
    return round_


# What must hold


def lock_project(session: Session, project: Project) -> Project:
    """Two leads who open a round at the same moment do it one after the other."""
    return session.get_one(Project, project.id, with_for_update=True, populate_existing=True)


def require_labellers(session: Session, project: Project, ids: Sequence[str], *, at_least: int) -> dict[str, str]:
    """Member ids by name. Chance is drawn by name, since ids differ between installations."""
    able = {member.id: member.name for member in able_labellers(session, project)}
    unknown = [each for each in ids if each not in able]
    if unknown:
        raise FieldError(
            "labellers",
            "Somebody who was chosen can't label here: only leads and labellers with an account can.",
            "Choose again.",
        )
    if len(set(ids)) < at_least:
        needed = "two labellers, who judge each query independently" if at_least == 2 else "a labeller"
        raise FieldError("labellers", f"This round needs at least {needed}.", "Choose them, or invite somebody.")
    return {able[each]: each for each in ids}


def able_labellers(session: Session, project: Project) -> Sequence[Member]:
    """Who may be dealt queries, by name."""
    return session.scalars(
        select(Member)
        .join(Person, Person.id == Member.person_id)
        .where(
            Member.project_id == project.id,
            Member.role.in_(("lead", "labeller")),
            Member.left_at.is_(None),
            Person.disabled_at.is_(None),
        )
        .order_by(Member.name)
    ).all()


def require_warning(gate_answer: str | None, *, is_warned: bool) -> None:
    if gate_answer != "passed" and not is_warned:
        known = (
            "The gate has not passed for this rubric"
            if gate_answer
            else "It is not known here that the gate has passed"
        )
        raise RuleError(
            f"{known}: what is judged now may have to be judged again under the next one.",
            "Finish the agreement round first, or confirm that you take the risk.",
            conditions=["gate"],
            gate=gate_answer or "not known",
        )


def checked_overlap(overlap: float, *, labellers: int) -> float:
    if not 0 <= overlap <= 1:
        raise FieldError("overlap", "The overlap is a share from 0 to 1.", "Write .10 for a tenth of the queries.")
    if overlap > 0 and labellers < 2:
        raise FieldError(
            "overlap", "One labeller alone can't overlap with anybody.", "Choose a second labeller, or an overlap of 0."
        )
    return overlap


def refuse_placeholders(pooled: Mapping[str, Sequence[PooledPair]]) -> None:
    missing = [pair for pairs in pooled.values() for pair in pairs if pair.is_placeholder]
    if missing:
        raise RuleError(
            f"{plural(len(missing), 'pair')} can’t be judged: the text of the document, or of the query, is not here.",
            "Bring in the texts, or draw a pool without these pairs.",
            conditions=["placeholders"],
            placeholders=len(missing),
            pairs=[f"{pair.qid} {pair.docno}" for pair in missing[:10]],
        )


# Dealing


def next_number(session: Session, project: Project) -> int:
    return 1 + (session.scalar(select(func.max(Round.number)).where(Round.project_id == project.id)) or 0)


def deal(session: Session, round_: Round, pooled: Pooled, shares: Shares, members: Mapping[str, str]) -> None:
    """Writes down who judges what, in which order; `shares` holds names, `members` their ids."""
    deals: list[dict[str, Any]] = []
    assignments: list[dict[str, Any]] = []
    for labeller, member_id in members.items():
        places = count()
        for place, qid in enumerate(queries_in_order(shares, labeller, seed=round_.seed)):
            dealt = {
                "project_id": round_.project_id,
                "id": new_id(),
                "round_id": round_.id,
                "query_id": pooled[qid][0].query_id,
                "labeller_id": member_id,
                "seat": 1 + shares[qid].index(labeller),
                "place": place,
            }
            deals.append(dealt)
            pairs = in_order_shown(pooled[qid], labeller, seed=round_.seed)
            assignments += [assigned(dealt, pair, place=next(places)) for pair in pairs]
    session.execute(insert(Deal), deals)
    session.execute(insert(Assignment), assignments)


def queries_in_order(shares: Shares, labeller: str, *, seed: int) -> list[str]:
    """The labeller's queries as they come up, one after the other."""
    theirs = (qid for qid, names in shares.items() if labeller in names)
    return sorted(theirs, key=lambda qid: lot(seed, "order of queries", labeller, qid))


def in_order_shown(pairs: Sequence[PooledPair], labeller: str, *, seed: int) -> list[PooledPair]:
    """The query's documents as this labeller sees them: another order for everybody, and none that a run made."""
    return sorted(pairs, key=lambda pair: lot(seed, "order of documents", labeller, pair.qid, pair.docno))


def assigned(dealt: Mapping[str, Any], pair: PooledPair, *, place: int) -> dict[str, Any]:
    return {
        "project_id": dealt["project_id"],
        "id": new_id(),
        "round_id": dealt["round_id"],
        "deal_id": dealt["id"],
        "pair_id": pair.id,
        "labeller_id": dealt["labeller_id"],
        "place": place,
    }


def freeze_policy(project: Project) -> None:
    """From the first round on the gate's policy stays as it is: nobody chooses it with an answer in sight."""
    project.policy_frozen_at = project.policy_frozen_at or now()
