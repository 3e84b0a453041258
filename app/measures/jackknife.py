"""The leave-one-query-out jackknife of kappa, and kappas of drawn queries: the pairs of one query are not independent.

From here on NaN stands for an undefined kappa; `interval_about` turns it back into words.
"""

import math
from typing import Final

import numpy as np

from app.measures.kappa import Counts, Numbers
from app.measures.student import t_quantile
from app.measures.tables import CoupleTables, Tables, by_couple
from app.measures.undefined import Undefined

ENOUGH_QUERIES: Final = 30


def kappas_without_each(tables: Tables, steps: Counts) -> tuple[Numbers, Numbers]:
    """Pooled kappa without each query in turn, (Q,), and each labeller's against the rest, (Q, U); NaN: undefined."""
    observed, expected = _disagreement_without_each(tables, steps)
    return _kappas(observed.sum(axis=1), expected.sum(axis=1)), _kappas(observed, expected)


def kappas_of_couples_without_each(tables: Tables, couples: CoupleTables, steps: Counts) -> list[Numbers]:
    """For each couple its Cohen's kappa without each of its queries in turn."""
    remaining = couples.counts[tables.couple] - tables.counts
    rows, columns = remaining.sum(axis=2), remaining.sum(axis=1)
    observed = (remaining * steps).sum(axis=(1, 2)) * rows.sum(axis=1)
    kappas = _kappas(observed, ((rows @ steps) * columns).sum(axis=1))
    return [kappas[tables.couple == couple] for couple in range(len(couples.counts))]


def kappas_of_samples(tables: Tables, steps: Counts, times: Counts) -> Numbers:
    """Pooled kappa of R samples of the queries, (R,): `times` (R, Q) says how often each sample holds each query."""
    queries, people, levels = tables.margins.shape
    couples = by_couple(tables)
    observed, pairs = np.zeros(queries), np.zeros((queries, len(couples.counts)))
    np.add.at(observed, tables.query, (tables.counts * steps).sum(axis=(1, 2)))
    pairs[tables.query, tables.couple] = tables.counts.sum(axis=(1, 2))
    kappas = np.empty(len(times))
    rows = max(1, 2_000_000 // max(couples.counts[:, 0].size, 1))  # A block takes some 16 MB.
    for start in range(0, len(times), rows):
        drawn = times[start : start + rows].astype(np.float64)
        margins = (drawn @ tables.margins.reshape(queries, -1)).reshape(-1, people, levels)
        share = margins / np.maximum(margins.sum(axis=2, keepdims=True), 1)
        chance = ((share[:, couples.lower] @ steps) * share[:, couples.higher]).sum(axis=2)
        kappas[start : start + rows] = _kappas(drawn @ observed, ((drawn @ pairs) * chance).sum(axis=1))
    return kappas


def interval_about(point: float | Undefined, replicates: Numbers, confidence: float) -> tuple[float, float] | Undefined:
    """point +- t sqrt((Q-1)/Q sum (replicate - their mean)^2), t with Q-1 degrees of freedom.

    Below 30 queries the same on the scale of the cube root of 1 - kappa, where so few are less skewed: see
    docs/decisions/intervals.md.
    """
    queries = len(replicates)
    if isinstance(point, Undefined):
        return Undefined("kappa itself is undefined")
    if queries < 2:
        return Undefined("an interval needs doubly judged pairs of two queries or more")
    if np.isnan(replicates).any():
        return Undefined("without one of the queries a single level would be left")
    if queries >= ENOUGH_QUERIES:
        half = half_width(replicates, confidence)
        return point - half, point + half
    half = half_width(np.cbrt(1.0 - replicates), confidence)
    middle = math.cbrt(1.0 - point)
    return 1.0 - (middle + half) ** 3, 1.0 - (middle - half) ** 3


def half_width(replicates: Numbers, confidence: float) -> float:
    """t times the jackknife's standard error."""
    queries = len(replicates)
    variance = (queries - 1) / queries * ((replicates - replicates.mean()) ** 2).sum()
    return t_quantile(queries - 1, confidence) * float(np.sqrt(variance))


def _disagreement_without_each(tables: Tables, steps: Counts) -> tuple[Counts, Numbers]:
    """Observed and expected disagreement over each labeller's pairs without each query, both (Q, U).

    Every pair stands under both of its labellers. All terms are sums of non-negative products, so that an expected
    disagreement is 0 exactly where whole numbers say so.
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


def _pairs_together(tables: Tables, start: int, rows: int) -> Numbers:
    """Pairs of each two labellers without query start, start + 1, …: (rows, U, U), symmetric, whole numbers."""
    pairs = tables.counts.sum(axis=(1, 2))
    together = np.zeros((len(tables.people), len(tables.people)))
    np.add.at(together, (tables.lower, tables.higher), pairs)
    left = np.repeat(together[np.newaxis], rows, axis=0)
    here = slice(*np.searchsorted(tables.query, [start, start + rows]).tolist())
    left[tables.query[here] - start, tables.lower[here], tables.higher[here]] -= pairs[here]
    symmetric: Numbers = left + left.transpose(0, 2, 1)
    return symmetric


def _kappas(observed: Counts | Numbers, expected: Counts | Numbers) -> Numbers:
    ratio: Numbers = np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return 1.0 - ratio
