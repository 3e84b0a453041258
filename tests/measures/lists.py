"""Runs and judgments as the tests write them down, or as they stand in TREC files."""

from collections.abc import Sequence
from pathlib import Path

Qrels = dict[str, dict[str, float]]
Run = dict[str, tuple[list[str], list[float]]]


def ranked(grades: Sequence[float | None]) -> tuple[list[str], list[float], dict[str, float]]:
    """Documents in this order, falling scores, and the judgments of those whose grade is not None."""
    docnos = [f"d{rank:03}" for rank in range(1, len(grades) + 1)]
    scores = [float(len(grades) - place) for place in range(len(grades))]
    return docnos, scores, {docno: grade for docno, grade in zip(docnos, grades, strict=True) if grade is not None}


def read_run(path: Path) -> Run:
    run: Run = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            qid, _, docno, _, score, *_ = line.split()
            docnos, scores = run.setdefault(qid, ([], []))
            docnos.append(docno)
            scores.append(float(score))
    return run


def read_qrels(path: Path) -> Qrels:
    qrels: Qrels = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            qid, _, docno, grade, *_ = line.split()
            qrels.setdefault(qid, {})[docno] = int(grade)
    return qrels
