"""Oneself and projects, for scripts."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, model_validator
from sqlalchemy.orm import Session

from app.db import SessionDep
from app.errors import FieldError, NotThere
from app.people.pages import door
from app.people.signing_in import is_password_of
from app.projects.guards import KnownToken, LeadSeat, MemberSeat, Seat, person_of
from app.projects.issuing import issue_token
from app.projects.models import Project, Token
from app.projects.queries import may_start, projects_of
from app.projects.starting import change_project, start_project
from app.reading import UNKEPT, CheckedRoute, is_kept, texts_in
from app.refusing import said

router = APIRouter(route_class=CheckedRoute, tags=["projects"])
LONGEST_PASSWORD = 1000


class Shape(BaseModel):
    """What the API takes. An unknown field is refused, so that a misspelt one is never ignored, and so is a value of
    another kind: neither true nor "2" is a number.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def refuse_unstorable(cls, given: Any) -> Any:
        """Text that one of the databases, or UTF-8 itself, can't hold is refused on both alike."""
        if not all(map(is_kept, texts_in(given))):
            raise ValueError(UNKEPT)
        return given


class ProjectOut(BaseModel):
    id: str
    name: str
    gain: str
    gain_table: list[float] | None
    gain_reason: str
    policy: str
    is_small_set: bool
    primary_stands: bool
    role: str


class StartedOut(ProjectOut):
    """The project, and a token with the right to write in it, which is told this once."""

    token: str


class TokenOut(BaseModel):
    name: str
    right: str
    project_id: str | None
    expires_at: datetime


class MeOut(BaseModel):
    """Whose token this is, and what it opens."""

    id: str
    name: str
    email: str
    token: TokenOut


class ProjectIn(Shape):
    """`gain` is exponential, linear or table; `gain_table` holds the gains from level 0 up."""

    name: str
    gain: str
    gain_reason: str
    gain_table: list[float] | None = None
    policy: str = "standard"
    is_small_set: bool = False
    primary_stands: bool = False
    """Whether the primary labeller's level is the judgment where labellers are one level apart."""


class ProjectChange(Shape):
    """What is left out stays. Policy, small set and whether the primary stands can be changed until the
    first round starts.
    """

    name: str | None = None
    policy: str | None = None
    is_small_set: bool | None = None
    primary_stands: bool | None = None


def refusal_without_password(
    request: Request, session: Session, seat: Seat, *, password: str, step: str
) -> Response | None:
    """The answer to whoever takes a `step` (with which a sentence begins) that a token alone does not open, without its
    person's password; None where that is right. Returned, not raised: the attempt is counted.
    """
    if not password:
        way_out = "Send it as “password” beside the rest: the token alone is not enough."
        return said(request, FieldError("password", f"{step} needs your password.", way_out))
    if is_password_of(session, seat.person, door(request, seat.person.email), password=password):
        return None
    return said(request, FieldError("password", f"{step} needs your password, and that is not it.", "Try again."))


def start_token(token: KnownToken) -> Token:
    if token.right != "start":
        raise NotThere("Only a token with the right to start can start a project.", "Make one under Tokens.")
    return token


StartToken = Annotated[Token, Depends(start_token)]


def project_out(project: Project, role: str) -> ProjectOut:
    return ProjectOut(
        id=project.id,
        name=project.name,
        gain=project.gain,
        gain_table=project.gain_table,
        gain_reason=project.gain_reason,
        policy=project.policy,
        is_small_set=project.is_small_set,
        primary_stands=project.primary_stands,
        role=role,
    )


@router.get("/me")
def show_me(session: SessionDep, token: KnownToken) -> MeOut:
    person = person_of(session, token)
    told = TokenOut(name=token.name, right=token.right, project_id=token.project_id, expires_at=token.expires_at)
    return MeOut(id=person.id, name=person.name, email=person.email, token=told)


@router.get("/projects")
def list_projects(session: SessionDep, token: KnownToken) -> list[ProjectOut]:
    """Those that the token opens: one, or none for a token that only starts projects."""
    theirs = projects_of(session, person_of(session, token))
    return [project_out(project, member.role) for project, member in theirs if project.id == token.project_id]


@router.post("/projects", status_code=201)
def start(request: Request, session: SessionDep, token: StartToken, wanted: ProjectIn) -> StartedOut:
    person = person_of(session, token)
    if not may_start(session, person):
        raise NotThere("You may not start projects any more.", "Ask whoever looks after the installation.")
    project = start_project(session, person, **wanted.model_dump())
    days = request.app.state.settings.token_days
    _, secret = issue_token(
        session, person, name=f"made with {token.name}"[:100], right="write", project_id=project.id, days=days
    )
    return StartedOut(**project_out(project, "lead").model_dump(), token=secret)


@router.get("/projects/{project_id}")
def show_project(seat: MemberSeat) -> ProjectOut:
    return project_out(seat.project, seat.role)


@router.patch("/projects/{project_id}")
def change(session: SessionDep, seat: LeadSeat, wanted: ProjectChange) -> ProjectOut:
    change_project(session, seat.project, **wanted.model_dump())
    return project_out(seat.project, seat.role)
