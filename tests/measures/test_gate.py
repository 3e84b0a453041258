from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.measures import MeasureError, Undefined
from app.measures.agreement import Agreement, Doubles, Weights, agreement
from app.measures.gate import (
    POLICIES,
    Condition,
    Contribution,
    Evidence,
    GateAnswer,
    Policy,
    ask_gate,
    qualify,
    small_set,
)
from app.measures.policies import over
from tests.measures.doubly import chorus, fira, from_table

STANDARD = POLICIES["standard"]
GOOD = [[420, 60, 12, 3], [55, 130, 40, 6], [10, 35, 70, 18], [2, 5, 15, 19]]


def evidence_of(table: list[list[int]], queries: int = 40, **counts: int) -> Evidence:
    return replace(Evidence(agreement(from_table(table, queries)), labellers=("Ana", "Ben")), **counts)  # type: ignore[arg-type]


def between(low: float, kappa: float | Undefined, high: float, **more: object) -> Agreement:
    """An agreement over forty queries whose kappa and interval are set to try the line."""
    found = replace(agreement(from_table(GOOD, 40)), kappa=kappa, interval=(low, high))
    return replace(found, **more)  # type: ignore[arg-type]


def named(answer: GateAnswer, name: str) -> Condition:
    return next(condition for condition in answer.conditions if condition.name == name)


def test_the_products_pass_under_standard(shared_data: Path) -> None:
    answer = ask_gate(Evidence(agreement(chorus(shared_data, queries=40))), STANDARD)
    assert answer.answer == "passed"
    assert answer.more_queries is None
    assert answer.sentence == (
        "Passed: linear weighted kappa is .695 over 971 pairs of 40 queries, and its 95% interval, .551 to .839, "
        "reaches the line .50 of the policy standard with its lower end."
    )
    assert named(answer, "line").margin == pytest.approx(0.05119, abs=5e-6)


def test_two_gradings_of_a_news_track_fail_and_the_sentence_says_by_how_much_and_where(shared_data: Path) -> None:
    answer = ask_gate(Evidence(agreement(fira(shared_data)), labellers=("NIST", "FiRA")), STANDARD)
    assert answer.answer == "failed"
    assert answer.sentence == (
        "Failed: linear weighted kappa is .080 over 2,003 pairs of 43 queries, and its 95% interval, -.002 to .162, "
        "ends .338 below the line .50 of the policy standard; NIST against the rest is at -.002 to .162 over 2,003 "
        "pairs and FiRA against the rest is at -.002 to .162 over 2,003 pairs, where the policy standard asks for an "
        "upper end of .30 or above from everyone with 100 pairs or more. Most often one gave 2 where the other gave "
        "3: 715 of the 1,151 times that they differ."
    )


def test_twelve_pairs_are_not_enough_evidence_and_both_figures_are_said() -> None:
    answer = ask_gate(evidence_of([[3, 0], [1, 8]], queries=2), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", 48)
    assert answer.sentence == (
        "Not enough evidence: 2 of the 30 queries and 12 of the 300 doubly judged pairs that the policy standard asks "
        "for. Judge about 48 more queries."
    )
    assert (named(answer, "queries").is_met, named(answer, "queries").margin) == (False, -28)
    assert (named(answer, "pairs").is_met, named(answer, "pairs").found) == (False, "12")


def test_one_query_short_is_said_in_the_singular() -> None:
    answer = ask_gate(evidence_of(GOOD, queries=29), STANDARD)
    assert answer.more_queries == 1
    assert answer.sentence.endswith("29 of the 30 queries that the policy standard asks for. Judge about 1 more query.")


def test_one_level_by_both_is_undefined_before_anything_else() -> None:
    answer = ask_gate(evidence_of([[12, 0], [0, 0]], queries=2), STANDARD)
    assert answer.answer == "undefined"
    assert answer.sentence == (
        "Undefined: those who share pairs gave one and the same level throughout, so that chance alone would agree "
        "completely. There is no kappa to hold against a policy."
    )


def test_nothing_judged_yet_is_undefined_and_tells_no_condition_that_needs_pairs() -> None:
    answer = ask_gate(Evidence(agreement(Doubles.of([], levels=4, labellers=2))), STANDARD)
    assert (answer.answer, answer.sentence[:44]) == ("undefined", "Undefined: no pair was graded by two people.")
    told = {condition.name: condition.is_met for condition in answer.conditions}
    assert told == {
        "queries": False,
        "pairs": False,
        "levels": False,
        "line": None,
        "unjudgeable": None,
        "unjudgeable to one": None,
        "labellers": True,
    }


def test_a_labeller_who_used_a_single_level_is_named_and_more_queries_are_not_promised() -> None:
    answer = ask_gate(evidence_of([[380, 0], [20, 0]]), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", None)
    assert answer.sentence == (
        "Not enough evidence: Ben used one level only, where two are asked. Whoever used one level only needs further "
        "queries that others judge too."
    )
    assert named(answer, "levels").found == "Ben used only 0"


def test_an_interval_that_holds_the_line_asks_for_more_queries_by_its_half_width() -> None:
    """Half-width .08 over 40 queries; .04 from the line, so that four times as many are needed."""
    for kappa in (0.54, 0.46):
        answer = ask_gate(Evidence(between(kappa - 0.08, kappa, kappa + 0.08)), STANDARD)
        assert (answer.answer, named(answer, "line").is_met) == ("not enough evidence", None)
        assert answer.more_queries == pytest.approx(120, abs=1)
        assert "has the line .50 of the policy standard inside it. Judge about 12" in answer.sentence
        assert ("Kappa is below the line" in answer.sentence) == (kappa < 0.5)


def test_what_fails_anyway_is_said_before_more_is_judged() -> None:
    """One of two refused a pair in ten: more queries do not mend that."""
    measured = between(0.46, 0.54, 0.62)
    for answer in (
        ask_gate(evidence_of(GOOD, queries=29, unjudgeable_one=int(np.sum(GOOD)) // 9), STANDARD),
        ask_gate(Evidence(measured, unjudgeable_one=measured.pairs // 9), STANDARD),
    ):
        assert answer.answer == "not enough evidence"
        assert "It would fail all the same: " in answer.sentence
        assert answer.sentence.endswith("where the policy standard asks for at most 5%.")


def test_both_caps_that_are_missed_are_said_before_more_is_judged() -> None:
    answer = ask_gate(evidence_of([[8, 2], [2, 8]], 20, unjudgeable_one=20), STANDARD)
    assert answer.answer == "not enough evidence"
    assert answer.sentence.count("where the policy standard asks for at most") == 2
    assert "asks for at most 10%; 50% of the pairs unjudgeable to only one of the two" in answer.sentence


def test_a_kappa_on_the_line_itself_names_no_number_of_queries() -> None:
    answer = ask_gate(Evidence(between(0.4, 0.5, 0.6)), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", None)
    assert answer.sentence.endswith("Kappa is on the line itself, so that no number of queries can be named.")


def test_a_kappa_that_no_number_of_queries_tells_from_the_line_asks_for_none() -> None:
    """Half-width .1 and .006 from the line: 40 x 277 more. Three times the distance asks for eight times more."""
    answer = ask_gate(Evidence(between(0.406, 0.506, 0.606)), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", None)
    assert answer.sentence.endswith(
        "inside it. Kappa is so near the line that more than 10,000 further queries would not tell the two apart."
    )
    far = between(0.0, 0.75, 1.5)
    assert ask_gate(Evidence(replace(far, queries=1250)), STANDARD).more_queries == 10_000
    assert ask_gate(Evidence(replace(far, queries=1251)), STANDARD).more_queries is None


def test_who_is_under_the_floor_is_named_though_the_line_can_t_be_told() -> None:
    found = between(0.4, 0.54, 0.68)
    ana, ben = found.versus_rest
    under = replace(found, versus_rest=(ana, replace(ben, interval=(0.1, 0.2))))
    for measured in (under, replace(under, interval=Undefined("nothing is left"))):
        answer = ask_gate(Evidence(measured, labellers=("Ana", "Ben")), STANDARD)
        assert answer.answer == "not enough evidence"
        assert answer.sentence.endswith(
            " It would fail all the same: Ben against the rest is at .100 to .200 over 900 pairs, where the policy "
            "standard asks for an upper end of .30 or above from everyone with 100 pairs or more. More queries do not "
            "mend who is under the floor: see first what differs."
        )
    assert "Ben" not in ask_gate(Evidence(found, labellers=("Ana", "Ben")), STANDARD).sentence


def test_a_kappa_without_an_interval_is_not_enough_evidence() -> None:
    nothing = Undefined("without one of the queries a single level would be left")
    answer = ask_gate(Evidence(between(0.4, 0.9, 0.95, interval=nothing)), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", None)
    assert answer.sentence == (
        "Not enough evidence: kappa has no interval, because without one of the queries a single level would be left. "
        "Judge more queries."
    )


def test_how_many_more_queries_it_takes_is_told_from_the_end_that_is_nearer_to_the_line() -> None:
    """Twice the distance to the line asks for four times the queries."""
    above = ask_gate(Evidence(between(0.4, 0.6, 0.62)), STANDARD)
    below = ask_gate(Evidence(between(0.39, 0.4, 0.6)), STANDARD)
    assert (above.more_queries, below.more_queries) == (120, 120)
    assert named(above, "line").margin == pytest.approx(-0.1)


def test_a_lower_end_exactly_on_the_line_reaches_it() -> None:
    assert ask_gate(Evidence(between(0.5, 0.6, 0.7)), STANDARD).answer == "passed"


@pytest.mark.parametrize(
    ("table", "policy"),
    [([[6, 2], [2, 6]], "standard"), ([[13, 7], [7, 13]], "exploratory"), ([[167, 33], [33, 167]], "strict")],
)
def test_rounding_alone_keeps_no_kappa_off_its_line(table: list[list[int]], policy: str) -> None:
    """Thirty queries alike leave no interval: kappa is .5, .3 or .67 exactly, and its last bits are not."""
    counts = [[30 * count for count in row] for row in table]
    answer = ask_gate(Evidence(agreement(from_table(counts, 30))), POLICIES[policy])
    assert answer.answer == "passed", answer.sentence
    assert named(answer, "line").margin == 0


def test_rounding_alone_puts_nobody_under_the_floor_and_no_kappa_off_the_line() -> None:
    below = 0.3 - 1e-15
    found = between(0.6, 0.7, 0.8)
    rest = tuple(replace(one, interval=(below, below)) for one in found.versus_rest)
    assert named(ask_gate(Evidence(replace(found, versus_rest=rest)), STANDARD), "labellers").is_met is True
    _, floor = qualify([Contribution("Ana", 500, rest[0])], STANDARD)
    assert (floor.is_met, floor.margin) == (True, 0)
    assert ask_gate(Evidence(between(0.4, 0.5 + 1e-15, 0.6)), STANDARD).more_queries is None


def test_an_upper_end_exactly_on_the_line_still_holds_it() -> None:
    assert ask_gate(Evidence(between(0.3, 0.4, 0.5)), STANDARD).answer == "not enough evidence"


def test_an_upper_end_below_the_line_fails() -> None:
    answer = ask_gate(Evidence(between(0.3, 0.4, 0.4999)), STANDARD)
    assert answer.answer == "failed"
    assert named(answer, "line").margin == pytest.approx(-0.0001)


def test_a_lower_end_a_hair_below_the_line_is_not_printed_as_the_line() -> None:
    answer = ask_gate(Evidence(between(0.49999, 0.6, 0.7)), STANDARD)
    assert "interval, .499990 to .700, has the line .50" in answer.sentence


def test_pairs_that_nobody_could_judge_fail_above_a_tenth() -> None:
    pairs = int(np.sum(GOOD))
    ten_percent = evidence_of(GOOD, unjudgeable_both=pairs // 9)
    assert named(ask_gate(ten_percent, STANDARD), "unjudgeable").is_met is True
    answer = ask_gate(replace(ten_percent, unjudgeable_both=pairs // 9 + 1), STANDARD)
    assert answer.answer == "failed"
    assert answer.sentence.startswith("Failed: linear weighted kappa is .6")
    assert (
        "reaches the line .50 of the policy standard, but that is not all it asks; 10.1% of the pairs unjudgeable "
        "(101 of 1,001), where the policy standard asks for at most 10%." in answer.sentence
    )


def test_pairs_that_only_one_could_judge_fail_above_a_twentieth() -> None:
    table = [[400, 50], [50, 450]]
    assert ask_gate(evidence_of(table, unjudgeable_one=50), STANDARD).answer == "passed"
    answer = ask_gate(evidence_of(table, unjudgeable_one=51), STANDARD)
    assert answer.answer == "failed"
    assert "unjudgeable to only one of the two" in answer.sentence


def test_pairs_that_a_third_could_not_judge_count_in_both_caps_and_once_among_the_pairs() -> None:
    table = [[450, 50], [50, 450]]
    passed = evidence_of(table, unjudgeable_beside=50)
    assert (passed.answered, ask_gate(passed, STANDARD).answer) == (1000, "passed")
    answer = ask_gate(evidence_of(table, unjudgeable_beside=51), STANDARD)
    assert [named(answer, name).is_met for name in ("unjudgeable", "unjudgeable to one")] == [True, False]
    answer = ask_gate(evidence_of(table, unjudgeable_both=80, unjudgeable_beside=50), STANDARD)
    assert [named(answer, name).is_met for name in ("unjudgeable", "unjudgeable to one")] == [False, True]


def test_exactly_a_tenth_and_exactly_a_twentieth_are_within_the_caps() -> None:
    answer = ask_gate(evidence_of([[400, 50], [50, 400]], unjudgeable_both=50, unjudgeable_one=50), STANDARD)
    assert [named(answer, name).margin for name in ("unjudgeable", "unjudgeable to one")] == [0.0, 0.0]
    assert answer.answer == "passed"


def test_ungraded_pairs_are_offered_and_weigh_in_no_share() -> None:
    evidence = evidence_of([[400, 50], [50, 400]], unjudgeable_both=50, unjudgeable_one=50, ungraded=7000)
    assert (evidence.answered, evidence.offered) == (1000, 8000)
    assert ask_gate(evidence, STANDARD).answer == "passed"


def test_a_labeller_under_the_floor_fails_the_whole_and_is_named() -> None:
    """Ana and Ben agree; Chloe grades at random, with each of them in turn."""
    rng = np.random.default_rng(11)
    rows = []
    for query in range(90):
        a, b = [(0, 1), (0, 1), (0, 1), (0, 1), (0, 2), (1, 2)][query % 6]
        for place in range(10):
            true = int(rng.integers(4))
            rows.append((10 * query + place, query, a, b, true, int(rng.integers(4)) if b == 2 else true))
    people = ("Ana", "Ben", "Chloe")
    found = agreement(Doubles.of(rows, levels=4, labellers=3))
    answer = ask_gate(Evidence(found, labellers=people), STANDARD)
    assert answer.answer == "failed"
    assert "Chloe against the rest is at " in answer.sentence
    assert "Ana" not in answer.sentence
    assert named(answer, "labellers").margin < 0  # type: ignore[operator]
    few = replace(STANDARD, floor_pairs=1000)
    assert named(ask_gate(Evidence(found, labellers=people), few), "labellers").is_met is True
    assert ask_gate(Evidence(found, labellers=people), POLICIES["exploratory"]).answer == "passed"


def test_evidence_names_levels_and_labellers_or_numbers_them() -> None:
    evidence = Evidence(agreement(from_table(GOOD, 40)))
    assert (evidence.labeller(1), evidence.level(3)) == ("labeller 2", "3")
    named_evidence = replace(evidence, labellers=("Ana", "Ben"), levels=("none", "step", "part", "all"))
    assert (named_evidence.labeller(1), named_evidence.level(3)) == ("Ben", "all")
    assert evidence.levels_used == {0: 4, 1: 4}


def test_quadratic_and_unweighted_kappas_are_called_what_they_are() -> None:
    doubles = from_table([[200, 0], [0, 200]], 40)
    sentences = [
        ask_gate(Evidence(agreement(doubles, kind)), replace(STANDARD, weights=kind)).sentence
        for kind in ("quadratic", "none")
    ]
    assert sentences[0].startswith("Passed: quadratic weighted kappa is 1.000 over")
    assert sentences[1].startswith("Passed: unweighted kappa is 1.000 over")


@pytest.mark.parametrize(("kind", "confidence"), [("quadratic", 0.95), ("none", 0.95), ("linear", 0.5)])
def test_a_policy_is_asked_of_its_own_weights_and_confidence_only(kind: Weights, confidence: float) -> None:
    with pytest.raises(MeasureError, match="standard asks of linear weights and 95% intervals, not of"):
        ask_gate(Evidence(agreement(from_table(GOOD, 40), kind, confidence)), STANDARD)


def test_who_fails_is_told_the_two_levels_that_are_confused_most() -> None:
    answer = ask_gate(Evidence(between(0.3, 0.4, 0.45)), STANDARD)
    assert answer.sentence == (
        "Failed: linear weighted kappa is .400 over 900 pairs of 40 queries, and its 95% interval, .300 to .450, ends "
        ".050 below the line .50 of the policy standard. Most often one gave 0 where the other gave 1: 115 of the 261 "
        "times that they differ."
    )


def test_an_upper_end_a_hair_below_the_line_is_not_said_to_end_nothing_below_it() -> None:
    answer = ask_gate(Evidence(between(0.3, 0.4, 0.4996)), STANDARD)
    assert ", .300 to .499600, ends .000400 below the line .50 of" in answer.sentence


def test_all_that_is_missed_is_said() -> None:
    unjudgeable = "unjudgeable, where the policy standard asks for at most 10%"
    share = (
        f"18.2% of the pairs {unjudgeable.replace(',', ' (200 of 1,100),', 1)}; 9.09% of the pairs unjudgeable to only"
    )
    passed = Evidence(between(0.51, 0.6, 0.7), unjudgeable_both=100, unjudgeable_one=100)
    assert ask_gate(passed, STANDARD).sentence == (
        "Failed: linear weighted kappa is .600 over 900 pairs of 40 queries, and its 95% interval, .510 to .700, "
        f"reaches the line .50 of the policy standard, but that is not all it asks; {share} one of the two (100 of "
        "1,100), where the policy standard asks for at most 5%."
    )
    below = replace(passed, agreement=between(0.3, 0.4, 0.45))
    assert f"below the line .50 of the policy standard; {share}" in ask_gate(below, STANDARD).sentence


def test_only_the_minimum_that_is_missing_is_said_and_a_single_level_beside_it() -> None:
    few = ask_gate(evidence_of([[140, 0], [10, 0]], queries=30), STANDARD)
    assert few.sentence == (
        "Not enough evidence: 150 of the 300 doubly judged pairs that the policy standard asks for; Ben used one level "
        "only, where two are asked. Judge about 30 more queries. Whoever used one level only needs further queries "
        "that others judge too."
    )


def test_an_interval_without_width_is_said_to_tell_nothing_whatever_the_answer() -> None:
    agreed = from_table([[200, 0], [0, 200]], 40)
    found = agreement(agreed)
    said = " No pair differs, so that the interval has no width and says nothing of how sure that is."
    passed = ask_gate(Evidence(found), STANDARD)
    assert passed.sentence.endswith(f"with its lower end.{said}")
    assert named(passed, "line").found == f"1.000 to 1.000; n{said[2:-1]}"
    failed = ask_gate(Evidence(found, unjudgeable_both=100), STANDARD)
    assert failed.sentence.endswith(f"asks for at most 10%.{said}")
    first, second = found.versus_rest
    thin = replace(found, versus_rest=(first, replace(second, interval=Undefined("nothing is left"))))
    assert ask_gate(Evidence(thin), STANDARD).sentence.endswith(f"others judge too.{said}")
    alike = ask_gate(Evidence(between(0.4, 0.4 + 1e-13, 0.4 + 1e-12)), STANDARD)
    assert (
        "below the line .50 of the policy standard. Leaving out any one query changes nothing, so that the interval "
        "has no width and says nothing of how sure that is. Most often"
    ) in alike.sentence
    assert "width" not in ask_gate(Evidence(between(0.4, 0.4, 0.4 + 3e-12)), STANDARD).sentence
    assert "width" not in named(ask_gate(Evidence(between(0.6, 0.7, 0.8)), STANDARD), "line").found


def test_who_fails_only_another_condition_is_told_of_no_confused_levels() -> None:
    answer = ask_gate(evidence_of(GOOD, unjudgeable_both=300), STANDARD)
    assert answer.answer == "failed"
    assert "Most often" not in answer.sentence


@pytest.mark.parametrize(
    ("name", "line", "floor"), [("strict", 0.67, 0.50), ("standard", 0.50, 0.30), ("exploratory", 0.30, None)]
)
def test_the_policies_have_the_lines_of_the_method(name: str, line: float, floor: float | None) -> None:
    policy = POLICIES[name]
    assert policy == Policy(name, line=line, floor=floor)
    assert (policy.min_queries, policy.min_pairs, policy.floor_pairs) == (30, 300, 100)
    assert (policy.max_unjudgeable, policy.max_unjudgeable_by_one) == (0.10, 0.05)


def test_from_sixty_queries_on_no_set_is_small() -> None:
    small = small_set(STANDARD)
    assert [over(small, queries) for queries in (0, 59, 60, 1000)] == [small, small, STANDARD, STANDARD]
    assert over(STANDARD, 10) == STANDARD


def test_a_small_set_may_do_with_fifteen_queries_and_is_marked_so() -> None:
    small = small_set(STANDARD)
    assert (small.min_queries, small.min_pairs, small.label) == (15, 150, "standard, small set")
    assert STANDARD.label == "standard"
    found = evidence_of([[90, 5], [5, 90]], queries=15)
    assert ask_gate(found, STANDARD).answer == "not enough evidence"
    assert ask_gate(found, small).answer == "passed"
    assert "policy standard, small set" in ask_gate(found, small).sentence


def test_who_contributes_to_a_release_has_a_hundred_shared_pairs_or_a_tenth() -> None:
    shared = agreement(from_table([[30, 5], [5, 20]], 12)).versus_rest[0]
    asked = {
        (graded, enough.is_met, enough.asked)
        for graded in (600, 601, 5000)
        for enough in qualify([Contribution("Ana", graded, shared)], STANDARD)[:1]
    }
    assert asked == {
        (600, True, "at least 60 doubly judged pairs (100, or a tenth of 600)"),
        (601, False, "at least 61 doubly judged pairs (100, or a tenth of 601)"),
        (5000, False, "at least 100 doubly judged pairs (100, or a tenth of 5,000)"),
    }


def test_who_shares_no_pair_is_not_qualified() -> None:
    (only,) = qualify([Contribution("Ana", 40, None)], STANDARD)
    assert (only.is_met, only.found, only.margin) == (False, "0", -4)


def test_who_is_under_the_floor_is_not_qualified_however_few_the_pairs() -> None:
    shared = agreement(from_table([[20, 20], [20, 20]], 20)).versus_rest[0]
    enough, floor = qualify([Contribution("Ana", 500, shared)], STANDARD)
    assert (enough.is_met, floor.is_met, floor.name) == (True, False, "Ana against the rest")
    assert floor.found.endswith("over 80 pairs")
    assert [one.name for one in qualify([Contribution("Ana", 500, shared)], POLICIES["exploratory"])] == [enough.name]


def test_who_has_no_interval_can_t_be_told_to_be_over_the_floor() -> None:
    shared = agreement(from_table([[20, 2], [2, 20]], 1)).versus_rest[0]
    _, floor = qualify([Contribution("Ana", 100, shared)], STANDARD)
    assert (floor.is_met, floor.margin, floor.found) == (
        None,
        None,
        "no interval over 44 pairs, because an interval needs doubly judged pairs of two queries or more",
    )


def opposed_in_one_query(*, refused: int = 0) -> Evidence:
    """Ana and Ben over two hundred queries, and Cat, who shares a hundred pairs of one query with Ana and says the
    opposite each time.
    """
    rows = [(pair, pair // 10, 0, 1, pair % 4, pair % 4) for pair in range(2000)]
    rows += [(2000 + at, 200, 0, 2, 3 * (at % 2), 3 - 3 * (at % 2)) for at in range(100)]
    found = agreement(Doubles.of(rows, levels=4, labellers=3))
    return Evidence(found, unjudgeable_one=refused, labellers=("ana", "ben", "cat"))


def test_a_labeller_without_an_interval_keeps_the_gate_from_passing_and_is_named() -> None:
    answer = ask_gate(opposed_in_one_query(), STANDARD)
    assert (answer.answer, answer.more_queries) == ("not enough evidence", None)
    assert named(answer, "labellers").is_met is None
    assert answer.sentence == (
        "Not enough evidence: linear weighted kappa is .888 over 2,100 pairs of 201 queries, and its 95% interval, "
        ".667 to 1.109, reaches the line .50 of the policy standard, but cat against the rest has no interval over 100 "
        "pairs, because an interval needs doubly judged pairs of two queries or more. Whoever has no interval needs "
        "further queries that others judge too."
    )
    assert ask_gate(opposed_in_one_query(), POLICIES["exploratory"]).answer == "passed"


def test_all_who_can_t_be_told_are_named() -> None:
    evidence = opposed_in_one_query()
    (cat,) = (one for one in evidence.agreement.versus_rest if one.labeller == 2)
    both = replace(evidence.agreement, versus_rest=(replace(cat, labeller=1), cat))
    why = "because an interval needs doubly judged pairs of two queries or more"
    ben, cat_too = (f"{name} against the rest has no interval over 100 pairs, {why}" for name in ("ben", "cat"))
    assert f"but {ben} and {cat_too}. Whoever" in ask_gate(replace(evidence, agreement=both), STANDARD).sentence


def test_what_is_missed_fails_whoever_else_can_t_be_told() -> None:
    answer = ask_gate(opposed_in_one_query(refused=400), STANDARD)
    assert (answer.answer, named(answer, "labellers").is_met) == ("failed", None)
    assert "cat" not in answer.sentence
    measured = replace(opposed_in_one_query().agreement, kappa=0.4, interval=(0.3, 0.45))
    below = ask_gate(replace(opposed_in_one_query(), agreement=measured), STANDARD)
    assert (below.answer, named(below, "labellers").is_met) == ("failed", None)
