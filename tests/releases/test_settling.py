"""What each pair's grades come to."""

import pytest
from sqlalchemy import update

from app.corpora.models import NO_TEXT, Document
from app.projects.models import Project
from app.releases.prospect import look_ahead
from app.releases.settling import (
    AWAITED,
    NO_JUDGMENT,
    NOT_DEALT,
    TEXT_CHANGED,
    UNGRADED,
    UNRESOLVED,
    Tally,
)
from tests.agreement import judged
from tests.agreement.judged import Said, grade_again
from tests.make import Cast
from tests.releases.story import Story

WAIVER = "The trial ends today."
SHARED = {("q", "differ"): (3, 0), ("q", "same"): (1, 1), ("q", "wrong"): (1, 1)}


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def tally(story: Story) -> Tally:
    with story.cast.database.session(writes=False) as session:
        prospect = look_ahead(session, session.get_one(Project, story.project))
        assert prospect is not None
        return prospect.tally


SOURCES: list[tuple[str, list[Said], tuple[int, str]]] = [
    ("two give the same level", [("q", "d", "ben", 2), ("q", "d", "cleo", 2)], (2, "agreed")),
    ("one alone", [("q", "d", "ben", 0)], (0, "single")),
    ("three give the same", [("q", "d", "ben", 3), ("q", "d", "cleo", 3), ("q", "d", "dora", 3)], (3, "agreed")),
]


@pytest.mark.parametrize(("said", "judgment"), [pytest.param(*case[1:], id=case[0]) for case in SOURCES])
def test_a_pair_gets_a_judgment_with_its_source(story: Story, said: list[Said], judgment: tuple[int, str]) -> None:
    story.judge(said)
    release = story.freeze(waiver_reason=WAIVER)
    assert story.judgments(release) == {("q", "d"): judgment}


LEFT_OUT: list[tuple[str, list[Said], str]] = [
    ("they differ", [("q", "d", "ben", 2), ("q", "d", "cleo", 0)], UNRESOLVED),
    ("one can't judge it", [("q", "d", "ben", 2), ("q", "d", "cleo", "broken")], UNRESOLVED),
    ("two of three agree", [("q", "d", "ben", 2), ("q", "d", "cleo", 2), ("q", "d", "dora", 1)], UNRESOLVED),
    ("nobody can", [("q", "d", "ben", "other"), ("q", "d", "cleo", "broken")], "unjudgeable: broken"),
    ("the only one can't", [("q", "d", "ben", "needs expertise")], "unjudgeable: needs expertise"),
    ("nobody did", [("q", "d", "ben", None), ("q", "d", "cleo", None)], UNGRADED),
]


@pytest.mark.parametrize(("said", "reason"), [pytest.param(*case[1:], id=case[0]) for case in LEFT_OUT])
def test_a_pair_without_a_judgment_is_counted_by_reason(story: Story, said: list[Said], reason: str) -> None:
    story.judge(said)
    assert tally(story).left_out == {reason: 1}
    assert tally(story).judgments == 0


def test_a_second_grade_is_awaited_while_the_round_is_open(story: Story) -> None:
    said: list[Said] = [("q", "d", "ben", 2), ("q", "d", "cleo", None)]
    story.judge(said, is_open=True)
    assert tally(story).left_out == {AWAITED: 1}


def test_once_the_round_is_closed_the_one_grade_stands_as_single(story: Story) -> None:
    story.judge([("q", "d", "ben", 2), ("q", "d", "cleo", None)])
    assert tally(story).sources == {"single": 1}


def test_a_decision_settles_a_differing_pair_and_an_audit_changes_none(
    story: Story,
) -> None:
    story.judge(
        [
            (*pair, name, level)
            for pair, given in SHARED.items()
            for name, level in zip(("ben", "cleo"), given, strict=True)
        ]
    )
    story.decide("q", "differ", 2, step="blind")
    assert tally(story).left_out == {UNRESOLVED: 1}
    story.decide("q", "differ", 1)
    story.decide("q", "same", 1)
    story.decide("q", "wrong", 3)
    release = story.freeze(waiver_reason=WAIVER)
    assert story.judgments(release) == {
        ("q", "differ"): (1, "adjudicated"),
        ("q", "same"): (1, "agreed"),
        ("q", "wrong"): (1, "agreed"),
    }


def test_the_primary_stands_for_differences_of_one_level_only_where_the_project_says_so(cast: Cast) -> None:
    said: list[Said] = [
        ("q", "one", "zoe", 2),
        ("q", "one", "ben", 1),
        ("q", "two", "zoe", 3),
        ("q", "two", "ben", 1),
        ("q", "refused", "zoe", 1),
        ("q", "refused", "ben", "broken"),
        ("q", "decided", "zoe", 0),
        ("q", "decided", "ben", 1),
    ]
    story = Story(cast)
    story.judge(said)
    story.decide("q", "decided", 1)
    assert tally(story).left_out == {UNRESOLVED: 3}
    with cast.database.session(writes=True) as session:
        session.get_one(Project, story.project).primary_stands = True
    assert tally(story).left_out == {UNRESOLVED: 2}
    release = story.freeze(waiver_reason=WAIVER)
    assert story.judgments(release) == {("q", "one"): (2, "primary"), ("q", "decided"): (1, "adjudicated")}
    assert '"primary_stands": true' in release.manifest


def test_a_lead_may_decide_what_nobody_could_judge(story: Story) -> None:
    story.judge([("q", "d", "ben", "query unclear"), ("q", "d", "cleo", "broken")])
    story.decide("q", "d", 2)
    assert story.judgments(story.freeze(waiver_reason=WAIVER)) == {("q", "d"): (2, "adjudicated")}


def test_a_decision_may_say_that_there_is_no_judgment_and_may_be_taken_back(story: Story) -> None:
    story.judge([("q", "d", "ben", 3), ("q", "d", "cleo", 0)])
    story.decide("q", "d", None)
    assert tally(story).left_out == {NO_JUDGMENT: 1}
    story.decide("q", "d", None, step="undone")
    assert tally(story).left_out == {UNRESOLVED: 1}


def test_imported_grades_are_marked_where_nobody_here_graded_the_pair(story: Story) -> None:
    story.judge([("q", "both", "ben", 2), ("q", "both", "cleo", 2), ("q", "one", "ben", 1)], kind="imported")
    story.judge([("q", "mixed", "ben", 3)], kind="imported")
    story.judge([("q", "mixed", "dora", 3)], kind="main")
    release = story.freeze(waiver_reason=WAIVER)
    assert story.judgments(release) == {
        ("q", "both"): (2, "imported"),
        ("q", "one"): (1, "imported"),
        ("q", "mixed"): (3, "agreed"),
    }


def test_imported_grades_that_differ_are_adjudicated(story: Story) -> None:
    story.judge([("q", "d", "ben", 2), ("q", "d", "cleo", 0)], kind="imported")
    story.decide("q", "d", 0)
    assert story.judgments(story.freeze(waiver_reason=WAIVER)) == {("q", "d"): (0, "adjudicated")}


def test_the_newest_grade_counts_and_a_later_round_over_an_earlier(story: Story) -> None:
    story.judge([("q", "again", "ben", 0), ("q", "round", "ben", 0), ("q", "waits", "ben", 1)])
    with story.cast.database.session(writes=True) as session:
        grade_again(session, story.project, "q", "again", "ben", 3)
    story.judge([("q", "round", "ben", 2), ("q", "waits", "ben", None)], kind="main")
    release = story.freeze(waiver_reason=WAIVER)
    assert {docno: grade for (_, docno), (grade, _) in story.judgments(release).items()} == {
        "again": 3,
        "round": 2,
        "waits": 1,
    }


def test_labellers_who_read_different_texts_do_not_agree(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    story.judge([("q", "d", "ben", 2)])
    older = judged.document("d")
    monkeypatch.setattr(judged, "document", lambda _: older | {"text_hash": "f" * 64})
    story.judge([("q", "d", "cleo", 2)], kind="main")
    assert tally(story).left_out == {TEXT_CHANGED: 1}


def test_a_text_that_changed_after_the_grades_is_counted(story: Story) -> None:
    story.judge([("q", "d", "ben", 2), ("q", "d", "cleo", 2), ("q", "e", "ben", 2), ("q", "e", "cleo", 2)])
    with story.cast.database.session(writes=True) as session:
        session.execute(update(Document).where(Document.docno == "d").values(text_hash="f" * 64))
    assert tally(story).outdated == 1
    assert tally(story).judgments == 2


def test_pairs_of_a_pool_that_nobody_was_asked_about_are_counted_too(story: Story) -> None:
    story.judge([("q", "d", "ben", 2)])
    story.cast.pool(story.project, {"q": ["d", "undealt"], "r": ["d"]})
    assert tally(story).left_out == {NOT_DEALT: 2}


def test_imported_grades_of_a_text_that_came_later_agree(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    document = judged.document("d")
    monkeypatch.setattr(judged, "document", lambda _: document | {"text_hash": NO_TEXT})
    story.judge([("q", "d", "ben", 2), ("q", "e", "ben", 1)], kind="imported")
    monkeypatch.undo()
    story.judge([("q", "d", "cleo", 2)], kind="imported")
    assert tally(story).sources == {"imported": 2}
    assert tally(story).outdated == 1
