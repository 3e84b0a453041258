"""What a score would be, had the unjudged been judged; and how far one grade moves it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.measures import MeasureError, Undefined, trials
from app.measures import scenarios as module
from app.measures.conventions import Convention, Gain, Geometric
from app.measures.scenarios import Scenarios, scenarios, scenarios_of_run
from app.measures.scores import score_query, score_run
from app.measures.sensitivity import Regrading, sensitivity
from app.measures.weighing import WeightedMean, left_out_share, weigh
from tests.measures.lists import ranked

LEVELS = (0, 1, 2, 3)
LINEAR = Convention(k=10, gain="linear")
GRADES = st.lists(st.sampled_from([0, 1, 3, None]), min_size=1, max_size=6)
CONVENTIONS = st.builds(
    lambda measure, k, **choices: Convention(
        measure=measure, k=None if measure == "bpref" else k, discount=Geometric(0.7), **choices
    ),
    measure=st.sampled_from(["nDCG", "DCG", "RBP", "recall", "precision", "AP", "RR", "hit", "bpref"]),
    k=st.integers(1, 5),
    gain=st.sampled_from(["linear", "exponential"]),
    ties=st.sampled_from(["docno", "optimistic"]),
    no_relevant=st.sampled_from(["zero", "exclude"]),
    threshold=st.integers(1, 2),
)


def every_value(grades: Sequence[int | None], convention: Convention, missed: Sequence[int]) -> list[float]:
    """By hand: each grading of the unjudged documents within the cut-off, scored as if it had been so."""
    docnos, scores, judgments = ranked(grades)
    judgments |= {f"missed{at}": grade for at, grade in enumerate(missed)}
    unjudged = [docno for docno in docnos[: convention.k] if docno not in judgments]
    values = (
        score_query(docnos, scores, judgments | dict(zip(unjudged, tried, strict=True)), convention)
        for tried in product(LEVELS, repeat=len(unjudged))
    )
    return [value for value in values if not isinstance(value, Undefined)]


@given(GRADES, CONVENTIONS, st.lists(st.sampled_from([1, 3]), max_size=2))
@settings(max_examples=60)
def test_the_extremes_are_those_of_every_grading_tried_by_hand(
    grades: list[int | None], convention: Convention, missed: list[int]
) -> None:
    docnos, scores, judgments = ranked(grades)
    judgments |= {f"missed{at}": grade for at, grade in enumerate(missed)}
    found = scenarios(docnos, scores, judgments, convention, levels=LEVELS)
    values = every_value(grades, convention, missed)
    if not values:
        assert isinstance(found.lowest, Undefined)
        return
    assert (found.lowest, found.highest) == pytest.approx((min(values), max(values)), abs=1e-12)
    assert found.unjudged == sum(grade is None for grade in grades[: convention.k])


def test_the_extremes_of_two_lists_are_the_least_and_the_greatest_of_all_that_can_be() -> None:
    """A few of what is tried at length above, for whoever has no time for it."""
    for grades, missed, k in (([None, 1, None, 3, None], [2], 5), ([None, None, 2, None], [3, 1], 3)):
        docnos, scores, judgments = ranked(grades)
        judgments |= {f"missed{at}": grade for at, grade in enumerate(missed)}
        convention = Convention(k=k, gain="exponential")
        found = scenarios(docnos, scores, judgments, convention, levels=LEVELS)
        values = every_value(grades, convention, missed)
        assert (found.lowest, found.highest) == pytest.approx((min(values), max(values)), abs=1e-12)
        assert found.unjudged == sum(grade is None for grade in grades[:k])


def test_the_lowest_grades_every_unjudged_document_with_the_lowest_level_at_least() -> None:
    dcg = Convention(measure="DCG", k=2, gain="linear", discount="reciprocal")
    found = scenarios(*ranked([None, None]), dcg, levels=(1, 2))
    assert (found.lowest, found.highest) == (1 + 1 / 2, 2 + 2 / 2)


def test_all_worthless_and_all_perfect_are_no_bounds_of_ndcg() -> None:
    """One perfect document at the bottom is worse than none; and the second best on top of a perfect one beats both."""
    convention = Convention(k=5, gain="exponential")
    low = scenarios(*ranked([1, None, None]), convention, levels=LEVELS)
    assert (low.all_lowest, low.all_highest, low.lowest) == pytest.approx((1.0, 0.748248, 0.589705), abs=5e-7)
    high = scenarios(*ranked([None, 1, None, 3, None]), convention, levels=LEVELS)
    assert (high.all_lowest, high.all_highest, high.highest) == pytest.approx((0.47775, 0.92005, 0.92364), abs=5e-6)


def test_where_there_are_too_many_gradings_the_search_finds_what_trying_all_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for grades in (
        [None, 1, None, 3, None, None, 0, None, 2, None],
        [None] * 6 + [2, 1],
        [3, None, None, None, 0, None],
    ):
        docnos, scores, judgments = ranked(grades)
        monkeypatch.setattr(module, "MOST_TRIED", 5000)
        every = scenarios(docnos, scores, judgments, LINEAR, levels=LEVELS)
        monkeypatch.setattr(module, "MOST_TRIED", 1)
        found = scenarios(docnos, scores, judgments, LINEAR, levels=LEVELS)
        assert found.lowest == pytest.approx(every.lowest, abs=1e-12)
        assert found.highest == pytest.approx(every.highest, abs=1e-12)


def test_the_search_finds_the_highest_of_lists_that_miss_documents_too(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    for number in range(30):
        grades = [None if random.random() < 0.6 else int(random.integers(0, 4)) for _ in range(random.integers(3, 8))]
        docnos, scores, judgments = ranked(grades)
        judgments |= {f"missed{at}": int(random.integers(1, 4)) for at in range(random.integers(0, 4))}
        gain: Gain = "linear" if number % 2 else "exponential"
        convention = Convention(k=int(random.integers(1, len(grades) + 1)), gain=gain, no_relevant="zero")
        monkeypatch.setattr(module, "MOST_TRIED", 5000)
        every = scenarios(docnos, scores, judgments, convention, levels=LEVELS)
        monkeypatch.setattr(module, "MOST_TRIED", 1)
        found = scenarios(docnos, scores, judgments, convention, levels=LEVELS)
        assert (found.lowest, found.highest) == pytest.approx((every.lowest, every.highest), abs=1e-12)


def test_two_documents_of_four_levels_have_ten_multisets_of_grades_and_all_are_tried() -> None:
    assert module._ways(LEVELS, 2) == len(module._falling(LEVELS, 2)) == 10
    assert module._ways((0, 1), 0) == len(module._falling((0, 1), 0)) == 1
    assert module._falling((0, 1), 2).tolist() == [[1, 1], [1, 0], [0, 0]]


def test_where_the_multisets_are_too_many_every_two_levels_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TRIED", 10)
    assert module._falling(LEVELS, 2).dtype.name == "float64"
    assert len(module._falling(LEVELS, 2)) == 10
    monkeypatch.setattr(module, "MOST_TRIED", 2)
    assert module._falling((0, 1), 2).tolist() == [[0, 0], [1, 0], [1, 1]]
    assert len(module._falling(LEVELS, 2)) == 6 * 3
    above = replace(LINEAR, measure="recall", threshold=5)
    found = scenarios(*ranked([None, None]), above, levels=(0, 1, 2))
    assert found.highest == Undefined("no judging of these documents gives the query a value")


def test_falling_grades_are_made_of_how_many_documents_reach_each_level() -> None:
    found = module._laddered(np.array([[2, 1], [3, 0], [0, 0]]), np.array([0.0, 1.0, 3.0]), 3)
    assert found.tolist() == [[3, 1, 0], [1, 1, 1], [0, 0, 0]]


def test_a_hundred_unjudged_documents_are_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MOST_GRADES", 2000)
    docnos, scores, judgments = ranked([None] * 100 + [3, 2])
    found = scenarios(docnos, scores, judgments, Convention(k=100, gain="exponential"), levels=LEVELS)
    assert found.unjudged == 100
    assert found.all_lowest == 0.0
    assert found.lowest == 0.0
    assert found.highest == pytest.approx(1.0, abs=0.02)


def test_a_query_that_no_judging_gives_a_value_has_no_extremes() -> None:
    found = scenarios(*ranked([0]), LINEAR, levels=LEVELS)
    assert found.lowest == found.highest == Undefined("no judging of these documents gives the query a value")
    assert isinstance(found.all_lowest, Undefined)


def test_the_scenarios_of_a_run_are_means_over_its_queries() -> None:
    first, second = ranked([3, None]), ranked([None, 2])
    run = {"1": first[:2], "2": second[:2], "9": first[:2]}
    qrels = {"1": first[2], "2": second[2], "3": {"a": 1.0}, "4": {}}
    found = scenarios_of_run(run, qrels, LINEAR, levels=LEVELS)
    each = [scenarios(*one, LINEAR, levels=LEVELS) for one in (first, second)]
    assert found.unjudged == 2
    held = scenarios_of_run(run, qrels, replace(LINEAR, missing="exclude"), levels=LEVELS)
    for name in ("all_lowest", "all_highest", "lowest", "highest"):
        total = sum(getattr(one, name) for one in each)
        assert getattr(found, name) == pytest.approx(total / 3, abs=1e-12), "0 for a query that is not in it"
        assert getattr(held, name) == pytest.approx(total / 2, abs=1e-12)
    assert scenarios_of_run({}, qrels, LINEAR, levels=LEVELS) == Scenarios(0.0, 0.0, 0.0, 0.0, 0)
    none = Undefined("no query has a value")
    nothing = scenarios_of_run({}, qrels, replace(LINEAR, missing="exclude"), levels=LEVELS)
    assert nothing == Scenarios(none, none, none, none, 0)


def test_a_query_that_some_gradings_leave_out_is_in_a_mean_only_where_it_makes_it_more_extreme() -> None:
    """Against every grading of every query at once."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        run, qrels = {}, {}
        for at in range(3):
            grades = [None if rng.random() < 0.4 else float(rng.choice([0, 0, 1, 3])) for _ in range(3)]
            if all(grade is None for grade in grades):
                grades[0] = 0.0
            docnos, scores, qrels[str(at)] = ranked(grades)
            run[str(at)] = (docnos, scores)
        open_ = [(qid, docno) for qid, (docnos, _) in run.items() for docno in docnos if docno not in qrels[qid]]
        means = []
        for graded in product((0.0, 2.0), repeat=len(open_)):
            tried = {qid: dict(judgments) for qid, judgments in qrels.items()}
            for (qid, docno), grade in zip(open_, graded, strict=True):
                tried[qid][docno] = grade
            means.append(score_run(run, tried, LINEAR).mean)
        known = [mean for mean in means if not isinstance(mean, Undefined)]
        found = scenarios_of_run(run, qrels, LINEAR, levels=(0, 2))
        if not known:
            assert isinstance(found.lowest, Undefined)
            continue
        assert (found.lowest, found.highest) == pytest.approx((min(known), max(known)), abs=1e-12)


@pytest.mark.parametrize(
    ("convention", "levels", "said"),
    [
        (LINEAR.at("judged", 10), LEVELS, "judged does not read grades"),
        (LINEAR, (1,), "two or more, in rising order"),
        (LINEAR, (0, 2, 1), "two or more, in rising order"),
        (LINEAR, (-1, 0, 2), "levels from 0 on"),
        (Convention(k=10, gain=(0, 1)), LEVELS, "Grade 2 is not in the gain table"),
    ],
)
def test_what_can_not_be_tried_is_refused(convention: Convention, levels: tuple[int, ...], said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        scenarios(*ranked([1, None]), convention, levels=levels)
    with pytest.raises(MeasureError, match=said):
        sensitivity(*ranked([1, None]), convention, levels=levels)


@given(GRADES, CONVENTIONS)
@settings(max_examples=60)
def test_the_regrading_that_moves_most_is_the_one_found_by_hand(
    grades: list[int | None], convention: Convention
) -> None:
    docnos, scores, judgments = ranked(grades)
    now = score_query(docnos, scores, judgments, convention)
    found = sensitivity(docnos, scores, judgments, convention, levels=LEVELS)
    if isinstance(now, Undefined):
        assert found == now
        return
    changes = []
    for docno in [docno for docno in docnos if docno in judgments or docno in docnos[: convention.k]]:
        for level in LEVELS:
            then = score_query(docnos, scores, judgments | {docno: level}, convention)
            changes.append(0.0 if isinstance(then, Undefined) else then - now)
    assert isinstance(found, Regrading)
    assert abs(found.change) == pytest.approx(max(map(abs, changes)), abs=1e-12)
    regraded: Any = score_query(docnos, scores, judgments | {found.docno: found.regraded}, convention)
    assert regraded - now == pytest.approx(found.change, abs=1e-12)
    assert found.grade == judgments.get(found.docno)


@pytest.mark.parametrize(
    ("judgments", "found"),
    [
        ({"a": 1, "b": 1}, Regrading("a", 1, 3.0, 2.0)),
        ({"a": 3, "b": 1}, Regrading("a", 3, 0.0, -3.0)),
        ({"b": 1}, Regrading("a", None, 3.0, 3.0)),
    ],
)
def test_the_regrading_that_moves_dcg_most_is_of_the_first_document(
    judgments: dict[str, float], found: Regrading
) -> None:
    dcg = Convention(measure="DCG", k=2, gain="linear")
    assert sensitivity(["a", "b", "c"], [3.0, 2.0, 1.0], judgments, dcg, levels=LEVELS) == found


def test_a_regraded_document_counts_at_the_mean_of_the_ranks_that_it_shares() -> None:
    averaged = Convention(measure="DCG", k=2, gain="linear", ties="average")
    found = sensitivity(["a", "b"], [1.0, 1.0], {"a": 1}, averaged, levels=(0, 3))
    assert found == Regrading("b", None, 3.0, pytest.approx(3 * (1 + 1 / math.log2(3)) / 2))  # type: ignore[arg-type]


def test_a_regraded_document_is_named_by_its_place_under_the_rule_for_ties_and_takes_half_levels() -> None:
    for ties, first in (("position", "a"), ("docno", "b")):
        dcg = Convention(measure="DCG", k=2, gain="linear", ties=ties)  # type: ignore[arg-type]
        assert sensitivity(["a", "b"], [1.0, 1.0], {"z": 1}, dcg, levels=(0, 3)) == Regrading(first, None, 3.0, 3.0)
    dcg = Convention(measure="DCG", k=1, gain="linear")
    assert sensitivity(["a"], [1.0], {"a": 1}, dcg, levels=(1, 2.5)) == Regrading("a", 1, 2.5, 1.5)


def test_levels_that_the_gain_does_not_know_may_be_tried_where_no_gain_is_read() -> None:
    recall = Convention(measure="recall", k=1, gain=(0, 1))
    assert sensitivity(["a"], [1.0], {"a": 1, "b": 1}, recall, levels=LEVELS) == Regrading("a", 1, 0.0, -0.5)


def test_no_grading_has_no_value() -> None:
    tried = trials.Trials(["a"], [1.0], {"a": 1}, LINEAR, LEVELS)
    assert tried.values(np.empty((0, 1))).shape == (0,)
    assert tried.values(np.array([[2.0], [0.0]])).tolist()[0] == 1.0


def scored() -> Any:
    return score_run(
        {"1": (["b"], [2.0]), "2": (["a"], [1.0]), "3": (["a"], [1.0])},
        {"1": {"b": 2}, "2": {"a": 1, "c": 1}, "3": {"a": 0}},
        LINEAR,
    )


def test_a_weighted_mean_counts_each_query_by_its_weight_and_names_the_weights() -> None:
    found = weigh(scored(), {"1": 3, "2": 1, "3": 5, "9": 7}, name="traffic of October")
    second = scored().per_query["2"]
    assert found == WeightedMean(pytest.approx((3 + second) / 4, abs=1e-12), "traffic of October", 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [2.0**1020, 2.0**-1070])
def test_weights_are_shares_whatever_their_size(size: float) -> None:
    """And whatever the weight of a query that was not scored."""
    weights = {"1": 3 * size, "2": size, "3": 5 * size, "9": 1e308}
    assert weigh(scored(), weights, name="w") == weigh(scored(), {"1": 3, "2": 1, "3": 5}, name="w")
    second = scored().per_query["2"]
    two_thirds = weigh(scored(), {"1": 4 * size, "2": 2 * size, "3": 0}, name="w").mean
    assert two_thirds == pytest.approx((2 + second) / 3, abs=1e-12)


@pytest.mark.parametrize("size", [1.0, 2.0**1020, 2.0**-1070])
def test_how_much_of_the_weight_is_left_out_is_of_the_judged_queries(size: float) -> None:
    assert left_out_share(scored(), {"1": 3 * size, "2": size, "3": 4 * size, "9": 1e308}) == 0.5
    assert left_out_share(scored(), {"1": 3 * size, "2": size, "3": size}) == 0.2
    assert left_out_share(scored(), {"1": 3 * size, "2": size, "3": 0}) == 0.0
    assert left_out_share(scored(), {"1": 0, "2": 0, "3": 0}) == Undefined("no judged query has a weight")


def test_a_weighted_mean_of_nothing_is_undefined() -> None:
    nothing = replace(scored(), per_query={"3": Undefined("no relevant document was judged for this query")})
    assert weigh(nothing, {"3": 5}, name="w") == WeightedMean(Undefined("no query with a weight has a value"), "w", 0)


def test_a_weighted_mean_without_weight_is_undefined() -> None:
    found = weigh(scored(), {"1": 0, "2": 0, "3": 1}, name="none")
    assert found == WeightedMean(Undefined("no query with a weight has a value"), "none", 2)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"1": 1.0}, "The weights w name no weight for query 2: 0 leaves a query out"),
        ({"1": -1.0, "2": 1.0, "3": 1.0}, "give query 1 -1.0"),
        ({"1": float("nan"), "2": 1.0, "3": 1.0}, "a weight is 0 or more"),
    ],
)
def test_a_weight_that_is_missing_or_none_is_refused(weights: dict[str, float], said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        weigh(scored(), weights, name="w")
