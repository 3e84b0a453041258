"""Whether what a comparison says holds under other conventions, and on how many queries the better run changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.measures.bootstrap import NOTHING
from app.measures.comparing import Comparison, Scored
from app.measures.conventions import Convention, Geometric
from app.measures.matching import Matched
from app.measures.scores import score


@dataclass(frozen=True, eq=False)
class Turn:
    """One comparison under this convention, its p adjusted for those made beside it. `turned_queries` are those on
    which one run is better here and the other under the convention that was asked about; `is_turned` says the same of
    the means.
    """

    convention: Convention
    comparison: Comparison
    turned_queries: int
    is_turned: bool


def turns(
    runs: Mapping[str, Matched], asked: Convention, compare: Callable[[Sequence[Scored]], tuple[Comparison, ...]]
) -> list[tuple[Turn, ...]]:
    """For each comparison that `compare` makes of the runs, in its order: what becomes of it under every gain with
    every discount, and with the unjudged dropped; the convention asked about comes first.
    """
    found = [(convention, compare(_scored(runs, convention))) for convention in others(asked)]
    (_, before), *_ = found
    return [tuple(_turn(convention, made[at], before[at]) for convention, made in found) for at in range(len(before))]


def others(asked: Convention) -> list[Convention]:
    """What was asked, then each other choice of gain and discount, then what becomes of the unjudged. Of a measure that
    reads neither gain nor discount only the last.
    """
    turned = [asked]
    if asked.measure in ("nDCG", "DCG"):
        gains = dict.fromkeys([asked.gain, "exponential", "linear"])
        discounts = dict.fromkeys([asked.discount, "log2", "reciprocal", Geometric(0.85)])
        turned = [replace(asked, gain=gain, discount=discount) for gain in gains for discount in discounts]
    turned.append(replace(asked, unjudged="condensed" if asked.unjudged == "zero" else "zero"))
    return list(dict.fromkeys(turned))


def _scored(runs: Mapping[str, Matched], convention: Convention) -> list[Scored]:
    return [Scored(name, convention.line, "", score(matched, convention).per_query) for name, matched in runs.items()]


def _turn(convention: Convention, comparison: Comparison, before: Comparison) -> Turn:
    changed = dict(before.changes)
    return Turn(
        convention=convention,
        comparison=comparison,
        turned_queries=sum(_is_turned(change, changed.get(qid, 0.0)) for qid, change in comparison.changes),
        is_turned=_is_turned(comparison.difference.mean, before.difference.mean),
    )


def _is_turned(change: float, before: float) -> bool:
    return min(abs(change), abs(before)) > NOTHING and (change > 0) != (before > 0)
