"""Serving: uvicorn, and a word on the terminal once it listens."""

import socket
from functools import partial
from ipaddress import ip_address

import uvicorn

from app.errors import DomainError
from app.main import create_app
from app.settings import Settings


class AnnouncedServer(uvicorn.Server):
    """Says where it listens only when it does, so that whoever follows the address at once finds somebody in."""

    def __init__(self, config: uvicorn.Config, settings: Settings, set_up_code: str | None) -> None:
        super().__init__(config)
        self.settings, self.set_up_code = settings, set_up_code

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.should_exit:
            return
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        print("\n".join(announcement(self.settings, host, port, self.set_up_code)), flush=True)


def announcement(settings: Settings, host: str, port: int, set_up_code: str | None) -> list[str]:
    """Where it is reached, what should be set, and where the first account is made."""
    address = settings.public_url or f"http://{openable(host)}:{port}"
    if settings.public_url:
        lines = [f"Adjudge serves {address}, and listens on {host}:{port}"]
    elif ip_address(host).is_unspecified:
        lines = [f"Adjudge serves {address}, and the other addresses of this machine"]
    else:
        lines = [f"Adjudge serves {address}"]
    if settings.own_hosts is None:
        lines.append(
            "Set PUBLIC_URL to the address that people open: without it, links bear whatever host a request names."
        )
    if set_up_code is not None:
        lines.append(f"Make the first account here, once: {address}/set-up/{set_up_code}")
    return lines


def openable(host: str) -> str:
    """What a browser can open: “every address” is none."""
    if ip_address(host).is_unspecified:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def serve_until_stopped(settings: Settings, set_up_code: str | None) -> None:
    """DomainError where it can't listen there."""
    config = uvicorn.Config(
        partial(create_app, settings),
        factory=True,
        host=settings.host,
        port=settings.port,
        server_header=False,
        access_log=False,
        log_level="warning",
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=10,
        # Longer than proxies and clients keep a connection they may use again: the last one to close it decides.
        timeout_keep_alive=75,
    )
    server = AnnouncedServer(config, settings, set_up_code)
    listener = listen(settings.host, settings.port)
    with listener:
        server.run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise DomainError(
            f"{host}:{port} can't be served: {error.strerror}.", "Stop what listens there, or give another --port."
        ) from error
