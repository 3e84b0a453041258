"""The second leg of agreement: whether what two labellers differ on moves the verdict on the runs.

Every run is scored under each labeller's grades. Kappa may be high and a verdict turn all the same, where the two
differ on the few documents that runs put first; and low without any run being the worse for it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from app.measures.conventions import Convention
from app.measures.judged import Judgments, Numbers
from app.measures.matching import Ranking
from app.measures.paired import Difference, difference
from app.measures.ranking import as_bytes
from app.measures.resampling import RESAMPLES
from app.measures.scores import score_runs
from app.measures.undefined import MeasureError, Undefined

Light = Literal["red", "amber", "none"]
Qrels = Mapping[str, Judgments]
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Moves:
    """What one run's queries gain or lose from the first labeller's grades to the second's: (qid, change), the largest
    moves first, and the changes' least, quartiles and greatest. `recall` is the mean under each, at `k` of the
    convention, over the queries that have one under both. It moves only where a grade crosses the threshold, which is
    why recall can't check a rubric.
    """

    run: str
    changes: tuple[tuple[str, float], ...]
    least: float
    quartiles: tuple[float, float, float]
    greatest: float
    recall: tuple[float | Undefined, float | Undefined]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Two runs under each labeller's grades. `light`: red where each finds the other run better, both significantly;
    amber where only one of them finds a difference at all.
    """

    first: str
    second: str
    under_first: Difference
    under_second: Difference

    @property
    def light(self) -> Light:
        one, other = (_significant(found) for found in (self.under_first, self.under_second))
        if one and other:
            return "red" if one != other else "none"
        return "amber" if one or other else "none"


@dataclass(frozen=True, eq=False)
class SecondLeg:
    """`left_out` are queries without a value for some run under either labeller's grades."""

    moves: tuple[Moves, ...]
    verdicts: tuple[Verdicts, ...]
    queries: tuple[str, ...]
    left_out: tuple[str, ...]


def second_leg(
    runs: Mapping[str, Mapping[str, Ranking]],
    first: Qrels,
    second: Qrels,
    convention: Convention,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SecondLeg:
    """`first` and `second` are two labellers' grades of the same pairs; other pairs are refused."""
    _refuse_other_pairs(first, second)
    asked = [convention, convention.at("recall", convention.k)]
    scored = [score_runs(runs, qrels, asked) for qrels in (first, second)]
    values = [{name: own[0].per_query for name, own in side.items()} for side in scored]
    qids = sorted((qid for qid, judgments in first.items() if judgments), key=as_bytes)
    kept = [qid for qid in qids if not any(isinstance(own[qid], Undefined) for side in values for own in side.values())]
    if not kept:
        raise MeasureError("No query has a value for every run under both labellers' grades.")
    under = [
        {name: np.array([own[qid] for qid in kept], dtype=np.float64) for name, own in side.items()} for side in values
    ]
    return SecondLeg(
        moves=tuple(
            _moves(name, kept, under[1][name] - under[0][name], [side[name][1].per_query for side in scored])
            for name in runs
        ),
        verdicts=tuple(
            Verdicts(
                one,
                other,
                *(difference(side[other] - side[one], resamples=resamples, seed=seed) for side in under),
            )
            for one, other in combinations(runs, 2)
        ),
        queries=tuple(kept),
        left_out=tuple(qid for qid in qids if qid not in set(kept)),
    )


def _refuse_other_pairs(first: Qrels, second: Qrels) -> None:
    if {qid: set(own) for qid, own in first.items()} != {qid: set(own) for qid, own in second.items()}:
        raise MeasureError("The two labellers' grades are not of the same pairs: leave out what only one has graded.")


def _moves(
    name: str, qids: Sequence[str], changes: Numbers, recall: Sequence[Mapping[str, float | Undefined]]
) -> Moves:
    moves = zip(qids, changes.tolist(), strict=True)
    least, low, middle, high, greatest = np.quantile(changes, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Moves(
        run=name,
        changes=tuple(sorted(moves, key=lambda move: -abs(move[1]))),
        least=least,
        quartiles=(low, middle, high),
        greatest=greatest,
        recall=_means_of_both(*recall),
    )


def _means_of_both(
    first: Mapping[str, float | Undefined], second: Mapping[str, float | Undefined]
) -> tuple[float | Undefined, float | Undefined]:
    """Two means over other queries would differ by these, too."""
    both = [
        (one, other)
        for one, other in ((first[qid], second[qid]) for qid in first)
        if not isinstance(one, Undefined) and not isinstance(other, Undefined)
    ]
    if not both:
        nothing = Undefined("no query has a value under both labellers' grades")
        return nothing, nothing
    ones, others = zip(*both, strict=True)
    return math.fsum(ones) / len(both), math.fsum(others) / len(both)


def _significant(found: Difference) -> int:
    """1 where the second run is better at .05 by permutation, -1 where it is worse, 0 where that may be chance."""
    return int(np.sign(found.mean)) if found.p <= LEVEL else 0
