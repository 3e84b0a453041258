"""Scores of real runs, through the API, against what the field's own program says of the same files."""

import json
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from app.releases.manifest import read_manifest
from tests.agreement.judged import chorus, fira
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


# The whole way on real double judgments


def judge_chorus(story: Story, shared_data: Path) -> None:
    """Raters 1 and 2 on the first forty queries; where they differ, what rater 3 gave decides."""
    said = chorus(shared_data)
    story.judge(said)
    third = {(qid, docno): level for qid, docno, _, level in chorus(shared_data, raters=[3])}
    levels: dict[tuple[str, str], set[object]] = {}
    for qid, docno, _, level in said:
        levels.setdefault((qid, docno), set()).add(level)
    for pair in (pair for pair, given in levels.items() if len(given) > 1):
        level = third[pair]
        assert isinstance(level, int)
        story.decide(*pair, level)


def test_a_release_of_chorus_scores_as_pytrec_eval_scores_its_qrels(
    cast: Cast, shared_data: Path, tmp_path: Path
) -> None:
    story = Story(cast, gain="linear")
    judge_chorus(story, shared_data)
    release = story.freeze("Chorus")
    manifest = read_manifest(release)
    assert manifest["gate"]["kappa"] == pytest.approx(0.695255, abs=5e-7)
    assert manifest["gate"]["low"] == pytest.approx(0.551190, abs=5e-7)
    assert manifest["gate"]["high"] == pytest.approx(0.839319, abs=5e-7)
    assert manifest["counts"]["sources"] == {"agreed": 754, "adjudicated": 217}
    assert manifest["counts"]["left_out"] == {}
    exported = story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/qrels")
    qrels = tmp_path / "chorus.qrels"
    qrels.write_bytes(exported.content)
    runs = {path.stem: path for path in sorted((shared_data / "chorus-products" / "runs").iterdir())}
    for name, path in runs.items():
        story.run(path, name)
    for run in scores(story, preset="pytrec_eval", per_query="1")["runs"]:
        theirs = of_pytrec_eval(qrels, runs[run["name"]])
        ours = run["measures"]["nDCG@10"]["per_query"]
        counted = {qid: each["value"] for qid, each in ours.items() if each["value"] is not None}
        assert counted == pytest.approx({qid: each["ndcg_cut_10"] for qid, each in theirs.items()}, abs=1e-12)
        assert len(counted) == len(theirs)


def test_fira_fails_the_gate_stays_shut_and_leaves_only_ungated(cast: Cast, shared_data: Path) -> None:
    story = Story(cast)
    story.judge(fira(shared_data), kind="imported")
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    for address in (f"{home}/qrels", f"{home}/scores"):
        error = script.get(address).json()["error"]
        assert error["status"] == 409
        assert error["details"]["conditions"] == ["gate", "labellers"]
        assert error["details"]["failing"][0]["sentence"].startswith("Failed: linear weighted kappa is .080")
    release = story.freeze(waiver_reason="To show what a failed gate looks like.")
    manifest = read_manifest(release)
    assert manifest["gate"]["kappa"] == pytest.approx(0.080197, abs=5e-7)
    assert (manifest["gate"]["pairs"], manifest["gate"]["queries"]) == (2003, 43)
    assert (manifest["gated"], manifest["waived"]) == (False, ["gate", "labellers"])
    assert manifest["counts"]["sources"] == {"imported": 852}
    assert manifest["counts"]["left_out"] == {"the labellers differ and nobody has decided": 1151}
    assert "ungated" in script.get(f"{home}/qrels").headers["content-disposition"]
