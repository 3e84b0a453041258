"""Doubly judged pairs, counted: whatever is computed of them needs the counts only, never single pairs again."""

from dataclasses import dataclass

import numpy as np

from app.measures.doubles import Doubles
from app.measures.kappa import Counts


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What was counted over Q queries and the U labellers who took part, `people`; all else numbers labellers by it.

    `margins` (Q, U, K): how often each labeller gave each level in each query. `counts` (n, K, K): a table for each
    query and couple in it, ordered by query, with the lower-numbered labeller, `lower` (n,), in the rows. `couple` (n,)
    numbers the couples, ordered by their labellers.
    """

    people: Counts
    margins: Counts
    query: Counts
    lower: Counts
    higher: Counts
    couple: Counts
    counts: Counts


@dataclass(frozen=True, slots=True, eq=False)
class CoupleTables:
    """The same, each couple's queries together: `lower`, `higher` (C,), `counts` (C, K, K), ordered by couple."""

    lower: Counts
    higher: Counts
    counts: Counts


def count(doubles: Doubles) -> Tables:
    queries, query = _renumber(doubles.query, int(doubles.query.max(initial=-1)) + 1)
    people, both = _renumber(np.concatenate([doubles.a, doubles.b]), doubles.labellers)
    a, b = np.split(both, 2)
    once, shape = doubles.once_each(), (len(queries), len(people), doubles.levels)
    grade = (np.concatenate([query, query]) * shape[1] + both) * shape[2]
    grade += np.concatenate([doubles.level_a, doubles.level_b])
    margins = np.bincount(grade[once], minlength=int(np.prod(shape)))
    keys, key = _renumber((query * shape[1] + np.minimum(a, b)) * shape[1] + np.maximum(a, b), shape[0] * shape[1] ** 2)
    row = np.where(a < b, doubles.level_a, doubles.level_b)
    column = np.where(a < b, doubles.level_b, doubles.level_a)
    counts = np.bincount((key * shape[2] + row) * shape[2] + column, minlength=len(keys) * shape[2] ** 2)
    query_of_key, both_of_key = np.divmod(keys, max(shape[1], 1) ** 2)
    lower, higher = np.divmod(both_of_key, max(shape[1], 1))
    return Tables(
        people=people,
        margins=margins.reshape(shape),
        query=query_of_key,
        lower=lower,
        higher=higher,
        couple=_renumber(both_of_key, shape[1] ** 2)[1],
        counts=counts.reshape(len(keys), shape[2], shape[2]),
    )


def by_couple(tables: Tables) -> CoupleTables:
    couples = int(tables.couple.max(initial=-1)) + 1
    counts = np.zeros((couples, *tables.counts.shape[1:]), dtype=np.int64)
    np.add.at(counts, tables.couple, tables.counts)
    lower, higher = np.zeros((2, couples), dtype=np.int64)
    lower[tables.couple], higher[tables.couple] = tables.lower, tables.higher
    return CoupleTables(lower=lower, higher=higher, counts=counts)


def _renumber(keys: Counts, end: int) -> tuple[Counts, Counts]:
    """The different keys, ascending, and each key's place among them; keys run from 0 to below `end`."""
    if end > 8 * len(keys) + 1_000_000:
        return np.unique(keys, return_inverse=True)
    is_used = np.zeros(end, dtype=bool)
    is_used[keys] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[keys]
