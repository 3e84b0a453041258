"""How each database is opened: durable, patient, and told once whether it may write."""

import os
from pathlib import Path
from typing import Any

import pysqlite3
from sqlalchemy import URL, Engine, NullPool, create_engine, event
from sqlalchemy.engine import Connection, ExceptionContext

from app.errors import DomainError

FIRST_SOUND_SQLITE = (3, 51, 3)
"""Earlier engines, back to 3.7.0, can corrupt a WAL database when two connections write and checkpoint."""

PATIENCE_SECONDS = 30
"""How long a writer waits for one in another process before it gives up."""
FOR_READERS = ("query_only=ON", "cache_size=-32000")
"""With SQLite's own 2 MB of cache, what goes over all grades reads the same pages from the file again and again."""


def open_sqlite(url: URL, *, waits: bool = True, writes: bool = True) -> Engine:
    """Whether it may write is settled with the connection: at each change SQLite forgets every statement that it has
    prepared, and preparing them anew takes twice as long as carrying them out.
    """
    if pysqlite3.sqlite_version_info < FIRST_SOUND_SQLITE:
        raise DomainError(
            f"SQLite {pysqlite3.sqlite_version} can corrupt this database.", "Install the versions in requirements/."
        )
    if url.database and url.database != ":memory:":
        keep_private(Path(url.database))
    engine = create_engine(url.set(drivername="sqlite+pysqlite"), module=pysqlite3, **pool_of(waits=waits))
    patience = PATIENCE_SECONDS * 1000 if waits else 0

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # The driver must not open transactions of its own: "begin" below does.
        settings = (f"busy_timeout={patience}", "journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL")
        for pragma in settings if writes else (*settings, *FOR_READERS):
            connection.execute(f"PRAGMA {pragma}")
        if connection.execute("PRAGMA synchronous").fetchone() != (2,):
            raise DomainError("SQLite would not promise durable writes.", "Check the file system under the database.")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A deferred transaction that reads and then writes fails at once when another wrote meanwhile.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def keep_private(path: Path) -> None:
    """The file, and what SQLite puts beside it, is its owner's alone: it holds every grade and every name."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)
    if path.stat().st_uid == os.geteuid():
        path.chmod(0o600)


def open_postgresql(url: URL, *, waits: bool = True) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_pre_ping=waits,
        connect_args={} if waits else {"options": "-c lock_timeout=100"},
        **pool_of(waits=waits),
    )

    @event.listens_for(engine, "connect")
    def keep_plans(connection: Any, _record: object) -> None:
        # A statement that comes often is prepared. Left to itself PostgreSQL would plan the desk's joins anew each
        # time, which takes it ten times as long as to carry them out.
        connection.autocommit = True
        connection.execute("SET plan_cache_mode = force_generic_plan")
        # A plan may be made while a table is empty, and is kept while it grows: it must not be to read all of it. What
        # no index leads to is still read whole; its price must then not look worth compiling.
        connection.execute("SET enable_seqscan = off")
        connection.execute("SET jit = off")
        connection.autocommit = False

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("adjudge_writes", True):
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    @event.listens_for(engine, "handle_error")
    def tell_no_values(context: ExceptionContext) -> None:
        for error in (context.original_exception, context.sqlalchemy_exception):
            if error is not None:
                keep_values_out(error)

    @event.listens_for(engine, "first_connect")
    def check_durability(connection: Any, _record: object) -> None:
        for setting in ("fsync", "synchronous_commit"):
            if connection.execute(f"SHOW {setting}").fetchone() == ("off",):
                raise DomainError(f"PostgreSQL runs with {setting}=off: a grade could be lost.", f"Turn {setting} on.")
        connection.rollback()

    return engine


def keep_values_out(error: BaseException) -> None:
    """PostgreSQL repeats the whole row that it refuses; it may hold a secret, and what is logged must not."""
    error.args = tuple(str(part).partition("\nDETAIL:")[0] for part in error.args)


def pool_of(*, waits: bool) -> dict[str, Any]:
    """Nobody waits in a thread for a connection: turns keep the number of requests down, and streams come on top. An
    error that is logged names the statement and not its values: they may be secrets.
    """
    size: dict[str, Any] = {"pool_size": 8, "max_overflow": -1} if waits else {"poolclass": NullPool}
    return size | {"hide_parameters": True}
