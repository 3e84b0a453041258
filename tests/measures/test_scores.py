import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from app.measures import MeasureError, Undefined
from app.measures.conventions import Convention, Discount, Gain, Geometric, Measure, NoRelevant, Ties, Unjudged
from app.measures.explaining import Row, explain
from app.measures.gains import discount_at, gain_of
from app.measures.presets import PRESETS
from app.measures.scores import score_query, score_run
from tests.measures.lists import Qrels, Run, ranked

EXPONENTIAL = Convention(k=10, gain="exponential")
LINEAR = Convention(k=10, gain="linear")
GRADES = st.lists(st.integers(0, 4) | st.none(), min_size=1, max_size=7)
GAINS = st.sampled_from(["linear", "exponential", (0.0, 0.01, 0.1, 1.0, 1.0)])
DISCOUNTS = st.sampled_from(["log2", "reciprocal", Geometric(0.5), Geometric(0.85)])
LISTS = st.lists(
    st.tuples(st.integers(-2, 4) | st.none(), st.sampled_from([1.0, 1.00000001, 2.0, 3.0])), min_size=0, max_size=8
)


def value(grades: Sequence[float | None], convention: Convention, *also_judged: float) -> float:
    """The score of documents ranked in this order; grades of documents judged but not returned come after."""
    docnos, scores, judgments = ranked(grades)
    judgments |= {f"missed{at}": grade for at, grade in enumerate(also_judged)}
    found = score_query(docnos, scores, judgments, convention)
    assert not isinstance(found, Undefined)
    return found


def dcg(grades: Sequence[float | None], gain: Gain, discount: Discount = "log2", k: int = 10) -> float:
    return value(grades, Convention(measure="DCG", k=k, gain=gain, discount=discount))


# The worked numbers of the method


def test_the_worked_query_has_ndcg_713_and_its_regrade_950_while_recall_stays_1() -> None:
    before, after = [1, 3, 0, 2, 0, 0, 2, 0, 0, 1], [3, 2, 0, 2, 0, 0, 2, 0, 0, 1]
    for grades, reached, ideal, share in (
        (before, 7.997603, 11.210319, 0.713414),
        (after, 11.473884, 12.071672, 0.950480),
    ):
        by_hand = explain(*ranked(grades), EXPONENTIAL)
        assert (by_hand.total, by_hand.divisor, by_hand.value) == pytest.approx((reached, ideal, share), abs=5e-7)
        assert value(grades, EXPONENTIAL.at("recall", 10)) == 1.0
    assert value(after, EXPONENTIAL) - value(before, EXPONENTIAL) == pytest.approx(0.237, abs=5e-4)


def test_the_linear_example_is_683_and_moving_the_3_to_rank_1_makes_it_916() -> None:
    by_hand = explain(*ranked([0, 3, 1, 2, 0]), LINEAR)
    assert (by_hand.total, by_hand.divisor, by_hand.value) == pytest.approx((3.254142, 4.761860, 0.683376), abs=5e-7)
    assert value([3, 0, 1, 2, 0], LINEAR) == pytest.approx(0.915893, abs=5e-7)


def test_the_ideal_profile_is_worth_15_153_exponential_and_8_848_linear() -> None:
    profile = [3, 2, 2, 2, 2, 2, 1, 1, 1, 1]
    assert explain(*ranked(profile), EXPONENTIAL).divisor == pytest.approx(15.152892, abs=5e-7)
    assert explain(*ranked(profile), LINEAR).divisor == pytest.approx(8.848226, abs=5e-7)


def test_one_of_five_perfect_documents_returned_is_339() -> None:
    for convention in (EXPONENTIAL, LINEAR):
        assert value([3], convention, 3, 3, 3, 3) == pytest.approx(0.339, abs=5e-4)


def test_ten_of_fifteen_perfect_documents_are_1_and_the_ideal_is_said_to_be_cut() -> None:
    docnos, scores, judgments = ranked([3] * 10)
    judgments |= {f"missed{at}": 3 for at in range(5)}
    by_hand = explain(docnos, scores, judgments, EXPONENTIAL)
    assert (by_hand.value, by_hand.is_ideal_cut) == (1.0, True)
    assert not explain(*ranked([3] * 10), EXPONENTIAL).is_ideal_cut
    assert value([3] * 10, EXPONENTIAL.at("recall", 10), *[3] * 5) == pytest.approx(2 / 3)


def test_queries_with_more_relevant_documents_than_ranks_are_counted_where_the_ideal_is_over_all_judged() -> None:
    """Ten fill the ten ranks, and the eleventh is cut off."""
    qrels = {str(many): {f"d{at}": 1.0 for at in range(many)} for many in (9, 10, 11, 12)}
    counted = {
        LINEAR: 2,
        replace(LINEAR, k=9): 3,
        replace(LINEAR, k=None): 0,
        replace(LINEAR, ideal="returned"): 0,
        LINEAR.at("DCG", 10): 0,
        LINEAR.at("recall", 10): 0,
    }
    for convention, cut in counted.items():
        assert score_run({"9": (["d0"], [1.0])}, qrels, convention).ideal_cut == cut, convention


def test_the_gain_decides_between_one_perfect_document_and_three_good_ones() -> None:
    """The judged grades are 3, 2, 2, 2; shares of the two lists' DCG."""
    one_perfect, three_good = [3, 0, 0, 0], [0, 2, 2, 2]
    for gain, first, second in (("linear", 0.490, 0.510), ("exponential", 0.599, 0.401)):
        a, b = (dcg(grades, gain) for grades in (one_perfect, three_good))  # type: ignore[arg-type]
        assert (a / (a + b), b / (a + b)) == pytest.approx((first, second), abs=5e-4)


def test_only_an_impatient_reader_puts_the_one_at_the_top_before_the_three_below() -> None:
    a, b = [1, 0, 0, 0], [0, 1, 1, 1]
    assert dcg(a, "linear", Geometric(0.5)) > dcg(b, "linear", Geometric(0.5))
    for discount in ("log2", "reciprocal", Geometric(0.85)):
        assert dcg(a, "linear", discount) < dcg(b, "linear", discount)


# What holds for every list


@given(GRADES, GAINS, DISCOUNTS, st.integers(1, 8))
def test_no_order_beats_the_sorted_one_and_the_ascending_one_is_worst(
    grades: list[int | None], gain: Gain, discount: Discount, k: int
) -> None:
    def reached(order: Sequence[int | None]) -> float:
        found = score_query(
            *ranked(order), Convention(measure="DCG", k=k, gain=gain, discount=discount, no_relevant="zero")
        )
        assert not isinstance(found, Undefined)
        return found

    falling = sorted(grades, key=lambda grade: -1 if grade is None else grade, reverse=True)
    tried = {reached(order) for order in set(permutations(grades[:6]))} if len(grades) < 7 else {reached(grades)}
    assert max(tried) <= reached(falling)
    assert min(tried) >= reached(falling[::-1]) - 1e-12


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), GAINS, DISCOUNTS, st.data())
def test_swapping_two_documents_moves_dcg_by_gain_difference_times_discount_difference(
    grades: list[int], gain: Gain, discount: Discount, data: st.DataObject
) -> None:
    upper, lower = sorted(data.draw(st.lists(st.integers(0, len(grades) - 1), min_size=2, max_size=2, unique=True)))
    swapped = list(grades)
    swapped[upper], swapped[lower] = grades[lower], grades[upper]
    convention = Convention(measure="DCG", k=None, gain=gain, discount=discount, no_relevant="zero")
    moved = value(swapped, convention) - value(grades, convention)
    gains = gain_of(grades[lower], gain) - gain_of(grades[upper], gain)
    assert moved == pytest.approx(
        gains * (discount_at(upper + 1, discount) - discount_at(lower + 1, discount)), abs=1e-9
    )


@given(
    LISTS,
    st.builds(
        Convention,
        measure=st.sampled_from(["nDCG", "recall", "precision", "judged"]),
        k=st.integers(1, 9),
        gain=GAINS,
        discount=DISCOUNTS,
        ideal=st.sampled_from(["judged", "returned"]),
        unjudged=st.sampled_from(["zero", "condensed"]),
        ties=st.sampled_from(["docno", "docno32", "position", "average", "optimistic"]),
        threshold=st.integers(0, 4),
    ),
    st.lists(st.integers(-1, 4), max_size=3),
)
def test_every_score_lies_between_0_and_1(
    documents: list[tuple[int | None, float]], convention: Convention, missed: list[int]
) -> None:
    docnos = [f"d{at}" for at in range(len(documents))]
    judgments: dict[str, float] = {f"d{at}": grade for at, (grade, _) in enumerate(documents) if grade is not None}
    judgments |= {f"missed{at}": grade for at, grade in enumerate(missed)}
    found = score_query(docnos, [score for _, score in documents], judgments, convention)
    assert isinstance(found, Undefined) or 0 <= found <= 1


@given(LISTS, GAINS)
def test_dropping_the_unjudged_never_lowers_ndcg(documents: list[tuple[int | None, float]], gain: Gain) -> None:
    docnos = [f"d{at}" for at in range(len(documents))]
    judgments: dict[str, float] = {f"d{at}": grade for at, (grade, _) in enumerate(documents) if grade is not None}
    found = {}
    for unjudged in ("zero", "condensed"):
        convention = Convention(k=5, gain=gain, unjudged=unjudged, no_relevant="zero")
        found[unjudged] = score_query(docnos, [score for _, score in documents], judgments, convention)
    assert found["condensed"] >= found["zero"]  # type: ignore[operator]


@given(LISTS.filter(len), st.integers(1, 9))
def test_averaged_ties_are_the_mean_over_every_order_that_the_scores_allow(
    documents: list[tuple[int | None, float]], k: int
) -> None:
    """Five documents at most, so that every order can be tried."""
    documents = documents[:5]
    docnos = [f"d{at}" for at in range(len(documents))]
    scores = [score for _, score in documents]
    judgments: dict[str, float] = {f"d{at}": grade for at, (grade, _) in enumerate(documents) if grade is not None}
    allowed = [
        order
        for order in permutations(range(len(documents)))
        if all(scores[one] >= scores[other] for one, other in pairwise(order))
    ]
    measures: tuple[Measure, ...] = ("nDCG", "DCG", "recall", "precision", "judged")
    for measure in measures:
        averaged = Convention(measure=measure, k=k, gain="exponential", ties="average", no_relevant="zero")
        falling = list(range(len(documents), 0, -1))
        in_turn = [
            score_query(
                [docnos[at] for at in order],
                falling,
                judgments,
                Convention(measure=measure, k=k, gain="exponential", no_relevant="zero"),
            )
            for order in allowed
        ]
        mean = math.fsum(one for one in in_turn if not isinstance(one, Undefined)) / len(in_turn)
        assert score_query(docnos, scores, judgments, averaged) == pytest.approx(mean, abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.1, 0.2, 0.3])), min_size=2, max_size=12),
    st.integers(1, 12),
)
def test_averaged_ties_over_what_is_passed_equal_scikit_learn(documents: list[tuple[int, float]], k: int) -> None:
    grades, scores = zip(*documents, strict=True)
    docnos = [f"d{at}" for at in range(len(documents))]
    judgments: dict[str, float] = dict(zip(docnos, grades, strict=True))
    convention = PRESETS["scikit-learn"].convention.at("nDCG", k)
    assert score_query(docnos, scores, judgments, convention) == pytest.approx(
        ndcg_score([grades], [scores], k=k), abs=1e-12
    )
    assert score_query(docnos, scores, judgments, convention.at("DCG", k)) == pytest.approx(
        dcg_score([grades], [scores], k=k), abs=1e-12
    )


def test_the_same_run_scored_twice_and_at_other_cut_offs_gives_the_same_number() -> None:
    grades = [1, None, 0, 2, None, 3]
    first = value(grades, EXPONENTIAL)
    for k in (2, 100):
        value(grades, EXPONENTIAL.at("nDCG", k))
    assert value(grades, EXPONENTIAL) == first


# Binary measures


def test_recall_precision_rr_ap_and_hit_count_from_the_threshold_on() -> None:
    """Ranks 2 and 4 reach the threshold 2; one more document that does was missed."""
    grades = [1, 2, None, 3, 0]
    found = {
        measure: value(grades, Convention(measure=measure, k=5, gain="linear", threshold=2), 2)
        for measure in ("recall", "precision", "RR", "AP", "hit")
    }
    assert found == pytest.approx(
        {"recall": 2 / 3, "precision": 2 / 5, "RR": 1 / 2, "AP": (1 / 2 + 2 / 4) / 3, "hit": 1}
    )


def test_nothing_above_the_cut_off_is_0_for_every_binary_measure() -> None:
    for measure in ("recall", "precision", "RR", "AP", "hit"):
        assert value([0, None, 1], Convention(measure=measure, k=2, gain="linear")) == 0.0


def test_precision_divides_by_the_cut_off_however_short_the_list() -> None:
    assert value([1, 1], Convention(measure="precision", k=10, gain="linear")) == pytest.approx(0.2)


def test_judged_divides_by_what_was_returned_up_to_the_cut_off() -> None:
    judged = Convention(measure="judged", k=10, gain="linear")
    assert value([3, None], judged) == 0.5
    assert value([3, -1, None, None], judged.at("judged", 3)) == pytest.approx(2 / 3)
    assert value([3, None, None, None], judged.at("judged", None)) == 0.25


def test_judged_looks_at_the_whole_list_even_where_the_unjudged_are_dropped() -> None:
    condensed = Convention(measure="judged", k=10, gain="linear", unjudged="condensed")
    assert value([3, None], condensed) == 0.5
    assert value([None, 3], condensed.at("judged", 1)) == 0.0


def test_a_grade_below_0_is_a_judgment_but_where_the_list_is_condensed() -> None:
    judged = Convention(measure="judged", k=10, gain="linear")
    assert value([1, -1], judged) == 1.0
    assert value([1, -1, None, 0], replace(judged, unjudged="condensed")) == 0.5
    by_hand = explain(*ranked([1, -1, None, 0]), replace(judged, unjudged="condensed"))
    assert [row.contribution for row in by_hand.rows] == [1, 0, 0, 1]


def test_judged_has_no_value_where_nothing_was_returned() -> None:
    nothing = Undefined("nothing was returned, so that there is nothing to have judged")
    for missing in ("zero", "exclude"):
        judged = Convention(measure="judged", k=10, gain="linear", missing=missing)
        assert score_query([], [], {"a": 1}, judged) == nothing


def test_bpref_counts_the_nonrelevant_of_each_query_by_itself() -> None:
    """The last query has none, the one before has two of which one stands above a relevant one of two."""
    qrels: Qrels = {"1": {"a": 0, "b": 1}, "2": {"a": 0, "b": 1, "c": 0, "d": 1}, "3": {"a": 1, "b": 1}}
    run: Run = {qid: (list("bacd"), [4.0, 3.0, 2.0, 1.0]) for qid in qrels} | {"2": (list("bad"), [3.0, 2.0, 1.0])}
    found = score_run(run, qrels, Convention(measure="bpref", k=None, gain="linear"))
    assert found.per_query == {"1": 1.0, "2": (1 + 1 / 2) / 2, "3": 1.0}


# Unjudged, negative, tied


@pytest.mark.parametrize(
    ("unjudged", "expected"), [("zero", (3 + 1 / math.log2(5)) / (3 + 1 / math.log2(3))), ("condensed", 1.0)]
)
def test_condensed_closes_the_list_over_unjudged_and_negative_documents(unjudged: Unjudged, expected: float) -> None:
    convention = Convention(k=10, gain="linear", unjudged=unjudged)
    assert value([3, None, -1, 1], convention) == pytest.approx(expected, abs=1e-15)


def test_the_cut_off_is_applied_after_condensing() -> None:
    assert value([None, None, 1], Convention(k=1, gain="linear", unjudged="condensed")) == 1.0


def test_a_list_without_a_judged_document_is_0_when_condensed() -> None:
    assert value([None, None], Convention(k=1, gain="linear", unjudged="condensed"), 2) == 0.0


def test_an_ideal_over_what_was_returned_gives_1_to_one_hit_and_is_0_for_none() -> None:
    """Then the query goes by the rule for what has no relevant document."""
    returned = Convention(k=10, gain="linear", ideal="returned")
    assert value([1, None], returned, 3, 3) == 1.0
    none = Undefined("nothing relevant was returned for this query, so that the ideal over what was is 0")
    docnos, scores, judgments = ranked([None, 0])
    assert score_query(docnos, scores, judgments | {"missed": 3}, returned) == none
    assert explain(docnos, scores, judgments | {"missed": 3}, returned).value == none
    assert value([None, 0], replace(returned, no_relevant="zero"), 3) == 0.0
    assert value([0, 1], replace(returned, k=1)) == 0.0, "the ideal looks beyond the cut-off"
    of_all = Undefined("no relevant document was judged for this query")
    assert score_query(*ranked([None, 0]), returned) == of_all
    assert value([None, 0], Convention(measure="DCG", k=10, gain="linear", ideal="returned"), 3) == 0.0


def test_a_run_whose_returned_ideals_are_0_has_them_counted_and_in_no_mean() -> None:
    runs = {"hit": (["a"], [1.0]), "none": (["b"], [1.0]), "empty": ([], [])}
    judged: dict[str, dict[str, float]] = {qid: {"a": 2, "b": 0} for qid in ("hit", "none", "empty", "missing")}
    returned = Convention(k=10, gain="linear", ideal="returned")
    found = score_run(runs, judged, returned)
    assert (found.mean, found.queries, found.no_relevant, found.missing) == (1 / 3, 3, 1, 1)
    found = score_run(runs, judged, replace(returned, no_relevant="zero"))
    assert (found.mean, found.queries, found.no_relevant, found.missing) == (1 / 4, 4, 1, 1)
    found = score_run(runs, judged, replace(returned, missing="exclude"))
    assert (found.mean, found.queries, found.per_query["missing"]) == (
        1 / 2,
        2,
        Undefined("the run does not hold this query"),
    )


@given(GRADES, st.lists(st.sampled_from([1, 3]), max_size=2), st.sampled_from(["zero", "exclude"]), st.integers(1, 4))
def test_an_ideal_of_0_is_no_relevant_document_whatever_it_is_over(
    grades: list[int | None], missed: list[int], no_relevant: NoRelevant, k: int
) -> None:
    returned = Convention(k=k, gain="linear", ideal="returned", no_relevant=no_relevant)
    docnos, scores, judgments = ranked(grades)
    judgments |= {f"missed{at}": grade for at, grade in enumerate(missed)}
    found, by_hand = score_query(docnos, scores, judgments, returned), explain(docnos, scores, judgments, returned)
    has_ideal = by_hand.divisor > 0
    assert isinstance(found, Undefined) == (not has_ideal and no_relevant == "exclude")
    assert by_hand.value == found


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("optimistic", 1.0),
        ("average", 0.6909785334518438),
        ("docno", 0.6956940443813074),
        ("position", 0.9055480521295335),
    ],
)
def test_a_scorer_that_gives_all_the_same_score_gets_what_the_tie_rule_gives_it(ties: Ties, expected: float) -> None:
    judgments: dict[str, float] = {"a": 10, "b": 0, "c": 0, "d": 1, "e": 5}
    convention = Convention(k=10, gain="linear", ties=ties)
    assert score_query(list("abcde"), [1.0] * 5, judgments, convention) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("ties", "unjudged", "scored_as"),
    [
        ("optimistic", "zero", [[0], [3], [1], [2], [None], [None]]),
        ("optimistic", "condensed", [[0], [3], [1], [2]]),
        ("average", "condensed", [[0], [1, 3], [2]]),
        ("average", "zero", [[0], [1, 3], [None, 2, None]]),
    ],
)
def test_each_group_of_equal_scores_is_put_in_order_or_averaged_by_itself(
    ties: Ties, unjudged: Unjudged, scored_as: list[list[int | None]]
) -> None:
    """Two queries alike, so that groups of one do not run into those of the next."""
    docnos, scores, grades = list("abcdef"), [3.0, 2.0, 2.0, 1.0, 1.0, 1.0], [0, 1, 3, None, 2, None]
    judgments = {docno: grade for docno, grade in zip(docnos, grades, strict=True) if grade is not None}
    gain, weight, rank = 0.0, [1 / math.log2(rank + 1) for rank in range(1, 7)], 0
    for group in scored_as:
        share = sum(weight[rank : rank + len(group)]) / len(group)
        gain += sum(grade or 0 for grade in group) * share
        rank += len(group)
    convention = Convention(measure="DCG", k=6, gain="linear", ties=ties, unjudged=unjudged)
    run: Run = {"1": (docnos, scores), "2": (docnos, scores), "3": (["x"], [1.0])}
    found = score_run(run, {"1": judgments, "2": judgments, "3": {"y": 1}}, convention)
    assert found.per_query == {"1": pytest.approx(gain), "2": pytest.approx(gain), "3": 0.0}


def test_the_mean_over_perfect_ties_is_never_rounded_above_1() -> None:
    """Thrice 3 times the mean of three discounts is a hair more than 3 times their sum."""
    convention = Convention(k=None, gain="linear", ties="average")
    assert score_query(list("abc"), [1.0] * 3, {"a": 3, "b": 3, "c": 3}, convention) == 1.0


# A query, and a run


@pytest.mark.parametrize("measure", ["nDCG", "DCG", "recall", "precision", "RR", "AP", "hit"])
def test_a_query_without_a_relevant_judgment_is_left_out_or_0(measure: Measure) -> None:
    docnos, scores, judgments = ranked([0, -1, None])
    excluded = Convention(measure=measure, k=10, gain="linear")
    assert score_query(docnos, scores, judgments, excluded) == Undefined(
        "no relevant document was judged for this query"
    )
    zero = Convention(measure=measure, k=10, gain="linear", no_relevant="zero")
    assert score_query(docnos, scores, judgments, zero) == 0.0


def test_a_grade_below_the_threshold_has_gain_and_is_not_relevant() -> None:
    convention = Convention(k=10, gain="linear", threshold=2)
    assert value([1], convention) == 1.0
    assert isinstance(score_query(*ranked([1]), convention.at("recall", 10)), Undefined)


def two_queries() -> tuple[Run, Qrels]:
    run: Run = {"1": (["b"], [2.0]), "9": (["x"], [1.0])}
    qrels: Qrels = {"1": {"b": 2}, "2": {"a": 1}, "3": {"a": 0}, "4": {}}
    return run, qrels


def test_a_run_counts_what_is_missing_without_relevant_short_and_unjudged() -> None:
    found = score_run(*two_queries(), LINEAR)
    assert found.per_query == {
        "1": 1.0,
        "2": 0.0,
        "3": Undefined("no relevant document was judged for this query"),
    }
    assert (found.mean, found.queries) == (0.5, 2)
    assert (found.missing, found.no_relevant, found.short, found.unjudged) == (2, 1, 1, 1)


def test_a_query_that_is_missing_and_without_a_relevant_judgment_is_counted_as_both() -> None:
    run, qrels = two_queries()
    found = score_run(run, qrels | {"1": {"b": 0}, "5": {"a": 2}}, LINEAR)
    assert (found.missing, found.no_relevant, found.both) == (3, 2, 1)
    assert score_run(run | {"2": run["1"], "3": run["1"]}, qrels, LINEAR).both == 0


def test_a_ranking_is_short_below_the_cut_off_and_never_where_there_is_none() -> None:
    run: Run = {"1": (["b"], [2.0]), "2": ([], []), "3": (["a", "b"], [2.0, 1.0])}
    qrels: Qrels = {qid: {"a": 1, "b": 2} for qid in "1234"}
    assert score_run(run, qrels, LINEAR.at("nDCG", 1)).short == 1
    assert score_run(run, qrels, LINEAR.at("nDCG", 2)).short == 2
    assert score_run(run, qrels, LINEAR.at("nDCG", None)).short == 0


def test_queries_without_a_relevant_judgment_count_as_0_among_hundreds() -> None:
    qrels: Qrels = {str(at): {"a": at % 2, "b": 1 - at % 2 if at % 4 else 0} for at in range(400)}
    run: Run = {qid: (["a", "b"], [2.0, 1.0]) for qid in qrels}
    found = score_run(run, qrels, Convention(k=10, gain="linear", no_relevant="zero")).per_query
    assert {value for qid, value in found.items() if int(qid) % 4 == 0} == {0.0}
    assert {value for qid, value in found.items() if int(qid) % 4 in (1, 3)} == {1.0}


def test_leaving_out_the_missing_query_raises_the_mean() -> None:
    found = score_run(*two_queries(), Convention(k=10, gain="linear", missing="exclude"))
    assert found.per_query["2"] == Undefined("the run does not hold this query")
    assert (found.mean, found.queries, found.missing) == (1.0, 1, 2)


def test_a_query_answered_with_an_empty_list_is_not_missing_and_is_0() -> None:
    run, qrels = two_queries()
    found = score_run(run | {"2": ([], [])}, qrels, Convention(k=10, gain="linear", missing="exclude"))
    assert (found.per_query["2"], found.mean, found.missing) == (0.0, 0.5, 1)


def test_a_run_whose_queries_all_have_no_value_has_no_mean() -> None:
    found = score_run({"3": (["a"], [1.0])}, {"3": {"a": 0}}, LINEAR)
    assert found.mean == Undefined("no query has a value under this convention")
    assert found.queries == 0


def test_a_missing_query_is_not_judged_to_be_unjudged() -> None:
    run, qrels = two_queries()
    found = score_run(run, qrels, LINEAR.at("judged", 10))
    assert (found.mean, found.queries, found.no_relevant) == (1.0, 1, 1)


def test_qrels_without_a_judgment_are_a_named_error() -> None:
    nothing: list[Qrels] = [{}, {"1": {}}]
    for qrels in nothing:
        with pytest.raises(MeasureError, match="hold no judgment"):
            score_run({"1": (["a"], [1.0])}, qrels, LINEAR)


def test_a_document_that_stands_twice_is_refused_with_its_query() -> None:
    with pytest.raises(MeasureError, match="Query 1: Document a stands in the ranking twice"):
        score_run({"1": (["a", "b", "a"], [3.0, 2.0, 1.0])}, {"1": {"a": 1}}, LINEAR)


def test_a_grade_beyond_the_gain_table_is_refused_with_its_query_and_document() -> None:
    with pytest.raises(MeasureError, match="Query 7: Document b: Grade 9 is not in the gain table"):
        score_run({"7": (["a"], [3.0])}, {"7": {"a": 1, "b": 9}}, Convention(k=10, gain=(0, 1, 3, 7)))


@pytest.mark.parametrize("grade", [float("nan"), float("inf")])
def test_a_grade_that_is_no_finite_number_is_refused_with_its_query_and_document(grade: float) -> None:
    with pytest.raises(MeasureError, match=f"Query 7: Document b: Grade {grade} is not a finite number"):
        score_run({"7": (["a"], [3.0])}, {"7": {"a": 1, "b": grade}}, LINEAR)


# By hand


def test_by_hand_every_rank_has_its_grade_gain_discount_and_contribution() -> None:
    docnos, scores, judgments = ranked([2, None, 3])
    by_hand = explain(docnos, scores, judgments, Convention(k=2, gain="exponential"))
    assert [(row.rank, row.docno, row.grade, row.gain) for row in by_hand.rows] == [
        (1, "d001", 2, 3.0),
        (2, "d002", None, 0.0),
        (3, "d003", 3, 7.0),
    ]
    assert [row.discount for row in by_hand.rows] == [1.0, 1 / math.log2(3), 0.0]
    assert [row.contribution for row in by_hand.rows] == [3.0, 0.0, 0.0]
    assert [(row.docno, row.contribution) for row in by_hand.ideal] == [
        ("d003", 7.0),
        ("d001", 3.0 * (1 / math.log2(3))),
    ]


@given(LISTS, st.sampled_from(["docno", "position", "average", "optimistic"]), st.sampled_from(["judged", "returned"]))
def test_the_rows_by_hand_add_up_to_the_score(
    documents: list[tuple[int | None, float]], ties: Ties, ideal: str
) -> None:
    docnos = [f"d{at}" for at in range(len(documents))]
    judgments: dict[str, float] = {f"d{at}": grade for at, (grade, _) in enumerate(documents) if grade is not None}
    scores = [score for _, score in documents]
    convention = Convention(k=4, gain="exponential", ties=ties, ideal=ideal)  # type: ignore[arg-type]
    by_hand = explain(docnos, scores, judgments, convention)
    assert by_hand.total == pytest.approx(math.fsum(row.contribution for row in by_hand.rows))
    if by_hand.divisor > 0:
        assert by_hand.value == pytest.approx(by_hand.total / by_hand.divisor, abs=1e-12)


@given(
    LISTS,
    st.builds(
        lambda measure, k, **choices: Convention(
            measure=measure, k=None if measure == "bpref" else k, gain="exponential", discount=Geometric(0.8), **choices
        ),
        measure=st.sampled_from(["nDCG", "DCG", "RBP", "recall", "precision", "judged", "RR", "AP", "hit", "bpref"]),
        k=st.integers(1, 6),
        ties=st.sampled_from(["docno", "docno32", "position", "optimistic"]),
        unjudged=st.sampled_from(["zero", "condensed"]),
        threshold=st.integers(0, 3),
    ),
)
def test_every_measure_by_hand_is_the_sum_of_its_rows_over_its_divisor(
    documents: list[tuple[int | None, float]], convention: Convention
) -> None:
    docnos = [f"d{at}" for at in range(len(documents))]
    judgments: dict[str, float] = {f"d{at}": grade for at, (grade, _) in enumerate(documents) if grade is not None}
    by_hand = explain(docnos, [score for _, score in documents], judgments, convention)
    assert [row.rank for row in by_hand.rows] == list(range(1, len(by_hand.rows) + 1))
    assert all(row.contribution == row.gain * row.discount for row in by_hand.rows)
    if not isinstance(by_hand.value, Undefined) and by_hand.divisor > 0:
        assert by_hand.value == pytest.approx(by_hand.total / by_hand.divisor, abs=1e-12)


def test_the_ideal_by_hand_is_of_all_that_was_judged_or_of_what_was_returned() -> None:
    """Equal grades fall by the bytes of their ids: ED 95 9C, E9, 7A."""
    docnos, scores, judgments = ["d1", "d2", "d3"], [3.0, 2.0, 1.0], {"d1": 1, "z": 2, "\udce9": 2, "한": 2, "d3": 3}
    by_hand = explain(docnos, scores, judgments, Convention(k=3, gain="linear", discount="reciprocal"))
    assert by_hand.ideal == (
        Row(1, "d3", 3, 3.0, 1.0, 3.0),
        Row(2, "한", 2, 2.0, 1 / 2, 1.0),
        Row(3, "\udce9", 2, 2.0, 1 / 3, 2 / 3),
        Row(4, "z", 2, 2.0, 0.0, 0.0),
        Row(5, "d1", 1, 1.0, 0.0, 0.0),
    )
    returned = Convention(k=3, gain="linear", discount="reciprocal", ideal="returned")
    assert [(row.docno, row.grade) for row in explain(docnos, scores, judgments, returned).ideal] == [
        ("d3", 3),
        ("d1", 1),
    ]


@pytest.mark.parametrize(("ties", "first"), [("position", "a"), ("docno", "b"), ("docno32", "b")])
def test_by_hand_the_rows_stand_as_the_rule_for_ties_puts_them(ties: Ties, first: str) -> None:
    scores = [1.00000001, 1.0] if ties == "docno32" else [1.0, 1.0]
    by_hand = explain(["a", "b"], scores, {"a": 1}, Convention(k=None, gain="linear", ties=ties))
    assert [(row.rank, row.docno, row.gain) for row in by_hand.rows] == [
        (1, first, float(first == "a")),
        (2, "ba"[first == "b"], float(first == "b")),
    ]


def test_by_hand_a_document_that_ties_with_none_has_exactly_the_discount_of_its_rank() -> None:
    convention = Convention(measure="DCG", k=None, gain="linear", ties="average")
    rows = explain([f"d{at:02}" for at in range(40)], [99.0, 99.0, *range(38, 0, -1)], {"d00": 1}, convention).rows
    assert [row.discount for row in rows[2:]] == [1 / math.log2(rank + 1) for rank in range(3, 41)]


def test_by_hand_average_precision_shows_the_precision_at_each_relevant_document() -> None:
    by_hand = explain(*ranked([1, 0, 2]), Convention(measure="AP", k=None, gain="linear"))
    assert [(row.gain, row.discount) for row in by_hand.rows] == [(1, 1), (0, 1 / 2), (1, 2 / 3)]
    assert (by_hand.divisor, by_hand.ideal) == (2, ())


def test_scores_may_come_as_an_array() -> None:
    docnos, scores, judgments = ranked([1, 3, 0, 2])
    assert score_query(docnos, np.array(scores), judgments, LINEAR) == score_query(docnos, scores, judgments, LINEAR)
