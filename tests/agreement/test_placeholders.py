"""A pair whose text is not here waits for it: nobody decides what they can't read."""

from typing import Any

import pytest
from sqlalchemy import select

from app.corpora.models import Document
from app.pools.models import Pair
from tests.corpora.handing import Desk, sit_down
from tests.make import Cast

GRADES = b"qid,docno,ann,bob\nq1,d1,0,3\nq1,d2,0,1\nq2,d1,2,2\n"
WAITS = "2 pairs wait for the text of the document, or of the query, to be brought in."


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = sit_down(cast)
    cast.rubric(desk.project)
    desk.brought_in("grades", GRADES, {"placeholders": "make"})
    return desk


def queue(desk: Desk) -> Any:
    return desk.script.get(f"/api/v1/projects/{desk.project}/adjudication").json()


def test_what_has_no_text_is_not_decided_before_it_is_brought_in(desk: Desk) -> None:
    page = f"/projects/{desk.project}/adjudication"
    before = queue(desk)
    assert (before["differing"], before["pairs"]) == (2, [])
    assert WAITS in desk.browser.get(page).text
    desk.brought_in("queries", b'{"qid": "q1", "query": "tea"}\n{"qid": "q2", "query": "milk"}\n')
    assert WAITS in desk.browser.get(page).text
    desk.brought_in("documents", b'{"id": "d1", "title": "Tea", "text": "All of it."}\n')
    assert WAITS.replace("2 pairs wait", "1 pair waits") in desk.browser.get(page).text
    (ready,) = queue(desk)["pairs"]
    asked = f"/api/v1/projects/{desk.project}/adjudication/{ready['pair_id']}"
    assert desk.script.post(f"{asked}/blind", json={"level": 1, "revision": 0}).is_success


def test_a_step_and_a_page_of_a_pair_without_text_are_refused(desk: Desk, cast: Cast) -> None:
    with cast.database.session(writes=False) as session:
        named = select(Pair.id).join(Document, Document.id == Pair.document_id).where(Document.docno == "d2")
        pair = session.scalars(named).one()
    for step, body in (("blind", {"level": 1}), ("decision", {"level": 1, "reason": "So it is."})):
        answer = desk.script.post(
            f"/api/v1/projects/{desk.project}/adjudication/{pair}/{step}", json=body | {"revision": 0}
        )
        assert (answer.status_code, "is not here" in answer.text) == (409, True)
    shown = desk.browser.get(f"/projects/{desk.project}/adjudication/{pair}")
    assert (shown.status_code, "Bring in the text" in shown.text) == (409, True)
