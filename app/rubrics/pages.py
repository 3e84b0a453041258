"""The rubric as everybody in the project reads it; writing one is in `draft_pages`."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.projects.guards import MemberSeat, Seat
from app.reading import CheckedRoute
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, find_rubric, published_rubric, rulings_of
from app.rubrics.writing import text_of
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric")


@router.get("")
def show_rubric(request: Request, session: SessionDep, seat: MemberSeat) -> Response:
    return rubric_page(request, session, seat, published_rubric(session, seat.project.id))


@router.get("/versions/{rubric_id}")
def show_version(request: Request, session: SessionDep, seat: MemberSeat, rubric_id: str) -> Response:
    """Any published version: rounds under an older one go on with its text."""
    return rubric_page(request, session, seat, find_rubric(session, seat.project.id, rubric_id))


def rubric_page(request: Request, session: SessionDep, seat: Seat, rubric: Rubric | None) -> Response:
    return page(
        request,
        "rubrics/rubric.html",
        seat=seat,
        rubric=rubric,
        newest=published_rubric(session, seat.project.id),
        text=text_of(session, rubric) if rubric else None,
        draft=draft_rubric(session, seat.project.id) if seat.is_lead else None,
        rulings=rulings_of(session, seat.project.id, rubric.family) if rubric else [],
    )
