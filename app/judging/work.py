"""One's own work: the rounds, and the grades, sought among by what was given, by words, by what has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.judging.desk import IS_NEWEST, IS_OWN
from app.judging.models import Assignment, Grade, Round
from app.judging.queries import newest
from app.pools.models import Pair
from app.projects.guards import Seat
from app.rubrics.models import REASONS, Level

ON_A_PAGE = 50
UNJUDGEABLE = "unjudgeable"


class GivenGrade(NamedTuple):
    """One of the labeller's own grades, the newest of its pair."""

    id: str
    """Of the assignment."""
    round_number: int
    is_open: bool
    qid: str
    query: str
    docno: str
    title: str
    level: int | None
    level_name: str | None
    reason: str | None
    rationale: str
    given_at: datetime
    has_changed: bool
    """The document's text is not the one that was graded any more."""


class OwnRound(NamedTuple):
    """A round in which the labeller was dealt something."""

    id: str
    number: int
    kind: str
    opened_at: datetime
    closed_at: datetime | None
    pairs: int
    graded: int


def given_grades(session: Session, seat: Seat, *, limit: int) -> Sequence[GivenGrade]:
    """The labeller's own newest grades, the last one first."""
    rows = session.connection().execute(GIVEN, {"project": seat.project.id, "labeller": seat.member.id, "limit": limit})
    return [GivenGrade._make(row) for row in rows]


def own_rounds(session: Session, seat: Seat) -> Sequence[OwnRound]:
    """Open ones first, in the order in which the desk goes through them."""
    rows = session.execute(OWN_ROUNDS, {"project": seat.project.id, "labeller": seat.member.id})
    return [OwnRound._make(row) for row in rows]


def own_levels(session: Session, seat: Seat) -> Sequence[int]:
    """Numbers of the levels that the labeller was asked to choose among."""
    return session.scalars(OWN_LEVELS, {"project": seat.project.id, "labeller": seat.member.id}).all()


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


GIVEN = (
    select(
        Assignment.id,
        Round.number,
        Round.closed_at.is_(None),
        Query.qid,
        Query.text,
        Document.docno,
        Document.title,
        Grade.level,
        Level.name,
        Grade.reason,
        Grade.rationale,
        Grade.given_at,
        and_(Grade.text_hash != Document.text_hash, Grade.origin != "import"),
    )
    .select_from(Assignment)
    .join(Grade, newest(Grade, Assignment))
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(
        Level,
        and_(Level.project_id == Grade.project_id, Level.rubric_id == Grade.rubric_id, Level.number == Grade.level),
    )
    .where(IS_OWN, IS_NEWEST)
    .order_by(Grade.given_at.desc(), Assignment.place.desc())
    .limit(bindparam("limit"))
)
OWN_ROUNDS = (
    select(
        Round.id,
        Round.number,
        Round.kind,
        Round.opened_at,
        Round.closed_at,
        func.count(),
        func.sum(case((Assignment.revision > 0, 1), else_=0)),
    )
    .join(Assignment, and_(Assignment.project_id == Round.project_id, Assignment.round_id == Round.id))
    .where(IS_OWN)
    .group_by(Round.id, Round.number, Round.kind, Round.opened_at, Round.closed_at)
    .order_by(Round.closed_at.is_(None).desc(), Round.number)
)
OWN_LEVELS = (
    select(Level.number)
    .join(Round, and_(Round.project_id == Level.project_id, Round.rubric_id == Level.rubric_id))
    .where(
        Level.project_id == bindparam("project"),
        select(Assignment.id).where(IS_OWN, Assignment.round_id == Round.id).exists(),
    )
    .distinct()
    .order_by(Level.number)
)
