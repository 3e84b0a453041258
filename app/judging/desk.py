"""What the desk shows: one pair, its query, and how far its labeller has come. Statements are Core, built
once.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.corpora.models import Document, Query
from app.judging.models import Assignment, Grade, Round
from app.judging.queries import OF_ASSIGNMENT, newest
from app.pools.models import Pair
from app.projects.guards import Seat, Sitting


class Shown(NamedTuple):
    """A pair as its labeller sees it: nothing of runs, ranks or other people's grades is ever selected here."""

    id: str
    """Of the assignment."""
    revision: int
    stop: int
    """Those of one stop come together, see `Assignment.stop`. With `set_aside` and `place` it is the desk's order."""
    round_id: str
    round_number: int
    round_kind: str
    closed_at: datetime | None
    rubric_id: str
    qid: str
    query: str
    query_lang: str
    description: str
    narrative: str
    docno: str
    title: str
    url: str
    text: str
    html: str
    lang: str
    shown_fields: list[list[str]]
    text_hash: str
    level: int | None
    """What the labeller gave so far; None before the first grade, and where a reason stands instead."""
    reason: str | None
    rationale: str | None
    graded_at: datetime | None
    graded_text_hash: str | None
    set_aside: int
    place: int

    @property
    def size(self) -> int:
        """Characters that the desk is sent of its document, about."""
        return len(self.html or self.text)


class Place(NamedTuple):
    """How far the labeller has come, in pairs."""

    query_pairs: int
    """Of the query, those that come up together."""
    query_graded: int
    round_pairs: int
    round_graded: int


def next_pair(session: Session, seat: Seat) -> Shown | None:
    """The pair that is due: of the oldest open round, of the query begun, those set aside last. None: all is graded."""
    row = session.connection().execute(NEXT, {"project": seat.project.id, "labeller": seat.member.id}).one_or_none()
    return None if row is None else Shown._make(row)


def due_round(session: Session, seat: Seat) -> str | None:
    """The round of the pair that is due."""
    return session.scalar(ROUND_DUE, {"project": seat.project.id, "labeller": seat.member.id})


def pairs_ahead(session: Session, seat: Seat, round_id: str, *, skip: int, limit: int) -> Iterator[Shown]:
    """Listed pairs of the round in the order in which they were dealt, from the one after `skip` of them. They are
    fetched a few at a time: whoever has enough text stops.
    """
    whose = {"project": seat.project.id, "labeller": seat.member.id, "round": round_id, "skip": skip, "limit": limit}
    with session.connection().execute(AHEAD, whose, execution_options={"yield_per": 4}) as rows:
        for row in rows:
            yield Shown._make(row)


def shown_pair(session: Session, seat: Sitting, assignment_id: str) -> Shown:
    """This very pair; the caller has made sure that it is the labeller's own."""
    whose = {"project": seat.project.id, "labeller": seat.member.id, "assignment": assignment_id}
    return Shown._make(session.connection().execute(THIS, whose).one())


def own_pairs(
    session: Session, seat: Seat, *, round_id: str | None, state: str, limit: int, offset: int = 0
) -> Sequence[Shown]:
    """Pairs of the labeller's open rounds in the order of the desk, after the first `offset`; `state` is open, graded
    or all. What comes up with a stop of a query that came up before is not among them until then.
    """
    pairs = SHOWN.where(Round.closed_at.is_(None), IS_LISTED)
    if round_id is not None:
        pairs = pairs.where(Round.id == round_id)
    if state != "all":
        pairs = pairs.where(Assignment.revision == 0 if state == "open" else Assignment.revision > 0)
    if state != "open":
        pairs = pairs.where(IS_NEWEST)
    pairs = pairs.order_by(Round.number, Assignment.stop, Assignment.set_aside, Assignment.place)
    pairs = pairs.offset(offset).limit(limit)
    rows = session.execute(pairs, {"project": seat.project.id, "labeller": seat.member.id})
    return [Shown._make(row) for row in rows]


def place_of(session: Session, seat: Seat, shown: Shown) -> Place:
    where = {"project": seat.project.id, "labeller": seat.member.id, "assignment": shown.id}
    return Place._make(session.connection().execute(PLACE_OF, where).one())


def own_times(session: Session, seat: Seat, round_id: str) -> Sequence[int]:
    """How long the labeller's last pairs of the round took, in active milliseconds, the newest last; at most fifty."""
    rows = session.scalars(TIMES, {"project": seat.project.id, "labeller": seat.member.id, "round": round_id})
    return [active_ms or 0 for active_ms in reversed(rows.all())]


# Statements


IS_OWN = and_(Assignment.project_id == bindparam("project"), Assignment.labeller_id == bindparam("labeller"))
COLUMNS = (
    Assignment.id,
    Assignment.revision,
    Assignment.stop,
    Round.id,
    Round.number,
    Round.kind,
    Round.closed_at,
    Round.rubric_id,
    Query.qid,
    Query.text,
    Query.lang,
    Query.description,
    Query.narrative,
    Document.docno,
    Document.title,
    Document.url,
    Document.text,
    Document.html,
    Document.lang,
    Document.shown_fields,
    Document.text_hash,
    Grade.level,
    Grade.reason,
    Grade.rationale,
    Grade.given_at,
    Grade.text_hash,
    Assignment.set_aside,
    Assignment.place,
)
"""Of a Shown."""
SHOWN = (
    select(*COLUMNS)
    .select_from(Assignment)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(IS_OWN)
)
THIS = SHOWN.where(Assignment.id == bindparam("assignment"))


PROJECT: BindParameter[str] = bindparam("project")
LABELLER: BindParameter[str] = bindparam("labeller")


def round_due() -> Select[str]:
    """The id of the oldest open round in which something is left."""
    begun, left = aliased(Round), aliased(Assignment)
    is_left = exists().where(
        left.project_id == begun.project_id,
        left.round_id == begun.id,
        left.labeller_id == LABELLER,
        left.revision == 0,
    )
    return (
        select(begun.id)
        .where(begun.project_id == PROJECT, begun.closed_at.is_(None), is_left)
        .order_by(begun.number)
        .limit(1)
    )


def due() -> Select[str]:
    """The id of the assignment that is due, found by three steps down an index each: round, stop, pair."""
    first, begun, pair = aliased(Assignment), aliased(Assignment), aliased(Assignment)
    begins = first_open(first, round_due().scalar_subquery()).with_only_columns(first.id)
    return (
        select(pair.id)
        .join(begun, is_of_stop(pair, begun))
        .where(begun.project_id == PROJECT, begun.id == begins.scalar_subquery(), pair.revision == 0)
        .order_by(pair.set_aside, pair.place)
        .limit(1)
    )


def first_open(
    first: type[Assignment], round_id: ColumnElement[str] | InstrumentedAttribute[str]
) -> Select[Assignment]:
    """The labeller's first open assignment of the round: its stop is the one that has come up."""
    return (
        select(first)
        .where(
            first.project_id == PROJECT,
            first.round_id == round_id,
            first.labeller_id == LABELLER,
            first.revision == 0,
        )
        .order_by(first.place)
        .limit(1)
    )


def is_listed() -> ColumnElement[bool]:
    """Whether the labeller may know of the assignment: of a query that comes back not before it does. A list in which
    a pair stood twice, or to which only the one that is shown again were added, would say which it is.
    """
    first = aliased(Assignment)
    has_come_up = Assignment.stop == (
        first_open(first, Assignment.round_id).with_only_columns(first.stop).correlate(Assignment).scalar_subquery()
    )
    return or_(Assignment.is_returning.is_(False), Assignment.revision > 0, has_come_up)


def is_of_stop(one: type[Assignment], other: type[Assignment]) -> ColumnElement[bool]:
    """Whether two assignments of one labeller come up together."""
    return and_(
        one.project_id == other.project_id,
        one.round_id == other.round_id,
        one.labeller_id == other.labeller_id,
        one.stop == other.stop,
    )


def is_newest() -> ColumnElement[bool]:
    """Whether the pair has not come up again since. What was given to one that is shown again stands nowhere beside it:
    from then on the later one stands in its place.
    """
    again, earlier = aliased(Assignment), aliased(Assignment)
    is_before = exists().where(
        earlier.project_id == again.project_id,
        earlier.round_id == again.round_id,
        earlier.labeller_id == again.labeller_id,
        earlier.revision == 0,
        earlier.stop < again.stop,
    )
    return ~exists().where(
        again.project_id == Assignment.project_id,
        again.round_id == Assignment.round_id,
        again.pair_id == Assignment.pair_id,
        again.labeller_id == Assignment.labeller_id,
        again.place > Assignment.place,
        or_(again.revision > 0, ~is_before),
    )


IS_LISTED = is_listed()
IS_NEWEST = is_newest()
ROUND_DUE = round_due()
NEXT = SHOWN.where(Assignment.id == due().scalar_subquery())
COUNTED = aliased(Assignment)
IS_GRADED = COUNTED.revision > 0
OF_STOP = select(func.count()).where(is_of_stop(COUNTED, Assignment))
OF_ROUND = select(func.count()).where(
    COUNTED.project_id == Assignment.project_id,
    COUNTED.round_id == Assignment.round_id,
    COUNTED.labeller_id == Assignment.labeller_id,
)
PLACE = [
    each.correlate(Assignment).scalar_subquery()
    for each in (OF_STOP, OF_STOP.where(IS_GRADED), OF_ROUND, OF_ROUND.where(IS_GRADED))
]
"""Counts around one assignment, to be selected with it."""
PLACE_OF = select(*PLACE).where(IS_OWN, Assignment.id == bindparam("assignment"))
AHEAD_IDS = (
    select(Assignment.id)
    .where(IS_OWN, Assignment.round_id == bindparam("round"), Assignment.revision == 0, IS_LISTED)
    .order_by(Assignment.place)
    .offset(bindparam("skip"))
    .limit(bindparam("limit"))
)
"""Chosen from an index alone: what is skipped is looked up nowhere else, but for the few that come back."""
AHEAD = SHOWN.where(Assignment.id.in_(AHEAD_IDS)).order_by(Assignment.place)
TIMES = (
    select(Grade.active_ms)
    .join(Assignment, OF_ASSIGNMENT)
    .where(IS_OWN, Assignment.round_id == bindparam("round"), Grade.active_ms.is_not(None))
    .order_by(Grade.given_at.desc())
    .limit(50)
)
