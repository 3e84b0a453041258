"""What stands around every request: the refusal of other hosts and of cross-site writes, and limits of what is sent."""

import re
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.db import SAFE_METHODS
from app.errors import NotAllowed, OtherHost, TooLong
from app.headers import AnswerHeaders
from app.refusing import said
from app.settings import HOST, Settings
from app.web import is_api

NAMED_HOST = re.compile(HOST)
SAID_ONCE = ("authorization", "host", "origin", "sec-fetch-site")


class OtherHostRefusal:
    """Refuses requests that name another host: links would bear it, and a page of that site could read and write here.
    Starlette's own middleware says "Invalid host header", which leads nobody on. Whoever watches `/readyz` may do so by
    any address.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings) -> None:
        self.app = app
        self.hosts = settings.own_hosts
        self.public_url = settings.public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != "/readyz" and not self.is_own(Headers(scope=scope)):
            await said(Request(scope), self.refusal())(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def is_own(self, headers: Headers) -> bool:
        if self.hosts is None:
            return True
        named = [NAMED_HOST.fullmatch(each.lower()) for each in headers.getlist("host")]
        return len(named) == 1 and named[0] is not None and named[0][1] in self.hosts

    def refusal(self) -> OtherHost:
        sentence = "This request names another address than that of this installation."
        if self.public_url:
            return OtherHost(
                sentence, f"Open {self.public_url}. A proxy before it must pass on the Host that it was asked."
            )
        return OtherHost(sentence, "Open it as localhost, or set PUBLIC_URL to the address that people open.")


class CrossSiteRefusal:
    """Refuses unsafe requests that another site could have made a browser send."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not may_come_from_here(scope):
            error = NotAllowed(
                "This request came from another site, or from a client that does not say where it comes from.",
                "Use the page's own form, or the API with a bearer token and no cookie.",
            )
            await said(Request(scope), error)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def may_come_from_here(scope: Scope) -> bool:
    """Whether an unsafe request may go on: a token without a cookie can't be sent by somebody else's page; a browser
    says where it comes from in Sec-Fetch-Site, or over plain http at least in Origin; a script says nothing, and is
    heard where no cookie counts.
    """
    headers = Headers(scope=scope)
    if any(len(headers.getlist(name)) > 1 for name in SAID_ONCE):
        return False  # Whatever stands before this server may have looked at the other one.
    if headers.get("authorization", "").lower().startswith("bearer ") and "cookie" not in headers:
        return True
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        return False
    if site is not None:
        return site in {"same-origin", "none"}
    if origin is not None:
        return origin == f"{scope['scheme']}://{headers.get('host')}"
    return is_api(scope["path"]) and "cookie" not in headers


class HeadLikeGet:
    """Answers HEAD as GET is answered, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, send_head)


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


def too_long(limit: int) -> TooLong:
    return TooLong(f"What was sent is longer than the {limit:,} bytes allowed here.", "Send it in parts.")


def protect(app: FastAPI, settings: Settings) -> None:
    """Wraps the application; the last one added is the outermost."""
    app.add_middleware(HeadLikeGet)
    app.add_middleware(BodyLimit, form_bytes=settings.max_form_bytes, upload_bytes=settings.max_upload_bytes)
    app.add_middleware(CrossSiteRefusal)
    app.add_middleware(OtherHostRefusal, settings=settings)
    app.add_middleware(AnswerHeaders)
