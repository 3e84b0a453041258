"""A trial of crashes: labellers grade over a real socket while the server's process group is killed again and again.

What the server acknowledged is written down outside it, by the clients. Afterwards the database is asked whether every
acknowledged grade is there, once, as it was acknowledged.
"""

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import httpx2
from sqlalchemy import select, text

from app.db import Database
from app.judging.models import Assignment, Grade

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS, ANSWER_SECONDS, AGAIN_SECONDS = 90, 30, 0.1


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@dataclass(frozen=True)
class Outcome:
    """What a trial found; `lost` and `doubled` are grades, by key."""

    acknowledged: int
    kept: int
    lost: Sequence[str]
    doubled: Sequence[str]
    altered: Sequence[str]
    """Kept under the key, but with another level or revision than was acknowledged."""
    miscounted: Sequence[str]
    """Assignments whose revision is not the number of their grades."""
    is_intact: bool
    """The database's own check of itself."""
    unexplained: Sequence[str] = ()
    """Answers to clients that no crash explains."""

    @property
    def is_sound(self) -> bool:
        return self.is_intact and not (self.lost or self.doubled or self.altered or self.miscounted or self.unexplained)


@dataclass
class Trial:
    """One trial: `tokens` are the labellers', each with assignments of its own in an open round."""

    database_url: str
    project_id: str
    tokens: Sequence[str]
    log: Path
    """Where clients write down what was acknowledged."""
    factory: str = "tests.crash_apps:sound"
    before: Sequence[str] = ()
    """A program that runs the server's command, with its options."""
    port: int = field(default_factory=free_port)
    stopping: threading.Event = field(default_factory=threading.Event)
    unexplained: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    """Keys as they are acknowledged, in order."""

    def run(self, *, kills: int, seed: int, between: tuple[float, float] = (0.0, 0.8)) -> Outcome:
        """Kills the server `kills` times, each at a random moment after as many grades were kept as there are clients:
        however slow the machine, every kill falls among grades.
        """
        moments = random.Random(seed)
        with self.log.open("a", encoding="utf-8") as log:
            server = self.start()
            clients = [
                threading.Thread(target=self.grade, args=(token, log, moments.randrange(2**32)), daemon=True)
                for token in self.tokens
            ]
            for client in clients:
                client.start()
            for _ in range(kills):
                self.wait_for_grades(len(self.heard) + len(self.tokens))
                time.sleep(moments.uniform(*between))
                kill(server)
                server = self.start()
            self.wait_for_grades(len(self.heard) + len(self.tokens))
            self.stopping.set()
            for client in clients:
                client.join(timeout=60)
            assert not any(client.is_alive() for client in clients), "a client never got its answer"
            kill(server)
        return replace(look(self.database_url, self.log), unexplained=tuple(self.unexplained))

    def wait_for_grades(self, number: int) -> None:
        """Until so many are acknowledged, or a client has given up, which the outcome will tell."""
        deadline = time.monotonic() + START_SECONDS
        while len(self.heard) < number and not self.unexplained:
            assert time.monotonic() < deadline, "hardly any grade was acknowledged"
            time.sleep(0.01)

    def start(self) -> subprocess.Popen[bytes]:
        """A server in a process group of its own, once it says that it is ready."""
        server = subprocess.Popen(
            [*self.before, sys.executable, "-m", "uvicorn", self.factory, "--factory", f"--port={self.port}",
             "--log-level=error"],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": self.database_url, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert server.poll() is None, "the server did not start"
            try:
                if httpx2.get(f"http://127.0.0.1:{self.port}/readyz", timeout=ANSWER_SECONDS).status_code == 200:
                    return server
            except httpx2.TransportError:
                time.sleep(AGAIN_SECONDS)
        kill(server)
        raise AssertionError("the server was not ready in time")

    def grade(self, token: str, log: IO[str], seed: int) -> None:
        """One labeller, at full speed: grades every pair, then grades them again; what is in doubt is sent again."""
        try:
            with httpx2.Client(
                base_url=f"http://127.0.0.1:{self.port}/api/v1/projects/{self.project_id}",
                headers={"Authorization": f"Bearer {token}"},
                timeout=ANSWER_SECONDS,
            ) as client:
                levels = random.Random(seed)
                pairs = self.insist(client, "GET", "/assignments?state=all&limit=500")
                for pair in endless(pairs):
                    if self.stopping.is_set():
                        return
                    self.press(client, pair, levels.randrange(4), log)
        except Exception as error:  # noqa: BLE001 - a thread's error must not vanish with it
            self.unexplained.append(repr(error))

    def press(self, client: httpx2.Client, pair: dict[str, Any], level: int, log: IO[str]) -> None:
        key = secrets.token_hex(16)
        body = {"level": level, "key": key, "revision": pair["revision"], "text_hash": pair["text_hash"]}
        answer = self.insist(client, "POST", f"/assignments/{pair['id']}/grades", body)
        pair["revision"] = answer["revision"]
        # One write of a whole line: lines of several clients never mix.
        log.write(f"{key} {pair['id']} {answer['revision']} {level}\n")
        log.flush()
        self.heard.append(key)

    def insist(self, client: httpx2.Client, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer, however often it has to be asked for: a dead server answers nothing."""
        deadline = time.monotonic() + 2 * START_SECONDS
        while time.monotonic() < deadline:
            try:
                response = client.request(method, path, json=body) if body else client.request(method, path)
            except httpx2.TransportError:
                time.sleep(AGAIN_SECONDS)
                continue
            if response.is_success:
                return response.json()
            raise AssertionError(f"{response.status_code}: {response.text}")
        raise AssertionError("no answer in time")


def look(database_url: str, log: Path) -> Outcome:
    """Compares what was acknowledged with what the database holds."""
    acknowledged = {key: rest for key, *rest in (line.split() for line in log.read_text("utf-8").splitlines())}
    with opened(database_url) as database, database.session(writes=False) as session:
        kept = session.execute(select(Grade.key, Grade.assignment_id, Grade.revision, Grade.level)).all()
        counts = Counter(row.assignment_id for row in kept)
        revisions = dict(session.execute(select(Assignment.id, Assignment.revision)).all())
        is_intact = not database.is_sqlite or session.scalar(text("PRAGMA integrity_check")) == "ok"
    times = Counter(row.key for row in kept)
    rows = {row.key: [row.assignment_id, str(row.revision), str(row.level)] for row in kept}
    return Outcome(
        acknowledged=len(acknowledged),
        kept=len(kept),
        lost=[key for key in acknowledged if key not in rows],
        doubled=[key for key, number in times.items() if number > 1],
        altered=[key for key, said in acknowledged.items() if key in rows and rows[key] != said],
        miscounted=[each for each, revision in revisions.items() if revision != counts[each]],
        is_intact=is_intact,
    )


def endless(pairs: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    assert pairs, "a labeller of the trial was dealt nothing"
    while True:
        yield from pairs


@contextmanager
def opened(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    try:
        yield database
    finally:
        database.close()


def kill(server: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the whole group that `start` made: nothing of it gets to clean up."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
