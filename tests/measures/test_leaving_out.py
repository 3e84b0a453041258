from pathlib import Path

import pytest

from app.measures import Undefined
from app.measures.conventions import Convention
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
    assert LeftOutRun("a", 3, value, without, rank, rank_without).is_flagged is flagged


def test_equal_means_share_the_better_rank() -> None:
    runs = {"a": {"q": listed("x")}, "b": {"q": listed("x")}, "c": {"q": listed("y")}}
    assert [one.rank for one in leave_each_out(runs, {"q": {"x": 1, "y": 0}}, 5, LINEAR)] == [1, 1, 3]


def test_a_run_that_brought_everything_has_no_score_without_itself_and_is_flagged() -> None:
    found = leave_each_out({"a": {"q": listed("x")}, "b": {"q": listed("y")}}, {"q": {"x": 1}}, 5, LINEAR)
    assert found[0].without == found[0].change == found[0].rank_without == Undefined("no judgment is left")
    assert found[0].is_flagged
    assert not found[1].is_flagged


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
