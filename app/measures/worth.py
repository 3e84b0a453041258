"""What each document of a ranking adds to a measure, and what the sum is divided by."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.measures.conventions import Convention, Geometric
from app.measures.gains import discounts
from app.measures.judged import Judged, Numbers, Places, discounted
from app.measures.matching import Matched

READ_GAIN = ("nDCG", "DCG", "RBP", "RBP-residual")


@dataclass(frozen=True, eq=False)
class Worth:
    """A measure is, for each query, the sum of gain x weight over its documents, over a divisor.

    `query`, `rank`, `place` (in the matching), `gain` and `weight` are arrays over documents, by query and rank;
    `divisor` is one over queries. `most` is the gain of a perfect document, which RBP's residual is made of.
    """

    query: Places
    rank: Places
    place: Places
    gain: Numbers
    weight: Numbers
    divisor: Numbers
    most: float = 1.0


def reads_gain(convention: Convention) -> bool:
    """Whether the measure reads gains, or asks only whether a grade reaches the threshold."""
    return convention.measure in READ_GAIN


def relevant(judged: Judged, convention: Convention) -> Places:
    """How many relevant documents were judged for each query, in the measure's own sense: of positive gain, or with a
    grade at the threshold.
    """
    is_relevant = judged.gains(convention.gain) > 0 if reads_gain(convention) else judged.grade >= convention.threshold
    return np.bincount(judged.query[is_relevant], minlength=len(judged.qids))


def worth(matched: Matched, convention: Convention) -> Worth:
    """Of every document in the matching, at the rank where the convention puts it."""
    placed = _placed(matched, convention)
    if reads_gain(convention):
        return _of_gains(matched, placed, convention)
    if convention.measure == "judged":
        is_kept = placed.grade >= 0 if convention.unjudged == "condensed" else ~np.isnan(placed.grade)
        is_judged = is_kept.astype(np.float64)
        returned = np.minimum(matched.returned, convention.k or matched.returned)
        return _worth(placed, is_judged, _shares(placed, convention.k, _ones), returned)
    return _of_hits(matched, placed, convention)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Documents by query and rank; `first` and `size` of the group of equal scores over which weights are shared."""

    query: Places
    rank: Places
    first: Places
    size: Places
    place: Places
    grade: Numbers


def _placed(matched: Matched, convention: Convention) -> _Placed:
    """Where the convention puts the documents: a condensed list closes up, an optimistic one has the best first."""
    grade = np.append(matched.judged.grade, np.nan)[matched.judgment]
    placed = _Placed(matched.query, matched.rank, matched.first, matched.size, np.arange(len(matched.rank)), grade)
    if convention.unjudged == "condensed" and convention.measure != "judged":
        placed = _condensed(placed)
    if convention.ties == "optimistic":
        placed = _best_first(placed)
    if convention.ties != "average":
        ones = np.ones_like(placed.rank)
        placed = _Placed(placed.query, placed.rank, placed.rank, ones, placed.place, placed.grade)
    return placed


def _condensed(placed: _Placed) -> _Placed:
    """Without the documents that nobody judged, or with a negative grade."""
    kept = np.flatnonzero(placed.grade >= 0)
    query, rank = placed.query[kept], placed.rank[kept]
    rank = _within(query)
    is_first = _is_new(query) | _is_new(placed.first[kept])
    group = np.cumsum(is_first) - 1
    size = np.bincount(group)[group]
    return _Placed(query, rank, rank[is_first][group], size, placed.place[kept], placed.grade[kept])


def _best_first(placed: _Placed) -> _Placed:
    """In each group of equal scores the best grade first, and what nobody judged, which is NaN, last."""
    by = np.lexsort((placed.rank, -placed.grade, placed.first, placed.query))
    query, first, size = placed.query[by], placed.first[by], placed.size[by]
    is_first = _is_new(query) | _is_new(first)
    start = np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    return _Placed(query, first + np.arange(len(by)) - start, first, size, placed.place[by], placed.grade[by])


def _of_gains(matched: Matched, placed: _Placed, convention: Convention) -> Worth:
    judged, discount, k = matched.judged, convention.discount, convention.k
    gains = judged.gains(convention.gain)
    gain = np.append(gains, 0.0)[matched.judgment[placed.place]]
    weight = _shares(placed, k, lambda depth: np.array(discounts(depth, discount)))
    ones = np.ones(len(judged.qids))
    if convention.measure == "DCG":
        return _worth(placed, gain, weight, ones)
    if convention.measure == "nDCG":
        return _worth(placed, gain, weight, _ideal(matched, placed, gain, convention))
    assert isinstance(discount, Geometric)
    weight *= 1 - discount.p
    if convention.measure == "RBP":
        return _worth(placed, gain, weight, ones)
    is_judged = (matched.judgment[placed.place] >= 0).astype(np.float64)
    most = convention.gain[-1] if isinstance(convention.gain, tuple) else float(gains.max(initial=0.0))
    return _worth(placed, is_judged, weight, ones, most=most)


def _ideal(matched: Matched, placed: _Placed, gain: Numbers, convention: Convention) -> Numbers:
    if convention.ideal == "judged":
        return matched.judged.ideal(convention.gain, convention.discount, convention.k)
    by = np.lexsort((-gain, placed.query))
    query = placed.query[by]
    return discounted(query, _within(query), gain[by], len(matched.judged.qids), convention.discount, convention.k)


def _of_hits(matched: Matched, placed: _Placed, convention: Convention) -> Worth:
    is_hit = placed.grade >= convention.threshold
    is_counted = placed.rank <= (convention.k or np.inf)
    all_relevant = relevant(matched.judged, convention)
    hits = is_hit.astype(np.float64)
    match convention.measure:
        case "recall":
            return _worth(placed, hits, _shares(placed, convention.k, _ones), all_relevant)
        case "precision":
            divisor = np.full(len(all_relevant), float(convention.k or 0))
            return _worth(placed, hits, _shares(placed, convention.k, _ones), divisor)
        case "AP":
            weight = np.where(is_counted, _so_far(placed.query, is_hit) / placed.rank, 0.0)
            return _worth(placed, hits, weight, all_relevant)
        case "bpref":
            is_nonrelevant = (placed.grade >= 0) & ~is_hit
            nonrelevant = np.bincount(
                matched.judged.query[(matched.judged.grade >= 0) & (matched.judged.grade < convention.threshold)],
                minlength=len(all_relevant),
            )
            above = np.minimum(_so_far(placed.query, is_nonrelevant), all_relevant[placed.query])
            most = np.maximum(np.minimum(all_relevant, nonrelevant), 1)[placed.query]
            return _worth(placed, hits, 1.0 - above / most, all_relevant)
        case _:  # RR and hit: the first hit is all.
            is_first = is_hit & (_so_far(placed.query, is_hit) == 1) & is_counted
            weight = 1.0 / placed.rank if convention.measure == "RR" else np.ones(len(hits))
            return _worth(placed, is_first.astype(np.float64), weight, np.ones(len(all_relevant)))


def _worth(placed: _Placed, gain: Numbers, weight: Numbers, divisor: Numbers | Places, *, most: float = 1.0) -> Worth:
    return Worth(placed.query, placed.rank, placed.place, gain, weight, divisor.astype(np.float64), most)


def _shares(placed: _Placed, k: int | None, weights: Callable[[int], Numbers]) -> Numbers:
    """The weight of each document's rank, 0 beyond k; where equal scores share their ranks, the mean weight of these
    ranks (McSherry & Najork 2008).
    """
    last = placed.first + placed.size - 1
    depth = int(last.max(initial=0))
    weight = np.zeros(depth + 1)
    counted = min(depth, k or depth)
    weight[1 : counted + 1] = weights(counted)
    if (placed.size == 1).all():
        return weight[placed.rank]
    summed = np.cumsum(weight)
    shared = (summed[last] - summed[placed.first - 1]) / placed.size
    return np.where(placed.size == 1, weight[placed.rank], shared)


def _ones(depth: int) -> Numbers:
    return np.ones(depth)


def _so_far(query: Places, is_counted: NDArray[np.bool_]) -> Places:
    """How many are counted in the same query up to and with each place."""
    summed = np.cumsum(is_counted)
    before: Places = (summed - is_counted)[_is_new(query)]
    return summed - np.repeat(before, _sizes(query))


def _within(query: Places) -> Places:
    """1, 2, 3, … within each query."""
    return _so_far(query, np.ones(len(query), dtype=np.bool_))


def _is_new(numbers: Places) -> NDArray[np.bool_]:
    """Where a number differs from the one before it."""
    is_new: NDArray[np.bool_] = np.diff(numbers, prepend=-1) != 0
    return is_new


def _sizes(query: Places) -> Places:
    return np.diff(np.flatnonzero(_is_new(query)), append=len(query))
