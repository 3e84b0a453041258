"""Our preset `trec` against the outputs that trec_eval's own test suite expects, and against the expected figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.measures import Undefined
from app.measures.conventions import Convention, Measure
from app.measures.presets import PRESETS
from app.measures.scores import RunScores, score_run
from tests.measures.lists import read_qrels, read_run

TREC = PRESETS["trec"].convention
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES: dict[str, tuple[Measure, int | None]] = {
    "map": ("AP", None),
    "recip_rank": ("RR", None),
    "ndcg": ("nDCG", None),
    **{f"ndcg_cut_{k}": ("nDCG", k) for k in CUTS},
    **{f"recall_{k}": ("recall", k) for k in CUTS},
    **{f"P_{k}": ("precision", k) for k in CUTS},
    **{f"map_cut_{k}": ("AP", k) for k in CUTS},
    **{f"success_{k}": ("hit", k) for k in (1, 5, 10)},
}


def official(path: Path) -> dict[tuple[str, str], float]:
    """(Measure, query) → figure, of the measures that are ours."""
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(name, qid): float(value) for name, qid, value in lines if name in NAMES}


def value(scores: RunScores, qid: str) -> float:
    found = scores.mean if qid == "all" else scores.per_query[qid]
    assert not isinstance(found, Undefined)
    return found


@pytest.mark.parametrize(
    ("qrels", "run", "output", "threshold"),
    [
        ("qrels.test", "results.test", "out.test.aq", 1),
        ("qrels.test.with-comments", "results.test", "out.test.aq", 1),
        ("qrels.test", "results.trunc", "out.test.aqc", 1),
        ("qrels.rel_level", "results.test", "out.test.aql", 2),
        ("qrels.comment.test", "results.comment.test", "out.comment.test", 1),
    ],
)
def test_trec_eval_s_own_outputs_come_out(shared_data: Path, qrels: str, run: str, output: str, threshold: int) -> None:
    """With -c, as the preset has it; the last run's queries are all there, so that it makes no difference."""
    folder = shared_data / "trec_eval-official"
    expected = official(folder / output)
    rankings, judgments = read_run(folder / run), read_qrels(folder / qrels)
    assert len(expected) > 5
    for name, (measure, k) in NAMES.items():
        convention = Convention(measure=measure, k=k, gain="linear", no_relevant="zero", threshold=threshold)
        assert convention == TREC.at(measure, k) or threshold != 1
        scores = score_run(rankings, judgments, convention)
        for (printed, qid), figure in expected.items():
            if printed == name:
                assert value(scores, qid) == pytest.approx(figure, abs=5.001e-5), (name, qid)


def expected_figures() -> list[tuple[str, str]]:
    return [
        *(("liveqa-med", f"lqa-{name}.run") for name in ("bm25", "tfidf", "lsa", "qld", "minilm")),
        ("trec_eval-official", "results.test"),
        ("trec_eval-official rel_level", "results.test"),
        ("trec_eval-official rag24", "results.comment.test"),
    ]


@pytest.mark.parametrize(("name", "file"), expected_figures())
def test_real_runs_have_their_expected_figures(shared_data: Path, name: str, file: str) -> None:
    part: dict[str, Any] = json.loads((shared_data / "expected" / "ndcg.json").read_text(encoding="utf-8"))[name]
    figures = part["runs"][file]
    folder = shared_data / name.split(maxsplit=1)[0]
    run = read_run(folder / "runs" / file if (folder / "runs").is_dir() else folder / file)
    qrels = read_qrels(shared_data / part["qrels"])
    scores = score_run(run, qrels, TREC)
    exponential = Convention(k=10, gain="exponential", no_relevant="zero")
    judged = score_run(run, qrels, TREC.at("judged", 10))
    assert value(scores, "all") == pytest.approx(figures["ndcg_cut_10_mean_over_qrels(trec_eval -c)"], abs=5.001e-5)
    assert value(score_run(run, qrels, exponential), "all") == pytest.approx(
        figures["ndcg10_exponential_gain_mean_over_scored"], abs=5.001e-5
    )
    assert value(score_run(run, qrels, TREC.at("AP", None)), "all") == pytest.approx(figures["map"], abs=5.001e-5)
    assert value(judged, "all") == pytest.approx(figures["judged_share_of_top10"], abs=5.001e-5)
    for qid, figure in figures["per_topic_ndcg_cut_10_first5"].items():
        assert value(scores, qid) == pytest.approx(figure, abs=5.001e-7)
