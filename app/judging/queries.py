"""Selects over rounds and grades; what agreement, adjudication and releases stand on is here too."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, cast, exists, func, select
from sqlalchemy.orm import Session, aliased

from app.corpora.models import Document, Query
from app.db import Bytewise
from app.errors import NotThere
from app.judging.models import Assignment, Deal, Grade, Round
from app.pools.models import Pair
from app.projects.models import Member, Project
from app.rubrics.models import Rubric


class TwiceJudged(NamedTuple):
    """A pair asked of two labellers, and what each of them gave. Neither level nor reason: not graded yet."""

    query_id: str
    qid: str
    pair_id: str
    docno: str
    labeller_a: str
    """Member id. Within a couple `a` is always the one whose name comes first by bytes."""
    labeller_b: str
    level_a: int | None
    level_b: int | None
    reason_a: str | None
    reason_b: str | None
    rationale_a: str | None
    rationale_b: str | None


class CurrentGrade(NamedTuple):
    """The newest grade of an assignment."""

    query_id: str
    qid: str
    pair_id: str
    docno: str
    labeller_id: str
    seat: int
    """1: the query's primary labeller in that round."""
    round_number: int
    round_kind: str
    level: int | None
    reason: str | None
    rationale: str
    text_hash: str
    rubric_id: str
    origin: str
    given_at: datetime


class Progress(NamedTuple):
    """How much of something is graded."""

    id: str
    name: str
    pairs: int
    graded: int


class RoundProgress(NamedTuple):
    """A round, how many queries it deals, and how many of the grades it asks for are given."""

    round: Round
    queries: int
    pairs: int
    graded: int


def find_round(session: Session, project: Project, round_id: str) -> Round:
    """NotThere where the project has no such round."""
    found = session.get(Round, (project.id, round_id))
    if found is None:
        raise NotThere
    return found


# What agreement and releases read


def doubly_judged(session: Session, project_id: str, family: int) -> Sequence[TwiceJudged]:
    """Every pair that two labellers were asked in rounds of the rubric family, imported ones included, by qid and
    docno as bytes; a pair asked of three people is three rows. Nothing is left out here: a row may hold a reason
    instead of a level, or neither.
    """
    return [TwiceJudged._make(row) for row in session.execute(DOUBLY_JUDGED, {"project": project_id, "family": family})]


def current_grades(session: Session, project_id: str, family: int) -> Sequence[CurrentGrade]:
    """The newest grade of every assignment that has one, in rounds of the rubric family, by qid, docno and name."""
    return [
        CurrentGrade._make(row) for row in session.execute(CURRENT_GRADES, {"project": project_id, "family": family})
    ]


def count_ungraded(session: Session, project_id: str, family: int) -> dict[str, int]:
    """Pairs asked of two labellers that one has not graded yet, by that one's member id; never 0."""
    rows = session.execute(UNGRADED, {"project": project_id, "family": family})
    return dict(rows.all())


def grades_by_origin(session: Session, round_: Round) -> dict[str, int]:
    """How many grades came in by browser, api and import; every press counts, changed ones too."""
    given = (
        select(Grade.origin, func.count())
        .join(Assignment, and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id))
        .where(Grade.project_id == round_.project_id, Assignment.round_id == round_.id)
    )
    return dict(session.execute(given.group_by(Grade.origin)).all())


# Progress of a round


IS_GRADED = case((Assignment.revision > 0, 1), else_=0)


def progress_by_labeller(session: Session, round_: Round) -> Sequence[Progress]:
    """By name."""
    rows = (
        select(Member.id, Member.name, func.count(), func.sum(IS_GRADED))
        .join(Assignment, and_(Assignment.project_id == Member.project_id, Assignment.labeller_id == Member.id))
        .where(Assignment.project_id == round_.project_id, Assignment.round_id == round_.id)
        .group_by(Member.id, Member.name)
        .order_by(cast(Member.name, Bytewise))
    )
    return [Progress(*row) for row in session.execute(rows)]


def progress_by_round(session: Session, project: Project) -> Sequence[RoundProgress]:
    """Every round, newest first."""
    counted = (
        select(
            Assignment.round_id,
            func.count().label("pairs"),
            func.sum(IS_GRADED).label("graded"),
        )
        .where(Assignment.project_id == project.id)
        .group_by(Assignment.round_id)
        .subquery()
    )
    queries = (
        select(func.count(Deal.query_id.distinct()))
        .where(Deal.project_id == Round.project_id, Deal.round_id == Round.id)
        .scalar_subquery()
    )
    rows = (
        select(Round, queries, counted.c.pairs, counted.c.graded)
        .join(counted, counted.c.round_id == Round.id)
        .where(Round.project_id == project.id)
        .order_by(Round.number.desc())
    )
    return [RoundProgress._make(row) for row in session.execute(rows)]


def progress_by_query(session: Session, round_: Round) -> dict[str, list[Progress]]:
    """Labellers of each query, the primary first, by qid."""
    counted = (
        select(Assignment.deal_id, func.count().label("pairs"), func.sum(IS_GRADED).label("graded"))
        .where(Assignment.project_id == round_.project_id, Assignment.round_id == round_.id)
        .group_by(Assignment.deal_id)
        .subquery()
    )
    rows = (
        select(Query.qid, Member.id, Member.name, counted.c.pairs, counted.c.graded)
        .select_from(Deal)
        .join(counted, counted.c.deal_id == Deal.id)
        .join(Query, and_(Query.project_id == Deal.project_id, Query.id == Deal.query_id))
        .join(Member, and_(Member.project_id == Deal.project_id, Member.id == Deal.labeller_id))
        .where(Deal.project_id == round_.project_id, Deal.round_id == round_.id)
        .order_by(Query.qid, Deal.seat)
    )
    queries: dict[str, list[Progress]] = {}
    for qid, *progress in session.execute(rows):
        queries.setdefault(qid, []).append(Progress(*progress))
    return queries


def count_changed(session: Session, round_: Round) -> int:
    """Pairs whose newest grade was given here on a text that the document does not have any more."""
    return (
        session.scalar(
            select(func.count())
            .select_from(Assignment)
            .join(Grade, newest(Grade, Assignment))
            .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
            .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
            .where(
                Assignment.project_id == round_.project_id,
                Assignment.round_id == round_.id,
                Grade.text_hash != Document.text_hash,
            )
        )
        or 0
    )


# Statements, built once: the agreement of a hundred thousand grades is read in one of them.


OF_FAMILY = (
    select(Round.id)
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .where(Round.project_id == bindparam("project"), Rubric.family == bindparam("family"))
)


def twice_judged() -> Select[*tuple[Any, ...]]:
    first, second = aliased(Assignment), aliased(Assignment)
    member_a, member_b = aliased(Member), aliased(Member)
    grade_a, grade_b = aliased(Grade), aliased(Grade)
    name_a, name_b = cast(member_a.name, Bytewise), cast(member_b.name, Bytewise)
    return (
        select(
            Query.id,
            Query.qid,
            Pair.id,
            Document.docno,
            first.labeller_id,
            second.labeller_id,
            grade_a.level,
            grade_b.level,
            grade_a.reason,
            grade_b.reason,
            grade_a.rationale,
            grade_b.rationale,
        )
        .select_from(first)
        .join(second, and_(second.project_id == first.project_id, second.pair_id == first.pair_id))
        .join(member_a, and_(member_a.project_id == first.project_id, member_a.id == first.labeller_id))
        .join(member_b, and_(member_b.project_id == second.project_id, member_b.id == second.labeller_id))
        .join(Pair, and_(Pair.project_id == first.project_id, Pair.id == first.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .outerjoin(grade_a, newest(grade_a, first))
        .outerjoin(grade_b, newest(grade_b, second))
        .where(
            first.project_id == bindparam("project"),
            first.round_id.in_(OF_FAMILY),
            second.round_id.in_(OF_FAMILY),
            name_a < name_b,
        )
        .order_by(Query.qid, Document.docno, name_a, name_b)
    )


def newest(grade: type[Grade], assignment: type[Assignment]) -> ColumnElement[bool]:
    """That `grade` is the one that counts: the revision of an assignment is the number of its grades."""
    return and_(
        grade.project_id == assignment.project_id,
        grade.assignment_id == assignment.id,
        grade.revision == assignment.revision,
    )


DOUBLY_JUDGED = twice_judged()
CURRENT_GRADES = (
    select(
        Query.id,
        Query.qid,
        Pair.id,
        Document.docno,
        Assignment.labeller_id,
        Deal.seat,
        Round.number,
        Round.kind,
        Grade.level,
        Grade.reason,
        Grade.rationale,
        Grade.text_hash,
        Grade.rubric_id,
        Grade.origin,
        Grade.given_at,
    )
    .select_from(Assignment)
    .join(Grade, newest(Grade, Assignment))
    .join(Deal, and_(Deal.project_id == Assignment.project_id, Deal.id == Assignment.deal_id))
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Member, and_(Member.project_id == Assignment.project_id, Member.id == Assignment.labeller_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(Assignment.project_id == bindparam("project"), Assignment.round_id.in_(OF_FAMILY))
    .order_by(Query.qid, Document.docno, Round.number, cast(Member.name, Bytewise))
)
Other = aliased(Assignment)
UNGRADED = (
    select(Assignment.labeller_id, func.count())
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        Assignment.revision == 0,
        exists().where(
            Other.project_id == Assignment.project_id,
            Other.pair_id == Assignment.pair_id,
            Other.labeller_id != Assignment.labeller_id,
            Other.round_id.in_(OF_FAMILY),
        ),
    )
    .group_by(Assignment.labeller_id)
)
