"""The database: one code path for SQLite and PostgreSQL, one transaction a request, and the only commits there are."""

import asyncio
import logging
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import Depends, Request
from sqlalchemy import (
    DateTime,
    Executable,
    MetaData,
    String,
    Table,
    Text,
    insert,
    make_url,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.types import TypeDecorator

from app.engines import PATIENCE_SECONDS, open_postgresql, open_sqlite
from app.errors import Busy, DomainError

log = logging.getLogger("adjudge")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LAST = "adjudge_last"
GROWN = "adjudge_grown"
"""Where a session counts, by table, the rows that it copied and how many there were when PostgreSQL last took stock."""
DRIVER = "adjudge_driver"
"""Where a session holds what `driver_of` gives, looked up once for all statements of a grade."""
WRITERS = 2
"""Requests that have a thread in order to write to SQLite: one writes, and the next one waits to go on at once."""
MANY_ROWS = 500
"""From so many on it matters in which order PostgreSQL joins them."""
ID_LENGTH = 16
Bytewise = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts and compares by its bytes on both databases: outside ids."""


def new_id() -> str:
    """80 random bits as 16 letters and digits: the id of a row and, since it reveals no order, its address too."""
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    number = secrets.randbits(5 * ID_LENGTH)
    return "".join(alphabet[(number >> shift) & 31] for shift in range(0, 5 * ID_LENGTH, 5))


def now() -> datetime:
    return datetime.now(UTC)


class UtcTime(TypeDecorator[datetime]):
    """A moment, aware and in UTC; SQLite, which knows no zones, holds it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone was about to be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Every table; names of constraints follow one pattern, so that migrations can find them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcTime, str: Text}  # noqa: RUF012 - SQLAlchemy's own declaration style


Id = Annotated[str, mapped_column(String(ID_LENGTH))]


class Identified:
    """A table whose key is a random id of its own."""

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True, default=new_id)


class Database:
    """An engine and the sessions on it. Create it after any fork."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        if self.url.get_backend_name() not in {"sqlite", "postgresql"}:
            raise DomainError(
                "DATABASE_URL names neither SQLite nor PostgreSQL.", "Begin it with sqlite:/// or postgresql://."
            )
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self.engine, self._impatient = open_sqlite(self.url), open_sqlite(self.url, waits=False)
            self.reading = open_sqlite(self.url, writes=False)
        else:
            self.engine, self._impatient = open_postgresql(self.url), open_postgresql(self.url, waits=False)
            self.reading = self.engine.execution_options(adjudge_writes=False)
        self._writer = threading.Lock() if self.is_sqlite else None
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()

    @property
    def threads(self) -> int:
        """Requests worked on at once: more than four only wait for each other on SQLite."""
        return 4 if self.is_sqlite else 8

    @asynccontextmanager
    async def turn(self, *, writes: bool) -> AsyncIterator[None]:
        """A request's turn at the database, waited for without a thread.

        A request needs a thread for each of its steps, its last one included. Were the others to wait for the writer in
        threads, they would hold those that it needs to finish, and all would wait until the database gives up.
        """
        loop = asyncio.get_running_loop()
        turns = self._turns.setdefault(loop, Turns(self.threads))
        async with turns.writers if self.is_sqlite and writes else nullcontext(), turns.all:
            yield

    @contextmanager
    def session(self, *, writes: bool) -> Iterator[Session]:
        """One transaction: leave normally to keep it, raise to undo it."""
        engine = self.engine if writes else self.reading
        with self._alone(writes=writes), Session(engine, expire_on_commit=False) as session:
            session.info[DRIVER] = driver_of(session)
            try:
                yield session
                for write in session.info.pop(LAST, ()):
                    write(session)
                session.commit()
            except BaseException:
                # What was loaded stays readable: the page that tells of the error still says who asks.
                session.expunge_all()
                session.rollback()
                raise

    @contextmanager
    def _alone(self, *, writes: bool) -> Iterator[None]:
        """One writer at a time on SQLite. Who waits here goes on at once; SQLite itself would look now and then. Busy
        where the patience ends.
        """
        if self._writer is None or not writes:
            yield
            return
        if not self._writer.acquire(timeout=PATIENCE_SECONDS):
            raise Busy
        try:
            yield
        finally:
            self._writer.release()

    def note(self, session: Session, statement: Executable) -> None:
        """Writes what a later request may as well write: with `session`, or where that only reads, in a transaction of
        its own that waits for nobody.
        """
        if session.get_bind() is not self.reading:
            session.execute(statement)
            return
        try:
            with self._impatient.begin() as connection:
                connection.execute(statement)
        except OperationalError:
            log.debug("another request was writing; this was not noted")

    def close(self) -> None:
        for engine in (self.engine, self.reading, self._impatient):
            engine.dispose()


def driver_of(session: Session) -> tuple[Any, Dialect]:
    """The driver's own connection, which the session holds for its transaction, and the dialect."""
    connection = session.connection()
    return connection.connection.driver_connection, connection.dialect


def write_last(session: Session, write: Callable[[Session], None]) -> None:
    """Has `write` called when everything else in the transaction is done, just before it is kept."""
    session.info.setdefault(LAST, []).append(write)


def read_one_moment(session: Session) -> None:
    """For a transaction that has read nothing yet: whatever it reads is of one and the same moment, as on SQLite."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


class Turns:
    """Who may work on the database in one event loop: few writers on SQLite, and altogether as many as have threads."""

    def __init__(self, most: int) -> None:
        self.writers = asyncio.Semaphore(WRITERS)
        self.all = asyncio.Semaphore(most)


def insert_rows(session: Session, model: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Many rows at once, each with the same columns; the rest take their defaults only on SQLite, so give them all.

    PostgreSQL takes them by COPY, which is several times faster than statements, and holds every constraint as they do.
    """
    table = model.__table__
    assert isinstance(table, Table)
    if not rows:
        return
    if session.get_bind().dialect.name == "sqlite":
        session.execute(insert(table), rows)
        return
    _copy_rows(session, table, rows)


def plan_each_time(session: Session) -> None:
    """For the rest of a transaction that fills tables: PostgreSQL would keep a plan that it made while a table was
    empty, and read all of it each time as it grows. SQLite chooses its index whatever the size.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET LOCAL plan_cache_mode = force_custom_plan"))


@contextmanager
def joining_whole_tables(session: Session) -> Iterator[None]:
    """For a statement over all of a project. Where a project is newer than PostgreSQL's last count of the tables, it
    expects a row or two, and goes through one table for each row of another: seconds for three hundred grades. Joined
    by hashes they cost the same, whatever it expects.
    """
    if session.get_bind().dialect.name == "sqlite":
        yield
        return
    session.execute(text("SET LOCAL enable_nestloop = off"))
    yield
    session.execute(text("SET LOCAL enable_nestloop = on"))


def _copy_rows(session: Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    session.flush()
    driver, dialect = driver_of(session)
    names = list(rows[0])
    bind = [table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names]
    prepare = dialect.identifier_preparer
    columns = ", ".join(prepare.quote(name) for name in names)
    name_of_table = prepare.format_table(table)
    with driver.cursor() as cursor, cursor.copy(f"COPY {name_of_table} ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([each(row[name]) if each else row[name] for each, name in zip(bind, names, strict=True)])
    _take_stock(session, name_of_table, len(rows))


def _take_stock(session: Session, table: str, copied: int) -> None:
    """Has PostgreSQL count a table whenever it has doubled. It would do so itself up to a minute after the transaction;
    until then it plans as if there were a handful of rows, and joins them each with each: minutes for milliseconds.
    """
    rows, counted = session.info.setdefault(GROWN, {}).get(table, (0, 0))
    rows += copied
    if rows >= max(MANY_ROWS, 2 * counted):
        # Another transaction may be counting the same table; both would otherwise wait for each other's end.
        session.execute(text(f"ANALYZE (SKIP_LOCKED) {table}"))
        counted = rows
    session.info[GROWN][table] = (rows, counted)


async def take_turn(request: Request) -> AsyncIterator[None]:
    database: Database = request.app.state.database
    async with database.turn(writes=request.method not in SAFE_METHODS):
        yield


def open_session(
    request: Request, _turn: Annotated[None, Depends(take_turn, scope="function")] = None
) -> Iterator[Session]:
    """The request's transaction: it ends before a byte of the answer leaves, and only a safe method's can't write."""
    database: Database = request.app.state.database
    with database.session(writes=request.method not in SAFE_METHODS) as session:
        yield session


SessionDep = Annotated[Session, Depends(open_session, scope="function")]
