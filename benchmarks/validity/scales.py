"""On which scale kappa's interval is symmetric: how often each of four holds the true kappa."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.measures.agreement import pooled_kappa
from app.measures.jackknife import half_width, kappas_without_each
from app.measures.kappa import distance
from app.measures.tables import count
from app.measures.undefined import Undefined
from benchmarks.validity.coverage import SIZE, SPREADS, TEAMS
from benchmarks.validity.worlds import LEVELS, world_of

Numbers = NDArray[np.float64]
Scale = tuple[Callable[[Numbers], Numbers], Callable[[Numbers], Numbers]]
"""There, and back."""

SCALES: Mapping[str, Scale] = {
    "plain": (lambda kappa: kappa, lambda there: there),
    "cube_root": (lambda kappa: np.cbrt(1 - kappa), lambda there: 1 - there**3),
    "log": (lambda kappa: np.log(1 - kappa), lambda there: 1 - np.exp(there)),
    "atanh": (np.arctanh, np.tanh),
}
WORLDS = ((0.8, "very different"), (0.8, "different"), (0.4, "very different"), (0.6, "alike"))
ASKED_OF = list(TEAMS.items())[:2]


@dataclass(frozen=True)
class Scales:
    """Shares of the samples in which the interval made on that scale holds the true kappa. `log` and `atanh` are over
    those in which they have a value: `without` have none, because kappa is 1 without one of the queries.
    """

    team: str
    queries: int
    spread: str
    kappa: float
    plain: float
    cube_root: float
    log: float
    atanh: float
    without: int


def measure(trials: int, seed: int) -> Iterator[Scales]:
    for queries in (10, 30):
        for kappa, spread in WORLDS:
            for team, _ in ASKED_OF:
                yield compare(team, queries, spread, kappa, trials=trials, seed=seed)


def compare(team: str, queries: int, spread: str, kappa: float, *, trials: int, seed: int) -> Scales:
    leanings = TEAMS[team]
    world = world_of(kappa, leanings, SPREADS[spread])
    rng = np.random.default_rng([seed, queries, len(leanings), round(1000 * kappa), round(1000 * SPREADS[spread])])
    held: dict[str, list[bool]] = {name: [] for name in SCALES}
    without = 0
    for _ in range(trials):
        doubles = world.judge(rng, queries=queries, size=SIZE)
        point, _ = pooled_kappa(doubles)
        replicates = kappas_without_each(count(doubles), distance(LEVELS))[0]
        if isinstance(point, Undefined) or np.isnan(replicates).any():
            continue
        is_whole = bool((replicates == 1).any())
        without += is_whole
        for name in ("plain", "cube_root") if is_whole else SCALES:
            low, high = interval_on(name, point, replicates)
            held[name].append(low <= kappa <= high)
    shares = {name: float(np.mean(each)) for name, each in held.items()}
    return Scales(team=team, queries=queries, spread=spread, kappa=kappa, **shares, without=without)


def interval_on(name: str, point: float, replicates: Numbers) -> tuple[float, float]:
    """95%, by the jackknife on the scale of that name."""
    there, back = SCALES[name]
    middle, half = there(np.array(point)), half_width(there(replicates), 0.95)
    low, high = sorted(back(np.array([middle - half, middle + half])).tolist())
    return low, high
