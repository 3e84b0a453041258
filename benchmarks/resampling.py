"""Our bootstrap, permutation and kappa beside scipy's and scikit-learn's, in one run on one machine.

    python -m benchmarks.resampling

7,000 queries, 10,000 resamples (ours works out what ever more resamples come to); 1,000,000 pairs. The sides take
turns, round after round, and the least CPU time of each counts: on a shared machine a clock on the wall says anything.
A ratio is printed only where both answers agree. Writes docs/evidence/resampling.txt.
"""

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from app.measures.bootstrap import percentile_interval
from app.measures.kappa import cross, kappa
from app.measures.paired import sign_flip

LOG = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "resampling.txt"
QUERIES, RESAMPLES, PAIRS = 7_000, 10_000, 1_000_000


@dataclass(frozen=True)
class Side:
    name: str
    run: Callable[[], Any]


def main() -> None:
    rng = np.random.default_rng(20261130)
    first = rng.beta(2, 2, QUERIES)
    second = np.clip(first + rng.normal(0.004, 0.2, QUERIES), 0, 1)
    a = rng.choice(4, PAIRS, p=[0.6, 0.2, 0.13, 0.07])
    b = np.clip(a + rng.choice([-1, 0, 1], PAIRS, p=[0.1, 0.8, 0.1]), 0, 3)
    versions = f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    lines = [f"Python {platform.python_version()}, {versions}"]
    lines += bootstraps(first, second)
    lines += permutations(second - first)
    lines += kappas(a, b)
    LOG.write_text("\n".join(["# python -m benchmarks.resampling", *lines]) + "\n", "utf-8")
    print("\n".join(lines))
    sys.exit(any("DIFFER" in line for line in lines))


def bootstraps(first: Any, second: Any) -> list[str]:
    changes = second - first

    def of_scipy(**more: Any) -> tuple[float, float]:
        return ends(stats.bootstrap((changes,), np.mean, n_resamples=RESAMPLES, rng=1, **more))

    return race(
        f"paired bootstrap interval, {RESAMPLES:,} resamples of {QUERIES:,} queries",
        [
            Side("ours: percentile_interval(b - a)", lambda: percentile_interval(changes)),
            Side(
                "scipy.stats.bootstrap((a, b), statistic, paired=True), its defaults (BCa, all in memory)",
                lambda: ends(stats.bootstrap((first, second), mean_gain, paired=True, n_resamples=RESAMPLES, rng=1)),
            ),
            Side("scipy.stats.bootstrap((b - a,), mean), its defaults (BCa, all in memory)", of_scipy),
            Side(
                "scipy.stats.bootstrap((b - a,), mean, method=percentile, batch=500), the best that it can do",
                lambda: of_scipy(method="percentile", batch=500),
            ),
        ],
        rounds=3,
        agree=lambda ours, theirs: np.allclose(ours, theirs, atol=2e-4),  # Four errors of an end of 10,000.
    )


def permutations(changes: Any) -> list[str]:
    return race(
        f"sign-flip permutation, {RESAMPLES:,} of {QUERIES:,} queries",
        [
            Side("ours: sign_flip(b - a)", lambda: sign_flip(changes)[0]),
            Side(
                "scipy.stats.permutation_test((b - a,), mean, permutation_type=samples), its defaults",
                lambda: flipped(changes, None),
            ),
            Side("the same with batch=500", lambda: flipped(changes, 500)),
        ],
        rounds=1,
        agree=lambda ours, theirs: bool(abs(ours - theirs) < 0.02),
    )


def kappas(a: Any, b: Any) -> list[str]:
    return race(
        f"linear weighted kappa of {PAIRS:,} pairs",
        [
            Side("ours: kappa(cross(a, b, 4))", lambda: kappa(cross(a, b, 4))),
            Side(
                "sklearn.metrics.cohen_kappa_score(a, b, weights=linear, labels=[0, 1, 2, 3])",
                lambda: cohen_kappa_score(a, b, weights="linear", labels=[0, 1, 2, 3]),
            ),
        ],
        rounds=15,
        agree=lambda ours, theirs: bool(abs(ours - theirs) < 1e-12),
    )


def race(what: str, sides: list[Side], *, rounds: int, agree: Callable[[Any, Any], bool]) -> list[str]:
    """The first side is ours."""
    least, answers = [float("inf")] * len(sides), [None] * len(sides)
    for _ in range(rounds):
        for at, side in enumerate(sides):
            began = time.process_time()
            answers[at] = side.run()
            least[at] = min(least[at], time.process_time() - began)
    lines = ["", what, f"  {least[0]:8.4f} s  {sides[0].name}: {answers[0]}"]
    for side, seconds, answer in zip(sides[1:], least[1:], answers[1:], strict=True):
        ratio = f"{seconds / least[0]:.0f} times ours" if agree(answers[0], answer) else "ANSWERS DIFFER"
        lines.append(f"  {seconds:8.4f} s  {side.name}: {answer}: {ratio}")
    return lines


def mean_gain(a: Any, b: Any, axis: int = -1) -> Any:
    return np.mean(b - a, axis=axis)


def ends(found: Any) -> tuple[float, float]:
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def flipped(changes: Any, batch: int | None) -> float:
    found = stats.permutation_test(
        (changes,), np.mean, permutation_type="samples", n_resamples=RESAMPLES, batch=batch, rng=1
    )
    return float(found.pvalue)


if __name__ == "__main__":
    main()
