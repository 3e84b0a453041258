"""Set-up, sign-in, sign-out, the password asked again, and one's own account."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import FieldError, InputError, NotThere, TooOften
from app.people import signing_in
from app.people.guards import PerhapsSignedIn, SignedIn, cookie_name, with_cookie
from app.people.models import SignIn
from app.people.queries import open_sign_ins
from app.reading import CheckedRoute
from app.settings import Settings
from app.web import own_address, page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False)
Text = Annotated[str, Form()]


@router.get("/set-up/{code}")
def show_set_up(request: Request, session: SessionDep, code: str) -> Response:
    require_set_up_code(session, code)
    return page(request, "people/set_up.html", code=code, typed={}, error=None)


@router.post("/set-up/{code}")
def set_up(
    request: Request, session: SessionDep, code: str, email: Text = "", name: Text = "", password: Text = ""
) -> Response:
    require_set_up_code(session, code, locks=True)
    try:
        person = signing_in.use_set_up_code(session, email=email, name=name, password=password)
    except InputError as error:
        return page(request, "people/set_up.html", code=code, typed={"email": email, "name": name}, error=error)
    secret = signing_in.open_sign_in(session, person, browser=browser_of(request))
    return with_cookie(request, see("/"), secret)


def require_set_up_code(session: SessionDep, code: str, *, locks: bool = False) -> None:
    if not signing_in.is_set_up_code(session, code, locks=locks):
        raise NotThere("This set-up address was used already, or a newer start replaced it.", "Look for a newer one.")


@router.get("/sign-in")
def show_sign_in(request: Request, next: str = "/") -> Response:
    return page(request, "people/sign_in.html", next=own_address(next), email="", error=None)


@router.post("/sign-in")
def sign_in(
    request: Request,
    session: SessionDep,
    before: PerhapsSignedIn,
    email: Text = "",
    password: Text = "",
    next: Text = "/",
) -> Response:
    refusal: InputError | TooOften = FieldError("email", "Email or password is wrong.", "Try again.")
    try:
        secret = signing_in.sign_in(session, door(request, email), password=password, browser=browser_of(request))
    except TooOften as error:
        secret, refusal = None, error
    if secret is None:
        return page(request, "people/sign_in.html", error=refusal, next=own_address(next), email=email)
    if before is not None:
        # This browser forgets its secret now, so nobody else may know it.
        signing_in.end_sign_in(session, before.sign_in)
    return with_cookie(request, see(own_address(next)), secret)


@router.post("/sign-out")
def sign_out(request: Request, session: SessionDep, asker: SignedIn) -> Response:
    signing_in.end_sign_in(session, asker.sign_in)
    answer = see("/sign-in")
    answer.delete_cookie(cookie_name(request), path="/", secure=request.url.scheme == "https", httponly=True)
    return answer


@router.get("/password")
def show_password(request: Request, _asker: SignedIn, next: str = "/") -> Response:
    return page(request, "people/password.html", next=own_address(next), error=None)


@router.post("/password")
def confirm_password(
    request: Request,
    session: SessionDep,
    asker: SignedIn,
    password: Text = "",
    next: Text = "/",
) -> Response:
    refusal: InputError | TooOften = FieldError("password", "That is not your password.", "Try again.")
    try:
        is_right = signing_in.confirm_password(
            session, asker.sign_in, door(request, asker.person.email), password=password
        )
    except TooOften as error:
        is_right, refusal = False, error
    if not is_right:
        return page(request, "people/password.html", error=refusal, next=own_address(next))
    return see(own_address(next))


@router.get("/account")
def show_account(request: Request, session: SessionDep, asker: SignedIn) -> Response:
    return account_page(request, session, asker)


@router.post("/account/name")
def change_name(request: Request, session: SessionDep, asker: SignedIn, name: Text = "") -> Response:
    try:
        signing_in.rename(session, asker.person, name)
    except FieldError as error:
        return account_page(request, session, asker, error=error, name=name)
    return see("/account")


@router.post("/account/sign-ins/{sign_in_id}/end")
def end_sign_in(session: SessionDep, asker: SignedIn, sign_in_id: str) -> Response:
    row = session.get(SignIn, sign_in_id)
    if row is None or row.person_id != asker.person.id:
        raise NotThere
    signing_in.end_sign_in(session, row)
    return see("/account")


@router.post("/account/password")
def change_password(request: Request, session: SessionDep, asker: SignedIn, old: Text = "", new: Text = "") -> Response:
    try:
        signing_in.change_password(session, asker.sign_in, door(request, asker.person.email), old=old, new=new)
    except FieldError as error:
        return account_page(request, session, asker, error=error)
    return see("/account")


def account_page(
    request: Request, session: SessionDep, asker: SignedIn, *, error: FieldError | None = None, name: str | None = None
) -> Response:
    settings: Settings = request.app.state.settings
    idle = timedelta(minutes=settings.idle_minutes)
    return page(
        request,
        "people/account.html",
        sign_ins=open_sign_ins(session, asker.person, hours=settings.session_hours, idle=idle),
        current=asker.sign_in,
        name=asker.person.name if name is None else name,
        error=error,
    )


def door(request: Request, email: str) -> signing_in.Door:
    return signing_in.Door(email, request.client.host if request.client else "unknown")


def browser_of(request: Request) -> str:
    return request.headers.get("user-agent", "unknown")
