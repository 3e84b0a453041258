"""Cohen's weighted kappa of one table (Cohen 1968), in whole numbers."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.undefined import MeasureError, Undefined

Weights = Literal["linear", "quadratic", "none"]
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

NO_PAIRS = "no pair was graded by two people"
ONE_LEVEL = "those who share pairs gave one and the same level throughout, so that chance alone would agree completely"


def weights(levels: int, kind: Weights = "linear") -> Numbers:
    """Agreement weights, (levels, levels): 1 on the diagonal, falling to 0 in the far corners (none: off it)."""
    steps = distance(levels, kind)
    weight: Numbers = 1.0 - steps / steps.max()
    return weight


def distance(levels: int, kind: Weights = "linear") -> Counts:
    """Disagreement in whole steps, (levels, levels); kappa does not depend on its scale."""
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


def kappa(table: ArrayLike, kind: Weights = "linear") -> float | Undefined:
    """Kappa of a (K, K) table of counts, K being the rubric's levels and never the levels seen.

    Exact up to one rounding. Undefined for an empty table, and where agreement by chance is complete.
    """
    counts = square(table)
    steps = distance(len(counts), kind).astype(object)  # Python's own integers: no table is too large.
    total = int(counts.sum())
    observed = total * int((steps * counts).sum())
    expected = int(counts.sum(axis=1).astype(object) @ steps @ counts.sum(axis=0).astype(object))
    if expected:
        return (expected - observed) / expected
    return Undefined(ONE_LEVEL if total else NO_PAIRS)


def square(table: ArrayLike) -> Counts:
    """A table of agreement, which holds counts; anything else is refused."""
    counts = whole("The table", table, dimensions=2)
    if counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise MeasureError("A table of agreement is square and holds counts, none of them negative.")
    distance(len(counts))
    return counts


def cross(level_a: ArrayLike, level_b: ArrayLike, levels: int) -> Counts:
    """The (levels, levels) table of two people's levels, a in the rows, place by place."""
    a, b = whole("level_a", level_a), whole("level_b", level_b)
    if len(a) != len(b):
        raise MeasureError("Each level of the one needs a level of the other.")
    if len(a) and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= levels):
        raise MeasureError(f"A level is outside the scale, which runs from 0 to {levels - 1}.")
    return np.bincount(a * levels + b, minlength=levels**2).reshape(levels, levels)


def whole(name: str, values: ArrayLike, *, dimensions: int = 1) -> Counts:
    """The values as 64-bit whole numbers; anything that would be rounded to one is refused."""
    given = np.asarray(values)
    if given.ndim != dimensions:
        raise MeasureError(f"{name} must have {dimensions} dimension{'s'[: dimensions - 1]}, not {given.ndim}.")
    if given.size == 0 or given.dtype.kind == "i":
        return given.astype(np.int64, copy=False)
    if given.dtype.kind not in "uf" or not (np.isfinite(given).all() and (given == np.floor(given)).all()):
        raise MeasureError(f"{name} must hold whole numbers.")
    return given.astype(np.int64)
