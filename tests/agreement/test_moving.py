"""Does it move the verdict? Changes between two labellers' grades, and never a score."""

from pathlib import Path

import pytest

from app.formats.runs import read_rankings
from app.measures.conventions import Convention
from app.measures.scores import score_run
from app.measures.undefined import Undefined
from tests.agreement.judged import Said, chorus
from tests.agreement.test_pages import Told, person_of
from tests.make import Cast

DATA_RUNS = ("chorus-bm25", "chorus-minilm")


def two_runs(told: Told, queries: int) -> None:
    told.cast.run(told.project, "xy", {f"q{at}": ["x", "y"] for at in range(queries)})
    told.cast.run(told.project, "yx", {f"q{at}": ["y", "x"] for at in range(queries)})


def graded(queries: int, ana: tuple[int, int], ben: tuple[int, int]) -> list[Said]:
    """Levels of x and y by each, the same for every query."""
    return [
        (f"q{query}", docno, name, level)
        for query in range(queries)
        for name, levels in (("ana", ana), ("ben", ben))
        for docno, level in zip("xy", levels, strict=True)
    ]


@pytest.mark.parametrize(
    ("ana", "ben", "light", "sentence"),
    [
        ((3, 1), (1, 3), "red", "The verdict turns. On 1 pair of runs ana and ben find the other one better."),
        ((3, 1), (2, 2), "amber", "The verdict depends on who judges. On 1 pair of runs only one of ana and ben"),
        (
            (3, 1),
            (2, 1),
            "none",
            "The verdict holds. Whoever of ana and ben judges, of every two runs the same is said.",
        ),
    ],
)
def test_whether_the_verdict_on_two_runs_turns_with_the_labeller(
    cast: Cast, ana: tuple[int, int], ben: tuple[int, int], light: str, sentence: str
) -> None:
    told = Told.make(cast, graded(20, ana, ben))
    two_runs(told, 20)
    page = told.look("/agreement/runs")
    assert sentence in page
    script = cast.script(person_of(cast, told.project), told.project)
    found = script.get(f"/api/v1{told.home}/agreement/runs").json()
    assert found["verdicts"] == [{"first": "xy", "second": "yx", "light": light}]
    assert (found["labellers"], found["queries"], found["left_out"]) == (["ana", "ben"], 20, 0)
    assert [run["recall"] for run in found["runs"]] == [0.0, 0.0]


def test_real_runs_change_as_scoring_them_twice_says_and_no_score_is_told(cast: Cast, shared_data: Path) -> None:
    said = chorus(shared_data)
    told = Told.make(cast, said)
    for name in DATA_RUNS:
        with (shared_data / "chorus-products" / "runs" / f"{name}.run").open("rb") as file:
            told.cast.run(told.project, name, {ranking.qid: ranking.docnos for ranking in read_rankings(file, name)})
    script = cast.script(person_of(cast, told.project), told.project)
    answer = script.get(f"/api/v1{told.home}/agreement/runs")
    found = answer.json()
    convention = Convention(k=10, gain="exponential", threshold=1)
    for run, name in zip(found["runs"], DATA_RUNS, strict=True):
        before, after = (scores_of(shared_data, said, name, rater, convention) for rater in ("rater 1", "rater 2"))
        for one in run["largest"]:
            assert one["change"] == pytest.approx(after[one["qid"]] - before[one["qid"]], abs=1e-9)
        for scores in (before, after):
            assert f"{sum(scores.values()) / len(scores):.4f}" not in answer.text


def scores_of(data: Path, said: list[Said], name: str, rater: str, convention: Convention) -> dict[str, float]:
    """nDCG by qid, of a run as it stands in its file in order."""
    qrels: dict[str, dict[str, float]] = {}
    for qid, docno, who, level in said:
        if who == rater and isinstance(level, int):
            qrels.setdefault(qid, {})[docno] = level
    with (data / "chorus-products" / "runs" / f"{name}.run").open("rb") as file:
        held = {
            each.qid: (each.docnos, [float(-at) for at in range(len(each.docnos))])
            for each in read_rankings(file, name)
        }
    values = score_run(held, qrels, convention).per_query
    return {qid: value for qid, value in values.items() if not isinstance(value, Undefined)}


def test_without_runs_the_page_says_what_comes_first(cast: Cast) -> None:
    told = Told.make(cast, graded(3, (3, 1), (1, 3)))
    assert "There is no run to hold the grades against." in told.look("/agreement/runs")
    script = cast.script(person_of(cast, told.project), told.project)
    assert script.get(f"/api/v1{told.home}/agreement/runs").status_code == 409


def test_each_couple_has_its_own_and_one_that_is_not_there_is_not_found(cast: Cast) -> None:
    said = [*graded(20, (3, 1), (1, 3)), *((f"q{query}", docno, "cleo", 2) for query in range(20) for docno in "xy")]
    told = Told.make(cast, said)
    two_runs(told, 20)
    assert "ana and cleo" in told.look("/agreement/runs")
    assert "only one of ana and cleo finds a difference" in told.look("/agreement/runs?couple=1")
    assert told.lead.get(f"{told.home}/agreement/runs?couple=3").status_code == 404
