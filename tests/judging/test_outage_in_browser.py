"""Promise R6 in Chromium: an outage or a reload keeps what waits, and the page never says more than is true."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Route, expect
from sqlalchemy import select, update

from app.corpora.models import Document, shown_hash
from app.db import now
from app.judging.models import Question, Round
from tests.browser_axe import assert_accessible
from tests.judging.windows import READY, Desk, sit_down
from tests.serving import LiveServer

pytestmark = pytest.mark.browser
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer) -> Iterator[Desk]:
    desk = sit_down(browser, live_server, pairs=120)
    desk.open()
    desk.hold_ahead()
    yield desk
    desk.page.context.close()


def press_through_an_outage(desk: Desk, *, grades: int, pause: int = 0) -> list[tuple[str, int]]:
    """Title and level of each pair, as the page showed them."""
    context, pressed, before = desk.page.context, [], desk.count()
    context.set_offline(True)
    for number in range(grades):
        pressed.append((desk.title.text_content() or "", number % 4))
        desk.grade_by_key(str(number % 4))
        expect(desk.page.locator("[data-waiting]")).to_have_text("1 grade" if number == 0 else f"{number + 1} grades")
        assert len(desk.kept()) == number + 1
        desk.page.wait_for_timeout(pause)
    assert desk.count() == before
    return pressed


def drained(desk: Desk) -> None:
    expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "no", timeout=20_000)
    assert desk.kept() == []


def welcome(route: Route, *, status: int) -> None:
    route.fulfill(status=status, body="<h1>Welcome</h1>")


@on_sqlite
def test_what_answers_in_the_servers_place_takes_no_grade(desk: Desk) -> None:
    """A network that wants a sign-in says 200 to everything, a proxy at work 404 or 403."""
    page, pressed = desk.page, press_through_an_outage(desk, grades=3)
    for status in (200, 404):
        page.route("**/projects/**", partial(welcome, status=status))
        page.context.set_offline(False)
        expect(page.locator(".why")).to_contain_text("Something else answers in the server’s place.")
        assert len(desk.kept()) == len(pressed)
        pressed.append((desk.title.text_content() or "", 2))
        desk.grade_by_key("2")
        expect(page.locator("[data-waiting]")).to_have_text(f"{len(pressed)} grades")
        assert len(desk.kept()) == len(pressed)
        page.context.set_offline(True)
        page.unroute("**/projects/**")
    page.context.set_offline(False)
    drained(desk)
    assert desk.graded() == pressed


def test_fifty_grades_of_an_outage_are_sent_after_a_reload_in_order(desk: Desk) -> None:
    pressed = press_through_an_outage(desk, grades=50)
    kept = desk.kept()
    assert all(set(each) == {"assignment", "grade", "key", "revision"} for each in kept)
    assert [each["grade"] for each in kept] == [level for _, level in pressed]
    desk.page.context.set_offline(False)
    desk.page.reload()
    drained(desk)
    assert desk.graded() == pressed
    assert desk.count() == 50
    expect(desk.page.locator("[data-count=round]")).to_have_text("51")
    assert (desk.title.text_content() or "") not in [title for title, _ in pressed]


@pytest.mark.soak
def test_fifty_grades_of_thirty_seconds_without_a_network(desk: Desk) -> None:
    pressed = press_through_an_outage(desk, grades=50, pause=300)
    desk.page.context.set_offline(False)
    desk.page.reload()
    drained(desk)
    assert desk.graded() == pressed


@on_sqlite
def test_what_waits_is_sent_by_itself_and_the_desk_goes_on(desk: Desk) -> None:
    pressed = press_through_an_outage(desk, grades=3)
    assert_accessible(desk.page)
    desk.page.context.set_offline(False)
    drained(desk)
    assert desk.graded() == pressed
    desk.grade_by_key("2")
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    expect(desk.page.locator("[data-count=round]")).to_have_text("5")
    assert desk.count() == 4


@on_sqlite
def test_when_memory_is_used_up_the_desk_says_so_and_comes_back(browser: Browser, live_server: LiveServer) -> None:
    desk = sit_down(browser, live_server, pairs=4)
    desk.open()
    desk.hold_ahead()
    press_through_an_outage(desk, grades=3)
    desk.page.keyboard.press("1")
    expect(desk.title).to_have_text("No more pairs are in this window.")
    expect(desk.page.locator("[data-waiting]")).to_have_text("4 grades")
    desk.page.keyboard.press("1")
    assert len(desk.kept()) == 4
    desk.page.context.set_offline(False)
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("That was all", timeout=20_000)
    assert desk.count() == 4
    desk.page.context.close()


@on_sqlite
def test_a_rationale_of_an_outage_goes_out_with_its_grade_while_the_window_stays(desk: Desk) -> None:
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("see section 2, grade 3 is too high")
    desk.page.keyboard.press("Escape")
    desk.grade_by_key("1")
    expect(desk.page.locator(".why")).to_contain_text("One rationale is in this window only")
    assert "section" not in str(desk.kept())
    desk.page.context.set_offline(False)
    drained(desk)
    assert desk.grades() == [(1, None, "see section 2, grade 3 is too high", "browser")]


@on_sqlite
def test_a_grade_that_waited_too_long_is_shown_with_what_to_do(desk: Desk) -> None:
    (title, _), *_ = press_through_an_outage(desk, grades=2)
    docno = title.removeprefix("About ")
    changed = {"title": title, "text": "Other words.", "url": ""}
    with desk.cast.database.session(writes=True) as session:
        values = changed | {"text_hash": shown_hash(**changed)}
        session.execute(update(Document).where(Document.docno == docno).values(**values))
    desk.page.context.set_offline(False)
    drained(desk)
    refused = desk.page.locator("#refused")
    expect(refused.locator("li")).to_have_count(1)
    expect(refused).to_contain_text(title)
    expect(refused).to_contain_text("The text of this document has changed")
    expect(refused.locator(".pressed-grade")).to_have_text("0")
    assert desk.count() == 1
    assert_accessible(desk.page)
    refused.get_by_role("link", name="Look at the pair").click()
    expect(desk.page.locator(".body")).to_contain_text("Other words.")
    expect(refused).to_be_hidden()
    desk.page.wait_for_selector(READY)
    desk.grade_by_key("3")
    assert desk.count() == 2


@on_sqlite
def test_a_round_that_closed_in_the_meantime_takes_nothing_and_says_so(desk: Desk) -> None:
    press_through_an_outage(desk, grades=2)
    with desk.cast.database.session(writes=True) as session:
        session.execute(update(Round).values(closed_at=now()))
    desk.page.context.set_offline(False)
    drained(desk)
    expect(desk.page.locator("#refused li")).to_have_count(2)
    expect(desk.page.locator("#refused")).to_contain_text("This round was closed")
    assert desk.count() == 0


@on_sqlite
def test_a_server_that_is_slow_to_answer_is_not_waited_for(desk: Desk) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.page.route("**/grade", hold)
    before = desk.title.text_content() or ""
    desk.page.keyboard.press("2")
    expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "saving")
    expect(desk.title).to_have_text(before)
    expect(desk.title).not_to_have_text(before, timeout=5_000)
    expect(desk.page.locator(".if-waiting")).to_contain_text("1 grade. The server has not answered yet.")
    held[0].continue_()
    drained(desk)
    assert [grade[0] for grade in desk.grades()] == [2]


class Held:
    """Requests that are kept from the server until they are let go."""

    def __init__(self, page: Page, address: str) -> None:
        self.routes: list[Route] = []
        page.route(address, lambda route: self.routes.append(route))  # noqa: PLW0108 - Playwright marks what it is given.

    def let_go(self) -> None:
        for route in self.routes:
            route.continue_()


@on_sqlite
def test_the_late_answer_to_later_says_nothing_of_a_grade_that_was_pressed_since(desk: Desk) -> None:
    later, grades = Held(desk.page, "**/later"), Held(desk.page, "**/grade")
    first = desk.title.text_content() or ""
    desk.page.keyboard.press("l")
    expect(desk.title).not_to_have_text(first, timeout=5_000)  # The desk has gone on without the answer.
    desk.page.wait_for_selector(READY)
    second = desk.title.text_content() or ""
    desk.page.keyboard.press("2")
    expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "saving")
    with desk.page.expect_response("**/later"):
        later.let_go()
    desk.page.wait_for_timeout(500)
    assert len(desk.kept()) == 1
    expect(desk.page.locator("main.desk")).not_to_have_attribute("data-saving", "no")
    grades.let_go()
    drained(desk)
    assert desk.graded() == [(second, 2)]
    expect(desk.title).not_to_have_text(second)
    desk.page.unroute("**/grade")
    desk.page.wait_for_selector(READY)
    desk.grade_by_key("1")
    assert [level for _, level in desk.graded()] == [2, 1]


@on_sqlite
def test_a_question_on_its_way_is_waited_for_while_grades_of_an_outage_are_tried_again(desk: Desk) -> None:
    desk.page.route("**/grade", lambda route: route.abort())
    desk.grade_by_key("1")
    question = Held(desk.page, "**/question")
    asked = desk.title.text_content() or ""
    desk.page.keyboard.press("a")
    desk.page.keyboard.type("What of links?")
    with desk.page.expect_event("requestfailed", lambda request: request.url.endswith("/grade"), timeout=20_000):
        desk.page.get_by_role("button", name="Ask, and set it aside").click()
    desk.page.unroute("**/grade")
    with desk.page.expect_response("**/grade", timeout=20_000):
        pass
    expect(desk.title).to_have_text(asked)
    question.let_go()
    expect(desk.title).not_to_have_text(asked)
    drained(desk)
    expect(desk.page.locator(".not-asked")).to_be_empty()
    with desk.cast.database.session(writes=False) as session:
        assert session.scalars(select(Question.text)).all() == ["What of links?"]
    assert desk.count() == 1


@on_sqlite
@pytest.mark.parametrize("first", ["later", "grade"])
def test_what_is_chosen_for_later_while_a_grade_waits_neither_hides_nor_doubles_it(desk: Desk, first: str) -> None:
    later, grades = Held(desk.page, "**/later"), Held(desk.page, "**/grade")
    graded = desk.title.text_content() or ""
    desk.page.keyboard.press("2")
    expect(desk.title).not_to_have_text(graded, timeout=5_000)
    desk.page.wait_for_selector(READY)
    put_off = desk.title.text_content() or ""
    desk.page.keyboard.press("l")
    (later if first == "later" else grades).let_go()
    expect(desk.title).not_to_have_text(put_off, timeout=5_000)
    if first == "later":
        expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "waiting")
        expect(desk.page.locator("[data-waiting]")).to_have_text("1 grade")
    assert desk.title.text_content() != graded
    later.let_go() if first == "grade" else grades.let_go()
    drained(desk)
    assert desk.title.text_content() not in (graded, put_off)
    expect(desk.page.locator("[data-count=round]")).to_have_text("2")
    desk.page.unroute("**/grade")
    desk.page.wait_for_selector(READY)
    desk.grade_by_key("1")
    assert [level for _, level in desk.graded()] == [2, 1]
    expect(desk.page.locator("[data-count=round]")).to_have_text("3")


@on_sqlite
def test_pairs_that_come_late_do_not_bring_back_what_was_graded_or_take_words_away(
    browser: Browser, live_server: LiveServer
) -> None:
    desk = sit_down(browser, live_server, pairs=20)
    ahead = Held(desk.page, "**/desk/ahead?skip=0")
    desk.open()
    desk.page.wait_for_selector(READY)
    graded = []
    for level in (1, 2, 3):
        graded.append((desk.title.text_content() or "", level))
        desk.grade_by_key(str(level))
    worded = desk.title.text_content() or ""
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("Half of it.")
    desk.page.keyboard.press("Escape")
    desk.grade_by_key("l")
    ahead.let_go()
    desk.hold_ahead()
    desk.page.context.set_offline(True)
    for _ in range(10):
        title = desk.title.text_content() or ""
        assert title not in [each for each, _ in graded]
        if title == worded:
            expect(desk.page.get_by_label("Why this grade")).to_have_value("Half of it.")
            graded.append((title, 1))
            desk.grade_by_key("1")
            break
        graded.append((title, 0))
        desk.grade_by_key("0")
    assert worded in [each for each, _ in graded]
    desk.page.context.set_offline(False)
    drained(desk)
    assert desk.graded() == graded
    desk.page.context.close()


@on_sqlite
def test_a_question_that_is_refused_says_why_and_keeps_its_words(desk: Desk) -> None:
    answer = '<section class="verdict"><h1>Passed on.</h1><p>Somebody else judges it.</p></section>'
    desk.page.route(
        "**/question", lambda route: route.fulfill(status=409, body=answer, headers={"Adjudge-Answer": "yes"})
    )
    desk.page.keyboard.press("a")
    desk.page.keyboard.type("What of links?")
    desk.page.get_by_role("button", name="Ask, and set it aside").click()
    expect(desk.page.locator(".not-asked")).to_have_text("Passed on.Somebody else judges it.")
    expect(desk.page.get_by_label("What is unclear")).to_have_value("What of links?")
    expect(desk.page.locator("#refused")).to_be_hidden()
    desk.page.wait_for_timeout(3_500)  # The desk does not go on by itself either.
    desk.page.keyboard.type(" Is it a 3?")
    expect(desk.page.get_by_label("What is unclear")).to_have_value("What of links? Is it a 3?")
    assert desk.count() == 0


@on_sqlite
def test_what_was_sent_after_a_reload_is_counted_as_the_server_counts_it(desk: Desk) -> None:
    press_through_an_outage(desk, grades=4)
    desk.page.route("**/grade", lambda route: route.abort())
    desk.page.context.set_offline(False)
    desk.page.reload()
    desk.hold_ahead()
    desk.page.wait_for_selector(READY)
    desk.page.wait_for_timeout(500)
    desk.grade_by_key("1")
    desk.page.unroute("**/grade")
    drained(desk)
    assert desk.count() == 5
    expect(desk.page.locator("[data-count=round]")).to_have_text("6")


@on_sqlite
def test_a_pair_that_was_graded_in_an_outage_before_a_reload_does_not_come_again(desk: Desk) -> None:
    first = desk.title.text_content() or ""
    desk.page.route("**/grade", lambda route: route.abort())
    desk.grade_by_key("2")
    desk.page.reload()
    expect(desk.title).not_to_have_text(first, timeout=20_000)
    desk.page.unroute("**/grade")
    drained(desk)
    desk.hold_ahead()
    desk.page.wait_for_selector(READY)
    shown = []
    desk.page.context.set_offline(True)
    for _ in range(20):
        shown.append(desk.title.text_content() or "")
        desk.grade_by_key("1")
    assert first not in shown
    desk.page.context.set_offline(False)
    drained(desk)
    assert desk.graded() == [(first, 2), *((title, 1) for title in shown)]


@on_sqlite
def test_what_the_browser_keeps_in_no_form_of_ours_holds_nothing_up(desk: Desk) -> None:
    press_through_an_outage(desk, grades=2)
    names = "Object.keys(localStorage).filter((name) => name.startsWith('adjudge waiting')).sort()"
    desk.page.evaluate(f"const [name] = {names}; localStorage.setItem(name, 'no JSON')")
    desk.page.route("**/grade", lambda route: route.abort())
    desk.page.context.set_offline(False)
    desk.page.reload()
    desk.page.wait_for_selector("main.desk[data-ready=yes]")
    desk.page.unroute("**/grade")
    expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "no", timeout=20_000)
    assert desk.count() == 1


@on_sqlite
def test_signing_out_forgets_what_waits_after_asking(desk: Desk) -> None:
    press_through_an_outage(desk, grades=2)
    desk.page.route("**/grade", lambda route: route.abort())
    desk.page.context.set_offline(False)
    desk.page.goto("/account")
    asked: list[str] = []

    def ask(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    desk.page.once("dialog", ask)
    desk.page.get_by_role("button", name="Sign out").first.click()
    assert "2 grades are not saved yet" in asked[0]
    assert len(desk.kept()) == 2
    desk.page.once("dialog", lambda dialog: dialog.accept())
    desk.page.get_by_role("button", name="Sign out").first.click()
    desk.page.wait_for_url("**/sign-in**")
    assert desk.kept() == []


@on_sqlite
def test_what_waits_is_its_person_s_and_waits_while_another_is_signed_in(
    browser: Browser, live_server: LiveServer, desk: Desk
) -> None:
    context, pressed = desk.page.context, []
    waiting = desk.page.locator(".if-waiting")

    def press(level: int) -> None:
        pressed.append((desk.title.text_content() or "", level))
        desk.grade_by_key(str(level))

    context.clear_cookies()
    for _ in range(3):
        press(2)
    expect(waiting).to_contain_text("Waiting: 3 grades. You are signed out.")
    sign_in(live_server, browser, context, desk.other)
    press(1)
    expect(waiting).to_contain_text(
        "Waiting: 4 grades. Signed in as cleo here, and they are by ben: sign in as ben", use_inner_text=True
    )
    assert_accessible(desk.page)
    assert len(desk.kept()) == 4
    expect(desk.page.locator("#refused")).to_be_hidden()
    other = replace(desk, page=context.new_page())
    other.open()
    expect(other.page.locator("#of-others")).to_contain_text(
        "4 grades by somebody else in this browser, not saved yet."
    )
    assert_accessible(other.page)
    other.grade_by_key("0")
    assert (len(desk.kept()), desk.count()) == (4, 1)
    other.page.close()
    sign_in(live_server, browser, context, desk.labeller)
    desk.page.get_by_role("button", name="Try now").click()
    drained(desk)
    assert desk.graded()[1:] == pressed
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 1")
    expect(desk.page.locator("[data-count=round]")).to_have_text("5")


@on_sqlite
def test_a_window_says_what_waits_in_another_one(desk: Desk) -> None:
    other = replace(desk, page=desk.page.context.new_page())
    other.open()
    elsewhere = other.page.locator("#elsewhere")
    expect(other.page.locator("#state")).to_have_text("Nothing is waiting here")
    expect(elsewhere).to_be_hidden()
    press_through_an_outage(desk, grades=2)
    expect(elsewhere).to_contain_text("2 grades of yours in another window of this browser", timeout=10_000)
    expect(other.page.locator(".state")).to_be_in_viewport(ratio=1)
    assert_accessible(other.page)
    desk.page.context.set_offline(False)
    drained(desk)
    expect(elsewhere).to_be_hidden()
    assert desk.count() == 2


@on_sqlite
def test_a_question_for_the_pair_that_is_being_saved_is_not_taken(desk: Desk) -> None:
    """It would be thrown away when the next pair comes."""
    page = desk.page
    page.keyboard.press("a")
    page.keyboard.press("Escape")

    def slowly(route: Route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/grade", slowly)
    page.keyboard.press("1")
    expect(page.locator("#asks")).to_have_js_property("readOnly", True)
    expect(page.locator("#state")).to_contain_text("Saved, the last one as 1")
    expect(page.locator("#asks")).to_have_js_property("readOnly", False)


@on_sqlite
def test_grades_of_a_closed_window_outlast_another_person_s_sign_out(
    browser: Browser, live_server: LiveServer, desk: Desk
) -> None:
    pressed = press_through_an_outage(desk, grades=2)
    context = desk.page.context
    desk.page.close()
    context.set_offline(False)
    sign_in(live_server, browser, context, desk.other)
    other = replace(desk, page=context.new_page())
    other.page.goto("/account")
    other.page.get_by_role("button", name="Sign out").first.click()
    other.page.wait_for_url("**/sign-in**")
    assert len(other.kept()) == 2
    sign_in(live_server, browser, context, desk.labeller)
    other.open()
    drained(other)
    assert desk.graded() == pressed


def sign_in(server: LiveServer, browser: Browser, context: BrowserContext, person_id: str) -> None:
    """As in another window of the same browser."""
    elsewhere = server.window(browser, person_id)
    context.clear_cookies()
    context.add_cookies(elsewhere.cookies())  # type: ignore[arg-type]
    elsewhere.close()


@on_sqlite
def test_what_was_refused_is_neither_counted_nor_called_saved(desk: Desk) -> None:
    desk.grade_by_key("2")
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 2")
    press_through_an_outage(desk, grades=2)
    refused = {"status": 404, "body": "<p>Nothing here.</p>", "headers": {"Adjudge-Answer": "yes"}}
    desk.page.route("**/grade", lambda route: route.fulfill(**refused))
    desk.page.context.set_offline(False)
    drained(desk)
    expect(desk.page.locator("#state")).to_have_text("Not saved: 2 grades, see above. ")
    expect(desk.page.locator("[data-count=round]")).to_have_text("2")
    desk.page.unroute("**/grade")
    desk.grade_by_key("1")
    expect(desk.page.locator("#state")).to_contain_text("Not saved: 2 grades, see above. ✓ Saved, the last one as 1")
    expect(desk.page.locator("[data-count=round]")).to_have_text("3")
    for _ in range(2):
        desk.page.get_by_role("button", name="I have seen it").first.click()
    expect(desk.page.locator("#state")).to_have_text("✓ Saved, the last one as 1")


@on_sqlite
def test_two_windows_send_each_what_was_pressed_in_it(desk: Desk) -> None:
    other = replace(desk, page=desk.page.context.new_page())
    other.open()
    other.hold_ahead()
    desk.page.bring_to_front()
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("Said here.")
    desk.page.keyboard.press("Escape")
    desk.grade_by_key("1")
    other.page.bring_to_front()
    other.grade_by_key("l")
    other.grade_by_key("2")
    third = replace(desk, page=desk.page.context.new_page())
    desk.page.context.set_offline(False)
    third.open()
    drained(desk)
    drained(other)
    assert sorted((grade[0], grade[2]) for grade in desk.grades()) == [(1, "Said here."), (2, "")]


@on_sqlite
def test_a_window_takes_over_what_a_closed_one_left(desk: Desk) -> None:
    pressed = press_through_an_outage(desk, grades=2)
    context = desk.page.context
    desk.page.close()
    context.set_offline(False)
    other = replace(desk, page=context.new_page())
    other.open()
    drained(other)
    assert other.graded() == pressed
