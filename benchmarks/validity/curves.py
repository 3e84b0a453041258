"""What each policy's gate answers, by the true kappa of the two people: 30 queries of 30 documents."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.measures.agreement import agreement
from app.measures.evidence import Evidence
from app.measures.gate import POLICIES, ask_gate
from benchmarks.validity.coverage import SPREADS
from benchmarks.validity.worlds import world_of

QUERIES, SIZE = 30, 30
COUPLE = (0.1, -0.1)
AROUND = (-0.06, -0.03, 0.0, 0.01, 0.03, 0.05, 0.06, 0.08, 0.09, 0.12, 0.15)
"""True kappas, from the policy's line."""


@dataclass(frozen=True)
class Point:
    policy: str
    spread: str
    kappa: float
    passed: float
    undecided: float
    failed: float


def measure(trials: int, seed: int) -> Iterator[Point]:
    for policy in POLICIES.values():
        for spread in ("alike", "different"):
            for step in AROUND:
                yield point(policy.name, spread, round(policy.line + step, 2), trials=trials, seed=seed)


def point(policy: str, spread: str, kappa: float, *, trials: int, seed: int) -> Point:
    world = world_of(kappa, COUPLE, SPREADS[spread])
    rng = np.random.default_rng([seed, round(1000 * kappa), round(1000 * SPREADS[spread])])
    answers = Counter(
        ask_gate(Evidence(agreement(world.judge(rng, queries=QUERIES, size=SIZE))), POLICIES[policy]).answer
        for _ in range(trials)
    )
    return Point(
        policy=policy,
        spread=spread,
        kappa=kappa,
        passed=answers["passed"] / trials,
        undecided=(answers["not enough evidence"] + answers["undefined"]) / trials,
        failed=answers["failed"] / trials,
    )
