"""Agreement level by level: where two labellers agree, and whether one is stricter than the other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.kappa import NO_PAIRS, square
from app.measures.student import chi_square_beyond
from app.measures.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """A test that two labellers use the levels alike: chi-square, its degrees of freedom, and its p."""

    chi_square: float
    degrees: int
    p: float


def specific_agreement(table: ArrayLike) -> tuple[float | Undefined, ...]:
    """For each level: of the grades that gave it, the share whose other grade gave it too: 2 n_ii / (n_i. + n_.i).

    Cicchetti & Feinstein 1990. Undefined for a level that nobody gave to such a pair.
    """
    counts = square(table)
    both = np.diag(counts).tolist()
    given = (counts.sum(axis=0) + counts.sum(axis=1)).tolist()
    return tuple(
        2 * agreed / times if times else Undefined("nobody gave this level to a pair that two graded")
        for agreed, times in zip(both, given, strict=True)
    )


def marginal_shift(table: ArrayLike) -> float | Undefined:
    """By how many levels the labeller in the columns grades higher than the one in the rows, on the mean."""
    counts = square(table)
    total = int(counts.sum())
    level = np.arange(len(counts))
    return int((counts.sum(axis=0) - counts.sum(axis=1)) @ level) / total if total else Undefined(NO_PAIRS)


def stuart_maxwell(table: ArrayLike) -> Homogeneity | Undefined:
    """Whether the two margins differ (Stuart 1955, Maxwell 1970), over pairs taken as independent.

    d' S^- d with d the margins' differences and S the Laplacian of how often two levels stand for each other. Levels
    that are never confused with others bring no degree of freedom: S has as many as levels less the groups that
    confusions join. Undefined where the two never differ.
    """
    counts = square(table)
    confused = counts + counts.T
    np.fill_diagonal(confused, 0)
    degrees = len(counts) - _groups(confused)
    if degrees == 0:
        return Undefined("the two never differ" if counts.sum() else NO_PAIRS)
    laplacian = (np.diag(confused.sum(axis=1)) - confused).astype(np.float64)
    shift = (counts.sum(axis=1) - counts.sum(axis=0)).astype(np.float64)
    chi_square = float(shift @ np.linalg.lstsq(laplacian, shift)[0])
    return Homogeneity(chi_square=chi_square, degrees=degrees, p=chi_square_beyond(degrees, chi_square))


def _groups(joined: NDArray[np.object_]) -> int:
    """How many groups of levels there are, a group being levels that some chain of confusions joins."""
    reaches = (joined > 0) | np.eye(len(joined), dtype=bool)
    for _ in range(len(joined)):
        reaches = reaches @ reaches
    return len(np.unique(reaches, axis=0))
