"""Documents from files: their ids byte for byte, their text with its hash, and placeholders that get theirs."""

import json
from pathlib import Path

from sqlalchemy import select

from app.corpora.models import Document, shown_hash
from app.corpora.placeholders import know_documents
from app.projects.models import Project
from tests.corpora.handing import Desk


def documents(desk: Desk) -> dict[str, Document]:
    with desk.cast.database.session(writes=False) as session:
        return {row.docno: row for row in session.scalars(select(Document))}


def lines(*objects: dict[str, str]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def test_four_megabytes_of_long_documents_come_in_whole(desk: Desk, shared_data: Path) -> None:
    file = shared_data / "liveqa-med" / "docs.jsonl"
    assert desk.brought_in("documents", file)["counts"] == {"new": 2186, "same": 0, "changed": 0, "filled": 0}
    here = documents(desk)
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(each["id"], each["title"], each["text"], each["url"]) for each in written} == {
        (row.docno, row.title, row.text, row.url) for row in here.values()
    }
    assert all(row.text_hash == shown_hash(row.title, row.text, row.url) for row in here.values())
    again = desk.brought_in("documents", file)
    assert again["counts"] == {"new": 0, "same": 2186, "changed": 0, "filled": 0}


def test_products_and_their_foreign_letters_come_in(desk: Desk, shared_data: Path) -> None:
    taken = desk.brought_in("documents", shared_data / "chorus-products" / "docs.jsonl")
    assert taken["counts"]["new"] == 2349 == len(documents(desk))
    assert "Mobile™" in documents(desk)["653662"].title


def test_a_changed_document_gets_a_new_hash(desk: Desk) -> None:
    desk.brought_in("documents", lines({"id": "d1", "text": "old"}, {"id": "d2", "text": "kept"}))
    before = documents(desk)
    taken = desk.brought_in("documents", lines({"id": "d1", "text": "new"}, {"id": "d2", "text": "kept"}))
    assert taken["counts"] == {"new": 0, "same": 1, "changed": 1, "filled": 0}
    assert "flagged" in taken["notes"][0]
    after = documents(desk)
    assert after["d1"].id == before["d1"].id
    assert after["d1"].text == "new"
    assert after["d1"].text_hash == shown_hash("", "new", "") != before["d1"].text_hash
    assert after["d2"].text_hash == before["d2"].text_hash


def test_a_document_known_by_its_id_only_gets_its_text(desk: Desk) -> None:
    with desk.cast.database.session(writes=True) as session:
        ids = know_documents(session, session.get_one(Project, desk.project), ["d1", "d2", "d1"])[0]
    assert {row.docno: row.is_placeholder for row in documents(desk).values()} == {"d1": True, "d2": True}
    taken = desk.brought_in("documents", lines({"id": "d1", "text": ""}, {"id": "d3", "text": "three"}))
    assert taken["counts"] == {"new": 1, "same": 0, "changed": 1, "filled": 1}
    here = documents(desk)
    assert here["d1"].id == ids["d1"]
    assert [here[docno].is_placeholder for docno in ("d1", "d2", "d3")] == [False, True, False]


def test_a_bad_line_far_down_changes_nothing(desk: Desk) -> None:
    desk.brought_in("documents", lines({"id": "d1", "text": "old"}))
    before = desk.rows("document")
    many = [{"id": f"n{number}", "text": f"text {number}"} for number in range(1200)]
    error = desk.refused("documents", lines({"id": "d1", "text": "new"}, *many) + b'{"id": "last"}\n')
    assert error["details"]["line"] == 1202
    assert "none of the keys" in error["details"]["reason"]
    assert desk.rows("document") == before


def test_ids_of_documents_are_kept_byte_for_byte(desk: Desk) -> None:
    ids = ["<dbpedia:Büsingen_am_Hochrhein>", "GARD_0004375_Sec1.txt", "CR#93E-1860", "91e70966", "34952194402811904"]
    desk.brought_in("documents", lines(*({"id": docno, "text": docno} for docno in ids)))
    assert set(documents(desk)) == set(ids)
    number = desk.brought_in("documents", b'{"id": 349521944028119041234567890, "text": "a number"}\n')
    assert number["rows"][0][0] == "349521944028119041234567890"


def test_html_is_kept_harmless_with_its_text_beside_it(desk: Desk) -> None:
    page = {"id": "d1", "title": "A page", "html": "<p onclick=x()>one</p><script>two</script><p>three", "lang": "de"}
    desk.brought_in("documents", lines(page, {"id": "d2", "text": "<b>plain</b>"}))
    here = documents(desk)
    assert (here["d1"].html, here["d1"].text, here["d1"].lang) == ("<p>one</p><p>three</p>", "one\n\nthree", "de")
    assert here["d1"].text_hash == shown_hash("A page", "one\n\nthree", "", "<p>one</p><p>three</p>")
    assert here["d1"].text_hash != shown_hash("A page", "one\n\nthree", "")
    assert (here["d2"].html, here["d2"].text) == ("", "<b>plain</b>")
    again = desk.brought_in("documents", lines(page))
    assert again["counts"]["same"] == 1
    assert "three" in desk.browser.get(f"/projects/{desk.project}/corpus/documents/{here['d1'].id}").text


def test_a_file_whose_texts_are_html_is_read_so_where_that_is_chosen(desk: Desk) -> None:
    desk.brought_in("documents", lines({"id": "d1", "text": "<b>bold</b>"}), {"markup": "html"})
    assert (documents(desk)["d1"].html, documents(desk)["d1"].text) == ("<b>bold</b>", "bold")
    hint = "1 text looks like HTML, and will be shown with all tags. Choose that the text is HTML."
    assert desk.brought_in("documents", lines({"id": "d2", "text": "1 < 2 </b>"}))["notes"] == [hint]
    assert desk.brought_in("documents", lines({"id": "d3", "text": "a </ b"}))["notes"] == []


def test_html_that_nests_too_deep_is_refused_by_line(desk: Desk) -> None:
    error = desk.refused("documents", lines({"id": "d1", "text": "a"}, {"id": "d2", "html": "<div>" * 20_000}))
    assert error["details"]["line"] == 2
    assert "deeper than 500" in error["details"]["reason"]
    assert documents(desk) == {}


def test_other_fields_are_kept_and_change_without_touching_what_was_shown(desk: Desk) -> None:
    line = {"id": "d1", "text": "a", "price": "12 EUR", "brand": "Shoes"}
    preview = desk.brought_in("documents", lines(line) + b'{"id": "d2", "text": "b", "inner": {}}\n')
    assert preview["columns"][-1] == "fields"
    assert preview["rows"][0][-1] == "price: 12 EUR; brand: Shoes"
    assert "Not kept, being objects" in preview["notes"][0]
    before = documents(desk)["d1"]
    assert before.fields == {"price": "12 EUR", "brand": "Shoes"}
    changed = desk.brought_in("documents", lines({**line, "price": "9 EUR"}))
    assert (changed["counts"]["changed"], changed["notes"]) == (1, [])
    after = documents(desk)["d1"]
    assert (after.fields["price"], after.text_hash) == ("9 EUR", before.text_hash)
