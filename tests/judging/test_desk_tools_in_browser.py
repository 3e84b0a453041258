"""The desk's other tools in Chromium: asking, rulings, the clock, the offer of a pause."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import select

from app.judging.models import Grade, Question
from tests.browser_axe import assert_accessible
from tests.judging.windows import Desk, sit_down
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer) -> Iterator[Desk]:
    desk = sit_down(browser, live_server, pairs=60)
    desk.page.clock.install()
    desk.open()
    desk.hold_ahead()
    yield desk
    desk.page.context.close()


def times(desk: Desk) -> list[int | None]:
    with desk.cast.database.session(writes=False) as session:
        return list(session.scalars(select(Grade.active_ms).order_by(Grade.given_at)))


def test_a_question_is_asked_by_key_and_its_ruling_comes_to_everybody(desk: Desk) -> None:
    first = desk.title.text_content() or ""
    desk.page.keyboard.press("a")
    expect(desk.page.get_by_label("What is unclear")).to_be_focused()
    desk.page.keyboard.type("Is grade 3 right, or 2? xlu")
    desk.page.get_by_role("button", name="Ask, and set it aside").click()
    expect(desk.title).not_to_have_text(first)
    assert desk.count() == 0
    with desk.cast.database.session(writes=False) as session:
        question = session.scalars(select(Question)).one()
        assert question.text == "Is grade 3 right, or 2? xlu"
    lead = desk.cast.browser(desk.lead)
    lead.post(f"{desk.home}/questions/{question.id}/answer", data={"ruling": "A link is a 1."})
    desk.page.locator("summary", has_text="Rulings").click()
    expect(desk.page.locator("#rulings")).to_contain_text("A link is a 1.")
    expect(desk.page.locator(".rulings-here summary b")).to_have_text("1")
    assert_accessible(desk.page)


def test_a_question_that_can_not_be_sent_keeps_its_words(desk: Desk) -> None:
    first = desk.title.text_content() or ""
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("a")
    desk.page.keyboard.type("What of links?")
    desk.page.get_by_role("button", name="Ask, and set it aside").click()
    expect(desk.page.locator(".not-asked")).to_contain_text("your question may not have arrived")
    expect(desk.title).to_have_text(first)
    expect(desk.page.get_by_label("What is unclear")).to_have_value("What of links?")
    desk.page.context.set_offline(False)
    desk.page.get_by_role("button", name="Ask, and set it aside").click()
    expect(desk.title).not_to_have_text(first)


def test_time_without_a_movement_is_not_counted(desk: Desk) -> None:
    desk.page.mouse.move(10, 10)
    for at in range(5):
        desk.page.clock.run_for(4_000)
        desk.page.mouse.move(20 + at, 20)
    desk.page.clock.run_for(3_600_000)
    desk.press_at_once("2")
    (taken,) = times(desk)
    assert taken is not None
    assert 75_000 <= taken <= 95_000  # Twenty seconds, and of the hour one minute.


def test_what_is_left_is_told_at_one_s_own_pace_from_twenty_grades_on(desk: Desk) -> None:
    left = desk.page.locator("[data-left]")
    for press in range(20):
        expect(left).to_be_empty()
        desk.page.clock.run_for(30_000)
        desk.press_at_once(str(press % 4))
    expect(left).to_contain_text("about 20 minutes left at your pace")
    desk.page.reload()
    expect(left).to_contain_text("about 20 minutes left at your pace")


def test_a_pause_is_offered_after_fifty_minutes_and_can_be_put_away(desk: Desk) -> None:
    rest = desk.page.locator("#rest")
    for minute in range(49):
        desk.page.clock.run_for(60_000)
        desk.page.mouse.move(100 + minute, 100)
    expect(rest).to_be_hidden()
    for _ in range(2):
        desk.page.clock.run_for(60_000)
        desk.page.keyboard.press("Shift")
    expect(rest).to_be_visible()
    assert_accessible(desk.page)
    rest.get_by_role("button", name="Go on").click()
    expect(rest).to_be_hidden()


def test_only_a_lead_who_does_not_judge_sees_how_long_others_take(desk: Desk) -> None:
    for press in range(10):
        desk.page.clock.run_for(12_000)
        desk.press_at_once(str(press % 4))
    round_ = desk.cast.browser(desk.lead).get(f"{desk.home}/rounds").text.partition("/rounds/")[2][:16]
    seen = desk.cast.browser(desk.lead).get(f"{desk.home}/rounds/{round_}").text
    assert "Seconds a pair" in seen
    assert '<td class="num">12' in seen
