"""One query by hand: what each rank adds, and what the sum is divided by."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from app.measures.conventions import Convention
from app.measures.gains import discount_at
from app.measures.judged import Judged, Judgments
from app.measures.matching import lay_out
from app.measures.ranking import as_bytes, order
from app.measures.scores import score
from app.measures.undefined import MeasureError, Undefined
from app.measures.worth import worth


@dataclass(frozen=True, slots=True)
class Row:
    """One rank: `contribution` = gain x discount; 0 beyond the cut-off. `grade` None: not judged.

    Of a measure that reads no gain, `gain` is whether the document counts, and `discount` what it counts for there:
    1 for recall, 1/rank for RR, the precision at its rank for AP.
    """

    rank: int
    docno: str
    grade: float | None
    gain: float
    discount: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A measure by hand: value = total / divisor, total being the sum of the rows' contributions.

    nDCG's divisor is the DCG of `ideal`, the best list that the convention compares with; other measures have no such
    list. The divisor of recall, AP and bpref is how many relevant documents were judged; 0 leaves nothing to divide.
    """

    rows: tuple[Row, ...]
    ideal: tuple[Row, ...]
    total: float
    divisor: float
    value: float | Undefined
    k: int | None

    @property
    def is_ideal_cut(self) -> bool:
        """Whether there are more documents of worth than the cut-off holds: a list may be perfect and miss some."""
        return any(row.gain > 0 and row.rank > (self.k or row.rank) for row in self.ideal)


def explain(
    docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention, *, is_held: bool = True
) -> Explanation:
    """Gain, discount and contribution at every rank of the list that is scored, and of the ideal one. `is_held` False:
    there is no list, because the run does not hold the query, which a convention may tell from an empty one.
    """
    if convention.measure == "RBP-residual":
        raise MeasureError("RBP-residual is what RBP leaves open and no sum over ranks: look at RBP by hand.")
    matched = lay_out(Judged.of({"": judgments}), docnos, scores, convention.ties, is_held=is_held)
    ranked = [docnos[place] for place in order(docnos, scores, convention.ties)]
    places = worth(matched, convention)
    rows = tuple(
        Row(rank, ranked[place], judgments.get(ranked[place]), gain, weight, gain * weight)
        for rank, place, gain, weight in zip(
            places.rank.tolist(), places.place.tolist(), places.gain.tolist(), places.weight.tolist(), strict=True
        )
    )
    return Explanation(
        rows=rows,
        ideal=_ideal(rows, judgments, convention) if convention.measure == "nDCG" else (),
        total=math.fsum(row.contribution for row in rows),
        divisor=float(places.divisor[0]),
        value=score(matched, convention).per_query[""],
        k=convention.k,
    )


def _ideal(rows: Sequence[Row], judgments: Judgments, convention: Convention) -> tuple[Row, ...]:
    """The best list; equal grades in falling order of bytes, so that the list is one and the same."""
    is_of_all = convention.ideal == "judged"
    pool = judgments if is_of_all else [row.docno for row in rows if row.docno in judgments]
    best = sorted(sorted(pool, key=as_bytes, reverse=True), key=judgments.__getitem__, reverse=True)
    gains = Judged.of({"": {docno: judgments[docno] for docno in best}}).gains(convention.gain)
    weights = [
        discount_at(rank, convention.discount) if rank <= (convention.k or rank) else 0.0
        for rank in range(1, len(best) + 1)
    ]
    return tuple(
        Row(rank, docno, judgments[docno], gain, weight, gain * weight)
        for rank, docno, gain, weight in zip(range(1, len(best) + 1), best, gains.tolist(), weights, strict=True)
    )
