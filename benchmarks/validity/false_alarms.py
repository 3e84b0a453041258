"""How often a comparison of two equally good runs calls them different at .05, by the headline test and the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.measures.bootstrap import Interval
from app.measures.paired import difference, sign_flip
from app.measures.undefined import Undefined

LEVEL = 0.05
Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Numbers]


@dataclass(frozen=True)
class FalseAlarms:
    """Shares of the trials. `permutation` is the headline; the other three are of fewer trials.

    `is_exchangeable`: swapping the two runs on any query makes a case as likely, which is what "equally good" means to
    a permutation test; elsewhere only the mean difference is 0. `is_again` of what was measured again, with four times
    as many trials.
    """

    changes: str
    queries: int
    is_exchangeable: bool
    permutation: float
    t: float
    percentile: float
    studentised: float
    is_again: bool = False


def normal(rng: np.random.Generator, queries: int) -> Numbers:
    return rng.normal(0, 0.2, queries)


def swapped(rng: np.random.Generator, queries: int) -> Numbers:
    """nDCG of two runs that order the same ten documents by equally noisy scores; a third of the queries tie."""
    grades = rng.choice(4, (queries, 10), p=[0.6, 0.2, 0.13, 0.07])
    discount = 1 / np.log2(np.arange(2, 12))
    ideal = np.maximum((np.sort(2.0**grades - 1, axis=1)[:, ::-1] * discount).sum(axis=1), 1e-9)
    runs = [
        (
            np.take_along_axis(2.0**grades - 1, np.argsort(-grades - rng.normal(0, 2, grades.shape), axis=1), 1)
            * discount
        )
        for _ in range(2)
    ]
    changes: Numbers = (runs[0].sum(axis=1) - runs[1].sum(axis=1)) / ideal
    return np.where(rng.random(queries) < 1 / 3, 0.0, changes)


def skewed(rng: np.random.Generator, queries: int) -> Numbers:
    """Many small losses and a few large gains that make up for them: no two runs are exchangeable here."""
    return rng.gamma(2.0, 0.1, queries) - 0.2


def very_skewed(rng: np.random.Generator, queries: int) -> Numbers:
    """The same with a skewness of 2 / sqrt(.55) = 2.7: a few queries decide all."""
    return rng.gamma(0.55, 0.2, queries) - 0.55 * 0.2


EXCHANGEABLE: Mapping[str, Draw] = {
    "normal": normal,
    "nDCG of two equally noisy runs, a third of the queries tied": swapped,
}
ONLY_OF_EQUAL_MEAN: Mapping[str, Draw] = {
    "many small losses, a few large gains (skewness 1.4)": skewed,
    "nearly all small losses, very few large gains (skewness 2.7)": very_skewed,
}


PROMISED = (0.045, 0.055)


def measure(trials: int, seed: int) -> Iterator[FalseAlarms]:
    """What comes out beyond the promise is measured again with four times as many trials, and that counts."""
    for kinds in (EXCHANGEABLE, ONLY_OF_EQUAL_MEAN):
        for kind, draw in kinds.items():
            for queries in (30, 100):
                found = alarms(kind, draw, queries, trials=trials, seed=seed)
                if found.is_exchangeable and not PROMISED[0] <= found.permutation <= PROMISED[1]:
                    more = alarms(kind, draw, queries, trials=4 * trials, seed=seed + 1)
                    found = replace(more, is_again=True)
                yield found


def alarms(kind: str, draw: Draw, queries: int, *, trials: int, seed: int) -> FalseAlarms:
    rng = np.random.default_rng([seed, queries, len(kind)])
    headline = [sign_flip(draw(rng, queries), seed=at)[0] <= LEVEL for at in range(trials)]
    found = [difference(draw(rng, queries), resamples=2000, seed=at) for at in range(max(1, trials // 8))]
    return FalseAlarms(
        changes=kind,
        queries=queries,
        is_exchangeable=kind in EXCHANGEABLE,
        permutation=float(np.mean(headline)),
        t=float(np.mean([not isinstance(one.p_of_t, Undefined) and one.p_of_t <= LEVEL for one in found])),
        percentile=_share_without_0([one.by_percentile for one in found]),
        studentised=_share_without_0([one.by_studentised for one in found]),
    )


def _share_without_0(intervals: Sequence[Interval]) -> float:
    return float(np.mean([not isinstance(each, Undefined) and not each[0] <= 0 <= each[1] for each in intervals]))
