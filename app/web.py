"""Pages: templates, addresses of static files, and the answers that every slice gives."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.types import Receive, Scope, Send

from app.errors import DomainError, Later
from app.settings import ROOT
from app.words import FILTERS

API = "/api/v1"
COOKIE = "adjudge"
SECURE_COOKIE = "__Host-adjudge"


def is_api(path: str) -> bool:
    return path.startswith(f"{API}/")


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


def page(
    request: Request, template: str, *, status: int = 200, error: DomainError | None = None, **context: Any
) -> HTMLResponse:
    """A page from `templates/`, in the full frame or, where htmx asks, in a bare one. With an `error` it is a form that
    could not be taken, which shows what is wrong, and has the error's status.
    """
    frame = "bare.html" if request.headers.get("hx-request") == "true" else "frame.html"
    asker = getattr(request.state, "asker", None)
    html = (
        templates()
        .get_template(template)
        .render(
            request=request,
            path=request.url.path,
            frame=frame,
            asker=asker,
            seat=context.pop("seat", None),
            error=error,
            **context,
        )
    )
    return HTMLResponse(html, error.status if error else status, headers_of(error))


def let_pictures(request: Request, hosts: Sequence[str]) -> None:
    """Has the answer's content policy let pictures of these hosts through; on every other page it is our own alone."""
    request.state.picture_hosts = hosts


class Late(Response):
    """An answer that is made when the request's transaction is over, so that nobody waits for the database meanwhile.
    Everything that it needs was read before.
    """

    def __init__(self, make: Callable[[], Response]) -> None:
        super().__init__()
        self.make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.make()(scope, receive, send)


def headers_of(error: DomainError | None) -> dict[str, str]:
    return {"Retry-After": str(error.retry_after)} if isinstance(error, Later) else {}


def address_of(request: Request, path: str) -> str:
    """`path` as people open it: under PUBLIC_URL or, where that is not set, under the host that the request names."""
    return (request.app.state.settings.public_url or str(request.base_url).rstrip("/")) + path


def see(address: str) -> RedirectResponse:
    """After a form was taken: look at `address` with a GET."""
    return RedirectResponse(address, 303)


def own_address(address: str | None) -> str:
    """`address` if it is a path on this site, else the start page: a link must not lead a signed-in person away."""
    if address and address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable():
        return address
    return "/"
