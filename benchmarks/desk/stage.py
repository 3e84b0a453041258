"""The desk and the bare route, served on one database, and what a grade costs at each."""

import statistics
import sys
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
from benchmarks.servers import cpu_seconds, free_port, running
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
    with empty_database(engine, folder) as (url, database_process):
        scene = set_scene(url, documents)
        with serving(COMMANDS, scene, url, folder) as (ports, processes):
            yield Stage(scene, url, ports, processes, database_process)


@contextmanager
def empty_database(engine: str, folder: Path) -> Iterator[tuple[str, int | None]]:
    """Its address, and the id of its process where it has one."""
    if engine == "sqlite":
        yield f"sqlite:///{folder / 'desk.db'}", None
        return
    with running_cluster(on_disk=True) as cluster, fresh_database(cluster.url) as url:
        yield url.render_as_string(hide_password=False), cluster.process_id


@contextmanager
def serving(
    commands: Mapping[str, Sequence[str | Path]], scene: Scene, url: str, folder: Path
) -> Iterator[tuple[Mapping[str, int], Mapping[str, int]]]:
    """Each command's server, when it answers: its port, and its process."""
    with ExitStack() as stack:
        ports, processes = {}, {}
        for name, command in commands.items():
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
        yield ports, processes
