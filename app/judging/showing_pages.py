"""Choosing what the desk shows beside a document's text."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.corpora.shown_fields import fields_seen
from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.judging.showing import Showing, choose_showing, showing_of, telling_fields
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/showing")
Text = Annotated[str, Form()]


@router.get("")
def show_choice(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    return choice_page(request, session, seat, showing_of(seat.project))


@router.post("")
def choose(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    fields: Text = "",
    picture: Text = "",
    hosts: Text = "",
    is_warned: Text = "",
) -> Response:
    wanted = Showing(lines_of(fields), picture.strip(), lines_of(hosts))
    try:
        with session.begin_nested():
            choose_showing(session, seat.project, wanted, is_warned=bool(is_warned))
    except (FieldError, RuleError) as error:
        return choice_page(request, session, seat, wanted, error=error)
    return see(f"/projects/{seat.project.id}/showing")


def choice_page(
    request: Request, session: Session, seat: Seat, showing: Showing, *, error: DomainError | None = None
) -> Response:
    return page(
        request,
        "judging/showing.html",
        seat=seat,
        showing=showing,
        kept=showing_of(seat.project),
        seen=fields_seen(session, seat.project),
        telling=telling_fields(showing.fields),
        error=error,
    )


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
