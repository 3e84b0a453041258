import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import MeasureError
from app.measures.conventions import Ties
from app.measures.ranking import order, tied

ALL_TIES: tuple[Ties, ...] = ("docno", "docno32", "position", "average", "optimistic")
RANKINGS = st.dictionaries(
    st.text(min_size=1, max_size=4),
    st.sampled_from([0.0, -0.0, 1.0, 1.00000001, -2.5, 2.0**24, 2.0**24 + 1, 1e300, -1e300, float("inf")]),
    max_size=12,
)


def in_order(docnos: list[str], scores: list[float], ties: Ties) -> list[str]:
    return [docnos[place] for place in order(docnos, np.array(scores), ties)]


@given(RANKINGS)
def test_the_order_is_that_of_sorting_by_score_and_then_by_the_bytes_of_the_id(ranking: dict[str, float]) -> None:
    docnos, scores = list(ranking), list(ranking.values())
    by_hand = sorted(docnos, key=lambda docno: (ranking[docno], docno.encode()), reverse=True)
    for ties in ("docno", "average", "optimistic"):
        assert in_order(docnos, scores, ties) == by_hand
    with np.errstate(over="ignore"):
        as_32_bits = {docno: float(np.float32(score)) for docno, score in ranking.items()}
    by_hand = sorted(docnos, key=lambda docno: (as_32_bits[docno], docno.encode()), reverse=True)
    assert in_order(docnos, scores, "docno32") == by_hand
    assert in_order(docnos, scores, "position") == sorted(docnos, key=lambda docno: -ranking[docno])


def test_ids_are_compared_by_bytes_and_not_as_a_language_would() -> None:
    assert in_order(["D9", "d10", "é", "d9"], [1.0] * 4, "docno") == ["é", "d9", "d10", "D9"]


def test_bytes_that_were_no_utf_8_keep_their_place_among_the_others() -> None:
    latin = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert in_order([latin, "caf\uffff", "cafe"], [1.0] * 3, "docno") == ["caf\uffff", latin, "cafe"]


def test_scores_a_hundred_millionth_apart_tie_in_32_bits_only() -> None:
    assert in_order(["a", "b"], [1.00000001, 1.0], "docno") == ["a", "b"]
    assert in_order(["a", "b"], [1.00000001, 1.0], "docno32") == ["b", "a"]


def test_position_follows_the_scores_first_and_the_list_where_they_tie() -> None:
    assert in_order(["a", "b", "c", "d"], [1.0, 2.0, 1.0, 2.0], "position") == ["b", "d", "a", "c"]


@pytest.mark.parametrize("ties", ALL_TIES)
def test_an_empty_list_and_a_single_document_are_in_order(ties: Ties) -> None:
    assert in_order([], [], ties) == []
    assert in_order(["a"], [-3.0], ties) == ["a"]


@pytest.mark.parametrize("ties", ALL_TIES)
def test_a_score_that_is_no_number_is_refused(ties: Ties) -> None:
    with pytest.raises(MeasureError, match="NaN"):
        order(["a", "b"], np.array([1.0, np.nan]), ties)


def test_scores_of_any_kind_of_number_are_put_in_order_as_numbers() -> None:
    assert order(["a", "b"], np.array([0, 2], dtype=np.uint8), "docno").tolist() == [1, 0]
    assert order(["a", "b"], [0, 2], "position").tolist() == [1, 0]


def test_only_two_or_more_equal_values_make_a_group() -> None:
    assert tied(np.array([3.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0])) == [(1, 3), (4, 7)]
    assert tied(np.array([3.0])) == tied(np.array([])) == []
