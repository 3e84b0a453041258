"""Errors said in words: as a page, or in the API's one shape."""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from app.db import SAFE_METHODS
from app.errors import Busy, DomainError, InputError, NotThere, PasswordNeeded, SignInNeeded
from app.headers import protecting_headers
from app.web import API, headers_of, is_api, own_address, page, see

log = logging.getLogger("adjudge")


def said(request: Request, error: DomainError) -> Response:
    """`error` as JSON under the API, as a page elsewhere."""
    if is_api(request.url.path):
        who = {"WWW-Authenticate": "Bearer"} if isinstance(error, SignInNeeded) else {}
        return JSONResponse({"error": as_json(error)}, error.status, headers_of(error) | who)
    return page(request, "error.html", error=error, seat=getattr(request.state, "seat", None))


class Refusal(BaseModel):
    """What the API says where it refuses: why, and the way out. `details` name fields or conditions."""

    status: int
    sentence: str
    way_out: str
    details: dict[str, Any]


class Refused(BaseModel):
    error: Refusal


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refused, "description": description}
    for status, description in (
        (401, "No token, or one that is unknown, revoked or expired."),
        (403, "A token that only reads, or a request that another site may have made a browser send."),
        (404, "Not there, or not for this token: the two are never told apart."),
        (409, "A rule says no; details name the conditions."),
        (410, "It was there, and is over."),
        (413, "Longer than what is taken."),
        (421, "It names another host than this installation's."),
        (422, "It can't be read or is out of range; nothing was changed."),
        (503, "The database is busy or can't be reached; nothing was changed. Retry-After says when to ask again."),
    )
}
"""Every route of the API may answer these, in this one shape."""


def refuse_in_words(app: FastAPI) -> None:
    """Has the application say every error in words, whoever raises it."""
    # Starlette's annotation does not say that a handler gets only what it is registered for.
    app.add_exception_handler(DomainError, on_domain_error)  # type: ignore[arg-type]
    app.add_exception_handler(SignInNeeded, on_signed_out)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, on_unreadable)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, on_http_error)  # type: ignore[arg-type]
    app.add_exception_handler(DataError, on_unstorable)  # type: ignore[arg-type]
    app.add_exception_handler(OperationalError, on_busy)
    app.add_exception_handler(Exception, on_failure)


def on_busy(request: Request, error: Exception) -> Response:
    """Locked for too long by another process, or gone."""
    log.warning("the database could not be used: %s", error)
    return said(request, Busy())


def as_json(error: DomainError) -> dict[str, Any]:
    return {
        "status": error.status,
        "sentence": error.sentence,
        "way_out": error.way_out,
        "details": json.loads(json.dumps(error.details, default=str)),
    }


def on_domain_error(request: Request, error: DomainError) -> Response:
    if is_page(request) and isinstance(error, SignInNeeded | PasswordNeeded):
        door = "/sign-in" if isinstance(error, SignInNeeded) else "/password"
        return see(f"{door}?next={quote(page_of(request))}")
    return said_in_place(request, error)


async def on_signed_out(request: Request, error: SignInNeeded) -> Response:
    """What was sent waits in a page, to be sent again, unless nothing was or a secret is in it. A file is not read."""
    is_form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    if not is_page(request) or not is_form:
        return on_domain_error(request, error)
    fields = (await request.form()).multi_items()
    if not fields or any("password" in name or not isinstance(value, str) for name, value in fields):
        return on_domain_error(request, error)
    addresses = {"action": address_of(request), "here": page_of(request)}
    return page(request, "people/signed_out.html", status=error.status, fields=fields, addresses=addresses)


def is_page(request: Request) -> bool:
    return not is_api(request.url.path) and request.headers.get("hx-request") != "true"


def page_of(request: Request) -> str:
    """The address to come back to: of the page that was asked for, or that the form stood on."""
    if request.method in SAFE_METHODS:
        return address_of(request)
    return own_address(urlsplit(request.headers.get("referer", "")).path)


def address_of(request: Request) -> str:
    """With what it asks for."""
    return own_address(request.url.path + (f"?{request.url.query}" if request.url.query else ""))


def said_in_place(request: Request, error: DomainError) -> Response:
    """As `said`, under the menu of the project that the page is of, for its members."""
    if not is_api(request.url.path) and not hasattr(request.state, "seat"):
        request.app.state.find_seat(request)  # It leaves the seat where `said` looks for it.
    return said(request, error)


def on_unreadable(request: Request, error: RequestValidationError) -> Response:
    faults = [unreadable(each) for each in error.errors()]
    if any(fault.is_address for fault in faults):
        return said_in_place(request, NotThere())
    is_script = is_api(request.url.path)
    refusal = InputError(
        f"{faults[0].name} {faults[0].what}.",
        f"Correct it and send it again; nothing was changed. {API}/openapi.json says what is taken."
        if is_script
        else "Go back and correct it; nothing was changed.",
        faults=[{"where": fault.where, "what": fault.what} for fault in faults],
    )
    return said_in_place(request, refusal)


@dataclass(frozen=True)
class Fault:
    """What can't be read, and where: `where` is its place for a script, `name` what people know it by."""

    where: str
    name: str
    what: str
    is_address: bool
    """Whether it is a part of the path: then there is nothing under that address."""


FAULTS: Mapping[str, str] = {
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is too large a number",
    "int_from_float": "is not a whole number",
    "int_type": "is not a whole number",
    "float_parsing": "is not a number",
    "float_type": "is not a number",
    "finite_number": "is not a finite number",
    "bool_parsing": "is neither true nor false",
    "bool_type": "is neither true nor false",
    "string_type": "is not a text",
    "list_type": "is not a list",
    "model_attributes_type": "is not an object of named fields",
    "model_type": "is not an object of named fields",
    "missing": "is missing",
    "extra_forbidden": "is not asked here",
    "greater_than": "is not more than {gt}",
    "greater_than_equal": "is less than {ge}",
    "less_than": "is not less than {lt}",
    "less_than_equal": "is more than {le}",
    "literal_error": "is not one of {expected}",
    "json_invalid": "is not JSON: {error}",
    "value_error": "can't be taken: {error}",
}
"""What pydantic finds, by its name for it, in our words."""


BRANCH = re.compile(r"(constrained-)?(int|str|list|dict|float)(\[.*\])?")
"""What pydantic calls a way to read a field that can be read in several."""


def unreadable(found: Mapping[str, Any]) -> Fault:
    context = found.get("ctx", {})
    loc = [str(part) for part in found["loc"]]
    place = loc[:2] + [part for part in loc[2:] if not BRANCH.fullmatch(part)]
    what = FAULTS[found["type"]].format(**context) if found["type"] in FAULTS else f"can't be taken: {found['msg']}"
    # Of a field that an address names several times, which of them it was says nothing to people.
    named = place[1:2] if place[0] == "query" else place[1:]
    name = "The body" if found["type"] == "json_invalid" else ".".join(named) or "What was sent"
    given = found.get("input")
    if isinstance(given, str | int | float) and found["type"] != "missing":
        name += f" (“{str(given)[:60]}”)"
    return Fault(".".join(place), name, what.rstrip("."), is_address=place[0] == "path")


HTTP_SENTENCES: Mapping[int, tuple[str, str]] = {
    404: ("There is nothing here that you can see.", "Check the address, or ask the lead of the project."),
    405: ("This address can't be used that way.", "Go back and use the page's own buttons."),
}


def on_http_error(request: Request, error: HTTPException) -> Response:
    is_page = not is_api(request.url.path)
    if error.status_code == 405 and is_page and request.method in SAFE_METHODS and (form := form_page(request)):
        return see(form)
    sentence, way_out = HTTP_SENTENCES.get(error.status_code, (str(error.detail), "Send it again from its own page."))
    if error.status_code == 405 and not is_page:
        sentence = f"This address takes {(error.headers or {}).get('Allow', 'another method')}, not {request.method}."
        way_out = f"{API}/openapi.json lists what every address takes."
    refusal = DomainError(sentence, way_out)
    refusal.status = error.status_code
    answer = said_in_place(request, refusal)
    answer.headers.update(error.headers or {})
    return answer


def form_page(request: Request) -> str | None:
    """The page with the form whose address was opened like a page, after a reload perhaps: the one that app/main.py
    names for it, else the nearest page above.
    """
    path: str = request.url.path
    for pattern, page_of_form in request.app.state.forms_elsewhere.items():
        if re.fullmatch(pattern, path):
            return re.sub(pattern, page_of_form, path)
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        scope = {**request.scope, "path": path, "raw_path": path.encode(), "method": "GET"}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes):
            return path
    return None


def on_unstorable(request: Request, error: DataError) -> Response:
    """A value that the database can't hold, such as text with a NUL: PostgreSQL says so, whatever route it came by."""
    log.info("request %s sent a value that can't be stored: %s", request.state.request_id, type(error.orig).__name__)
    return said_in_place(
        request,
        InputError(
            "What was sent holds a character or a number that can't be stored.", "Take it out; nothing was changed."
        ),
    )


def on_failure(request: Request, error: Exception) -> Response:
    request_id = request.state.request_id
    log.error("request %s failed", request_id, exc_info=error)
    failure = DomainError(
        "Something went wrong here, and nothing was changed.",
        f"Try again; if it stays, tell whoever runs this installation the number {request_id}.",
    )
    failure.status = 500
    answer = said(request, failure)
    # Starlette answers a failure outside every middleware, so the headers are put on here.
    answer.headers.update(protecting_headers(request.scope) | {"Cache-Control": "no-store"})
    return answer
