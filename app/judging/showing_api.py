"""What the desk shows beside a document's text, for scripts of leads."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.db import SessionDep
from app.judging.showing import Showing, choose_showing, showing_of
from app.projects.api import Shape
from app.projects.guards import LeadSeat
from app.projects.models import Project
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}/showing")


class ShowingIn(Shape):
    """All of it: what is left out is not shown."""

    fields: list[str] = Field(default_factory=list)
    """Names of documents' other fields, in the order in which they stand at the desk."""
    picture: str = ""
    """The one of them that holds a picture's address."""
    hosts: list[str] = Field(default_factory=list)
    """Whose pictures may be loaded, by https: in documents that came as HTML, and in that field."""
    is_warned: bool = False
    """Confirms that a field tells nothing of scores, ranks, runs or grades, whatever its name."""


class ShowingOut(BaseModel):
    fields: list[str]
    picture: str
    hosts: list[str]


@router.get("")
def show_choice(seat: LeadSeat) -> ShowingOut:
    return showing_out(seat.project)


@router.put("")
def choose(session: SessionDep, seat: LeadSeat, wanted: ShowingIn) -> ShowingOut:
    """409 while a round is open, and for a field whose name promises what a labeller must not know."""
    chosen = Showing(wanted.fields, wanted.picture, wanted.hosts)
    choose_showing(session, seat.project, chosen, is_warned=wanted.is_warned)
    return showing_out(seat.project)


def showing_out(project: Project) -> ShowingOut:
    showing = showing_of(project)
    return ShowingOut(fields=list(showing.fields), picture=showing.picture, hosts=list(showing.hosts))
