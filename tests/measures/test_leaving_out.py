from dataclasses import replace
from pathlib import Path

import pytest

from app.measures import Undefined
from app.measures.conventions import Convention, Geometric, NoRelevant
from app.measures.leaving_out import LeftOutRun, leave_each_out
from app.measures.matching import Ranking
from app.measures.scores import score_run
from tests.measures.lists import read_run

LINEAR = Convention(k=10, gain="linear")


def listed(*docnos: str) -> Ranking:
    return docnos, [float(-at) for at in range(len(docnos))]


def test_a_run_loses_the_judgments_that_it_alone_brought_and_no_others() -> None:
    runs = {"a": {"q": listed("own", "both")}, "b": {"q": listed("both", "other")}, "c": {"q": listed("both")}}
    qrels = {"q": {"own": 3, "both": 1, "other": 1, "elsewhere": 2}}
    found = {one.run: one for one in leave_each_out(runs, qrels, 2, LINEAR)}
    assert {name: one.lost for name, one in found.items()} == {"a": 1, "b": 1, "c": 0}
    left = {"q": {"both": 1, "other": 1, "elsewhere": 2}}
    assert found["a"].value == score_run(runs["a"], qrels, LINEAR).mean
    assert found["a"].without == score_run(runs["a"], left, LINEAR).mean
    assert (found["a"].rank, found["a"].rank_without, found["a"].is_flagged) == (1, 3, True)
    assert (found["c"].change, found["c"].is_flagged) == (0.0, False)


def test_below_the_depth_nothing_was_pooled_and_nothing_is_lost() -> None:
    runs = {"a": {"q": listed("both", "deep")}, "b": {"q": listed("both")}}
    assert [one.lost for one in leave_each_out(runs, {"q": {"both": 1, "deep": 3}}, 1, LINEAR)] == [0, 0]


def test_the_top_is_by_score_and_not_by_place_in_the_file() -> None:
    runs: dict[str, dict[str, Ranking]] = {
        "a": {"q": (("late", "early"), [1.0, 2.0])},
        "b": {"q": listed("x")},
    }
    found = leave_each_out(runs, {"q": {"late": 1, "early": 1, "x": 1}}, 1, LINEAR)
    assert [one.lost for one in found] == [1, 1]
    assert found[0].without == pytest.approx(1 / (1 + 1 / 1.5849625007211562) / 1.5849625007211562, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "without", "rank", "rank_without", "flagged"),
    [
        (0.500, 0.4801, 1, 1, False),
        (0.500, 0.4799, 1, 1, True),
        (0.500, 0.5201, 1, 1, True),
        (0.500, 0.499, 2, 3, False),
        (0.500, 0.499, 2, 4, True),
        (0.500, 0.499, 4, 2, True),
    ],
)
def test_a_change_over_02_or_of_two_ranks_is_flagged(
    value: float, without: float, rank: int, rank_without: int, flagged: bool
) -> None:
    assert LeftOutRun("a", 3, value, without, rank, rank_without, 9, 0).is_flagged is flagged


def test_equal_means_share_the_better_rank() -> None:
    runs = {"a": {"q": listed("x")}, "b": {"q": listed("x")}, "c": {"q": listed("y")}}
    assert [one.rank for one in leave_each_out(runs, {"q": {"x": 1, "y": 0}}, 5, LINEAR)] == [1, 1, 3]


def test_a_run_that_brought_everything_scores_nothing_without_itself_and_is_flagged() -> None:
    found = leave_each_out({"a": {"q": listed("x")}, "b": {"q": listed("y")}}, {"q": {"x": 1}}, 5, LINEAR)
    assert found[0] == LeftOutRun("a", 1, 1.0, 0.0, 1, 1, queries=1, emptied=1)
    assert found[0].is_flagged
    assert (found[1].queries, found[1].emptied, found[1].is_flagged) == (1, 0, False)


@pytest.mark.parametrize("no_relevant", ["exclude", "zero"])
@pytest.mark.parametrize("grade", [0, None])
def test_a_query_that_loses_its_last_relevant_judgment_stays_in_the_mean_as_0(
    no_relevant: NoRelevant, grade: int | None
) -> None:
    """The query lost may keep a judgment that is not relevant, or none at all."""
    asked = replace(LINEAR, no_relevant=no_relevant)
    runs = {"a": {"q": listed("x"), "r": listed("own")}, "b": {"q": listed("x")}}
    judged = {"q": {"x": 1.0}, "r": {"own": 2.0} | ({} if grade is None else {"z": grade})}
    found = leave_each_out(runs, judged, 5, asked)
    assert found[0] == LeftOutRun("a", 1, 1.0, 0.5, 1, 1, queries=2, emptied=1)
    assert found[0].is_flagged
    assert found[1] == LeftOutRun("b", 0, 0.5, 0.5, 2, 2, queries=2, emptied=0)


def test_what_has_no_value_as_it_is_has_none_without_the_run_and_counts_as_no_query() -> None:
    runs = {"a": {"q": listed("x"), "r": listed("own")}, "b": {"q": listed("x")}}
    found = leave_each_out(runs, {"q": {"x": 1.0}, "r": {"own": 0}}, 5, LINEAR)
    assert found[0] == LeftOutRun("a", 1, 1.0, 1.0, 1, 1, queries=1, emptied=0)
    leaving_missing_out = replace(LINEAR, missing="exclude")
    found = leave_each_out(runs, {"q": {"x": 1.0}, "r": {"own": 1}}, 5, leaving_missing_out)
    assert [(one.queries, one.emptied) for one in found] == [(2, 1), (1, 0)]


def test_what_is_left_open_without_any_judgment_is_not_0() -> None:
    residual = Convention(measure="RBP-residual", k=None, gain=(0, 1), discount=Geometric(0.5))
    runs = {"a": {"q": listed("x"), "r": listed("own")}, "b": {"q": listed("x")}}
    found = leave_each_out(runs, {"q": {"x": 1.0}, "r": {"own": 1}}, 5, residual)
    assert (found[0].value, found[0].without, found[0].emptied) == (0.5, 0.75, 1)


def test_a_run_without_a_judged_query_has_no_value_with_itself_or_without() -> None:
    runs = {"a": {"q": listed("x")}, "b": {"elsewhere": listed("x")}}
    nowhere = Undefined("the run holds no query that was judged")
    found = leave_each_out(runs, {"q": {"x": 1}, "empty": {}}, 5, LINEAR)
    assert found[1] == LeftOutRun("b", 0, nowhere, nowhere, nowhere, nowhere, queries=0, emptied=0)
    assert leave_each_out(runs, {"q": {}}, 5, LINEAR)[0].value == nowhere


def test_without_a_relevant_judgment_there_is_no_score_to_change() -> None:
    found = leave_each_out({"a": {"q": listed("x")}, "b": {"q": listed("x")}}, {"q": {"x": 0}}, 5, LINEAR)
    assert found[0].change == Undefined("no query has a value under this convention")
    assert found[0].rank == found[0].change
    assert found[0].is_flagged


def test_the_one_neural_run_of_five_is_the_one_that_the_judged_set_leans_on(shared_data: Path) -> None:
    folder = shared_data / "liveqa-med"
    runs = {path.stem: read_run(path) for path in sorted((folder / "runs").glob("*.run"))}
    qrels: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.txt").read_text("utf-8").splitlines():
        qid, _, docno, grade = line.split()
        qrels.setdefault(qid, {})[docno] = float(grade)
    trec = Convention(k=10, gain="linear", no_relevant="zero")
    found = leave_each_out(runs, qrels, 5, trec)
    assert [one.run for one in found if one.is_flagged] == ["lqa-minilm"]
    assert {one.run: one.value for one in found}["lqa-minilm"] == pytest.approx(0.3727, abs=5e-5)
    of_relevant = {one.run: one for one in leave_each_out(runs, qrels, 5, LINEAR)}
    lsa, tfidf = of_relevant["lqa-lsa"], of_relevant["lqa-tfidf"]
    assert (lsa.queries, lsa.emptied) == (60, 1)
    assert lsa.change == pytest.approx(-0.025444, abs=5e-7)
    assert tfidf.change == pytest.approx(-0.008141, abs=5e-7)
