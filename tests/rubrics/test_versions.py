"""Versions: which join a family, what each holds, and what changed between them."""

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rubrics.diffing import WORDS, Piece, difference, pieces_of
from app.rubrics.texts import FIRST_LEVELS, Example, LevelText, RubricText
from tests.make import LEVELS, Cast

OTHER_WORDS = [*LEVELS[:1], {"name": "Context", "question": "Do they learn about the task without a way to act?"}]
REWORDED = [*OTHER_WORDS, *LEVELS[2:]]


def words_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_another_question_is_no_minor_edit_at_once_or_word_by_word(cast: Cast) -> None:
    """Or a rubric that nobody tested would stand in a release of one that was."""
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}"

    def publish(question: str, *, is_minor: bool = True) -> Any:
        levels = [{**LEVELS[0], "question": question}, *LEVELS[1:]]
        assert script.put(f"{address}/rubric", json={"levels": levels}).status_code == 200
        return script.post(f"{address}/rubric/publication", json={"is_minor": is_minor})

    assert publish("Is there nothing that helps them with this task?", is_minor=False).status_code == 200
    refused = publish("Is the page blue?")
    assert refused.status_code == 409
    assert "little is left of the question of level 0" in refused.json()["error"]["sentence"]
    assert publish("Is there nothing that helps them with this page?").status_code == 200
    assert publish("Is there nothing that helps us on this page?").status_code == 200
    drifted = publish("Is there something blue that we find on this page?")
    assert drifted.status_code == 409, "it is compared with the family's first version, too"


def test_a_minor_edit_joins_the_family_and_any_other_version_begins_one(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}"
    for is_minor, levels, words in ((True, REWORDED, ""), (False, LEVELS, "Read."), (True, REWORDED, "Read.")):
        script.put(f"{address}/rubric", json={"levels": levels, "instructions": words})
        assert script.post(f"{address}/rubric/publication", json={"is_minor": is_minor}).status_code == 200
    listed = script.get(f"{address}/rubrics").json()
    assert [(each["number"], each["family"], each["is_minor"]) for each in listed] == [
        (4, 3, True),
        (3, 3, False),
        (2, 1, True),
        (1, 1, False),
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"levels": LEVELS[:3]}, "there were 4 levels, and now 3"),
        ({"levels": LEVELS, "threshold": 2}, "the binary threshold was 1, and now 2"),
        ({"levels": [LEVELS[1], LEVELS[0], *LEVELS[2:]]}, "the question of level 1 became that of level 0"),
    ],
)
def test_a_version_in_which_a_number_means_something_else_is_no_minor_edit(
    cast: Cast, change: dict[str, Any], why: str
) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    script.put(address, json=change)
    refused = script.post(f"{address}/publication", json={"is_minor": True})
    assert refused.status_code == 409
    assert why in refused.json()["error"]["sentence"]
    assert refused.json()["error"]["details"]["conditions"] == ["minor"]
    assert script.post(f"{address}/publication", json={}).json()["family"] == 2


def test_the_first_version_can_t_be_minor_and_its_page_does_not_ask(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    script.put(address, json={"levels": LEVELS})
    assert "none that it rewords" in script.post(f"{address}/publication", json={"is_minor": True}).text
    assert "is_minor" not in cast.browser(lead).get(f"/projects/{project}/rubric/draft").text


@pytest.mark.parametrize("is_minor", [True, False])
def test_a_version_in_the_same_words_is_none(cast: Cast, is_minor: bool) -> None:
    """It would ask anew a gate that has failed."""
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"
    again = [each | {"name": f" {each['name']} "} for each in LEVELS]
    assert script.put(address, json={"levels": again}).status_code == 200
    refused = script.post(f"{address}/publication", json={"is_minor": is_minor})
    assert (refused.status_code, refused.json()["error"]["sentence"]) == (
        409,
        "Not a word has changed since version 1.",
    )


def test_words_of_an_older_version_are_none_either_but_for_a_minor_edit_back_to_them(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rubric"

    def publish(levels: list[dict[str, Any]], *, is_minor: bool = False) -> tuple[int, str]:
        assert script.put(address, json={"levels": levels}).status_code == 200
        answer = script.post(f"{address}/publication", json={"is_minor": is_minor})
        return answer.status_code, answer.json().get("error", {}).get("sentence", "")

    other = [*LEVELS[:3], LEVELS[3] | {"question": "Is nothing at all left for them to wish for?"}]
    again = (409, "Version 1 had these very words.")
    assert publish(LEVELS) == (200, "")
    assert publish(REWORDED, is_minor=True) == (200, "")
    assert publish(LEVELS) == again
    assert publish(LEVELS, is_minor=True) == (200, "")
    assert publish(REWORDED) == (409, "Version 2 had these very words.")
    assert publish(other) == (200, "")
    assert publish(LEVELS, is_minor=True)[0] == 409, "by way of another family"


def test_a_lead_marks_a_minor_edit_on_the_page_and_the_mark_outlives_a_refusal(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    browser, address = cast.browser(lead), f"/projects/{project}/rubric"
    form = {"name": ["A", "B"], "question": ["Can they?", "Could they?"], "not_this": ["", ""]}
    refused = browser.post(f"{address}/draft", data=form | {"is_minor": "yes", "do": "publish"})
    assert refused.status_code == 409
    assert "there were 4 levels, and now 2" in refused.text
    assert re.search(r'name="is_minor" value="yes" checked', refused.text)


def test_grades_under_every_version_of_a_family_stand_in_one_kappa(cast: Cast) -> None:
    lead, ben, cai = (cast.person(name) for name in ("ana", "ben", "cai"))
    project = cast.project(lead)
    labellers = [cast.member(project, each, "labeller") for each in (ben, cai)]
    cast.rubric(project)
    for number, is_minor in enumerate((None, True, False)):
        if is_minor is not None:
            cast.rubric(project, levels=REWORDED, instructions=f"Version {number}.", is_minor=is_minor)
        pool = cast.pool(project, {f"q{number}": ["d1", "d2"]})
        cast.round(project, pool, labellers)
        for person in (ben, cai):
            grade_all(cast, person, project)
    script = cast.script(lead, project)
    close_rounds(cast, lead, project)
    assert script.get(f"/api/v1/projects/{project}/agreement").json()["pairs"] == 2
    assert script.get(f"/api/v1/projects/{project}/agreement?family=1").json()["pairs"] == 4
    mixed = script.get(f"/api/v1/projects/{project}/agreement?family=1&family=3")
    assert (mixed.status_code, mixed.json()["error"]["details"]["conditions"]) == (409, ["family"])
    held = script.get(f"/api/v1/projects/{project}/rubrics").json()
    assert [(each["number"], each["rounds"], each["grades"]) for each in held] == [(3, 1, 4), (2, 1, 4), (1, 1, 4)]


def grade_all(cast: Cast, person: str, project: str) -> None:
    script, address = cast.script(person, project), f"/api/v1/projects/{project}/assignments"
    for shown in script.get(address, params={"limit": 100}).json():
        body = {name: shown[name] for name in ("key", "revision", "text_hash")}
        assert script.post(f"{address}/{shown['id']}/grades", json=body | {"level": 1}).is_success


def close_rounds(cast: Cast, lead: str, project: str) -> None:
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/rounds"
    for round_ in script.get(address).json():
        assert script.post(f"{address}/{round_['id']}/closure").is_success


def test_the_page_of_versions_says_what_changed_word_by_word(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    first = cast.rubric(project)
    cast.rubric(project, levels=REWORDED, instructions="Read it <b>whole</b>.", is_minor=True)
    browser, address = cast.browser(lead), f"/projects/{project}/rubric"
    page = browser.get(f"{address}/versions").text
    words = words_of(page)
    assert "From version 1 to version 2" in words
    assert "2 parts read differently" in words
    assert "Of levels 0, 2, 3 no word changed" in words
    assert "taken out: something" in words
    assert "put in: Read it <b>whole</b>." in words
    assert "<ins>" in page
    assert "<b>whole" not in page
    back = words_of(browser.get(f"{address}/versions?old=2&new=1").text)
    assert "From version 2 to version 1" in back
    assert browser.get(f"{address}/versions?old=1&new=9").status_code == 404
    assert "This is an earlier version" in browser.get(f"{address}/versions/{first}").text


def test_a_draft_is_no_version_that_anybody_reads(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}"
    draft = script.put(f"{address}/rubric", json={"levels": LEVELS}).json()
    assert script.get(f"{address}/rubrics/{draft['id']}").status_code == 404
    assert script.get(f"{address}/rubrics/diff", params={"old": 1, "new": 1}).status_code == 404
    assert script.get(f"{address}/rubrics").json() == []


# Differences


def test_only_levels_of_which_no_word_changed_count_as_unchanged() -> None:
    old = RubricText()
    second = FIRST_LEVELS[2]
    for other in (
        replace(second, name="other words"),
        replace(second, question="other words"),
        replace(second, examples=(Example(why="other words"),)),
        replace(second, counter_examples=(Example(why="other words"),)),
        replace(second, not_this="other words"),
    ):
        levels = [*FIRST_LEVELS[:2], other, FIRST_LEVELS[3]]
        assert difference(old, RubricText(levels)).unchanged_levels == (0, 1, 3)
    moved = [replace(level, number=number) for number, level in enumerate(reversed(FIRST_LEVELS))]
    assert difference(old, RubricText(moved)).unchanged_levels == ()
    assert difference(old, RubricText(FIRST_LEVELS[:2])).unchanged_levels == (0, 1)


def test_equal_versions_have_no_difference() -> None:
    found = difference(RubricText(), RubricText())
    assert found.changes == ()
    assert found.same == 9


SENTENCES = st.lists(st.sampled_from(["can", "they", "finish", " ", "\n", "now?"]), max_size=12)


@given(SENTENCES, SENTENCES)
def test_what_is_the_same_and_one_side_of_the_rest_gives_either_text_back(old: list[str], new: list[str]) -> None:
    pieces = list(pieces_of(old, new))
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == "".join(old)
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == "".join(new)


def test_one_word_changed_is_told_as_one_word() -> None:
    old, new = (RubricText([LevelText(0, "A", f"Can they {verb} it now?")]) for verb in ("finish", "begin"))
    (change,) = difference(old, new).changes
    assert change.part == "Level 0, question"
    assert change.pieces == (
        Piece("same", "Can they "),
        Piece("removed", "finish"),
        Piece("added", "begin"),
        Piece("same", " it now?"),
    )


def test_a_phrase_in_place_of_another_is_told_as_one_and_what_is_added_leaves_the_rest_alone() -> None:
    old, new = "Can they do a necessary step?", "Can they do one that matters?\nNow."
    assert list(pieces_of(WORDS.findall(old), WORDS.findall(new))) == [
        Piece("same", "Can they do "),
        Piece("removed", "a necessary step?"),
        Piece("added", "one that matters?\nNow."),
    ]
    assert list(pieces_of(WORDS.findall(old), WORDS.findall(f"{old}\nNow."))) == [
        Piece("same", old),
        Piece("added", "\nNow."),
    ]
