"""Agreement within each query by itself: often undefined, where all its documents are of one level."""

from dataclasses import dataclass

import numpy as np

from app.measures.doubles import Doubles
from app.measures.kappa import ONE_LEVEL, Counts, Numbers, Weights, distance
from app.measures.tables import Tables, count
from app.measures.undefined import Undefined


@dataclass(frozen=True, slots=True)
class QueryAgreement:
    """One query's doubly judged pairs. Kappa is pooled over its couples, with the levels that they gave in it."""

    query: int
    pairs: int
    kappa: float | Undefined
    exact: float
    within_one: float


def agreement_by_query(doubles: Doubles, kind: Weights = "linear") -> tuple[QueryAgreement, ...]:
    """Every query with doubly judged pairs, by number. A pair of three people is one, and three in the shares."""
    tables = count(doubles)
    steps = distance(doubles.levels)
    kappas = _kappas(tables, doubles.levels, kind)
    places, exact, near = (_sum(tables, (tables.counts * (steps <= far)).sum(axis=(1, 2))) for far in (np.inf, 0, 1))
    return tuple(
        QueryAgreement(
            query=query,
            pairs=pairs,
            kappa=Undefined(ONE_LEVEL) if np.isnan(kappas[at]) else float(kappas[at]),
            exact=float(exact[at] / places[at]),
            within_one=float(near[at] / places[at]),
        )
        for at, (query, pairs) in enumerate(_pairs(doubles))
    )


def _kappas(tables: Tables, levels: int, kind: Weights) -> Numbers:
    """(Q,); NaN where every couple's chance disagreement is 0, which sums of products that are never negative show."""
    steps = distance(levels, kind)
    shares = tables.margins / np.maximum(tables.margins.sum(axis=2, keepdims=True), 1)
    lower, higher = shares[tables.query, tables.lower], shares[tables.query, tables.higher]
    chance = ((lower @ steps) * higher).sum(axis=1) * tables.counts.sum(axis=(1, 2))
    observed, expected = _sum(tables, (tables.counts * steps).sum(axis=(1, 2))), _sum(tables, chance)
    ratio: Numbers = np.divide(observed, expected, out=np.full(len(expected), np.nan), where=expected > 0)
    return 1.0 - ratio


def _sum(tables: Tables, of_couples: Counts | Numbers) -> Numbers:
    """What is counted for each query and couple, summed over each query's couples."""
    return np.bincount(tables.query, weights=of_couples, minlength=len(tables.margins)).astype(np.float64)


def _pairs(doubles: Doubles) -> list[tuple[int, int]]:
    """Each query's number and how many different pairs it has."""
    query = doubles.query
    if doubles.pair is not None:
        query = query[np.unique(doubles.pair, return_index=True)[1]]
    queries, pairs = np.unique(query, return_counts=True)
    return list(zip(queries.tolist(), pairs.tolist(), strict=True))
