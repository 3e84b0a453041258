"""Krippendorff's alpha over doubly judged pairs (Krippendorff 2011, "Computing Krippendorff's alpha-reliability")."""

from typing import Literal

import numpy as np

from app.measures.coincidences import coincidences
from app.measures.doubles import Doubles
from app.measures.kappa import NO_PAIRS, ONE_LEVEL, Numbers
from app.measures.undefined import MeasureError, Undefined

Scale = Literal["nominal", "ordinal", "interval"]


def alpha(doubles: Doubles, scale: Scale = "ordinal") -> float | Undefined:
    """1 - observed/expected disagreement, chance drawing from everybody's grades together.

    A pair that m people graded must stand in all of its m(m-1)/2 places; each counts 1/(m-1), in both directions.
    Undefined without a pair and where only one level was used.
    """
    together = coincidences(doubles, "grade")
    used = together.sum(axis=1)
    total = used.sum()
    if total == 0:
        return Undefined(NO_PAIRS)
    difference = _difference(used, scale)
    expected = used @ difference @ used
    if expected == 0:
        return Undefined(ONE_LEVEL)
    return float(1.0 - (total - 1.0) * (together * difference).sum() / expected)


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
