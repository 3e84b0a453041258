"""Single numbers as callers give them: anything else that Python would compute with, or fail on, is told from them."""

import math
from numbers import Integral, Real
from typing import Final

from app.measures.undefined import MeasureError

MOST_RESAMPLES: Final = 1_000_000
"""At 10,000 chance moves a p of .05 by .002; at a million by .0002."""


def is_number(value: object) -> bool:
    """Whether it is a finite number; text is none, and neither are yes and no."""
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # A whole number beyond all fractions.
        return False


def is_whole(value: object, least: int) -> bool:
    """Whether it is an integer from `least` on: 10, and not 10.0."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def refuse_chance(resamples: int, seed: int) -> None:
    if not (is_whole(resamples, 1) and resamples <= MOST_RESAMPLES):
        raise MeasureError(f"Chance is asked by 1 to {MOST_RESAMPLES:,} resamples, not {resamples}.")
    if not is_whole(seed, 0):
        raise MeasureError(f"A seed is a whole number from 0 on, not {seed}.")
