"""Opening a round: which queries, to whom, and in which order each labeller sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db import insert_rows, now
from app.errors import RuleError
from app.judging.checks import assigned, deal_row, pairs_met, write_stops
from app.judging.choosing import PooledPair
from app.judging.lots import in_order_shown, lot
from app.judging.mixing import Stop, draw_quiz, with_checks
from app.judging.models import Assignment, Deal, Round
from app.judging.planning import Plan, Wanted, plan_further, plan_round
from app.judging.sealing import DealSeals, seal_of_all, seals_of_rows, told_of_new
from app.judging.seating import lock_places
from app.judging.sharing import queries_in_order
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Project
from app.projects.queries import lock_project
from app.record.keeping import record
from app.record.sealing import seals_of
from app.words import plural


def open_round(
    session: Session, seat: Seat, wanted: Wanted, *, gate_answer: str | None = None, is_warned: bool = False
) -> Round:
    """`gate_answer` is what the agreement of the family says: where that is not `passed`, a main round opens only for a
    lead who `is_warned`; where it is `failed`, no agreement round opens under the same family.
    """
    project = lock_project(session, seat.project)
    plan = plan_round(session, project, wanted)
    return open_planned(session, project, seat.person, plan, gate_answer=gate_answer, is_warned=is_warned)


def open_planned(
    session: Session, project: Project, person: Person, plan: Plan, *, gate_answer: str | None, is_warned: bool
) -> Round:
    if plan.kind == "main":
        require_warning(gate_answer, is_warned=is_warned)
    else:
        refuse_failed(gate_answer)
    refuse_placeholders(plan.pooled)
    round_ = Round(
        project_id=project.id,
        number=next_number(session, project),
        kind=plan.kind,
        rubric_id=plan.rubric.id,
        pool_id=plan.pool.id,
        seed=plan.seed,
        overlap=plan.overlap,
        idle_minutes=plan.idle_minutes,
        repeats=plan.repeats,
        quiz=plan.quiz,
        opened_by_id=person.id,
    )
    session.add(round_)
    session.flush()
    dealt = (lay_out if round_.is_claimed else deal)(session, round_, plan)
    freeze_policy(project)
    told = {"round": round_.id, "number": round_.number, "kind": plan.kind, "seed": plan.seed, "overlap": plan.overlap}
    told |= {"queries": len(plan.pooled), "is_claimed": round_.is_claimed, "labellers": sorted(plan.members.values())}
    told |= {"plan": seal_of_all(dealt.values())}
    record(session, project.id, "round opened", **told, seals=seals_of(session, round_, project))
    return round_


def widen(
    session: Session, seat: Seat, round_: Round, *, queries: int | Sequence[str], gate_answer: str | None = None
) -> list[str]:
    """Adds fresh queries of the round's pool to an open agreement round, for the labellers whom it has: a number, drawn
    by its seed, or qids. RuleError where the gate has passed or failed by now. The qids.
    """
    project = lock_project(session, seat.project)
    lock_places(session, round_)
    refuse_answered(round_, gate_answer)
    plan = plan_further(session, project, round_, queries=queries)
    refuse_placeholders(plan.pooled)
    dealt = (lay_out if round_.is_claimed else deal)(session, round_, plan)
    widened = {"round": round_.id, "number": round_.number, "queries": len(plan.pooled)}
    record(session, project.id, "round widened", **widened, **told_of_new(dealt))
    return sorted(plan.pooled)


# What must hold


def refuse_answered(round_: Round, gate_answer: str | None) -> None:
    """Whoever adds queries until the answer suits them has not measured anything."""
    if round_.kind != "agreement":
        raise RuleError(
            "Only an agreement round is widened.", "A main round takes everything that is left.", conditions=["rounds"]
        )
    if gate_answer == "passed":
        raise RuleError("The gate has passed: there is no need for more.", "Open the main round.", conditions=["gate"])
    refuse_failed(gate_answer)


def refuse_failed(gate_answer: str | None) -> None:
    if gate_answer == "failed":
        raise RuleError(
            "The gate has failed for this rubric; more queries under it would not be a new test.",
            "Look at the disagreements, publish the next rubric, and judge fresh queries under it.",
            conditions=["gate"],
        )


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


def deal(session: Session, round_: Round, plan: Plan) -> DealSeals:
    """Writes down who judges what, in which order, hidden checks among it."""
    dealt: DealSeals = {}
    for labeller, member_id in plan.members.items():
        stops = [stop_at(plan, labeller, qid) for qid in queries_in_order(plan.shares, labeller, seed=round_.seed)]
        quiz = quiz_for(session, round_, plan, labeller) if plan.quiz else []
        stops = with_checks(stops, quiz, share=plan.repeats, labeller=labeller, seed=round_.seed)
        dealt |= write_stops(session, round_, member_id, stops)
    return dealt


def quiz_for(session: Session, round_: Round, plan: Plan, labeller: str) -> list[PooledPair]:
    """Gold that tells the labeller least of being gold: best a pair that they never met, of a query outside the round;
    then of one that others have in it, and may pass on to them.
    """
    met = pairs_met(session, round_.project_id, plan.rubric.family, plan.members[labeller])

    def nearness(pair: PooledPair) -> tuple[bool, ...]:
        return pair.id in met, labeller in plan.shares.get(pair.qid, ()), pair.qid in plan.shares

    gold = plan.gold_besides(labeller)
    return draw_quiz(gold, plan.quiz, labeller=labeller, seed=round_.seed, nearness=nearness)


def stop_at(plan: Plan, labeller: str, qid: str) -> Stop:
    return Stop(in_order_shown(plan.pooled[qid], labeller, seed=plan.seed), seat=1 + plan.shares[qid].index(labeller))


def lay_out(session: Session, round_: Round, plan: Plan) -> DealSeals:
    """Writes down what there is to claim: a free deal for each place at a query, in an order drawn by lot."""
    deals: list[dict[str, Any]] = []
    assignments: list[dict[str, Any]] = []
    in_order = sorted(plan.pooled, key=lambda qid: lot(round_.seed, "order of claims", qid))
    for place, qid in enumerate(in_order, behind_all(session, round_)):
        for seat in (1, 2) if qid in plan.twice else (1,):
            free = deal_row(round_, plan.pooled[qid][0].query_id, None, seat=seat, place=place)
            deals.append(free)
            assignments += [assigned(free, pair.id, place=at, stop=0) for at, pair in enumerate(plan.pooled[qid])]
    insert_rows(session, Deal, deals)
    insert_rows(session, Assignment, assignments)
    return seals_of_rows(deals, assignments)


def behind_all(session: Session, round_: Round) -> int:
    """Further queries are claimed after those that the round has."""
    last = session.scalar(
        select(func.max(Deal.place)).where(Deal.project_id == round_.project_id, Deal.round_id == round_.id)
    )
    return 0 if last is None else last + 1


def freeze_policy(project: Project) -> None:
    """From the first round on the gate's policy stays as it is: nobody chooses it with an answer in sight."""
    project.policy_frozen_at = project.policy_frozen_at or now()
