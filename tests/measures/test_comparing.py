import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import MeasureError, Undefined
from app.measures.comparing import Comparison, Scored, compare, compare_all, holm, tukey
from app.measures.conventions import Convention
from app.measures.paired import difference
from app.measures.scores import score_run
from app.measures.verdicts import doubt, is_decided, verdict

LINE = "nDCG@10 gain=linear discount=log2"


def scored(name: str, values: Any, **more: Any) -> Scored:
    return Scored(name, LINE, "abc", {f"q{at}": value for at, value in enumerate(values)}, **more)


def three_runs(queries: int = 60) -> list[Scored]:
    rng = np.random.default_rng(6)
    base = rng.random(queries)
    return [scored(name, base + rng.normal(shift, 0.1, queries)) for name, shift in (("a", 0), ("b", 0.1), ("c", 0.02))]


def test_the_second_run_is_compared_with_the_first_query_by_query() -> None:
    (found,) = compare(scored("a", [0.1, 0.5, 0.9]), [scored("b", [0.2, 0.4, 1.0])])
    assert (found.first, found.second, found.difference.queries) == ("a", "b", 3)
    assert found.difference.mean == pytest.approx(0.1 / 3)
    assert dict(found.changes) == pytest.approx({"q0": 0.1, "q1": -0.1, "q2": 0.1})
    assert found.p == found.difference.p


def test_the_largest_moves_come_first_and_equal_ones_by_the_bytes_of_their_ids() -> None:
    values = {"é": 0.0, "a": 0.0, "b": 0.0, "z": 0.0}
    moved = {"é": 0.25, "a": -0.5, "b": -0.25, "z": 0.25}
    (found,) = compare(Scored("x", LINE, "abc", values), [Scored("y", LINE, "abc", moved)])
    assert found.changes == (("a", -0.5), ("b", -0.25), ("z", 0.25), ("é", 0.25))


def test_several_runs_against_one_baseline_are_adjusted_by_holm() -> None:
    a, b, c = three_runs()
    found = compare(a, [b, c])
    assert [each.p for each in found] == list(holm([each.difference.p for each in found]))
    assert found[0].p == pytest.approx(2 * found[0].difference.p)


def test_one_pair_of_all_is_adjusted_for_nothing() -> None:
    a, b, _ = three_runs()
    choices: Any = {"confidence": 0.9, "resamples": 500, "seed": 3}
    (of_all,), (alone,) = compare_all([a, b], **choices), compare(a, [b], **choices)
    assert (of_all.p, of_all.difference, of_all.p_error) == (alone.difference.p, alone.difference, alone.p_error)
    with pytest.raises(MeasureError, match="two runs or more"):
        compare_all([a])


def test_what_drawing_leaves_in_p_is_its_binomial_deviation_times_what_holm_takes_it() -> None:
    a, b, c = three_runs()
    alone = compare(a, [b], resamples=400)[0]
    assert alone.p_error == pytest.approx(math.sqrt(alone.p * (1 - alone.p) / 400))
    first, second = compare(a, [b, c], resamples=400)
    assert first.p_error / first.p == pytest.approx(alone.p_error / alone.p)
    assert second.p_error > 0
    for pair in compare_all([a, b, c], resamples=400):
        assert pair.p_error == pytest.approx(math.sqrt(pair.p * (1 - pair.p) / 400))
    assert only(np.zeros(6), [0.25] * 5 + [0.0]).p_error == 0


@pytest.mark.parametrize(("p", "is_sure"), [(0.044, True), (0.046, False), (0.054, False), (0.056, True)])
def test_a_p_within_two_deviations_of_the_level_is_unsure(p: float, is_sure: bool) -> None:
    found = replace(only([0.1, 0.2, 0.4], [0.2, 0.4, 0.5]), p=p, p_error=0.0025)
    assert (doubt(found) is None) == is_sure


def test_an_unsure_p_is_told_with_what_would_tell() -> None:
    found = replace(only([0.1, 0.2, 0.4], [0.2, 0.4, 0.5]), p=0.0496, p_error=0.00217)
    assert doubt(found) == (
        "p = .049600, give or take .004 by the chance in 10,000 resamples: that holds .05, so take more resamples, not "
        "another seed"
    )
    assert doubt(replace(found, p_error=0.0)) is None


def test_what_is_unsure_is_said_in_as_many_digits_as_it_takes_and_on_the_edge_too() -> None:
    (found,) = compare(scored("a", [0.1, 0.2, 0.4]), [scored("b", [0.2, 0.4, 0.5])], confidence=0.875)
    told = doubt(replace(found, p=0.12500001, p_error=2e-5))
    assert told is not None
    assert told.startswith("p = .125000010, give or take .000040 by the chance in")
    level = 1 - 0.875 + 1e-12
    assert doubt(replace(found, p=2 * level, p_error=level / 2)) is not None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_takes_each_p_as_often_as_there_are_none_smaller_and_never_falls(probabilities: list[float]) -> None:
    found = holm(probabilities)
    ordered = sorted(range(len(found)), key=lambda at: probabilities[at])
    for rank, at in enumerate(ordered):
        by_hand = max(min(1.0, (len(found) - earlier) * probabilities[ordered[earlier]]) for earlier in range(rank + 1))
        assert found[at] == pytest.approx(by_hand, abs=1e-15)


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]) == ()


def test_tukey_equals_dealing_each_query_s_values_by_hand() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((20, 3)) + np.array([0.0, 0.08, 0.2])
    widest = []
    for _ in range(4000):
        dealt = np.array([rng.permutation(row) for row in values])
        means = dealt.mean(axis=0)
        widest.append(means.max() - means.min())
    means = values.mean(axis=0)
    found = tukey(values)
    for i in range(3):
        for j in range(3):
            by_hand = np.mean([each >= abs(means[i] - means[j]) - 1e-12 for each in widest])
            assert found[i, j] == pytest.approx(by_hand, abs=0.03)


def test_tukey_of_two_runs_is_the_sign_flip_test() -> None:
    values = np.random.default_rng(1).random((30, 2)) + np.array([0.0, 0.1])
    (found,) = compare(scored("a", values[:, 0]), [scored("b", values[:, 1])])
    assert tukey(values)[0, 1] == pytest.approx(found.p, abs=0.02)


def test_tukey_asks_more_of_each_pair_than_the_pair_s_own_test() -> None:
    values = np.random.default_rng(1).random((40, 5)) + np.linspace(0.0, 0.2, 5)
    found = compare_all([scored(name, values[:, at]) for at, name in enumerate("abcde")])
    assert len(found) == 10
    assert [(each.first, each.second) for each in found[:5]] == [
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
        ("a", "e"),
        ("b", "c"),
    ]
    assert all(each.p >= each.difference.p - 0.01 for each in found)
    assert sum(each.p > each.difference.p for each in found) >= 8


def test_no_pair_among_all_is_called_surer_than_by_itself() -> None:
    """Two near copies beside a third run are hardly three: the deals then hold the third to less than its signs do."""
    rng = np.random.default_rng(8)
    base = rng.random(40)
    near = base + rng.normal(0, 0.001, 40)
    runs = [scored("a", base), scored("b", near), scored("c", base + rng.normal(0.07, 0.2, 40))]
    p = tukey(np.column_stack([list(run.per_query.values()) for run in runs]))
    found = compare_all(runs)
    assert any(p[at] < each.difference.p for at, each in zip(((0, 1), (0, 2), (1, 2)), found, strict=True))
    for at, each in zip(((0, 1), (0, 2), (1, 2)), found, strict=True):
        assert each.p == max(p[at], each.difference.p)
    assert len({each.p_error for each in found}) > 1


@pytest.mark.parametrize(
    ("choices", "runs", "said"),
    [
        ({"ideal": "returned"}, ("x", "r"), ["no-relevant=zero, or one whose ideal"]),
        ({"missing": "exclude"}, ("", "r"), ["missing=zero, or bring complete runs."]),
        (
            {"ideal": "returned", "missing": "exclude"},
            ("x", "r", "", "r"),
            ["no-relevant=zero, or one whose ideal", "missing=zero, or bring complete runs."],
        ),
        ({"measure": "judged"}, ("", "r"), ["Bring complete runs: of a list"]),
    ],
)
def test_the_way_out_of_different_query_sets_is_one_for_each_reason(
    choices: Any, runs: tuple[str, ...], said: list[str]
) -> None:
    """Each run holds the document for one query, and what leaves that query out for the other."""
    convention = Convention(k=10, gain="linear", **choices)
    qrels: Any = {f"q{at}": {"r": 1} for at in range(len(runs))}
    held: Any = {f"q{at}": ([docno], [1.0]) for at, docno in enumerate(runs) if docno} | {"z": (["r"], [1.0])}
    complete: Any = {qid: (["r"], [1.0]) for qid in qrels}
    a, b = (
        Scored(name, LINE, "abc", score_run(run, qrels, convention).per_query)
        for name, run in (("a", held), ("b", complete))
    )
    with pytest.raises(MeasureError) as refused:
        compare(a, [b])
    sentences = ("no-relevant=zero, or one whose ideal", "missing=zero, or bring", "Bring complete runs: of a list")
    assert [part in str(refused.value) for part in sentences] == [
        any(part in each for each in said) for part in sentences
    ]
    assert all(each in str(refused.value) for each in said)


def test_what_either_run_lacks_is_told_with_every_way_out() -> None:
    convention = Convention(k=10, gain="linear", ideal="returned", missing="exclude")
    qrels: Any = {qid: {"r": 1} for qid in ("q0", "q1", "q2")}
    runs: Any = {"a": {"q1": "r", "q2": "r"}, "b": {"q0": "r", "q1": "x", "q2": "r"}}
    a, b = (
        Scored(name, LINE, "abc", score_run({q: ([d], [1.0]) for q, d in run.items()}, qrels, convention).per_query)
        for name, run in runs.items()
    )
    with pytest.raises(MeasureError) as refused:
        compare(a, [b])
    assert str(refused.value) == (
        "a and b can't be compared over different query sets: a has no value for q0; b has no value for q1. Choose a "
        "convention that counts a missing query as 0, missing=zero, or bring complete runs. Choose a convention that "
        "counts a query as 0 of which nothing relevant was returned, no-relevant=zero, or one whose ideal is over all "
        "that was judged, ideal=judged."
    )


def test_three_queries_tell_no_pair_apart_however_many_runs_stand_beside() -> None:
    runs = [scored(name, np.array([0.1, 0.2, 0.3]) + shift) for name, shift in (("b", 0.4), ("a", 0.2), ("c", 0.0))]
    found = compare_all(runs)
    assert (found[1].first, found[1].second, found[1].p, found[1].p_error) == ("b", "c", 0.25, 0.0)
    for each in found:
        assert each.p >= 0.25
        assert "can't be told apart by so few queries" in verdict(each)


def test_tukey_of_one_seed_is_that_of_the_deals_that_the_seed_makes() -> None:
    values = np.random.default_rng(1).random((8, 3))
    dealt = np.random.default_rng(5).permuted(np.repeat(values[np.newaxis], 99, axis=0), axis=2)
    widest = np.ptp(dealt.sum(axis=1), axis=1)
    totals = values.sum(axis=0)
    by_hand = [[(np.sum(widest >= abs(one - other) - 1e-9) + 1) / 100 for other in totals] for one in totals]
    assert tukey(values, resamples=99, seed=5).tolist() == by_hand
    assert tukey(values, resamples=99).tolist() == tukey(values, resamples=99, seed=0).tolist()
    assert tukey(values, resamples=99).tolist() != by_hand


def test_every_choice_reaches_each_comparison() -> None:
    runs = three_runs(20)
    a, b, c = (np.array([run.per_query[qid] for qid in sorted(run.per_query)], dtype=float) for run in runs)
    chosen: dict[str, Any] = {"confidence": 0.8, "resamples": 60, "seed": 3}
    one, other = compare(runs[0], runs[1:], **chosen)
    assert one.difference == difference(b - a, **chosen)
    assert other.difference == difference(c - a, **chosen)
    all_pairs = compare_all(runs, **chosen)
    assert [each.difference for each in all_pairs] == [
        one.difference,
        other.difference,
        difference(c - b, **chosen),
    ]
    p = tukey(np.column_stack([a, b, c]), resamples=60, seed=3)
    assert [each.p for each in all_pairs] == [p[0, 1], p[0, 2], p[1, 2]]


def test_without_a_choice_comparisons_are_at_95_percent_with_ten_thousand_resamples_and_the_seed_0() -> None:
    runs = three_runs(20)
    for found in (compare(runs[0], runs[1:]), compare_all(runs)):
        one = found[0].difference
        assert (one.confidence, one.resamples, one.seed) == (0.95, 10_000, 0)
    assert [each.p for each in compare_all(runs)] == [each.p for each in compare_all(runs, seed=0, resamples=10_000)]


def test_tukey_s_deals_are_worked_off_in_blocks_and_equal_runs_are_never_told_apart() -> None:
    values = np.repeat(np.random.default_rng(1).random((400, 1)), 3, axis=1)
    assert tukey(values, resamples=1000).tolist() == np.ones((3, 3)).tolist()


def test_queries_without_a_value_for_either_run_are_left_out_and_named() -> None:
    nothing = Undefined("no relevant document was judged for this query")
    (found,) = compare(scored("a", [0.1, nothing, 0.9]), [scored("b", [0.2, nothing, 1.0])])
    assert (found.left_out, found.difference.queries) == (("q1",), 2)


def test_different_query_sets_are_refused_and_named() -> None:
    a, b = scored("a", [0.1] * 6), scored("b", [0.2])
    with pytest.raises(MeasureError, match=r"b has no value for q1, q2, q3 and 2 more\. Choose a convention"):
        compare(a, [b])
    with pytest.raises(MeasureError, match=r"a has no value for q1; b has no value for q7\. Choose"):
        compare(
            Scored("a", LINE, "abc", {"q0": 0.1, "q7": 0.2, "q1": Undefined("missing")}),
            [scored("b", [0.2, 0.3])],
        )


def test_the_queries_that_are_named_stand_in_the_order_of_their_bytes() -> None:
    values = dict.fromkeys(["한", "\udce9", "q"], 0.1)  # ED 95 9C and E9: as characters they stand the other way round.
    with pytest.raises(MeasureError, match="b has no value for \udce9, 한\\. Choose"):
        compare(Scored("a", LINE, "abc", values), [Scored("b", LINE, "abc", {"q": 0.2})])


def test_different_conventions_and_different_judgments_are_refused() -> None:
    a = scored("a", [0.1, 0.2])
    with pytest.raises(MeasureError, match="different conventions"):
        compare(a, [replace(a, name="b", convention="nDCG@20 gain=linear")])
    with pytest.raises(MeasureError, match="different judgments"):
        compare_all([a, replace(a, name="b", judgments="def")])


def test_no_query_with_a_value_is_refused() -> None:
    nothing = Undefined("no relevant document was judged for this query")
    with pytest.raises(MeasureError, match="No query has a value for both runs"):
        compare(scored("a", [nothing]), [scored("b", [nothing])])


def only(values: Any, others: Any) -> Comparison:
    return compare(scored("bm25", values), [scored("dense", others)])[0]


def test_a_clear_difference_is_said_with_its_size_interval_and_p() -> None:
    base = np.random.default_rng(2).random(40)
    gains = 0.05 + np.random.default_rng(3).normal(0, 0.02, 40)
    found = only(base, base + gains)
    assert is_decided(found)
    assert verdict(found) == "dense is better than bm25 by .049 (95% interval .042 to .057; p < .001)."
    assert (
        verdict(only(base + gains, base)) == "dense is worse than bm25 by .049 (95% interval -.057 to -.042; p < .001)."
    )


def test_what_chance_could_make_is_indistinguishable_and_says_what_the_set_could_have_shown() -> None:
    rng = np.random.default_rng(2)
    found = only(rng.random(30), rng.random(30))
    assert not is_decided(found)
    assert verdict(found) == (
        "dense and bm25 are indistinguishable on this query set: the difference is .094 (95% interval -.027 to .214; "
        "p = .125); the smallest that 30 queries with this spread can detect is .165 (80% power)."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [0.25] * 5 + [0.0],
            "is .208 (95% interval .101 to .315; p = .063), and p = .063 is the least there is where 5",
        ),
        (
            [0.25, 0.5, -0.25],
            "is .167 (95% interval -.782 to 1.115; p = .750), and p = .250 is the least there is where 3",
        ),
    ],
)
def test_where_no_p_could_be_small_enough_that_is_said(changes: list[float], said: str) -> None:
    found = only(np.zeros(len(changes)), np.array(changes))
    assert (
        verdict(found) == f"dense and bm25 can't be told apart by so few queries: the difference {said} queries differ."
    )


def test_an_interval_that_holds_0_beside_a_p_below_the_level_is_explained() -> None:
    found = only(np.zeros(20), [0.001] * 19 + [0.9])
    said = verdict(found)
    assert found.p < 0.001
    assert "dense and bm25 are indistinguishable on this query set" in said
    assert said.endswith("By the test of signs p is not above .05 all the same: look at the queries that moved most.")


def test_so_few_queries_are_not_blamed_where_another_test_s_p_is_smaller_than_theirs_can_be() -> None:
    found = only(np.zeros(6), [0.25] * 5 + [0.0])
    assert "so few" in verdict(found)
    assert "so few" not in verdict(replace(found, p=0.013))


def test_a_p_is_never_rounded_onto_the_level() -> None:
    found = only(np.zeros(6), [0.25] * 5 + [0.0])
    shown = replace(found, p=0.0502, difference=replace(found.difference, is_exact=False, p=0.0502))
    assert "p = .050200). The interval" in verdict(shown)
    sure = replace(found.difference, is_exact=False, confidence=0.999, p=0.0014)
    assert "p = .001400" in verdict(replace(found, p=0.0014, difference=sure))
    assert verdict(replace(found, p=0.0014, difference=sure)).endswith("p is above .001.")


def test_one_query_and_one_that_differs_are_said_in_the_singular() -> None:
    assert verdict(only([0.5], [0.5])) == "dense and bm25 score the same on the one query."
    assert verdict(only([0.5, 0.25], [0.5, 0.25])).endswith("score the same on every one of the 2 queries.")
    assert verdict(only(np.zeros(6), [0.25, 0, 0, 0, 0, 0])).endswith("is the least there is where 1 query differs.")


def test_tukey_s_only_deal_is_dealt() -> None:
    """Of one query any deal is as wide as what was found."""
    assert tukey([[0.0, 1.0]], resamples=1).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_an_interval_that_leaves_out_0_beside_a_p_that_does_not_is_said_and_not_called_indistinguishable() -> None:
    base = np.random.default_rng(2).random(40)
    found = only(base, base + np.random.default_rng(3).normal(0.01, 0.02, 40))
    assert is_decided(found)
    adjusted = verdict(replace(found, p=0.2))
    assert adjusted.startswith("dense and bm25 can't be told apart: the difference is .")
    assert adjusted.endswith(
        "p = .200). The interval, which is of this comparison alone, leaves out 0, but p, adjusted for the comparisons "
        "beside it, is above .05."
    )
    alone = verdict(replace(found, p=0.06, difference=replace(found.difference, p=0.06)))
    assert alone.endswith("leaves out 0, but by the test of signs p is above .05.")


def test_six_queries_that_differ_are_enough_to_be_told_apart() -> None:
    """p of 2/64 is below .05; and at a level of exactly what is possible, what is possible decides."""
    found = only(np.zeros(6), np.array([0.25, 0.5, 0.25, -0.25, 0.5, -0.5]))
    assert "indistinguishable on this query set" in verdict(found)
    assert "indistinguishable" in verdict(replace(found, difference=replace(found.difference, confidence=1 - 2 / 64)))
    assert "so few" in verdict(replace(found, difference=replace(found.difference, confidence=1 - 1 / 64)))


def test_tiny_figures_are_not_printed_as_nothing_and_a_loss_keeps_its_sign() -> None:
    base = np.random.default_rng(2).random(40)
    found = only(base, base + np.tile([2e-4, -3e-4], 20))
    assert verdict(found) == (
        "dense and bm25 are indistinguishable on this query set: the difference is -.000050 (95% interval -.000131 to "
        ".000031; p = .242); the smallest that 40 queries with this spread can detect is .000112 (80% power)."
    )


def test_an_interval_without_0_does_not_decide_where_many_runs_were_tried() -> None:
    rng = np.random.default_rng(11)
    base = rng.random(50)
    found = only(base, base + rng.normal(0.07, 0.2, 50))
    low, _ = found.difference.interval  # type: ignore[misc]
    assert low > 0
    assert is_decided(found)
    assert not is_decided(replace(found, p=0.2))


@pytest.mark.parametrize(
    ("interval", "p", "decided"),
    [
        ((0.1, 0.9), 0.05, True),
        ((0.1, 0.9), 1 - 0.95 + 1e-12, True),
        ((0.1, 0.9), 0.0501, False),
        ((-0.9, -0.1), 0.01, True),
        ((0.0, 0.9), 0.01, False),
        ((-0.9, 0.0), 0.01, False),
        ((-0.5, 0.5), 0.01, False),
        (Undefined("one query"), 0.01, False),
    ],
)
def test_a_difference_is_decided_where_the_interval_leaves_0_out_and_p_is_small(
    interval: Any, p: float, decided: bool
) -> None:
    found = only([0.1, 0.2, 0.4], [0.2, 0.4, 0.5])
    assert is_decided(replace(found, p=p, difference=replace(found.difference, interval=interval))) is decided


def test_an_interval_that_ends_on_0_holds_it() -> None:
    found = replace(only([0.1, 0.2, 0.4], [0.2, 0.4, 0.5]), p=0.2)
    for interval in ((0.0, 0.9), (-0.9, 0.0)):
        on_0 = replace(found, difference=replace(found.difference, interval=interval, is_exact=False))
        assert "are indistinguishable on this query set" in verdict(on_0)


def test_a_p_on_the_level_itself_is_not_above_it() -> None:
    found = only(np.zeros(20), [0.001] * 19 + [0.9])
    level = 1 - found.difference.confidence + 1e-12
    assert verdict(replace(found, p=level)).endswith("look at the queries that moved most.")
    outside = replace(found.difference, p=level, interval=(0.1, 0.9))
    assert "but p, adjusted for the comparisons beside it, is above .05" in verdict(
        replace(found, p=0.2, difference=outside)
    )


def test_the_least_p_there_is_is_held_against_the_level_that_was_asked() -> None:
    (found,) = compare(scored("a", np.zeros(13)), [scored("b", [0.25] * 12 + [0.0])], confidence=0.9999)
    assert "and p = .000488 is the least there is where 12 queries differ" in verdict(found)


def test_the_same_run_twice_is_said_to_be_the_same() -> None:
    found = only([0.1, 0.2], [0.1, 0.2])
    assert not is_decided(found)
    assert verdict(found) == "dense and bm25 score the same on every one of the 2 queries."


def test_one_query_cannot_tell_runs_apart() -> None:
    assert verdict(only([0.1], [0.2])) == (
        "dense and bm25 can't be told apart: there is no interval, because a spread needs two queries or more."
    )
