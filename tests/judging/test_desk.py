"""The desk as its pages: a grade is one request, and the next pair is its answer."""

import html
import re
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update

from app.corpora.models import Document, shown_hash
from app.db import now
from app.judging.models import Assignment, Grade, Round
from tests.make import Cast

HTMX = {"HX-Request": "true"}


@dataclass(frozen=True)
class Sheet:
    """What a rendering of the desk holds."""

    address: str
    key: str
    revision: str
    title: str
    text: str

    @classmethod
    def of(cls, answer: Response) -> "Sheet":
        return cls.of_text(answer.text)

    @classmethod
    def of_text(cls, page: str) -> "Sheet":
        def value(name: str) -> str:
            found = re.search(rf'name="{name}" value="([^"]*)"', page)
            assert found, page
            return found[1]

        address = re.search(r'data-at="([^"]*)"', page)
        title = re.search(r'<h2 id="document"[^>]*>([^<]*)<', page)
        assert address
        assert title
        return cls(address[1], value("key"), value("revision"), html.unescape(title[1]), page)

    @property
    def id(self) -> str:
        return self.address.rpartition("/")[2]

    def form(self, **given: Any) -> dict[str, Any]:
        return {"key": self.key, "revision": self.revision} | given


@dataclass(frozen=True)
class Desk:
    """A labeller at the desk of a project with an open agreement round."""

    cast: Cast
    project: str
    round: str
    browser: TestClient
    other: TestClient
    lead: TestClient

    @classmethod
    def make(cls, cast: Cast, pool: dict[str, list[str]] | None = None) -> "Desk":
        lead, ben, cleo = cast.person("ana"), cast.person("ben"), cast.person("cleo")
        project = cast.project(lead)
        cast.rubric(project)
        members = [cast.member(project, person, "labeller") for person in (ben, cleo)]
        pool_id = cast.pool(project, pool or {"q1": ["d1", "d2", "d3"], "q2": ["d4", "d5"]})
        round_id = cast.round(project, pool_id, members)
        return cls(cast, project, round_id, cast.browser(ben), cast.browser(cleo), cast.browser(lead))

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def sheet(self) -> Sheet:
        return Sheet.of(self.browser.get(f"{self.home}/desk"))

    def press(self, sheet: Sheet, headers: dict[str, str] | None = None, **given: Any) -> Response:
        return self.browser.post(f"{sheet.address}/grade", data=sheet.form(**given), headers=headers or HTMX)

    def grades(self) -> list[tuple[int, int | None, str | None, str]]:
        """Revision, level, reason and rationale of every grade in the database, as they came."""
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Grade.revision, Grade.level, Grade.reason, Grade.rationale).order_by(Grade.given_at)
            )
            return [(row[0], row[1], row[2], row[3]) for row in rows]


def test_a_press_is_kept_and_answered_with_the_next_pair(cast: Cast) -> None:
    desk = Desk.make(cast)
    first = desk.sheet()
    answer = desk.press(first, level=2, rationale="It names the step.")
    assert answer.status_code == 200
    assert desk.grades() == [(1, 2, None, "It names the step.")]
    second = Sheet.of(answer)
    assert second.title != first.title
    assert "<html" not in answer.text
    assert "✓ Saved" in answer.text
    assert second.key != first.key


def test_a_whole_round_is_graded_query_by_query(cast: Cast) -> None:
    desk = Desk.make(cast)
    seen = []
    for _ in range(5):
        sheet = desk.sheet()
        seen.append(sheet.title)
        desk.press(sheet, level=1)
    assert sorted(seen) == [f"About d{number}" for number in range(1, 6)]
    begun = [int(title[-1]) > 3 for title in seen]  # Of the second query?
    assert begun in (sorted(begun), sorted(begun, reverse=True))
    done = desk.browser.get(f"{desk.home}/desk")
    assert "Every pair that was dealt to you is graded" in done.text


def test_the_last_pair_of_a_round_leads_to_a_page_of_its_own(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1"]})
    answer = desk.press(desk.sheet(), level=1)
    assert answer.headers["HX-Redirect"] == f"{desk.home}/desk?go_on=yes"


def test_without_a_script_the_form_leads_back_to_the_desk(cast: Cast) -> None:
    desk = Desk.make(cast)
    answer = desk.press(desk.sheet(), headers={"Accept": "text/html"}, level=1)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{desk.home}/desk"


def test_the_same_press_twice_is_one_grade(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    first, second = desk.press(sheet, level=2, rationale="a\r\nb"), desk.press(sheet, level=2, rationale="a\r\nb")
    assert (first.status_code, second.status_code) == (200, 200)
    assert Sheet.of(first).title == Sheet.of(second).title
    assert desk.grades() == [(1, 2, None, "a\nb")]


def test_the_same_key_with_another_grade_is_refused_and_both_are_shown(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    desk.press(sheet, level=2)
    refused = desk.press(sheet, level=1)
    assert refused.status_code == 422
    assert Sheet.of(refused).title == sheet.title
    assert "Counts now</dt><dd>2" in refused.text
    assert "Pressed here, not saved</dt><dd>1" in refused.text
    assert desk.grades() == [(1, 2, None, "")]
    assert desk.press(Sheet.of(refused), level=1).status_code == 200
    assert desk.grades() == [(1, 2, None, ""), (2, 1, None, "")]


def test_a_second_window_does_not_overwrite_the_first(cast: Cast) -> None:
    desk = Desk.make(cast)
    one, other = desk.sheet(), desk.sheet()
    assert one.key != other.key
    desk.press(one, level=3)
    stale = desk.press(other, level=0, rationale="Not at all.")
    assert stale.status_code == 409
    assert "another window" in stale.text
    assert "Counts now</dt><dd>3" in stale.text
    assert "Pressed here, not saved</dt><dd>0" in stale.text
    assert "Not at all." in stale.text
    assert desk.grades() == [(1, 3, None, "")]


def test_a_grade_belongs_to_the_text_that_was_shown(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    docno = sheet.title.removeprefix("About ")
    with cast.database.session(writes=True) as session:
        changed = {"title": sheet.title, "text": "Other words.", "url": ""}
        session.execute(
            update(Document).where(Document.docno == docno).values(**changed, text_hash=shown_hash(**changed))
        )
    answer = desk.press(sheet, level=2)
    assert answer.status_code == 409
    assert "text of this document has changed" in answer.text
    assert "Other words." in answer.text
    assert "Pressed here, not saved</dt><dd>2" in answer.text
    assert desk.grades() == []
    assert desk.press(Sheet.of(answer), level=1).status_code == 200
    assert desk.grades() == [(1, 1, None, "")]


def test_a_text_that_changes_after_its_grade_is_flagged(cast: Cast) -> None:
    flag = "The text has changed since."
    desk = Desk.make(cast)
    desk.press(desk.sheet(), level=2)
    assert flag not in desk.browser.get(f"{desk.home}/work").text
    with cast.database.session(writes=True) as session:
        session.execute(update(Document).values(text="Other words.", text_hash="0" * 64))
    assert flag in desk.browser.get(f"{desk.home}/work").text
    assert "1 grade was given on a text" in desk.lead.get(f"{desk.home}/rounds/{desk.round}").text


def test_a_closed_round_takes_no_grade_and_says_so(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet, graded = desk.sheet(), desk.sheet()
    desk.press(graded, level=1)
    sheet = desk.sheet()
    with cast.database.session(writes=True) as session:
        session.execute(update(Round).values(closed_at=now()))
    answer = desk.press(sheet, level=2)
    assert answer.status_code == 409
    assert "This round was closed" in answer.text
    assert "was not saved" in answer.text
    assert len(desk.grades()) == 1
    assert desk.press(graded, level=1).status_code == 200  # What was kept before is still answered for.
    assert desk.browser.get(f"{sheet.address.replace('judging', 'desk')}").status_code == 409
    assert "Nothing is dealt to you now" in desk.browser.get(f"{desk.home}/desk").text


def test_a_pair_that_can_not_be_judged_has_a_reason(cast: Cast) -> None:
    desk = Desk.make(cast)
    answer = desk.press(desk.sheet(), reason="wrong language")
    assert "✓ Saved" in answer.text
    assert desk.grades() == [(1, None, "wrong language", "")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "either a level or a reason"),
        ({"level": 1, "reason": "broken"}, "either a level or a reason"),
        ({"level": 4}, "no level 4"),
        ({"level": -1}, "no level -1"),
        ({"reason": "dull"}, "“dull” is not a reason"),
        ({"level": 1, "rationale": "x" * 4001}, "longer than 4,000"),
        ({"level": 1, "key": ""}, "1 to 64 characters"),
        ({"level": 1, "key": "k" * 65}, "1 to 64 characters"),
    ],
)
def test_what_is_no_grade_is_refused_with_the_reason(cast: Cast, given: dict[str, Any], words: str) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    answer = desk.press(sheet, **given)
    assert answer.status_code == 422
    assert words in html.unescape(answer.text)
    assert Sheet.of(answer).title == sheet.title
    assert desk.grades() == []


def test_later_comes_back_at_the_end_of_the_query(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1", "d2", "d3"]})
    first = desk.sheet()
    answer = desk.browser.post(f"{first.address}/later", data=first.form(), headers=HTMX)
    second = Sheet.of(answer)
    assert second.title != first.title
    desk.press(second, level=0)
    third = desk.sheet()
    assert third.title not in (first.title, second.title)
    desk.press(third, level=0)
    assert desk.sheet().title == first.title


def test_the_last_ten_lead_back_and_one_can_be_changed(cast: Cast) -> None:
    desk = Desk.make(cast)
    first = desk.sheet()
    desk.press(first, level=2, rationale="A step.")
    last = desk.browser.get(f"{desk.home}/work/last").text
    assert first.title in last
    link = re.search(r'href="([^"]*/desk/[^"]*)"', last)
    assert link
    again = desk.browser.get(link[1])
    assert "your grade" in again.text
    assert "A step." in again.text
    answer = desk.press(Sheet.of(again), level=3)
    assert Sheet.of(answer).title != first.title
    assert [grade[:2] for grade in desk.grades()] == [(1, 2), (2, 3)]


def test_several_open_rounds_are_judged_one_after_the_other(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1"]})
    with cast.database.session(writes=False) as session:
        members = [each for each in session.scalars(select(Assignment.labeller_id).distinct()) if each]
    cast.round(desk.project, cast.pool(desk.project, {"q9": ["d9"]}), members)
    assert desk.sheet().title == "About d1"
    assert "HX-Redirect" in desk.press(desk.sheet(), level=1).headers
    assert desk.sheet().title == "About d9"


def test_nobody_reaches_another_s_assignment(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    page = sheet.address.replace("/judging/", "/desk/")
    for browser in (desk.other, desk.lead):
        assert browser.get(page).status_code == 404
        assert browser.post(f"{sheet.address}/grade", data=sheet.form(level=1)).status_code == 404
        assert browser.post(f"{sheet.address}/later").status_code == 404
    stranger = cast.browser(cast.person("zoe"))
    assert stranger.get(f"{desk.home}/desk").status_code == 404
    assert desk.grades() == []


def test_what_comes_from_one_person_s_page_is_done_in_no_other_name(cast: Cast) -> None:
    """In one browser somebody else may have signed in since the page was opened."""
    desk = Desk.make(cast)
    sheet = desk.sheet()
    found = re.search(r'data-person="([^"]*)"', sheet.text)
    assert found
    page_of = HTMX | {"Adjudge-Person": found[1]}
    theirs = Sheet.of(desk.other.get(f"{desk.home}/desk"))
    answers = [
        desk.other.post(f"{each.address}/grade", data=each.form(level=1), headers=page_of) for each in (sheet, theirs)
    ]
    answers += [desk.other.get(f"{desk.home}/{each}", headers=page_of) for each in ("desk/ahead", "work/last")]
    for answer in answers:
        assert answer.status_code == 403
        assert 'data-signed-in="cleo"' in answer.text
        assert "About" not in answer.text
    assert desk.grades() == []
    assert desk.press(sheet, headers=page_of, level=1).status_code == 200


def test_a_reader_has_no_desk(cast: Cast) -> None:
    desk = Desk.make(cast)
    reader = cast.person("rea")
    cast.member(desk.project, reader, "reader")
    for address in ("desk", "work", "work/last"):
        assert cast.browser(reader).get(f"{desk.home}/{address}").status_code == 404


def test_what_a_document_brings_along_is_only_text(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1"]})
    evil = {"title": "<img src=x onerror=alert(1)>", "text": "<script>alert(1)</script>", "url": "javascript:alert(1)"}
    with cast.database.session(writes=True) as session:
        session.execute(update(Document).values(**evil, text_hash=shown_hash(**evil)))
    page = desk.browser.get(f"{desk.home}/desk").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert 'href="javascript' not in page


def test_an_earlier_refusal_is_marked_on_the_desk_and_under_my_work(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    desk.press(sheet, reason="broken")
    work = desk.browser.get(f"{desk.home}/work").text
    assert 'class="mark lx num"' in work
    again = re.search(rf'href="({desk.home}/desk/[a-z2-7]+)"', work)
    assert again
    assert 'value="broken" data-key="b" class="given"' in desk.browser.get(again[1]).text


def test_a_document_with_nothing_but_a_title_says_so(cast: Cast) -> None:
    desk = Desk.make(cast)
    with cast.database.session(writes=True) as session:
        session.execute(update(Document).values(text=""))
    page = desk.browser.get(f"{desk.home}/desk").text
    assert "title only" in page
    assert "There is no text beyond the title." in page
    assert "0 words" not in page
