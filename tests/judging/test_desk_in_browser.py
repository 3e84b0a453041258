"""The desk in a real browser: keys, clicks, an outage, a phone, no script at all."""

from collections.abc import Iterator
from dataclasses import fields

import pytest
from playwright.sync_api import Browser, Route, expect
from sqlalchemy import update

from app.db import now
from app.judging.models import Round
from app.rubrics.templates import PRODUCTS
from app.rubrics.texts import LevelText
from tests.browser_axe import assert_accessible
from tests.judging.windows import READY, Desk, sit_at_desk, sit_down
from tests.make import LEVELS
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer) -> Iterator[Desk]:
    desk = sit_down(browser, live_server)
    desk.open()
    yield desk
    desk.page.context.close()


def test_a_digit_grades_and_the_next_pair_appears(desk: Desk) -> None:
    expect(desk.page.locator(".where")).to_contain_text("1 of 7 in this query")
    desk.grade_by_key("2")
    assert desk.grades() == [(2, None, "", "browser")]
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    expect(desk.page.locator("#said")).to_contain_text("Saved, the last one as 2")
    expect(desk.page.locator(".where")).to_contain_text("2 of 14 in round 1")
    expect(desk.title).to_be_focused()


@pytest.mark.parametrize(
    ("key", "code", "level"),
    [("0", "Numpad0", 0), ("à", "Digit0", 0), ("&", "Digit1", 1), ("2", "Digit2", 2)],
    ids=["number pad", "French zero", "French one", "plain"],
)
def test_digits_are_found_on_other_keyboards(desk: Desk, key: str, code: str, level: int) -> None:
    before = desk.title.text_content() or ""
    desk.page.dispatch_event("#document", "keydown", {"key": key, "code": code, "bubbles": True})
    expect(desk.title).not_to_have_text(before)
    assert desk.grades()[0][0] == level


def test_letters_are_found_on_other_keyboards(desk: Desk) -> None:
    desk.page.dispatch_event("#document", "keydown", {"key": "ч", "code": "KeyX", "bubbles": True})
    expect(desk.page.get_by_role("button", name="Wrong language")).to_be_visible()


def test_digits_in_the_rationale_grade_nothing(desk: Desk) -> None:
    desk.page.keyboard.press("r")
    expect(desk.page.locator("#rationale")).to_be_focused()
    desk.page.keyboard.type("2 of 3 steps; xlu? 1")
    assert desk.count() == 0
    desk.page.keyboard.press("Escape")
    expect(desk.page.locator("#rationale")).not_to_be_focused()
    desk.grade_by_key("1")
    assert desk.grades() == [(1, None, "2 of 3 steps; xlu? 1", "browser")]
    expect(desk.page.locator("#rationale")).to_have_value("")


def test_a_held_key_grades_one_pair(desk: Desk) -> None:
    before = desk.title.text_content() or ""
    for _ in range(15):
        desk.page.keyboard.down("3")  # The second and every later one is a repeat.
        desk.page.wait_for_timeout(30)
    desk.page.keyboard.up("3")
    expect(desk.title).not_to_have_text(before)
    desk.page.wait_for_selector(READY)
    assert desk.count() == 1


def test_a_double_press_grades_one_pair(desk: Desk) -> None:
    before = desk.title.text_content() or ""
    desk.page.keyboard.press("3")
    desk.page.keyboard.press("3")
    expect(desk.title).not_to_have_text(before)
    desk.page.keyboard.press("3")  # The next pair has been there for some milliseconds only.
    desk.page.wait_for_selector(READY)
    assert desk.count() == 1


def test_a_double_click_grades_one_pair(desk: Desk) -> None:
    before = desk.title.text_content() or ""
    desk.page.get_by_role("button", name="Context").dblclick()
    expect(desk.title).not_to_have_text(before)
    desk.page.wait_for_selector(READY)
    assert desk.count() == 1


@pytest.mark.parametrize("name", ["Context", "Later"])
def test_clicks_in_a_row_on_one_spot_answer_one_pair(desk: Desk, name: str) -> None:
    """Slow ones too, of which the last come when the next document has been there for a while."""
    box = desk.page.get_by_role("button", name=name).bounding_box()
    assert box
    at = box["x"] + 20, box["y"] + 20
    sent: list[str] = []
    desk.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    for _ in range(5):
        desk.page.mouse.click(*at)  # Each as a first click, as on a touch screen.
        desk.page.wait_for_timeout(120)
    desk.page.wait_for_selector(READY)
    assert len(sent) == 1
    desk.page.wait_for_timeout(500)
    desk.page.mouse.click(*at)
    expect(desk.page.locator(".hasty")).to_have_count(0)
    assert len(sent) == 2


@pytest.mark.parametrize("key", ["2", "l"])
def test_a_press_that_comes_too_soon_is_said_to_be_dropped(desk: Desk, key: str) -> None:
    before = desk.title.text_content() or ""
    desk.page.keyboard.press("1")
    expect(desk.title).not_to_have_text(before)
    desk.page.keyboard.press(key)
    expect(desk.page.locator("#state")).to_contain_text("Too quick: press again.")
    expect(desk.page.locator("#said")).to_contain_text("Too quick")
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 1")
    assert_accessible(desk.page)
    desk.page.wait_for_selector(READY)
    assert desk.count() == 1
    desk.grade_by_key("3")
    expect(desk.page.locator("#state")).to_have_text("✓ Saved, the last one as 3")


@pytest.mark.parametrize("width", [320, 1440])
def test_a_grade_without_a_place_is_told_as_not_saved_with_room_around(
    browser: Browser, live_server: LiveServer, width: int
) -> None:
    desk = sit_down(browser, live_server, viewport={"width": width, "height": 800})
    desk.open()
    desk.grade_by_key("0")
    with desk.cast.database.session(writes=True) as session:
        session.execute(update(Round).values(closed_at=now()))
    desk.page.keyboard.press("2")
    card = desk.page.locator("#pair.card")
    expect(card).to_contain_text("What you pressed was not saved.")
    expect(desk.page.locator("#state")).to_have_text("Not saved, see above")
    box = card.bounding_box()
    rail = desk.page.locator(".rail").bounding_box()
    assert box
    assert rail
    assert box["x"] >= 16
    assert box["x"] + box["width"] <= (width if width < 768 else rail["x"]) - 16
    assert box["y"] - desk.page.locator(".bar").evaluate("(bar) => bar.getBoundingClientRect().bottom") >= 16
    assert_accessible(desk.page)
    desk.page.context.close()


LOW = [(720, 450), (640, 400), (844, 390), (320, 256)]
SHARE = """() => {
  const { left, right } = document.querySelector(".doc").getBoundingClientRect()
  const isOfDocument = (y) => document.elementFromPoint((left + right) / 2, y)?.closest(".doc")
  return [...Array(innerHeight).keys()].filter(isOfDocument).length / innerHeight
}"""


@pytest.mark.parametrize(("width", "height"), LOW)
def test_in_a_low_window_the_document_has_the_room(
    browser: Browser, live_server: LiveServer, width: int, height: int
) -> None:
    """A laptop at 200 % and 400 %, and a phone on its side."""
    texts = [
        {"id": f"q{q}-{n}", "title": f"Page {q}-{n}", "text": "Words of it. " * 400} for q in (1, 2) for n in (0, 1)
    ]
    desk = sit_down(browser, live_server, pairs=4, documents=texts, viewport={"width": width, "height": height})
    desk.open()
    if height > 300:
        assert desk.page.evaluate(SHARE) >= 1 / 3
    desk.page.mouse.move(width / 4, height / 4)
    desk.page.mouse.wheel(0, 300)
    expect(desk.page.locator("#query")).not_to_be_in_viewport()
    assert desk.page.evaluate(SHARE) > 1 / 2
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(desk.page)
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("words")
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator(".found")).to_have_text("2 of 400")
    desk.page.keyboard.press("Escape")
    for level in LEVELS:
        button = desk.page.locator("button.level", has_text=str(level["name"]))
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)
    desk.page.get_by_role("button", name="Context").click()
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 1")
    desk.page.context.close()


def test_what_can_not_be_judged_is_said_by_two_letters(desk: Desk) -> None:
    before = desk.title.text_content() or ""
    desk.page.keyboard.press("w")  # Shut away, it does nothing.
    desk.page.wait_for_timeout(100)
    expect(desk.title).to_have_text(before)
    desk.page.keyboard.press("x")
    expect(desk.page.get_by_role("button", name="Wrong language")).to_be_focused()
    desk.page.keyboard.press("Escape")
    expect(desk.page.get_by_role("button", name="Wrong language")).to_be_hidden()
    desk.page.keyboard.press("x")
    desk.grade_by_key("w")
    assert desk.grades() == [(None, "wrong language", "", "browser")]


def test_later_and_back(desk: Desk) -> None:
    first = desk.title.text_content() or ""
    desk.grade_by_key("l")
    assert desk.count() == 0
    second = desk.title.text_content() or ""
    desk.grade_by_key("2")
    desk.page.keyboard.press("u")
    last = desk.page.locator("#last")
    expect(last).to_be_visible()
    expect(last.get_by_role("link", name=second)).to_be_focused()
    desk.page.keyboard.press("3")  # Under the sheet no key grades.
    desk.page.wait_for_timeout(100)
    assert desk.count() == 1
    desk.page.keyboard.press("Enter")
    expect(desk.title).to_have_text(second)
    expect(desk.page.locator(".level.given")).to_contain_text("your grade")
    desk.page.wait_for_selector(READY)
    desk.grade_by_key("0")
    assert [grade[0] for grade in desk.grades()] == [2, 0]
    assert desk.page.url.split("?")[0].endswith("/desk")
    assert desk.title.text_content() not in (first, second)


def test_words_that_are_not_sent_yet_stay_with_their_pair(desk: Desk) -> None:
    desk.hold_ahead()
    first, page = desk.title.text_content() or "", desk.page
    fields = {"r": (page.locator("#rationale"), "It names the maker."), "a": (page.locator("#asks"), "What of links?")}
    for key, (_, words) in fields.items():
        page.keyboard.press(key)
        page.keyboard.type(words)
        page.keyboard.press("Escape")
    desk.grade_by_key("l")
    for _ in range(6):
        for field, _ in fields.values():
            expect(field).to_have_value("")
        desk.grade_by_key("2")
    expect(desk.title).to_have_text(first)
    for field, words in fields.values():
        expect(field).to_have_value(words)
    desk.grade_by_key("1")
    assert desk.grades()[-1] == (1, None, "It names the maker.", "browser")
    expect(page.locator("#asks")).to_have_value("")


def test_escape_closes_the_sheets(desk: Desk) -> None:
    desk.page.keyboard.press("?")
    expect(desk.page.locator("#keys")).to_be_visible()
    desk.page.keyboard.press("2")
    desk.page.keyboard.press("Escape")
    expect(desk.page.locator("#keys")).to_be_hidden()
    assert desk.count() == 0


def test_a_lost_answer_is_waited_for_and_counts_once(desk: Desk) -> None:
    """The grade reaches the server, and its answer is lost: the desk goes on, says so, and sends it again."""
    desk.hold_ahead()
    before = desk.title.text_content() or ""

    def drop(route: Route) -> None:
        route.fetch()
        route.abort()

    desk.page.route("**/grade", drop)
    desk.grade_by_key("2")
    waiting = desk.page.locator(".if-waiting")
    expect(waiting).to_contain_text("Waiting: 1 grade. The server can’t be reached.")
    expect(desk.title).not_to_have_text(before)
    desk.grade_by_key("1")
    expect(waiting).to_contain_text("Waiting: 2 grades")
    desk.page.unroute("**/grade")
    desk.page.get_by_role("button", name="Try now").click()
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 1")
    assert [grade[0] for grade in desk.grades()] == [2, 1]


def test_an_outage_is_tried_again_by_itself(desk: Desk) -> None:
    desk.hold_ahead()
    desk.page.route("**/grade", lambda route: route.fulfill(status=503, body="later"))
    desk.grade_by_key("2")
    expect(desk.page.locator(".if-waiting")).to_contain_text("tried again by itself")
    desk.page.unroute("**/grade")
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    assert [grade[0] for grade in desk.grades()] == [2]


def test_who_is_signed_out_meanwhile_loses_nothing(desk: Desk) -> None:
    desk.hold_ahead()
    cookies = desk.page.context.cookies()
    desk.page.context.clear_cookies()
    desk.grade_by_key("2")
    expect(desk.page.locator(".if-waiting")).to_contain_text("You are signed out")
    expect(desk.page.get_by_role("link", name="Sign in again")).to_be_visible()
    assert desk.count() == 0
    desk.page.context.add_cookies(cookies)  # type: ignore[arg-type]
    desk.page.get_by_role("button", name="Try now").click()
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    assert desk.count() == 1


def test_a_second_window_is_told_what_counts(desk: Desk) -> None:
    other = desk.page.context.new_page()
    sit_at_desk(other, desk.home)
    before = desk.title.text_content() or ""
    desk.grade_by_key("3")
    other.keyboard.press("0")
    expect(other.get_by_role("alert").first).to_contain_text("another window")
    expect(other.locator(".both")).to_contain_text("Counts now3")
    expect(other.locator("#document")).to_have_text(before)
    assert_accessible(other)
    other.wait_for_selector(READY)
    other.keyboard.press("0")
    expect(other.locator("#document")).not_to_have_text(before)
    assert [grade[0] for grade in desk.grades()] == [3, 0]


def test_a_whole_round_by_keyboard_alone_ends_with_what_comes_next(desk: Desk) -> None:
    for _ in range(13):
        desk.grade_by_key("1")
    desk.page.keyboard.press("1")
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("That was all")
    assert desk.count() == 14
    assert_accessible(desk.page)
    desk.page.get_by_role("link", name="Look at my grades").click()
    expect(desk.page.locator(".given-list li")).to_have_count(14)
    assert_accessible(desk.page)


def test_buttons_are_reached_by_tab(desk: Desk) -> None:
    """Every key has a button, and every button can be come by without a mouse."""
    seen = set()
    for _ in range(40):
        desk.page.keyboard.press("Tab")
        seen.add(desk.page.evaluate("document.activeElement?.dataset?.key ?? ''"))
    assert {"0", "1", "2", "3", "x", "r", "l", "u", "?"} <= seen
    desk.page.get_by_role("button", name="Complete").focus()
    before = desk.title.text_content() or ""
    desk.page.keyboard.press("Enter")
    expect(desk.title).not_to_have_text(before)
    assert desk.grades()[0][0] == 3


@pytest.mark.parametrize("width", [320, 768, 1440])
def test_the_desk_fits_and_is_accessible(browser: Browser, live_server: LiveServer, width: int) -> None:
    desk = sit_down(browser, live_server, viewport={"width": width, "height": 700})
    desk.open()
    desk.grade_by_key("2")
    for key in ("", "x", "r", "?"):
        if key:
            desk.page.keyboard.press(key)
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(desk.page)
        desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("u")
    expect(desk.page.locator("#last")).to_be_visible()
    assert_accessible(desk.page)
    for address in ("work",):
        desk.page.goto(f"{desk.home}/{address}")
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(desk.page)
    desk.page.context.close()


def test_on_a_phone_each_button_asks_its_question_and_the_rubric_is_one_tap_away(
    browser: Browser, live_server: LiveServer
) -> None:
    desk = sit_down(browser, live_server, viewport={"width": 320, "height": 568}, has_touch=True)
    desk.open()
    for level in LEVELS:
        expect(desk.page.locator(".level .ask", has_text=level["question"])).to_be_in_viewport()
    desk.page.get_by_role("button", name="Rubric, keys").tap()
    sheet = desk.page.locator("#keys")
    for text in ("Read the description first.", "A page on another thing.", "Where the text is cut off."):
        expect(sheet).to_contain_text(text)
    assert_accessible(desk.page)
    desk.page.context.close()


SMALL = """() => [...document.querySelectorAll("main :is(a, button, summary, input, textarea)")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .map((each) => [each.outerHTML, (each.closest("label.choice") ?? each).getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 44).map(([markup]) => markup)"""


@pytest.mark.parametrize(("width", "height"), [(320, 568), (844, 390), (1280, 800)])
def test_a_finger_finds_whatever_can_be_pressed(
    browser: Browser, live_server: LiveServer, width: int, height: int
) -> None:
    desk = sit_down(browser, live_server, viewport={"width": width, "height": height}, has_touch=True)
    desk.open()
    desk.grade_by_key("2")
    assert desk.page.evaluate(SMALL) == []
    for key in ("/", "x", "r", "a", "?", "u"):
        desk.page.keyboard.press(key)
        desk.page.wait_for_timeout(100)
        assert desk.page.evaluate(SMALL) == [], key
        desk.page.keyboard.press("Escape")
    desk.page.goto(f"{desk.home}/work")
    assert desk.page.evaluate(SMALL) == []
    desk.page.context.close()


@pytest.mark.parametrize("key", ["a", "r"])
def test_on_a_phone_the_document_stays_in_sight_while_words_are_typed(
    browser: Browser, live_server: LiveServer, key: str
) -> None:
    desk = sit_down(browser, live_server, viewport={"width": 320, "height": 568})
    desk.open()
    desk.page.keyboard.press(key)
    field = desk.page.locator("#asks" if key == "a" else "#rationale")
    expect(field).to_be_focused()
    rail, title = desk.page.locator(".rail").bounding_box(), desk.title.bounding_box()
    assert rail
    assert title
    assert title["y"] + title["height"] <= rail["y"]
    expect(field).to_be_in_viewport(ratio=1)
    desk.page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    last = desk.page.locator(".doc > :last-child").bounding_box()
    assert last
    assert last["y"] + last["height"] <= rail["y"]
    assert_accessible(desk.page)
    desk.page.context.close()


@pytest.mark.parametrize(("width", "height"), [(320, 568), (1280, 720)])
def test_every_reason_is_in_sight_under_can_not_judge(
    browser: Browser, live_server: LiveServer, width: int, height: int
) -> None:
    desk = sit_down(browser, live_server, viewport={"width": width, "height": height})
    desk.open()
    desk.page.keyboard.press("x")
    bottom = desk.page.locator(".state").bounding_box()
    assert bottom
    for reason in ("Wrong language", "Broken", "Needs expertise", "Query unclear", "Other"):
        box = desk.page.get_by_role("button", name=reason).bounding_box()
        assert box
        assert box["y"] + box["height"] <= bottom["y"] + 1, reason
    expect(desk.page.locator(".cant")).to_contain_text("Where the text is cut off.")
    desk.page.context.close()


@pytest.mark.parametrize("width", [320, 1440])
def test_the_pages_of_rounds_fit_and_are_accessible(browser: Browser, live_server: LiveServer, width: int) -> None:
    desk = sit_down(browser, live_server)
    page = live_server.window(browser, desk.lead, viewport={"width": width, "height": 800}).new_page()
    desk.cast.pool(desk.project, {"q3": ["q3-0"]})
    page.goto(f"{desk.home}/rounds")
    assert_accessible(page)
    page.get_by_role("button", name="Open the main round").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)
    page.get_by_role("link", name="Round 1").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)
    page.context.close()


def test_a_whole_round_is_judged_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    documents = [{"id": f"q1-{n}", "title": f"About q1-{n}", "html": f"<p>The page of {n}.</p>"} for n in (0, 1)]
    desk = sit_down(browser, live_server, pairs=4, documents=documents, java_script_enabled=False)
    desk.page.goto(f"{desk.home}/desk")
    before = desk.title.text_content() or ""
    desk.page.locator("summary", has_text="Rationale").click()
    desk.page.get_by_label("Why this grade").fill("see section 2, grade 3 is too high")
    desk.page.get_by_role("button", name="A step").click()
    expect(desk.title).not_to_have_text(before)
    kept = (2, None, "see section 2, grade 3 is too high", "browser")
    assert desk.grades() == [kept]
    desk.page.go_back()
    desk.page.goto(f"{desk.home}/desk")
    expect(desk.title).not_to_have_text(before)
    expect(desk.page.locator("[data-count=round]")).to_have_text("2")
    desk.page.locator("summary", has_text="Can’t judge").click()
    desk.page.get_by_role("button", name="Broken").click()
    expect(desk.page.locator("#state")).to_contain_text("broken")
    desk.page.get_by_role("button", name="Later").click()
    expect(desk.page.locator("[data-count=round]")).to_have_text("3")
    desk.page.get_by_role("link", name="Back").click()
    expect(desk.page.get_by_role("heading", name="My grades")).to_be_visible()
    desk.page.get_by_role("link", name=before, exact=True).click()
    expect(desk.page.locator(".level.given")).to_contain_text("your grade")
    desk.page.get_by_role("link", name="Go on").click()
    pages = 0
    for number in (3, 4):
        expect(desk.page.locator("[data-count=round]")).to_have_text(str(number))
        if desk.page.locator(".as-page").count():
            expect(desk.page.frame_locator(".as-page").locator("body")).to_contain_text("The page of")
            pages += 1
        desk.page.get_by_role("button", name="Nothing").click()
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("That was all")
    assert desk.grades() == [kept, (None, "broken", "", "browser"), (0, None, "", "browser"), (0, None, "", "browser")]
    assert pages == (0 if before.startswith("About q1") else 2)
    desk.page.context.close()


def test_the_back_button_keeps_one_grade_and_shows_what_is_due(desk: Desk) -> None:
    desk.page.goto(f"{desk.home}/work")
    desk.open()
    before = desk.title.text_content() or ""
    desk.grade_by_key("2")
    after = desk.title.text_content() or ""
    desk.page.go_back()
    expect(desk.page.locator(".given-list li")).to_have_count(1)
    desk.page.go_forward()
    expect(desk.title).to_have_text(after)
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    desk.page.wait_for_selector(READY)
    desk.grade_by_key("1")
    assert desk.graded() == [(before, 2), (after, 1)]


def test_nothing_breaks_the_content_policy(desk: Desk) -> None:
    faults: list[str] = []
    desk.page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    desk.page.on("pageerror", lambda error: faults.append(str(error)))
    desk.open()
    desk.grade_by_key("1")
    desk.page.keyboard.press("u")
    expect(desk.page.locator("#last")).to_be_visible()
    assert not faults


def test_before_the_first_grade_stands_the_rubric_with_its_examples_explained(desk: Desk) -> None:
    page = desk.page
    page.goto(f"{desk.home}/desk")
    before = page.locator("#before")
    expect(before.get_by_role("heading", level=1)).to_contain_text("Before your first grade of round 1")
    expect(page.locator("#desk")).to_be_hidden()
    page.keyboard.press("2")
    example = before.locator(".try").first
    expect(example.get_by_role("heading")).to_have_text("A page on another thing.")
    example.locator("summary", has_text="Complete").click()
    expect(example).to_contain_text("No. The rubric gives it as an example of 0, Nothing.")
    assert_accessible(page)
    sizes = "(line) => [line, line.parentElement].map((each) => getComputedStyle(each).fontSize)"
    line, beside = before.get_by_text("The line:", exact=True).first.evaluate(sizes)
    assert line == beside
    example.locator("summary", has_text="Nothing").click()
    expect(example).to_contain_text("Yes. It is the rubric’s own example of 0, Nothing")
    assert desk.count() == 0
    before.get_by_role("link", name="Begin judging").first.press("Enter")
    expect(desk.title).to_be_focused()
    page.wait_for_selector(READY)
    desk.grade_by_key("2")
    page.reload()
    expect(before).to_have_count(0)
    assert desk.count() == 1


def test_a_pair_that_is_an_example_and_a_counter_example_is_tried_once(
    browser: Browser, live_server: LiveServer
) -> None:
    cast = live_server.cast
    lead, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(lead)
    texts = [field.name for field in fields(LevelText) if field.name != "number"]
    levels = [{name: getattr(each, name) for name in texts} for each in PRODUCTS.text.levels]
    cast.rubric(project, levels=levels)
    members = [cast.member(project, each, "labeller") for each in (ben, cast.person("cleo"))]
    cast.round(project, cast.pool(project, {"q1": ["d1"]}), members)
    page = live_server.window(browser, ben).new_page()
    page.goto(f"/projects/{project}/desk")
    tried = page.locator("#before .try")
    said = [each.inner_text() for each in tried.get_by_role("heading").all()]
    assert len(said) == len(set(said)) == 6
    socks = tried.filter(has_text="Running socks")
    socks.locator("summary", has_text="Goes with it").click()
    expect(socks).to_contain_text("Yes. It is the rubric’s own example of 1, Goes with it")
    page.context.close()
