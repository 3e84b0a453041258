"""How many queries a difference needs, and which difference so many queries can show."""

import math
from typing import Final

from app.measures.given import is_number, is_whole
from app.measures.student import SUREST, normal_quantile
from app.measures.undefined import MeasureError

MOST_QUERIES: Final = 10**12
"""More are no plan."""


def queries_needed(delta: float, spread: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """((z_a + z_b) spread / delta)^2 + z_a^2 / 2: queries for a paired t test to find `delta` with this power.

    Never fewer than can show anything. `spread` is the standard deviation of the per-query differences; the last term
    is what t asks beyond the normal (Guenther 1981).
    """
    _refuse(spread, power, level)
    if not (is_number(delta) and delta > 0):
        raise MeasureError("The difference to be found is a number above 0.")
    z = normal_quantile(1 - level / 2)
    roots = (z + normal_quantile(power)) * spread / delta
    if roots > math.sqrt(MOST_QUERIES):
        raise MeasureError("No number of queries finds a difference that small beside that spread.")
    return max(fewest(level), math.ceil(roots**2 + z**2 / 2))


def fewest(level: float) -> int:
    """Queries below which the sign-flip test can't reach the level, all of them going one way: 2^(1 - n) <= level."""
    _refuse(0.0, 0.5, level)
    _, exponent = math.frexp(level)  # The level lies from 2^(exponent - 1) on, below 2^exponent.
    return 2 - exponent


def detectable(queries: int, spread: float, *, power: float = 0.8, level: float = 0.05) -> float:
    """About the smallest true difference that so many queries show with this power: 2.80 spread / sqrt(n) at 80%, 5%.

    By the normal distribution, which promises too much of few queries; below the `fewest` nothing can be shown at all.
    """
    _refuse(spread, power, level)
    if not is_whole(queries, 1):
        raise MeasureError("A query set holds one query or more.")
    return (normal_quantile(1 - level / 2) + normal_quantile(power)) * spread / math.sqrt(queries)


def _refuse(spread: float, power: float, level: float) -> None:
    if not (is_number(spread) and spread >= 0):
        raise MeasureError("A spread is a number from 0 on.")
    if not (is_number(level) and is_number(power) and SUREST <= level < 1 and 0.5 <= power <= 1 - SUREST):
        raise MeasureError("Power lies between .5 and 1, and the level of the test between 0 and 1.")
