"""Whether what a comparison says holds under other conventions, and on how many queries the better run changes."""

from dataclasses import dataclass, replace

import numpy as np

from app.measures.bootstrap import NOTHING
from app.measures.conventions import Convention, Geometric
from app.measures.matching import Matched
from app.measures.paired import Difference, difference
from app.measures.ranking import as_bytes
from app.measures.resampling import RESAMPLES
from app.measures.scores import score
from app.measures.undefined import Undefined


@dataclass(frozen=True, eq=False)
class Turn:
    """Second run minus first under this convention. `turned_queries` are those on which one run is better here and the
    other under the convention that was asked about; `is_turned` says the same of the means.
    """

    convention: Convention
    difference: Difference
    turned_queries: int
    is_turned: bool


def turns(
    first: Matched,
    second: Matched,
    asked: Convention,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Turn, ...]:
    """Under every gain with every discount, and with the unjudged dropped; the convention asked about comes first."""
    found = []
    before: dict[str, float] | None = None
    for convention in others(asked):
        changes = _changes(first, second, convention)
        before = changes if before is None else before
        values = np.array(list(changes.values()))
        found.append(
            Turn(
                convention=convention,
                difference=difference(values, confidence=confidence, resamples=resamples, seed=seed),
                turned_queries=sum(_is_turned(change, before.get(qid, 0.0)) for qid, change in changes.items()),
                is_turned=_is_turned(float(values.mean()), float(np.mean(list(before.values())))),
            )
        )
    return tuple(found)


def others(asked: Convention) -> list[Convention]:
    """What was asked, then each other choice of gain and discount, then what becomes of the unjudged. Of a measure that
    reads neither gain nor discount only the last.
    """
    turned = [asked]
    if asked.measure in ("nDCG", "DCG"):
        gains = dict.fromkeys([asked.gain, "exponential", "linear"])
        discounts = dict.fromkeys([asked.discount, "log2", "reciprocal", Geometric(0.85)])
        turned += [replace(asked, gain=gain, discount=discount) for gain in gains for discount in discounts]
    turned.append(replace(asked, unjudged="condensed" if asked.unjudged == "zero" else "zero"))
    return list(dict.fromkeys(turned))


def _changes(first: Matched, second: Matched, convention: Convention) -> dict[str, float]:
    """What each query gains that has a value under both runs."""
    values = score(first, convention).per_query, score(second, convention).per_query
    return {
        qid: of_second - of_first
        for qid in sorted(values[0], key=as_bytes)
        if not isinstance(of_first := values[0][qid], Undefined)
        and not isinstance(of_second := values[1][qid], Undefined)
    }


def _is_turned(change: float, before: float) -> bool:
    return min(abs(change), abs(before)) > NOTHING and (change > 0) != (before > 0)
