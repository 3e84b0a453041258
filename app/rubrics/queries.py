"""Selects over rubrics."""

from collections.abc import Sequence

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.errors import NotThere, RuleError
from app.rubrics.models import Level, Rubric, Ruling


def published_rubric(session: Session, project_id: str) -> Rubric | None:
    """The newest published version."""
    published = select(Rubric).where(Rubric.project_id == project_id, Rubric.published_at.is_not(None))
    return session.scalar(published.order_by(Rubric.number.desc()).limit(1))


def required_rubric(session: Session, project_id: str) -> Rubric:
    """The newest published version, else RuleError."""
    rubric = published_rubric(session, project_id)
    if rubric is None:
        raise RuleError("No rubric is published yet.", "Write one and publish it: grades belong to a rubric.")
    return rubric


def draft_rubric(session: Session, project_id: str) -> Rubric | None:
    """The version that is still being written, if there is one."""
    return session.scalar(select(Rubric).where(Rubric.project_id == project_id, Rubric.published_at.is_(None)))


def versions_of(session: Session, project_id: str) -> Sequence[Rubric]:
    """Published versions, newest first."""
    published = select(Rubric).where(Rubric.project_id == project_id, Rubric.published_at.is_not(None))
    return session.scalars(published.order_by(Rubric.number.desc())).all()


def find_version(session: Session, project_id: str, number: int) -> Rubric:
    """The published version of that number, else NotThere."""
    rubric = next((each for each in versions_of(session, project_id) if each.number == number), None)
    if rubric is None:
        raise NotThere(f"There is no published version {number} of the rubric.", "Look at the list of versions.")
    return rubric


def find_rubric(session: Session, project_id: str, rubric_id: str) -> Rubric:
    """The published version with that id, else NotThere."""
    rubric = session.get(Rubric, (project_id, rubric_id))
    if rubric is None or rubric.published_at is None:
        raise NotThere
    return rubric


def levels_of(session: Session, rubric: Rubric) -> Sequence[Level]:
    """Lowest first; numbers run from 0 without a gap."""
    theirs = select(Level).where(Level.project_id == rubric.project_id, Level.rubric_id == rubric.id)
    return session.scalars(theirs.order_by(Level.number)).all()


def rulings_of(session: Session, project_id: str, family: int) -> Sequence[Ruling]:
    """What leads ruled under any version of the family, the newest first."""
    theirs = (
        select(Ruling)
        .join(Rubric, and_(Rubric.project_id == Ruling.project_id, Rubric.id == Ruling.rubric_id))
        .where(Ruling.project_id == project_id, Rubric.family == family)
    )
    return session.scalars(theirs.order_by(Ruling.given_at.desc(), Ruling.id)).all()
