"""What shows that a labeller's work changed: times that stand out, kappa as it goes, and kappa with themselves."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from app.measures.kappa import Numbers, cross, kappa, whole
from app.measures.undefined import MeasureError, Undefined

TOO_FAST_MS = 1500
MOST_Z = 3.5
"""Iglewicz and Hoaglin (1993): a modified z score beyond it is called an outlier."""
TO_SIGMA = 0.6745
"""The median absolute deviation of a normal distribution, in standard deviations."""
FEWEST_TIMES = 30
"""The spread of fewer says little about what is usual."""
WINDOW, STEP = 200, 50
AMBER_SELF_KAPPA = 0.70


def z_of_times(milliseconds: ArrayLike, lengths: ArrayLike) -> Numbers | Undefined:
    """Robust z, (n,), of the logarithm of the time for each unit of text: (x - median) * .6745 / MAD. It is the same
    for words and for letters. Undefined for fewer than FEWEST_TIMES, and where more than half are equal.
    """
    time, length = np.asarray(milliseconds, dtype=float), np.asarray(lengths, dtype=float)
    if time.shape != length.shape or time.ndim != 1 or (time < 0).any() or (length <= 0).any():
        raise MeasureError("Each time, which is not negative, needs the length of a text, which is not empty.")
    if len(time) < FEWEST_TIMES:
        return Undefined(f"fewer than {FEWEST_TIMES} times were measured")
    logs = np.log(np.maximum(time, 1.0) / length)
    away = logs - np.median(logs)
    deviation = float(np.median(np.abs(away)))
    if deviation == 0:
        return Undefined("more than half of the times are equal")
    scores: Numbers = away * TO_SIGMA / deviation
    return scores


def stand_out(milliseconds: ArrayLike, lengths: ArrayLike) -> list[bool]:
    """Whether each time is too short to have read anything, or far from what is usual for its text."""
    times = np.asarray(milliseconds, dtype=float)
    scores = z_of_times(milliseconds, lengths)
    is_far = np.zeros(len(times), dtype=bool) if isinstance(scores, Undefined) else np.abs(scores) > MOST_Z
    return [bool(flag) for flag in is_far | (times < TOO_FAST_MS)]


def rolling_kappas(
    own: Sequence[int], others: Sequence[int], *, levels: int, window: int = WINDOW, step: int = STEP
) -> list[float | Undefined]:
    """Linear kappa of the first `window` pairs, of those from `step` on, and so forth, the last window ending with the
    last pair. Both hold places on the scale, in the order in which the labeller graded. Empty for fewer pairs.
    """
    mine, theirs = whole("own", own), whole("others", others)
    last = len(mine) - window
    if last < 0:
        return []
    starts = [*range(0, last, step), last]
    return [kappa(cross(mine[at : at + window], theirs[at : at + window], levels)) for at in starts]


def is_unsteady(self_kappa: float | Undefined) -> bool:
    """Whether somebody who was shown pairs again did not say the same; unknown is not unsteady."""
    return not isinstance(self_kappa, Undefined) and self_kappa < AMBER_SELF_KAPPA


def has_drifted(kappas: Sequence[float | Undefined], *, by: float = 0.15) -> bool:
    """Whether the newest window lies more than `by` under the best one; a house line, as the gate's are."""
    known = [each for each in kappas if not isinstance(each, Undefined)]
    return len(known) > 1 and not math.isclose(known[-1], max(known)) and known[-1] < max(known) - by
