"""Pools: which documents of which runs are judged, what each run adds, and what judging them costs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.measures.conventions import Gain
from app.measures.gains import gain_of
from app.measures.given import is_number, is_whole
from app.measures.matching import Ranking
from app.measures.ranking import as_bytes, order
from app.measures.undefined import MeasureError

_BEYOND_PRICE: Final = 10**15

Runs = Mapping[str, Mapping[str, Sequence[str]]]
"""Run name → query id → documents in order, best first."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """`shared[i, j]`: pairs of query and document within the depth in both run i and run j; a run's own on the
    diagonal.
    """

    runs: tuple[str, ...]
    shared: NDArray[np.int64]

    @property
    def share(self) -> NDArray[np.float64]:
        """What part of run i's pairs run j holds too; 0 for a run without any."""
        own: NDArray[np.float64] = self.shared / np.maximum(np.diag(self.shared), 1)[:, np.newaxis]
        return own


@dataclass(frozen=True, slots=True)
class PoolSize:
    """Documents of a query's pool: fewest, median and most, over the queries; and all pairs."""

    queries: int
    pairs: int
    fewest: int
    median: float
    most: int


@dataclass(frozen=True, slots=True)
class Cost:
    hours: float
    money: float


def depth_pool(runs: Runs, depth: int) -> dict[str, list[str]]:
    """The union of every run's top `depth` for each query, documents by the bytes of their ids: no order of any run."""
    _refuse_depth(depth)
    pooled: dict[str, set[str]] = {}
    for rankings in runs.values():
        for qid, docnos in rankings.items():
            pooled.setdefault(qid, set()).update(docnos[:depth])
    return {qid: sorted(pooled[qid], key=as_bytes) for qid in sorted(pooled, key=as_bytes)}


def top(ranking: Ranking, depth: int) -> list[str]:
    """A ranking's first documents by score, equal scores as trec_eval orders them."""
    _refuse_depth(depth)
    docnos, scores = ranking
    return [docnos[at] for at in order(docnos, scores, "docno")[:depth].tolist()]


def pool_size(pool: Mapping[str, Iterable[str]]) -> PoolSize:
    sizes = [len(set(docnos)) for docnos in pool.values()]
    if not sizes:
        return PoolSize(queries=0, pairs=0, fewest=0, median=0.0, most=0)
    return PoolSize(len(sizes), sum(sizes), min(sizes), float(median(sizes)), max(sizes))


def overlap(runs: Runs, depth: int) -> Overlap:
    pairs = [_pairs_within(rankings, depth) for rankings in runs.values()]
    shared = [[len(one & other) for other in pairs] for one in pairs]
    return Overlap(tuple(runs), np.array(shared, dtype=np.int64).reshape(len(pairs), len(pairs)))


def unique_contributions(runs: Runs, depth: int) -> dict[str, int]:
    """How many pairs of the pool each run alone brings."""
    return {name: len(pairs) for name, pairs in unique_pairs(runs, depth).items()}


def unique_pairs(runs: Runs, depth: int) -> dict[str, set[tuple[str, str]]]:
    """The pairs of query and document that each run alone brings."""
    pairs = {name: _pairs_within(rankings, depth) for name, rankings in runs.items()}
    holders = Counter(pair for held in pairs.values() for pair in held)
    return {name: {pair for pair in held if holders[pair] == 1} for name, held in pairs.items()}


def cost(pairs: int, labellers: int = 2, seconds: float = 25, rate: float = 60) -> Cost:
    """Hours of judging and their price: pairs x labellers x seconds, at `rate` an hour."""
    for name, value in (("pairs", pairs), ("labellers", labellers), ("seconds", seconds), ("rate", rate)):
        if not (is_number(value) and 0 <= value <= _BEYOND_PRICE):
            raise MeasureError(f"The price's {name}: a number from 0 to {_BEYOND_PRICE:,}, not {value}.")
    hours = pairs * labellers * seconds / 3600
    if max(hours, hours * rate) > _BEYOND_PRICE:
        raise MeasureError(f"The price goes beyond {_BEYOND_PRICE:,}: give fewer labellers, seconds or a lower rate.")
    return Cost(hours=hours, money=hours * rate)


def swap_sensitivity(grade_a: float, grade_b: float, gain: Gain, best_discount: float) -> float:
    """How much deciding a pair one way or the other can move a DCG: difference in gain x the document's best discount
    in any run, 0 where no run holds it within the cut-off.
    """
    return abs(gain_of(grade_a, gain) - gain_of(grade_b, gain)) * best_discount


def _refuse_depth(depth: int) -> None:
    if not is_whole(depth, 1):
        raise MeasureError(f"A pool's depth is a whole number from 1 on, not {depth}.")


def _pairs_within(rankings: Mapping[str, Sequence[str]], depth: int) -> set[tuple[str, str]]:
    _refuse_depth(depth)
    return {(qid, docno) for qid, docnos in rankings.items() for docno in docnos[:depth]}
