"""Whoever types, grades nothing: also where the pair changes, or the page, while their hands are on the keys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app.db import now
from app.judging.models import Round
from tests.browser_axe import assert_accessible
from tests.judging.windows import READY, Desk, sit_down
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]
SENTENCE = "see section 2, grade 3 is too high, or was it 1"


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer) -> Iterator[Desk]:
    desk = sit_down(browser, live_server, pairs=60)
    desk.open()
    desk.hold_ahead()
    yield desk
    desk.page.context.close()


def slow(page: Page, ms: int, addresses: str = "**/grade") -> None:
    def answer(route: Route) -> None:
        page.wait_for_timeout(ms)
        route.continue_()

    page.route(addresses, answer)


def hold_back(page: Page) -> None:
    """Whatever is sent waits in the page until `let_go`."""
    page.evaluate(
        "() => { const real = window.fetch; window.held = [];"
        " window.fetch = (to, how) => how?.method !== 'POST' ? real(to, how) :"
        " new Promise((answer) => window.held.push(() => answer(real(to, how)))); }"
    )


def let_go(page: Page) -> None:
    page.evaluate("window.held.splice(0).forEach((go) => go())")


def type_through_the_change(desk: Desk) -> None:
    """A grade of 1 is on its way: words before its answer, and words after it."""
    page = desk.page
    page.keyboard.type(SENTENCE)
    let_go(page)
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 1")
    page.wait_for_selector(READY)
    page.keyboard.type(SENTENCE)
    assert [grade[0] for grade in desk.grades()] == [1]
    expect(page.locator("#keys-off")).to_be_visible()


@pytest.mark.parametrize("key", ["r", "a", "/"])
def test_words_that_follow_a_grade_too_soon_grade_nothing(desk: Desk, key: str) -> None:
    page = desk.page
    hold_back(page)
    page.keyboard.press("1")
    page.keyboard.press(key)
    type_through_the_change(desk)
    for name in ("rationale", "asks"):
        expect(page.locator(f"#{name}")).to_have_value("")
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#keys-off")).to_be_hidden()
    page.keyboard.press("2")
    let_go(page)
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 2")
    assert [grade[0] for grade in desk.grades()] == [1, 2]


def test_the_focus_taken_out_of_a_field_takes_no_word_for_a_grade(desk: Desk) -> None:
    page = desk.page
    hold_back(page)
    page.keyboard.press("r")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.locator("#rationale").click()
    type_through_the_change(desk)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#keys-off")).to_be_hidden()


def test_r_on_an_open_rationale_goes_on_with_it(desk: Desk) -> None:
    page = desk.page
    for words in ("first, ", SENTENCE):
        page.keyboard.press("r")
        page.keyboard.type(words)
        page.keyboard.press("Escape")
    expect(page.locator("#rationale")).to_have_value(f"first, {SENTENCE}")
    assert desk.count() == 0
    desk.grade_by_key("1")
    page.keyboard.press("u")
    page.locator("#last a").first.click()
    expect(page.locator("#rationale")).to_have_value(f"first, {SENTENCE}")
    page.keyboard.press("r")
    page.keyboard.type(" 2")
    assert [grade[0] for grade in desk.grades()] == [1]


def test_a_list_that_comes_late_takes_nobody_out_of_their_words(desk: Desk) -> None:
    page = desk.page
    desk.grade_by_key("1")
    slow(page, 600, "**/work/last")
    page.keyboard.press("u")
    page.keyboard.press("r")
    page.keyboard.type(SENTENCE, delay=30)
    expect(page.locator("#rationale")).to_have_value(SENTENCE)
    expect(page.locator("#last")).to_be_hidden()
    assert [grade[0] for grade in desk.grades()] == [1]


def test_words_begun_while_grades_of_before_a_reload_are_sent_stay(desk: Desk) -> None:
    page = desk.page
    page.context.set_offline(True)
    for _ in range(6):
        desk.grade_by_key("3")
    slow(page, 200)
    page.context.set_offline(False)
    page.reload()
    page.wait_for_selector(READY)
    page.keyboard.press("a")
    page.keyboard.type(SENTENCE, delay=60)
    expect(page.locator("main.desk")).to_have_attribute("data-saving", "no", timeout=20_000)
    page.wait_for_timeout(500)
    expect(page.locator("#asks")).to_have_value(SENTENCE)
    assert [grade[0] for grade in desk.grades()] == [3] * 6
    page.get_by_role("button", name="Ask, and set it aside").click()
    expect(page.locator("#asks")).to_have_value("")
    expect(page.locator("#state")).to_have_text("✓ Asked, and set aside")


def test_a_page_that_leaves_while_somebody_types_hands_no_word_on_as_a_key(desk: Desk) -> None:
    page = desk.page
    desk.grade_by_key("1")
    page.keyboard.press("r")
    page.reload()
    page.wait_for_selector(READY)
    page.keyboard.type(SENTENCE)
    page.wait_for_timeout(500)
    assert desk.count() == 1
    expect(page.locator("#keys-off")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator("#keys-off")).to_be_hidden()
    desk.grade_by_key("2")


def test_what_is_refused_shows_the_words_that_went_with_it(desk: Desk) -> None:
    page = desk.page
    page.context.set_offline(True)
    page.keyboard.press("r")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Escape")
    desk.grade_by_key("1")
    with desk.cast.database.session(writes=True) as session:
        session.query(Round).one().closed_at = now()
    page.context.set_offline(False)
    expect(page.locator("#refused")).to_contain_text(SENTENCE, timeout=20_000)


def test_without_scripts_a_grade_outlives_the_end_of_a_sign_in(browser: Browser, live_server: LiveServer) -> None:
    desk = sit_down(browser, live_server, pairs=4, java_script_enabled=False)
    page, context = desk.page, desk.page.context
    page.goto(f"{desk.home}/desk")
    cookies = context.cookies()
    context.clear_cookies()
    page.locator("summary", has_text="Rationale").click()
    page.locator("#rationale").fill(SENTENCE)
    page.locator("button[name=level][value='3']").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out, and this is not saved yet.")
    assert page.get_by_role("link", name="Sign in in another window").get_attribute("target") == "_blank"
    assert desk.count() == 0
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out, and this is not saved yet.")
    context.add_cookies(cookies)  # type: ignore[arg-type]  # As signing in in another window does.
    page.get_by_role("button", name="Send it again").click()
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 3")
    assert desk.grades() == [(3, None, SENTENCE, "browser")]
