"""What each condition of a policy asks, what it found, and by how much it is met."""

from dataclasses import replace
from typing import Any

import pytest

from app.measures import Undefined
from app.measures.agreement import Doubles, VersusRest, agreement
from app.measures.conditions import check_floor, check_labellers, check_levels, check_line, check_shared_pairs
from app.measures.gate import (
    POLICIES,
    Condition,
    Contribution,
    Evidence,
    ask_gate,
    queries_to_decide,
    queries_to_minimum,
)
from tests.measures.test_gate import GOOD, STANDARD, between, evidence_of

TWO_LEVELS = "two levels or more from each of a couple"
LINE = "a 95% interval of kappa with its lower end at .50 or above"
FLOOR = "an upper end of .30 or above from everyone with 100 pairs or more"


def about(margin: float) -> Any:
    """A margin in the place of one, but for its last bits."""
    return pytest.approx(margin)


def test_every_condition_of_a_good_round_says_what_it_asked_and_what_it_found() -> None:
    found = ask_gate(replace(evidence_of(GOOD), agreement=between(0.6, 0.625, 0.65)), STANDARD).conditions
    lowest = evidence_of(GOOD).agreement.high
    assert isinstance(lowest, float)
    assert found == (
        Condition("queries", True, "at least 30 queries with doubly judged pairs", "40", 10),
        Condition("pairs", True, "at least 300 doubly judged pairs", "900", 600),
        Condition("levels", True, TWO_LEVELS, "all did"),
        Condition("line", True, LINE, ".600 to .650", about(0.1)),
        Condition("unjudgeable", True, "at most 10%", "0% of the pairs unjudgeable (0 of 900)", 0.1),
        Condition(
            "unjudgeable to one",
            True,
            "at most 5%",
            "0% of the pairs unjudgeable to only one of the two (0 of 900)",
            0.05,
        ),
        Condition("labellers", True, FLOOR, "the lowest upper end is .644", about(lowest - 0.3)),
    )


def test_every_condition_of_a_round_without_pairs_says_so() -> None:
    nothing = Evidence(agreement(Doubles.of([], levels=4, labellers=2)))
    unanswered = "no pair that both have answered"
    assert ask_gate(nothing, STANDARD).conditions == (
        Condition("queries", False, "at least 30 queries with doubly judged pairs", "0", -30),
        Condition("pairs", False, "at least 300 doubly judged pairs", "0", -300),
        Condition("levels", False, TWO_LEVELS, "no doubly judged pair"),
        Condition("line", None, LINE, "no interval: kappa itself is undefined"),
        Condition("unjudgeable", None, "at most 10%", unanswered),
        Condition("unjudgeable to one", None, "at most 5%", unanswered),
        Condition("labellers", True, FLOOR, "nobody with 100 pairs"),
    )


def test_all_who_used_one_level_are_named() -> None:
    assert check_levels(evidence_of([[0, 0], [0, 9]])) == Condition(
        "levels", False, TWO_LEVELS, "Ana used only 1; Ben used only 1"
    )


@pytest.mark.parametrize(
    ("low", "high", "is_met", "found", "margin"),
    [
        (0.3, 0.4, False, ".300 to .400", -0.1),
        (0.4, 0.6, None, ".400 to .600", -0.1),
        (0.49999, 0.6, None, ".499990 to .600", -0.00001),
    ],
)
def test_the_line_is_missed_or_can_t_be_told(
    low: float, high: float, is_met: bool | None, found: str, margin: float
) -> None:
    condition = check_line(Evidence(between(low, 0.5, high)), STANDARD)
    assert condition == Condition("line", is_met, LINE, found, about(margin))


def test_the_line_is_asked_at_the_confidence_of_the_interval() -> None:
    evidence = Evidence(agreement(Doubles.of([], levels=4, labellers=2), confidence=0.9))
    assert check_line(evidence, STANDARD).asked == "a 90% interval of kappa with its lower end at .50 or above"


def evidence_against_the_rest(*highs: float | Undefined, pairs: int = 100) -> Evidence:
    """Labellers whose intervals against the rest run from .1 to these ends."""
    measured = agreement(Doubles.of([], levels=4, labellers=3))
    return Evidence(replace(measured, versus_rest=tuple(versus_rest(at, high, pairs) for at, high in enumerate(highs))))


def versus_rest(labeller: int, high: float | Undefined, pairs: int = 100) -> VersusRest:
    interval = high if isinstance(high, Undefined) else (0.1, high)
    return VersusRest(labeller, pairs, queries=9, kappa=0.2, interval=interval, mean_level=1.0, levels_used=2)


def test_an_upper_end_on_the_floor_is_not_under_it_and_its_pairs_are_enough() -> None:
    found = check_labellers(evidence_against_the_rest(0.5, 0.3), STANDARD)
    assert found == Condition("labellers", True, FLOOR, "the lowest upper end is .300", 0.0)
    found = check_labellers(evidence_against_the_rest(0.300001), STANDARD)
    assert found.found == "the lowest upper end is .300001"


def test_all_who_are_under_the_floor_are_named_with_ends_that_do_not_look_like_it() -> None:
    found = check_labellers(evidence_against_the_rest(0.25, 0.5, 0.29999, pairs=1200), STANDARD)
    assert found == Condition(
        "labellers",
        False,
        FLOOR,
        "labeller 1 against the rest is at .100 to .250 over 1,200 pairs and labeller 3 against the rest is at .100 to "
        ".299990 over 1,200 pairs",
        about(-0.05),
    )


def test_nobody_is_under_the_floor_without_enough_pairs() -> None:
    nobody = Condition("labellers", True, FLOOR, "nobody with 100 pairs")
    assert check_labellers(evidence_against_the_rest(0.2, Undefined("one query"), pairs=99), STANDARD) == nobody


def test_who_has_the_pairs_and_no_interval_can_t_be_told_and_is_named() -> None:
    alone = check_labellers(evidence_against_the_rest(Undefined("it is one query")), STANDARD)
    told = "labeller 1 against the rest has no interval over 100 pairs, because it is one query"
    assert alone == Condition("labellers", None, FLOOR, told)
    beside = check_labellers(evidence_against_the_rest(0.5, Undefined("it is one query"), 0.6), STANDARD)
    assert beside == Condition("labellers", None, FLOOR, told.replace("1", "2", 1))


def test_who_is_on_the_floor_itself_misses_nothing_beside_one_who_can_t_be_told() -> None:
    found = check_labellers(evidence_against_the_rest(0.3, Undefined("it is one query")), STANDARD)
    assert (found.is_met, found.margin) == (None, None)


def test_who_is_under_the_floor_misses_it_whoever_else_can_t_be_told() -> None:
    assert check_labellers(evidence_against_the_rest(0.6, Undefined("it is one query"), 0.25), STANDARD) == Condition(
        "labellers",
        False,
        FLOOR,
        "labeller 2 against the rest has no interval over 100 pairs, because it is one query and labeller 3 against "
        "the rest is at .100 to .250 over 100 pairs",
        about(-0.05),
    )


def test_a_policy_without_a_floor_asks_nothing_of_single_labellers() -> None:
    found = check_labellers(evidence_against_the_rest(0.2), POLICIES["exploratory"])
    assert found == Condition("labellers", True, "nothing of single labellers", "not asked")


@pytest.mark.parametrize(
    ("high", "is_met", "found", "margin"),
    [
        (0.3, True, ".100 to .300 over 100 pairs", 0.0),
        (0.25, False, ".100 to .250 over 100 pairs", about(-0.05)),
        (0.29999, False, ".100 to .299990 over 100 pairs", about(-0.00001)),
        (Undefined("it is one query"), None, "no interval over 100 pairs, because it is one query", None),
    ],
)
def test_one_labeller_s_upper_end_is_held_against_the_floor(
    high: float | Undefined, is_met: bool | None, found: str, margin: float | None
) -> None:
    asked = "an upper end of .30 or above against the rest"
    condition = check_floor("Ana", versus_rest(0, high), 0.3)
    assert condition == Condition("Ana against the rest", is_met, asked, found, margin)


def test_shared_pairs_are_named_by_their_labeller() -> None:
    asked = "at least 4 doubly judged pairs (100, or a tenth of 31)"
    condition = check_shared_pairs(Contribution("Ana", 31, versus_rest(0, 0.3, 4)), STANDARD)
    assert condition == Condition("shared pairs of Ana", True, asked, "4", 0)


def test_a_share_near_its_cap_does_not_look_like_it() -> None:
    evidence = evidence_of([[400, 50], [50, 9500]], unjudgeable_one=526)
    one = ask_gate(evidence, STANDARD).conditions[5]
    assert one.found == "4.99715% of the pairs unjudgeable to only one of the two (526 of 10,526)"


def test_more_queries_are_told_from_whichever_minimum_lacks_more() -> None:
    assert queries_to_minimum(evidence_of(GOOD, queries=29), STANDARD) == 1
    assert queries_to_minimum(evidence_of([[100, 20], [20, 10]], queries=30), STANDARD) == 30
    assert queries_to_minimum(evidence_of(GOOD, queries=30), STANDARD) is None
    assert queries_to_minimum(evidence_of([[200, 50], [25, 25]], queries=30), STANDARD) is None


def test_more_queries_are_told_from_the_half_width_toward_the_line() -> None:
    """Half-width .11, .1 from the line: 40 x .21 = 8.4 more, and a hair wider than the distance one more."""
    assert queries_to_decide(Evidence(between(0.49, 0.6, 0.9)), STANDARD) == 9
    assert queries_to_decide(Evidence(between(0.4999, 0.6, 0.9)), STANDARD) == 1
    assert queries_to_decide(Evidence(between(0.4, 0.5, 0.6)), STANDARD) is None
    assert queries_to_decide(Evidence(between(0.4, 0.6, 0.7, interval=Undefined("nothing"))), STANDARD) is None
    assert queries_to_decide(Evidence(between(0.4, Undefined("nothing"), 0.7)), STANDARD) is None
