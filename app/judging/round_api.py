"""Rounds for scripts: opening, following and closing them."""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.db import Database, SessionDep
from app.errors import FieldError
from app.judging.choosing import AGREEMENT_QUERIES
from app.judging.closing import close_round, reopen_round
from app.judging.dealing import open_round
from app.judging.exporting import Layout, as_csv, as_tsv, each_assignment
from app.judging.guards import GateAnswer, Keeper, refuse_while_judging
from app.judging.models import Round
from app.judging.pacing import pace_of
from app.judging.planning import MAIN_OVERLAP, Kind, Wanted, plan_round
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
from app.pools.queries import required_pool
from app.projects.api import Shape
from app.projects.guards import LeadSeat
from app.projects.models import Project
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")
Queries = Annotated[int, Field(ge=1)] | Annotated[list[str], Field(min_length=1)]
"""How many to draw, or the qids."""


class RoundIn(Shape):
    """A round to open. Without `pool` it is dealt from the newest."""

    kind: Kind
    pool: str = ""
    queries: Queries = AGREEMENT_QUERIES
    """Of an agreement round: how many to draw, or the qids."""
    seed: int | None = None
    labellers: list[str] = Field(default_factory=list)
    """Ids of members to whom it is dealt."""
    idle_minutes: int | None = None
    """Instead of `labellers`: the round is claimed, and a claim returns after so long without a grade."""
    overlap: float = Field(
        default=MAIN_OVERLAP,
        description="Of a main round: the share of queries that two labellers judge, from 0 to 1; .10 is a tenth.",
    )
    repeats: float = Field(
        default=0,
        description="The share of each labeller's pairs that is shown to them again, unmarked, from 0 to .20; .05 is "
        "five percent, and tells enough.",
    )
    quiz: int = Field(default=0, ge=0)
    """How many gold pairs each labeller judges first, unmarked; 20 tell enough. Gold that they judge in the round
    anyway is asked once, in its place, and checked there.
    """
    is_warned: bool = False
    """Of a main round: that it may start although the gate has not passed."""

    def wanted(self, session: Session, project: Project) -> Wanted:
        pool = required_pool(session, project.id, self.pool or None)
        if self.labellers and self.idle_minutes is not None:
            raise FieldError(
                "labellers",
                "A round that is claimed is dealt to nobody: any labeller takes queries.",
                "Leave out labellers, or idle_minutes.",
            )
        return Wanted(pool=pool, **self.model_dump(exclude={"pool", "is_warned"}))


class PlanOut(BaseModel):
    """What a round would be: nothing was opened."""

    seed: int
    """Draws the same again."""
    queries: list[str]
    twice: list[str]
    """qids that two labellers judge."""
    pairs: int
    grades: int
    """To give, `checks` among them."""
    checks: int
    """Those to pairs that are shown again and to a quiz, which count nowhere. Where the round would be claimed, about
    how many are shown again; the quiz comes to everybody who claims.
    """
    load: dict[str, int]
    """Pairs of each labeller by name, checks among them; empty where the round would be claimed."""
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
    asked = wanted.wanted(session, seat.project)
    return round_progress_out(session, open_round(session, seat, asked, gate_answer=gate, is_warned=wanted.is_warned))


@router.post("/rounds/plan")
def plan_new_round(session: SessionDep, seat: LeadSeat, wanted: RoundIn) -> PlanOut:
    """What such a round would be, and how the work would be shared: nothing is opened."""
    plan = plan_round(session, seat.project, wanted.wanted(session, seat.project))
    return PlanOut(
        seed=plan.seed,
        queries=sorted(plan.pooled),
        twice=sorted(plan.twice),
        pairs=plan.pairs,
        grades=plan.grades,
        checks=plan.checks,
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
    request: Request, session: SessionDep, seat: LeadSeat, round_id: str, format: Layout = "csv"
) -> StreamingResponse:
    """Who is asked for which pair, and whether they have answered: qid, docno, labeller, round and state. Refused to a
    lead who judges in an open round.
    """
    round_ = find_round(session, seat.project, round_id)
    refuse_while_judging(session, seat)  # Which pairs a shallow pool holds tells how a run ranked them.
    return assignments_file(request, round_, format)


def assignments_file(request: Request, round_: Round, layout: Layout) -> StreamingResponse:
    database: Database = request.app.state.database
    opened = partial(database.session, writes=False)
    rows = each_assignment(opened, project_id=round_.project_id, round_id=round_.id)
    content = as_tsv(rows) if layout == "tsv" else as_csv(rows, for_spreadsheets=layout == "spreadsheet")
    ending, kind = ("tsv", "text/tab-separated-values") if layout == "tsv" else ("csv", "text/csv")
    headers = {"Content-Disposition": f'attachment; filename="round-{round_.number}-assignments.{ending}"'}
    return StreamingResponse(content, media_type=f"{kind}; charset=utf-8", headers=headers)


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
