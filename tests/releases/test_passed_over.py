"""Pairs that somebody kept out of kappa one by one: left ungraded in a query that they graded, or of changed texts."""

from typing import Any

import pytest

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
def test_more_than_a_twentieth_left_out_among_graded_pairs_is_marked(
    cast: Cast, number: int, *, is_marked: bool
) -> None:
    """Of 320 pairs, so that 16 are a twentieth."""
    story = Story(cast)
    story.judge(missing(agreeing(32), number, step=10))
    assert (left_out(story)["ungraded"], left_out(story)["passed_over"]) == (number, number)
    assert (f"{number} pairs were left ungraded among graded ones of the same query." in shown(story)) is is_marked
    release = story.freeze()
    assert marks_of(release) == ([MARK] if is_marked else [])
    assert read_manifest(release)["gate"]["left_out"]["passed_over"] == number
    assert ("pairs-passed-over" in file_name(release, ".qrels")) is is_marked


def test_whole_queries_that_somebody_did_not_come_to_mark_nothing(cast: Cast) -> None:
    story = Story(cast)
    story.judge(missing(agreeing(40), 95, step=1))
    assert (left_out(story)["ungraded"], left_out(story)["passed_over"]) == (95, 5), "she was in the middle of a query"
    assert marks_of(story.freeze()) == []


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
