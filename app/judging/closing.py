"""Closing a round, and opening it again."""

from collections.abc import Callable

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import RuleError
from app.judging.models import Assignment, Deal, Round
from app.projects.models import Member

KeepClosed = Callable[[Session, Round], None]
"""RuleError where a later slice needs the round to stay closed: a release was made of it."""


def close_round(session: Session, round_: Round) -> None:
    """Takes no more grades; what was not graded is counted as ungraded. Closing twice changes nothing."""
    lock(session, round_)
    round_.closed_at = round_.closed_at or now()


def reopen_round(session: Session, round_: Round, *, keep_closed: KeepClosed) -> None:
    """Takes grades again, unless somebody could change theirs after having seen the others'. `keep_closed` is asked
    last.
    """
    lock(session, round_)
    if round_.closed_at is None:
        return
    if round_.kind == "imported":
        raise RuleError("An imported round holds grades given elsewhere; nobody judges in it.", "Open a round here.")
    refuse_insiders(session, round_)
    keep_closed(session, round_)
    round_.closed_at = None


def lock(session: Session, round_: Round) -> None:
    """Waits for grades under way and holds back those that come: each locks its assignment before it looks at the
    round, so that none gets into a round after its end.
    """
    session.refresh(round_, with_for_update=True)
    of_round = (Assignment.project_id == round_.project_id, Assignment.round_id == round_.id)
    session.scalars(select(Assignment.id).where(*of_round).with_for_update()).all()


def refuse_insiders(session: Session, round_: Round) -> None:
    """A lead or reader who judged in the round may have read its agreement while it was closed."""
    names = session.scalars(
        select(Member.name)
        .join(Deal, and_(Deal.project_id == Member.project_id, Deal.labeller_id == Member.id))
        .where(Deal.project_id == round_.project_id, Deal.round_id == round_.id, Member.role != "labeller")
        .distinct()
    ).all()
    if names:
        raise RuleError(
            f"{', '.join(sorted(names))} judged in this round and could see the others' grades since it was closed.",
            "Open a new round on fresh queries.",
            conditions=["blindness"],
        )
