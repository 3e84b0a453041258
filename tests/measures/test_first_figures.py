"""The two ends of the package on method.md's own examples."""

import numpy as np
import pytest

from app.measures.agreement import Doubles, agreement
from app.measures.conventions import Convention, parse
from app.measures.gate import POLICIES, Evidence, ask_gate
from app.measures.scores import score_query

RANKED = [1, 3, 0, 2, 0, 0, 2, 0, 0, 1]


def test_the_regrade_of_two_documents_moves_ndcg_from_713_to_950() -> None:
    docnos = [f"d{rank}" for rank in range(10)]
    convention = Convention(k=10, gain="exponential")
    assert parse(convention.line) == convention
    before = dict(zip(docnos, RANKED, strict=True))
    scores = list(range(10, 0, -1))
    assert score_query(docnos, scores, before, convention) == pytest.approx(0.713414, abs=5e-7)
    assert score_query(docnos, scores, before | {"d0": 3, "d1": 2}, convention) == pytest.approx(0.950480, abs=5e-7)


def test_twelve_pairs_are_not_enough_evidence() -> None:
    query, ana, ben = np.arange(12) // 6, np.zeros(12, int), np.ones(12, int)
    doubles = Doubles(query, ana, ben, np.arange(12) % 3, np.arange(12) % 2, levels=4, labellers=2)
    assert ask_gate(Evidence(agreement(doubles)), POLICIES["standard"]).answer == "not enough evidence"
