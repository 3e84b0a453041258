"""What a score would be, had the unjudged documents been judged: all worthless, all perfect, and the extremes between.

All worthless and all perfect are no bounds of nDCG: the ideal moves too. So the extremes are searched for. Only what
RBP leaves open (RBP-residual) is a true bound.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.conventions import Convention
from app.measures.judged import Judgments, Numbers
from app.measures.matching import Ranking
from app.measures.trials import Trials
from app.measures.undefined import Undefined

MOST_TRIED = 5000
Value = float | Undefined
_NOWHERE = Undefined("no judging of these documents gives the query a value")


@dataclass(frozen=True, slots=True)
class Scenarios:
    """`lowest` and `highest` are over every grading of the `unjudged` documents with the levels; where there are too
    many to try, the lowest is still exact and the highest what a search by steps found.
    """

    all_lowest: Value
    all_highest: Value
    lowest: Value
    highest: Value
    unjudged: int

    @property
    def is_sure(self) -> bool:
        """Whether every grading gives a value: the poorest is the first to leave none."""
        return not isinstance(self.all_lowest, Undefined)


def scenarios(
    docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention, *, levels: Sequence[float]
) -> Scenarios:
    """Of one query; `levels` are the rubric's grades. The documents judged now are those within the cut-off."""
    trials = Trials(docnos, scores, judgments, convention, levels)
    unjudged = len(trials.open)
    falling = _falling(levels, unjudged)
    lowest, highest = _values(trials, falling[:, ::-1]), _values(trials, falling)
    best = _extreme(np.nanmax, highest)
    if isinstance(best, float) and len(falling) < _ways(levels, unjudged):
        best = _climbed(trials, falling[int(np.nanargmax(highest))], levels)
    return Scenarios(
        all_lowest=trials.value(_graded(trials, np.full((1, unjudged), levels[0]))[0]),
        all_highest=trials.value(_graded(trials, np.full((1, unjudged), levels[-1]))[0]),
        lowest=_extreme(np.nanmin, lowest),
        highest=best,
        unjudged=unjudged,
    )


def scenarios_of_run(
    rankings: Mapping[str, Ranking], qrels: Mapping[str, Judgments], convention: Convention, *, levels: Sequence[float]
) -> Scenarios:
    """Means over the judged queries, of those that have a value; queries do not touch each other. What the run does not
    hold is scored as the convention says: as 0, or not at all. A query that some gradings leave without a value stands
    in the lowest mean only where it lowers it, and in the highest only where it raises it.
    """
    found = [
        scenarios(*rankings.get(qid, ((), ())), judgments, convention, levels=levels)
        for qid, judgments in qrels.items()
        if judgments and (qid in rankings or convention.missing == "zero")
    ]
    return Scenarios(
        all_lowest=_mean([one.all_lowest for one in found]),
        all_highest=_mean([one.all_highest for one in found]),
        lowest=_extreme_mean([(one.lowest, one.is_sure) for one in found], sign=1),
        highest=_extreme_mean([(one.highest, one.is_sure) for one in found], sign=-1),
        unjudged=sum(one.unjudged for one in found),
    )


def _ways(levels: Sequence[float], unjudged: int) -> int:
    """How many multisets of grades so many documents can have."""
    return math.comb(unjudged + len(levels) - 1, len(levels) - 1)


def _falling(levels: Sequence[float], unjudged: int) -> Numbers:
    """Gradings to try, the best document first, since a better one further up never lowers a measure; read backwards
    they are the worst orders.

    Every multiset of grades where these are few. Else those of two grades: the lowest value is among those of the
    lowest and the highest level, since nDCG is a linear function of the gains over a convex one, which has its minimum
    at a corner; and the highest is climbed to from the best of them.
    """
    if _ways(levels, unjudged) <= MOST_TRIED:
        every = list(combinations_with_replacement(sorted(levels, reverse=True), unjudged))
        return np.array(every, dtype=np.float64).reshape(len(every), unjudged)
    higher = np.arange(unjudged + 1)[:, np.newaxis] > np.arange(unjudged)
    pairs = [(low, high) for low in levels for high in levels if low < high]
    return np.vstack([np.where(higher, high, low) for low, high in pairs])


def _climbed(trials: Trials, start: Numbers, levels: Sequence[float]) -> float:
    """The highest value by steps: how many documents reach each level is moved up and down, by ever smaller steps."""
    ladder = np.array(levels)
    reached = np.array([(start >= level).sum() for level in levels[1:]])
    best = float(_values(trials, _laddered(reached[np.newaxis], ladder, len(start)))[0])
    step = 1 << max(0, len(start).bit_length() - 1)
    while step:
        moves = np.vstack([np.eye(len(reached), dtype=np.int64), -np.eye(len(reached), dtype=np.int64)]) * step
        around = np.clip(reached + moves, 0, len(start))
        around = around[(np.diff(around, axis=1) <= 0).all(axis=1)]
        values = _values(trials, _laddered(around, ladder, len(start)))
        if len(values) and np.nanmax(values) > best:
            best, reached = float(np.nanmax(values)), around[int(np.nanargmax(values))]
        else:
            step //= 2
    return best


def _laddered(reached: NDArray[np.int64], ladder: Numbers, unjudged: int) -> Numbers:
    """Falling grades, from how many documents reach each level but the lowest."""
    graded: Numbers = ladder[(reached[:, :, np.newaxis] > np.arange(unjudged)).sum(axis=1)]
    return graded


def _values(trials: Trials, gradings: Numbers) -> Numbers:
    return trials.values(_graded(trials, gradings))


def _graded(trials: Trials, gradings: Numbers) -> Numbers:
    """All grades of the query, from rows of grades of the unjudged documents."""
    known = trials.grades[: len(trials.grades) - gradings.shape[1]]
    return np.hstack([np.tile(known, (len(gradings), 1)), gradings])


def _extreme(pick: Callable[[Numbers], float], values: Numbers) -> Value:
    return _NOWHERE if np.isnan(values).all() else float(pick(values))


def _extreme_mean(extremes: Sequence[tuple[Value, bool]], *, sign: int) -> Value:
    """The lowest mean, or with the sign -1 the highest, of what must be in it and of what may be."""
    values = sorted((sign * value, is_sure) for value, is_sure in extremes if not isinstance(value, Undefined))
    taken = [value for value, is_sure in values if is_sure]
    for value in (value for value, is_sure in values if not is_sure):
        if not taken or value * len(taken) < math.fsum(taken):
            taken.append(value)
    mean = _mean(taken)
    return mean if isinstance(mean, Undefined) else sign * mean


def _mean(values: Sequence[Value]) -> Value:
    defined = [value for value in values if not isinstance(value, Undefined)]
    return math.fsum(defined) / len(defined) if defined else Undefined("no query has a value")
