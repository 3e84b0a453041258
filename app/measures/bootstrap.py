"""Bootstrap intervals of a mean: percentile and studentised (Efron & Tibshirani 1993, chapters 12 and 13).

The percentile interval is the one that ever more resamples come to, worked out and not drawn: no seed moves it. The
studentised one is drawn.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.measures.given import refuse_chance
from app.measures.kappa import Numbers, reals
from app.measures.resampling import RESAMPLES, resampled_sums
from app.measures.student import refuse_confidence
from app.measures.undefined import MeasureError, Undefined

Interval = tuple[float, float] | Undefined
NO_SPREAD = "every query differs by the same amount"
ONE_QUERY = "a spread needs two queries or more"
NOTHING: Final = 1e-12
"""What rounding alone can make of scores between 0 and 1."""
LARGEST: Final = 1e100
_GRID: Final = 2**17


def percentile_interval(changes: ArrayLike, *, confidence: float = 0.95) -> tuple[float, float]:
    """Percentiles of the mean of n values drawn with replacement from `changes` (n,), to 1/5,000 of its spread.

    The sum of n draws has the n-fold convolution of one draw's distribution, which a Fourier transform makes on a grid
    12 standard deviations to either side. A value between two of its points is shared out so that it keeps its mean.
    """
    values = finite(changes)
    refuse_confidence(confidence)
    count, mean = len(values), math.fsum(values) / len(values)
    about = values - mean
    far = min(12.0 * math.sqrt(math.fsum(about**2)), count * float(np.abs(about).max()))
    if far == 0.0:
        return mean, mean
    step = 2.1 * far / _GRID  # With room for the sharing out, or the far end would come in again at the near one.
    below, share = np.divmod(about / step, 1.0)
    place = below.astype(np.int64)
    once = np.bincount(place % _GRID, (1.0 - share) / count, _GRID) + np.bincount(
        (place + 1) % _GRID, share / count, _GRID
    )
    sums = np.fft.fftshift(np.fft.irfft(np.fft.rfft(once) ** count, _GRID))
    edges = (np.arange(_GRID) - _GRID // 2 + 0.5) * step
    reached = np.maximum.accumulate(np.cumsum(sums))
    ends = mean + np.interp(_ends(confidence), reached, edges) / count
    low, high = np.clip(ends, values.min(), values.max()).tolist()  # The grid may step over what a mean can be.
    return low, high


def studentised_interval(
    changes: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The mean less the percentiles of (resample's mean - mean) / its standard error, in standard errors."""
    values = finite(changes)
    refuse_confidence(confidence)
    refuse_chance(resamples, seed)
    if len(values) < 2:
        return Undefined(ONE_QUERY)
    count, mean = len(values), math.fsum(values) / len(values)
    about = values - mean
    error = math.sqrt(math.fsum(about**2) / (count - 1) / count)
    if error <= NOTHING:
        return Undefined(NO_SPREAD)
    means, squares = resampled_sums(np.column_stack([about, about**2]), resamples, seed).T / count
    errors = np.sqrt(np.maximum(squares - means**2, 0.0) / (count - 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # A resample of one query has no error: beyond all others.
        steps = np.where(errors > 1e-6 * error, means / errors, np.copysign(np.inf, means))
    lowest, highest = np.quantile(steps, _ends(confidence), method="inverted_cdf").tolist()
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return Undefined("in too many resamples every query differs by the same amount")
    return mean - highest * error, mean - lowest * error


def finite(changes: ArrayLike) -> Numbers:
    """A copy of the differences (n,); refused where there are none, or one is no number."""
    values = reals("Differences", changes)
    if not len(values):
        raise MeasureError(
            "No query has a value for both runs: none that both returned was judged, or none has a relevant judgment."
        )
    if not np.isfinite(values).all():
        raise MeasureError("A difference that is no finite number can't be compared.")
    if np.abs(values).max() > LARGEST:
        raise MeasureError("A difference beyond 10^100 can't be compared: its square is hardly a number any more.")
    return values.copy()


def _ends(confidence: float) -> list[float]:
    return [(1 - confidence) / 2, (1 + confidence) / 2]
