"""Pairs that somebody kept out of kappa without refusing them: left ungraded, or of changed texts."""

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
