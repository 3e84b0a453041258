"""What the corpus holds: counts, lists, and one query or document."""

import json

import pytest

from app.corpora.placeholders import know_documents, know_queries
from app.projects.models import Project
from tests.corpora.handing import Desk
from tests.make import Cast

NASTY = '<script>alert("x")</script>'


def fill(desk: Desk) -> None:
    desk.brought_in("queries", "".join(f"q{n:03}\ttext of {n}\n" for n in range(120)).encode())
    document = {"id": "d1", "title": NASTY, "text": f"{NASTY}\nSecond line.", "url": "javascript:alert(1)"}
    desk.brought_in("documents", json.dumps(document).encode())


def test_the_corpus_says_what_is_missing_next(desk: Desk) -> None:
    address, api = f"/projects/{desk.project}/corpus", f"/api/v1/projects/{desk.project}/corpus"
    assert "No queries yet" in desk.browser.get(address).text
    assert desk.script.get(api).json()["missing"] == "queries"
    desk.brought_in("queries", b"q1\tred shoes\n")
    assert "No documents yet" in desk.browser.get(address).text
    desk.brought_in("documents", b'{"id": "d1", "text": "Shoes."}\n')
    assert "No runs yet" in desk.browser.get(address).text
    desk.brought_in("runs", b"q1 Q0 d1 1 1.5 bm25\n")
    assert "Look at the pool" in desk.browser.get(address).text
    counts = desk.script.get(api).json()
    assert counts["missing"] is None
    assert [counts["here"][kind] for kind in ("queries", "documents", "runs")] == [1, 1, 1]


def test_what_is_known_by_id_only_is_counted(desk: Desk) -> None:
    with desk.cast.database.session(writes=True) as session:
        project = session.get_one(Project, desk.project)
        know_queries(session, project, ["q1"])
        know_documents(session, project, ["d1", "d2"])
    page = desk.browser.get(f"/projects/{desk.project}/corpus").text
    assert "1 known by id only" in page
    assert "2 known by id only" in page
    counts = desk.script.get(f"/api/v1/projects/{desk.project}/corpus").json()
    assert (counts["queries_without_text"], counts["placeholders"]) == (1, 2)
    assert "no text yet" in desk.browser.get(f"/projects/{desk.project}/corpus/queries").text


def test_files_that_wait_and_files_that_came_in_are_listed(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\n")
    preview = desk.hand_in("queries", b"q2\tblue shoes\n")
    page = desk.browser.get(f"/projects/{desk.project}/corpus").text
    assert "Waiting for your decision" in page
    assert f'href="{preview}"' in page
    assert "Brought in lately" in page


def test_lists_are_read_page_by_page(desk: Desk) -> None:
    fill(desk)
    address = f"/projects/{desk.project}/corpus/queries"
    first = desk.browser.get(address).text
    assert "text of 49<" in first
    assert "text of 50<" not in first
    assert "after=q049" in first
    last = desk.browser.get(f"{address}?after=q099").text
    assert "text of 119<" in last
    assert "The next ones" not in last


@pytest.mark.parametrize(("find", "found"), [("q11", 10), ("OF 11", 11), ("100%", 0), ("q_1", 0), ("%00", 0)])
def test_queries_are_found_by_id_and_text(desk: Desk, find: str, found: int) -> None:
    fill(desk)
    page = desk.browser.get(f"/projects/{desk.project}/corpus/queries", params={"find": find}).text
    assert page.count('<th scope="row">') == found


def test_a_nul_in_the_address_is_no_failure(desk: Desk) -> None:
    fill(desk)
    assert desk.browser.get(f"/projects/{desk.project}/corpus/queries?after=%F0%28").status_code == 200
    for address in ("corpus/queries?find=%00", "corpus/documents?after=%00"):
        assert desk.browser.get(f"/projects/{desk.project}/{address}").status_code == 422
    for address in ("corpus/queries/%00", "corpus/documents/nothing", "imports/queries/%00", "imports/%00"):
        assert desk.browser.get(f"/projects/{desk.project}/{address}").status_code in {404, 422}


def test_one_query_and_one_document_are_shown_as_they_are(desk: Desk) -> None:
    fill(desk)
    home = f"/projects/{desk.project}/corpus"
    listed = desk.browser.get(f"{home}/documents").text
    assert NASTY not in listed
    document = next(row for row in desk.rows("document"))
    page = desk.browser.get(f"{home}/documents/{row_id(desk, 'document')}").text
    assert "&lt;script&gt;" in page
    assert NASTY not in page
    assert 'href="javascript' not in page
    assert "Second line." in page
    assert document
    assert "text of" in desk.browser.get(f"{home}/queries/{row_id(desk, 'query')}").text


def row_id(desk: Desk, table: str) -> str:
    from sqlalchemy import text

    with desk.cast.database.session(writes=False) as session:
        found: str = session.execute(text(f'SELECT id FROM "{table}" LIMIT 1')).scalar_one()  # noqa: S608
        return found


def test_only_leads_see_the_corpus(cast: Cast, desk: Desk) -> None:
    fill(desk)
    ben, cleo, dan = cast.person("ben"), cast.person("cleo"), cast.person("dan")
    cast.member(desk.project, ben, "labeller")
    cast.member(desk.project, cleo, "reader")
    home = f"/projects/{desk.project}"
    addresses = [
        f"{home}/corpus",
        f"{home}/corpus/queries",
        f"{home}/corpus/documents",
        f"{home}/corpus/queries/{row_id(desk, 'query')}",
        f"{home}/corpus/documents/{row_id(desk, 'document')}",
        f"{home}/runs",
    ]
    for address in addresses:
        assert desk.browser.get(address).status_code == 200
        assert [cast.browser(person).get(address).status_code for person in (ben, cleo, dan)] == [404] * 3
        assert cast.browser(None).get(address).status_code == 303
    other = cast.project(desk.lead, name="Another")
    for address in addresses[3:5]:
        assert desk.browser.get(address.replace(desk.project, other)).status_code == 404
    for address in ("corpus", "runs"):
        for person in (ben, cleo):
            assert cast.script(person, desk.project).get(f"/api/v1{home}/{address}").status_code == 404
