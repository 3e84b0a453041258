"""Writing, publishing and reading a rubric."""

import re
from typing import Any

import pytest
from sqlalchemy import delete, insert, update
from sqlalchemy.exc import DBAPIError

from app.db import new_id
from app.rubrics.models import Level, Rubric
from tests.make import LEVELS, Cast

FORM = {
    "name": ["Nothing", "Something"],
    "question": ["Are they where they were?", "Can they act?"],
    "not_this": ["", ""],
    "threshold": "1",
    "instructions": "Read the document whole.",
    "unjudgeable": "",
}


def test_a_lead_writes_publishes_and_everybody_reads(cast: Cast) -> None:
    lead, labeller, reader = cast.person("ana"), cast.person("ben"), cast.person("cleo")
    project = cast.project(lead)
    cast.member(project, labeller, "labeller")
    cast.member(project, reader, "reader")
    browser, address = cast.browser(lead), f"/projects/{project}/rubric"
    assert "No rubric yet" in browser.get(address).text
    assert "Not saved yet." in browser.get(f"{address}/draft").text
    assert browser.post(f"{address}/draft", data=FORM | {"do": "save"}).status_code == 303
    saved = browser.get(f"{address}/draft").text
    assert "Can they act?" in saved
    assert re.search(r"Saved on \d+ \w+ \d{4}, \d\d:\d\d UTC\.", saved)
    assert browser.post(f"{address}/draft", data=FORM | {"do": "publish"}).headers["location"] == address
    for person in (lead, labeller, reader):
        assert "Can they act?" in cast.browser(person).get(address).text
    for person in (labeller, reader):
        assert cast.browser(person).get(f"{address}/draft").status_code == 404
        assert cast.browser(person).post(f"{address}/draft", data=FORM).status_code == 404


def test_publishing_takes_what_stands_on_the_page_and_not_what_was_saved_before(cast: Cast) -> None:
    lead = cast.person("ana")
    browser, address = cast.browser(lead), f"/projects/{cast.project(lead)}/rubric"
    browser.post(f"{address}/draft", data=FORM | {"do": "save"})
    browser.post(f"{address}/draft", data=FORM | {"instructions": "Read it twice.", "do": "publish"})
    page = browser.get(address).text
    assert ("Read it twice." in page, "Read the document whole." in page) == (True, False)


def test_a_draft_with_a_change_that_is_not_saved_says_so(cast: Cast) -> None:
    lead = cast.person("ana")
    browser, address = cast.browser(lead), f"/projects/{cast.project(lead)}/rubric/draft"
    browser.post(address, data=FORM | {"do": "save"})
    assert "Changed since it was saved" in browser.post(address, data=FORM | {"do": "add 0"}).text


def test_levels_come_and_go_without_losing_what_was_typed(cast: Cast) -> None:
    lead = cast.person("ana")
    browser, address = cast.browser(lead), f"/projects/{cast.project(lead)}/rubric/draft"
    more = browser.post(address, data=FORM | {"do": "add 0"}).text
    assert "Level 2" in more
    assert "Read the document whole." in more
    fewer = browser.post(address, data=FORM | {"do": "remove 1"}).text
    assert "Can they act?" not in fewer


def test_a_level_that_compares_is_published_only_with_a_reason(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    levels: list[dict[str, Any]] = [*LEVELS[:-1], {"name": "Top", "question": "Is it the best answer of all?"}]
    draft = script.put(address, json={"levels": levels}).json()
    assert [each["kind"] for each in draft["findings"] if each["blocks"]] == ["comparative"]
    refused = script.post(f"{address}/publication", json={})
    assert refused.status_code == 409
    assert "compares documents" in refused.json()["error"]["sentence"]
    form = FORM | {"question": ["Nothing?", "Is it the best answer of all?"], "do": "publish"}
    page = cast.browser(lead).post(f"/projects/{project}/rubric/draft", data=form)
    assert page.status_code == 409
    assert "Why does it need to compare" in page.text
    assert "Saved on" in page.text
    script.put(address, json={"levels": levels})
    given = script.post(f"{address}/publication", json={"comparative_reason": "Only one answer is ever shown."})
    assert given.json()["comparative_reason"] == "Only one answer is ever shown."


def test_a_published_rubric_is_frozen_by_the_database(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    rubric = cast.rubric(project)
    changes = [
        update(Rubric).values(instructions="Be kind."),
        delete(Rubric),
        update(Level).where(Level.number == 1).values(question="Other?"),
        delete(Level).where(Level.number == 3),
        insert(Level).values(project_id=project, id=new_id(), rubric_id=rubric, number=4, name="x", question="y?"),
    ]
    for change in changes:
        with pytest.raises(DBAPIError, match="never changed"), cast.database.session(writes=True) as session:
            session.execute(change)


def test_the_next_version_is_a_family_of_its_own(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    second = script.put(address, json={"levels": LEVELS, "instructions": "Now in other words."}).json()
    assert (second["number"], second["family"], second["is_published"]) == (2, 2, False)
    assert script.get(address).json()["number"] == 1
    script.post(f"{address}/publication", json={})
    assert script.get(address).json()["number"] == 2


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"levels": LEVELS[:1]}, 422),
        ({"levels": LEVELS * 3}, 422),
        ({"threshold": 4}, 422),
        ({"threshold": 0}, 422),
        ({"instructions": "x" * 4001}, 422),
        ({"level": []}, 422),
    ],
)
def test_a_draft_that_can_not_be_is_refused(cast: Cast, change: dict[str, Any], status: int) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    answer = cast.script(lead, project).put(f"/api/v1/projects/{project}/rubric", json={"levels": LEVELS} | change)
    assert answer.status_code == status


def test_levels_must_match_the_gain_table(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead, gain="table", gain_table=[0, 0.01, 1])
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    script.put(address, json={"levels": LEVELS})
    refused = script.post(f"{address}/publication", json={})
    assert refused.status_code == 409
    assert "3 numbers" in refused.json()["error"]["sentence"]


def test_markup_in_a_rubric_is_shown_as_typed(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project, levels=[*LEVELS[:-1], {"name": "<b>x</b>", "question": "<script>alert(1)</script>?"}])
    shown = cast.browser(lead).get(f"/projects/{project}/rubric").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
