"""Krippendorff's alpha over doubly judged pairs (Krippendorff 2011, "Computing Krippendorff's alpha-reliability")."""

from typing import Literal

import numpy as np

from app.measures.doubles import Doubles
from app.measures.kappa import NO_PAIRS, ONE_LEVEL, Numbers
from app.measures.undefined import MeasureError, Undefined

Scale = Literal["nominal", "ordinal", "interval"]


def alpha(doubles: Doubles, scale: Scale = "ordinal") -> float | Undefined:
    """1 - observed/expected disagreement, chance drawing from everybody's grades together.

    A pair that m people graded must stand in all of its m(m-1)/2 places; each counts 1/(m-1), in both directions.
    Undefined without a pair and where only one level was used.
    """
    coincidences = _coincidences(doubles)
    used = coincidences.sum(axis=1)
    total = used.sum()
    if total == 0:
        return Undefined(NO_PAIRS)
    difference = _difference(used, scale)
    expected = used @ difference @ used
    if expected == 0:
        return Undefined(ONE_LEVEL)
    return float(1.0 - (total - 1.0) * (coincidences * difference).sum() / expected)


def _coincidences(doubles: Doubles) -> Numbers:
    cell = doubles.level_a * doubles.levels + doubles.level_b
    counted = np.bincount(cell, weights=_worth(doubles), minlength=doubles.levels**2).astype(np.float64)
    one_way: Numbers = counted.reshape(doubles.levels, doubles.levels)
    return one_way + one_way.T


def _worth(doubles: Doubles) -> Numbers:
    """1/(m-1) for every place of a pair that m people graded."""
    if doubles.pair is None:
        return np.ones(len(doubles.query))
    _, pair, places = np.unique(doubles.pair, return_inverse=True, return_counts=True)
    people = (1.0 + np.sqrt(1.0 + 8.0 * places)) / 2.0  # The m of places = m(m-1)/2.
    if (people != np.floor(people)).any():
        raise MeasureError("A pair that m people graded must stand under all of its m(m-1)/2 couples.")
    worth: Numbers = 1.0 / (people - 1.0)
    return worth[pair]


def _difference(used: Numbers, scale: Scale) -> Numbers:
    """Squared distance of two levels: in steps, in ranks of the grades given, or simply whether they differ."""
    if scale == "ordinal":
        place = np.cumsum(used) - used / 2.0  # The mean rank of a level's grades.
    elif scale in ("nominal", "interval"):
        place = np.arange(len(used), dtype=np.float64)
    else:
        raise MeasureError(f"The scale is nominal, ordinal or interval, not {scale!r}.")
    apart: Numbers = np.subtract.outer(place, place)
    return np.sign(apart) ** 2 if scale == "nominal" else apart**2
