"""Cohen's weighted kappa of one table (Cohen 1968), in whole numbers."""

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.given import is_whole
from app.measures.undefined import MeasureError, Undefined

Weights = Literal["linear", "quadratic", "none"]
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

MOST_LEVELS: Final = 100
LARGEST_WHOLE: Final = 2**53
"""As a 64-bit fraction: beyond it some whole numbers are missing."""
NO_PAIRS = "no pair was graded by two people"
ONE_LEVEL = "those who share pairs gave one and the same level throughout, so that chance alone would agree completely"


def weights(levels: int, kind: Weights = "linear") -> Numbers:
    """Agreement weights, (levels, levels): 1 on the diagonal, falling to 0 in the far corners (none: off it)."""
    steps = distance(levels, kind)
    weight: Numbers = 1.0 - steps / steps.max()
    return weight


def distance(levels: int, kind: Weights = "linear") -> Counts:
    """Disagreement in whole steps, (levels, levels); kappa does not depend on its scale."""
    if not (is_whole(levels, 2) and levels <= MOST_LEVELS):
        raise MeasureError(f"Agreement needs a scale of at least two levels, and of {MOST_LEVELS:,} at most.")
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
    steps = distance(len(counts), kind).astype(object)
    total = int(counts.sum())
    observed = total * int((steps * counts).sum())
    expected = int(counts.sum(axis=1) @ steps @ counts.sum(axis=0))
    if expected:
        return (expected - observed) / expected
    return Undefined(ONE_LEVEL if total else NO_PAIRS)


def square(table: ArrayLike) -> NDArray[np.object_]:
    """A table of agreement, which holds counts; anything else is refused. Python's own integers, so that no sum and no
    product of them is too large.
    """
    counts = whole("The table", table, dimensions=2)
    if counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise MeasureError("A table of agreement is square and holds counts, none of them negative.")
    distance(len(counts))
    return counts.astype(object)


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
    given = _given(name, values, dimensions)
    if given.size == 0 or given.dtype.kind == "i":
        return given.astype(np.int64, copy=False)
    if given.dtype.kind not in "uf" or not ((abs(given) <= LARGEST_WHOLE) & (given == np.floor(given))).all():
        raise MeasureError(f"{name} must hold whole numbers.")
    return given.astype(np.int64)


def reals(name: str, values: ArrayLike, *, dimensions: int = 1) -> Numbers:
    """The values as 64-bit numbers; text, and whatever else numpy would make numbers of or fail on, is refused."""
    given = _given(name, values, dimensions)
    if given.size and given.dtype.kind not in "biuf":
        raise MeasureError(f"{name} must hold numbers.")
    return given.astype(np.float64, copy=False)


def _given(name: str, values: ArrayLike, dimensions: int) -> NDArray[Any]:
    try:
        given = np.asarray(values)
    except ValueError:  # Rows of unlike lengths.
        raise MeasureError(f"{name} must have rows of one length.") from None
    if given.ndim != dimensions:
        raise MeasureError(f"{name} must have {dimensions} dimension{'s'[: dimensions - 1]}, not {given.ndim}.")
    return given
