from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from app.measures import MeasureError, Undefined
from app.measures.conventions import Convention
from app.measures.matching import Ranking
from app.measures.paired import difference
from app.measures.scores import score_run
from app.measures.second_leg import Light, SecondLeg, Verdicts, second_leg

EXPONENTIAL = Convention(k=10, gain="exponential")


def listed(*docnos: str) -> Ranking:
    return docnos, [float(-at) for at in range(len(docnos))]


def everywhere(queries: int, ranking: Ranking) -> dict[str, Ranking]:
    return {f"q{at}": ranking for at in range(queries)}


def two_runs(queries: int) -> Mapping[str, Mapping[str, Ranking]]:
    return {"xy": everywhere(queries, listed("x", "y")), "yx": everywhere(queries, listed("y", "x"))}


def grades(queries: int, x: int, y: int) -> dict[str, dict[str, float]]:
    return {f"q{at}": {"x": x, "y": y} for at in range(queries)}


def light_of(found: SecondLeg) -> Light:
    (only,) = found.verdicts
    return only.light


def test_regrading_two_of_five_relevant_documents_moves_ndcg_by_237_and_recall_by_nothing() -> None:
    docnos = [f"d{rank:02}" for rank in range(1, 11)]
    levels = [1, 3, 0, 2, 0, 0, 2, 0, 0, 1]
    judged = dict(zip(docnos, levels, strict=True))
    found = second_leg(
        {"run": {"q": listed(*docnos)}}, {"q": judged}, {"q": judged | {"d01": 3, "d02": 2}}, EXPONENTIAL
    )
    (moves,) = found.moves
    assert dict(moves.changes) == pytest.approx({"q": 0.950480 - 0.713414}, abs=5e-6)
    assert moves.recall == (1.0, 1.0)
    assert found.verdicts == ()


def test_where_each_labeller_finds_the_other_run_better_the_light_is_red() -> None:
    assert light_of(second_leg(two_runs(20), grades(20, 3, 1), grades(20, 1, 3), EXPONENTIAL)) == "red"


def test_where_both_find_the_same_run_better_there_is_no_light() -> None:
    assert light_of(second_leg(two_runs(20), grades(20, 3, 1), grades(20, 2, 1), EXPONENTIAL)) == "none"


def test_where_only_one_finds_a_difference_the_light_is_amber_either_way_round() -> None:
    clear, level = grades(20, 3, 1), grades(20, 2, 2)
    assert light_of(second_leg(two_runs(20), clear, level, EXPONENTIAL)) == "amber"
    assert light_of(second_leg(two_runs(20), level, clear, EXPONENTIAL)) == "amber"


def test_differences_that_may_be_chance_light_nothing_though_their_signs_differ() -> None:
    """Four queries have no p under .05 whatever they say."""
    found = second_leg(two_runs(4), grades(4, 3, 1), grades(4, 1, 3), EXPONENTIAL)
    (only,) = found.verdicts
    assert (only.light, only.under_first.mean < 0 < only.under_second.mean) == ("none", True)
    assert (only.first, only.second, only.under_first.p) == ("xy", "yx", 2 / 16)


def test_the_moves_of_a_run_are_told_by_query_and_as_a_distribution() -> None:
    first = {f"q{at}": {"x": 1.0, "y": 2.0} for at in range(5)}
    second = first | {"q3": {"x": 3.0, "y": 0.0}, "q1": {"x": 1.0, "y": 1.0}}
    (moves,) = second_leg({"xy": everywhere(5, listed("x", "y"))}, first, second, EXPONENTIAL).moves
    changes = dict(moves.changes)
    assert sorted(abs(change) for _, change in moves.changes)[::-1] == [abs(change) for _, change in moves.changes]
    assert {qid for qid, change in moves.changes if change} == {"q1", "q3"}
    assert (moves.least, moves.greatest) == (0.0, max(changes.values()))
    assert moves.quartiles == pytest.approx(tuple(np.quantile(list(changes.values()), [0.25, 0.5, 0.75])))
    assert changes["q3"] == pytest.approx(1 - (1 + 3 / 1.5849625007211562) / (3 + 1 / 1.5849625007211562))


def test_a_query_that_one_labeller_finds_nothing_relevant_for_is_left_out_and_named() -> None:
    found = second_leg(two_runs(3), grades(3, 2, 1), grades(3, 2, 1) | {"q1": {"x": 0.0, "y": 0.0}}, EXPONENTIAL)
    assert (found.queries, found.left_out) == (("q0", "q2"), ("q1",))
    with pytest.raises(MeasureError, match="No query has a value"):
        second_leg(two_runs(1), grades(1, 2, 1), grades(1, 0, 0), EXPONENTIAL)


def test_recall_is_undefined_where_nothing_reaches_the_threshold() -> None:
    strict = Convention(k=10, gain="exponential", threshold=3)
    (moves,) = second_leg({"xy": everywhere(2, listed("x", "y"))}, grades(2, 2, 1), grades(2, 3, 1), strict).moves
    assert moves.recall == (Undefined("no query has a value under both labellers' grades"),) * 2


def test_recall_under_each_is_over_the_same_queries() -> None:
    """Only one finds anything at the threshold for q1, whose list holds none of it."""
    runs = {"xy": {"q0": listed("x", "y"), "q1": listed("y")}}
    first = {"q0": {"x": 2.0, "y": 2.0, "z": 2.0}, "q1": {"x": 1.0, "y": 1.0}}
    second = {"q0": {"x": 2.0, "y": 1.0, "z": 2.0}, "q1": {"x": 2.0, "y": 1.0}}
    (moves,) = second_leg(runs, first, second, Convention(k=10, gain="linear", threshold=2)).moves
    assert moves.recall == (2 / 3, 1 / 2)


def test_recall_under_each_is_the_mean_over_the_queries() -> None:
    runs = {"xy": {"q0": listed("x", "y"), "q1": listed("x")}}
    first = {"q0": {"x": 2.0, "y": 2.0, "z": 2.0}, "q1": {"x": 2.0, "y": 0.0}}
    second = {"q0": {"x": 2.0, "y": 1.0, "z": 2.0}, "q1": {"x": 2.0, "y": 2.0}}
    (moves,) = second_leg(runs, first, second, Convention(k=10, gain="linear", threshold=2)).moves
    assert moves.recall == pytest.approx(((2 / 3 + 1) / 2, (1 / 2 + 1 / 2) / 2))


def test_recall_is_within_the_cut_off_that_was_asked() -> None:
    first = {"q0": {"x": 2.0, "y": 2.0}}
    (moves,) = second_leg({"xy": {"q0": listed("x", "y")}}, first, first, Convention(k=1, gain="linear")).moves
    assert moves.recall == (0.5, 0.5)


def test_grades_of_other_pairs_are_refused() -> None:
    with pytest.raises(MeasureError, match="not of the same pairs"):
        second_leg(two_runs(2), grades(2, 2, 1), grades(3, 2, 1), EXPONENTIAL)


def test_the_choices_and_both_labellers_grades_reach_each_verdict() -> None:
    rng = np.random.default_rng(1)
    first, second = (
        {f"q{at:02}": {"x": float(rng.integers(0, 4)), "y": float(rng.integers(1, 4))} for at in range(40)}
        for _ in range(2)
    )
    runs = {docnos: {qid: listed(*docnos) for qid in first} for docnos in ("xy", "yx")}
    found = second_leg(runs, first, second, EXPONENTIAL, resamples=70, seed=4)
    under = [
        {name: score_run(run, own, EXPONENTIAL).per_query for name, run in runs.items()} for own in (first, second)
    ]
    by_hand = [
        difference([side["yx"][qid] - side["xy"][qid] for qid in first], resamples=70, seed=4)  # type: ignore[operator]
        for side in under
    ]
    assert [found.verdicts[0].under_first, found.verdicts[0].under_second] == by_hand
    assert [moves.run for moves in found.moves] == ["xy", "yx"]
    for moves in found.moves:
        changes = {qid: under[1][moves.run][qid] - under[0][moves.run][qid] for qid in first}  # type: ignore[operator]
        assert dict(moves.changes) == changes
        assert (moves.least, moves.greatest) == (min(changes.values()), max(changes.values()))
    chosen = second_leg(runs, first, second, EXPONENTIAL).verdicts[0].under_first
    assert (chosen.resamples, chosen.seed) == (10_000, 0)


def test_a_p_of_exactly_5_percent_is_significant() -> None:
    one = replace(difference([0.1, 0.2]), p=0.05)
    assert Verdicts("a", "b", one, replace(one, mean=-0.1)).light == "red"
    assert Verdicts("a", "b", one, one).light == "none"
    assert Verdicts("a", "b", one, replace(one, p=0.0500001)).light == "amber"


def test_one_seed_gives_one_answer() -> None:
    rng = np.random.default_rng(1)
    first = {f"q{at}": {"x": float(rng.integers(0, 4)), "y": float(rng.integers(1, 4))} for at in range(60)}
    second = {f"q{at}": {"x": float(rng.integers(0, 4)), "y": float(rng.integers(1, 4))} for at in range(60)}
    found = [second_leg(two_runs(60), first, second, EXPONENTIAL, seed=3).verdicts[0] for _ in range(2)]
    assert found[0].under_first == found[1].under_first
    assert not found[0].under_first.is_exact
