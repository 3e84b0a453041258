"""Selects over what labellers gave in one rubric family, and over what was decided where they differ.

A labeller who graded a pair in two rounds of the family gave one grade of it: that of the later round.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Select, Subquery, and_, bindparam, func, not_, or_, select
from sqlalchemy.orm import Session

from app.agreement.models import Decision
from app.corpora.models import Document, Query
from app.judging.models import IS_JUDGING, Assignment, Grade, Round
from app.pools.models import Pair
from app.projects.models import Member, Project
from app.projects.queries import MACHINES
from app.rubrics.models import Rubric


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


UNCLEAR = "query unclear"
"""Why a pair can't be judged that a lead can see to; a REASON of the desk."""
AUDITED = 0.05
"""The share of agreed pairs that a third person looks at all the same."""


@dataclass(frozen=True, slots=True)
class DifferingPair:
    """A pair for a third person: its labellers differ, in level or in whether it can be judged at all, or nobody could
    and the query is unclear, or they agree and it is in the audit sample.
    """

    pair_id: str
    qid: str
    docno: str
    lowest: int
    highest: int
    refusals: int
    """How many of them could not judge it."""
    own: int
    """Grades of it by the member who asks: not for them to adjudicate."""
    is_audit: bool = False
    """Which of the queue is one is told to nobody before they have graded it."""

    @property
    def is_by_one(self) -> bool:
        return not self.refusals and self.highest - self.lowest == 1


def grades_of_family(session: Session, project_id: str, family: int) -> list[PairGrade]:
    """Every labeller's newest grade of every pair that was asked of them in the family, answered or not."""
    rows = session.connection().execute(_GRADES, {"project_id": project_id, "family": family})
    return counting(map(PairGrade._make, rows))


def grades_of_pair(session: Session, project_id: str, family: int, pair_id: str) -> list[PairGrade]:
    rows = session.execute(_OF_PAIR, {"project_id": project_id, "family": family, "pair_id": pair_id})
    return counting(map(PairGrade._make, rows))


def differing_pairs(
    session: Session, project_id: str, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """Every pair of the family on which its labellers' newest grades differ, in no order that means anything.

    A labeller who has not answered yet is no party. Two who both could not judge it do not differ.
    """
    rows = session.execute(_MIXED, {"project_id": project_id, "family": family, "member_id": member_id}).all()
    pairs = []
    for *row, given, labellers in rows:
        pair: DifferingPair | None = DifferingPair(*row)
        if given != labellers and pair is not None:
            # Somebody graded it in two rounds, and only one of those grades counts.
            pair = _counted_anew(pair, grades_of_pair(session, project_id, family, pair.pair_id))
        if pair is not None:
            pairs.append(pair)
    return pairs


def disputed_pairs(
    session: Session, project: Project, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """Those of `differing_pairs` that wait for a third person: not where the project has the primary labeller stand for
    differences of one level.
    """
    pairs = differing_pairs(session, project.id, family, member_id=member_id)
    return [pair for pair in pairs if not (project.primary_stands and pair.is_by_one)]


def audit_sample(
    session: Session, project_id: str, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """A twentieth of the pairs on which two people or more agree, drawn by the pairs' random ids. What is decided about
    them changes no judgment: it says how far agreement can be trusted.
    """
    named = {"project_id": project_id, "family": family, "member_id": member_id}
    size = int(AUDITED * (session.scalar(_COUNT_AGREED, named) or 0))
    rows = session.execute(_AUDITED, named | {"size": size}).all()
    return [replace(DifferingPair(*row), is_audit=True) for *row, _, _ in rows]


def count_refused(session: Session, project_id: str, family: int) -> int:
    """Pairs that two people or more were asked about and nobody could judge: there is nothing to decide between."""
    return session.scalar(_REFUSED, {"project_id": project_id, "family": family, "member_id": None}) or 0


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


class Said(Protocol):
    """What a labeller gave of a pair: a level, or a reason."""

    @property
    def level(self) -> int | None: ...
    @property
    def reason(self) -> str | None: ...


def is_differing(grades: Iterable[PairGrade]) -> bool:
    """Whether the answered grades of one pair need a third person."""
    return is_for_a_third_person([grade for grade in grades if grade.is_answered])


def is_for_a_third_person(given: Collection[Said]) -> bool:
    """Not where all levels, or all refusals, are one; but where two or more could not judge the pair because its query
    is unclear, which a lead can see to.
    """
    if any(grade.level is not None for grade in given):
        return len({grade.level for grade in given}) > 1
    return len(given) > 1 and any(grade.reason == UNCLEAR for grade in given)


def levels_said(grades: Iterable[PairGrade]) -> set[int | None]:
    """The levels of the answered grades, and None where somebody could not judge."""
    return {grade.level for grade in grades if grade.is_answered}


def is_one_apart(said: Collection[int | None]) -> bool:
    """Whether everybody gave a level, and the highest is one above the lowest."""
    levels = [level for level in said if level is not None]
    return len(levels) == len(said) > 1 and max(levels) - min(levels) == 1


def _counted_anew(pair: DifferingPair, grades: Iterable[PairGrade]) -> DifferingPair | None:
    answered = [grade for grade in grades if grade.is_answered]
    if not is_differing(answered):
        return None
    levels = [grade.level for grade in answered if grade.level is not None] or [0]
    refusals = sum(grade.reason is not None for grade in answered)
    return replace(pair, lowest=min(levels), highest=max(levels), refusals=refusals)


def decisions_of(session: Session, project_id: str, family: int) -> dict[str, Decision]:
    """Pair id → the decision that was not taken back. It counts only while the pair is for a third person."""
    steps = session.scalars(
        select(Decision)
        .where(Decision.project_id == project_id, Decision.family == family, Decision.step != "blind")
        .order_by(Decision.revision)
    )
    newest = {step.pair_id: step for step in steps}
    return {pair_id: step for pair_id, step in newest.items() if step.step == "decided"}


def last_decided_at(session: Session, project_id: str, family: int) -> datetime | None:
    """When a decision was taken or taken back last."""
    decided = (Decision.project_id == project_id, Decision.family == family, Decision.step != "blind")
    return session.scalar(select(func.max(Decision.decided_at)).where(*decided))


def steps_of(session: Session, project_id: str, family: int, pair_id: str | None = None) -> dict[str, list[Decision]]:
    """Pair id → every step of its adjudication, oldest first; of one pair, or of all that have any."""
    asked = select(Decision).where(Decision.project_id == project_id, Decision.family == family)
    if pair_id is not None:
        asked = asked.where(Decision.pair_id == pair_id)
    steps: defaultdict[str, list[Decision]] = defaultdict(list)
    for step in session.scalars(asked.order_by(Decision.revision)):
        steps[step.pair_id].append(step)
    return steps


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
    return State(*session.execute(_STATE, {"project_id": project_id, "family": family}).one())


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
    rows = session.execute(_TEXTS, {"project_id": project_id, "pair_ids": list(pair_ids)})
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


_NEWEST = and_(
    Grade.project_id == Assignment.project_id,
    Grade.assignment_id == Assignment.id,
    Grade.revision == Assignment.revision,
)
_OF_FAMILY = (
    select(Round.id)
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .where(Round.project_id == bindparam("project_id"), Rubric.family == bindparam("family"))
)
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
    .outerjoin(Grade, _NEWEST)
    .where(
        Assignment.project_id == bindparam("project_id"),
        Assignment.round_id.in_(_OF_FAMILY),
        IS_JUDGING,
        Assignment.labeller_id.is_not(None),
        Assignment.labeller_id.not_in(MACHINES),
    )
)
_OF_PAIR = _GRADES.where(Assignment.pair_id == bindparam("pair_id"))
_IN_PAIR = (
    select(
        Assignment.pair_id,
        func.coalesce(func.min(Grade.level), 0).label("lowest"),
        func.coalesce(func.max(Grade.level), 0).label("highest"),
        func.count(Grade.reason).label("refusals"),
        func.count().filter(Assignment.labeller_id == bindparam("member_id")).label("own"),
        func.count().label("given"),
        func.count(Assignment.labeller_id.distinct()).label("labellers"),
    )
    .join(Grade, _NEWEST)
    .where(
        Assignment.project_id == bindparam("project_id"),
        Assignment.round_id.in_(_OF_FAMILY),
        IS_JUDGING,
        Assignment.labeller_id.not_in(MACHINES),
    )
    .group_by(Assignment.pair_id)
)
_BY_TWO = func.count(Assignment.labeller_id.distinct()) > 1
_UNCLEAR = and_(func.count(Grade.level) == 0, func.count().filter(Grade.reason == UNCLEAR) > 0, _BY_TWO)
_DIFFERING = _IN_PAIR.having(
    or_(
        func.min(Grade.level) < func.max(Grade.level),
        and_(func.count(Grade.level) > 0, func.count(Grade.reason) > 0),
        _UNCLEAR,
    )
)
_AGREED = _IN_PAIR.having(func.min(Grade.level) == func.max(Grade.level), func.count(Grade.reason) == 0, _BY_TWO)
_REFUSED = select(func.count()).select_from(
    _IN_PAIR.having(func.count(Grade.level) == 0, not_(_UNCLEAR), _BY_TWO).subquery("refused")
)
_COUNT_AGREED = select(func.count()).select_from(_AGREED.subquery("agreed"))


def _described(in_pair: Subquery) -> Select[*tuple[Any, ...]]:
    """The columns of DifferingPair, and after them the grades given and how many labellers gave them."""
    return (
        select(
            in_pair.c.pair_id,
            Query.qid,
            Document.docno,
            in_pair.c.lowest,
            in_pair.c.highest,
            in_pair.c.refusals,
            in_pair.c.own,
            in_pair.c.given,
            in_pair.c.labellers,
        )
        .join(Pair, Pair.id == in_pair.c.pair_id)
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Pair.project_id == bindparam("project_id"))
    )


_MIXED = _described(_DIFFERING.subquery("differing"))
_AUDITED = _described(_AGREED.order_by(Assignment.pair_id).limit(bindparam("size")).subquery("audited"))
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
    .where(Pair.project_id == bindparam("project_id"), Pair.id.in_(bindparam("pair_ids", expanding=True)))
)
_IN_FAMILY = (
    Assignment.project_id == bindparam("project_id"),
    Assignment.round_id.in_(_OF_FAMILY),
    IS_JUDGING,
    Assignment.labeller_id.not_in(MACHINES),
)
_DECIDED = (Decision.project_id == bindparam("project_id"), Decision.family == bindparam("family"))
_ROUNDS = select(func.count()).where(Round.project_id == bindparam("project_id"), Round.id.in_(_OF_FAMILY))
_STATE: Select[*tuple[Any, ...]] = select(
    func.count(),
    func.coalesce(func.sum(Assignment.revision), 0),
    select(func.count()).where(*_DECIDED).scalar_subquery(),
    _ROUNDS.scalar_subquery(),
    _ROUNDS.where(Round.closed_at.is_(None)).scalar_subquery(),
).where(*_IN_FAMILY)
