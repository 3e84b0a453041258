"""Two intervals of kappa that stand beside the jackknife, for whoever wants to compare: neither opens a gate."""

import math

import numpy as np
from numpy.typing import ArrayLike

from app.measures.doubles import Doubles
from app.measures.given import refuse_chance
from app.measures.jackknife import kappas_of_samples
from app.measures.kappa import Weights, distance, kappa, square
from app.measures.resampling import RESAMPLES
from app.measures.student import normal_quantile, refuse_confidence
from app.measures.tables import count
from app.measures.undefined import Undefined


def bootstrap_interval(
    doubles: Doubles, kind: Weights = "linear", *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float] | Undefined:
    """Percentile interval of pooled kappa, whole queries being drawn with replacement."""
    refuse_confidence(confidence)
    refuse_chance(resamples, seed)
    tables = count(doubles)
    queries = len(tables.margins)
    if queries < 2:
        return Undefined("an interval needs doubly judged pairs of two queries or more")
    times = np.random.default_rng(seed).multinomial(queries, np.full(queries, 1.0 / queries), size=resamples)
    kappas = kappas_of_samples(tables, distance(doubles.levels, kind), times)
    if np.isnan(kappas).any():
        return Undefined("in some resamples of the queries a single level is left")
    low, high = np.quantile(kappas, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return low, high


def analytic_interval(
    table: ArrayLike, kind: Weights = "linear", *, confidence: float = 0.95
) -> tuple[float, float] | Undefined:
    """kappa +- z standard errors for one couple, as if its pairs were independent: too narrow where queries differ."""
    refuse_confidence(confidence)
    point, error = kappa(table, kind), standard_error(table, kind)
    if isinstance(point, Undefined) or isinstance(error, Undefined):
        return Undefined("kappa itself is undefined")
    half = normal_quantile(0.5 + confidence / 2) * error
    return point - half, point + half


def standard_error(table: ArrayLike, kind: Weights = "linear", *, of_chance: bool = False) -> float | Undefined:
    """The large-sample standard error of kappa (Fleiss, Cohen & Everitt 1969), or what it is where kappa is 0.

    In whole numbers up to the root, as kappa itself: a spread of 0 comes out as 0.
    """
    counts = square(table)
    point = kappa(table, kind)
    if isinstance(point, Undefined):
        return point
    steps = distance(len(counts), kind).astype(object)
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    by_margins = np.add.outer(steps @ columns, rows @ steps)
    observed, chance = (counts * steps).sum(), rows @ steps @ columns
    if of_chance:
        spread = (np.outer(rows, columns) * (by_margins - total * steps) ** 2).sum() - chance**2
        return math.sqrt(spread / (total * chance**2))
    about = (counts * (observed * by_margins - chance * steps) ** 2).sum()
    return math.sqrt(total * (total * about - (observed * chance) ** 2) / chance**4)
