"""The rubric as it stands beside a document, and in a draft's preview. Statements are Core, built once."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.projects.guards import Seat
from app.rubrics.models import Level, Rubric


class LevelShown(NamedTuple):
    """A level of the rubric."""

    number: int
    name: str
    question: str
    examples: list[dict[str, str]]
    counter_examples: list[dict[str, str]]
    not_this: str


class RubricShown(NamedTuple):
    """What a rubric says beside its levels."""

    instructions: str
    unjudgeable: str
    """When to say that a document can't be judged."""
    refusals: dict[str, dict[str, str]]
    """And for which reason, see `Rubric.refusals`."""


def levels_shown(session: Session, seat: Seat, rubric_id: str) -> Sequence[LevelShown]:
    """Highest first, as they stand beside the document."""
    rows = session.connection().execute(LEVELS, {"project": seat.project.id, "rubric": rubric_id})
    return [LevelShown._make(row) for row in rows]


def rubric_shown(session: Session, seat: Seat, rubric_id: str) -> RubricShown:
    return RubricShown._make(session.execute(RUBRIC, {"project": seat.project.id, "rubric": rubric_id}).one())


LEVELS = (
    select(Level.number, Level.name, Level.question, Level.examples, Level.counter_examples, Level.not_this)
    .where(Level.project_id == bindparam("project"), Level.rubric_id == bindparam("rubric"))
    .order_by(Level.number.desc())
)
RUBRIC = select(Rubric.instructions, Rubric.unjudgeable, Rubric.refusals).where(
    Rubric.project_id == bindparam("project"), Rubric.id == bindparam("rubric")
)
