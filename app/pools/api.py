"""Pools for scripts."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.db import SessionDep
from app.errors import FieldError
from app.pools import drawing
from app.pools.models import Pool
from app.pools.queries import pools_of
from app.projects.api import Shape
from app.projects.guards import LeadSeat
from app.projects.models import Project
from app.reading import CheckedRoute
from app.runs.queries import runs_of

router = APIRouter(route_class=CheckedRoute, tags=["pools"], prefix="/projects/{project_id}")


class PoolLookOut(Shape):
    """`overlap[a][b]`: pairs that both runs return within the depth; `unique`: pairs that only that run brings."""

    depth: int
    runs: list[str]
    pairs: int
    queries: int
    pairs_per_query: dict[str, float]
    overlap: dict[str, dict[str, int]]
    unique: dict[str, int]
    hours: float
    money: float
    without_text: int
    unanswered: int


class PoolIn(Shape):
    depth: int = Field(default=drawing.DEPTH, ge=1, le=drawing.DEEPEST)
    runs: list[str] = Field(default_factory=list)
    """Names of runs; all where none is named."""
    placeholders: bool = False


class PoolOut(Shape):
    id: str
    number: int
    source: str
    depth: int | None
    runs: list[str]
    pairs: int
    drawn_at: datetime


@router.get("/pool")
def look_at_pool(
    session: SessionDep,
    seat: LeadSeat,
    depth: Annotated[int, Query(ge=1, le=drawing.DEEPEST)] = drawing.DEPTH,
    run: Annotated[list[str] | None, Query()] = None,
    seconds: float = drawing.SECONDS,
    rate: float = drawing.RATE,
    labellers: int = drawing.LABELLERS,
) -> PoolLookOut:
    """What drawing would give; nothing is written."""
    look = drawing.look_at_pool(
        session,
        seat.project,
        depth=depth,
        run_ids=ids_of(session, seat.project, run or []),
        seconds=seconds,
        rate=rate,
        labellers=labellers,
    )
    names = look.overlap.runs
    return PoolLookOut(
        depth=look.depth,
        runs=list(names),
        pairs=look.size.pairs,
        queries=look.size.queries,
        pairs_per_query={"fewest": look.size.fewest, "median": look.size.median, "most": look.size.most},
        overlap={
            one: {other: int(look.overlap.shared[row, column]) for column, other in enumerate(names)}
            for row, one in enumerate(names)
        },
        unique=dict(look.unique),
        hours=look.cost.hours,
        money=look.cost.money,
        without_text=look.without_text,
        unanswered=look.unanswered,
    )


@router.post("/pools", status_code=201)
def draw_pool(session: SessionDep, seat: LeadSeat, pool: PoolIn) -> PoolOut:
    drawn = drawing.draw_pool(
        session,
        seat.project,
        seat.person.id,
        depth=pool.depth,
        run_ids=ids_of(session, seat.project, pool.runs),
        allow_placeholders=pool.placeholders,
    )
    (number,) = (pairs for each, pairs in pools_of(session, seat.project.id) if each.id == drawn.id)
    return pool_out(drawn, number)


@router.get("/pools")
def list_pools(session: SessionDep, seat: LeadSeat) -> list[PoolOut]:
    """Newest first."""
    return [pool_out(pool, pairs) for pool, pairs in pools_of(session, seat.project.id)]


def ids_of(session: SessionDep, project: Project, names: list[str]) -> list[str]:
    known = {run.name: run.id for run in runs_of(session, project)}
    for name in names:
        if name not in known:
            raise FieldError("runs", f"There is no run called “{name[:80]}”.", "GET …/runs lists them.")
    return [known[name] for name in names]


def pool_out(pool: Pool, pairs: int) -> PoolOut:
    return PoolOut(
        id=pool.id,
        number=pool.number,
        source=pool.source,
        depth=pool.depth,
        runs=list(pool.run_names),
        pairs=pairs,
        drawn_at=pool.drawn_at,
    )
