"""Rounds, assignments and grades for scripts."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.corpora.models import Query as CorpusQuery
from app.db import Database, SessionDep, new_id
from app.judging.choosing import AGREEMENT_QUERIES
from app.judging.claiming import claim_next
from app.judging.closing import close_round, reopen_round
from app.judging.dealing import open_round, widen
from app.judging.desk import Shown, own_pairs, shown_pair
from app.judging.exporting import as_csv, as_tsv, each_assignment
from app.judging.grading import LONGEST_KEY, LONGEST_RATIONALE, Press, record
from app.judging.guards import GateAnswer, Keeper, OwnAssignment
from app.judging.models import Round
from app.judging.pacing import pace_of
from app.judging.planning import MAIN_OVERLAP, Kind, plan_round
from app.judging.queries import (
    Progress,
    RoundProgress,
    find_round,
    grades_by_origin,
    progress_by_labeller,
    progress_by_query,
    progress_by_round,
    progress_of,
)
from app.judging.reassigning import find_deal, pass_on, qualify
from app.judging.seating import count_pairs
from app.pools.queries import required_pool
from app.projects.api import Shape
from app.projects.guards import LabellerSeat, LeadSeat
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")


# Rounds


class RoundIn(Shape):
    """A round to open. Without `pool` it is dealt from the newest."""

    kind: Kind
    pool: str = ""
    queries: Annotated[int, Field(ge=1)] | Annotated[list[str], Field(min_length=1)] = AGREEMENT_QUERIES
    """Of an agreement round: how many to draw, or the qids."""
    seed: int | None = None
    labellers: list[str] = Field(default_factory=list)
    """Ids of members to whom it is dealt."""
    idle_minutes: int | None = None
    """Instead of `labellers`: the round is claimed, and a claim returns after so long without a grade."""
    overlap: float = Field(default=MAIN_OVERLAP, ge=0, le=1)
    """Of a main round: the share of queries that two labellers judge."""
    repeats: float = Field(default=0, ge=0)
    """The share of each labeller's pairs that is shown to them again, unmarked; .05 tells enough."""
    quiz: int = Field(default=0, ge=0)
    """How many gold pairs each labeller judges first, unmarked; 20 tell enough."""
    is_warned: bool = False
    """Of a main round: that it may start although the gate has not passed."""

    def asked(self) -> dict[str, Any]:
        """As planning and opening take it, but the pool."""
        return self.model_dump(exclude={"pool", "is_warned"})


class PlanOut(BaseModel):
    """What a round would be: nothing was opened."""

    seed: int
    """Draws the same again."""
    queries: list[str]
    twice: list[str]
    """qids that two labellers judge."""
    pairs: int
    grades: int
    load: dict[str, int]
    """Pairs of each labeller by name; empty where the round would be claimed."""
    slices: dict[str, tuple[int, int]]
    """By slice: how many queries, and how many of them two judge."""


class RoundOut(BaseModel):
    id: str
    number: int
    kind: str
    rubric_id: str
    pool_id: str
    seed: int
    overlap: float
    idle_minutes: int | None
    """Of a claimed round; null where it is dealt."""
    opened_at: datetime
    closed_at: datetime | None
    queries: int
    pairs: int
    assignments: int
    """Grades that are asked for: one of each pair from each of its labellers."""
    graded: int


class ProgressOut(BaseModel):
    labeller_id: str
    name: str
    pairs: int
    graded: int


class PlaceOut(BaseModel):
    """A place at a query; `labeller_id` and `name` are null where it is free."""

    deal_id: str
    labeller_id: str | None
    name: str | None
    seat: int
    pairs: int
    graded: int


class QueryProgressOut(BaseModel):
    qid: str
    labellers: list[PlaceOut]
    """The primary first."""


class RoundProgressOut(RoundOut):
    labellers: list[ProgressOut]
    by_query: list[QueryProgressOut]
    grades_by_origin: dict[str, int]
    """Every press by browser, api and import; those changed later too."""
    a_day: float
    """Pairs graded for the first time in a day, over the last week or since the round was opened."""
    ends_at: datetime | None
    """At that pace; null where nothing is left or nobody graded."""
    hours: float
    """Of judging so far, measured at the desk; 25 seconds for each grade without a measured time."""


@router.get("/rounds")
def list_rounds(session: SessionDep, seat: LeadSeat) -> list[RoundOut]:
    """Newest first."""
    return [round_out(each) for each in progress_by_round(session, seat.project)]


@router.post("/rounds", status_code=201)
def open_new_round(session: SessionDep, seat: LeadSeat, gate: GateAnswer, wanted: RoundIn) -> RoundProgressOut:
    """Whole queries, dealt or to be claimed. An agreement round takes fewer than asked where fewer are fresh."""
    pool = required_pool(session, seat.project.id, wanted.pool or None)
    round_ = open_round(session, seat, **wanted.asked(), pool=pool, gate_answer=gate, is_warned=wanted.is_warned)
    return round_progress_out(session, round_)


@router.post("/rounds/plan")
def plan_new_round(session: SessionDep, seat: LeadSeat, wanted: RoundIn) -> PlanOut:
    """What such a round would be, and how the work would be shared: nothing is opened."""
    pool = required_pool(session, seat.project.id, wanted.pool or None)
    plan = plan_round(session, seat.project, **wanted.asked(), pool=pool)
    return PlanOut(
        seed=plan.seed,
        queries=sorted(plan.pooled),
        twice=sorted(plan.twice),
        pairs=plan.pairs,
        grades=plan.grades,
        load=plan.load,
        slices=plan.slices,
    )


@router.get("/rounds/{round_id}")
def show_round(session: SessionDep, seat: LeadSeat, round_id: str) -> RoundProgressOut:
    return round_progress_out(session, find_round(session, seat.project, round_id))


@router.post("/rounds/{round_id}/closure")
def close(session: SessionDep, seat: LeadSeat, round_id: str) -> RoundProgressOut:
    """Takes no more grades. Closing twice changes nothing."""
    round_ = find_round(session, seat.project, round_id)
    close_round(session, round_)
    return round_progress_out(session, round_)


@router.delete("/rounds/{round_id}/closure")
def reopen(session: SessionDep, seat: LeadSeat, keep_closed: Keeper, round_id: str) -> RoundProgressOut:
    round_ = find_round(session, seat.project, round_id)
    reopen_round(session, round_, keep_closed=keep_closed)
    return round_progress_out(session, round_)


@router.get("/rounds/{round_id}/assignments", response_class=StreamingResponse)
def export_assignments(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    round_id: str,
    format: Annotated[Literal["csv", "tsv", "spreadsheet"], Query()] = "csv",
) -> StreamingResponse:
    """Who is asked for which pair, and whether they have answered: qid, docno, labeller, round and state."""
    return assignments_file(request, find_round(session, seat.project, round_id), format)


def assignments_file(request: Request, round_: Round, form: Literal["csv", "tsv", "spreadsheet"]) -> StreamingResponse:
    database: Database = request.app.state.database
    opened = partial(database.session, writes=False)
    rows = each_assignment(opened, project_id=round_.project_id, round_id=round_.id)
    content = as_tsv(rows) if form == "tsv" else as_csv(rows, for_spreadsheets=form == "spreadsheet")
    ending = "tsv" if form == "tsv" else "csv"
    kind = "text/tab-separated-values" if form == "tsv" else "text/csv"
    headers = {"Content-Disposition": f'attachment; filename="round-{round_.number}-assignments.{ending}"'}
    return StreamingResponse(content, media_type=f"{kind}; charset=utf-8", headers=headers)


class LabellerIn(Shape):
    """The id of a member."""

    labeller: str


class QualificationIn(LabellerIn):
    """`queries`: how many; without it as many as a release asks for."""

    queries: int | None = None


class QualificationOut(BaseModel):
    qids: list[str]


@router.post("/deals/{deal_id}/labeller")
def pass_query_on(session: SessionDep, seat: LeadSeat, deal_id: str, wanted: LabellerIn) -> RoundProgressOut:
    """Gives what is ungraded at this place, or the whole of a free one, to another labeller."""
    deal = pass_on(session, find_deal(session, seat.project, deal_id), to=wanted.labeller)
    return round_progress_out(session, find_round(session, seat.project, deal.round_id))


@router.post("/rounds/{round_id}/qualifications", status_code=201)
def qualify_labeller(session: SessionDep, seat: LeadSeat, round_id: str, wanted: QualificationIn) -> QualificationOut:
    """Deals a labeller who joined late queries that two people have judged already."""
    round_ = find_round(session, seat.project, round_id)
    return QualificationOut(qids=qualify(session, round_, labeller=wanted.labeller, queries=wanted.queries))


class QueriesIn(Shape):
    """How many to draw, or the qids."""

    queries: Annotated[int, Field(ge=1)] | Annotated[list[str], Field(min_length=1)]


@router.post("/rounds/{round_id}/queries")
def widen_round(
    session: SessionDep, seat: LeadSeat, gate: GateAnswer, round_id: str, wanted: QueriesIn
) -> RoundProgressOut:
    """Adds fresh queries to an open agreement round, while there is not enough evidence."""
    round_ = find_round(session, seat.project, round_id)
    widen(session, seat, round_, queries=wanted.queries, gate_answer=gate)
    return round_progress_out(session, round_)


def round_out(progress: RoundProgress) -> RoundOut:
    round_ = progress.round
    return RoundOut(
        id=round_.id,
        number=round_.number,
        kind=round_.kind,
        rubric_id=round_.rubric_id,
        pool_id=round_.pool_id,
        seed=round_.seed,
        overlap=round_.overlap,
        idle_minutes=round_.idle_minutes,
        opened_at=round_.opened_at,
        closed_at=round_.closed_at,
        queries=progress.queries,
        pairs=progress.pairs,
        assignments=progress.assignments,
        graded=progress.graded,
    )


def round_progress_out(session: Session, round_: Round) -> RoundProgressOut:
    progress = progress_of(session, round_)
    pace = pace_of(session, progress)
    return RoundProgressOut(
        **round_out(progress).model_dump(),
        a_day=pace.a_day,
        ends_at=pace.ends_at,
        hours=pace.hours,
        labellers=[progress_out(each) for each in progress_by_labeller(session, round_)],
        by_query=[
            QueryProgressOut(qid=qid, labellers=[PlaceOut(**each._asdict()) for each in places])
            for qid, places in progress_by_query(session, round_).items()
        ],
        grades_by_origin=grades_by_origin(session, round_),
    )


def progress_out(progress: Progress) -> ProgressOut:
    return ProgressOut(labeller_id=progress.id, name=progress.name, pairs=progress.pairs, graded=progress.graded)


# Claims of whoever holds the token


class ClaimOut(BaseModel):
    """A query in hand: its pairs are among the open assignments."""

    qid: str
    round_id: str
    pairs: int


@router.post("/rounds/{round_id}/claims", status_code=201)
def claim(session: SessionDep, seat: LabellerSeat, round_id: str) -> ClaimOut:
    """The next whole query of a claimed round; the same again until all its pairs are graded. 409 where none is left
    for you.
    """
    deal = claim_next(session, seat, find_round(session, seat.project, round_id))
    qid = session.get_one(CorpusQuery, (deal.project_id, deal.query_id)).qid
    return ClaimOut(qid=qid, round_id=round_id, pairs=count_pairs(session, deal))


# Assignments of whoever holds the token


class AskedQuery(BaseModel):
    qid: str
    text: str
    description: str
    narrative: str


class AskedDocument(BaseModel):
    docno: str
    title: str
    url: str
    text: str


class AssignmentOut(BaseModel):
    """A pair to grade, with all that the desk shows of it."""

    id: str
    round: int
    round_id: str
    rubric_id: str
    query: AskedQuery
    document: AskedDocument
    key: str
    """New each time: what is sent under it twice is one grade."""
    revision: int
    """How many grades the pair has from you; 0 means none yet."""
    text_hash: str
    level: int | None
    """Yours so far, as are the next two."""
    reason: str | None
    rationale: str


class GradeIn(Shape):
    """A level, or the reason why there is none; with what the assignment said when it was fetched."""

    level: int | None = None
    reason: str | None = None
    rationale: str = Field(default="", max_length=LONGEST_RATIONALE)
    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    revision: int = Field(ge=0)
    text_hash: str


class GradeOut(BaseModel):
    revision: int
    saved: Literal[True] = True


@router.get("/assignments")
def list_assignments(
    session: SessionDep,
    seat: LabellerSeat,
    round: Annotated[str, Query(description="The id of a round; all open ones without it.")] = "",
    state: Annotated[Literal["open", "graded", "all"], Query()] = "open",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[AssignmentOut]:
    """One's own in open rounds, in the order of the desk."""
    shown = own_pairs(session, seat, round_id=round or None, state=state, limit=limit)
    return [assignment_out(each) for each in shown]


@router.get("/assignments/{assignment_id}")
def show_assignment(session: SessionDep, seat: LabellerSeat, held: OwnAssignment) -> AssignmentOut:
    return assignment_out(shown_pair(session, seat, held.id))


@router.post("/assignments/{assignment_id}/grades", status_code=201)
def grade(session: SessionDep, held: OwnAssignment, given: GradeIn) -> GradeOut:
    """Adds a grade. The same key with the same content answers the same again, with other content 422; 409 where the
    pair was graded, its text changed or its round closed since it was fetched.
    """
    press = Press(given.level, given.reason, given.rationale)
    kept = record(session, held, press, key=given.key, revision=given.revision, text_hash=given.text_hash, origin="api")
    return GradeOut(revision=kept.revision)


def assignment_out(shown: Shown) -> AssignmentOut:
    return AssignmentOut(
        id=shown.id,
        round=shown.round_number,
        round_id=shown.round_id,
        rubric_id=shown.rubric_id,
        query=AskedQuery(qid=shown.qid, text=shown.query, description=shown.description, narrative=shown.narrative),
        document=AskedDocument(docno=shown.docno, title=shown.title, url=shown.url, text=shown.text),
        key=new_id() + new_id(),
        revision=shown.revision,
        text_hash=shown.text_hash,
        level=shown.level,
        reason=shown.reason,
        rationale=shown.rationale or "",
    )
