"""Who asks: guards that a route names in its signature."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import Response
from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from app.db import Database, SessionDep, now
from app.errors import NotThere, PasswordNeeded, SignInNeeded, SomebodyElse
from app.people.models import Person, SignIn
from app.people.signing_in import Standing, hashed, standing_of
from app.record.keeping import act_as
from app.settings import Settings
from app.web import COOKIE, SECURE_COOKIE

PAGE_OF = "Adjudge-Person"
"""A header: whose page it is that a script asks from. One browser has one session for all its windows."""
SIGN_IN = select(SignIn).where(SignIn.secret_hash == bindparam("secret_hash"))


@dataclass(frozen=True)
class Asker:
    """A person signed in with a browser."""

    person: Person
    sign_in: SignIn
    name: str
    """The person's, kept apart: an error page says who asks after the row was lost with its transaction."""

    def confirm_recently(self, settings: Settings) -> None:
        """PasswordNeeded unless the password was given within the last minutes."""
        if now() - self.sign_in.password_at > timedelta(minutes=settings.password_again_minutes):
            raise PasswordNeeded("This step asks for your password again.", "Give it, and take the step once more.")


def cookie_name(request: Request) -> str:
    """Over https the browser itself holds the name's promise: this host only, secure, no narrower path."""
    return SECURE_COOKIE if request.url.scheme == "https" else COOKIE


def signed_in(request: Request, session: SessionDep) -> Asker:
    """Whoever holds the cookie's session, else SignInNeeded."""
    return admit(request, session, session.scalar(SIGN_IN, {"secret_hash": secret_hash(request)}))


def secret_hash(request: Request) -> str:
    """Of the cookie's secret. Where there is no cookie, it is that of no session."""
    return hashed(request.cookies.get(cookie_name(request), ""))


def admit(request: Request, session: Session, current: SignIn | None) -> Asker:
    """The person whose session this is, if it is still open, else SignInNeeded."""
    if current is None or not let_in(request, session, standing_of(current)):
        raise SignInNeeded("You are not signed in, or were away too long.", "Sign in; nothing that was saved is lost.")
    request.state.asker = asker = Asker(current.person, current, current.person.name)
    return asker


def let_in(request: Request, session: Session, standing: Standing) -> bool:
    """Whether the sign-in is open; then what the request does is its person's, who was seen. SomebodyElse where it
    comes from a page that another person opened in this browser.
    """
    settings: Settings = request.app.state.settings
    if not standing.is_open(hours=settings.session_hours, idle=timedelta(minutes=settings.idle_minutes)):
        return False
    if request.headers.get(PAGE_OF, standing.person_id) != standing.person_id:
        raise SomebodyElse(session.get_one(Person, standing.person_id).name)
    if standing.is_due_to_be_seen:
        database: Database = request.app.state.database
        database.note(session, update(SignIn).where(SignIn.id == standing.sign_in_id).values(seen_at=now()))
    act_as(session, standing.person_id)
    return True


SignedIn = Annotated[Asker, Depends(signed_in)]


def perhaps_signed_in(request: Request, session: SessionDep) -> Asker | None:
    try:
        return signed_in(request, session)
    except SignInNeeded:
        return None


PerhapsSignedIn = Annotated[Asker | None, Depends(perhaps_signed_in)]
"""For pages that are open to everybody and greet whom they know."""


def lately_confirmed(request: Request, asker: SignedIn) -> Asker:
    asker.confirm_recently(request.app.state.settings)
    return asker


Confirmed = Annotated[Asker, Depends(lately_confirmed)]
"""Signed in, and the password given within the last minutes."""


def admin(asker: SignedIn) -> Asker:
    if not asker.person.is_admin:
        raise NotThere
    return asker


def confirmed_admin(request: Request, asker: Annotated[Asker, Depends(admin)]) -> Asker:
    return lately_confirmed(request, asker)


ConfirmedAdmin = Annotated[Asker, Depends(confirmed_admin)]
"""Looks after the installation, and gave the password within the last minutes."""


def with_cookie(request: Request, answer: Response, secret: str) -> Response:
    """`answer`, and with it the session's secret for the browser to keep."""
    settings: Settings = request.app.state.settings
    answer.set_cookie(
        cookie_name(request),
        secret,
        max_age=settings.session_hours * 3600,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return answer
