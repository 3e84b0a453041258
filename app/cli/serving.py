"""Serving: uvicorn, and a word on the terminal once it listens."""

import socket
from ipaddress import ip_address

import uvicorn

from app.errors import DomainError
from app.settings import Settings


class AnnouncedServer(uvicorn.Server):
    """Says where it listens only when it does, so that whoever follows the address at once finds somebody in."""

    set_up_code: str | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.should_exit:
            return
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        address, where = f"http://{openable(host)}:{port}", ""
        if ip_address(host).is_unspecified:
            where = ", and the other addresses of this machine"
        print(f"Adjudge serves {address}{where}", flush=True)
        if self.set_up_code is not None:
            print(f"Make the first account here, once: {address}/set-up/{self.set_up_code}", flush=True)


def openable(host: str) -> str:
    """What a browser can open: “every address” is none."""
    if ip_address(host).is_unspecified:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def serve_until_stopped(settings: Settings, host: str, port: int, set_up_code: str | None) -> None:
    """DomainError where it can't listen there."""
    config = uvicorn.Config(
        "app.main:serve_from_environment",
        factory=True,
        host=host,
        port=port,
        server_header=False,
        access_log=False,
        log_level="warning",
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=10,
        # Longer than proxies and clients keep a connection they may use again: the last one to close it decides.
        timeout_keep_alive=75,
    )
    server = AnnouncedServer(config)
    server.set_up_code = set_up_code
    listener = listen(host, port)
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
