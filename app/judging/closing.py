"""Closing a round, and opening it again."""

from collections.abc import Callable

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import RuleError
from app.judging.models import Assignment, Deal, Round
from app.projects.models import Member, Project
from app.record.keeping import record
from app.record.sealing import seals_of

KeepClosed = Callable[[Session, Round], None]
"""RuleError where a later slice needs the round to stay closed: a release was made of it."""


def close_round(session: Session, round_: Round) -> None:
    """Takes no more grades; what was not graded is counted as ungraded. Closing twice changes nothing."""
    lock(session, round_)
    if round_.closed_at is None:
        round_.closed_at = now()
        record(session, round_.project_id, "round closed", **told_of(session, round_))


def reopen_round(session: Session, round_: Round, *, keep_closed: KeepClosed) -> None:
    """Takes grades again, unless something keeps it closed. Opening an open round changes nothing."""
    lock(session, round_)
    lock_for_opening(session, round_)
    if round_.closed_at is None:
        return
    refusal = what_keeps_it_closed(session, round_, keep_closed=keep_closed)
    if refusal is not None:
        raise refusal
    round_.closed_at = None
    record(session, round_.project_id, "round reopened", **told_of(session, round_))


def what_keeps_it_closed(session: Session, round_: Round, *, keep_closed: KeepClosed) -> RuleError | None:
    """Why the closed round can't be opened again, for whoever would; None where it can."""
    try:
        refuse_imported(round_)
        refuse_insiders(session, round_)
        keep_closed(session, round_)
    except RuleError as refusal:
        return refusal
    return None


def told_of(session: Session, round_: Round) -> dict[str, object]:
    return {"round": round_.id, "number": round_.number, "seals": seals_of(session, round_)}


def lock(session: Session, round_: Round) -> None:
    """Waits for grades under way and holds back those that come: each locks its assignment before it looks at the
    round, so that none gets into a round after its end.
    """
    session.refresh(round_, with_for_update=True)
    of_round = (Assignment.project_id == round_.project_id, Assignment.round_id == round_.id)
    session.scalars(select(Assignment.id).where(*of_round).with_for_update()).all()


def lock_for_opening(session: Session, round_: Round) -> None:
    """Holds back whoever would freeze a release, and waits for one that is being frozen; holds back new roles for the
    round's labellers, who might see in that moment what they must not.
    """
    session.get_one(Project, round_.project_id, with_for_update={"read": True, "key_share": True})
    session.scalars(labellers_of(round_).with_for_update(key_share=True)).all()


def labellers_of(round_: Round) -> Select[Member]:
    dealt = select(Deal.labeller_id).where(Deal.project_id == round_.project_id, Deal.round_id == round_.id)
    return select(Member).where(Member.project_id == round_.project_id, Member.id.in_(dealt))


def refuse_imported(round_: Round) -> None:
    if round_.kind == "imported":
        raise RuleError("An imported round holds grades given elsewhere; nobody judges in it.", "Open a round here.")


def refuse_insiders(session: Session, round_: Round) -> None:
    """Whoever judged in the round, and was lead or reader at some moment since it was closed, may have read its
    agreement then; what they are today does not matter.
    """
    could_see = or_(Member.role != "labeller", Member.saw_until >= round_.closed_at)
    names = [member.name for member in session.scalars(labellers_of(round_).where(could_see))]
    if names:
        raise RuleError(
            f"{', '.join(sorted(names))} judged in this round and could see the others' grades since it was closed.",
            "Open a new round on fresh queries.",
            conditions=["blindness"],
        )
