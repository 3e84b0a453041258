"""Pairs that somebody kept out of kappa without refusing them: left ungraded, or of changed texts."""

from typing import Any

import pytest
from sqlalchemy import update

from app.projects.models import Member
from app.releases.manifest import file_name, marks_of, read_manifest
from tests.agreement import judged
from tests.agreement.judged import Said
from tests.make import Cast
from tests.releases.story import Story, agreeing

MARK = "pairs passed over"


def missing(said: list[Said], number: int, *, step: int) -> list[Said]:
    """Cleo leaves so many of her pairs ungraded, one in `step` of them."""
    hers = [at for at, each in enumerate(said) if each[2] == "cleo"][:: step or 1][:number]
    return [(*each[:3], None) if at in set(hers) else each for at, each in enumerate(said)]


def left_out(story: Story) -> Any:
    script = story.cast.script(story.lead, story.project)
    return script.get(f"/api/v1{story.home}/agreement").json()["left_out"]


def shown(story: Story) -> str:
    return story.cast.browser(story.lead).get(f"{story.home}/releases").text


@pytest.mark.parametrize(("number", "is_marked"), [(17, True), (16, False)])
@pytest.mark.parametrize("step", [10, 1])
def test_more_than_a_twentieth_that_lacks_a_grade_is_marked(
    cast: Cast, number: int, step: int, *, is_marked: bool
) -> None:
    """Of 320 pairs, so that 16 are a twentieth: one here and there, or query after query."""
    story = Story(cast)
    story.judge(missing(agreeing(32), number, step=step))
    assert left_out(story)["ungraded"] == number
    assert (f"of {number} pairs a grade is missing." in shown(story)) is is_marked
    release = story.freeze()
    assert marks_of(release) == ([MARK] if is_marked else [])
    assert read_manifest(release)["gate"]["left_out"]["ungraded"] == number
    assert ("pairs-passed-over" in file_name(release, ".qrels")) is is_marked


def test_texts_that_changed_between_two_grades_are_marked(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(cast)
    said = agreeing(40)
    late = {f"d{query:02}-0" for query in range(30)}
    story.judge([each for each in said if each[2] == "ben" or each[1] not in late])
    monkeypatch.setattr(judged, "document", lambda _: {"text": "", "text_hash": "f" * 64})
    story.judge([each for each in said if each[2] == "cleo" and each[1] in late], kind="main")
    assert left_out(story)["other_text"] == 30
    assert "30 pairs were graded on different texts." in shown(story)
    assert marks_of(story.freeze()) == [MARK]


def without(said: list[Said], number: int) -> list[Said]:
    """What a file holds in which so many of Cleo's grades are blank: nothing of them."""
    return [each for each in missing(said, number, step=10) if each[3] is not None]


@pytest.mark.parametrize(("number", "is_marked"), [(17, True), (16, False)])
def test_what_a_file_leaves_blank_in_a_query_that_two_people_graded_is_counted_and_marked(
    cast: Cast, number: int, *, is_marked: bool
) -> None:
    story = Story(cast)
    story.judge([*without(agreeing(32), number), ("alone", "d", "ben", 1)], kind="imported")
    found = left_out(story)
    assert (found["ungraded"], found["by"]) == (number, [{"labeller": "cleo", "answer": "not graded", "pairs": number}])
    listed = cast.browser(story.lead).get(f"{story.home}/agreement/pairs?left_out=ungraded").text
    assert f"{number} pairs" in listed
    assert (f"of {number} pairs a grade is missing." in shown(story)) is is_marked
    release = story.freeze()
    assert (MARK in marks_of(release)) is is_marked
    manifest = read_manifest(release)
    assert manifest["gate"]["left_out"]["ungraded"] == number
    levels: dict[str, set[object]] = {}
    for _, docno, _, level in without(agreeing(32), number):
        levels.setdefault(docno, set()).add(level)
    settled = 1 + sum(len(given) == 1 for given in levels.values())
    assert manifest["counts"]["sources"] == {"imported": settled}, (
        "what one has graded alone is a judgment all the same"
    )


def test_a_blank_is_none_where_the_grade_came_in_another_round_or_from_a_machine(cast: Cast) -> None:
    story = Story(cast)
    said = agreeing(32)
    story.judge(without(said, 20), kind="imported")
    lacking = [each for each in said if each not in set(without(said, 20))]
    story.judge(lacking, kind="imported")
    assert left_out(story)["ungraded"] == 0
    story.judge([("m", "d1", "ben", 1), ("m", "d2", "ben", 1), ("m", "d1", "bot", 1)], kind="imported")
    assert left_out(story)["ungraded"] == 1
    with cast.database.session(writes=True) as session:
        session.execute(update(Member).where(Member.name == "bot").values(is_machine=True))
    assert left_out(story)["ungraded"] == 0


def test_whoever_was_dealt_the_rest_of_another_s_query_was_not_asked_for_all_of_it(cast: Cast) -> None:
    """In a round that was judged here who was asked is known."""
    story = Story(cast)
    story.judge([*agreeing(32), *(("shared", f"d{at}", ("ben", "cleo")[at % 2], 1) for at in range(10))])
    assert left_out(story)["ungraded"] == 0
