"""Queries from files: their ids byte for byte, their text until something is drawn on it."""

from pathlib import Path

import pytest
from sqlalchemy import select

from app.corpora.models import Document, Query
from app.db import new_id
from app.pools.models import Pair
from tests.corpora.handing import Desk

ONE = b'{"qid": "q1", "text": "red shoes", "description": "Shoes that are red.", "narrative": "For a wedding."}\n'


def queries(desk: Desk) -> dict[str, tuple[str, str, str]]:
    with desk.cast.database.session(writes=False) as session:
        rows = session.scalars(select(Query).where(Query.project_id == desk.project))
        return {row.qid: (row.text, row.description, row.narrative) for row in rows}


def draw(desk: Desk, qid: str) -> None:
    """Makes a pair of the query, as a pool or an imported round does."""
    docno = desk.brought_in("documents", b'{"id": "d1", "text": "Shoes."}')
    assert docno["count"] == 1
    with desk.cast.database.session(writes=True) as session:
        query_id = session.scalars(select(Query.id).where(Query.qid == qid)).one()
        document_id = session.scalars(select(Document.id)).first()
        session.add(Pair(project_id=desk.project, id=new_id(), query_id=query_id, document_id=document_id))


def test_one_set_of_topics_is_the_same_in_four_formats(desk: Desk, shared_data: Path) -> None:
    topics = [shared_data / "liveqa-med" / f"topics.{form}" for form in ("trec", "xml", "jsonl", "tsv")]
    assert desk.brought_in("queries", topics[0])["counts"] == {"new": 104, "same": 0, "changed": 0}
    for other in topics[1:]:
        assert desk.brought_in("queries", other)["counts"] == {"new": 0, "same": 104, "changed": 0}, other.name
    assert queries(desk)["104"][0]
    assert all(narrative for _, _, narrative in queries(desk).values())


@pytest.mark.parametrize(
    ("name", "number", "choices"),
    [
        ("../awkward/pyserini-topics.non-integer-ids.tsv", 3, {}),
        ("../awkward/pyserini-topics.zh.tsv", 2, {}),
        ("adhoc.51-100.sgml.txt", 50, {}),
        ("robust04.sgml.txt", 250, {}),
        ("trec02ar-ar.rtl.txt", 50, {}),
        ("microblog2011.txt", 50, {}),
        ("covid-round1.crlf.xml", 30, {}),
        ("web.201-250.doctype.xml", 50, {}),
        ("mq.10001-20000.colon-separated.not-utf8.txt", 10_000, {"encoding": "latin-1"}),
    ],
)
def test_topics_of_the_field_come_in(
    desk: Desk, shared_data: Path, name: str, number: int, choices: dict[str, str]
) -> None:
    taken = desk.brought_in("queries", shared_data / "trec-topics" / name, choices)
    assert taken["counts"]["new"] == number == len(queries(desk))


def test_a_file_that_is_not_utf8_names_the_lines(desk: Desk, shared_data: Path) -> None:
    error = desk.refused("queries", shared_data / "trec-topics" / "mq.10001-20000.colon-separated.not-utf8.txt")
    assert [problem["line"] for problem in error["details"]["problems"]] == [3481, 8135, 8297, 9136]
    assert queries(desk) == {}


def test_ids_are_kept_byte_for_byte(desk: Desk) -> None:
    ids = ["051", "51", "51.0", "MB001", "Q1", "q1", "é", "e\u0301", "34952194402811904"]
    content = "".join(f"{qid}\ttext of {qid}\n" for qid in ids)
    desk.brought_in("queries", content.encode())
    assert {qid: text for qid, (text, _, _) in queries(desk).items()} == {qid: f"text of {qid}" for qid in ids}


def test_another_text_is_taken_while_nothing_is_drawn(desk: Desk) -> None:
    desk.brought_in("queries", ONE)
    changed = desk.brought_in("queries", b"q1\tblue shoes\nq2\tgreen shoes\n")
    assert changed["counts"] == {"new": 1, "same": 0, "changed": 1}
    assert queries(desk)["q1"] == ("blue shoes", "Shoes that are red.", "For a wedding.")


def test_a_query_that_is_in_a_pool_keeps_its_text(desk: Desk) -> None:
    desk.brought_in("queries", ONE)
    draw(desk, "q1")
    before = desk.rows("query")
    for content in (b"q0\tnew\nq1\tblue shoes\n", ONE.replace(b"wedding", b"funeral")):
        error = desk.refused("queries", content)
        assert "is in a pool with another text" in error["sentence"]
        assert error["details"]["text"] == "red shoes"
        assert "a new id" in error["way_out"]
        preview = desk.browser.get(desk.hand_in("queries", content)).text
        assert "is in a pool with another text" in preview
    assert desk.rows("query") == before
    assert desk.brought_in("queries", ONE)["counts"]["same"] == 1


def test_a_query_known_by_its_id_only_gets_its_text_even_when_it_is_in_a_pool(desk: Desk) -> None:
    with desk.cast.database.session(writes=True) as session:
        session.add(Query(project_id=desk.project, id=new_id(), qid="q1", text=""))
    draw(desk, "q1")
    assert desk.brought_in("queries", ONE)["counts"] == {"new": 0, "same": 0, "changed": 1}
    assert queries(desk)["q1"][0] == "red shoes"


def test_a_slice_comes_with_its_query_and_may_change_when_the_text_may_not(desk: Desk) -> None:
    """No labeller reads it."""
    desk.brought_in("queries", b"qid\ttext\tsegment\nq1\tred shoes\thead\nq2\tblue shoes\t\n")
    assert slices(desk) == {"q1": "head", "q2": ""}
    draw(desk, "q1")
    taken = desk.brought_in("queries", b'{"qid": "q1", "text": "red shoes", "slice": "tail"}\n')
    assert taken["counts"] == {"new": 0, "same": 0, "changed": 1}
    assert slices(desk) == {"q1": "tail", "q2": ""}
    desk.brought_in("queries", b"q1\tred shoes\n")
    assert slices(desk) == {"q1": "tail", "q2": ""}
    desk.refused("queries", b'{"qid": "q1", "text": "green shoes", "slice": "head"}\n')
    assert slices(desk) == {"q1": "tail", "q2": ""}


def slices(desk: Desk) -> dict[str, str]:
    with desk.cast.database.session(writes=False) as session:
        rows = session.scalars(select(Query).where(Query.project_id == desk.project))
        return {row.qid: row.slice for row in rows}


def test_a_language_comes_with_its_query(desk: Desk) -> None:
    desk.brought_in("queries", b"qid,text,lang\nq1,rote Schuhe,de\nq2,red shoes,English\n")
    desk.brought_in("queries", b'{"qid": "q3", "text": "zapatos", "lang": "es"}\n')
    assert desk.brought_in("queries", b"q1\trote Schuhe\n")["counts"]["same"] == 1
    with desk.cast.database.session(writes=False) as session:
        assert {row.qid: row.lang for row in session.scalars(select(Query))} == {"q1": "de", "q2": "", "q3": "es"}
