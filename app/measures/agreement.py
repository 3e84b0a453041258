"""Agreement of people who graded the same pairs.

Pooled weighted kappa for labellers who rotate (for two it is Cohen's), each couple's own, each labeller against the
rest, and a leave-one-query-out jackknife, because the pairs of one query are not independent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.measures.doubles import Doubles
from app.measures.kappa import NO_PAIRS, ONE_LEVEL, Counts, Numbers, Weights, distance, kappa, weights
from app.measures.undefined import MeasureError, Undefined

__all__ = ["Agreement", "Couple", "Doubles", "VersusRest", "Weights", "agreement", "kappa", "weights"]


@dataclass(frozen=True, eq=False)
class Couple:
    """Two labellers' own table (rows a, columns b) and their Cohen's kappa: shown, not judged."""

    a: int
    b: int
    pairs: int
    kappa: float | Undefined
    table: Counts


@dataclass(frozen=True, slots=True)
class VersusRest:
    """Pooled kappa over one labeller's pairs, everybody's distribution of levels being that of the whole.

    The interval leaves out each of this labeller's queries in turn. `levels_used` counts different levels.
    """

    labeller: int
    pairs: int
    queries: int
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined
    mean_level: float
    levels_used: int

    @property
    def low(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[0]

    @property
    def high(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[1]


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """What the doubly judged pairs say. `table` sums the couples' tables, the lower-indexed labeller in the rows.

    A pair that three people graded is one of `pairs`, and stands in the table once for each of its three couples. The
    interval is kappa plus and minus its half-width, never cut off at 1.
    """

    kind: Weights
    confidence: float
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined
    pairs: int
    queries: int
    table: Counts
    exact: float | Undefined
    within_one: float | Undefined
    couples: tuple[Couple, ...]
    versus_rest: tuple[VersusRest, ...]

    @property
    def low(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[0]

    @property
    def high(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[1]


def agreement(doubles: Doubles, kind: Weights = "linear", confidence: float = 0.95) -> Agreement:
    """Pooled kappa with its jackknife interval, couples, and each labeller versus the rest.

    kappa = 1 - sum_c n_c D_o(c) / sum_c n_c D_e(c), with each labeller's distribution of levels taken over all of that
    labeller's doubly judged pairs; for two labellers it is Cohen's. The interval is kappa plus and minus
    t sqrt((Q-1)/Q sum (kappa_without_q - their mean)^2) with Q-1 degrees of freedom.
    """
    if not 0 < confidence < 1:
        raise MeasureError("Confidence lies between 0 and 1, as in .95.")
    tables = _tables(doubles)
    observed, expected = _without_each(tables, distance(doubles.levels, kind))
    pooled = _kappas(observed.sum(axis=1), expected.sum(axis=1))
    table = tables.counts.sum(axis=0)
    return Agreement(
        kind=kind,
        confidence=confidence,
        kappa=_as_number(pooled[-1], doubles.pairs),
        interval=_interval(pooled, np.ones(len(pooled) - 1, dtype=bool), confidence),
        pairs=doubles.pairs,
        queries=len(pooled) - 1,
        table=table,
        exact=_share_within(table, 0),
        within_one=_share_within(table, 1),
        couples=_couples(tables, kind),
        versus_rest=_versus_rest(tables, _kappas(observed, expected), confidence),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The grades, counted: everything below works on these and never on single pairs again.

    `margins` (Q+1, U, K): how often each labeller gave each level in each query; its last row is empty, so that leaving
    it out leaves out nothing. `counts` (n, K, K): one table for each query and couple in it, ordered by query, with
    the lower-indexed labeller in the rows. `people` (U,) are the labellers who took part; `lower`, `higher` (n,) and
    all else count along it.
    """

    people: Counts
    margins: Counts
    query: Counts
    lower: Counts
    higher: Counts
    counts: Counts


def _tables(doubles: Doubles) -> _Tables:
    grade_query, grade_labeller, grade_level = doubles.grades()
    people, labeller = _renumber(grade_labeller, doubles.labellers)
    queries, query = _renumber(grade_query, int(doubles.query.max(initial=-1)) + 1)
    shape = (len(queries) + 1, len(people), doubles.levels)
    margins = np.bincount(np.ravel_multi_index((query, labeller, grade_level), shape), minlength=int(np.prod(shape)))
    key, cell = _cells(doubles, people, queries)
    tables, table = _renumber(key, len(queries) * len(people) ** 2)
    counts = np.bincount(table * doubles.levels**2 + cell, minlength=len(tables) * doubles.levels**2)
    query_of_table, couple = np.divmod(tables, max(len(people), 1) ** 2)
    lower, higher = np.divmod(couple, max(len(people), 1))
    return _Tables(
        people=people,
        margins=margins.reshape(shape),
        query=query_of_table,
        lower=lower,
        higher=higher,
        counts=counts.reshape(len(tables), doubles.levels, doubles.levels),
    )


def _cells(doubles: Doubles, people: Counts, queries: Counts) -> tuple[Counts, Counts]:
    """For each place of `doubles`: a number for its query and couple, and the cell of that couple's (K, K) table."""
    query = np.searchsorted(queries, doubles.query)
    a, b = np.searchsorted(people, doubles.a), np.searchsorted(people, doubles.b)
    row = np.where(a < b, doubles.level_a, doubles.level_b)
    column = np.where(a < b, doubles.level_b, doubles.level_a)
    key = (query * len(people) + np.minimum(a, b)) * len(people) + np.maximum(a, b)
    return key, row * doubles.levels + column


def _without_each(tables: _Tables, steps: Counts) -> tuple[Counts, Numbers]:
    """Observed and expected disagreement over each labeller's pairs, both (Q+1, U).

    Row q leaves query q out, the last row leaves out none. Every place stands under both of its labellers. All terms
    are sums of non-negative products, so that an expected disagreement is 0 exactly where whole numbers say so.
    """
    observed = np.zeros(tables.margins.shape[:2], dtype=np.int64)
    disagreement = (tables.counts * steps).sum(axis=(1, 2))
    np.add.at(observed, (tables.query, tables.lower), disagreement)
    np.add.at(observed, (tables.query, tables.higher), disagreement)
    remaining = tables.margins.sum(axis=0) - tables.margins
    shares = remaining / np.maximum(remaining.sum(axis=2, keepdims=True), 1)
    expected = np.empty(observed.shape)
    rows = max(1, 2_000_000 // max(len(tables.people), 1) ** 2)  # One block of couples' counts takes some 16 MB.
    for start in range(0, len(expected), rows):
        share = shares[start : start + rows]
        together = _pairs_together(tables, start, len(share))
        expected[start : start + rows] = ((share @ steps) * (together @ share)).sum(axis=2)
    return observed.sum(axis=0) - observed, expected


def _pairs_together(tables: _Tables, start: int, rows: int) -> Numbers:
    """Pairs of each two labellers without query start, start + 1, …: (rows, U, U), symmetric, whole numbers."""
    pairs = tables.counts.sum(axis=(1, 2))
    together = np.zeros((len(tables.people), len(tables.people)))
    np.add.at(together, (tables.lower, tables.higher), pairs)
    left = np.repeat(together[np.newaxis], rows, axis=0)
    here = slice(*np.searchsorted(tables.query, [start, start + rows]).tolist())
    left[tables.query[here] - start, tables.lower[here], tables.higher[here]] -= pairs[here]
    symmetric: Numbers = left + left.transpose(0, 2, 1)
    return symmetric


def _kappas(observed: Counts, expected: Numbers) -> Numbers:
    """Kappas of any shape; NaN stands for undefined inside this file only."""
    ratio: Numbers = np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return 1.0 - ratio


def _couples(tables: _Tables, kind: Weights) -> tuple[Couple, ...]:
    people = len(tables.people)
    keys, place = _renumber(tables.lower * people + tables.higher, people**2)
    counts = np.zeros((len(keys), *tables.counts.shape[1:]), dtype=np.int64)
    np.add.at(counts, place, tables.counts)
    return tuple(
        Couple(
            a=int(tables.people[key // people]),
            b=int(tables.people[key % people]),
            pairs=int(table.sum()),
            kappa=kappa(table, kind),
            table=table,
        )
        for key, table in zip(keys.tolist(), counts, strict=True)
    )


def _versus_rest(tables: _Tables, kappas: Numbers, confidence: float) -> tuple[VersusRest, ...]:
    """One entry for each labeller who took part; `kappas` is (Q+1, U)."""
    return tuple(
        _one_versus_rest(labeller, tables.margins[:, place], kappas[:, place], confidence)
        for place, labeller in enumerate(tables.people.tolist())
    )


def _one_versus_rest(labeller: int, margins: Counts, kappas: Numbers, confidence: float) -> VersusRest:
    levels = margins.sum(axis=0)
    took_part = margins[:-1].sum(axis=1) > 0
    return VersusRest(
        labeller=labeller,
        pairs=int(levels.sum()),
        queries=int(took_part.sum()),
        kappa=_as_number(kappas[-1], int(levels.sum())),
        interval=_interval(kappas, took_part, confidence),
        mean_level=int(levels @ np.arange(len(levels))) / int(levels.sum()),
        levels_used=int((levels > 0).sum()),
    )


def _interval(kappas: Numbers, is_left_out: NDArray[np.bool_], confidence: float) -> tuple[float, float] | Undefined:
    """Jackknife interval about the last of `kappas` (Q+1,), from the replicates that `is_left_out` (Q,) names."""
    replicates = kappas[:-1][is_left_out]
    queries = len(replicates)
    if np.isnan(kappas[-1]):
        return Undefined("kappa itself is undefined")
    if queries < 2:
        return Undefined("an interval needs doubly judged pairs of two queries or more")
    if np.isnan(replicates).any():
        return Undefined("without one of the queries a single level would be left")
    variance = (queries - 1) / queries * ((replicates - replicates.mean()) ** 2).sum()
    half = _t_quantile(queries - 1, confidence) * float(np.sqrt(variance))
    return float(kappas[-1]) - half, float(kappas[-1]) + half


def _t_quantile(degrees: int, confidence: float) -> float:
    from scipy.special import stdtrit  # Loaded here: whoever asks for no interval starts without it.

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def _as_number(value: float, pairs: int) -> float | Undefined:
    if pairs == 0:
        return Undefined(NO_PAIRS)
    return Undefined(ONE_LEVEL) if np.isnan(value) else float(value)


def _share_within(table: Counts, steps: int) -> float | Undefined:
    total = int(table.sum())
    near = distance(len(table)) <= steps
    return int(table[near].sum()) / total if total else Undefined(NO_PAIRS)


def _renumber(keys: Counts, end: int) -> tuple[Counts, Counts]:
    """The different keys, ascending, and each key's place among them; keys run from 0 to below `end`."""
    if end > 8 * len(keys) + 1_000_000:
        return np.unique(keys, return_inverse=True)
    is_used = np.zeros(end, dtype=bool)
    is_used[keys] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[keys]
