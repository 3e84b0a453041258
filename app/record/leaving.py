"""A chain as a file, one act a line in JSON, so that it can be kept where nobody who runs the database reaches, and
checked there without one.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from app.record.checking import ACTS_A_FETCH, IN_ORDER, follow
from app.record.keeping import canonical, moment_of

FIELDS = ("chain", "number", "at", "who", "token", "verb", "facts", "hash")


class NoActError(ValueError):
    """A line that is no act; says which and why."""


class Checked(NamedTuple):
    """The acts of a file up to the first that is wrong: how many, the last one's hash, and what is wrong after it."""

    acts: int
    head: str
    fault: str


def each_line(opened: Callable[[], AbstractContextManager[Session]], *, chain_id: str) -> Iterator[str]:
    """A part of the file after the other, from a session of its own."""
    with opened() as session:
        rows = session.execute(IN_ORDER, {"chain": chain_id}, execution_options={"yield_per": ACTS_A_FETCH})
        for part in rows.partitions():
            yield "".join(map(line_of, part))


def line_of(act: Iterable[Any]) -> str:
    told = dict(zip(FIELDS, act, strict=True))
    return canonical(told | {"at": moment_of(told["at"]), "facts": json.loads(told["facts"])}) + "\n"


def check_file(lines: Iterable[str], *, known: tuple[int, str] | None = None) -> Checked:
    """Whether each act follows from the one before it, and the one with the number `known` has the hash that was known
    of it. NoActError for a line that is none.
    """
    hashes: dict[int, str] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for place, line in enumerate(lines, 1):
            row = read_line(line, place)
            hashes[row[1]] = row[-1]
            yield row

    acts, head, fault = follow(rows())
    if not fault and known is not None and hashes.get(known[0]) != known[1]:
        fault = "it is missing" if known[0] not in hashes else "it is not the act that was known"
        return Checked(known[0] - 1, head, fault)
    return Checked(acts, head, fault)


def read_line(line: str, place: int) -> tuple[Any, ...]:
    """As `follow` takes it."""
    try:
        told = json.loads(line)
        chain, number, at, who, token, verb, facts, kept = (told[name] for name in FIELDS)
        return chain, int(number), datetime.fromisoformat(at), who, token, verb, canonical(facts), kept
    except (ValueError, KeyError, TypeError) as error:
        raise NoActError(f"Line {place} is no act of a record: it is damaged, or of another file.") from error
