"""Leave one run out: how a run would fare had it not been pooled (Zobel 1998; Buckley & Voorhees 2005).

A judged set serves a system that was never pooled only as far as its own runs could have done without being pooled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.measures.conventions import Convention
from app.measures.judged import Judgments
from app.measures.matching import Ranking
from app.measures.pooling import top, unique_pairs
from app.measures.scores import score_runs
from app.measures.undefined import MeasureError, Undefined

MOST_CHANGE: Final = 0.02
MOST_RANKS: Final = 2


@dataclass(frozen=True, slots=True)
class LeftOutRun:
    """`without` is the run's mean where only the others had been pooled, over judgments less the `lost` ones that the
    run alone brought. Ranks are among all runs, 1 the best, equal means sharing the better one.
    """

    run: str
    lost: int
    value: float | Undefined
    without: float | Undefined
    rank: int | Undefined
    rank_without: int | Undefined

    @property
    def change(self) -> float | Undefined:
        if isinstance(self.value, Undefined):
            return self.value
        return self.without if isinstance(self.without, Undefined) else self.without - self.value

    @property
    def is_flagged(self) -> bool:
        """Whether it moves by more than .02 or by two ranks; what is undefined without the run's judgments does."""
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
    tops = {name: {qid: top(ranking, depth) for qid, ranking in own.items()} for name, own in runs.items()}
    before = _means(runs, qrels, convention)
    found = []
    for name, alone in unique_pairs(tops, depth).items():
        left = {
            qid: {docno: grade for docno, grade in judgments.items() if (qid, docno) not in alone}
            for qid, judgments in qrels.items()
        }
        after = _means(runs, left, convention)
        lost = sum(map(len, qrels.values())) - sum(map(len, left.values()))
        found.append(LeftOutRun(name, lost, before[name], after[name], _rank(name, before), _rank(name, after)))
    return tuple(found)


def _means(
    runs: Mapping[str, Mapping[str, Ranking]], qrels: Mapping[str, Judgments], convention: Convention
) -> dict[str, float | Undefined]:
    judged = {qid for qid, judgments in qrels.items() if judgments}
    if not judged:
        return dict.fromkeys(runs, Undefined("no judgment is left"))
    of_them = {name: own for name, own in runs.items() if not judged.isdisjoint(own)}
    scored = score_runs(of_them, qrels, [convention])
    nowhere = Undefined("no judgment is left of the queries that the run holds")
    return {name: scored[name][0].mean if name in scored else nowhere for name in runs}


def _rank(name: str, means: Mapping[str, float | Undefined]) -> int | Undefined:
    own = means[name]
    if isinstance(own, Undefined):
        return own
    return 1 + sum(not isinstance(mean, Undefined) and mean > own for mean in means.values())
