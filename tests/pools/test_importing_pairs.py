"""A list of pairs: queries by id or text, documents as placeholders where their ids can be kept."""

from pathlib import Path

import pytest

from tests.corpora.handing import Desk, sit_down
from tests.make import Cast

MAKE = {"placeholders": "make"}


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = sit_down(cast)
    desk.brought_in("queries", b"q1\tred shoes\nq2\tblue shoes\nq3\tBlue shoes\n")
    return desk


def test_real_pairs_that_name_queries_by_their_texts_find_them(cast: Cast, shared_data: Path) -> None:
    desk, folder = sit_down(cast), shared_data / "chorus-products"
    desk.brought_in("queries", folder / "topics.tsv")
    taken = desk.brought_in("pairs", folder / "Broad_Query_Set_individual_ratings.csv", MAKE)
    assert "135 queries were found by their texts." in taken["notes"]
    assert taken["counts"]["new"] == len(desk.rows("pair")) == 3188


def test_a_pair_under_text_and_id_is_one_pair(desk: Desk) -> None:
    taken = desk.brought_in("pairs", b"query,docid\nq1,d1\nRed shoes,d1\nred shoes,d2\n", MAKE)
    assert (taken["counts"]["new"], taken["counts"]["same"]) == (2, 1)
    assert "1 query was found by its text." in taken["notes"]


def test_a_text_of_two_queries_is_neither(desk: Desk) -> None:
    refused = desk.refused("pairs", b"query,docid\nq1,d1\nblue shoes,d1\n", MAKE)
    (problem,) = refused["details"]["problems"]
    assert (problem["line"], problem["reason"]) == (3, '2 queries have the text "blue shoes": q2, q3')


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"q1,d 2", 'the document id "d 2" holds a blank'),
        (b"q1,\xef\xbb\xbfd2", "begins with a byte order mark"),
        (b"green shoes,d2", 'there is no query "green shoes"'),
    ],
)
def test_an_id_that_no_qrels_file_could_hold_is_refused_with_its_line(desk: Desk, line: bytes, reason: str) -> None:
    refused = desk.refused("pairs", b"query,docid\nq1,d1\n" + line + b"\n", MAKE)
    (problem,) = refused["details"]["problems"]
    assert problem["line"] == 3
    assert reason in problem["reason"]
    assert desk.rows("document") == desk.rows("pool") == []
