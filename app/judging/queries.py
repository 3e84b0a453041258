"""Selects over rounds and their progress."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, cast, func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import Bytewise
from app.errors import NotThere
from app.judging.models import IS_JUDGING, Assignment, Deal, Grade, Round
from app.pools.models import Pair
from app.projects.models import Member, Project
from app.rubrics.models import Rubric


class Progress(NamedTuple):
    """How much of something is graded."""

    id: str
    name: str
    pairs: int
    graded: int


class Place(NamedTuple):
    """A place at a query, or what became of a part of it: who has it, if anybody, and how much is graded."""

    deal_id: str
    labeller_id: str | None
    name: str | None
    seat: int
    pairs: int
    graded: int


class RoundProgress(NamedTuple):
    """A round, how many queries and pairs it deals, and how many of the grades that it asks for are given."""

    round: Round
    queries: int
    pairs: int
    assignments: int
    graded: int

    @property
    def is_whole(self) -> bool:
        return self.graded == self.assignments

    @property
    def is_open(self) -> bool:
        return self.round.closed_at is None


def find_round(session: Session, project: Project, round_id: str) -> Round:
    """NotThere where the project has no such round."""
    found = session.get(Round, (project.id, round_id))
    if found is None:
        raise NotThere
    return found


def family_of(session: Session, round_: Round) -> int:
    """Its rubric's."""
    return session.get_one(Rubric, (round_.project_id, round_.rubric_id)).family


def grades_by_origin(session: Session, round_: Round) -> dict[str, int]:
    """How many grades came in by browser, api and import; every press counts, changed ones too."""
    given = (
        select(Grade.origin, func.count())
        .join(Assignment, and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id))
        .where(Grade.project_id == round_.project_id, Assignment.round_id == round_.id)
    )
    return dict(session.execute(given.group_by(Grade.origin)).all())


class Held(NamedTuple):
    """What a version of the rubric holds: rounds under it, and grades; of a pair graded again, each press."""

    rounds: int
    grades: int


def held_by_version(session: Session, project_id: str) -> dict[str, Held]:
    """By rubric id; versions without a round are not in it."""
    of_rounds = select(Round.rubric_id, func.count()).where(Round.project_id == project_id).group_by(Round.rubric_id)
    of_grades = select(Grade.rubric_id, func.count()).where(Grade.project_id == project_id).group_by(Grade.rubric_id)
    grades = dict(session.execute(of_grades).all())
    return {rubric_id: Held(rounds, grades.get(rubric_id, 0)) for rubric_id, rounds in session.execute(of_rounds)}


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


MEDIAN_FROM = 10
"""Grades. The middle of fewer times says little."""


def seconds_by_labeller(session: Session, round_: Round) -> dict[str, float]:
    """The median of the active seconds that a pair took at the desk, by member; left out where few were measured."""
    measured = (
        select(Assignment.labeller_id, Grade.active_ms)
        .join(Grade, OF_ASSIGNMENT)
        .where(
            Assignment.project_id == round_.project_id,
            Assignment.round_id == round_.id,
            Grade.active_ms.is_not(None),
        )
    )
    times: dict[str, list[int]] = {}
    for labeller_id, active_ms in session.execute(measured):
        times.setdefault(labeller_id or "", []).append(active_ms or 0)
    return {member: median(ms) / 1000 for member, ms in times.items() if len(ms) >= MEDIAN_FROM}


def progress_of(session: Session, round_: Round) -> RoundProgress:
    return RoundProgress._make(session.execute(by_round(round_.project_id).where(Round.id == round_.id)).one())


def progress_by_round(session: Session, project: Project) -> Sequence[RoundProgress]:
    """Every round, newest first."""
    return [RoundProgress._make(row) for row in session.execute(by_round(project.id))]


def progress_of_family(session: Session, project: Project, family: int) -> Sequence[RoundProgress]:
    """The rounds of a rubric family, newest first."""
    rounds = by_round(project.id).where(Round.id.in_(OF_FAMILY))
    return [RoundProgress._make(row) for row in session.execute(rounds, {"project": project.id, "family": family})]


def by_round(project_id: str) -> Select[Round, int, int, int, int]:
    counted = (
        select(
            Assignment.round_id,
            func.count(Assignment.pair_id.distinct()).filter(IS_JUDGING).label("pairs"),
            func.count().label("assignments"),
            func.sum(IS_GRADED).label("graded"),
        )
        .where(Assignment.project_id == project_id)
        .group_by(Assignment.round_id)
        .subquery()
    )
    queries = (
        select(func.count(Deal.query_id.distinct()))
        .where(Deal.project_id == Round.project_id, Deal.round_id == Round.id, Deal.purpose == "judging")
        .scalar_subquery()
    )
    return (
        select(Round, queries, counted.c.pairs, counted.c.assignments, counted.c.graded)
        .join(counted, counted.c.round_id == Round.id)
        .where(Round.project_id == project_id)
        .order_by(Round.number.desc())
    )


def progress_by_query(session: Session, round_: Round) -> dict[str, list[Place]]:
    """The places at each query by qid, the primary's first."""
    counted = (
        select(Assignment.deal_id, func.count().label("pairs"), func.sum(IS_GRADED).label("graded"))
        .where(Assignment.project_id == round_.project_id, Assignment.round_id == round_.id)
        .group_by(Assignment.deal_id)
        .subquery()
    )
    rows = (
        select(Query.qid, Deal.id, Member.id, Member.name, Deal.seat, counted.c.pairs, counted.c.graded)
        .select_from(Deal)
        .join(counted, counted.c.deal_id == Deal.id)
        .join(Query, and_(Query.project_id == Deal.project_id, Query.id == Deal.query_id))
        .outerjoin(Member, and_(Member.project_id == Deal.project_id, Member.id == Deal.labeller_id))
        .where(Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.purpose == "judging")
        .order_by(Query.qid, Deal.seat, Deal.labeller_id.is_(None), Deal.place)
    )
    queries: dict[str, list[Place]] = {}
    for qid, *place in session.execute(rows):
        queries.setdefault(qid, []).append(Place(*place))
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
                Grade.origin != "import",
            )
        )
        or 0
    )


# What statements are made of


OF_FAMILY = (
    select(Round.id)
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .where(Round.project_id == bindparam("project"), Rubric.family == bindparam("family"))
)


OF_ASSIGNMENT = and_(Grade.project_id == Assignment.project_id, Grade.assignment_id == Assignment.id)
"""Every grade of the assignment, those among them that were followed by others."""


def newest(grade: type[Grade], assignment: type[Assignment]) -> ColumnElement[bool]:
    """That `grade` is the one that counts: the revision of an assignment is the number of its grades."""
    return and_(
        grade.project_id == assignment.project_id,
        grade.assignment_id == assignment.id,
        grade.revision == assignment.revision,
    )
