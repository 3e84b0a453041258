"""What a comparison says in a sentence."""

from app.measures.comparing import Comparison
from app.measures.figures import figure, percent, probability, short
from app.measures.undefined import Undefined
from app.words import plural

ENOUGH_JUDGED = 0.9
"""Of what a run returned, judged@k: below it, what nobody judged may decide."""


def is_decided(comparison: Comparison) -> bool:
    """Whether the difference is more than chance: the interval leaves out 0, and p, adjusted, agrees."""
    found = comparison.difference
    if isinstance(found.interval, Undefined):
        return False
    low, high = found.interval
    return not low <= 0 <= high and comparison.p <= _level(comparison)


def _level(comparison: Comparison) -> float:
    return 1 - comparison.difference.confidence + 1e-12


def verdict(comparison: Comparison) -> str:
    found, level = comparison.difference, _level(comparison)
    first, second = comparison.first, comparison.second
    if found.ties == found.queries:
        every = (
            "the one query" if found.queries == 1 else f"every one of the {plural(found.queries, 'query', 'queries')}"
        )
        return f"{second} and {first} score the same on {every}."
    if isinstance(found.interval, Undefined):
        return f"{second} and {first} can't be told apart: there is no interval, because {found.interval.reason}."
    if is_decided(comparison):
        return f"{second} is {'better' if found.mean > 0 else 'worse'} than {first} by {_measured(comparison)}."
    least = 2.0 ** (1 - found.wins - found.losses)
    if found.is_exact and least > level and comparison.p >= least:
        return (
            f"{second} and {first} can't be told apart by so few queries: the difference is {_measured(comparison)}, "
            f"and p {probability(least, level)} is the least there is where "
            f"{plural(found.wins + found.losses, 'query differs', 'queries differ')}."
        )
    if not found.interval[0] <= 0 <= found.interval[1]:
        alone = found.p <= level
        why = "p, adjusted for the comparisons beside it, is" if alone else "by the test of signs p is"
        return (
            f"{second} and {first} can't be told apart: the difference is {_measured(comparison)}. The interval, which "
            f"is of this comparison alone, leaves out 0, but {why} above {short(level)}."
        )
    return (
        f"{second} and {first} are indistinguishable on this query set: the difference is {_measured(comparison)}; "
        f"the smallest that {plural(found.queries, 'query', 'queries')} with this spread can detect is "
        f"{figure(found.detectable, 0.0)} (80% power).{_though_signs_say_so(comparison)}"
    )


def doubt(comparison: Comparison) -> str | None:
    """What to do where another draw could put p on the other side of the level; None where it would not."""
    level, error, resamples = _level(comparison), 2 * comparison.p_error, comparison.difference.resamples
    if abs(comparison.p - level) > error:
        return None
    return (
        f"p {probability(comparison.p, level)}, give or take {figure(error, 0.0)} by the chance in "
        f"{plural(resamples, 'resample')}: that holds {short(level)}, so take more resamples, not another seed"
    )


def _though_signs_say_so(comparison: Comparison) -> str:
    """Nearly all queries may go one way, and a few large changes keep 0 in the interval."""
    if comparison.p > _level(comparison):
        return ""
    return (
        f" By the test of signs p is not above {short(_level(comparison))} all the same: look at the "
        "queries that moved most."
    )


def _measured(comparison: Comparison) -> str:
    found = comparison.difference
    assert not isinstance(found.interval, Undefined)
    mean = abs(found.mean) if is_decided(comparison) else found.mean
    ends = " to ".join(figure(end, 0.0) for end in found.interval)
    p = probability(comparison.p, _level(comparison))
    return f"{figure(mean, 0.0)} ({percent(found.confidence)} interval {ends}; p {p})"
