"""Claims: in a claimed round a labeller takes the next whole query when they ask, and loses it when they stay away.

A claim is idle when its labeller has graded nothing for the round's `idle_minutes`. It returns when somebody asks for a
query: until then its labeller may simply go on. What they graded stays; the rest waits for whoever comes next.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Select, and_, bindparam, select
from sqlalchemy.orm import Session, aliased

from app.db import now
from app.errors import RuleError
from app.judging.checks import deal_checks, gold_of, pairs_met, repeats_so_far
from app.judging.mixing import draw_quiz, quiz_stops
from app.judging.models import IS_JUDGING, Assignment, Deal, Grade, Round
from app.judging.queries import OF_FAMILY, family_of
from app.judging.seating import drop_checks, fill, lock_places, vacate
from app.pools.models import Pair
from app.projects.guards import Seat
from app.projects.models import Member

IDLE_MINUTES = 30


class NothingLeft(RuleError):
    """The round has no query for this labeller."""


def claim_next(session: Session, seat: Seat, round_: Round) -> Deal:
    """The next query of the round for whoever asks; again the one in hand while a pair of it is ungraded. NothingLeft
    where every place is taken, or they judged what is free; RuleError where the round is dealt or closed, or the member
    may have seen what others gave.
    """
    require_claimed(round_)
    lock_places(session, round_)
    refuse_seeing(round_, seat.member)
    in_hand = claim_in_hand(session, round_, seat.member)
    if in_hand is not None:
        return in_hand
    return_idle(session, round_)
    found = session.scalar(claimable(session, round_, seat.member).limit(1))
    if found is None:
        raise NothingLeft(
            f"Round {round_.number} has no query left for you: the places are taken, or you judged them already.",
            "If a claim of somebody else returns, it can be taken then.",
            conditions=["claims"],
        )
    deal_quiz(session, round_, seat.member)
    taken = fill(session, round_, found, seat.member, claimed_at=now())
    if round_.repeats:
        deal_checks(session, round_, seat.member, repeats_so_far(session, round_, seat.member, besides=taken))
    return taken


def deal_quiz(session: Session, round_: Round, member: Member) -> None:
    """Before the first query that they claim in the round: gold that they can't claim in it, best such that they have
    not met.
    """
    theirs = select(Deal.id).where(
        Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.labeller_id == member.id
    )
    if round_.quiz and session.scalar(theirs.limit(1)) is None:
        family = family_of(session, round_)
        judged = set(session.scalars(JUDGED, {"project": round_.project_id, "round": round_.id}))
        met = pairs_met(session, round_.project_id, family, member.id)
        gold = [each for each in gold_of(session, round_.project_id, family) if each.pair.id not in judged]
        pairs = draw_quiz(
            gold, round_.quiz, labeller=member.name, seed=round_.seed, nearness=lambda pair: (pair.id in met,)
        )
        deal_checks(session, round_, member, quiz_stops(pairs))


def require_claimed(round_: Round) -> None:
    if not round_.is_claimed:
        raise RuleError(
            f"The queries of round {round_.number} are dealt by name.",
            "What was dealt to you stands at the desk; a lead can give you more.",
            conditions=["claims"],
        )


def refuse_seeing(round_: Round, member: Member) -> None:
    """While a round is open, leads and readers may look at its agreement. Whoever could has no place in it."""
    if member.role != "labeller" or (member.saw_until is not None and member.saw_until >= round_.opened_at):
        raise RuleError(
            f"{member.name} could see what others gave in round {round_.number}, and so can’t take queries of it.",
            "A lead who wants to judge opens a round with queries dealt to them by name.",
            conditions=["blindness"],
        )


def claim_in_hand(session: Session, round_: Round, member: Member) -> Deal | None:
    return session.scalar(
        select(Deal)
        .join(Assignment, and_(Assignment.project_id == Deal.project_id, Assignment.deal_id == Deal.id))
        .where(
            Deal.project_id == round_.project_id,
            Deal.round_id == round_.id,
            Deal.labeller_id == member.id,
            Assignment.revision == 0,
        )
        .limit(1)
    )


def claimable(session: Session, round_: Round, member: Member) -> Select[Deal]:
    """Free deals of the round without a pair that the member was asked for under the rubric's family, next one first:
    those of one query come together, so that its second opinion does not wait for the end.
    """
    return (
        select(Deal)
        .where(
            Deal.project_id == round_.project_id,
            Deal.round_id == round_.id,
            Deal.labeller_id.is_(None),
            ~ASKED.exists(),
            Deal.query_id.not_in(SEEN),
        )
        .order_by(Deal.place, Deal.seat, Deal.id)
        .params(named(session, round_, member))
    )


def has_been_asked(session: Session, round_: Round, deal: Deal, member: Member) -> bool:
    """Whether the member was asked about what is left of the deal, here or in another round of the rubric's family."""
    asked = select(Deal.id).where(Deal.project_id == round_.project_id, Deal.id == deal.id, ASKED.exists())
    return session.scalar(asked, named(session, round_, member)) is not None


def has_seen(session: Session, round_: Round, deal: Deal, member: Member) -> bool:
    """Whether the member could look at what others gave on the deal's query in another round of the family."""
    seen = select(Deal.id).where(Deal.project_id == round_.project_id, Deal.id == deal.id, Deal.query_id.in_(SEEN))
    return session.scalar(seen, named(session, round_, member)) is not None


def named(session: Session, round_: Round, member: Member) -> dict[str, Any]:
    return {
        "project": round_.project_id,
        "family": family_of(session, round_),
        "member": member.id,
        "round": round_.id,
        "seen_until": seen_until(member),
    }


def seen_until(member: Member) -> datetime:
    """Until when the member could look at what others gave: until now, for leads and readers."""
    return now() if member.role != "labeller" else member.saw_until or NEVER


NEVER = datetime(1970, 1, 1, tzinfo=UTC)
SEEN = (
    select(Pair.query_id)
    .join(Assignment, and_(Assignment.project_id == Pair.project_id, Assignment.pair_id == Pair.id))
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .where(
        Pair.project_id == bindparam("project"),
        Round.id.in_(OF_FAMILY),
        Round.id != bindparam("round"),
        Round.opened_at <= bindparam("seen_until"),
    )
)
"""Queries of the family's other rounds that were open, or over, while the member could look."""


JUDGED = select(Assignment.pair_id).where(
    Assignment.project_id == bindparam("project"), Assignment.round_id == bindparam("round"), IS_JUDGING
)
MINE, OPEN = aliased(Assignment), aliased(Assignment)
ASKED = (
    select(MINE.id)
    .join(OPEN, and_(OPEN.project_id == MINE.project_id, OPEN.pair_id == MINE.pair_id))
    .where(
        OPEN.project_id == Deal.project_id,
        OPEN.deal_id == Deal.id,
        OPEN.revision == 0,
        MINE.labeller_id == bindparam("member"),
        MINE.round_id.in_(OF_FAMILY),
        MINE.purpose == "judging",
    )
)
"""Of a deal: that something of it was asked of the member."""


def open_claims(session: Session, seat: Seat) -> list[Round]:
    """The open claimed rounds in which the member may ask for queries, whether or not one is left."""
    rounds = session.scalars(
        select(Round)
        .where(Round.project_id == seat.project.id, Round.closed_at.is_(None), Round.idle_minutes.is_not(None))
        .order_by(Round.number)
    )
    return [round_ for round_ in rounds if may_claim(round_, seat.member)]


def may_claim(round_: Round, member: Member) -> bool:
    try:
        refuse_seeing(round_, member)
    except RuleError:
        return False
    return True


# Idle claims


def return_idle(session: Session, round_: Round) -> int:
    """Frees the rest of every idle claim; how many there were."""
    idle = [(deal, deal.labeller_id) for deal in idle_claims(session, round_)]
    returned = [labeller_id for deal, labeller_id in idle if vacate(session, deal, waits=False) is not None]
    for labeller_id in returned:
        drop_checks(session, round_, labeller_id)
    return len(returned)


def idle_claims(session: Session, round_: Round) -> list[Deal]:
    """Claims with something to grade and no grade since the round's limit."""
    assert round_.idle_minutes is not None
    since = now() - timedelta(minutes=round_.idle_minutes)
    return list(session.scalars(IDLE, {"project": round_.project_id, "round": round_.id, "since": since}))


OF_DEAL = (Assignment.project_id == Deal.project_id, Assignment.deal_id == Deal.id)
LEFT = select(Assignment.id).where(*OF_DEAL, Assignment.revision == 0)
GRADED_SINCE = (
    select(Grade.id)
    .join(Assignment, and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id))
    .where(*OF_DEAL, Grade.given_at >= bindparam("since"))
)
IDLE = select(Deal).where(
    Deal.project_id == bindparam("project"),
    Deal.round_id == bindparam("round"),
    Deal.claimed_at < bindparam("since"),
    LEFT.exists(),
    ~GRADED_SINCE.exists(),
)
