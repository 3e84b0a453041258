"""What every answer has in common: headers, the refusal of cross-site writes, templates, and errors said in words."""

import hashlib
import json
import logging
import secrets
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel
from sqlalchemy.exc import DataError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.db import SAFE_METHODS
from app.errors import DomainError, PasswordNeeded, SignInNeeded, TooOften
from app.settings import ROOT, Settings
from app.words import FILTERS

API = "/api/v1"
COOKIE = "adjudge"
SECURE_COOKIE = "__Host-adjudge"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer forms would send `Origin: null`, and the cross-site check could not tell friend from foe.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
KEPT_FOR_EVER = "max-age=31536000, immutable"
log = logging.getLogger("adjudge")


class AnswerHeaders:
    """Puts the protecting headers and a request id on every answer, errors and exports included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(protecting_headers(scope))
                if "cache-control" not in headers:
                    headers["Cache-Control"] = KEPT_FOR_EVER if is_static(scope, message["status"]) else "no-store"
            await send(message)

        await self.app(scope, receive, send_with_headers)


def protecting_headers(scope: Scope) -> dict[str, str]:
    strict = {"Strict-Transport-Security": "max-age=31536000"} if scope["scheme"] == "https" else {}
    return {**HEADERS, "X-Request-Id": scope["state"]["request_id"], **strict}


def is_static(scope: Scope, status: int) -> bool:
    """Whether the answer is a file whose address holds its content's hash."""
    return status in (200, 206, 304) and bool(scope["path"].startswith("/static/"))


class CrossSiteRefusal:
    """Refuses unsafe requests that another site could have made a browser send."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not may_come_from_here(scope):
            error = DomainError(
                "This request came from another site, or from a client that does not say where it comes from.",
                "Use the page's own form, or the API with a bearer token and no cookie.",
            )
            error.status = 403
            await said(Request(scope), error)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def may_come_from_here(scope: Scope) -> bool:
    """Whether an unsafe request may go on: a token without a cookie can't be sent by somebody else's page; a browser
    says where it comes from in Sec-Fetch-Site, or over plain http at least in Origin; a script says nothing, and is
    heard where no cookie counts.
    """
    headers = Headers(scope=scope)
    if headers.get("authorization", "").lower().startswith("bearer ") and "cookie" not in headers:
        return True
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in {"same-origin", "none"}
    if origin is not None:
        return urlsplit(origin).netloc == headers.get("host")
    return is_api(scope["path"]) and "cookie" not in headers


def is_api(path: str) -> bool:
    return path.startswith(f"{API}/")


class BodyLimit:
    """Answers 413 as soon as a body is longer than it may be: files have one limit, everything else a far lower one."""

    def __init__(self, app: ASGIApp, *, form_bytes: int, upload_bytes: int) -> None:
        self.app = app
        self.form_bytes = form_bytes
        self.upload_bytes = upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            await self.app(scope, receive, send)
            return
        limit = self.upload_bytes if "/imports/" in scope["path"] else self.form_bytes
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdecimal() or int(announced) > limit:
            await said(Request(scope), too_long(limit))(scope, receive, send)
            return
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise too_long(limit)
            return message

        async def send_unless_too_long(message: Message) -> None:
            if received <= limit:
                await send(message)

        await self.app(scope, receive_counted, send_unless_too_long)
        if received > limit:  # Whoever read the body may have made a vaguer error of it.
            await said(Request(scope), too_long(limit))(scope, receive, send)


def too_long(limit: int) -> DomainError:
    error = DomainError(f"What was sent is longer than the {limit:,} bytes allowed here.", "Send it in parts.")
    error.status = 413
    return error


def protect(app: FastAPI, settings: Settings) -> None:
    """Wraps the application; the last one added is the outermost."""
    app.add_middleware(BodyLimit, form_bytes=settings.max_form_bytes, upload_bytes=settings.max_upload_bytes)
    app.add_middleware(CrossSiteRefusal)
    app.add_middleware(AnswerHeaders)
    # Starlette's annotation does not say that a handler gets only what it is registered for.
    app.add_exception_handler(DomainError, on_domain_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, on_unreadable)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, on_http_error)  # type: ignore[arg-type]
    app.add_exception_handler(DataError, on_unstorable)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, on_failure)


# Pages


@cache
def templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    environment.globals.update(static=static, vendor=vendor)
    return environment


@cache
def static(name: str) -> str:
    """The address of a file under static/, with its content's hash, so that a browser may keep it for ever."""
    digest = hashlib.sha256((ROOT / "static" / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


@cache
def vendor(name: str) -> str:
    """The address of a third party's script, which the install step put under static/vendor with its version."""
    found = sorted((ROOT / "static" / "vendor").glob(f"{name}-*.min.js"))
    if not found:
        raise DomainError(f"{name} is not installed under static/vendor.", "Run: make frontend")
    return f"/static/vendor/{found[-1].name}"


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A page from `templates/`, in the full frame or, where htmx asks, in a bare one."""
    frame = "bare.html" if request.headers.get("hx-request") == "true" else "frame.html"
    asker = getattr(request.state, "asker", None)
    html = (
        templates()
        .get_template(template)
        .render(
            request=request, path=request.url.path, frame=frame, asker=asker, seat=context.pop("seat", None), **context
        )
    )
    return HTMLResponse(html, status)


def see(address: str) -> RedirectResponse:
    """After a form was taken: look at `address` with a GET."""
    return RedirectResponse(address, 303)


def own_address(address: str | None) -> str:
    """`address` if it is a path on this site, else the start page: a link must not lead a signed-in person away."""
    if address and address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable():
        return address
    return "/"


# Errors


def said(request: Request, error: DomainError) -> Response:
    """`error` as JSON under the API, as a page elsewhere."""
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, TooOften) else {}
    if is_api(request.url.path):
        if isinstance(error, SignInNeeded):
            headers["WWW-Authenticate"] = "Bearer"
        answer: Response = JSONResponse({"error": as_json(error)}, error.status)
    else:
        answer = page(request, "error.html", status=error.status, error=error)
    answer.headers.update(headers)
    return answer


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
        (403, "A request that another site may have made a browser send."),
        (404, "Not there, or not for this token: the two are never told apart."),
        (409, "A rule says no; details name the conditions."),
        (410, "It was there, and is over."),
        (413, "Longer than what is taken."),
        (422, "It can't be read or is out of range; nothing was changed."),
    )
}
"""Every route of the API may answer these, in this one shape."""


def as_json(error: DomainError) -> dict[str, Any]:
    return {
        "status": error.status,
        "sentence": error.sentence,
        "way_out": error.way_out,
        "details": json.loads(json.dumps(error.details, default=str)),
    }


def on_domain_error(request: Request, error: DomainError) -> Response:
    is_page = not is_api(request.url.path) and request.headers.get("hx-request") != "true"
    if is_page and isinstance(error, SignInNeeded | PasswordNeeded):
        here = request.url.path if request.method in SAFE_METHODS else urlsplit(request.headers.get("referer", "")).path
        if request.method in SAFE_METHODS and request.url.query:
            here += f"?{request.url.query}"
        door = "/sign-in" if isinstance(error, SignInNeeded) else "/password"
        return see(f"{door}?next={quote(own_address(here))}")
    return said(request, error)


def on_unreadable(request: Request, error: RequestValidationError) -> Response:
    faults = [{"where": ".".join(str(part) for part in each["loc"]), "what": each["msg"]} for each in error.errors()]
    first = faults[0]
    unreadable = DomainError(
        f"{first['where']}: {first['what']}.", "Correct it and send it again; nothing was changed.", faults=faults
    )
    unreadable.status = 422
    return said(request, unreadable)


HTTP_SENTENCES: Mapping[int, tuple[str, str]] = {
    404: ("There is nothing here that you can see.", "Check the address, or ask the lead of the project."),
    405: ("This address can't be used that way.", "Go back and use the page's own buttons."),
}


def on_http_error(request: Request, error: HTTPException) -> Response:
    sentence, way_out = HTTP_SENTENCES.get(error.status_code, (str(error.detail), ""))
    refusal = DomainError(sentence, way_out)
    refusal.status = error.status_code
    answer = said(request, refusal)
    answer.headers.update(error.headers or {})
    return answer


def on_unstorable(request: Request, error: DataError) -> Response:
    """A value that the database can't hold, such as text with a NUL: PostgreSQL says so, whatever route it came by."""
    log.info("request %s sent a value that can't be stored: %s", request.state.request_id, type(error.orig).__name__)
    unstorable = DomainError(
        "What was sent holds a character or a number that can't be stored.", "Take it out; nothing was changed."
    )
    unstorable.status = 422
    return said(request, unstorable)


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
