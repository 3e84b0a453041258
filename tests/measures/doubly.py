"""Doubly judged pairs, made or read for the tests."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.measures.agreement import Doubles
from app.measures.kappa import Counts


def from_table(table: Sequence[Sequence[int]], queries: int = 7) -> Doubles:
    """Two labellers whose grades make this table, dealt over some queries."""
    counts = np.array(table)
    row, column = np.nonzero(counts)
    level_a, level_b = np.repeat(row, counts[row, column]), np.repeat(column, counts[row, column])
    n = len(level_a)
    ana, ben = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    return Doubles(np.arange(n) % queries, ana, ben, level_a, level_b, levels=len(counts), labellers=2)


def rotating(rng: np.random.Generator, *, labellers: int, queries: int, size: int, noise: float) -> Doubles:
    """Whole queries dealt to couples; each labeller sees a true level, and errs by one with chance `noise`."""
    couples = np.array([rng.choice(labellers, 2, replace=False) for _ in range(queries)])
    query = np.repeat(np.arange(queries), size)
    true = rng.choice(4, len(query), p=[0.6, 0.2, 0.13, 0.07])
    level_a, level_b = (_noisy(rng, true, noise) for _ in range(2))
    a, b = couples[query].T
    return Doubles(query, a, b, level_a, level_b, levels=4, labellers=labellers)


def _noisy(rng: np.random.Generator, true: Counts, noise: float) -> Counts:
    step = np.where(rng.random(len(true)) < noise, rng.choice([-1, 1], len(true)), 0)
    seen: Counts = np.clip(true + step, 0, 3)
    return seen


def chorus(shared_data: Path, *, raters: tuple[int, ...] = (1, 2), queries: int = 135) -> Doubles:
    """The products' real grades, the first so many queries of the topics file."""
    folder = shared_data / "chorus-products"
    topics = [line.split("\t")[1] for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines()]
    place = {text: at for at, text in enumerate(topics[:queries])}
    with (folder / "Broad_Query_Set_individual_ratings.csv").open(encoding="utf-8", newline="") as file:
        judged = [row for row in csv.DictReader(file) if row["query"] in place]
    rows = [
        (pair, place[row["query"]], a, b, int(row[f"agent_{raters[a]}_rating"]), int(row[f"agent_{raters[b]}_rating"]))
        for pair, row in enumerate(judged)
        for b in range(len(raters))
        for a in range(b)
    ]
    return Doubles.of(rows, levels=4, labellers=len(raters))


def fira(shared_data: Path) -> Doubles:
    """The 2,003 documents that NIST and FiRA both graded."""
    with (shared_data / "fira-dl19" / "double-judged.tsv").open(encoding="utf-8", newline="") as file:
        judged = list(csv.DictReader(file, delimiter="\t"))
    queries = {qid: at for at, qid in enumerate(dict.fromkeys(row["query_id"] for row in judged))}
    rows = [(at, queries[row["query_id"]], 0, 1, int(row["nist"]), int(row["fira"])) for at, row in enumerate(judged)]
    return Doubles.of(rows, levels=4, labellers=2)
