"""Who judges what, changed while a round is open: a query passed on to somebody else, a labeller who joins late, and
one who leaves. Grades stay with whoever gave them.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Select, and_, bindparam, case, func, select
from sqlalchemy.orm import Session

from app.errors import FieldError, NotThere, RuleError
from app.judging.checks import write_stops
from app.judging.choosing import POOLED, PooledPair, by_query
from app.judging.claiming import SEEN, has_been_asked, has_seen, named, refuse_seeing
from app.judging.dealing import refuse_failed
from app.judging.lots import in_order_shown, lot
from app.judging.mixing import Stop
from app.judging.models import IS_JUDGING, Assignment, Deal, Round
from app.judging.planning import able_labellers
from app.judging.queries import OF_FAMILY, family_of
from app.judging.sealing import DealSeals, told_of_new
from app.judging.seating import fill, lock_places, vacate
from app.pools.models import Pair
from app.projects.models import Member, Project
from app.record.keeping import record

QUALIFYING_PAIRS = 100
"""A release asks as many doubly judged pairs of whoever contributes, or a tenth of theirs where that is less."""


def find_deal(session: Session, project: Project, deal_id: str) -> Deal:
    deal = session.get(Deal, (project.id, deal_id))
    if deal is None or deal.purpose != "judging":
        raise NotThere
    return deal


def pass_on(session: Session, deal: Deal, *, to: str) -> Deal:
    """Gives what is ungraded of the deal to the member `to`, a free deal whole. Who gave grades keeps them."""
    round_ = session.get_one(Round, (deal.project_id, deal.round_id))
    lock_places(session, round_)
    session.refresh(deal)
    member = labeller_for(session, round_, to)
    if deal.labeller_id == member.id:
        raise FieldError("labeller", f"It is {member.name}’s already.", "Choose somebody else.")
    if has_been_asked(session, round_, deal, member):
        raise FieldError(
            "labeller", f"{member.name} judges this query already.", "Choose somebody who gives a second opinion."
        )
    if has_seen(session, round_, deal, member):
        raise RuleError(
            f"{member.name} could see what others gave on this query in an earlier round.",
            "Choose somebody who could not.",
            conditions=["blindness"],
        )
    is_taken = deal.labeller_id is not None
    free = vacate(session, deal) if is_taken else deal
    if free is None:
        raise RuleError("Every pair of it is graded: there is nothing to pass on.", "Grades stay with who gave them.")
    if is_taken:
        passed = {"round": round_.id, "number": round_.number, "query": deal.query_id, "member": member.id}
        record(session, round_.project_id, "query passed on", **passed)
    return fill(session, round_, free, member)


def labeller_for(session: Session, round_: Round, member_id: str) -> Member:
    """FieldError where the member can't label; RuleError where they may have seen what others gave."""
    project = session.get_one(Project, round_.project_id)
    member = next((each for each in able_labellers(session, project) if each.id == member_id), None)
    if member is None:
        raise FieldError(
            "labeller", "Only leads and labellers with an account can label here.", "Choose one, or invite somebody."
        )
    if not judges_in(session, round_, member):  # Whoever does was blind from the start.
        refuse_seeing(round_, member)
    return member


def judges_in(session: Session, round_: Round, member: Member) -> bool:
    return session.scalar(deals_of(round_, member).limit(1)) is not None


# Somebody joins late


def qualify(
    session: Session, round_: Round, *, labeller: str, queries: int | None = None, gate_answer: str | None = None
) -> list[str]:
    """Deals the member further places at queries that two people have judged whole under the rubric's family, drawn by
    lot, so that they can be compared with the others: as many as asked, or until they have QUALIFYING_PAIRS. RuleError
    where the gate has failed: others to judge the same would be no new test. The qids.
    """
    refuse_failed(gate_answer)
    lock_places(session, round_)
    member = labeller_for(session, round_, labeller)
    drawn = drawn_for(session, round_, member, queries=queries)
    if not drawn:
        raise RuleError(
            f"No query was judged twice that {member.name} can still judge blind: without having been asked about it, "
            "and without having been lead or reader since.",
            "Finish an agreement round first, or deal them fresh queries beside somebody else.",
            conditions=["queries"],
        )
    seals = deal_further(session, round_, member, (pairs for _, pairs in drawn))
    dealt = {"round": round_.id, "number": round_.number, "member": member.id, "queries": len(drawn)}
    record(session, round_.project_id, "queries added", **dealt, **told_of_new(seals))
    return [qid for qid, _ in drawn]


def drawn_for(
    session: Session, round_: Round, member: Member, *, queries: int | None
) -> list[tuple[str, list[PooledPair]]]:
    if queries is not None and queries < 1:
        raise FieldError("queries", "At least one query is needed.", "Leave it empty for as many as qualify.")
    twice = judged_twice(session, round_, member)
    in_order = sorted(twice.items(), key=lambda each: lot(round_.seed, "qualifying", member.name, each[0]))
    if queries is not None:
        return in_order[:queries]
    drawn, pairs = [], shared_pairs(session, round_, member)
    for qid, found in in_order:
        if pairs >= QUALIFYING_PAIRS:
            break
        drawn.append((qid, found))
        pairs += len(found)
    return drawn


def judged_twice(session: Session, round_: Round, member: Member) -> dict[str, list[PooledPair]]:
    """Pairs by qid that two people or more graded in the family, whose texts are here, and that the member was never
    asked about and could not look at.
    """
    found = by_query(PooledPair(*row) for row in session.execute(TWICE_JUDGED, named(session, round_, member)))
    return {qid: pairs for qid, pairs in found.items() if not any(pair.is_placeholder for pair in pairs)}


def shared_pairs(session: Session, round_: Round, member: Member) -> int:
    """Pairs of the family that were asked of the member and of somebody else."""
    asked = (
        select(Assignment.pair_id)
        .where(
            Assignment.project_id == round_.project_id,
            Assignment.round_id.in_(OF_FAMILY),
            Assignment.labeller_id.is_not(None),
            IS_JUDGING,
        )
        .group_by(Assignment.pair_id)
        .having(
            func.count(Assignment.labeller_id.distinct()) > 1,
            func.max(case((Assignment.labeller_id == member.id, 1), else_=0)) == 1,
        )
        .subquery()
    )
    named = {"project": round_.project_id, "family": family_of(session, round_)}
    return session.scalar(select(func.count()).select_from(asked), named) or 0


def deal_further(session: Session, round_: Round, member: Member, queries: Iterable[Sequence[PooledPair]]) -> DealSeals:
    """A place more at each query, after those that the round has. It is nobody's primary nor second opinion."""
    dealt: DealSeals = {}
    for pairs in queries:
        highest = session.scalar(
            select(func.max(Deal.seat)).where(
                Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.query_id == pairs[0].query_id
            )
        )
        in_order = in_order_shown(pairs, member.name, seed=round_.seed)
        dealt |= write_stops(session, round_, member.id, [Stop(in_order, seat=1 + max(highest or 0, 2))])
    return dealt


# Somebody leaves


def give_back(session: Session, member: Member) -> None:
    """Frees what the member has not graded in any open round. In a claimed round it waits for whoever asks, in a dealt
    one for a lead to give it to somebody.
    """
    theirs = (
        select(Round)
        .where(Round.project_id == member.project_id, Round.closed_at.is_(None))
        .where(
            select(Deal.id)
            .where(Deal.project_id == Round.project_id, Deal.round_id == Round.id, Deal.labeller_id == member.id)
            .exists()
        )
        .order_by(Round.number)
    )
    for round_ in session.scalars(theirs).all():
        lock_places(session, round_)
        for deal in session.scalars(deals_of(round_, member)).all():
            vacate(session, deal)


def deals_of(round_: Round, member: Member) -> Select[Deal]:
    return select(Deal).where(
        Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.labeller_id == member.id
    )


# Statements


GRADED_TWICE = (
    select(Assignment.pair_id)
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        Assignment.revision > 0,
        IS_JUDGING,
    )
    .group_by(Assignment.pair_id)
    .having(func.count(Assignment.labeller_id.distinct()) > 1)
)
ASKED_BEFORE = (
    select(Pair.query_id)
    .join(Assignment, and_(Assignment.project_id == Pair.project_id, Assignment.pair_id == Pair.id))
    .where(
        Pair.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        Assignment.labeller_id == bindparam("member"),
        IS_JUDGING,
    )
)
TWICE_JUDGED = POOLED.where(Pair.id.in_(GRADED_TWICE), Pair.query_id.not_in(ASKED_BEFORE), Pair.query_id.not_in(SEEN))
