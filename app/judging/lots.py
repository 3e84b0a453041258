"""Chance that can be repeated: orders drawn by a seed, the same on every machine and in every version of Python."""

import hashlib
import secrets
from collections.abc import Iterable
from typing import Protocol, TypeVar

from app.errors import FieldError

SEED_END = 2**31
"""The column holds 32 bits with a sign."""


def lot(seed: int, purpose: str, *names: str) -> bytes:
    """What is sorted by: SHA-256 of the seed, what it is drawn for, and the outside names of what is drawn. Anybody
    who knows the seed can draw again; nobody can tell a rank from an order that it made.
    """
    return hashlib.sha256("\x1f".join((str(seed), purpose, *names)).encode()).digest()


class NamedPair(Protocol):
    """Whatever bears the outside ids of a pair."""

    @property
    def qid(self) -> str: ...
    @property
    def docno(self) -> str: ...


P = TypeVar("P", bound=NamedPair)


def in_order_shown(pairs: Iterable[P], labeller: str, *, seed: int) -> list[P]:
    """The query's documents as this labeller sees them: another order for everybody, and none that a run made."""
    return sorted(pairs, key=lambda pair: lot(seed, "order of documents", labeller, pair.qid, pair.docno))


def checked_seed(seed: int | None) -> int:
    """`seed`, or a fresh one that is short enough to be read out."""
    if seed is None:
        return secrets.randbelow(1_000_000)
    if not 0 <= seed < SEED_END:
        raise FieldError("seed", f"A seed is a whole number from 0 to {SEED_END - 1}.", "Leave it empty to draw one.")
    return seed
