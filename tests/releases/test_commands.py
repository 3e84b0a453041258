"""The commands on a release's page give with trec_eval what Adjudge gives."""

import random
import subprocess
from typing import Any

import pytest
import pytrec_eval

from app.measures.conventions import Convention
from app.measures.scores import score_run
from app.projects.models import Project
from app.releases.commands import trec_eval_commands


def project(gain: str, table: list[float] | None = None) -> Project:
    return Project(name="Shoes", gain=gain, gain_table=table)


@pytest.mark.parametrize(("gain", "table"), [("exponential", None), ("linear", None), ("table", [0, 1, 5, 20])])
def test_trec_eval_gives_our_ndcg_by_the_commands_shown(gain: str, table: list[float] | None) -> None:
    lot = random.Random(7)
    qrels = {f"q{q}": {f"d{d}": lot.randrange(4) for d in range(30)} | {"d": 3} for q in range(8)}
    run = {qid: {f"d{d}": float(lot.randrange(10_000)) for d in range(40)} for qid in qrels}
    lines = "".join(f"{qid} 0 {docno} {grade}\n" for qid, each in qrels.items() for docno, grade in each.items())
    first, *_ = trec_eval_commands(project(gain, table), threshold=1, qrels_name="a.qrels")
    if gain != "linear":
        script = first.removesuffix(" a.qrels > a.qrels.gains")
        lines = subprocess.run(["sh", "-c", script], input=lines, capture_output=True, text=True, check=True).stdout
    graded: dict[str, dict[str, int]] = {}
    for qid, _, docno, grade in map(str.split, lines.splitlines()):
        graded.setdefault(qid, {})[docno] = int(grade)
    evaluator: Any = pytrec_eval.RelevanceEvaluator(graded, {"ndcg_cut.10"})
    theirs = {qid: figures["ndcg_cut_10"] for qid, figures in evaluator.evaluate(run).items()}
    convention = Convention(k=10, gain=tuple(table) if table else gain)  # type: ignore[arg-type]
    rankings = {qid: (list(each), list(each.values())) for qid, each in run.items()}
    assert score_run(rankings, qrels, convention).per_query == pytest.approx(theirs, abs=1e-12)


def test_gains_that_are_no_whole_numbers_are_beyond_trec_eval() -> None:
    commands = trec_eval_commands(project("table", [0, 0.5, 2]), threshold=2, qrels_name="a.qrels")
    assert commands == ["trec_eval -c -l 2 -m recall.100 a.qrels your.run"]
