"""Keeping the record: a verb tells what it did, and the transaction's last step chains it.

Who asks is the same for a whole transaction, so a guard says it once. An act is written with what it did, or not at
all: what is refused, and what a savepoint undoes, leaves none.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, bindparam, event, select, type_coerce, update
from sqlalchemy.orm import Session, SessionTransaction

from app.db import Base, now, write_last
from app.prepared import Addition, Prepared
from app.record.models import COMMAND, Act, Chain, Verb

ASKER, WAITING = "adjudge_asker", "adjudge_acts"


class Told(NamedTuple):
    """An act that waits for the end of its transaction."""

    chain_id: str
    verb: Verb
    facts: str
    savepoints: tuple[SessionTransaction, ...]
    """Those that it was told in: if one is undone, the act was none."""


def act_as(session: Session, person_id: str, *, token_id: str | None = None) -> None:
    """Says who asks in this transaction. Until somebody does, it is a command on the machine itself."""
    session.info[ASKER] = person_id, token_id


def record(session: Session, chain_id: str, verb: Verb, **facts: object) -> None:
    """Tells what was just done to the project `chain_id`, or to the INSTALLATION. `facts` are JSON."""
    waiting = session.info.get(WAITING)
    if waiting is None:
        waiting = session.info[WAITING] = []
        write_last(session, write_acts)
    waiting.append(Told(chain_id, verb, canonical(facts), tuple(savepoints(session))))


def begin_chain(session: Session, project_id: str) -> None:
    """The project's record begins; there is none without it, so that a head that was taken away is missed at once."""
    session.add(Chain(id=project_id))
    session.flush()


def head_of(session: Session, chain_id: str) -> tuple[int, str]:
    """Number and hash of the newest act that is kept by now."""
    acts, head = session.execute(HEAD, {"chain": chain_id}).one()
    return acts, head


def canonical(value: object) -> str:
    """JSON that is the same wherever it is made, in ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def seal(*values: object) -> str:
    """SHA-256 of these values: how an act names the whole content of a row elsewhere."""
    return hashlib.sha256(canonical(values).encode()).hexdigest()


def link(
    head: str, chain_id: str, number: int, moment: str, who: str, token_id: str | None, verb: str, facts: str
) -> str:
    """The act's hash, which follows from `head`, the hash before it."""
    return seal(head, chain_id, number, moment, who, token_id, verb, facts)


def moment_of(at: datetime | str) -> str:
    """A time to the microsecond as hashes hold it; `at` may also be what SQLite stores, whoever wrote it there."""
    if isinstance(at, str):
        return f"{at.replace(' ', 'T')}+00:00"
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def as_stored(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A time to select for `moment_of`, unread: what was put there by force may be no time at all."""
    return type_coerce(column, Text)


# At the end of a transaction


def write_acts(session: Session) -> None:
    """Chains what was told. Everything else is written by now: whoever else acts in the project waits for the head
    only as long as the commit takes. Chains go in one order, so that no two transactions wait for each other.
    """
    session.flush()
    told = sorted(session.info.pop(WAITING), key=attrgetter("chain_id"))
    for chain_id, acts in groupby(told, key=attrgetter("chain_id")):
        append(session, chain_id, list(acts))


def append(session: Session, chain_id: str, told: Sequence[Told]) -> None:
    who, token_id = session.info.get(ASKER, (COMMAND, None))
    number, head = LOCKED_HEAD.only(session, {"chain": chain_id})
    at = now()
    for act in told:
        number += 1
        head = link(head, chain_id, number, moment_of(at), who, token_id, act.verb, act.facts)
        row = {"chain_id": chain_id, "number": number, "at": at, "who": who, "token_id": token_id}
        ADD.run(session, row | {"verb": act.verb, "facts": act.facts, "hash": head})


def savepoints(session: Session) -> Iterator[SessionTransaction]:
    inner = session.get_nested_transaction()
    while inner is not None and inner.nested:
        yield inner
        inner = inner.parent


@event.listens_for(Session, "after_soft_rollback")
def forget_undone(session: Session, undone: SessionTransaction) -> None:
    waiting = session.info.get(WAITING)
    if waiting:
        waiting[:] = [told for told in waiting if undone not in told.savepoints]


# Statements, built once: this is the path of every grade.

CHAINS, ACTS = Base.metadata.tables[Chain.__tablename__], Base.metadata.tables[Act.__tablename__]
HEAD = select(CHAINS.c.acts, CHAINS.c.head).where(CHAINS.c.id == bindparam("chain"))
LOCKED_HEAD = Prepared(HEAD.with_for_update())
ADD = Addition(
    Act,
    update(CHAINS)
    .where(CHAINS.c.id == bindparam("new_chain_id"))
    .values(acts=bindparam("new_number"), head=bindparam("new_hash")),
)
