"""Runs for scripts; they are brought in under /imports/runs."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from app.db import SessionDep
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute
from app.runs.queries import RunFigures, figures_of_runs

router = APIRouter(route_class=CheckedRoute, tags=["runs"])


class RunOut(BaseModel):
    id: str
    name: str
    sha256: str
    rankings: int
    lines: int
    shallowest: int
    median_depth: float
    deepest: int
    answered: int
    """How many of the project's queries it has a ranking for."""
    imported_at: datetime


@router.get("/projects/{project_id}/runs")
def show_runs(session: SessionDep, seat: LeadSeat) -> list[RunOut]:
    return [run_out(figures) for figures in figures_of_runs(session, seat.project)]


def run_out(figures: RunFigures) -> RunOut:
    run = figures.run
    return RunOut(
        id=run.id,
        name=run.name,
        sha256=run.sha256,
        rankings=run.rankings,
        lines=run.lines,
        shallowest=figures.shallowest,
        median_depth=figures.median,
        deepest=figures.deepest,
        answered=figures.answered,
        imported_at=run.imported_at,
    )
