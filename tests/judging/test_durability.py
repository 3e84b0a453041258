"""R2: acknowledged means on disk. Between a grade and its answer the kernel was asked to put the database's log on the
disk, and had done so before the answer was written.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.crashing import START_SECONDS, Trial
from tests.judging.test_crashes import stage
from tests.make import Cast
from tests.tracing import acknowledged_too_early, calls_in, exchanges_in, syncs_in, traced, watching

pytestmark = pytest.mark.soak
LOGS = {"sqlite": "-wal>", "postgresql": "/pg_wal/"}
"""What the name of a database's log holds, as strace shows it."""


def grade_in_turn(trial: Trial, grades: int) -> None:
    with httpx2.Client(
        base_url=f"http://127.0.0.1:{trial.port}/api/v1/projects/{trial.project_id}",
        headers={"Authorization": f"Bearer {trial.tokens[0]}"},
        timeout=60,
    ) as client, trial.log.open("a", encoding="utf-8") as log:  # fmt: skip
        pairs = trial.insist(client, "GET", "/assignments?state=all&limit=500")
        for number in range(grades):
            trial.press(client, pairs[number % len(pairs)], number % 4, log)


def count_early(cast: Cast, database_url: str, folder: Path, *, factory: str, grades: int) -> int:
    """How many of the grades were acknowledged before their sync, as far as the kernel could see."""
    trial = stage(cast, database_url, folder / "acknowledged.log", factory=factory, clients=2)
    trial.before = traced(folder / "server.trace")
    with database_watched(cast, database_url, folder / "database.trace"):
        server = trial.start()
        grade_in_turn(trial, grades)
        stop(server)
    calls = list(calls_in(folder / "server.trace"))
    of_database = calls if cast.database.is_sqlite else list(calls_in(folder / "database.trace"))
    exchanges = exchanges_in(calls)
    assert len(exchanges) == grades, "strace has not seen every grade"
    syncs = syncs_in(of_database, LOGS["sqlite" if cast.database.is_sqlite else "postgresql"])
    early = len(acknowledged_too_early(exchanges, syncs))
    print(f"{grades} grades, {len(syncs)} syncs of the log, {early} grades acknowledged before one")  # noqa: T201
    return early


@contextmanager
def database_watched(cast: Cast, database_url: str, log: Path) -> Iterator[None]:
    """PostgreSQL's processes, which write for ours; SQLite is in our own."""
    if cast.database.is_sqlite:
        yield
        return
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT pg_read_file('postmaster.pid', 0, 20)").fetchone()
    assert row is not None
    postmaster = int(str(row[0]).split()[0])
    listed = subprocess.run(["pgrep", "-P", str(postmaster)], capture_output=True, text=True, check=True)
    with watching([postmaster, *map(int, listed.stdout.split())], log):
        yield


def stop(server: subprocess.Popen[bytes]) -> None:
    """In order, so that strace writes down what it saw."""
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(timeout=START_SECONDS)


def test_a_thousand_grades_are_on_the_disk_before_they_are_acknowledged(
    cast: Cast, database_url: str, tmp_path: Path
) -> None:
    assert count_early(cast, database_url, tmp_path, factory="sound", grades=1000) == 0


def test_a_commit_after_the_answer_does_not_escape_the_trace(cast: Cast, database_url: str, tmp_path: Path) -> None:
    assert count_early(cast, database_url, tmp_path, factory="commits_after_the_answer", grades=1) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_database_that_does_not_sync_does_not_escape_the_trace(cast: Cast, database_url: str, tmp_path: Path) -> None:
    assert count_early(cast, database_url, tmp_path, factory="never_syncs", grades=20) == 20
