"""The gate: whether the agreement measured is enough, by a frozen policy, and the sentence that says so.

The lines are a house policy, not a law of nature. Conditions carry figures in full; sentences round for the reader.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

from app.measures.agreement import Agreement, VersusRest
from app.measures.undefined import Undefined

Answer = Literal["undefined", "not enough evidence", "failed", "passed"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What agreement must show. `line`: kappa that the interval's lower end reaches; `floor`: kappa versus the rest
    that the upper end of no labeller with `floor_pairs` pairs or more may stay under (None asks nothing).
    """

    name: str
    line: float
    floor: float | None
    min_queries: int = 30
    min_pairs: int = 300
    floor_pairs: int = 100
    max_unjudgeable: float = 0.10
    max_unjudgeable_by_one: float = 0.05
    is_small_set: bool = False

    @property
    def label(self) -> str:
        """The name as everything that leaves must carry it."""
        return f"{self.name}, small set" if self.is_small_set else self.name


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "strict": Policy("strict", line=0.67, floor=0.50),
        "standard": Policy("standard", line=0.50, floor=0.30),
        "exploratory": Policy("exploratory", line=0.30, floor=None),
    }
)


def small_set(policy: Policy) -> Policy:
    """The policy for a set of fewer than 60 queries: at least 15 queries and 150 pairs, and marked as such."""
    return replace(policy, min_queries=15, min_pairs=150, is_small_set=True)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the gate is asked about. Pairs are counted once each: `unjudgeable_both` and `unjudgeable_one` by how many
    of their two labellers could not judge them, `ungraded` where a labeller has not answered yet.

    `labellers` and `levels` name them for the sentences, by index; without names they are numbered.
    """

    agreement: Agreement
    unjudgeable_both: int = 0
    unjudgeable_one: int = 0
    ungraded: int = 0
    labellers: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """Pairs that both of their labellers have answered, with a level or as unjudgeable."""
        return self.agreement.pairs + self.unjudgeable_both + self.unjudgeable_one

    @property
    def offered(self) -> int:
        return self.answered + self.ungraded

    @property
    def levels_used(self) -> dict[int, int]:
        """Labeller → how many different levels that labeller used over all of their doubly judged pairs."""
        return {one.labeller: one.levels_used for one in self.agreement.versus_rest}

    def labeller(self, index: int) -> str:
        return self.labellers[index] if index < len(self.labellers) else f"labeller {index + 1}"

    def level(self, index: int) -> str:
        return self.levels[index] if index < len(self.levels) else str(index)


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that the policy asks. `is_met` None: it can't be told. `margin` above 0 is by how much it is met,
    below 0 by how much it is missed, in the condition's own unit; None where there is no figure.
    """

    name: str
    is_met: bool | None
    asked: str
    found: str
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """`more_queries`: about how many further queries would settle it; only beside `not enough evidence`."""

    answer: Answer
    conditions: tuple[Condition, ...]
    sentence: str
    more_queries: int | None = None


@dataclass(frozen=True, slots=True)
class Contribution:
    """One labeller's part in a release: pairs that they graded, and how they agree with the rest, if they share any."""

    name: str
    graded: int
    versus_rest: VersusRest | None


def ask_gate(evidence: Evidence, policy: Policy) -> GateAnswer:
    """The answer in the order of the policy: undefined, not enough evidence, failed, passed."""
    minimums = (_queries(evidence, policy), _pairs(evidence, policy), _levels(evidence))
    line = _line(evidence.agreement, policy)
    limits = (_unjudgeable(evidence, policy), _unjudgeable_by_one(evidence, policy), _labellers(evidence, policy))
    conditions = (*minimums, line, *limits)
    if isinstance(evidence.agreement.kappa, Undefined):
        return GateAnswer("undefined", conditions, _undefined_sentence(evidence.agreement.kappa))
    if any(not condition.is_met for condition in minimums):
        more = _queries_to_minimum(evidence.agreement, policy)
        return GateAnswer("not enough evidence", conditions, _missing_sentence(minimums, more, policy), more)
    if line.is_met is None:
        more = _queries_to_leave_line(evidence.agreement, policy)
        return GateAnswer(
            "not enough evidence", conditions, _undecided_sentence(evidence.agreement, more, policy), more
        )
    if not line.is_met or any(not condition.is_met for condition in limits):
        return GateAnswer("failed", conditions, _failed_sentence(evidence, line, limits, policy))
    return GateAnswer("passed", conditions, _passed_sentence(evidence.agreement, policy))


def qualify(contributions: Iterable[Contribution], policy: Policy) -> tuple[Condition, ...]:
    """What a release asks of each labeller in it: enough doubly judged pairs, and not under the policy's floor."""
    conditions: list[Condition] = []
    for contribution in contributions:
        conditions.append(_shared_enough(contribution, policy))
        if policy.floor is not None and contribution.versus_rest is not None:
            conditions.append(_not_under_floor(contribution.name, contribution.versus_rest, policy.floor))
    return tuple(conditions)


def _queries(evidence: Evidence, policy: Policy) -> Condition:
    found = evidence.agreement.queries
    return Condition(
        "queries",
        found >= policy.min_queries,
        asked=f"at least {policy.min_queries:,} queries with doubly judged pairs",
        found=f"{found:,}",
        margin=found - policy.min_queries,
    )


def _pairs(evidence: Evidence, policy: Policy) -> Condition:
    found = evidence.agreement.pairs
    return Condition(
        "pairs",
        found >= policy.min_pairs,
        asked=f"at least {policy.min_pairs:,} doubly judged pairs",
        found=f"{found:,}",
        margin=found - policy.min_pairs,
    )


def _levels(evidence: Evidence) -> Condition:
    """Asked of each labeller over all of their doubly judged pairs: a couple that shares few queries may well find
    them all at one level.
    """
    single = [one for one in evidence.agreement.versus_rest if one.levels_used < 2]
    found = [f"{evidence.labeller(one.labeller)} only {evidence.level(round(one.mean_level))}" for one in single]
    return Condition(
        "levels",
        bool(evidence.agreement.versus_rest) and not single,
        asked="both of a couple used at least two levels",
        found="; ".join(found) or ("both did" if evidence.agreement.versus_rest else "no pair yet"),
    )


def _line(agreement: Agreement, policy: Policy) -> Condition:
    asked = f"the lower end of kappa's {_percent(agreement.confidence)} interval reaches {_figure(policy.line)}"
    if isinstance(agreement.low, Undefined) or isinstance(agreement.high, Undefined):
        reason = agreement.low.reason if isinstance(agreement.low, Undefined) else ""
        return Condition("line", None, asked, found=f"no interval: {reason}")
    found = _span(agreement.low, agreement.high, policy.line)
    if agreement.low >= policy.line:
        return Condition("line", is_met=True, asked=asked, found=found, margin=agreement.low - policy.line)
    if agreement.high < policy.line:
        return Condition("line", is_met=False, asked=asked, found=found, margin=agreement.high - policy.line)
    return Condition("line", is_met=None, asked=asked, found=found)


def _unjudgeable(evidence: Evidence, policy: Policy) -> Condition:
    count = evidence.unjudgeable_both + evidence.unjudgeable_one
    asked = f"at most {_percent(policy.max_unjudgeable)} of the pairs unjudgeable"
    return _capped("unjudgeable", count, evidence.answered, policy.max_unjudgeable, asked)


def _unjudgeable_by_one(evidence: Evidence, policy: Policy) -> Condition:
    asked = f"at most {_percent(policy.max_unjudgeable_by_one)} of the pairs unjudgeable to only one of the two"
    count, cap = evidence.unjudgeable_one, policy.max_unjudgeable_by_one
    return _capped("unjudgeable to one", count, evidence.answered, cap, asked)


def _capped(name: str, count: int, total: int, cap: float, asked: str) -> Condition:
    if total == 0:
        return Condition(name, None, asked, found="no pair answered by both")
    share = count / total
    found = f"{count:,} of {total:,} pairs, {_percent(share)}"
    return Condition(name, is_met=share <= cap, asked=asked, found=found, margin=cap - share)


def _labellers(evidence: Evidence, policy: Policy) -> Condition:
    """An upper end that does not exist is under nothing."""
    if policy.floor is None:
        return Condition("labellers", is_met=True, asked="nothing of single labellers", found="not asked")
    asked = (
        f"no labeller with {policy.floor_pairs:,} pairs or more stays under {_figure(policy.floor)} against the rest"
    )
    measured = [one for one in evidence.agreement.versus_rest if one.pairs >= policy.floor_pairs]
    highs = [(one.high, one) for one in measured if not isinstance(one.high, Undefined)]
    if not highs:
        return Condition("labellers", is_met=True, asked=asked, found=f"none with {policy.floor_pairs:,} pairs")
    under = [one for high, one in highs if high < policy.floor]
    lowest = min(high for high, _ in highs)
    found = [_against_rest(evidence.labeller(one.labeller), one, policy.floor) for one in under]
    return Condition(
        "labellers",
        is_met=not under,
        asked=asked,
        found="; ".join(found) or f"none; the lowest upper end is {_figure(lowest, policy.floor)}",
        margin=lowest - policy.floor,
    )


def _shared_enough(contribution: Contribution, policy: Policy) -> Condition:
    found = contribution.versus_rest.pairs if contribution.versus_rest else 0
    needed = min(policy.floor_pairs, math.ceil(contribution.graded / 10))
    return Condition(
        f"shared pairs of {contribution.name}",
        is_met=found >= needed,
        asked=f"at least {needed:,} doubly judged pairs: {policy.floor_pairs:,}, or a tenth of {contribution.graded:,}",
        found=f"{found:,}",
        margin=found - needed,
    )


def _not_under_floor(name: str, one: VersusRest, floor: float) -> Condition:
    asked = f"the upper end of kappa against the rest is not under {_figure(floor)}"
    if isinstance(one.high, Undefined):
        return Condition(f"{name} against the rest", is_met=True, asked=asked, found=f"no interval: {one.high.reason}")
    return Condition(
        f"{name} against the rest",
        is_met=one.high >= floor,
        asked=asked,
        found=_against_rest(name, one, floor),
        margin=one.high - floor,
    )


def _queries_to_minimum(agreement: Agreement, policy: Policy) -> int | None:
    """Queries still missing, and those that would bring the missing pairs at the pace seen so far."""
    by_queries = policy.min_queries - agreement.queries
    by_pairs = math.ceil((policy.min_pairs - agreement.pairs) * agreement.queries / max(agreement.pairs, 1))
    return max(by_queries, by_pairs) if max(by_queries, by_pairs) > 0 else None


def _queries_to_leave_line(agreement: Agreement, policy: Policy) -> int | None:
    """The half-width shrinks with the root of the queries: how many more until it no longer spans kappa to the line."""
    if isinstance(agreement.kappa, Undefined) or isinstance(agreement.high, Undefined):
        return None
    distance = abs(agreement.kappa - policy.line)
    if distance == 0:
        return None
    half = agreement.high - agreement.kappa
    return max(1, math.ceil(agreement.queries * ((half / distance) ** 2 - 1)))


def _undefined_sentence(kappa: Undefined) -> str:
    return f"Undefined: {kappa.reason}. Kappa can't be computed, so there is nothing to hold against a policy."


def _missing_sentence(minimums: Iterable[Condition], more: int | None, policy: Policy) -> str:
    missing = " and ".join(
        f"{one.asked}, and there are {one.found}" if one.margin is not None else f"that {one.asked}, but {one.found}"
        for one in minimums
        if not one.is_met
    )
    return f"Not enough evidence: the policy {policy.label} asks for {missing}.{_advice(more)}"


def _undecided_sentence(agreement: Agreement, more: int | None, policy: Policy) -> str:
    if isinstance(agreement.low, Undefined):
        return f"Not enough evidence: kappa has no interval, because {agreement.low.reason}. Judge more queries."
    advice = _advice(more) or " Kappa lies on the line itself, so that no number of queries can be named."
    return (
        f"Not enough evidence: {_measured(agreement, policy.line)} holds the line {_figure(policy.line)} of the policy "
        f"{policy.label}.{advice}"
    )


def _failed_sentence(evidence: Evidence, line: Condition, limits: Iterable[Condition], policy: Policy) -> str:
    agreement = evidence.agreement
    reasons = [f"the policy {policy.label} asks: {one.asked}; found: {one.found}" for one in limits if not one.is_met]
    if not line.is_met and line.margin is not None:
        reasons.insert(
            0,
            f"{_measured(agreement, policy.line)} stays {_figure(-line.margin, 0.0)} below the line "
            f"{_figure(policy.line)} of the policy {policy.label}",
        )
    return f"Failed: {'. Also, '.join(reasons)}.{_most_confused(evidence)}"


def _passed_sentence(agreement: Agreement, policy: Policy) -> str:
    return (
        f"Passed: {_measured(agreement, policy.line)} reaches the line {_figure(policy.line)} of the policy "
        f"{policy.label} with its lower end."
    )


def _measured(agreement: Agreement, line: float) -> str:
    """Kappa with its interval and what it rests on; the interval is what the sentence goes on about."""
    if isinstance(agreement.kappa, Undefined) or isinstance(agreement.low, Undefined):
        return "kappa"
    if isinstance(agreement.high, Undefined):
        return "kappa"
    kind = "unweighted" if agreement.kind == "none" else f"{agreement.kind} weighted"
    return (
        f"{kind} kappa is {_figure(agreement.kappa, line)} over {agreement.pairs:,} pairs of {agreement.queries:,} "
        f"queries, and its {_percent(agreement.confidence)} interval, {_span(agreement.low, agreement.high, line)},"
    )


def _most_confused(evidence: Evidence) -> str:
    table = evidence.agreement.table
    swapped = np.triu(table + table.T, k=1)
    if not swapped.any():
        return ""
    low, high = divmod(int(swapped.argmax()), len(table))
    return (
        f" Most often confused: {evidence.level(low)} with {evidence.level(high)}, in {int(swapped.max()):,} of "
        f"{int(swapped.sum()):,} differing pairs."
    )


def _against_rest(name: str, one: VersusRest, floor: float) -> str:
    if isinstance(one.low, Undefined) or isinstance(one.high, Undefined):
        return f"{name}: no interval"
    return f"{name}, {_span(one.low, one.high, floor)} over {one.pairs:,} pairs"


def _advice(more: int | None) -> str:
    if more is None:
        return ""
    return f" Judge about {more:,} more {'query' if more == 1 else 'queries'}."


def _span(low: float, high: float, line: float) -> str:
    return f"{_figure(low, line)} to {_figure(high, line)}"


def _figure(value: float, line: float | None = None) -> str:
    """Without the leading zero; three decimals (two for a line), more where three would put a value on a line that it
    is not on.
    """
    if line is None:
        return _without_zero(f"{value:.2f}")
    decimals = next((some for some in (3, 6, 9) if value == line or f"{value:.{some}f}" != f"{line:.{some}f}"), 12)
    return _without_zero(f"{value:.{decimals}f}")


def _without_zero(figure: str) -> str:
    return figure.replace("0.", ".", 1) if figure.lstrip("-").startswith("0.") else figure


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
