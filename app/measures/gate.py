"""The gate: whether the agreement that was measured is enough, by a frozen policy, and a sentence that says so."""

import math
from collections.abc import Iterable

from app.measures.agreement import Agreement
from app.measures.conditions import (
    check_floor,
    check_labellers,
    check_levels,
    check_line,
    check_pairs,
    check_queries,
    check_shared_pairs,
    check_unjudgeable,
    check_unjudgeable_by_one,
)
from app.measures.evidence import Answer, Condition, Contribution, Evidence, GateAnswer
from app.measures.figures import percent, snapped
from app.measures.policies import POLICIES, Policy, small_set
from app.measures.sentences import (
    MOST_FURTHER,
    say_failed,
    say_missing,
    say_passed,
    say_undecided,
    say_undefined,
    say_untold,
)
from app.measures.undefined import MeasureError, Undefined

__all__ = [
    "POLICIES",
    "Answer",
    "Condition",
    "Contribution",
    "Evidence",
    "GateAnswer",
    "Policy",
    "ask_gate",
    "qualify",
    "small_set",
]


def ask_gate(evidence: Evidence, policy: Policy) -> GateAnswer:
    """The answer, in this order: undefined; not enough evidence, where a minimum is missing or the interval holds the
    line; failed, with the interval below the line or another condition missed; not enough evidence once more, where
    nothing is missed and something can't be told; passed. All conditions come with it.
    MeasureError for an agreement that was measured otherwise than the policy says.
    """
    _refuse_unlike(evidence.agreement, policy)
    minimums = (check_queries(evidence, policy), check_pairs(evidence, policy), check_levels(evidence))
    line = check_line(evidence, policy)
    caps = (check_unjudgeable(evidence, policy), check_unjudgeable_by_one(evidence, policy))
    limits = (*caps, check_labellers(evidence, policy))
    conditions = (*minimums, line, *limits)
    if isinstance(evidence.agreement.kappa, Undefined):
        return GateAnswer("undefined", conditions, say_undefined(evidence.agreement.kappa))
    if not all(condition.is_met for condition in minimums):
        more = queries_to_minimum(evidence, policy)
        return GateAnswer("not enough evidence", conditions, say_missing(evidence, policy, more, caps), more)
    if line.is_met is None:
        more = queries_to_decide(evidence, policy)
        return GateAnswer("not enough evidence", conditions, say_undecided(evidence, policy, more, limits), more)
    if not line.is_met or any(condition.is_met is False for condition in limits):
        return GateAnswer("failed", conditions, say_failed(evidence, policy, line, limits))
    if not all(condition.is_met for condition in limits):
        return GateAnswer("not enough evidence", conditions, say_untold(evidence, policy, limits))
    return GateAnswer("passed", conditions, say_passed(evidence, policy))


def _refuse_unlike(measured: Agreement, policy: Policy) -> None:
    if (measured.kind, measured.confidence) != (policy.weights, policy.confidence):
        raise MeasureError(
            f"The policy {policy.label} asks of {policy.weights} weights and {percent(policy.confidence)} intervals, "
            f"not of {measured.kind} weights and {percent(measured.confidence)} ones."
        )


def qualify(contributions: Iterable[Contribution], policy: Policy) -> tuple[Condition, ...]:
    """What a release asks of each labeller in it: enough doubly judged pairs, and not to be under the floor."""
    conditions: list[Condition] = []
    for contribution in contributions:
        conditions.append(check_shared_pairs(contribution, policy))
        if contribution.versus_rest is not None and policy.floor is not None:
            conditions.append(check_floor(contribution.name, contribution.versus_rest, policy.floor))
    return tuple(conditions)


def queries_to_minimum(evidence: Evidence, policy: Policy) -> int | None:
    """Queries still missing, or those that would bring the missing pairs at the pace so far, whichever is more."""
    queries, pairs = evidence.agreement.queries, evidence.agreement.pairs
    more = max(policy.min_queries - queries, math.ceil((policy.min_pairs - pairs) * queries / pairs))
    return more if more > 0 else None


def queries_to_decide(evidence: Evidence, policy: Policy) -> int | None:
    """About how many more queries make the half-width, which shrinks with their root, shorter than kappa's distance
    from the line. None where kappa stands on the line, or so near it that nobody judges as many, or has no interval.
    """
    kappa, interval = evidence.agreement.kappa, evidence.agreement.interval
    if isinstance(kappa, Undefined) or isinstance(interval, Undefined) or snapped(kappa, policy.line) == policy.line:
        return None
    low, high = interval
    toward_the_line = kappa - low if kappa > policy.line else high - kappa
    times = (toward_the_line / (kappa - policy.line)) ** 2
    more = max(1, math.ceil(evidence.agreement.queries * (times - 1)))
    return more if more <= MOST_FURTHER else None
