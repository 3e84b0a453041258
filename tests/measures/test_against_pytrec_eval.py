"""Our preset `pytrec_eval` against pytrec_eval itself, on anything that hypothesis can think of and on real runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from app.measures import MeasureError, Undefined
from app.measures.conventions import Convention, Measure
from app.measures.presets import PRESETS
from app.measures.scores import score_run
from tests.measures.lists import Run, read_run

PRESET = PRESETS["pytrec_eval"].convention
MEASURES: dict[str, tuple[Measure, int | None]] = {
    "ndcg_cut_10": ("nDCG", 10),
    "ndcg_cut_3": ("nDCG", 3),
    "ndcg": ("nDCG", None),
    "recall_3": ("recall", 3),
    "recall_1000": ("recall", 1000),
    "P_3": ("precision", 3),
    "map": ("AP", None),
    "map_cut_3": ("AP", 3),
    "recip_rank": ("RR", None),
    "success_3": ("hit", 3),
    "bpref": ("bpref", None),
}
ASKED = {"ndcg_cut.3,10", "ndcg", "recall.3,1000", "P.3", "map", "map_cut.3", "recip_rank", "success.3", "bpref"}

IDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=3)
SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, 1.00000001, 1.000001, 2.0**24, 2.0**24 + 1, -1.5]),
    st.floats(-1e30, 1e30, allow_nan=False),
)
# It never returns from a query whose judgments are all negative: one of each query's is not.
JUDGMENTS = st.tuples(
    st.dictionaries(IDS, st.integers(-2, 4), max_size=10),
    st.dictionaries(IDS, st.integers(0, 4), min_size=1, max_size=3),
).map(lambda parts: parts[0] | parts[1])
QRELS = st.dictionaries(IDS, JUDGMENTS, min_size=1, max_size=4)


@st.composite
def runs_and_qrels(draw: st.DrawFn) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Rankings that hold judged and unjudged documents, for judged queries and others."""
    qrels = draw(QRELS)
    run = {}
    for qid in draw(st.lists(st.sampled_from(sorted(qrels)) | IDS, min_size=1, max_size=5, unique=True)):
        known = st.sampled_from(sorted(qrels[qid])) if qid in qrels else IDS
        run[qid] = draw(st.dictionaries(known | IDS, SCORES, min_size=1, max_size=12))
    return run, qrels


def assert_equal(
    run: dict[str, dict[str, float]], qrels: Mapping[str, Mapping[str, int]], *, threshold: int = 1
) -> None:
    evaluator: Any = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=threshold)
    theirs = evaluator.evaluate(run)
    ours: Run = {qid: (list(ranking), list(ranking.values())) for qid, ranking in run.items()}
    for name, (measure, k) in MEASURES.items():
        convention = Convention(
            measure=measure,
            k=k,
            gain="linear",
            ties="docno32",
            no_relevant="zero",
            missing="exclude",
            threshold=threshold,
        )
        assert convention == PRESET.at(measure, k) or threshold != 1
        if not theirs:
            with pytest.raises(MeasureError, match="no query in common"):
                score_run(ours, qrels, convention)
            continue
        found = score_run(ours, qrels, convention)
        per_query = {qid: value for qid, value in found.per_query.items() if not isinstance(value, Undefined)}
        assert per_query == pytest.approx({qid: numbers[name] for qid, numbers in theirs.items()}, abs=1e-12), name


@given(runs_and_qrels(), st.integers(1, 3))
def test_every_query_scores_as_pytrec_eval_has_it(
    lists: tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]], threshold: int
) -> None:
    assert_equal(*lists, threshold=threshold)


def test_a_query_whose_judgments_are_all_negative_has_no_relevant_document() -> None:
    """Which is not asked of the library: it may never come back."""
    found = score_run({"1": (["a"], [1.0])}, {"1": {"a": -1, "b": -2}}, PRESET)
    assert (found.mean, found.no_relevant) == (0.0, 1)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "lsa", "minilm"])
def test_real_product_runs_score_as_pytrec_eval_has_them(shared_data: Path, name: str) -> None:
    run = read_run(shared_data / "chorus-products" / "runs" / f"chorus-{name}.run")
    assert_equal({qid: dict(zip(*ranking, strict=True)) for qid, ranking in run.items()}, product_qrels(shared_data))


@pytest.mark.parametrize(
    ("name", "over_scored", "over_all"),
    [
        ("bm25", 0.5244, 0.4584),
        ("tfidf", 0.4954, 0.4330),
        ("lsa", 0.3792, 0.3792),
        ("minilm", 0.4199, 0.4199),
    ],
)
def test_the_two_presets_rank_the_product_runs_differently(
    shared_data: Path, name: str, over_scored: float, over_all: float
) -> None:
    """bm25 and tfidf find nothing for 17 of 135 queries: one preset leaves these out, the other counts them as 0."""
    run = read_run(shared_data / "chorus-products" / "runs" / f"chorus-{name}.run")
    qrels = product_qrels(shared_data)
    scored, everything = (score_run(run, qrels, PRESETS[preset].convention) for preset in ("pytrec_eval", "trec"))
    assert (scored.mean, everything.mean) == pytest.approx((over_scored, over_all), abs=5e-5)
    assert (scored.queries, everything.queries) == (135 - scored.missing, 135)


def product_qrels(shared_data: Path) -> dict[str, dict[str, int]]:
    """The products' final ratings."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (shared_data / "chorus-ratings" / "qrels.final.txt").read_text(encoding="utf-8").splitlines():
        qid, _, docno, grade = line.split()
        qrels.setdefault(qid, {})[docno] = int(grade)
    return qrels
