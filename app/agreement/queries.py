"""Selects over what labellers gave in one rubric family, and over what people read of a pair.

A labeller who graded a pair in two rounds of the family gave one grade of it: that of the later round.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.agreement.models import Decision
from app.corpora.models import Document, Query
from app.judging.models import IS_JUDGING, Assignment, Grade, Round
from app.judging.queries import OF_FAMILY, newest
from app.pools.models import Pair
from app.projects.models import Member
from app.projects.queries import MACHINES


class PairGrade(NamedTuple):
    """What one labeller says of one pair: a level, a reason why it can't be judged, or (neither) nothing yet."""

    pair_id: str
    query_id: str
    labeller_id: str
    round_number: int
    grade_id: str | None
    level: int | None
    reason: str | None
    text_hash: str | None
    """Of the text that was graded."""

    @property
    def is_answered(self) -> bool:
        return self.grade_id is not None


def grades_of_family(session: Session, project_id: str, family: int) -> list[PairGrade]:
    """Every labeller's newest grade of every pair that was asked of them in the family, answered or not."""
    rows = session.connection().execute(_GRADES, {"project": project_id, "family": family})
    return counting(map(PairGrade._make, rows))


def grades_of_pair(session: Session, project_id: str, family: int, pair_id: str) -> list[PairGrade]:
    rows = session.execute(_OF_PAIR, {"project": project_id, "family": family, "pair_id": pair_id})
    return counting(map(PairGrade._make, rows))


def counting(grades: Iterable[PairGrade]) -> list[PairGrade]:
    """One for each pair and labeller: the later round's grade counts, and no answer only where there is none in any.
    Releases settle pairs by the same rule.
    """
    newest: dict[tuple[str, str], PairGrade] = {}
    for grade in grades:
        key = grade.pair_id, grade.labeller_id
        other = newest.get(key)
        if other is None or (grade.is_answered, grade.round_number) > (other.is_answered, other.round_number):
            newest[key] = grade
    return list(newest.values())


class State(NamedTuple):
    """Changes whenever something is asked, graded, decided, opened or closed in a family, and is quickly told."""

    asked: int
    pressed: int
    steps: int
    """Of adjudication."""
    rounds: int
    open_rounds: int

    @property
    def is_live(self) -> bool:
        return self.open_rounds > 0

    @property
    def version(self) -> str:
        return "-".join(map(str, self))


def state_of_family(session: Session, project_id: str, family: int) -> State:
    return State(*session.execute(_STATE, {"project": project_id, "family": family}).one())


def words_of_queries(session: Session, project_id: str) -> Mapping[str, str]:
    """Outside id → what was asked."""
    rows = session.execute(select(Query.qid, Query.text).where(Query.project_id == project_id))
    return {qid: text for qid, text in rows}  # noqa: C416 - mypy does not take rows for tuples.


@dataclass(frozen=True, slots=True)
class PairText:
    """What people read of a pair."""

    query_id: str
    qid: str
    query: str
    description: str
    narrative: str
    document_id: str
    docno: str
    title: str
    text: str
    url: str


def texts_of(session: Session, project_id: str, pair_ids: Collection[str]) -> dict[str, PairText]:
    """Pair id → its query and document, of the few pairs that a page shows."""
    rows = session.execute(_TEXTS, {"project": project_id, "pair_ids": list(pair_ids)})
    return {pair_id: PairText(*text) for pair_id, *text in rows}


def rationales_of(session: Session, project_id: str, grade_ids: Collection[str]) -> dict[str, str]:
    """Grade id → what the labeller wrote beside it, of the few grades that a page shows; empty where nothing."""
    rows = session.execute(
        select(Grade.id, Grade.rationale).where(Grade.project_id == project_id, Grade.id.in_(grade_ids))
    )
    return {grade_id: rationale for grade_id, rationale in rows}  # noqa: C416 - mypy does not take rows for tuples.


def names_of(session: Session, project_id: str, labeller_ids: Collection[str]) -> dict[str, str]:
    """Member id → name, of those who have left too, in the order of the names' characters."""
    members = session.execute(select(Member.id, Member.name).where(Member.project_id == project_id))
    named = {id_: name for id_, name in members if id_ in labeller_ids}
    return dict(sorted(named.items(), key=lambda member: member[1]))


def docnos_of(session: Session, project_id: str) -> Mapping[str, str]:
    """Pair id → the document's outside id."""
    rows = session.execute(
        select(Pair.id, Document.docno)
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Pair.project_id == project_id)
    )
    return {id_: docno for id_, docno in rows}  # noqa: C416 - mypy does not take rows for tuples.


def qids_of(session: Session, project_id: str) -> Mapping[str, str]:
    """Query id → outside id."""
    rows = session.execute(select(Query.id, Query.qid).where(Query.project_id == project_id))
    return {id_: qid for id_, qid in rows}  # noqa: C416 - mypy does not take rows for tuples.


COUNTED = (
    Assignment.project_id == bindparam("project"),
    Assignment.round_id.in_(OF_FAMILY),
    IS_JUDGING,
    Assignment.labeller_id.is_not(None),
    Assignment.labeller_id.not_in(MACHINES),
)
"""What was asked of somebody in rounds of the family; checks and programs count nowhere."""
_GRADES: Select[*tuple[Any, ...]] = (
    select(
        Assignment.pair_id,
        Pair.query_id,
        Assignment.labeller_id,
        Round.number,
        Grade.id,
        Grade.level,
        Grade.reason,
        Grade.text_hash,
    )
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(*COUNTED)
)
_OF_PAIR = _GRADES.where(Assignment.pair_id == bindparam("pair_id"))
_TEXTS: Select[*tuple[Any, ...]] = (
    select(
        Pair.id,
        Query.id,
        Query.qid,
        Query.text,
        Query.description,
        Query.narrative,
        Document.id,
        Document.docno,
        Document.title,
        Document.text,
        Document.url,
    )
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(Pair.project_id == bindparam("project"), Pair.id.in_(bindparam("pair_ids", expanding=True)))
)
_DECIDED = (Decision.project_id == bindparam("project"), Decision.family == bindparam("family"))
_ROUNDS = select(func.count()).where(Round.project_id == bindparam("project"), Round.id.in_(OF_FAMILY))
_STATE: Select[*tuple[Any, ...]] = select(
    func.count(),
    func.coalesce(func.sum(Assignment.revision), 0),
    select(func.count()).where(*_DECIDED).scalar_subquery(),
    _ROUNDS.scalar_subquery(),
    _ROUNDS.where(Round.closed_at.is_(None)).scalar_subquery(),
).where(*COUNTED)
