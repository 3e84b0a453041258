"""Whoever types, grades nothing: also where the pair changes, or the page, while their hands are on the keys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, Route, expect
from sqlalchemy import select

from app.corpora.models import Document
from app.db import now
from app.judging.models import Assignment, Round
from app.pools.models import Pair
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


@pytest.mark.parametrize(("words", "field"), [("Rationale", "#rationale"), ("Ask the lead", "#asks")])
def test_words_that_follow_a_click_go_into_the_field_that_it_opens(desk: Desk, words: str, field: str) -> None:
    name = desk.page.locator("summary", has_text=words)
    for _ in range(2):
        name.click()
        desk.page.keyboard.type(SENTENCE)
        desk.page.keyboard.press("Escape")
    expect(desk.page.locator(field)).to_have_value(2 * SENTENCE)
    desk.page.wait_for_timeout(500)
    assert desk.count() == 0
    name.click()
    name.click()
    expect(desk.page.locator(field)).to_be_hidden()
    name.press("Enter")
    expect(desk.page.locator(field)).to_be_focused()


@pytest.mark.parametrize("sheet", ["u", "?"])
@pytest.mark.parametrize(("key", "field"), [("r", "#rationale"), ("a", "#asks"), ("/", ".tools input")])
def test_a_key_that_opens_a_field_does_so_over_a_sheet_too(desk: Desk, sheet: str, key: str, field: str) -> None:
    page = desk.page
    desk.grade_by_key("1")
    page.keyboard.press(sheet)
    expect(page.locator(":popover-open")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press(key)
    page.keyboard.type(SENTENCE)
    expect(page.locator(field)).to_have_value(SENTENCE)
    expect(page.locator(":popover-open")).to_have_count(0)
    assert desk.count() == 1


@pytest.mark.parametrize(("key", "field"), [("r", "#rationale"), ("a", "#asks"), ("/", ".tools input")])
def test_an_escape_of_an_input_method_leaves_who_types_in_the_field(desk: Desk, key: str, field: str) -> None:
    page = desk.page
    page.keyboard.press(key)
    composed = {"text": "せ", "selectionStart": 1, "selectionEnd": 1}
    page.context.new_cdp_session(page).send("Input.imeSetComposition", composed)
    page.keyboard.press("Escape")
    expect(page.locator(field)).to_be_focused()
    page.keyboard.type(SENTENCE)
    page.wait_for_timeout(500)
    assert desk.count() == 0
    assert SENTENCE in page.locator(field).input_value()


@pytest.mark.parametrize("runs", [True, False])
def test_the_words_of_a_pair_do_not_come_back_to_the_next_one(
    browser: Browser, live_server: LiveServer, runs: bool
) -> None:
    desk = sit_down(browser, live_server, java_script_enabled=runs)
    page = desk.page
    if runs:
        desk.open()
        page.keyboard.press("r")
        page.keyboard.type(SENTENCE)
        page.keyboard.press("Escape")
        desk.grade_by_key("1")
        page.keyboard.press("u")
        page.locator("#last a").first.click()
        expect(page.locator("#rationale")).to_have_value(SENTENCE)
        page.goto(desk.home)
    else:
        page.goto(f"{desk.home}/desk")
        page.locator("summary", has_text="Rationale").click()
        page.locator("#rationale").fill(SENTENCE)
        page.locator("button[name=level][value='1']").click()
        expect(page.locator("#state")).to_contain_text("Saved, the last one as 1")
    page.go_back()
    expect(page.locator("#rationale")).to_have_value("")
    if runs:
        page.wait_for_selector(READY)
    page.locator("button[name=level][value='2']").click()
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 2")
    assert [(level, words) for level, _, words, _ in desk.grades()] == [(1, SENTENCE), (2, "")]
    page.context.close()


def test_a_pair_of_before_that_comes_late_takes_nobody_s_place(desk: Desk) -> None:
    page = desk.page
    desk.grade_by_key("1")
    page.keyboard.press("u")
    slow(page, 1500, "**/desk/*")
    page.locator("#last a").first.focus()
    with page.expect_response("**/desk/*"):
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        desk.grade_by_key("2")
        reads = desk.title.text_content() or ""
    page.wait_for_timeout(300)
    expect(desk.title).to_have_text(reads)
    page.keyboard.press("3")
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 3")
    assert [level for _, level in desk.graded()] == [1, 2, 3]
    assert len({title for title, _ in desk.graded()}) == 3


def test_words_that_were_begun_are_there_when_one_goes_on_from_a_pair_of_before(desk: Desk) -> None:
    page = desk.page
    desk.grade_by_key("1")
    page.keyboard.press("r")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Escape")
    reads = desk.title.text_content() or ""
    page.keyboard.press("u")
    page.locator("#last a").first.click()
    page.locator("#state").get_by_role("link", name="Go on").click()
    expect(desk.title).to_have_text(reads)
    expect(page.locator("#rationale")).to_have_value(SENTENCE)
    expect(page.locator("#rationale")).to_be_visible()


def test_whoever_leaves_words_that_were_begun_is_asked_first(desk: Desk) -> None:
    page, asked = desk.page, list[str]()

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    desk.grade_by_key("1")
    page.keyboard.press("r")
    page.keyboard.type(SENTENCE)
    page.reload()
    assert asked == ["beforeunload"]
    page.wait_for_selector(READY)
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Escape")
    desk.grade_by_key("1")
    page.reload()
    page.wait_for_selector(READY)
    assert asked == ["beforeunload"]


def test_later_that_did_not_arrive_says_so_and_arrives_with_the_next_grade(desk: Desk) -> None:
    page, context = desk.page, desk.page.context
    cookies = context.cookies()
    context.clear_cookies()
    aside = desk.title.text_content() or ""
    desk.grade_by_key("l")
    expect(page.locator("#state")).to_contain_text("For later in this window only: the server has not taken it.")
    assert_accessible(page)
    assert set_aside(desk) == []
    context.add_cookies(cookies)  # type: ignore[arg-type]  # As signing in in another window does.
    with page.expect_response("**/later"):
        desk.grade_by_key("1")
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 1")
    desk.grade_by_key("2")
    assert set_aside(desk) == [(aside, 1)]


def test_later_that_was_refused_is_said_and_not_tried_again(desk: Desk) -> None:
    page, asked = desk.page, list[str]()

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=409, body="<p>Closed.</p>", headers={"Adjudge-Answer": "yes"})

    page.route("**/later", refuse)
    desk.grade_by_key("l")
    expect(page.locator("#state")).to_contain_text("For later in this window only")
    for key in "12":
        desk.grade_by_key(key)
    assert len(asked) == 1
    assert [level for _, level in desk.graded()] == [1, 2]


def set_aside(desk: Desk) -> list[tuple[str, int]]:
    """Title of each pair that was put off, and how often."""
    with desk.cast.database.session(writes=False) as session:
        rows = session.execute(
            select(Document.title, Assignment.set_aside)
            .join(Pair, Pair.document_id == Document.id)
            .join(Assignment, Assignment.pair_id == Pair.id)
            .where(Assignment.set_aside > 0)
        )
        return [(row[0], row[1]) for row in rows]


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
