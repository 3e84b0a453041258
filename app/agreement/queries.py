"""Selects over what labellers gave in one rubric family, and over what people read of a pair.

A labeller who graded a pair in two rounds of the family gave one grade of it: that of the later round.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from app.corpora.models import Document, Query
from app.judging.models import IS_JUDGING, Assignment, Deal, Grade, Round
from app.judging.queries import OF_ASSIGNMENT, OF_FAMILY, newest
from app.pools.models import Pair
from app.prepared import Prepared
from app.projects.models import Member
from app.projects.queries import MACHINES

ROWS_A_PART = 1000
FIRST = 1
"""The revision of an assignment's first grade."""


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


class Asked(NamedTuple):
    """The same of many, a column for each field of `PairGrade`."""

    pair_id: Sequence[str]
    query_id: Sequence[str]
    labeller_id: Sequence[str]
    round_number: Sequence[int]
    grade_id: Sequence[str | None]
    level: Sequence[int | None]
    reason: Sequence[str | None]
    text_hash: Sequence[str | None]


def asked_in_round(session: Session, project_id: str, round_id: str, number: int) -> Asked:
    """Every labeller's newest grade of every pair that was asked of them in the round, answered or not."""
    return asked_by(_ASKED, session, {"project": project_id, "round": round_id}, number)


def asked_before(session: Session, project_id: str, round_id: str, number: int, *, until: datetime) -> Asked:
    """The same as it stood at a moment: of what is asked today, whatever had been given before it."""
    return asked_by(_ASKED_BEFORE, session, {"project": project_id, "round": round_id, "until": until}, number)


def asked_at_first(session: Session, project_id: str, round_id: str, number: int) -> Asked:
    """The same with every labeller's first grade of a pair, whatever they changed it to."""
    return asked_by(_ASKED_AT_FIRST, session, {"project": project_id, "round": round_id}, number)


def asked_by(statement: Prepared, session: Session, named: Mapping[str, Any], number: int) -> Asked:
    queries = {deal_id: query_id for deal_id, query_id in session.execute(_DEALT, named)}  # noqa: C416
    columns: list[list[Any]] = [[] for _ in _ASKED_COLUMNS]
    for part in statement.parts(session, named, rows=ROWS_A_PART):
        for at, column in enumerate(columns):
            column += [row[at] for row in part]
    pairs, deals, labellers, *answers = columns
    return Asked(pairs, [queries[deal] for deal in deals], labellers, [number] * len(pairs), *answers)


def grades_of_pair(session: Session, project_id: str, family: int, pair_id: str) -> list[PairGrade]:
    """What each labeller said of it; the later round's grade counts, and no answer only where there is none in any."""
    rows = session.execute(_OF_PAIR, {"project": project_id, "family": family, "pair_id": pair_id})
    grades = sorted(map(PairGrade._make, rows), key=lambda grade: (grade.is_answered, grade.round_number))
    return list({grade.labeller_id: grade for grade in grades}.values())


class RoundMark(NamedTuple):
    """What changes whenever anything is asked or graded in a round, and is quickly told."""

    round_id: str
    number: int
    opened_at: datetime
    closed_at: datetime | None
    asked: int
    taken: int
    """Of what is asked, how much has a labeller."""
    graded: int
    pressed: int

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def is_whole(self) -> bool:
        return self.graded == self.asked


def imported_rounds(session: Session, project_id: str) -> list[int]:
    """Numbers of the rounds whose grades were brought in."""
    return list(session.scalars(_IMPORTED, {"project": project_id}))


def marks_of_family(session: Session, project_id: str, family: int) -> list[RoundMark]:
    rows = session.execute(_MARKS, {"project": project_id, "family": family})
    return [RoundMark._make(row) for row in rows]


@dataclass(frozen=True, slots=True)
class PairText:
    """What people read of a pair."""

    query_id: str
    qid: str
    query: str
    query_lang: str
    description: str
    narrative: str
    document_id: str
    docno: str
    title: str
    text: str
    url: str
    html: str
    lang: str
    shown_fields: list[list[str]]


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


def labellers_of(session: Session, project_id: str) -> dict[str, str]:
    """Member id → name of all who are no programs, as `names_of` has them."""
    members = session.execute(
        select(Member.id, Member.name).where(Member.project_id == project_id, Member.is_machine.is_(False))
    )
    return dict(sorted(((id_, name) for id_, name in members), key=lambda member: member[1]))


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
_ANSWER = (Grade.id, Grade.level, Grade.reason, Grade.text_hash)
# The deal names the query: there are a thousandth as many as pairs.
_ASKED_COLUMNS = (Assignment.pair_id, Assignment.deal_id, Assignment.labeller_id, *_ANSWER)


def _asked_with(is_wanted: ColumnElement[bool]) -> Prepared:
    """What was asked in a round, with the grade of each assignment that is wanted."""
    return Prepared(
        select(*_ASKED_COLUMNS)
        .outerjoin(Grade, is_wanted)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.round_id == bindparam("round"),
            IS_JUDGING,
            Assignment.labeller_id.is_not(None),
        )
    )


def _newest_before() -> ColumnElement[int]:
    earlier = aliased(Grade)
    return (
        select(func.max(earlier.revision))
        .where(
            earlier.project_id == Assignment.project_id,
            earlier.assignment_id == Assignment.id,
            earlier.given_at < bindparam("until", type_=Grade.given_at.type),
        )
        .correlate(Assignment)
        .scalar_subquery()
    )


_ASKED = _asked_with(newest(Grade, Assignment))
_ASKED_AT_FIRST = _asked_with(and_(OF_ASSIGNMENT, Grade.revision == FIRST))
_ASKED_BEFORE = _asked_with(and_(OF_ASSIGNMENT, Grade.revision == _newest_before()))
_DEALT = select(Deal.id, Deal.query_id).where(
    Deal.project_id == bindparam("project"), Deal.round_id == bindparam("round")
)
_OF_PAIR: Select[*tuple[Any, ...]] = (
    select(Assignment.pair_id, Pair.query_id, Assignment.labeller_id, Round.number, *_ANSWER)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(*COUNTED, Assignment.pair_id == bindparam("pair_id"))
)
_TEXTS: Select[*tuple[Any, ...]] = (
    select(
        Pair.id,
        Query.id,
        Query.qid,
        Query.text,
        Query.lang,
        Query.description,
        Query.narrative,
        Document.id,
        Document.docno,
        Document.title,
        Document.text,
        Document.url,
        Document.html,
        Document.lang,
        Document.shown_fields,
    )
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(Pair.project_id == bindparam("project"), Pair.id.in_(bindparam("pair_ids", expanding=True)))
)
_IMPORTED = select(Round.number).where(Round.project_id == bindparam("project"), Round.kind == "imported")
_MARKS: Select[*tuple[Any, ...]] = (
    # Whole from an index: it counts what is no judging too, which does no harm.
    select(
        Round.id,
        Round.number,
        Round.opened_at,
        Round.closed_at,
        func.count(Assignment.round_id),
        func.count(Assignment.labeller_id),
        func.count(Assignment.revision).filter(Assignment.revision > 0),
        func.coalesce(func.sum(Assignment.revision), 0),
    )
    .outerjoin(Assignment, and_(Assignment.project_id == Round.project_id, Assignment.round_id == Round.id))
    .where(Round.project_id == bindparam("project"), Round.id.in_(OF_FAMILY))
    .group_by(Round.id, Round.number, Round.opened_at, Round.closed_at)
    .order_by(Round.number)
)
