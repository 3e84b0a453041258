"""The gate's answer in a sentence, for the lead's page and for whoever is refused a release."""

from collections.abc import Collection, Iterable
from typing import Final

import numpy as np

from app.measures.evidence import Condition, Evidence
from app.measures.figures import figure, no_width, percent, snapped, span
from app.measures.policies import Policy
from app.measures.undefined import Undefined
from app.words import plural

MOST_FURTHER: Final = 10_000
"""Queries: nobody judges more to tell a kappa from a line."""


def say_undefined(kappa: Undefined) -> str:
    return f"Undefined: {kappa.reason}. There is no kappa to hold against a policy."


def say_missing(evidence: Evidence, policy: Policy, more: int | None, caps: Iterable[Condition]) -> str:
    """Which minimum is missing, with what there is and what is asked; and what would fail then."""
    agreement = evidence.agreement
    counts = [
        f"{found:,} of the {asked:,} {what}"
        for found, asked, what in (
            (agreement.queries, policy.min_queries, "queries"),
            (agreement.pairs, policy.min_pairs, "doubly judged pairs"),
        )
        if found < asked
    ]
    single = [one for one in agreement.versus_rest if one.levels_used < 2]
    parts = [f"{' and '.join(counts)} that the policy {policy.label} asks for"] if counts else []
    parts += [f"{evidence.labeller(one.labeller)} used one level only, where two are asked" for one in single]
    way_out = " Whoever used one level only needs further queries that others judge too." if single else ""
    return f"Not enough evidence: {'; '.join(parts)}.{_advice(more)}{way_out}{_already_missed(caps, policy)}"


def say_undecided(evidence: Evidence, policy: Policy, more: int | None, limits: Collection[Condition]) -> str:
    """The line is inside the interval, or there is none; and what would fail all the same."""
    interval = evidence.agreement.interval
    if isinstance(interval, Undefined):
        found = f"Not enough evidence: kappa has no interval, because {interval.reason}. Judge more queries."
    else:
        found = (
            f"Not enough evidence: {_measured(evidence, policy)} has {_the_line(policy)} inside it."
            f"{_way_off_the_line(evidence, policy, more)}"
        )
    is_somebody_under = any(one.name == "labellers" and one.is_met is False for one in limits)
    unmended = " More queries do not mend who is under the floor: see first what differs." if is_somebody_under else ""
    return f"{found}{_already_missed(limits, policy)}{unmended}"


def say_failed(evidence: Evidence, policy: Policy, line: Condition, limits: Iterable[Condition]) -> str:
    """By how much it is below the line, and which levels are confused most; what else is missed."""
    measured, the_line = _measured(evidence, policy), _the_line(policy)
    missed = _missed(limits, policy)
    if line.is_met:
        beyond = f"but that is not all it asks; {'; '.join(missed)}"
        return f"Failed: {measured} reaches {the_line}, {beyond}.{_unsure(evidence)}"
    below = figure(abs(line.margin or 0.0), 0.0)
    said = "; ".join([f"{measured} ends {below} below {the_line}", *missed])
    return f"Failed: {said}.{_unsure(evidence)}{_most_confused(evidence)}"


def say_untold(evidence: Evidence, policy: Policy, limits: Iterable[Condition]) -> str:
    """The line is reached, and somebody is measured too thinly to be held against the floor."""
    untold = "; ".join(one.found for one in limits if one.is_met is None)
    return (
        f"Not enough evidence: {_measured(evidence, policy)} reaches {_the_line(policy)}, but {untold}. Whoever has no "
        f"interval needs further queries that others judge too.{_unsure(evidence)}"
    )


def say_passed(evidence: Evidence, policy: Policy) -> str:
    passed = f"Passed: {_measured(evidence, policy)} reaches {_the_line(policy)} with its lower end."
    return f"{passed}{_unsure(evidence)}"


def _unsure(evidence: Evidence) -> str:
    unsure = no_width(evidence.agreement)
    return f" {unsure[0].upper()}{unsure[1:]}." if unsure else ""


def _missed(limits: Iterable[Condition], policy: Policy) -> list[str]:
    return [
        f"{one.found}, where the policy {policy.label} asks for {one.asked}" for one in limits if one.is_met is False
    ]


def _already_missed(caps: Iterable[Condition], policy: Policy) -> str:
    """What more of the same does not mend."""
    missed = _missed(caps, policy)
    return f" It would fail all the same: {'; '.join(missed)}." if missed else ""


def _way_off_the_line(evidence: Evidence, policy: Policy, more: int | None) -> str:
    """Below the line more of the same would most likely fail: what helps there is another rubric."""
    kappa = evidence.agreement.kappa
    assert not isinstance(kappa, Undefined)
    if more is None and snapped(kappa, policy.line) == policy.line:
        return " Kappa is on the line itself, so that no number of queries can be named."
    if more is None:
        return (
            f" Kappa is so near the line that more than {MOST_FURTHER:,} further queries would not tell the two apart."
        )
    if kappa > policy.line:
        return _advice(more)
    return (
        f"{_advice(more)} Kappa is below the line, so that they would most likely say failed: see first what differs."
    )


def _measured(evidence: Evidence, policy: Policy) -> str:
    """Kappa, what it rests on, and its interval, which the sentence goes on about."""
    agreement = evidence.agreement
    kind = "unweighted" if agreement.kind == "none" else f"{agreement.kind} weighted"
    return (
        f"{kind} kappa is {figure(agreement.kappa, policy.line)} over {plural(agreement.pairs, 'pair')} of "
        f"{plural(agreement.queries, 'query', 'queries')}, and its {percent(agreement.confidence)} interval, "
        f"{span(agreement.interval, policy.line)},"
    )


def _the_line(policy: Policy) -> str:
    return f"the line {figure(policy.line)} of the policy {policy.label}"


def _most_confused(evidence: Evidence) -> str:
    """The two levels that stand for each other most often; below any line there are some that do."""
    table = evidence.agreement.table
    swapped = np.triu(table + table.T, k=1)
    lower, higher = divmod(int(swapped.argmax()), len(table))
    return (
        f" Most often one gave {evidence.level(lower)} where the other gave {evidence.level(higher)}: "
        f"{int(swapped.max()):,} of the {plural(int(swapped.sum()), 'time')} that they differ."
    )


def _advice(more: int | None) -> str:
    if more is None:
        return ""
    return f" Judge about {plural(more, 'more query', 'more queries')}."
