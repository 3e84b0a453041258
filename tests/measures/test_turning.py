from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from app.measures import turning
from app.measures.comparing import Comparison, Scored, compare, compare_all
from app.measures.conventions import Convention, Geometric
from app.measures.judged import Judgments
from app.measures.matching import Ranking, match_lists
from app.measures.scores import judge, score, score_run
from app.measures.turning import Turn, others, turns

EXPONENTIAL = Convention(k=10, gain="exponential")


def listed(*docnos: str) -> tuple[tuple[str, ...], list[float]]:
    return docnos, [float(-at) for at in range(len(docnos))]


def turned(
    first: Mapping[str, Ranking],
    second: Mapping[str, Ranking],
    qrels: Mapping[str, Judgments],
    asked: Convention,
    resamples: int = 10,
) -> tuple[Turn, ...]:
    judged = judge(qrels)
    runs = {name: match_lists(judged, run, asked.ties) for name, run in (("first", first), ("second", second))}
    (found,) = turns(runs, asked, lambda scored: compare(scored[0], scored[1:], resamples=resamples))
    return found


def test_graded_shares_turn_where_one_perfect_document_matters_most() -> None:
    """judged [3,2,2,2], A = [3,0,0,0], B = [0,2,2,2]: linear puts B first, exponential A."""
    qrels = {"q": {"top": 3, "x": 2, "y": 2, "z": 2, "o": 0}}
    a, b = {"q": listed("top", "o")}, {"q": listed("o", "x", "y", "z")}
    found = turned(a, b, qrels, EXPONENTIAL)
    under = {turn.convention.line: turn for turn in found}
    assert found[0].comparison.difference.mean < 0
    assert not found[0].is_turned
    linear = under[replace(EXPONENTIAL, gain="linear").line]
    assert (linear.is_turned, linear.turned_queries) == (True, 1)
    assert linear.comparison.difference.mean > 0
    assert {(turn.comparison.first, turn.comparison.second) for turn in found} == {("first", "second")}


def test_an_impatient_reader_turns_equal_gains() -> None:
    """judged [1,1,1,1], A = [1,0,0,0], B = [0,1,1,1]: p = .5 puts A first, log2 and reciprocal B."""
    qrels = {"q": {"w": 1, "x": 1, "y": 1, "z": 1}}
    a, b = {"q": listed("w", "o")}, {"q": listed("o", "x", "y", "z")}
    impatient = Convention(k=10, gain="linear", discount=Geometric(0.5))
    found = turned(a, b, qrels, impatient)
    assert found[0].comparison.difference.mean < 0
    by_discount = {turn.convention.discount: turn.is_turned for turn in found if turn.convention.unjudged == "zero"}
    assert by_discount == {Geometric(0.5): False, "log2": True, "reciprocal": True, Geometric(0.85): True}


def test_the_convention_asked_about_comes_first_and_gives_what_compare_gives() -> None:
    qrels = {f"q{at}": {"a": at % 4, "b": 1, "c": 2} for at in range(20)}
    first = {qid: listed("a", "b", "c") for qid in qrels}
    second = {qid: listed("c", "b", "a") for qid in reversed(qrels)}
    scored = [
        Scored(name, "x", "y", score_run(run, qrels, EXPONENTIAL).per_query)
        for name, run in (("a", first), ("b", second))
    ]
    (compared,) = compare(scored[0], scored[1:])
    assert turned(first, second, qrels, EXPONENTIAL, resamples=10_000)[0].comparison.difference == compared.difference


def test_a_query_that_the_convention_asked_about_leaves_out_has_not_turned() -> None:
    """A grade of 1 is worth nothing in the table, so that r has a value under the other gains only."""
    qrels = {"q": {"a": 2, "b": 0}, "r": {"a": 1, "b": 0}}
    first, second = ({qid: listed(*docnos) for qid in qrels} for docnos in ("ab", "ba"))
    found = turned(first, second, qrels, replace(EXPONENTIAL, gain=(0, 0, 1)))
    assert {turn.comparison.difference.queries for turn in found} == {1, 2}
    assert [turn.turned_queries for turn in found] == [0] * len(found)
    found = turned(second, first, qrels, replace(EXPONENTIAL, gain=(0, 0, 1)))
    assert [turn.turned_queries for turn in found] == [0] * len(found)


@pytest.mark.parametrize("is_all_pairs", [False, True])
def test_p_is_adjusted_under_each_convention_as_under_the_one_that_was_asked_about(is_all_pairs: bool) -> None:
    judged = judge({f"q{at}": {"a": at % 4, "b": 1, "c": at % 3} for at in range(20)})
    runs = {
        name: match_lists(judged, {qid: listed(*docnos) for qid in judged.qids}, "docno")
        for name, docnos in (("one", "abc"), ("two", "bac"), ("three", "cba"))
    }

    def compared(scored: Sequence[Scored]) -> tuple[Comparison, ...]:
        return compare_all(scored, resamples=99) if is_all_pairs else compare(scored[0], scored[1:], resamples=99)

    found = turns(runs, EXPONENTIAL, compared)
    assert len(found) == (3 if is_all_pairs else 2)
    for place, convention in enumerate(others(EXPONENTIAL)):
        alone = compared([Scored(name, "", "", score(run, convention).per_query) for name, run in runs.items()])
        assert [own[place].comparison.p for own in found] == [one.p for one in alone]
    assert any(turn.comparison.p != turn.comparison.difference.p for own in found for turn in own)


def test_a_query_turns_only_where_one_run_is_better_under_both_and_not_by_rounding() -> None:
    assert turning._is_turned(0.1, -0.1)
    assert turning._is_turned(-2e-12, 0.1)
    assert not turning._is_turned(0.1, 0.2)
    assert not turning._is_turned(-0.1, -0.2)
    assert not turning._is_turned(-1e-12, 0.1)
    assert not turning._is_turned(0.1, -1e-12)


def test_each_other_choice_is_tried_once_in_this_order() -> None:
    assert [(each.gain, each.discount, each.unjudged) for each in others(Convention(k=10, gain="linear"))] == [
        ("linear", "log2", "zero"),
        ("linear", "reciprocal", "zero"),
        ("linear", Geometric(0.85), "zero"),
        ("exponential", "log2", "zero"),
        ("exponential", "reciprocal", "zero"),
        ("exponential", Geometric(0.85), "zero"),
        ("linear", "log2", "condensed"),
    ]
    assert len(others(Convention(measure="DCG", k=10, gain="linear"))) == 7


def test_a_measure_that_reads_neither_gain_nor_discount_is_only_tried_without_the_unjudged() -> None:
    recall = EXPONENTIAL.at("recall", 100)
    assert others(recall) == [recall, replace(recall, unjudged="condensed")]
    assert len(others(EXPONENTIAL)) == 7
    assert others(replace(EXPONENTIAL, unjudged="condensed"))[-1].unjudged == "zero"
    assert len(set(others(replace(EXPONENTIAL, gain=(0, 1, 3))))) == 10


def test_a_query_without_a_value_under_a_convention_is_in_neither_count() -> None:
    qrels = {"q": {"a": 2}, "none": {"a": 0}}
    found = turned({"q": listed("a")}, {"q": listed("b", "a")}, qrels, EXPONENTIAL)
    assert all(turn.comparison.difference.queries == 1 for turn in found)
    assert found[-1].comparison.difference.mean == pytest.approx(0.0)
