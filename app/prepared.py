"""Statements of the path of every grade: compiled once for each database, then handed to its driver as they are.

SQLAlchemy looks a statement up by a key as long as the statement itself, and wraps what comes back; for the short
statements of a grade both together take several times as long as the database does. See docs/decisions/desk-speed.md.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Insert, Select, Update, bindparam, insert
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.orm import Session

from app.db import DRIVER, Base, driver_of
from app.engines import keep_values_out

Process = Callable[[Any], Any]


class Compiled(NamedTuple):
    """A statement in one database's words."""

    text: str
    order: Sequence[str] | None
    """Names of the values in the order of their places; None where the driver takes them by name."""
    constants: Mapping[str, Any]
    """Values that stand in the statement itself."""
    given: Sequence[tuple[str, Process | None]]
    """Values that come with each execution, and what makes of them what is stored."""
    read: Sequence[Process | None] | None
    """What makes of each column what is read; None where all of them are as they come."""


class Prepared:
    """A Core statement whose values are all named by `bindparam`. What waits in the session is not written before."""

    def __init__(self, statement: Select[*tuple[Any, ...]] | Insert | Update) -> None:
        self.statement = statement
        self._compiled: dict[str, Compiled] = {}

    def rows(self, session: Session, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        driver, dialect = session.info.get(DRIVER) or driver_of(session)
        compiled = self._for(dialect)
        with telling_no_values(compiled.text, dialect):
            return as_read(execute(driver, compiled, values).fetchall(), compiled)

    def parts(self, session: Session, values: Mapping[str, Any], *, rows: int) -> Iterator[list[tuple[Any, ...]]]:
        """The same, so many rows at a time: were all held at once, Python would look through them again and again for
        what it may forget.
        """
        driver, dialect = session.info.get(DRIVER) or driver_of(session)
        compiled = self._for(dialect)
        with telling_no_values(compiled.text, dialect):
            cursor = execute(driver, compiled, values)
            while part := cursor.fetchmany(rows):
                yield as_read(part, compiled)

    def row(self, session: Session, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The only one; None where there is none."""
        rows = self.rows(session, values)
        assert len(rows) <= 1, "a statement that finds one row at most has found several"
        return rows[0] if rows else None

    def only(self, session: Session, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The one that must be there."""
        row = self.row(session, values)
        if row is None:
            raise NoResultFound("No row is there, and one must be.")
        return row

    def run(self, session: Session, values: Mapping[str, Any]) -> None:
        driver, dialect = session.info.get(DRIVER) or driver_of(session)
        compiled = self._for(dialect)
        with telling_no_values(compiled.text, dialect):
            execute(driver, compiled, values)

    def _for(self, dialect: Dialect) -> Compiled:
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = compiled_for(self.statement, dialect)
        return compiled


class Addition:
    """A new row, and an update of another that goes with it, which names the new row's values `new_` and their column.
    PostgreSQL takes both at once: each statement's way there and back costs as much as its work.
    """

    def __init__(self, model: type[Base], then: Update) -> None:
        columns = model.__table__.columns
        add = insert(model).values({column.name: bindparam(f"new_{column.name}") for column in columns})
        self._one_by_one = Prepared(add), Prepared(then)
        self._at_once = (Prepared(then.add_cte(add.cte("added"))),)

    def run(self, session: Session, row: Mapping[str, Any]) -> None:
        _, dialect = session.info.get(DRIVER) or driver_of(session)
        values = {f"new_{name}": value for name, value in row.items()}
        for statement in self._at_once if dialect.name == "postgresql" else self._one_by_one:
            statement.run(session, values)


def execute(driver: Any, compiled: Compiled, values: Mapping[str, Any]) -> Any:
    """The driver's cursor."""
    named = dict(compiled.constants)
    for name, process in compiled.given:
        named[name] = process(values[name]) if process else values[name]
    if compiled.order is None:
        # At once, and not when it has come five times: planning takes PostgreSQL longer than carrying it out.
        return driver.execute(compiled.text, named, prepare=True)
    return driver.execute(compiled.text, [named[name] for name in compiled.order])


def as_read(rows: list[tuple[Any, ...]], compiled: Compiled) -> list[tuple[Any, ...]]:
    read = compiled.read
    if read is None:
        return rows
    return [tuple(process(each) if process else each for process, each in zip(read, row, strict=True)) for row in rows]


@contextmanager
def telling_no_values(text: str, dialect: Dialect) -> Iterator[None]:
    """Raises the driver's errors as SQLAlchemy does."""
    try:
        yield
    except dialect.loaded_dbapi.Error as error:
        keep_values_out(error)
        raise DBAPIError.instance(
            text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
        ) from error


def compiled_for(statement: Select[*tuple[Any, ...]] | Insert | Update, dialect: Dialect) -> Compiled:
    compiled: Any = statement.compile(dialect=dialect)
    binds = {name: compiled.binds[name] for name in compiled.params}
    return Compiled(
        text=str(compiled),
        order=compiled.positiontup,
        constants={name: bind.value for name, bind in binds.items() if bind.value is not None},
        given=[
            (name, bind.type.dialect_impl(dialect).bind_processor(dialect))
            for name, bind in binds.items()
            if bind.value is None
        ],
        read=reading(statement, dialect) if isinstance(statement, Select) else None,
    )


def reading(statement: Select[*tuple[Any, ...]], dialect: Dialect) -> Sequence[Process | None] | None:
    found = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in statement.selected_columns]
    return found if any(found) else None
