"""Judges and queries made up, so that the true kappa is known and what the product says of a sample can be held to it.

Levels are skewed 60/20/13/7, as in search pools. A query has an error rate of its own and a share of each level of its
own; `spread` says how far they lie apart, 0 where all queries are alike. A labeller who errs goes a level up or down,
by a leaning of their own, or, two times in five, anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from app.measures.doubles import Doubles
from app.measures.kappa import distance

SKEW = np.array([0.60, 0.20, 0.13, 0.07])
LEVELS = len(SKEW)
ANYWHERE = 0.4
"""Of all errors, those that may end at any level."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """`errors` is the mean error rate; `leanings` (one a labeller, from -1 to 1) how much more often each errs upwards.

    With `spread` s, a query's error rate is Beta with mean `errors` and its levels are Dirichlet about the skew; both
    have precision 1/s - 1, so that s is the share of the greatest possible variance.
    """

    errors: float
    leanings: Sequence[float]
    spread: float = 0.0

    @property
    def couples(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.leanings)), 2))

    def slip(self, labeller: int) -> Numbers:
        """Where an error of that labeller ends, (levels, levels), rows the true level."""
        up = np.full(LEVELS, (1 + self.leanings[labeller]) / 2)
        up[0], up[-1] = 1.0, 0.0
        steps = np.zeros((LEVELS, LEVELS))
        for level in range(LEVELS):
            if level + 1 < LEVELS:
                steps[level, level + 1] = up[level]
            if level:
                steps[level, level - 1] = 1 - up[level]
        return (1 - ANYWHERE) * steps + ANYWHERE / LEVELS

    def true_kappa(self) -> float:
        """Linear weighted, pooled over all couples alike, over all queries there could be."""
        mean, square = self.errors, self.errors**2 + self.spread * self.errors * (1 - self.errors)
        right = np.eye(LEVELS)
        slips = [self.slip(labeller) for labeller in range(len(self.leanings))]
        margins = [SKEW @ ((1 - mean) * right + mean * slip) for slip in slips]
        steps, observed, expected = distance(LEVELS), 0.0, 0.0
        for a, b in self.couples:
            joint = (
                (1 - 2 * mean + square) * np.diag(SKEW)
                + (mean - square) * ((SKEW[:, np.newaxis] * right).T @ slips[b] + (SKEW[:, np.newaxis] * slips[a]).T)
                + square * (SKEW[:, np.newaxis] * slips[a]).T @ slips[b]
            )
            observed += float((steps * joint).sum())
            expected += float(margins[a] @ steps @ margins[b])
        return 1 - observed / expected

    def judge(self, rng: np.random.Generator, *, queries: int, size: int) -> Doubles:
        """Whole queries dealt to the couples in turn, in an order drawn anew; each of `size` documents."""
        every = rng.permutation(self.couples)
        couples = rng.permutation(every[np.arange(queries) % len(every)])
        errors, levels = self._queries(rng, queries)
        true = (rng.random((queries, size, 1)) > np.cumsum(levels, axis=1)[:, np.newaxis, :-1]).sum(axis=2)
        level_a, level_b = (self._grades(rng, true, errors, couples[:, side]).ravel() for side in (0, 1))
        query = np.repeat(np.arange(queries), size)
        a, b = couples[query].T
        return Doubles(query, a, b, level_a, level_b, levels=LEVELS, labellers=len(self.leanings))

    def _queries(self, rng: np.random.Generator, queries: int) -> tuple[Numbers, Numbers]:
        if self.spread == 0:
            return np.full(queries, self.errors), np.tile(SKEW, (queries, 1))
        precision = 1 / self.spread - 1
        errors = rng.beta(self.errors * precision, (1 - self.errors) * precision, queries)
        return errors, rng.dirichlet(SKEW * precision, queries)

    def _grades(
        self, rng: np.random.Generator, true: NDArray[np.int64], errors: Numbers, labellers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        slips = np.cumsum([self.slip(labeller) for labeller in range(len(self.leanings))], axis=2)
        ends = slips[labellers[:, np.newaxis], true][:, :, :-1]
        slipped = (rng.random((*true.shape, 1)) > ends).sum(axis=2)
        return np.where(rng.random(true.shape) < errors[:, np.newaxis], slipped, true)


def world_of(kappa: float, leanings: Sequence[float], spread: float = 0.0) -> World:
    """The world with this true kappa, its error rate found by halving. ValueError where no error rate makes it."""
    low, high = 0.0, 0.95
    if World(high, leanings, spread).true_kappa() > kappa:
        raise ValueError(f"No error rate makes a kappa of {kappa} here.")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if World(middle, leanings, spread).true_kappa() < kappa else (middle, high)
    return World(low, leanings, spread)
