"""How often the default interval of pooled kappa holds the true one, and how far pooled kappa is off on the mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.measures.agreement import pooled_kappa
from app.measures.intervals import analytic_interval
from app.measures.kappa import cross
from app.measures.undefined import Undefined
from benchmarks.validity.worlds import LEVELS, world_of

SIZE = 30
TEAMS = {
    "a fixed couple": (0.2, -0.2),
    "four who rotate (6 couples)": (0.3, -0.2, 0.0, 0.1),
    "six who rotate (15 couples)": (0.3, -0.2, 0.0, 0.1, -0.1, 0.2),
}
SPREADS = {"alike": 0.0, "different": 0.1, "very different": 0.3}


@dataclass(frozen=True)
class Coverage:
    """`analytic` is the share of the formula that takes pairs as independent; only of a fixed couple. `is_again`: it
    was measured again, with four times as many trials.
    """

    team: str
    queries: int
    spread: str
    kappa: float
    share: float
    analytic: float | None
    bias: float
    undefined: int
    is_again: bool = False


PROMISED = (0.92, 0.96)


def measure(trials: int, seed: int) -> Iterator[Coverage]:
    """What comes out beyond the promise is measured again with four times as many trials, and that counts: of fifty
    figures whose chance error is .005, some stray.
    """
    for team, leanings in TEAMS.items():
        for queries in (10, 15, 30):
            for spread in SPREADS:
                for kappa in (0.5, 0.8):
                    found = cover(team, leanings, queries, spread, kappa, trials=trials, seed=seed)
                    if not PROMISED[0] <= found.share <= PROMISED[1]:
                        more = cover(team, leanings, queries, spread, kappa, trials=4 * trials, seed=seed + 1)
                        found = replace(more, is_again=True)
                    yield found


def cover(
    team: str, leanings: Sequence[float], queries: int, spread: str, kappa: float, *, trials: int, seed: int
) -> Coverage:
    world = world_of(kappa, leanings, SPREADS[spread])
    rng = np.random.default_rng([seed, queries, len(leanings), round(1000 * kappa), round(1000 * SPREADS[spread])])
    holds, holds_analytic, found = [], [], []
    for _ in range(trials):
        doubles = world.judge(rng, queries=queries, size=SIZE)
        point, interval = pooled_kappa(doubles)
        if isinstance(interval, Undefined) or isinstance(point, Undefined):
            continue
        low, high = interval
        holds.append(low <= kappa <= high)
        found.append(point)
        if len(leanings) == 2:
            formula = analytic_interval(cross(doubles.level_a, doubles.level_b, LEVELS))
            assert not isinstance(formula, Undefined)
            holds_analytic.append(formula[0] <= kappa <= formula[1])
    return Coverage(
        team=team,
        queries=queries,
        spread=spread,
        kappa=kappa,
        share=float(np.mean(holds)),
        analytic=float(np.mean(holds_analytic)) if holds_analytic else None,
        bias=float(np.mean(found)) - kappa,
        undefined=trials - len(holds),
    )
