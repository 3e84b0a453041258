"""The agreement page over 100,000 grades, and what its live refresh costs the desk: `python -m benchmarks.agreement`.

To the desk's scene (`benchmarks/desk/scene.py`) is added a past: 1,000 queries of 50 pairs, each judged by two of the
labellers, who rotate. The page is asked for at a server that started two seconds ago, again, and after twenty grades.
Then eight grades a second are given, as two hundred labellers would, while three leads have the page open and while
nobody does, in turns.
"""

import argparse
import random
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import combinations
from pathlib import Path

from sqlalchemy import select

from app.corpora.models import Document
from app.db import Database
from app.projects.models import Member
from benchmarks.desk.pressing import Connection, Pressed, press
from benchmarks.desk.scene import Scene, analyse, set_scene
from benchmarks.desk.stage import COMMANDS, DOCUMENTS, empty_database, serving
from benchmarks.servers import cpu_seconds, machine
from tests.agreement.judged import Said, judge

QUERIES, POOL_SIZE = 1000, 50
LEADS, POLL_SECONDS, PAUSE = 3, 20, 1 / 8
SETTLED = 2
"""Seconds after its start by which a server has loaded what it loads beside its first answers."""
LIVE = re.compile(rb'id="answer"[^>]* hx-get="([^"]+)"')


def judge_past(url: str, project_id: str) -> None:
    """A closed main round of the labellers: a level in six is anyone's guess."""
    draw, database = random.Random(5), Database(url)
    with database.session(writes=True) as session:
        docnos = session.scalars(select(Document.docno).where(Document.project_id == project_id)).all()
        names = session.scalars(
            select(Member.name).where(Member.project_id == project_id, Member.role == "labeller").order_by(Member.name)
        ).all()
        couples = list(combinations(names, 2))
        said: list[Said] = []
        for at in range(QUERIES):
            for docno in draw.sample(docnos, POOL_SIZE):
                due = draw.choices(range(4), (60, 20, 13, 7))[0]
                levels = (draw.randrange(4) if draw.random() < 1 / 6 else due for _ in range(2))
                said += [(f"past {at}", docno, *each) for each in zip(couples[at % len(couples)], levels, strict=True)]
        judge(session, project_id, said, kind="main")
    analyse(database)
    database.close()


class Server:
    """The application in a process of its own, as leads and labellers meet it."""

    def __init__(self, scene: Scene, port: int, process: int, database_process: int | None) -> None:
        self.scene, self.port = scene, port
        self.renewed = 0
        """How often a lead who watches got another answer."""
        self.processes = [process, *([database_process] if database_process else [])]

    def press(self, grades: int, *, pause: float = 0) -> Pressed:
        done = press(self.port, self.scene.desk, self.scene.secrets, clients=1, grades=grades, pause=pause)
        if done.faults or len(done.levels) != grades:
            raise SystemExit(f"No figures: {len(done.levels)} of {grades} grades, {done.faults[:3]}")
        return done

    def press_until(self, end: float) -> list[float]:
        """Not as fast as they are answered: a server that is never idle has no time to spare for anybody."""
        waits: list[float] = []
        while time.monotonic() < end:
            waits += self.press(32, pause=PAUSE).waits
        return waits

    def show(self, what: str) -> bytes:
        """The agreement page, as the lead gets it; says how long it took."""
        lead, path = Connection(self.port, self.scene.lead), f"/projects/{self.scene.project_id}/agreement"
        cpu, started = cpu_seconds(*self.processes), time.perf_counter()
        answer = lead.get(path)
        seconds, cpu = time.perf_counter() - started, cpu_seconds(*self.processes) - cpu
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"No figures: {answer[:300]!r}")
        print(f"  {what:28} {seconds:6.3f} s, {cpu:5.2f} s CPU", flush=True)
        return answer

    @contextmanager
    def watched(self, page: bytes) -> Iterator[None]:
        """Leads who have the page open: each asks for the answer every twenty seconds, at a moment of their own."""
        is_over, threads = threading.Event(), []
        for lead in range(LEADS):
            threads.append(threading.Thread(target=self.watch, args=(page, lead, is_over)))
            threads[-1].start()
        try:
            yield
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def watch(self, page: bytes, lead: int, is_over: threading.Event) -> None:
        connection, wait = Connection(self.port, self.scene.lead), lead * POLL_SECONDS / LEADS
        while not is_over.wait(wait):
            live = LIVE.search(page)
            if live is None:
                raise SystemExit("The page does not refresh itself.")
            answer = connection.get(live[1].decode().replace("&amp;", "&"))
            page = answer if answer.startswith(b"HTTP/1.1 200 ") else page
            wait = POLL_SECONDS
            self.renewed += page is answer


def compare(server: Server, page: bytes, *, seconds: float, rounds: int) -> None:
    waits: dict[str, list[float]] = {"alone": [], "watched": []}
    for _ in range(rounds):
        for name in waits:
            cpu = cpu_seconds(*server.processes)
            with server.watched(page) if name == "watched" else nullcontext():
                found = server.press_until(time.monotonic() + seconds)
            cpu = cpu_seconds(*server.processes) - cpu
            tell(name, found, f"{1000 * cpu / len(found):.2f} ms CPU a grade")
            waits[name] += found
    for name, found in waits.items():
        tell(f"all {name}", found, "")
    ratio = p95(waits["watched"]) / p95(waits["alone"])
    print(
        f"  => a grade's p95 while {LEADS} leads watch, who got {server.renewed} new answers:"
        f" {ratio:.2f} of what it is alone",
        flush=True,
    )


def tell(name: str, waits: Sequence[float], more: str) -> None:
    median = 1000 * statistics.median(waits)
    print(
        f"  {name:12} {len(waits):6} grades  median {median:6.2f} ms, p95 {1000 * p95(waits):6.2f}  {more}", flush=True
    )


def p95(waits: Sequence[float]) -> float:
    return statistics.quantiles(waits, n=20)[18]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.agreement")
    options.add_argument("--engines", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"])
    options.add_argument("--seconds", type=float, default=60, help="of pressing in a trial")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--documents", type=Path, default=DOCUMENTS, help="JSON lines with id, title, text and url")
    chosen = options.parse_args()
    print(machine())
    for engine in chosen.engines:
        with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder, \
                empty_database(engine, Path(folder)) as (url, database_process):  # fmt: skip
            scene = set_scene(url, chosen.documents)
            judge_past(url, scene.project_id)
            print(f"{engine}, {QUERIES * POOL_SIZE * 2:,} grades of {len(scene.secrets)} labellers", flush=True)
            with serving({"desk": COMMANDS["desk"]}, scene, url, Path(folder)) as (ports, processes):
                server = Server(scene, ports["desk"], processes["desk"], database_process)
                time.sleep(SETTLED)
                server.show("asked for the first time")
                server.show("again")
                server.press(20)
                page = server.show("after twenty grades")
                if chosen.rounds:
                    compare(server, page, seconds=chosen.seconds, rounds=chosen.rounds)


if __name__ == "__main__":
    main()
