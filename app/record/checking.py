"""Checking a chain: whether every act still is what it was when it was written, and none is missing."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from app.record.keeping import ACTS, CHAINS, as_stored, link, moment_of
from app.record.models import FIRST
from app.words import plural

ACTS_A_FETCH = 2000


class Fault(NamedTuple):
    """What is wrong in a chain, and from which act on; without a number where it is about none."""

    chain_id: str
    number: int | None
    sentence: str


def check_chains(session: Session) -> Iterator[Fault]:
    """The first fault of each chain."""
    heads = {chain_id: (acts, head) for chain_id, acts, head in session.execute(select(CHAINS))}
    for chain_id in sorted(heads.keys() | set(session.scalars(select(ACTS.c.chain_id).distinct()))):
        if chain_id not in heads:
            yield Fault(chain_id, None, "the chain has acts and no head")
            continue
        fault = check_chain(session, chain_id, *heads[chain_id])
        if fault:
            yield fault


def check_chain(session: Session, chain_id: str, acts: int, head: str) -> Fault | None:
    """`acts` and `head`: how many there are by the chain's own word, and the hash of the last."""
    with session.execute(IN_ORDER, {"chain": chain_id}, execution_options={"yield_per": ACTS_A_FETCH}) as rows:
        number, last, sentence = follow(rows)
    if sentence:
        return Fault(chain_id, number + 1, sentence)
    if number < acts:
        return Fault(
            chain_id, number + 1, f"it is missing, and so is all after it: the chain's head says {plural(acts, 'act')}"
        )
    if number > acts:
        return Fault(chain_id, acts + 1, f"it stands behind the chain's head, which says {plural(acts, 'act')}")
    return None if last == head else Fault(chain_id, number, "the chain's head is not its hash")


def follow(rows: Iterable[Row[*tuple[Any, ...]] | tuple[Any, ...]]) -> tuple[int, str, str]:
    """Number and hash of the last act that is whole, and what is wrong with the next; empty where there is none."""
    last, head = 0, FIRST
    for chain_id, number, at, who, token_id, verb, facts, kept in rows:
        if number != last + 1:
            return last, head, "it is missing"
        if kept != link(head, chain_id, number, moment_of(at), who, token_id, verb, facts):
            return last, head, "it is not what it was when it was written"
        last, head = number, kept
    return last, head, ""


IN_ORDER: Select[*tuple[Any, ...]] = (
    select(
        ACTS.c.chain_id,
        ACTS.c.number,
        as_stored(ACTS.c.at),
        ACTS.c.who,
        ACTS.c.token_id,
        ACTS.c.verb,
        ACTS.c.facts,
        ACTS.c.hash,
    )
    .where(ACTS.c.chain_id == bindparam("chain"))
    .order_by(ACTS.c.number)
)
