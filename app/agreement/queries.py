"""Selects over what labellers gave in one rubric family, and over what was decided where they differ.

A labeller who graded a pair in two rounds of the family gave one grade of it: that of the later round.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from app.agreement.models import Decision
from app.corpora.models import Document, Query
from app.judging.models import Assignment, Grade, Round
from app.pools.models import Pair
from app.projects.models import Member
from app.rubrics.models import Rubric


@dataclass(frozen=True, slots=True)
class PairGrade:
    """What one labeller says of one pair: a level, a reason why it can't be judged, or (neither) nothing yet."""

    pair_id: str
    query_id: str
    labeller_id: str
    round_number: int
    grade_id: str | None
    level: int | None
    reason: str | None

    @property
    def is_answered(self) -> bool:
        return self.grade_id is not None


@dataclass(frozen=True, slots=True)
class DifferingPair:
    """A pair whose labellers differ: in level, or in whether it can be judged at all."""

    pair_id: str
    qid: str
    docno: str
    grades: tuple[PairGrade, ...]
    """At least two, all answered."""

    @property
    def labeller_ids(self) -> frozenset[str]:
        return frozenset(grade.labeller_id for grade in self.grades)

    @property
    def levels(self) -> tuple[int, ...]:
        return tuple(grade.level for grade in self.grades if grade.level is not None)


def grades_of_family(session: Session, project_id: str, family: int) -> list[PairGrade]:
    """Every labeller's newest grade of every pair that was asked of them in the family, answered or not."""
    rows = session.execute(_GRADES, {"project_id": project_id, "family": family})
    return [PairGrade(*row) for row in rows]


def differing_pairs(session: Session, project_id: str, family: int) -> list[DifferingPair]:
    """Every pair of the family on which its labellers' newest grades differ, in no order that means anything.

    A labeller who has not answered yet is no party. Two who both could not judge it do not differ.
    """
    rows = session.execute(_DIFFERING, {"project_id": project_id, "family": family})
    grades: defaultdict[tuple[str, str, str], list[PairGrade]] = defaultdict(list)
    for row in rows:
        *grade, qid, docno = row
        grades[row.pair_id, qid, docno].append(PairGrade(*grade))
    return [DifferingPair(*pair, grades=tuple(given)) for pair, given in grades.items()]


def differing_pair(session: Session, project_id: str, family: int, pair_id: str) -> DifferingPair | None:
    """That pair, if its labellers differ."""
    rows = session.execute(_OF_PAIR, {"project_id": project_id, "family": family, "pair_id": pair_id})
    grades = tuple(grade for row in rows if (grade := PairGrade(*row)).is_answered)
    if not is_differing(grades):
        return None
    qid, docno = session.execute(_OUTSIDE_IDS, {"project_id": project_id, "pair_id": pair_id}).one()
    return DifferingPair(pair_id, qid, docno, grades)


def is_differing(grades: Iterable[PairGrade]) -> bool:
    """Whether answered grades of one pair need a third person: not where all levels, or all refusals, are one."""
    return len({grade.level for grade in grades if grade.is_answered}) > 1


def decisions_of(session: Session, project_id: str, family: int) -> dict[str, Decision]:
    """Pair id → the decision that was not taken back. It counts only while the pair is one of `differing_pairs`."""
    steps = session.scalars(
        select(Decision)
        .where(Decision.project_id == project_id, Decision.family == family, Decision.step != "blind")
        .order_by(Decision.revision)
    )
    newest = {step.pair_id: step for step in steps}
    return {pair_id: step for pair_id, step in newest.items() if step.step == "decided"}


def steps_of(session: Session, project_id: str, family: int, pair_id: str | None = None) -> dict[str, list[Decision]]:
    """Pair id → every step of its adjudication, oldest first; of one pair, or of all that have any."""
    asked = select(Decision).where(Decision.project_id == project_id, Decision.family == family)
    if pair_id is not None:
        asked = asked.where(Decision.pair_id == pair_id)
    steps: defaultdict[str, list[Decision]] = defaultdict(list)
    for step in session.scalars(asked.order_by(Decision.revision)):
        steps[step.pair_id].append(step)
    return steps


def names_of(session: Session, project_id: str, labeller_ids: Collection[str]) -> dict[str, str]:
    """Member id → name, of those who have left too, in the order of the names' characters."""
    members = session.execute(select(Member.id, Member.name).where(Member.project_id == project_id))
    named = {id_: name for id_, name in members if id_ in labeller_ids}
    return dict(sorted(named.items(), key=lambda member: member[1]))


def qids_of(session: Session, project_id: str) -> Mapping[str, str]:
    """Query id → outside id."""
    rows = session.execute(select(Query.id, Query.qid).where(Query.project_id == project_id))
    return {id_: qid for id_, qid in rows}  # noqa: C416 - mypy does not take rows for tuples.


def rubrics_of(session: Session, project_id: str) -> Sequence[Rubric]:
    """Every published version, newest first: the first one's family is the one being worked on."""
    return session.scalars(
        select(Rubric)
        .where(Rubric.project_id == project_id, Rubric.published_at.is_not(None))
        .order_by(Rubric.number.desc())
    ).all()


# A pair that was asked of one labeller in two rounds has two assignments; place 1 is the one that counts: the later
# round's grade, and an unanswered one only where there is no grade at all. Releases settle pairs by the same rule.
_NEWEST = (
    select(
        Assignment.pair_id,
        Pair.query_id,
        Assignment.labeller_id,
        Round.number,
        Grade.id.label("grade_id"),
        Grade.level,
        Grade.reason,
        func.row_number()
        .over(
            partition_by=(Assignment.pair_id, Assignment.labeller_id),
            order_by=(case((Grade.id.is_(None), 1), else_=0), Round.number.desc()),
        )
        .label("place"),
    )
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .outerjoin(
        Grade,
        and_(
            Grade.project_id == Assignment.project_id,
            Grade.assignment_id == Assignment.id,
            Grade.revision == Assignment.revision,
        ),
    )
    .where(Assignment.project_id == bindparam("project_id"), Rubric.family == bindparam("family"))
    .cte("newest")
)
_GRADES: Select[Any] = select(
    _NEWEST.c.pair_id,
    _NEWEST.c.query_id,
    _NEWEST.c.labeller_id,
    _NEWEST.c.number,
    _NEWEST.c.grade_id,
    _NEWEST.c.level,
    _NEWEST.c.reason,
).where(_NEWEST.c.place == 1)
_OF_PAIR = _GRADES.where(_NEWEST.c.pair_id == bindparam("pair_id"))
_DIFFERENT = (
    select(_NEWEST.c.pair_id)
    .where(_NEWEST.c.place == 1, _NEWEST.c.grade_id.is_not(None))
    .group_by(_NEWEST.c.pair_id)
    .having(
        or_(
            func.min(_NEWEST.c.level) < func.max(_NEWEST.c.level),
            and_(func.count(_NEWEST.c.level) > 0, func.count(_NEWEST.c.reason) > 0),
        )
    )
    .subquery("different")
)
_DIFFERING = (
    _GRADES.join(_DIFFERENT, _DIFFERENT.c.pair_id == _NEWEST.c.pair_id)
    .join(Query, and_(Query.project_id == bindparam("project_id"), Query.id == _NEWEST.c.query_id))
    .join(Pair, and_(Pair.project_id == Query.project_id, Pair.id == _NEWEST.c.pair_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(_NEWEST.c.grade_id.is_not(None))
    .add_columns(Query.qid, Document.docno)
)
_OUTSIDE_IDS = (
    select(Query.qid, Document.docno)
    .join(Pair, and_(Pair.project_id == Query.project_id, Pair.query_id == Query.id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(Pair.project_id == bindparam("project_id"), Pair.id == bindparam("pair_id"))
)
