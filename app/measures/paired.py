"""The difference of two runs over the same queries: how large, how sure, and what these queries could have shown.

Paired t (Student 1908), sign-flip permutation (Fisher 1935), percentile and studentised bootstrap (Efron & Tibshirani
1993, chapters 12 and 13).
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.measures.kappa import Numbers
from app.measures.planning import detectable
from app.measures.resampling import RESAMPLES, all_flipped_sums, flipped_sums, resampled_sums
from app.measures.student import refuse_confidence, t_beyond, t_quantile
from app.measures.undefined import MeasureError, Undefined

Interval = tuple[float, float] | Undefined
MOST_TRIED_OUT: Final = 13
"""So many differences other than 0 have 8,192 ways of signs, which are tried out one and all."""
FROM_HERE_PERCENTILE: Final = 100
"""Below so many queries the percentile interval is too narrow: at 30 it misses 7% of the time for 5%."""
_TIE: Final = 1e-12
_ONE_QUERY = "a spread needs two queries or more"
_NO_SPREAD = "every query differs by the same amount"


@dataclass(frozen=True, slots=True)
class Difference:
    """Of the second run from the first, above 0 where the second is better. `interval` is the one of the three that
    stands first: t below 100 queries, percentile bootstrap from there on.

    `p` is of the sign-flip permutation, two-sided; `is_exact` where all ways of signs were tried out. `effect` is the
    mean in standard deviations of the differences. `detectable` is the true difference that so many queries with this
    spread show with 80% power. Ties are differences that rounding alone could make.
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
    values = _finite(changes)
    refuse_confidence(confidence)
    if resamples < 1:
        raise MeasureError("A permutation test and a bootstrap need one resample or more.")
    queries, mean = len(values), math.fsum(values) / len(values)
    values[np.abs(values) <= _TIE] = 0.0
    spread = _spread(values, mean)
    error = spread / math.sqrt(queries) if not isinstance(spread, Undefined) else spread
    t = _t(mean, error)
    by_t = _by_t(mean, error, queries, confidence)
    by_percentile, by_studentised = _by_bootstrap(values, mean, error, confidence, resamples, seed)
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
        detectable=spread if isinstance(spread, Undefined) else detectable(queries, spread),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def sign_flip(changes: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, bool]:
    """p of the two-sided sign-flip test of the mean, and whether every way of signs was tried out.

    Where only some were, the one that was found counts among them: (more extreme + 1) / (tried + 1).
    """
    values = _finite(changes)
    values = values[values != 0]  # Turning a 0 changes nothing.
    bound = abs(math.fsum(values)) - _TIE * float(np.abs(values).sum())
    if len(values) <= MOST_TRIED_OUT:
        sums = all_flipped_sums(values)
        return float((np.abs(sums) >= bound).mean()), True
    extreme = int((np.abs(flipped_sums(values, resamples, seed)) >= bound).sum())
    return (extreme + 1) / (resamples + 1), False


def _finite(changes: ArrayLike) -> Numbers:
    values = np.array(changes, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise MeasureError("There is no query that both runs have a value for.")
    if not np.isfinite(values).all():
        raise MeasureError("A difference that is no finite number can't be compared.")
    return values


def _spread(values: Numbers, mean: float) -> float | Undefined:
    """The standard deviation, n - 1; a spread that rounding alone could make is none."""
    if len(values) < 2:
        return Undefined(_ONE_QUERY)
    spread = math.sqrt(math.fsum((values - mean) ** 2) / (len(values) - 1))
    return spread if spread > _TIE else 0.0


def _t(mean: float, error: float | Undefined) -> float | Undefined:
    if isinstance(error, Undefined):
        return error
    return mean / error if error else Undefined(_NO_SPREAD)


def _by_t(mean: float, error: float | Undefined, queries: int, confidence: float) -> Interval:
    if isinstance(error, Undefined):
        return error
    half = t_quantile(queries - 1, confidence) * error
    return mean - half, mean + half


def _by_bootstrap(
    values: Numbers, mean: float, error: float | Undefined, confidence: float, resamples: int, seed: int
) -> tuple[Interval, Interval]:
    """Percentile and studentised, of the same resamples."""
    if isinstance(error, Undefined):
        return error, error
    if not error:
        return (mean, mean), Undefined(_NO_SPREAD)
    about = values - mean
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    first, second = resampled_sums(np.column_stack([about, about**2]), resamples, seed).T / len(values)
    low, high = (mean + np.quantile(first, ends)).tolist()
    errors = np.sqrt(np.maximum(second - first**2, 0.0) / (len(values) - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(errors > 1e-6 * error, first / errors, np.copysign(np.inf, first))
    lowest, highest = np.quantile(steps, ends, method="inverted_cdf").tolist()
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return (low, high), Undefined("too many resamples hold one query only")
    return (low, high), (mean - highest * error, mean - lowest * error)
