"""Who asks in a project, and in which role: guards that a route names in its signature.

Pages are asked for by a browser's session, everything under the API by a bearer token; the roles are the same.
Whoever is not a member, or not in a role that may, is told that there is nothing here: never that there is something.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from fastapi import Depends, Request
from sqlalchemy import and_, bindparam, select, update
from sqlalchemy.orm import Session

from app.db import ID_LENGTH, SAFE_METHODS, Database, SessionDep, now
from app.errors import NotAllowed, NotThere, SignInNeeded, SomebodyElse
from app.people.guards import Asker, admit, secret_hash
from app.people.models import Person, SignIn
from app.people.signing_in import SEEN_EVERY, hashed
from app.projects.leaving import GiveBack
from app.projects.models import Member, Project, Role, Token
from app.record.keeping import act_as
from app.settings import Settings
from app.web import is_api


class Known(Protocol):
    """A row, by its id."""

    @property
    def id(self) -> str: ...


class Showing(Known, Protocol):
    """Of a project no more than what a document's reader needs of it."""

    @property
    def picture_field(self) -> str: ...
    @property
    def picture_hosts(self) -> list[str]: ...


class Sitting(Protocol):
    """Of a seat no more than who sits where: enough for what asks the database itself about the rest."""

    @property
    def project(self) -> Showing: ...
    @property
    def member(self) -> Known: ...


@dataclass(frozen=True)
class Seat:
    """A person's place in a project for the time of one request."""

    project: Project
    member: Member
    person: Person
    origin: Literal["browser", "api"]
    asker: Asker | None
    """The browser's session; none for a token."""
    right: str | None = None
    """The token's; none in a browser."""
    token_id: str | None = None

    @property
    def role(self) -> str:
        return self.member.role

    @property
    def is_lead(self) -> bool:
        return self.member.role == "lead"

    def confirm_recently(self, settings: Settings) -> None:
        """PasswordNeeded unless the browser's password was given within the last minutes. A token passes: making one
        asked for the password.
        """
        if self.asker is not None:
            self.asker.confirm_recently(settings)


def known_token(request: Request, session: SessionDep) -> Token:
    """The token in the Authorization header, else SignInNeeded."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    row = None
    if scheme.lower() == "bearer" and secret:
        row = session.scalar(select(Token).where(Token.secret_hash == hashed(secret.strip())))
    if row is None or row.revoked_at is not None or row.expires_at <= now():
        raise SignInNeeded("The API needs a bearer token that is known and still good.", "Make one under Tokens.")
    if person_of(session, row).disabled_at is not None:
        raise SignInNeeded("The API needs a bearer token that is known and still good.", "Ask the lead.")
    act_as(session, row.person_id, token_id=row.id)
    if row.last_used_at is None or now() - row.last_used_at >= SEEN_EVERY:
        database: Database = request.app.state.database
        database.note(session, update(Token).where(Token.id == row.id).values(last_used_at=now()))
    return row


KnownToken = Annotated[Token, Depends(known_token)]


def person_of(session: Session, token: Token) -> Person:
    return session.get_one(Person, token.person_id)


def seated(*roles: Role) -> Callable[..., Seat]:
    """A guard that gives the asker's seat in the project of the address, if in one of `roles`; else NotThere."""

    def take_seat(request: Request, session: SessionDep, project_id: str) -> Seat:
        seat = seat_in(request, session, project_id)
        if seat.role not in roles:
            raise NotThere
        if seat.right == "read" and request.method not in SAFE_METHODS:
            raise NotAllowed("This token only reads.", "Make one with the right to write under Tokens.")
        return seat

    take_seat.adjudge_roles = roles  # type: ignore[attr-defined]  # The table of routes in the tests reads it.
    return take_seat


def seat_in(request: Request, session: Session, project_id: str) -> Seat:
    """The asker's seat in the project, whatever its role; error pages show the project's menu to whoever has one."""
    seat = (
        seat_of_token(request, session, project_id)
        if is_api(request.url.path)
        else seat_of_browser(request, session, project_id)
    )
    request.state.seat = seat
    return seat


def seat_of_token(request: Request, session: Session, project_id: str) -> Seat:
    token = known_token(request, session)
    if token.project_id != project_id:
        raise NotThere
    person = person_of(session, token)
    member = session.scalar(MEMBER, {"project": project_id, "person": person.id})
    if member is None:
        raise NotThere
    return Seat(session.get_one(Project, project_id), member, person, "api", None, token.right, token.id)


def seat_of_browser(request: Request, session: Session, project_id: str) -> Seat:
    """A browser's: every page of a project begins with it, and so with one statement."""
    row = session.execute(SEATED, {"secret_hash": secret_hash(request), "project": project_id}).one_or_none()
    current, member, project = row or (None, None, None)
    asker = admit(request, session, current)
    if member is None or project is None:
        raise NotThere
    return Seat(project, member, asker.person, "browser", asker)


IS_IN = and_(Member.project_id == bindparam("project"), Member.left_at.is_(None))
MEMBER = select(Member).where(IS_IN, Member.person_id == bindparam("person"))
SEATED = (
    select(SignIn, Member, Project)
    .outerjoin(Member, and_(IS_IN, Member.person_id == SignIn.person_id))
    .outerjoin(Project, Project.id == Member.project_id)
    .where(SignIn.secret_hash == bindparam("secret_hash"))
)


def find_seat(request: Request) -> Seat | None:
    """For an error page that no guard came before: the seat of whoever asks in the project of the address."""
    database: Database = request.app.state.database
    named = re.match(rf"/projects/([a-z2-7]{{{ID_LENGTH}}})(?:/|$)", request.url.path)
    if named is None:
        return None
    with database.session(writes=False) as session:
        try:
            return seat_in(request, session, named[1])
        except (NotThere, SignInNeeded, SomebodyElse):
            return None


LeadSeat = Annotated[Seat, Depends(seated("lead"))]
ReaderSeat = Annotated[Seat, Depends(seated("lead", "reader"))]
"""Whoever may see what was found: leads and readers."""
LABELLING: tuple[Role, ...] = ("lead", "labeller")
seated_to_label = seated(*LABELLING)
LabellerSeat = Annotated[Seat, Depends(seated_to_label)]
"""Whoever may be dealt queries: leads and labellers."""
MemberSeat = Annotated[Seat, Depends(seated("lead", "labeller", "reader"))]


def lately_confirmed(request: Request, seat: LeadSeat) -> Seat:
    seat.confirm_recently(request.app.state.settings)
    return seat


def giver_back(request: Request, _seat: LeadSeat) -> GiveBack:
    """What frees a leaving member's work, as app/main.py has put it into the application's state."""
    give_back: GiveBack = request.app.state.give_back
    return give_back


GivesBack = Annotated[GiveBack, Depends(giver_back)]
ConfirmedLead = Annotated[Seat, Depends(lately_confirmed)]
"""A lead who gave the password within the last minutes: for members, invitations and whatever can't be taken back."""
