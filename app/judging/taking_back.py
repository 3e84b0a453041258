"""Late grades: an assignment that returned while its labeller was away is theirs again where a place is free."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import RuleError
from app.judging.claiming import refuse_seeing
from app.judging.grading import Held
from app.judging.models import IS_JUDGING, Assignment, Deal, Returned, Round
from app.judging.seating import fill, lock_places
from app.projects.guards import Seat


class Taken(RuleError):
    """Somebody else judges the pair by now, and a grade of it that comes late has no place any more."""


class Lost(NamedTuple):
    """An assignment that its labeller held before."""

    project_id: str
    round_id: str
    pair_id: str
    returned_at: datetime


LOST = (
    select(Assignment.project_id, Assignment.round_id, Assignment.pair_id, Returned.returned_at)
    .join(Returned, and_(Returned.project_id == Assignment.project_id, Returned.assignment_id == Assignment.id))
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.id == bindparam("id"),
        Returned.labeller_id == bindparam("labeller"),
    )
)


def find_lost(session: Session, seat: Seat, assignment_id: str) -> Lost | None:
    """What became of an assignment that is not the member's any more; None where it never was."""
    row = session.execute(
        LOST, {"project": seat.project.id, "id": assignment_id, "labeller": seat.member.id}
    ).one_or_none()
    return None if row is None else Lost._make(row)


def take_back(session: Session, seat: Seat, lost: Lost) -> Held:
    """The member's assignment of the same pair, which they get again with what is still free around it. Taken where
    nobody's place is free.
    """
    round_ = session.get_one(Round, (lost.project_id, lost.round_id))
    lock_places(session, round_)
    own = assignment_of(session, lost, seat.member.id)
    if own is None:
        free = assignment_of(session, lost, None)
        if free is None:
            raise Taken(
                "You were away for long, so that this query was given back, and others judge the pair by now.",
                "Your grade has no place any more. Go on at the desk.",
            )
        refuse_seeing(round_, seat.member)
        deal = session.get_one(Deal, (lost.project_id, free.deal_id))
        fill(session, round_, deal, seat.member, claimed_at=now() if round_.is_claimed else None)
        own = free
    session.refresh(own, with_for_update=True)
    return Held(lost.project_id, own.id, lost.round_id, seat.member.id, own.revision)


def assignment_of(session: Session, lost: Lost, labeller_id: str | None) -> Assignment | None:
    """Of the lost pair: the labeller's own, or a free one."""
    return session.scalar(
        select(Assignment)
        .where(
            Assignment.project_id == lost.project_id,
            Assignment.round_id == lost.round_id,
            Assignment.pair_id == lost.pair_id,
            Assignment.labeller_id.is_(None) if labeller_id is None else Assignment.labeller_id == labeller_id,
            IS_JUDGING,
        )
        .order_by(Assignment.id)
        .limit(1)
    )
