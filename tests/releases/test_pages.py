"""Releases on pages: conditions, freezing, the waiver, and what a release says of itself."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from app.db import now
from app.people.models import SignIn
from app.releases.manifest import exported
from app.releases.models import Release
from tests.make import PASSWORD, Cast
from tests.releases.story import Story, agreeing

WAIVER = {"waiver": "yes", "name": "Trial", "waiver_reason": "The trial ends today.", "password": PASSWORD}


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def releases(story: Story) -> list[Release]:
    with story.cast.database.session(writes=False) as session:
        return list(session.scalars(select(Release).where(Release.project_id == story.project)))


def test_the_page_begins_where_the_project_does(story: Story) -> None:
    page = story.cast.browser(story.lead).get(f"{story.home}/releases")
    assert page.status_code == 200
    assert "Not met: rubric." in text_of(page.text)
    assert f'href="{story.home}/rubric"' in page.text
    assert f'href="{story.home}/imports/qrels"' in page.text
    assert "waiver" not in page.text


def test_it_lists_conditions_and_what_would_be_in_it(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    page = story.cast.browser(story.lead).get(f"{story.home}/releases")
    words = text_of(page.text)
    assert "Met: rubric." in words
    assert "Not met: gate. Not enough evidence" in words
    assert "agreed" in words
    assert "the labellers differ and nobody has decided" in words
    assert "Freeze release" not in words
    assert "Release without the gate, by a waiver" in words


def test_freezing_leads_to_the_release_and_its_files(story: Story) -> None:
    story.judge(agreeing())
    browser = story.cast.browser(story.lead)
    frozen = browser.post(f"{story.home}/releases", data={"name": "Autumn"})
    (release,) = releases(story)
    assert (frozen.status_code, frozen.headers["location"]) == (303, f"{story.home}/releases/{release.id}")
    page = browser.get(frozen.headers["location"])
    assert page.status_code == 200
    assert release.sha256 in page.text
    assert "gated: false" not in page.text
    qrels = browser.get(f"{frozen.headers['location']}/qrels")
    assert qrels.headers["content-disposition"] == 'attachment; filename="developer-help-release-1.qrels"'
    assert browser.get(f"{frozen.headers['location']}/manifest").text == exported(release)
    assert "1: Autumn" in text_of(browser.get(f"{story.home}/releases").text)


def test_a_password_given_long_ago_is_asked_for_again(story: Story) -> None:
    story.judge(agreeing())
    browser = story.cast.browser(story.lead)
    with story.cast.database.session(writes=True) as session:
        session.execute(update(SignIn).values(password_at=now() - timedelta(minutes=16)))
    address = f"{story.home}/releases"
    sent = browser.post(address, data={"name": "Autumn"}, headers={"Referer": f"http://testserver{address}"})
    assert (sent.status_code, sent.headers["location"]) == (303, f"/password?next={address}")
    assert releases(story) == []


def test_where_the_gate_is_shut_freezing_answers_with_the_condition(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    page = story.cast.browser(story.lead).post(f"{story.home}/releases", data={"name": "Autumn"})
    assert page.status_code == 409
    assert "Not met: gate. Not enough evidence" in text_of(page.text)
    assert releases(story) == []


def test_a_waiver_is_signed_and_then_said_everywhere(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    browser = story.cast.browser(story.lead)
    signed = browser.post(f"{story.home}/releases", data=WAIVER)
    assert signed.status_code == 303, signed.text
    for address in (signed.headers["location"], f"{story.home}/scores"):
        words = text_of(browser.get(address).text)
        assert "gated: false" in words
        assert "The trial ends today." in words
    assert "Waived: gate." in text_of(browser.get(signed.headers["location"]).text)
    assert "ungated" in text_of(browser.get(f"{story.home}/releases").text)
    assert "-ungated.qrels" in browser.get(f"{signed.headers['location']}/qrels").headers["content-disposition"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"password": "something else"}, "That is not your password."),
        ({"password": ""}, "That is not your password."),
        ({"waiver_reason": "  "}, "This can't stay empty."),
        ({"name": ""}, "This can't stay empty."),
    ],
)
def test_a_waiver_that_can_not_be_taken_comes_back_as_typed(story: Story, wrong: dict[str, str], fault: str) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    page = story.cast.browser(story.lead).post(f"{story.home}/releases", data=WAIVER | wrong)
    assert page.status_code == 422
    assert fault in page.text.replace("&#39;", "'")
    assert "The trial ends today." in page.text or "waiver_reason" in wrong
    assert PASSWORD not in page.text
    assert releases(story) == []


def test_guessing_at_the_waiver_s_password_ends_like_guessing_at_sign_in(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    browser = story.cast.browser(story.lead)
    for _ in range(10):
        assert browser.post(f"{story.home}/releases", data=WAIVER | {"password": "guess"}).status_code == 422
    late = browser.post(f"{story.home}/releases", data=WAIVER)
    assert late.status_code == 429
    assert int(late.headers["retry-after"]) > 0
    assert releases(story) == []


def test_before_a_release_the_scores_page_names_the_condition(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    page = story.cast.browser(story.lead).get(f"{story.home}/scores")
    assert page.status_code == 409
    assert "Not met: gate. Not enough evidence" in text_of(page.text)


def test_leads_and_readers_get_in_and_nobody_else(story: Story) -> None:
    cast = story.cast
    story.judge(agreeing())
    release = story.freeze()
    reader, labeller, stranger = cast.person("rea"), cast.person("lou"), cast.person("zoe")
    cast.member(story.project, reader, "reader")
    cast.member(story.project, labeller, "labeller")
    addresses = ["/releases", *(f"/releases/{release.id}{each}" for each in ("", "/qrels", "/manifest")), "/scores"]
    for address in addresses:
        assert cast.browser(reader).get(story.home + address).status_code == 200
        assert cast.browser(labeller).get(story.home + address).status_code == 404
        assert cast.browser(stranger).get(story.home + address).status_code == 404
        assert cast.browser(None).get(story.home + address).headers["location"].startswith("/sign-in")
    for person in (reader, labeller):
        assert cast.browser(person).post(f"{story.home}/releases", data={"name": "A"}).status_code == 404
    page = cast.browser(reader).get(f"{story.home}/releases").text
    assert "Freeze release" not in page
    assert "/agreement" not in page


def test_a_lead_who_still_judges_is_told_to_wait(story: Story) -> None:
    story.judge(agreeing())
    release = story.freeze()
    story.judge([("q99", "d", "ana", None)], kind="main", is_open=True)
    browser = story.cast.browser(story.lead)
    for address in ("/releases", f"/releases/{release.id}", f"/releases/{release.id}/qrels", "/scores"):
        page = browser.get(story.home + address)
        assert page.status_code == 409
        assert "You still judge in round 2" in page.text
        assert release.sha256 not in page.text
    assert browser.post(f"{story.home}/releases", data={"name": "A"}).status_code == 409
