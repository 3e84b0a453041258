"""The difference of two runs over the same queries: how large, how sure, and what these queries could have shown.

Paired t (Student 1908), sign-flip permutation (Fisher 1935), and the bootstrap intervals beside them.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.measures.bootstrap import (
    NO_SPREAD,
    NOTHING,
    ONE_QUERY,
    Interval,
    finite,
    percentile_interval,
    studentised_interval,
)
from app.measures.given import refuse_chance
from app.measures.kappa import Numbers
from app.measures.planning import detectable
from app.measures.resampling import RESAMPLES, all_flipped_sums, flipped_sums
from app.measures.student import refuse_confidence, t_beyond, t_quantile
from app.measures.undefined import Undefined

MOST_TRIED_OUT: Final = 13
"""So many differences other than 0 have 8,192 ways of signs, which are tried out one and all."""
FROM_HERE_PERCENTILE: Final = 100
"""Below so many queries the percentile interval is too narrow: at 30 it misses 7% of the time for 5%."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Of the second run from the first, above 0 where the second is better. `interval` is the one of the three that
    stands first: t below 100 queries, percentile bootstrap from there on.

    `p` is of the sign-flip permutation, two-sided; `is_exact` where all ways of signs were tried out. `effect` is the
    mean in standard deviations of the differences. `detectable` is the true difference that so many queries with this
    spread show with 80% power at the interval's level. Ties are differences that rounding alone could make.
    """

    queries: int
    mean: float
    spread: float | Undefined
    interval: Interval
    interval_by: Literal["t", "percentile"]
    p: float
    is_exact: bool
    t: float | Undefined
    p_of_t: float | Undefined
    by_t: Interval
    by_percentile: Interval
    by_studentised: Interval
    wins: int
    ties: int
    losses: int
    effect: float | Undefined
    detectable: float | Undefined
    confidence: float
    resamples: int
    seed: int


def difference(
    changes: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """From what each query gained (n,): second run minus first."""
    values = finite(changes)
    refuse_confidence(confidence)
    refuse_chance(resamples, seed)
    queries, mean = len(values), math.fsum(values) / len(values)
    values[np.abs(values) <= NOTHING] = 0.0
    spread = _spread(values, mean)
    error = spread / math.sqrt(queries) if not isinstance(spread, Undefined) else spread
    t = _t(mean, error)
    by_t = _by_t(mean, error, queries, confidence)
    by_percentile = error if isinstance(error, Undefined) else percentile_interval(values, confidence=confidence)
    by_studentised = studentised_interval(values, confidence=confidence, resamples=resamples, seed=seed)
    p, is_exact = sign_flip(values, resamples=resamples, seed=seed)
    return Difference(
        queries=queries,
        mean=mean,
        spread=spread,
        interval=by_t if queries < FROM_HERE_PERCENTILE else by_percentile,
        interval_by="t" if queries < FROM_HERE_PERCENTILE else "percentile",
        p=p,
        is_exact=is_exact,
        t=t,
        p_of_t=t if isinstance(t, Undefined) else t_beyond(queries - 1, t),
        by_t=by_t,
        by_percentile=by_percentile,
        by_studentised=by_studentised,
        wins=int((values > 0).sum()),
        ties=int((values == 0).sum()),
        losses=int((values < 0).sum()),
        effect=t if isinstance(t, Undefined) else t / math.sqrt(queries),
        detectable=(
            t
            if isinstance(t, Undefined) or isinstance(spread, Undefined)
            else detectable(queries, spread, level=1 - confidence)
        ),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def sign_flip(changes: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, bool]:
    """p of the two-sided sign-flip test of the mean, and whether every way of signs was tried out.

    Where only some were, the one that was found counts among them: (more extreme + 1) / (tried + 1).
    """
    values = finite(changes)
    refuse_chance(resamples, seed)
    values = values[values != 0]  # Turning a 0 changes nothing.
    bound = abs(math.fsum(values)) - NOTHING * float(np.abs(values).sum())
    if len(values) <= MOST_TRIED_OUT:
        sums = all_flipped_sums(values)
        return float((np.abs(sums) >= bound).mean()), True
    extreme = int((np.abs(flipped_sums(values, resamples, seed)) >= bound).sum())
    return (extreme + 1) / (resamples + 1), False


def _spread(values: Numbers, mean: float) -> float | Undefined:
    """The standard deviation, n - 1; a spread that rounding alone could make is none."""
    if len(values) < 2:
        return Undefined(ONE_QUERY)
    spread = math.sqrt(math.fsum((values - mean) ** 2) / (len(values) - 1))
    return spread if spread > NOTHING else 0.0


def _t(mean: float, error: float | Undefined) -> float | Undefined:
    if isinstance(error, Undefined):
        return error
    return mean / error if error else Undefined(NO_SPREAD)


def _by_t(mean: float, error: float | Undefined, queries: int, confidence: float) -> Interval:
    if isinstance(error, Undefined):
        return error
    half = t_quantile(queries - 1, confidence) * error
    return mean - half, mean + half
