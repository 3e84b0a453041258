"""Judgments carried forward from an earlier rubric family: which, how they are marked, and what they never enter."""

import random
from collections.abc import Sequence

import pytest

from app.errors import RuleError
from app.projects.models import Project
from app.releases.manifest import file_name, marks_of, read_manifest
from app.releases.prospect import look_ahead
from tests.agreement.judged import LEVELS, Said, publish_rubric
from tests.make import Cast
from tests.releases.story import Story, agreeing

CHANGED = (*LEVELS[:2], "a step or two", LEVELS[3])
"""Level 2 in other words; 0, 1 and 3 as they were."""


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def publish(story: Story, levels: Sequence[str] = CHANGED, *, family: int | None = None) -> None:
    with story.cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=levels, family=family)


def both(qid: str, levels: Sequence[int], *, prefix: str = "e") -> list[Said]:
    """Ben and Cleo agree on these levels."""
    return [(qid, f"{prefix}{at}", name, level) for at, level in enumerate(levels) for name in ("ben", "cleo")]


def test_pairs_at_levels_of_which_no_word_changed_are_carried_and_marked(story: Story) -> None:
    story.judge(both("a1", [0, 1, 2, 3]))
    story.judge([("a1", "single", "ben", 3), ("a1", "open", "ben", 1), ("a1", "open", "cleo", 2)], kind="main")
    publish(story)
    story.judge(agreeing())
    without = story.judgments(story.freeze())
    assert "carried" not in {source for _, source in without.values()}
    release = story.freeze(is_carrying=True)
    held = story.judgments(release)
    carried = {pair: grade for pair, (grade, source) in held.items() if source == "carried"}
    assert carried == {("a1", "e0"): 0, ("a1", "e1"): 1, ("a1", "e3"): 3, ("a1", "single"): 3}
    assert {pair: each for pair, each in held.items() if pair not in carried} == without
    manifest = read_manifest(release)
    assert manifest["counts"]["sources"]["carried"] == 4
    (earlier,) = manifest["rubric"]["carried"]
    (version,) = earlier.pop("versions")
    assert earlier == {"family": 1, "judgments": {"0": 1, "1": 1, "3": 2}}
    assert (version["number"], version["text_hash"]) == (1, "0" * 64)
    assert [level["name"] for level in version["levels"]] == list(LEVELS)
    assert manifest["counts"]["left_out"]["it is in a pool and was never dealt under this rubric"] == 2


def test_what_is_carried_enters_neither_kappa_nor_anybody_s_qualification(story: Story) -> None:
    story.judge([(f"z{at}", "d", "zoe", 3) for at in range(50)], kind="main")
    publish(story)
    story.judge(agreeing())
    plain, carrying = (read_manifest(story.freeze(is_carrying=each)) for each in (False, True))
    assert carrying["counts"]["sources"]["carried"] == 50
    assert carrying["gate"] == plain["gate"]
    assert carrying["labellers"] == plain["labellers"]


def test_what_is_carried_may_make_a_small_set_a_large_one(cast: Cast) -> None:
    story = Story(cast, is_small_set=True)
    story.judge([(f"z{at}", "d", "ben", 3) for at in range(45)], kind="main")
    publish(story)
    story.judge(agreeing(15))
    assert marks_of(story.freeze()) == ["small set"]
    with pytest.raises(RuleError, match="15 of the 30 queries"):
        story.freeze(is_carrying=True)


def test_a_pair_that_was_asked_again_is_never_carried_whatever_was_answered(story: Story) -> None:
    story.judge(both("q00", [3, 3], prefix="d00-"))
    publish(story)
    story.judge(agreeing())
    assert offered(story) == 0


def test_the_last_family_that_asked_decides(story: Story) -> None:
    story.judge(both("a1", [0, 0]))
    publish(story, CHANGED)
    story.judge([("a1", "e0", "ben", 1), ("a1", "e1", "ben", 0), ("a1", "e1", "cleo", 3)])
    publish(story, (*CHANGED[:3], "the whole answer"))
    story.judge(agreeing())
    release = story.freeze(is_carrying=True)
    carried = {pair: each for pair, each in story.judgments(release).items() if pair[0] == "a1"}
    assert carried == {("a1", "e0"): (1, "carried")}


def test_adjudicated_pairs_are_carried_with_what_was_decided(story: Story) -> None:
    story.judge([("a1", "e", "ben", 2), ("a1", "e", "cleo", 3)])
    story.decide("a1", "e", 3)
    publish(story)
    story.judge(agreeing())
    assert story.judgments(story.freeze(is_carrying=True))["a1", "e"] == (3, "carried")


def test_an_open_round_of_a_family_that_is_carried_from_keeps_the_release_shut(story: Story) -> None:
    story.judge(both("a1", [0]), is_open=True)
    publish(story)
    story.judge(agreeing())
    with pytest.raises(RuleError) as caught:
        story.freeze(is_carrying=True)
    assert caught.value.details["conditions"] == ["rounds"]
    assert story.freeze().is_gated


def test_a_minor_edit_needs_nothing_carried_since_its_grades_count(story: Story) -> None:
    story.judge(agreeing())
    publish(story, family=1)
    assert offered(story) == 0
    manifest = read_manifest(story.freeze())
    assert [each["number"] for each in manifest["rubric"]["versions"]] == [1, 2]
    assert manifest["counts"]["judgments"] > 0


def test_where_every_level_changed_nothing_can_be_carried(story: Story) -> None:
    story.judge(both("a1", [0, 1, 2, 3]))
    publish(story, [f"{level}, in other words" for level in LEVELS])
    story.judge(agreeing())
    assert offered(story) == 0


def test_the_page_offers_what_can_be_carried_and_the_release_s_page_says_so(story: Story) -> None:
    story.judge(both("a1", [0, 1, 2, 3]))
    publish(story)
    story.judge(agreeing())
    browser = story.cast.browser(story.lead)
    page = browser.get(f"{story.home}/releases").text
    assert "Carry 3 judgments forward." in page
    assert "at levels 0, 1, 3, of which no word has changed since" in page
    made = browser.post(f"{story.home}/releases", data={"name": "Autumn", "is_carrying": "yes"})
    frozen = browser.get(made.headers["location"]).text
    assert "Carried forward from family 1 (version 1)" in frozen
    assert "1 at level 0, 1 at level 1, 1 at level 3" in frozen


def offered(story: Story) -> int:
    with story.cast.database.session(writes=False) as session:
        prospect = look_ahead(session, session.get_one(Project, story.project))
        assert prospect
        return prospect.carriable


def test_judgments_of_a_family_that_the_gate_failed_are_carried_under_a_mark(story: Story) -> None:
    """What failed is not made good by what passes after it."""
    chance = random.Random(5)
    noise = [(f"n{at % 32}", f"n{at}", name, chance.randrange(4)) for at in range(320) for name in ("ben", "cleo")]
    story.judge(noise)
    publish(story)
    story.judge(agreeing())
    plain, carrying = (story.freeze(is_carrying=each) for each in (False, True))
    assert read_manifest(carrying)["earlier_families"][0]["answer"] == "failed"
    assert [marks_of(each) for each in (plain, carrying)] == [[], ["failed family carried"]]
    assert "release-2-failed-family-carried." in file_name(carrying, ".qrels")
