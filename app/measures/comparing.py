"""Runs against a baseline, and every run against every other, over one query set, one convention, one judged set."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from app.measures.given import refuse_chance
from app.measures.kappa import Numbers, reals
from app.measures.paired import Difference, difference
from app.measures.ranking import as_bytes
from app.measures.resampling import RESAMPLES
from app.measures.scores import NONE_RETURNED, NOTHING_RETURNED
from app.measures.undefined import MeasureError, Undefined

_MOST_NAMED = 3
_COMPLETE = "Choose a convention that counts a missing query as 0, missing=zero, or bring complete runs."
_WAYS_OUT: Mapping[float | Undefined | None, str] = {
    NONE_RETURNED: "Choose a convention that counts a query as 0 of which nothing relevant was returned, "
    "no-relevant=zero, or one whose ideal is over all that was judged, ideal=judged.",
    NOTHING_RETURNED: "Bring complete runs: of a list without a document there is nothing to have judged.",
}
"""By why a query has no value for one of the runs; whatever else it is, the run lacks it."""


@dataclass(frozen=True, eq=False)
class Scored:
    """One run's values of one measure. `convention` is its line, `judgments` whatever tells one judged set from
    another, a release's hash or a file's.
    """

    name: str
    convention: str
    judgments: str
    per_query: Mapping[str, float | Undefined]


@dataclass(frozen=True, eq=False)
class Comparison:
    """`second` against `first`. `p` is the difference's own, adjusted for how many comparisons were made beside it, if
    there were any. `p_error` is the standard deviation that the resamples drawn leave in it, 0 where none were drawn.

    `changes` (qid, change) has the largest moves first; `left_out` are queries that have no value for either run.
    """

    first: str
    second: str
    difference: Difference
    p: float
    p_error: float
    changes: tuple[tuple[str, float], ...]
    left_out: tuple[str, ...]


def compare(
    baseline: Scored,
    others: Sequence[Scored],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Each of the others against the baseline; their p adjusted by Holm (1979)."""
    if not others:
        raise MeasureError("A comparison needs two runs or more.")
    found = [_pair(baseline, other, confidence, resamples, seed) for other in others]
    adjusted = holm([each.difference.p for each in found])
    return tuple(replace(each, p=p, p_error=each.p_error * p / each.p) for each, p in zip(found, adjusted, strict=True))


def compare_all(
    runs: Sequence[Scored], *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Comparison, ...]:
    """Every run against each that stands before it; p by randomised Tukey HSD, which is for all pairs at once, and
    never below the pair's own: the deals take every run for exchangeable with every other, and are too bold where two
    are nearly one. Two runs make one pair, whose p there is nothing to adjust for.
    """
    if len(runs) < 2:
        raise MeasureError("A comparison needs two runs or more.")
    if len(runs) == 2:
        return compare(runs[0], runs[1:], confidence=confidence, resamples=resamples, seed=seed)
    found = [_pair(first, second, confidence, resamples, seed) for first, second in combinations(runs, 2)]
    values = np.column_stack([_values(runs[0], run)[2] for run in runs])
    adjusted = tukey(values, resamples=resamples, seed=seed)
    of_pairs = [float(adjusted[place]) for place in combinations(range(len(runs)), 2)]
    return tuple(
        replace(each, p=p, p_error=error_of_drawing(p, resamples)) if p > each.p else each
        for each, p in zip(found, of_pairs, strict=True)
    )


def error_of_drawing(p: float, resamples: int) -> float:
    """The standard deviation of a share p of so many resamples."""
    return math.sqrt(p * (1 - p) / resamples)


def holm(probabilities: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p, in the order given: the smallest times n, the next times n - 1, never falling, at most 1."""
    p = reals("Probabilities", probabilities)
    if not ((p >= 0) & (p <= 1)).all():
        raise MeasureError("A probability lies between 0 and 1.")
    places = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[places] = np.minimum(np.maximum.accumulate(p[places] * np.arange(len(p), 0, -1)), 1.0)
    return tuple(adjusted.tolist())


def tukey(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Numbers:
    """Randomised Tukey HSD (Carterette 2012): (runs, runs) of p for values (queries, runs).

    Each query's values are dealt to the runs anew; p of two runs is how often the widest difference of means that
    comes out is as wide as theirs, the deal that was found counting among the `resamples` + 1.
    """
    values = reals("Values", values, dimensions=2)
    if not values.size or values.shape[1] < 2 or not np.isfinite(values).all():
        raise MeasureError("A test of all pairs needs a finite value of each of two runs or more for every query.")
    refuse_chance(resamples, seed)
    generator = np.random.default_rng(seed)
    widest = np.empty(resamples)
    rows = max(1, 500_000 // values.size)
    for start in range(0, resamples, rows):
        dealt = np.repeat(values[np.newaxis], len(widest[start : start + rows]), axis=0)
        widest[start : start + rows] = np.ptp(generator.permuted(dealt, axis=2, out=dealt).sum(axis=1), axis=1)
    found = np.abs(np.subtract.outer(values.sum(axis=0), values.sum(axis=0)))
    bound = found - 1e-12 * np.abs(values).sum()  # Sums in another order differ in their last bits.
    at_least = resamples - np.searchsorted(np.sort(widest), bound.ravel(), side="left")
    p: Numbers = ((at_least + 1.0) / (resamples + 1.0)).reshape(found.shape)
    return p


def _pair(first: Scored, second: Scored, confidence: float, resamples: int, seed: int) -> Comparison:
    qids, of_first, of_second = _values(first, second)
    found = difference(of_second - of_first, confidence=confidence, resamples=resamples, seed=seed)
    moves = zip(qids, (of_second - of_first).tolist(), strict=True)
    return Comparison(
        first=first.name,
        second=second.name,
        difference=found,
        p=found.p,
        p_error=0.0 if found.is_exact else error_of_drawing(found.p, resamples),
        changes=tuple(sorted(moves, key=lambda move: (-abs(move[1]), as_bytes(move[0])))),
        left_out=tuple(qid for qid, value in first.per_query.items() if isinstance(value, Undefined)),
    )


def _values(first: Scored, second: Scored) -> tuple[list[str], Numbers, Numbers]:
    """The queries that have a value, and both runs' values of them. Refused unless they are the same queries."""
    if first.convention != second.convention:
        raise MeasureError(
            f"{first.name} and {second.name} were scored under different conventions, {first.convention} and "
            f"{second.convention}: score both under one."
        )
    if first.judgments != second.judgments:
        raise MeasureError(
            f"{first.name} and {second.name} were scored against different judgments: score both against one release."
        )
    known = [
        {qid for qid, value in run.per_query.items() if not isinstance(value, Undefined)} for run in (first, second)
    ]
    if known[0] != known[1]:
        raise MeasureError(_unlike(first, second, *known))
    qids = sorted(known[0], key=as_bytes)
    of_first, of_second = (np.array([run.per_query[qid] for qid in qids], dtype=np.float64) for run in (first, second))
    return qids, of_first, of_second


def _unlike(first: Scored, second: Scored, known: set[str], others: set[str]) -> str:
    parts: list[str] = []
    ways_out: dict[str, None] = {}
    for run, missing in ((first, others - known), (second, known - others)):
        if missing:
            qids = sorted(missing, key=as_bytes)
            more = f" and {len(qids) - _MOST_NAMED:,} more" if len(qids) > _MOST_NAMED else ""
            parts.append(f"{run.name} has no value for {', '.join(qids[:_MOST_NAMED])}{more}")
            ways_out |= {_WAYS_OUT.get(run.per_query.get(qid), _COMPLETE): None for qid in qids}
    return (
        f"{first.name} and {second.name} can't be compared over different query sets: {'; '.join(parts)}. "
        f"{' '.join(ways_out)}"
    )
