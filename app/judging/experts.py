"""Pairs that need expertise go to another labeller: a lead knows who has it, and gives them all of a round at once.

Whoever says that a pair needs expertise steps aside. Where somebody else gave it a level, or is still asked, nothing
more is due; else it waits here.
"""

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from app.errors import RuleError
from app.judging.choosing import POOLED, PooledPair, by_query
from app.judging.claiming import SEEN, named
from app.judging.models import IS_JUDGING, Assignment, Deal, Grade, Round
from app.judging.queries import OF_FAMILY, family_of, newest
from app.judging.reassigning import deal_further, labeller_for
from app.judging.sealing import told_of_new
from app.judging.seating import lock_places
from app.pools.models import Pair
from app.projects.queries import MACHINES
from app.record.keeping import record
from app.rubrics.models import EXPERTISE


def count_for_experts(session: Session, round_: Round) -> int:
    """Pairs of the round about which everybody who was asked in the family said that they need expertise."""
    which = {"project": round_.project_id, "family": family_of(session, round_), "round": round_.id}
    return session.scalar(select(func.count()).select_from(WAITING.subquery()), which) or 0


def give_to_expert(session: Session, round_: Round, *, labeller: str) -> int:
    """Deals the member a place more at those pairs; how many. RuleError where there is none that they can judge blind
    and were not asked about.
    """
    lock_places(session, round_)
    member = labeller_for(session, round_, labeller)
    found = by_query(PooledPair(*row) for row in session.execute(FOR_EXPERT, named(session, round_, member)))
    if not found:
        raise RuleError(
            f"No pair that needs expertise is left for {member.name}: they were asked about each, or could see what "
            "others gave.",
            "Give them to somebody else.",
            conditions=["pairs"],
        )
    seals = deal_further(session, round_, member, found.values())
    dealt = {"round": round_.id, "number": round_.number, "member": member.id, "queries": len(found)}
    record(session, round_.project_id, "queries added", **dealt, **told_of_new(seals))
    return sum(map(len, found.values()))


WAITING = (
    select(Assignment.pair_id)
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        or_(Assignment.labeller_id.is_(None), Assignment.labeller_id.not_in(MACHINES)),
        IS_JUDGING,
    )
    .group_by(Assignment.pair_id)
    .having(
        func.count() == func.count().filter(Grade.reason == EXPERTISE),
        func.count().filter(Assignment.round_id == bindparam("round")) > 0,
    )
)
THEIRS = select(Deal.query_id).where(
    Deal.project_id == bindparam("project"),
    Deal.round_id == bindparam("round"),
    Deal.labeller_id == bindparam("member"),
    Deal.purpose == "judging",
)
FOR_EXPERT = POOLED.where(Pair.id.in_(WAITING), Pair.query_id.not_in(THEIRS), Pair.query_id.not_in(SEEN))
