"""The product as people run it: `adjudge serve` in a process of its own, on a database of the test's."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.crashing import ROOT, free_port

START_SECONDS = 90
SET_UP = re.compile(r"https?://\S+/set-up/\S+")


@dataclass(frozen=True)
class Server:
    url: str
    set_up: str
    """The one-time address that it printed."""


@contextmanager
def served(database_url: str, uploads: Path) -> Iterator[Server]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", "from app.cli import main; main()", "serve", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": database_url, "UPLOADS_DIR": str(uploads), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    giving_up = threading.Timer(START_SECONDS, process.kill)
    giving_up.start()
    try:
        set_up = read_set_up(process)
        giving_up.cancel()
        # The tests' browser knows one name only.
        yield Server(f"http://localhost:{port}", set_up.replace("127.0.0.1", "localhost"))
    finally:
        giving_up.cancel()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        if process.stdout is not None:
            process.stdout.close()


def read_set_up(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        found = SET_UP.search(line)
        if found:
            return found.group()
    raise AssertionError("the server ended without printing a set-up address")
