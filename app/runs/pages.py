"""The runs of a project."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.corpora.queries import count_queries
from app.db import SessionDep
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute
from app.runs.queries import figures_of_runs
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False)


@router.get("/projects/{project_id}/runs")
def show_runs(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    return page(
        request,
        "runs/runs.html",
        seat=seat,
        runs=figures_of_runs(session, seat.project),
        queries=count_queries(session, seat.project),
    )
