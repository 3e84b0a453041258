"""Leave one run out: how a run would fare had it not been pooled (Zobel 1998; Buckley & Voorhees 2005).

A judged set serves a system that was never pooled only as far as its own runs could have done without being pooled.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeGuard

from app.measures.conventions import Convention
from app.measures.judged import Judged, Judgments
from app.measures.matching import Ranking, match_lists
from app.measures.pooling import top, unique_pairs
from app.measures.scores import RunScores, score
from app.measures.undefined import MeasureError, Undefined
from app.measures.worth import relevant

MOST_CHANGE: Final = 0.02
MOST_RANKS: Final = 2


@dataclass(frozen=True, slots=True)
class LeftOutRun:
    """`without` is the run's mean where only the others had been pooled, over judgments less the `lost` ones that the
    run alone brought. Both means run over the `queries` that have a value as it is: `emptied` of them lose their last
    relevant judgment, and count as 0 then. Ranks are among all runs, 1 the best, equal means sharing the better one.
    """

    run: str
    lost: int
    value: float | Undefined
    without: float | Undefined
    rank: int | Undefined
    rank_without: int | Undefined
    queries: int
    emptied: int

    @property
    def change(self) -> float | Undefined:
        if isinstance(self.value, Undefined):
            return self.value
        return self.without if isinstance(self.without, Undefined) else self.without - self.value

    @property
    def is_flagged(self) -> bool:
        """Whether it moves by more than .02 or by two ranks; what has no value can't be told to stand on its own."""
        if isinstance(self.change, Undefined) or isinstance(self.rank, Undefined):
            return True
        assert not isinstance(self.rank_without, Undefined)
        return abs(self.change) > MOST_CHANGE or abs(self.rank_without - self.rank) >= MOST_RANKS


def leave_each_out(
    runs: Mapping[str, Mapping[str, Ranking]], qrels: Mapping[str, Judgments], depth: int, convention: Convention
) -> tuple[LeftOutRun, ...]:
    """Each run in turn. Judgments that no run within the depth brought stay: somebody else has pooled them."""
    if len(runs) < 2:
        raise MeasureError("To leave one run out there must be another.")
    judged = {qid: judgments for qid, judgments in qrels.items() if judgments}
    tops = {name: {qid: top(ranking, depth) for qid, ranking in own.items()} for name, own in runs.items()}
    scored = _scored(runs, Judged.of(judged), convention)
    valued = {name: [qid for qid, value in one.per_query.items() if _is_number(value)] for name, one in scored.items()}
    before = _means(runs, scored, valued)
    found = []
    for name, alone in unique_pairs(tops, depth).items():
        left = {
            qid: {docno: grade for docno, grade in judgments.items() if (qid, docno) not in alone}
            for qid, judgments in judged.items()
        }
        after = _means(runs, _scored(runs, Judged.of(left), replace(convention, no_relevant="zero")), valued)
        own = valued.get(name, [])
        found.append(
            LeftOutRun(
                run=name,
                lost=sum(map(len, judged.values())) - sum(map(len, left.values())),
                value=before[name],
                without=after[name],
                rank=_rank(name, before),
                rank_without=_rank(name, after),
                queries=len(own),
                emptied=len((_relevant(judged, convention) - _relevant(left, convention)).intersection(own)),
            )
        )
    return tuple(found)


def _scored(runs: Mapping[str, Mapping[str, Ranking]], judged: Judged, convention: Convention) -> dict[str, RunScores]:
    """Of the runs that hold a judged query. A query without a judgment left is still one of the queries."""
    return {
        name: score(match_lists(judged, own, convention.ties), convention)
        for name, own in runs.items()
        if not judged.number.keys().isdisjoint(own)
    }


def _means(
    runs: Collection[str], scored: Mapping[str, RunScores], valued: Mapping[str, Collection[str]]
) -> dict[str, float | Undefined]:
    """Each run's over its own queries in `valued`."""
    nowhere = Undefined("the run holds no query that was judged")
    return {name: _mean(scored[name], valued[name]) if name in scored else nowhere for name in runs}


def _mean(scores: RunScores, queries: Collection[str]) -> float | Undefined:
    values = [value for qid in queries if _is_number(value := scores.per_query[qid])]
    return math.fsum(values) / len(values) if values else Undefined("no query has a value under this convention")


def _is_number(value: float | Undefined) -> TypeGuard[float]:
    return not isinstance(value, Undefined)


def _relevant(qrels: Mapping[str, Judgments], convention: Convention) -> set[str]:
    """The queries that have a relevant judgment."""
    judged = Judged.of(qrels)
    return {qid for qid, count in zip(judged.qids, relevant(judged, convention).tolist(), strict=True) if count}


def _rank(name: str, means: Mapping[str, float | Undefined]) -> int | Undefined:
    own = means[name]
    if isinstance(own, Undefined):
        return own
    return 1 + sum(not isinstance(mean, Undefined) and mean > own for mean in means.values())
