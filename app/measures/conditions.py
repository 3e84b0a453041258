"""The single things that a policy asks, each checked against the evidence."""

import math

from app.measures.agreement import VersusRest
from app.measures.evidence import Condition, Contribution, Evidence
from app.measures.figures import against_rest, figure, no_width, percent, snapped, span
from app.measures.policies import Policy
from app.measures.undefined import Undefined


def check_queries(evidence: Evidence, policy: Policy) -> Condition:
    return _at_least("queries", evidence.agreement.queries, policy.min_queries, "queries with doubly judged pairs")


def check_pairs(evidence: Evidence, policy: Policy) -> Condition:
    return _at_least("pairs", evidence.agreement.pairs, policy.min_pairs, "doubly judged pairs")


def check_levels(evidence: Evidence) -> Condition:
    """Asked of each labeller over all of their doubly judged pairs: a couple that shares few queries may well find
    every document in them at one level.
    """
    people = evidence.agreement.versus_rest
    single = [one for one in people if one.levels_used < 2]
    found = [f"{evidence.labeller(one.labeller)} used only {evidence.level(round(one.mean_level))}" for one in single]
    return Condition(
        name="levels",
        is_met=bool(people) and not single,
        asked="two levels or more from each of a couple",
        found="; ".join(found) or ("all did" if people else "no doubly judged pair"),
    )


def check_line(evidence: Evidence, policy: Policy) -> Condition:
    """Met: the interval's lower end reaches the line. Missed: its upper end stays below. Else it can't be told, and the
    margin is what the lower end lacks.
    """
    interval = evidence.agreement.interval
    confidence = percent(evidence.agreement.confidence)
    asked = f"a {confidence} interval of kappa with its lower end at {figure(policy.line)} or above"
    if isinstance(interval, Undefined):
        return Condition(name="line", is_met=None, asked=asked, found=f"no interval: {interval.reason}")
    low, high = (snapped(end, policy.line) for end in interval)
    unsure = no_width(evidence.agreement)
    found = f"{span(interval, policy.line)}{f'; {unsure}' if unsure else ''}"
    if low >= policy.line:
        return Condition(name="line", is_met=True, asked=asked, found=found, margin=low - policy.line)
    if high < policy.line:
        return Condition(name="line", is_met=False, asked=asked, found=found, margin=high - policy.line)
    return Condition(name="line", is_met=None, asked=asked, found=found, margin=low - policy.line)


def check_unjudgeable(evidence: Evidence, policy: Policy) -> Condition:
    count = evidence.unjudgeable_both + evidence.unjudgeable_one + evidence.unjudgeable_beside
    return _at_most("unjudgeable", count, evidence, policy.max_unjudgeable, "unjudgeable")


def check_unjudgeable_by_one(evidence: Evidence, policy: Policy) -> Condition:
    """Leaving out the pairs that one of two found hard lifts kappa, so that these have a cap of their own."""
    what = "unjudgeable to only one of the two"
    count = evidence.unjudgeable_one + evidence.unjudgeable_beside
    return _at_most("unjudgeable to one", count, evidence, policy.max_unjudgeable_by_one, what)


def check_labellers(evidence: Evidence, policy: Policy) -> Condition:
    """Missed: somebody with enough pairs is under the floor. Who has the pairs and no interval may be under it too, so
    that without anybody who is, it can't be told.
    """
    floor = policy.floor
    if floor is None:
        return Condition(name="labellers", is_met=True, asked="nothing of single labellers", found="not asked")
    asked = f"an upper end of {figure(floor)} or above from everyone with {policy.floor_pairs:,} pairs or more"
    measured = [one for one in evidence.agreement.versus_rest if one.pairs >= policy.floor_pairs]
    if not measured:
        return Condition("labellers", is_met=True, asked=asked, found=f"nobody with {policy.floor_pairs:,} pairs")
    each = [check_floor(evidence.labeller(one.labeller), one, floor) for one in measured]
    amiss = [f"{one.name} {'has' if one.is_met is None else 'is at'} {one.found}" for one in each if not one.is_met]
    margins = [one.margin for one in each if one.margin is not None]
    if not amiss:
        found = f"the lowest upper end is {figure(floor + min(margins), floor)}"
        return Condition("labellers", is_met=True, asked=asked, found=found, margin=min(margins))
    under = [margin for margin in margins if margin < 0]
    is_met, margin = (False, min(under)) if under else (None, None)
    return Condition("labellers", is_met=is_met, asked=asked, found=" and ".join(amiss), margin=margin)


def check_shared_pairs(contribution: Contribution, policy: Policy) -> Condition:
    """Enough of a labeller's pairs were judged by somebody else too."""
    needed = min(policy.floor_pairs, math.ceil(contribution.graded / 10))
    found = contribution.versus_rest.pairs if contribution.versus_rest else 0
    what = f"doubly judged pairs ({policy.floor_pairs:,}, or a tenth of {contribution.graded:,})"
    return _at_least(f"shared pairs of {contribution.name}", found, needed, what)


def check_floor(name: str, one: VersusRest, floor: float) -> Condition:
    """One labeller's upper end against the rest, however few their pairs; without an interval it can't be told."""
    called, asked = f"{name} against the rest", f"an upper end of {figure(floor)} or above against the rest"
    if isinstance(one.interval, Undefined):
        found = f"{against_rest(one, floor)}, because {one.interval.reason}"
        return Condition(called, is_met=None, asked=asked, found=found)
    margin = snapped(one.interval[1], floor) - floor
    return Condition(called, is_met=margin >= 0, asked=asked, found=against_rest(one, floor), margin=margin)


def _at_least(name: str, found: int, needed: int, what: str) -> Condition:
    asked = f"at least {needed:,} {what}"
    return Condition(name, is_met=found >= needed, asked=asked, found=f"{found:,}", margin=found - needed)


def _at_most(name: str, count: int, evidence: Evidence, cap: float, what: str) -> Condition:
    asked = f"at most {percent(cap)}"
    if evidence.answered == 0:
        return Condition(name, is_met=None, asked=asked, found="no pair that both have answered")
    share = count / evidence.answered
    found = f"{percent(share, cap)} of the pairs {what} ({count:,} of {evidence.answered:,})"
    return Condition(name, is_met=share <= cap, asked=asked, found=found, margin=cap - share)
