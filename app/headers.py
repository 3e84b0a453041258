"""Headers that stand on every answer."""

import secrets
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {images}; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def policy_with(picture_hosts: Sequence[str] = ()) -> str:
    """The content policy of an answer that may show pictures of these hosts."""
    images = " ".join(["'self'", *(f"https://{host}" for host in picture_hosts)])
    return CONTENT_SECURITY_POLICY.format(images=images)


HEADERS = {
    "Content-Security-Policy": policy_with(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer forms would send `Origin: null`, and the cross-site check could not tell friend from foe.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # By which the desk tells an answer of ours from that of a network that wants a sign-in, or of a proxy at work.
    "Adjudge-Answer": "yes",
}
KEPT_FOR_EVER = "max-age=31536000, immutable"


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
    hosts = scope["state"].get("picture_hosts")
    own = {"Content-Security-Policy": policy_with(hosts)} if hosts else {}
    return {**HEADERS, **own, "X-Request-Id": scope["state"]["request_id"], **strict}


def is_static(scope: Scope, status: int) -> bool:
    """Whether the answer is a file whose address holds its content's hash."""
    return status in (200, 206, 304) and bool(scope["path"].startswith("/static/"))
