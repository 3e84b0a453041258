"""Our presets against ranx and ir_measures, each in an environment and a process of its own (`make peers`)."""

import json
import math
import selectors
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.measures import Undefined
from app.measures.conventions import Convention, Geometric
from app.measures.naming import ask
from app.measures.presets import PRESETS
from app.measures.scores import score_query, score_run
from tests.measures.lists import Run

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "var" / "peers" / "bin" / "python"
pytestmark = [pytest.mark.peers, pytest.mark.timeout(1800)]

IR_MEASURES = (
    "nDCG@3",
    "nDCG",
    "P@3",
    "R@3",
    "R(rel=2)@3",
    "AP",
    "AP@3",
    "RR",
    "Success@3",
    "Bpref",
    "nDCG(judged_only=True)@3",
)
LINEAR, BURGES = PRESETS["ranx"].convention, PRESETS["burges"].convention
RANX = {
    "ndcg@3": LINEAR.at("nDCG", 3),
    "ndcg": LINEAR.at("nDCG", None),
    "ndcg_burges@3": BURGES.at("nDCG", 3),
    "dcg@3": LINEAR.at("DCG", 3),
    "dcg_burges@3": BURGES.at("DCG", 3),
    "recall@3": LINEAR.at("recall", 3),
    "precision@3": LINEAR.at("precision", 3),
    "map": LINEAR.at("AP", None),
    "map@3": LINEAR.at("AP", 3),
    "mrr": LINEAR.at("RR", None),
    "hit_rate@3": LINEAR.at("hit", 3),
    "rbp.85": Convention(
        measure="RBP", k=None, gain="linear", discount=Geometric(0.85), ties="position", no_relevant="zero"
    ),
}
IDS = st.sampled_from([f"{stem}{number}" for stem in ("d", "é", "文書-") for number in range(6)])
NUMBERED = st.sampled_from([f"d{number}" for number in range(15)])
SCORES = st.sampled_from([0.0, 1.0, 1.00000001, 1.000001, -1.5, 0.3, 2.0**24, 2.0**24 + 1])
Lists = tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]


class Peer:
    """The other program, which is ended where it does not answer in time."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("peer.py")
        self.process = subprocess.Popen(
            [PYTHON, "-W", "ignore", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, library: str, run: Any, qrels: Any, measures: list[str], *, seconds: float = 900) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        question = {"library": library, "run": run, "qrels": qrels, "measures": measures}
        print(json.dumps(question), file=self.process.stdin, flush=True)
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                self.end()
                raise TimeoutError(library)
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    one = Peer()
    yield one
    one.end()


@st.composite
def lists(draw: st.DrawFn, *, lowest: int) -> Lists:
    """Ties, missing and unjudged queries; of each query's judgments one at least is not negative."""
    qrels = draw(
        st.dictionaries(
            st.sampled_from(["1", "2", "é"]), st.dictionaries(IDS, st.integers(lowest, 3), max_size=8), min_size=1
        )
    )
    for judgments in qrels.values():
        judgments[draw(IDS)] = draw(st.integers(0, 3))
    qids = draw(st.lists(st.sampled_from(["1", "2", "é", "9"]), min_size=1, unique=True))
    return {qid: draw(st.dictionaries(IDS, SCORES, min_size=1, max_size=12)) for qid in qids}, qrels


def assert_equal(lists: Lists, convention: Convention, theirs: dict[str, float]) -> None:
    run, qrels = lists
    ours: Run = {qid: (list(ranking), list(ranking.values())) for qid, ranking in run.items()}
    if qrels.keys().isdisjoint(run):  # Ours refuses it.
        assert not any(theirs.values())
        return
    found = score_run(ours, qrels, convention).per_query
    values = {qid: value for qid, value in found.items() if not isinstance(value, Undefined)}
    assert values == pytest.approx(theirs, abs=1e-12), convention.line


@given(given_lists=lists(lowest=-2))
@settings(max_examples=150)
def test_every_query_scores_as_ir_measures_has_it(peer: Peer, given_lists: Lists) -> None:
    theirs = peer.ask("ir_measures", *given_lists, list(IR_MEASURES))
    for name in IR_MEASURES:
        assert_equal(given_lists, ask(name, PRESETS["ir_measures"].convention), theirs[name])


@given(given_lists=lists(lowest=0))
@settings(max_examples=60)
def test_rr_with_a_cut_off_is_as_ir_measures_has_it_where_no_scores_tie(peer: Peer, given_lists: Lists) -> None:
    run, qrels = given_lists
    untied = {qid: {docno: float(at) for at, docno in enumerate(ranking)} for qid, ranking in run.items()}
    theirs = peer.ask("ir_measures", untied, qrels, ["RR@3"])
    assert_equal((untied, qrels), ask("RR@3", PRESETS["ir_measures"].convention), theirs["RR@3"])


def test_what_the_presets_say_is_apart_is(peer: Peer) -> None:
    """Each number here is what the preset's sentence says of the library, and ours is another."""
    tied, relevant = {"1": {"a": 1.0, "b": 1.0}}, {"1": {"a": 1}}
    assert peer.ask("ir_measures", tied, relevant, ["RR@3", "Judged@1"]) == {"RR@3": {"1": 1.0}, "Judged@1": {"1": 1.0}}
    assert_equal((tied, relevant), ask("RR@3", PRESETS["ir_measures"].convention), {"1": 0.5})
    assert_equal((tied, relevant), ask("judged@1", PRESETS["ir_measures"].convention), {"1": 0.0})
    run, of_ranx = {"1": {"n": 3.0, "a": 2.0, "b": 1.0}}, ask("bpref", PRESETS["ranx"].convention)
    for judgments, theirs, ours in (({"n": 0}, 0.0, 0.0), ({"n": -1}, 0.0, 1.0), ({}, math.nan, 1.0)):
        qrels = {"1": {"a": 1, "b": 1} | judgments}
        found = peer.ask("ranx", run, qrels, ["bpref"])["bpref"]["1"]
        assert found == pytest.approx(theirs, nan_ok=True)
        assert_equal((run, qrels), of_ranx, {"1": ours})


@given(
    run=st.dictionaries(NUMBERED, SCORES, min_size=1, max_size=12),
    judgments=st.dictionaries(NUMBERED, st.integers(0, 4), min_size=1, max_size=8),
)
@settings(max_examples=60)
def test_every_query_scores_as_gdeval_has_it_to_five_places(
    peer: Peer, run: dict[str, float], judgments: dict[str, int]
) -> None:
    """Which ir_measures starts for the exponential gain; it takes numbers for query ids and grades up to 4."""
    name = "nDCG(dcg='exp-log2')@3"
    theirs = peer.ask("ir_measures", {"1": run}, {"1": judgments}, [name])[name]["1"]
    ours = score_query(list(run), list(run.values()), judgments, PRESETS["gdeval"].convention.at("nDCG", 3))
    assert ours == pytest.approx(theirs, abs=5.1e-6)


@given(given_lists=lists(lowest=0))
@settings(max_examples=150)
def test_every_query_scores_as_ranx_has_it(peer: Peer, given_lists: Lists) -> None:
    """Up to twelve documents: of more than fifteen that tie, ranx does not keep the order."""
    theirs = peer.ask("ranx", *given_lists, list(RANX))
    for name, convention in RANX.items():
        assert_equal(given_lists, convention, theirs[name])


def test_judged_breaks_ties_by_the_lower_document_id_in_ir_measures_and_by_the_higher_one_here(peer: Peer) -> None:
    run, qrels = {"1": {"a": 1.0, "z": 1.0}}, {"1": {"a": 1}}
    assert peer.ask("ir_measures", run, qrels, ["Judged@1"])["Judged@1"] == {"1": 1.0}
    judged = ask("Judged@1", PRESETS["ir_measures"].convention)
    assert score_run({"1": (["a", "z"], [1.0, 1.0])}, {"1": {"a": 1}}, judged).per_query == {"1": 0.0}
