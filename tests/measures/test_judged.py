"""Judgments as arrays, and back as they were given."""

import numpy as np

from app.measures.conventions import Geometric
from app.measures.judged import Judged, discounted, starts

QRELS: dict[str, dict[str, float]] = {"2": {"b": 0, "é": 3, "\udce9": 2.5}, "1": {}, "10": {"b": -1}}
JUDGED = Judged.of(QRELS)


def test_judgments_come_back_as_they_were_given() -> None:
    assert JUDGED.qrels() == QRELS
    assert list(map(repr, JUDGED.grades("2").values())) == ["0", "3", "2.5"]
    assert JUDGED.grades("10") == {"b": -1}


def test_the_documents_stand_in_one_text_by_query() -> None:
    assert (JUDGED.qids, JUDGED.number) == (("2", "1", "10"), {"2": 0, "1": 1, "10": 2})
    assert JUDGED.text == b"b\xc3\xa9\xe9b"
    assert (JUDGED.at.tolist(), JUDGED.width.tolist()) == ([0, 1, 3, 4], [1, 2, 1, 1])
    assert (JUDGED.start.tolist(), JUDGED.query.tolist()) == ([0, 3, 3, 4], [0, 0, 0, 2])
    assert [JUDGED.docnos(q) for q in range(3)] == [[b"b", b"\xc3\xa9", b"\xe9"], [], [b"b"]]
    assert [JUDGED.name(judgment) for judgment in (1, 3)] == ["Query 2: Document é", "Query 10: Document b"]
    assert JUDGED.name(2) == "Query 2: Document \udce9"


def test_the_best_list_of_a_query_has_its_highest_grades_first() -> None:
    assert JUDGED.by_grade.tolist() == [1, 2, 0, 3]
    assert JUDGED.gains("linear").tolist() == [0, 3, 2.5, 0]
    assert JUDGED.ideal("linear", "reciprocal", None).tolist() == [3 + 2.5 / 2, 0, 0]
    assert JUDGED.ideal("linear", "reciprocal", 1).tolist() == [3, 0, 0]
    assert JUDGED.ideal("linear", Geometric(0.5), 1).tolist() == [3, 0, 0]
    assert JUDGED.ideal("exponential", "reciprocal", 1).tolist() == [7, 0, 0]


def test_what_was_worked_out_once_is_not_worked_out_again() -> None:
    assert JUDGED.gains("linear") is JUDGED.gains("linear")
    assert JUDGED.ideal("linear", "log2", 5) is JUDGED.ideal("linear", "log2", 5)
    assert JUDGED.query is JUDGED.query


def test_dcg_takes_the_ranks_as_they_are_given() -> None:
    query, rank = np.array([0, 0, 2]), np.array([2, 3, 1])
    assert discounted(query, rank, np.array([6.0, 9.0, 1.0]), 4, "reciprocal", None).tolist() == [6, 0, 1, 0]
    assert discounted(query, rank, np.array([6.0, 8.0, 1.0]), 4, "reciprocal", 2).tolist() == [3, 0, 1, 0]
    assert discounted(query[:0], rank[:0], np.array([]), 2, "log2", None).tolist() == [0, 0]


def test_things_of_these_sizes_begin_where_the_one_before_ends() -> None:
    assert starts([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert starts([]).tolist() == [0]


def test_grades_are_floats_and_places_whole_numbers_whatever_was_given() -> None:
    for given in (Judged.of({"1": {"a": 1}}), Judged.of({"1": {}}), Judged.of({})):
        assert (given.grade.dtype.name, given.width.dtype.name, given.at.dtype.name) == ("float64", "int64", "int64")
