"""The application served over a real socket, for tests that drive a browser."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from playwright.sync_api import Browser, BrowserContext

from app.people.models import Person
from app.people.signing_in import open_sign_in
from app.web import COOKIE
from tests.make import Cast


@dataclass(frozen=True)
class LiveServer:
    """`cast.app` at `url`, on the same database as the rest of `cast`."""

    url: str
    cast: Cast

    def window(self, browser: Browser, person_id: str | None, **options: object) -> BrowserContext:
        """A window of its own in which the person is signed in, or nobody; addresses begin at the root: `/account`.

        `options` are Playwright's: viewport, color_scheme, java_script_enabled ...
        """
        context = browser.new_context(base_url=self.url, **options)  # type: ignore[arg-type]
        if person_id is not None:
            with self.cast.database.session(writes=True) as session:
                secret = open_sign_in(session, session.get_one(Person, person_id), browser="window")
            context.add_cookies([{"name": COOKIE, "value": secret, "url": self.url}])
        return context


@contextmanager
def serving(cast: Cast) -> Iterator[LiveServer]:
    """Serves on a free port of this machine, and stops when the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(cast.app, log_level="warning", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield LiveServer(f"http://localhost:{listener.getsockname()[1]}", cast)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        listener.close()
