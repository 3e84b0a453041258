"""Freezing: what must hold, what is kept, and that nothing of it changes afterwards."""

import gc
import hashlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import delete, text, update
from sqlalchemy.exc import DBAPIError

from app.errors import FieldError, RuleError
from app.formats.qrels import Judgment as QrelsLine
from app.formats.qrels import write_qrels
from app.releases.manifest import read_manifest
from app.releases.models import Judgment, Release
from app.releases.releasing import freeze
from tests.agreement.judged import grade_again, publish_rubric
from tests.make import Cast
from tests.releases.story import Story, agreeing


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def refused(story: Story, **how: Any) -> RuleError:
    with pytest.raises(RuleError) as caught:
        story.freeze(**how)
    return caught.value


def test_without_a_rubric_there_is_one_condition_and_no_waiver_for_it(story: Story) -> None:
    assert [(each.name, each.is_met) for each in story.conditions().values()] == [("rubric", False)]
    assert refused(story).details["conditions"] == ["rubric"]
    assert refused(story, waiver_reason="The trial ends today.").details["conditions"] == ["rubric"]


def test_before_the_gate_has_passed_nothing_is_frozen_and_the_refusal_names_it(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    found = story.conditions()
    assert {name: each.is_met for name, each in found.items()} == {
        "rubric": True,
        "rounds": True,
        "gate": False,
        "labellers": True,
        "judgments": True,
    }
    error = refused(story)
    assert error.status == 409
    assert error.details["conditions"] == ["gate"]
    assert error.details["failing"] == [{"name": "gate", "sentence": found["gate"].sentence, "link": "/agreement"}]
    assert "gate" in error.sentence
    assert "Not enough evidence" in error.sentence


def test_a_passed_gate_and_qualified_labellers_make_a_gated_release(story: Story) -> None:
    story.judge(agreeing())
    assert all(condition.is_met for condition in story.conditions().values())
    release = story.freeze("Autumn")
    assert (release.number, release.name, release.is_gated, release.waiver_reason) == (1, "Autumn", True, None)
    assert story.freeze("Winter").number == 2


def test_a_labeller_who_shares_too_little_is_named_and_can_be_waived(story: Story) -> None:
    story.judge(agreeing())
    story.judge([("q99", f"d99-{pair}", "dora", 1) for pair in range(50)], kind="main")
    condition = story.conditions()["labellers"]
    assert not condition.is_met
    assert "shared pairs of dora" in condition.sentence
    assert refused(story).details["conditions"] == ["labellers"]
    assert not story.freeze(waiver_reason="Dora is a nurse.").is_gated


def test_while_a_round_is_open_nothing_is_released_by_waiver_or_without(story: Story) -> None:
    """A grade given later would differ from what the release says was given."""
    story.judge(agreeing())
    story.judge([("q99", "d", "ben", 1), ("q99", "d", "cleo", 1)], kind="main", is_open=True)
    error = refused(story)
    assert error.details["conditions"] == ["rounds"]
    assert "Round 2 is still open" in error.sentence
    assert story.conditions()["rounds"].link.startswith("/rounds/")
    story.judge([("q98", "d", "ben", 1), ("q98", "d", "cleo", 1)], kind="main", is_open=True)
    assert "Rounds 2 and 3 are still open" in refused(story, waiver_reason="The trial ends today.").sentence
    story.close_rounds()
    assert story.freeze().is_gated


def test_a_round_of_another_family_may_stay_open(story: Story) -> None:
    story.judge([("q99", "d", "ben", 1)], is_open=True)
    with story.cast.database.session(writes=True) as session:
        publish_rubric(session, story.project)
    story.judge(agreeing())
    assert story.freeze().is_gated


def test_unresolved_pairs_are_left_out_and_do_not_block(story: Story) -> None:
    said = agreeing()
    story.judge(said)
    manifest = read_manifest(story.freeze())
    differing = sum(one[3] != other[3] for one, other in zip(said[::2], said[1::2], strict=True))
    assert differing > 0
    assert manifest["counts"]["left_out"] == {"the labellers differ and nobody has decided": differing}
    assert manifest["counts"]["judgments"] == 300 - differing


def test_where_nothing_but_unresolved_pairs_is_left_there_is_no_release(story: Story) -> None:
    story.judge([("q", "d", "ben", 3), ("q", "d", "cleo", 0)])
    assert refused(story, waiver_reason="The trial ends today.").details["conditions"] == ["judgments"]


def test_a_waiver_needs_a_reason_and_a_failing_condition(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    for reason in ("", "   ", "x" * 2001, "a\x00b"):
        with pytest.raises(FieldError) as caught:
            story.freeze(waiver_reason=reason)
        assert caught.value.field == "waiver_reason"
    release = story.freeze(waiver_reason=" The trial ends today. ")
    assert (release.is_gated, release.waiver_reason) == (False, "The trial ends today.")
    story.judge([(f"p{qid}", docno, name, level) for qid, docno, name, level in agreeing()], kind="main")
    assert "nothing to waive" in refused(story, waiver_reason="To be sure.").sentence


@pytest.mark.parametrize("name", ["", "  ", "n" * 121, "a\x07b"])
def test_a_release_needs_a_name_that_can_be_printed(story: Story, name: str) -> None:
    story.judge(agreeing())
    with pytest.raises(FieldError) as caught:
        story.freeze(name)
    assert caught.value.field == "name"


def test_a_new_family_begins_with_nothing_to_release(story: Story) -> None:
    story.judge(agreeing())
    story.freeze()
    with story.cast.database.session(writes=True) as session:
        publish_rubric(session, story.project)
    assert refused(story).details["conditions"] == ["gate", "labellers", "judgments"]


def test_the_database_refuses_to_change_a_release_or_its_judgments(story: Story) -> None:
    story.judge(agreeing(queries=2, pairs=2))
    release = story.freeze(waiver_reason="The trial ends today.")
    for statement in (
        update(Release).values(is_gated=True),
        update(Judgment).values(grade=3),
        delete(Judgment),
        delete(Release),
        text("UPDATE judgment SET source = 'carried'"),
    ):
        with pytest.raises(DBAPIError, match="never changed"), story.cast.database.session(writes=True) as session:
            session.execute(statement)
    with story.cast.database.session(writes=False) as session:
        assert session.get_one(Release, (story.project, release.id)).manifest == release.manifest


def test_the_hashes_are_of_the_bytes_that_leave(story: Story) -> None:
    story.judge([("b", "d", "ben", 2), ("a", "é", "ben", 1), ("a", "z", "ben", 0), ("a", "D", "ben", 3)])
    release = story.freeze(waiver_reason="The trial ends today.")
    assert hashlib.sha256(release.manifest.encode()).hexdigest() == release.sha256
    qrels = b"a 0 D 3\na 0 z 0\na 0 \xc3\xa9 1\nb 0 d 2\n"
    assert read_manifest(release)["hashes"]["qrels_sha256"] == hashlib.sha256(qrels).hexdigest()
    with story.cast.database.session(writes=False) as session:
        rows = [(row.qid, row.docno, row.grade, row.source, row.text_hash) for row in session.query(Judgment)]
    lines = "".join("\t".join(map(str, row)) + "\n" for row in sorted(rows, key=lambda row: row[1].encode()))
    by_query = "".join(sorted(lines.splitlines(keepends=True), key=lambda line: line.split("\t")[0].encode()))
    assert read_manifest(release)["hashes"]["judgments_sha256"] == hashlib.sha256(by_query.encode()).hexdigest()
    assert b"".join(write_qrels([QrelsLine("a", "D", 3)])) == b"a 0 D 3\n"


def test_freezing_the_same_again_gives_the_same_judgments(story: Story) -> None:
    story.judge(agreeing())
    first, second = read_manifest(story.freeze("Same")), read_manifest(story.freeze("The same"))
    assert first["hashes"] == second["hashes"]
    assert {key for key in first if first[key] != second[key]} == {"release"}


def test_no_two_releases_bear_one_name(story: Story) -> None:
    story.judge(agreeing())
    story.freeze("Autumn")
    sent = {"name": " Autumn "}
    refused = story.cast.script(story.lead, story.project).post(f"/api/v1{story.home}/releases", json=sent)
    assert refused.status_code == 409
    assert refused.json()["error"]["sentence"] == "Release 1 is called Autumn already."
    assert "name of its own" in refused.json()["error"]["way_out"]
    page = story.cast.browser(story.lead).post(f"{story.home}/releases", data=sent)
    assert page.status_code == 409
    assert "Release 1 is called Autumn already." in page.text
    assert 'name="name" required maxlength="120" value=" Autumn "' in page.text
    assert story.freeze("Winter").number == 2


def test_of_two_who_freeze_under_one_name_at_once_one_is_refused(story: Story) -> None:
    story.judge(agreeing())
    ready = Barrier(2)

    def freeze_now(_: int) -> str:
        ready.wait()
        try:
            return str(story.freeze("Autumn").number)
        except FieldError as error:
            return error.sentence

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(freeze_now, range(2))) == ["1", "Release 1 is called Autumn already."]


def test_an_id_that_no_qrels_file_can_hold_is_named_before_anything_is_frozen(story: Story) -> None:
    story.judge(agreeing())
    story.judge([("q00", "two words", "ben", 1), ("q00", "two words", "cleo", 1)], kind="main")
    error = refused(story)
    assert error.details["conditions"] == ["judgments"]
    assert "two words" in error.sentence
    gc.collect()  # A cursor that was left open warns here, and warnings are errors.


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_nobody_adds_a_grade_while_a_release_is_being_frozen(story: Story) -> None:
    """SQLite lets one transaction write at a time anyway."""
    story.judge(agreeing())
    with story.cast.database.session(writes=True) as session:
        release = freeze(session, story.seat(session), name="First")
        with pytest.raises(DBAPIError, match="lock timeout"):
            change_a_grade(story)
    change_a_grade(story)
    assert read_manifest(release)["counts"]["judgments"] == len(story.judgments(release))


def change_a_grade(story: Story) -> None:
    with story.cast.database.session(writes=True) as session:
        session.execute(text("SET LOCAL lock_timeout = '100ms'"))
        grade_again(session, story.project, "q00", "d00-0", "ben", 3)
