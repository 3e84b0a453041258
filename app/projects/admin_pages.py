"""The people of the installation, for whoever looks after it. What their projects hold is not seen here."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import NotThere
from app.people.guards import ConfirmedAdmin
from app.people.models import Person
from app.people.queries import everybody
from app.people.signing_in import enable
from app.projects.leaving import shut_out
from app.projects.queries import led_alone, seen_at
from app.reading import CheckedRoute
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/people")


@router.get("")
def show_people(request: Request, session: SessionDep, _asker: ConfirmedAdmin) -> Response:
    return page(
        request,
        "projects/people.html",
        people=everybody(session),
        seen_at=seen_at(session),
        led_alone=led_alone(session),
    )


@router.post("/{person_id}/disable")
def disable_person(session: SessionDep, asker: ConfirmedAdmin, person_id: str) -> Response:
    shut_out(session, find_person(session, person_id), by=asker.person)
    return see("/people")


@router.post("/{person_id}/enable")
def enable_person(session: SessionDep, _asker: ConfirmedAdmin, person_id: str) -> Response:
    enable(session, find_person(session, person_id))
    return see("/people")


def find_person(session: SessionDep, person_id: str) -> Person:
    person = session.get(Person, person_id)
    if person is None:
        raise NotThere
    return person
