"""The desk under load, beside the least that a grade can cost: `python -m benchmarks.desk --help`.

Both servers stand on one database. Trials of the two alternate, so that other work on the machine falls on both, and
medians are compared. Ratios are printed only where every acknowledged grade stands in the database as it was sent.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Select, select

from app.db import Database
from app.judging.models import Grade
from benchmarks.desk.bare import PRESSES
from benchmarks.desk.pressing import Pressed, press
from benchmarks.desk.scene import Scene, set_scene
from benchmarks.servers import cpu_seconds, free_port, machine, running
from tests.postgres import fresh_database, running_cluster

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = ROOT.parent / "shared" / "data" / "liveqa-med" / "docs.jsonl"
PROGRAMS = Path(sys.executable).parent
COMMANDS: Mapping[str, Sequence[str | Path]] = {
    "desk": [PROGRAMS / "adjudge", "serve", "--port"],
    "bare": [PROGRAMS / "uvicorn", "benchmarks.desk.bare:serve", "--factory", "--no-access-log", "--log-level=warning",
             "--no-server-header", "--port"],
}  # fmt: skip
KEPT: Mapping[str, Select[*tuple[Any, ...]]] = {
    "desk": select(Grade.key, Grade.level).where(Grade.origin == "browser"),
    "bare": select(PRESSES),
}


class Trial(NamedTuple):
    """What one took."""

    per_second: float
    cpu: float
    """Processor time of the application's own process for a grade, in milliseconds."""
    database_cpu: float
    """The same of a database that is a process of its own."""
    median_wait: float
    """Milliseconds from the press to the whole answer; so too the next."""
    p95_wait: float


@dataclass(frozen=True)
class Stage:
    """Two servers on one database in which a scene is set."""

    scene: Scene
    url: str
    ports: Mapping[str, int]
    processes: Mapping[str, int]
    database_process: int | None

    def measure(self, name: str, *, clients: int, grades: int) -> Trial:
        press(self.ports[name], self.scene.desk, self.scene.secrets, clients=clients, grades=4 * clients)  # To warm up.
        cpu, database_cpu = cpu_seconds(self.processes[name]), self.database_seconds()
        done = press(self.ports[name], self.scene.desk, self.scene.secrets, clients=clients, grades=grades)
        cpu, database_cpu = cpu_seconds(self.processes[name]) - cpu, self.database_seconds() - database_cpu
        self.check(name, done, grades)
        waits = statistics.quantiles(done.waits, n=20)
        return Trial(
            per_second=grades / done.seconds,
            cpu=1000 * cpu / grades,
            database_cpu=1000 * database_cpu / grades,
            median_wait=1000 * waits[9],
            p95_wait=1000 * waits[18],
        )

    def database_seconds(self) -> float:
        return 0 if self.database_process is None else cpu_seconds(self.database_process)

    def check(self, name: str, done: Pressed, grades: int) -> None:
        """Leaves the program where an answer was wrong, or a grade is not in the database as it was acknowledged."""
        database = Database(self.url)
        with database.session(writes=False) as session:
            kept = {row.key: row.level for row in session.execute(KEPT[name])}
        database.close()
        wrong = [key for key, level in done.levels.items() if kept.get(key) != level]
        if done.faults or wrong or len(done.levels) != grades:
            raise SystemExit(
                f"No ratios: {name} acknowledged {len(done.levels)} of {grades} grades, "
                f"{len(wrong)} of them are not kept as sent. {done.faults[:3]}"
            )


@contextmanager
def set_stage(engine: str, documents: Path, folder: Path) -> Iterator[Stage]:
    with ExitStack() as stack:
        database_process = None
        if engine == "sqlite":
            url = f"sqlite:///{folder / 'desk.db'}"
        else:
            cluster = stack.enter_context(running_cluster())
            database_process = cluster.process_id
            url = stack.enter_context(fresh_database(cluster.url)).render_as_string(hide_password=False)
        scene = set_scene(url, documents)
        ports, processes = {}, {}
        for name, command in COMMANDS.items():
            ports[name] = free_port()
            ready = f"http://127.0.0.1:{ports[name]}{'/readyz' if name == 'desk' else scene.desk}"
            processes[name] = stack.enter_context(
                running(
                    [*command, str(ports[name])],
                    {"DATABASE_URL": url, "PYTHONPATH": str(ROOT)},
                    ready=ready,
                    log=folder / f"{name}.log",
                )
            )
        yield Stage(scene, url, ports, processes, database_process)


def middle(trials: Sequence[Trial]) -> Trial:
    return Trial(*(statistics.median(figures) for figures in zip(*trials, strict=True)))


def tell(name: str, clients: int, trial: Trial) -> None:
    print(
        f"  {name:5} {clients:2} clients  {trial.per_second:7.0f} grades/s  {trial.cpu:6.2f} ms CPU a grade "
        f"(database {trial.database_cpu:5.2f})  wait {trial.median_wait:6.2f} ms, p95 {trial.p95_wait:6.2f}",
        flush=True,
    )


def compare(stage: Stage, *, clients: int, grades: int, rounds: int) -> None:
    trials: dict[str, list[Trial]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, done in trials.items():
            done.append(stage.measure(name, clients=clients, grades=grades))
            tell(name, clients, done[-1])
    desk, bare = middle(trials["desk"]), middle(trials["bare"])
    print(
        f"  => {clients} clients: {desk.per_second / bare.per_second:.2f} of the bare route's grades a second, "
        f"{desk.cpu / bare.cpu:.2f} times its CPU ({desk.cpu:.2f} and {bare.cpu:.2f} ms)"
        + (f", with the database's {(desk.cpu + desk.database_cpu) / (bare.cpu + bare.database_cpu):.2f}"
           if stage.database_process else ""),
        flush=True,
    )  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.desk")
    options.add_argument("--engines", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"])
    options.add_argument("--clients", nargs="+", type=int, default=[1, 8])
    options.add_argument("--grades", type=int, default=1000, help="in a trial")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--documents", type=Path, default=DOCUMENTS, help="JSON lines with id, title, text and url")
    chosen = options.parse_args()
    print(machine())
    for engine in chosen.engines:
        with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder, \
                set_stage(engine, chosen.documents, Path(folder)) as stage:  # fmt: skip
            print(f"{engine}, {chosen.grades} grades a trial", flush=True)
            for clients in chosen.clients:
                compare(stage, clients=clients, grades=chosen.grades, rounds=chosen.rounds)


if __name__ == "__main__":
    main()
