"""One's own grades, sought among: by what was given, by words, by whether the text has changed since."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.judging.desk import GIVEN, GivenGrade
from app.judging.models import Grade
from app.projects.guards import Seat
from app.rubrics.models import REASONS

ON_A_PAGE = 50
UNJUDGEABLE = "unjudgeable"


@dataclass(frozen=True)
class Sought:
    """What is wanted; empty means all."""

    grade: str = ""
    """A level's number, `unjudgeable`, or a reason."""
    words: str = ""
    """In the query, the title or the docno."""
    has_changed: bool = False
    at: int = 1
    """The page, from 1."""


def own_history(session: Session, seat: Seat, sought: Sought) -> tuple[Sequence[GivenGrade], int]:
    """A page of the labeller's newest grades that fit, the last one first, and how many fit altogether."""
    whose = {"project": seat.project.id, "labeller": seat.member.id}
    fitting = narrowed(GIVEN.limit(None), sought)
    number = session.scalar(select(func.count()).select_from(fitting.order_by(None).subquery()), whose) or 0
    rows = session.execute(fitting.limit(ON_A_PAGE).offset((sought.at - 1) * ON_A_PAGE), whose)
    return [GivenGrade._make(row) for row in rows], number


def narrowed(given: Select[*tuple[Any, ...]], sought: Sought) -> Select[*tuple[Any, ...]]:
    if sought.grade.isdecimal():
        given = given.where(Grade.level == int(sought.grade[:3]))
    elif sought.grade == UNJUDGEABLE:
        given = given.where(Grade.level.is_(None))
    elif sought.grade in REASONS:
        given = given.where(Grade.reason == sought.grade)
    if sought.words:
        texts = (Query.text, Query.qid, Document.title, Document.docno)
        given = given.where(or_(*(text.icontains(sought.words, autoescape=True) for text in texts)))
    if sought.has_changed:
        given = given.where(Grade.text_hash != Document.text_hash, Grade.origin != "import")
    return given
