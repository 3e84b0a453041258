"""Scores of real runs, through the API, against what the field's own program says of the same files."""

import json
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from tests.make import Cast
from tests.releases.story import Story


def scores(story: Story, **asked: str) -> dict[str, Any]:
    answer = story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/scores", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def of_pytrec_eval(qrels: Path, run: Path) -> dict[str, dict[str, float]]:
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"ndcg_cut.10", "recall.100"})
    with run.open() as file:
        found: dict[str, dict[str, float]] = evaluator.evaluate(pytrec_eval.parse_run(file))
    return found


def means(answer: dict[str, Any], measure: str = "nDCG@10") -> dict[str, float]:
    return {run["name"]: run["measures"][measure]["mean"]["value"] for run in answer["runs"]}


@pytest.fixture(
    params=[("liveqa-med/qrels.txt", "liveqa-med/runs"), ("chorus-ratings/qrels.final.txt", "chorus-products/runs")],
    ids=["liveqa-med", "chorus"],
)
def judged(request: pytest.FixtureRequest, cast: Cast, shared_data: Path) -> tuple[Story, Path, dict[str, Path]]:
    """A story with reference qrels and runs; the file of the qrels; the files of the runs by name."""
    qrels, folder = (shared_data / part for part in request.param)
    story = Story(cast)
    story.reference(qrels.read_bytes())
    runs = {path.stem: path for path in sorted(folder.iterdir())}
    for name, path in runs.items():
        story.run(path, name)
    return story, qrels, runs


def test_every_query_is_as_pytrec_eval_says(judged: tuple[Story, Path, dict[str, Path]]) -> None:
    story, qrels, runs = judged
    answer = scores(story, preset="pytrec_eval", per_query="1")
    assert {run["name"] for run in answer["runs"]} == set(runs)
    for run in answer["runs"]:
        theirs = of_pytrec_eval(qrels, runs[run["name"]])
        for measure, key in (("nDCG@10", "ndcg_cut_10"), ("recall@100", "recall_100")):
            ours = run["measures"][measure]["per_query"]
            counted = {qid: each["value"] for qid, each in ours.items() if each["value"] is not None}
            assert counted == pytest.approx({qid: each[key] for qid, each in theirs.items()}, abs=1e-12)
            mean = sum(each[key] for each in theirs.values()) / len(theirs)
            assert run["measures"][measure]["mean"]["value"] == pytest.approx(mean, abs=1e-12)
            assert run["measures"][measure]["queries"] == len(theirs)
        by_query = run["measures"]["nDCG@10"]["per_query"].values()
        missing = [each["undefined"] for each in by_query if each["value"] is None]
        assert missing == ["the run does not hold this query"] * run["measures"]["nDCG@10"]["missing"]


def test_liveqa_means_are_the_published_ones(cast: Cast, shared_data: Path) -> None:
    story = Story(cast, gain="exponential")
    folder = shared_data / "liveqa-med"
    story.reference((folder / "qrels.txt").read_bytes())
    expected = json.loads((shared_data / "expected" / "ndcg.json").read_text())["liveqa-med"]["runs"]
    for name in expected:
        story.run(folder / "runs" / name, name)
    trec, own = scores(story, preset="trec", per_query="1"), scores(story, preset="project")
    for run in trec["runs"]:
        theirs = expected[run["name"]]
        ndcg = run["measures"]["nDCG@10"]
        assert ndcg["mean"]["value"] == pytest.approx(theirs["ndcg_cut_10_mean_over_qrels(trec_eval -c)"], abs=5e-5)
        assert ndcg["queries"] == 86
        first = {qid: ndcg["per_query"][qid]["value"] for qid in theirs["per_topic_ndcg_cut_10_first5"]}
        assert first == pytest.approx(theirs["per_topic_ndcg_cut_10_first5"], abs=5e-7)
    for run in own["runs"]:
        counted = run["measures"]["nDCG@10"]
        total = counted["mean"]["value"] * counted["queries"]
        exponential = expected[run["name"]]["ndcg10_exponential_gain_mean_over_scored"]
        assert total / 86 == pytest.approx(exponential, abs=5e-5)


def test_the_two_presets_rank_chorus_runs_differently(cast: Cast, shared_data: Path) -> None:
    story = Story(cast, gain="linear")
    story.reference((shared_data / "chorus-ratings" / "qrels.final.txt").read_bytes())
    for path in sorted((shared_data / "chorus-products" / "runs").iterdir()):
        story.run(path, path.stem.removeprefix("chorus-"))
    scored, everywhere = scores(story, preset="pytrec_eval"), scores(story, preset="trec")
    assert means(scored) == pytest.approx({"bm25": 0.5244, "tfidf": 0.4954, "lsa": 0.3792, "minilm": 0.4199}, abs=5e-5)
    assert means(everywhere) == pytest.approx(
        {"bm25": 0.4584, "tfidf": 0.4330, "lsa": 0.3792, "minilm": 0.4199}, abs=5e-5
    )
    (bm25,) = (run for run in everywhere["runs"] if run["name"] == "bm25")
    assert (bm25["measures"]["nDCG@10"]["missing"], bm25["measures"]["nDCG@10"]["no_relevant"]) == (17, 19)
    assert "mean runs over every judged query" in everywhere["statement"]
    assert "both judged and in the run" in scored["statement"]
