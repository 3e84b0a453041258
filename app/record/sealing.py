"""Seals of rows elsewhere: an act tells, under `seals`, the hash of everything that it made or changed as it was then.

`adjudge verify` compares what the newest act about a row told with the row as it is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, select
from sqlalchemy.orm import Session

from app.db import Base, UtcTime
from app.record.keeping import as_stored, canonical, moment_of, seal

Seals = dict[str, dict[str, str]]
"""By table, or what else is sealed, and by id."""
UNSEALED = {"is_sealed": False}
"""The `info` of a column that no seal is of, since it may change without an act that seals it again."""
ROWS_A_FETCH = 2000


def seals_of(session: Session, *rows: Base) -> Seals:
    """Of each as it is in the database by now, also where somebody else changed another column of it meanwhile. What a
    transaction has written is its own until it ends, so that seals come into the record in the order of the changes.
    """
    session.flush()
    seals: Seals = {}
    for row in rows:
        session.refresh(row)
        values = {column.name: getattr(row, column.name) for column in sealed_columns(type(row))}
        seals.setdefault(row.__tablename__, {})[values["id"]] = seal_of_row(row.__tablename__, values.values())
    return seals


def stored_seals(session: Session, model: type[Base], *where: ColumnElement[bool]) -> Iterator[tuple[str, str]]:
    """Ids and seals of the rows as they are stored, in no order: of tables that fit in memory."""
    columns = sealed_columns(model)
    id_at = [column.name for column in columns].index("id")
    for row in session.execute(select(*map(unread, columns)).where(*where)).all():
        stored = [moment(value) if is_time(column) else value for column, value in zip(columns, row, strict=True)]
        yield row[id_at], seal_of_row(model.__tablename__, stored)


def seal_of_rows(rows: Iterable[Sequence[Any]]) -> str:
    """Of many rows in their order, which must be the same wherever they are read; one at a time is in memory."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(canonical([plain(value) for value in row]).encode() + b"\n")
    return digest.hexdigest()


def stream(session: Session, rows: Select[*tuple[Any, ...]]) -> Iterator[Any]:
    with session.execute(rows, execution_options={"yield_per": ROWS_A_FETCH}) as result:
        yield from result


def unread(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return as_stored(column) if is_time(column) else column


def seal_of_row(table: str, values: Iterable[Any]) -> str:
    return seal(table, *map(plain, values))


def sealed_columns(model: type[Base]) -> list[Column[Any]]:
    table: Any = model.__table__
    return [column for column in table.columns if column.info.get("is_sealed", True)]


def is_time(column: ColumnElement[Any]) -> bool:
    return isinstance(column.type, UtcTime)


def moment(value: Any) -> str | None:
    return None if value is None else moment_of(value)


def plain(value: Any) -> Any:
    """As JSON has it."""
    match value:
        case datetime():
            return moment_of(value)
        case bytes() | memoryview():
            return hashlib.sha256(value).hexdigest()
        case _:
            return value
