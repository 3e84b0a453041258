"""Weighted agreement of people who graded the same pairs.

Cohen's weighted kappa for a couple (Cohen 1968), its pooled form for labellers who rotate, each labeller against the
rest, and a leave-one-query-out jackknife, because the pairs of one query are not independent.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.undefined import MeasureError, Undefined

Weights = Literal["linear", "quadratic", "none"]
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

_NO_PAIRS = "no pair was graded by two people"
_ONE_LEVEL = "every grade is one and the same level, so that agreement by chance is already complete"


def weights(levels: int, kind: Weights = "linear") -> Numbers:
    """Agreement weights, (levels, levels), 1 on the diagonal and 0 in the far corners ("none": 0 off the diagonal)."""
    distance = _distance(levels, kind)
    agreement_of_levels: Numbers = 1.0 - distance / distance.max()
    return agreement_of_levels


def kappa(table: ArrayLike, kind: Weights = "linear") -> float | Undefined:
    """Cohen's weighted kappa of a (K, K) table of counts, K being the rubric's levels and never the levels seen.

    Computed in whole numbers and rounded once. Undefined for an empty table, and where chance agreement is 1.
    """
    counts = _counted(table)
    distance = _distance(len(counts), kind).astype(object)
    total = int(counts.sum())
    if total == 0:
        return Undefined(_NO_PAIRS)
    observed = int((distance * counts).sum()) * total
    expected = int(counts.sum(axis=1).astype(object) @ distance @ counts.sum(axis=0).astype(object))
    return (expected - observed) / expected if expected else Undefined(_ONE_LEVEL)


@dataclass(frozen=True, eq=False)
class Doubles:
    """Pairs graded by two labellers each; one entry of every array, all (n,), is one pair and one couple.

    A pair that three people graded stands in three entries. `levels` is the rubric's number of levels, `level_a` and
    `level_b` are places on that scale, 0 the lowest; `a` and `b` are below `labellers`.
    """

    query: Counts
    a: Counts
    b: Counts
    level_a: Counts
    level_b: Counts
    levels: int
    labellers: int

    def __post_init__(self) -> None:
        for name in ("query", "a", "b", "level_a", "level_b"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        if len({len(self.query), len(self.a), len(self.b), len(self.level_a), len(self.level_b)}) > 1:
            raise MeasureError("Each doubly judged pair needs a query, two labellers and two levels.")
        _distance(self.levels, "none")
        _refuse_outside("level", np.concatenate([self.level_a, self.level_b]), self.levels)
        _refuse_outside("labeller", np.concatenate([self.a, self.b]), self.labellers)
        if (self.query < 0).any():
            raise MeasureError("A query's index can't be negative.")
        if (self.a == self.b).any():
            raise MeasureError("A pair graded twice by one person shows nothing about agreement between people.")


@dataclass(frozen=True, eq=False)
class Couple:
    """Two labellers' own table (rows a, columns b) and their Cohen's kappa: shown, not judged."""

    a: int
    b: int
    pairs: int
    kappa: float | Undefined
    table: Counts


@dataclass(frozen=True)
class VersusRest:
    """Pooled kappa over one labeller's pairs; `low` to `high` leaves out each of this labeller's queries in turn."""

    labeller: int
    pairs: int
    queries: int
    kappa: float | Undefined
    low: float | Undefined
    high: float | Undefined
    mean_level: float
    levels_used: int


@dataclass(frozen=True, eq=False)
class Agreement:
    """What the doubly judged pairs say. `table` sums the couples' tables, the lower-indexed labeller in the rows.

    `low` and `high` may lie outside -1 to 1: they are kappa plus and minus the half-width, never cut.
    """

    kind: Weights
    confidence: float
    kappa: float | Undefined
    low: float | Undefined
    high: float | Undefined
    pairs: int
    queries: int
    table: Counts
    exact: float | Undefined
    within_one: float | Undefined
    couples: tuple[Couple, ...]
    versus_rest: tuple[VersusRest, ...]


def agreement(doubles: Doubles, kind: Weights = "linear", confidence: float = 0.95) -> Agreement:
    """Pooled kappa with its jackknife interval, couples, and each labeller versus the rest.

    kappa = 1 - sum_c n_c D_o(c) / sum_c n_c D_e(c), with each labeller's distribution of levels taken over all of that
    labeller's doubly judged pairs; for two labellers it is Cohen's. The interval is kappa plus and minus
    t sqrt((Q-1)/Q sum (kappa_without_q - their mean)^2) with Q-1 degrees of freedom.
    """
    if not 0 < confidence < 1:
        raise MeasureError("Confidence lies between 0 and 1, as in .95.")
    tables = _tables(doubles)
    observed, expected = _without_each(tables, _distance(doubles.levels, kind))
    pooled = _kappas(observed.sum(axis=1), expected.sum(axis=1))
    table = tables.counts.sum(axis=0)
    low, high = _interval(pooled, np.ones(tables.queries, dtype=bool), confidence)
    return Agreement(
        kind=kind,
        confidence=confidence,
        kappa=_as_number(pooled[-1], len(doubles.query)),
        low=low,
        high=high,
        pairs=len(doubles.query),
        queries=tables.queries,
        table=table,
        exact=_share_within(table, 0),
        within_one=_share_within(table, 1),
        couples=_couples(tables, kind),
        versus_rest=_versus_rest(tables, _kappas(observed, expected), confidence),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """One (K, K) table for each query and couple in it, ordered by query; lower-indexed labeller in the rows."""

    query: Counts
    lower: Counts
    higher: Counts
    counts: Counts
    queries: int
    labellers: int


def _tables(doubles: Doubles) -> _Tables:
    is_ordered = doubles.a < doubles.b
    couple_key = np.minimum(doubles.a, doubles.b) * doubles.labellers + np.maximum(doubles.a, doubles.b)
    couples, couple = _renumber(couple_key, doubles.labellers**2)
    queries, query = _renumber(doubles.query, int(doubles.query.max(initial=-1)) + 1)
    keys, place = _renumber(query * len(couples) + couple, len(queries) * len(couples))
    level_lower = np.where(is_ordered, doubles.level_a, doubles.level_b)
    level_higher = np.where(is_ordered, doubles.level_b, doubles.level_a)
    cell = (place * doubles.levels + level_lower) * doubles.levels + level_higher
    counts = np.bincount(cell, minlength=len(keys) * doubles.levels**2)
    couple_of_key = couples[keys % max(len(couples), 1)]
    return _Tables(
        query=keys // max(len(couples), 1),
        lower=couple_of_key // doubles.labellers,
        higher=couple_of_key % doubles.labellers,
        counts=counts.reshape(len(keys), doubles.levels, doubles.levels),
        queries=len(queries),
        labellers=doubles.labellers,
    )


def _without_each(tables: _Tables, distance: Counts) -> tuple[Counts, Numbers]:
    """Observed and expected disagreement of each labeller's pairs, both (Q+1, labellers).

    Row q leaves query q out, the last row leaves out none. Every pair stands under both of its labellers. All terms
    are sums of non-negative products, so that an expected disagreement is 0 exactly where whole numbers say so.
    """
    shape = (tables.queries + 1, tables.labellers)
    margins = np.zeros((*shape, len(distance)), dtype=np.int64)
    observed = np.zeros(shape, dtype=np.int64)
    for labeller, axis in ((tables.lower, 2), (tables.higher, 1)):
        np.add.at(margins, (tables.query, labeller), tables.counts.sum(axis=axis))
        np.add.at(observed, (tables.query, labeller), (tables.counts * distance).sum(axis=(1, 2)))
    remaining = margins.sum(axis=0) - margins
    shares = remaining / np.maximum(remaining.sum(axis=2, keepdims=True), 1)
    expected = np.empty(shape)
    rows = max(1, 2_000_000 // max(tables.labellers, 1) ** 2)  # Keeps one block of couples' counts near 16 MB.
    for start in range(0, len(expected), rows):
        block = slice(start, start + rows)
        together = _pairs_together(tables, start, len(shares[block]))
        expected[block] = ((shares[block] @ distance) * (together @ shares[block])).sum(axis=2)
    return observed.sum(axis=0) - observed, expected


def _pairs_together(tables: _Tables, start: int, rows: int) -> Counts:
    """Pairs of each two labellers without query start, start + 1, …: (rows, labellers, labellers), symmetric."""
    pairs = tables.counts.sum(axis=(1, 2))
    together = np.zeros((tables.labellers, tables.labellers), dtype=np.int64)
    np.add.at(together, (tables.lower, tables.higher), pairs)
    left = np.repeat(together[np.newaxis], rows, axis=0)
    first, last = np.searchsorted(tables.query, [start, start + rows])
    here = slice(first, last)
    left[tables.query[here] - start, tables.lower[here], tables.higher[here]] -= pairs[here]
    return left + left.transpose(0, 2, 1)


def _kappas(observed: Counts, expected: Numbers) -> Numbers:
    """Kappas of any shape, NaN standing for undefined inside this file only."""
    ratio: Numbers = np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return 1.0 - ratio


def _couples(tables: _Tables, kind: Weights) -> tuple[Couple, ...]:
    keys, place = _renumber(tables.lower * tables.labellers + tables.higher, tables.labellers**2)
    counts = np.zeros((len(keys), *tables.counts.shape[1:]), dtype=np.int64)
    np.add.at(counts, place, tables.counts)
    return tuple(
        Couple(*divmod(int(key), tables.labellers), pairs=int(table.sum()), kappa=kappa(table, kind), table=table)
        for key, table in zip(keys, counts, strict=True)
    )


def _versus_rest(tables: _Tables, kappas: Numbers, confidence: float) -> tuple[VersusRest, ...]:
    """One entry for each labeller with a doubly judged pair; `kappas` is (Q+1, labellers)."""
    levels = np.zeros((tables.labellers, tables.counts.shape[1]), dtype=np.int64)
    np.add.at(levels, tables.lower, tables.counts.sum(axis=2))
    np.add.at(levels, tables.higher, tables.counts.sum(axis=1))
    took_part = np.zeros((tables.queries, tables.labellers), dtype=bool)
    took_part[tables.query, tables.lower] = took_part[tables.query, tables.higher] = True
    return tuple(
        _one_versus_rest(labeller, levels[labeller], kappas[:, labeller], took_part[:, labeller], confidence)
        for labeller in np.flatnonzero(levels.sum(axis=1)).tolist()
    )


def _one_versus_rest(
    labeller: int, levels: Counts, kappas: Numbers, took_part: NDArray[np.bool_], confidence: float
) -> VersusRest:
    pairs = int(levels.sum())
    low, high = _interval(kappas, took_part, confidence)
    return VersusRest(
        labeller=labeller,
        pairs=pairs,
        queries=int(took_part.sum()),
        kappa=_as_number(kappas[-1], pairs),
        low=low,
        high=high,
        mean_level=int(levels @ np.arange(len(levels))) / pairs,
        levels_used=int((levels > 0).sum()),
    )


def _interval(
    kappas: Numbers, is_left_out: NDArray[np.bool_], confidence: float
) -> tuple[float, float] | tuple[Undefined, Undefined]:
    """Jackknife interval about the last of `kappas` (Q+1,), from the replicates that `is_left_out` (Q,) names."""
    replicates = kappas[:-1][is_left_out]
    queries = len(replicates)
    if np.isnan(kappas[-1]):
        nothing = Undefined("kappa itself is undefined")
    elif queries < 2:
        nothing = Undefined("an interval needs doubly judged pairs of two queries or more")
    elif np.isnan(replicates).any():
        nothing = Undefined("without a single one of the queries only one level would be left")
    else:
        variance = (queries - 1) / queries * ((replicates - replicates.mean()) ** 2).sum()
        half = _t_quantile(queries - 1, confidence) * float(np.sqrt(variance))
        return float(kappas[-1]) - half, float(kappas[-1]) + half
    return nothing, nothing


def _t_quantile(degrees: int, confidence: float) -> float:
    from scipy.special import stdtrit  # The web process starts without it.

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def _as_number(value: float, pairs: int) -> float | Undefined:
    if pairs == 0:
        return Undefined(_NO_PAIRS)
    return Undefined(_ONE_LEVEL) if np.isnan(value) else float(value)


def _share_within(table: Counts, steps: int) -> float | Undefined:
    total = int(table.sum())
    near = _distance(len(table), "linear") <= steps
    return int(table[near].sum()) / total if total else Undefined(_NO_PAIRS)


def _distance(levels: int, kind: Weights) -> Counts:
    """Disagreement in whole steps, (levels, levels): the scale cancels in kappa."""
    if levels < 2:
        raise MeasureError("Agreement needs a scale of at least two levels.")
    steps = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels)))
    if kind == "linear":
        return steps
    if kind == "quadratic":
        return steps**2
    if kind == "none":
        return (steps > 0).astype(np.int64)
    raise MeasureError(f"Weights are linear, quadratic or none, not {kind!r}.")


def _counted(table: ArrayLike) -> Counts:
    counts = _whole("table", table, dimensions=2)
    if counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise MeasureError("A table of agreement is square and holds counts, none of them negative.")
    return counts


def _whole(name: str, values: ArrayLike, *, dimensions: int = 1) -> Counts:
    given = np.asarray(values)
    if given.ndim != dimensions:
        raise MeasureError(f"{name} has {given.ndim} dimensions where {dimensions} are needed.")
    with np.errstate(invalid="ignore"):
        whole = given.astype(np.int64, copy=False) if given.dtype.kind in "iufb" else None
    if whole is None or not np.array_equal(whole, given):
        raise MeasureError(f"{name} must hold whole numbers.")
    return whole


def _refuse_outside(what: str, values: Counts, end: int) -> None:
    outside = values[(values < 0) | (values >= end)]
    if len(outside):
        raise MeasureError(f"There is no {what} {outside[0]}: they run from 0 to {end - 1}.")


def _renumber(keys: Counts, end: int) -> tuple[Counts, Counts]:
    """The different keys, ascending, and each key's place among them; keys run from 0 to below `end`."""
    if end > 8 * len(keys) + 1_000_000:
        values, places = np.unique(keys, return_inverse=True)
        return values, places
    is_used = np.zeros(end, dtype=bool)
    is_used[keys] = True
    return np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[keys]
