"""How fast a round goes, when it will end, and what it has cost: counts and times only, never a level."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db import now
from app.judging.models import Assignment, Grade, Round
from app.judging.queries import OF_ASSIGNMENT, RoundProgress
from app.pools.drawing import RATE, SECONDS

WINDOW = timedelta(days=7)
"""The pace is that of the last week, or since the round was opened where that is less."""
SHORTEST = timedelta(days=1)
"""Nobody judges around the clock: a pace of the first hours would promise too much."""


@dataclass(frozen=True)
class Pace:
    """Of one round, at one moment. A grade that was changed later counts once for the pace, each time for the cost."""

    left: int
    """Grades still to give."""
    a_day: float
    """Pairs graded for the first time in a day, at the pace of the window."""
    ends_at: datetime | None
    """When all is graded at that pace; None where nothing is left, and where nobody graded in the window."""
    hours: float
    """Of judging so far: time measured at the desk, and the usual seconds for each grade without a measured time."""
    unmeasured: int
    """How many grades those are."""
    rate: float
    """What an hour costs."""

    @property
    def cost(self) -> float:
        return self.hours * self.rate


def pace_of(session: Session, progress: RoundProgress, *, rate: float = RATE) -> Pace:
    round_, moment = progress.round, now()
    window = min(WINDOW, max(SHORTEST, moment - round_.opened_at))
    a_day = count_first(session, round_, since=moment - window) / (window / timedelta(days=1))
    left = progress.assignments - progress.graded
    measured_ms, unmeasured = time_spent(session, round_)
    return Pace(
        left=left,
        a_day=a_day,
        ends_at=moment + timedelta(days=left / a_day) if left and a_day else None,
        hours=measured_ms / 3_600_000 + unmeasured * SECONDS / 3600,
        unmeasured=unmeasured,
        rate=rate,
    )


def count_first(session: Session, round_: Round, *, since: datetime) -> int:
    """Pairs that were graded for the first time since then."""
    given = (
        select(func.count())
        .select_from(Grade)
        .join(Assignment, OF_ASSIGNMENT)
        .where(
            Assignment.project_id == round_.project_id,
            Assignment.round_id == round_.id,
            Grade.revision == 1,
            Grade.given_at >= since,
        )
    )
    return session.scalar(given) or 0


def time_spent(session: Session, round_: Round) -> tuple[int, int]:
    """Milliseconds at the desk, and how many grades given here have no measured time."""
    spent = (
        select(func.coalesce(func.sum(Grade.active_ms), 0), func.count() - func.count(Grade.active_ms))
        .select_from(Grade)
        .join(Assignment, OF_ASSIGNMENT)
        .where(
            Assignment.project_id == round_.project_id,
            Assignment.round_id == round_.id,
            Grade.origin != "import",
        )
    )
    measured_ms, unmeasured = session.execute(spent).one()
    return int(measured_ms or 0), unmeasured
