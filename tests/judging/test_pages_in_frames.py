"""Documents that came as HTML, in Chromium: read in a frame without scripts, and judged as any other."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FrameLocator, Route, expect
from sqlalchemy import update

from app.corpora.models import Document
from tests.browser_axe import assert_accessible
from tests.judging.windows import Desk, sit_down
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]
PAGE = """<html lang=de><head><title>Gone</title><style>p { display: none }</style></head><body onload=alert(1)>
<h1>Rotating a key</h1><p onclick=alert(1)>Open <a href=/elsewhere>Settings</a>, then <b>Ke</b>ys.</p>
<table><tr><td>old</td><td>key</td></tr></table>{filling}<p id=pair>The last key.</p></body></html>"""

HEIGHTS = """() => {
  const frame = document.querySelector(".as-page")
  return [frame.clientHeight, Math.ceil(frame.contentDocument.body.getBoundingClientRect().height)]
}"""
PAINTED = """(name) => [...(document.querySelector(".as-page").contentWindow.CSS.highlights.get(name) ?? [])].map(
  ({ startContainer, startOffset, endContainer, endOffset }) => {
    const range = document.createRange()
    range.setStart(startContainer, startOffset)
    range.setEnd(endContainer, endOffset)
    return range.toString()
  })"""


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer) -> Iterator[Desk]:
    filling = "<p>Nothing of note.</p>" * 60
    texts = [{"id": f"q{q}-{n}", "title": f"Page {q}-{n}", "lang": "en"} for q in (1, 2) for n in range(3)]
    documents = [{**each, "html": PAGE.replace("{filling}", filling), "price": "12 EUR", "secret": 9} for each in texts]
    sat = sit_down(browser, live_server, pairs=6, documents=documents, showing={"fields": ["price"]})
    sat.open()
    sat.hold_ahead()
    yield sat
    sat.page.context.close()


def framed(desk: Desk) -> FrameLocator:
    return desk.page.frame_locator(".as-page")


def test_a_page_is_read_searched_and_judged_by_keys_wherever_the_focus_is(desk: Desk) -> None:
    within = framed(desk).locator("body")
    expect(within).to_contain_text("Open Settings, then Keys.")
    expect(within).not_to_contain_text("display")
    expect(desk.page.locator(".doc .fields")).to_have_text("price12 EUR")
    expect(desk.page.locator("#document")).to_have_attribute("lang", "en")
    high, needed = desk.page.evaluate(HEIGHTS)
    assert high == needed > 1000
    within.locator("p").first.click()
    assert desk.page.evaluate("document.activeElement.className") == "as-page"
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("key")
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator(".found")).to_have_text("2 of 4")
    assert desk.page.evaluate(PAINTED, "current") == ["Key"]
    assert desk.page.evaluate(PAINTED, "hit") == ["key", "Key", "key", "key"]
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.press("Enter")
    expect(framed(desk).get_by_text("The last key.")).to_be_in_viewport()
    desk.page.keyboard.press("Escape")
    within.locator("p").last.click()
    desk.grade_by_key("3")
    assert [grade[0] for grade in desk.grades()] == [3]
    expect(framed(desk).locator("body")).to_contain_text("Rotating a key")
    assert_accessible(desk.page)
    for width in (320, 768):
        desk.page.set_viewport_size({"width": width, "height": 700})
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
    desk.page.emulate_media(contrast="more")
    assert_accessible(desk.page)
    desk.page.emulate_media(color_scheme="light", contrast="more")
    for page in (desk.page.locator(".about"), within.locator("td").first):
        expect(page).to_have_css("color", "rgb(0, 0, 0)")
    desk.page.locator(".as-page[data-heard]").evaluate("(frame) => delete frame.dataset.heard")  # As in Safari.
    within.locator("p").first.click()
    expect(desk.title).to_be_focused()


@pytest.mark.parametrize(("key", "sheet"), [("?", "#keys"), ("u", "#last")])
def test_a_sheet_is_closed_from_within_the_document(desk: Desk, key: str, sheet: str) -> None:
    opened = desk.page.locator(sheet)
    framed(desk).locator("p").first.click()
    desk.page.keyboard.press(key)
    expect(opened).to_be_visible()
    desk.page.keyboard.press("Escape")
    expect(opened).to_be_hidden()
    framed(desk).locator("p").first.click()
    desk.page.keyboard.press(key)
    expect(opened).to_be_visible()
    desk.page.mouse.click(30, 600)  # Beside it, in the frame.
    expect(opened).to_be_hidden()
    desk.grade_by_key("2")
    assert [grade[0] for grade in desk.grades()] == [2]


def test_pages_are_judged_on_from_memory_without_a_network(desk: Desk) -> None:
    desk.page.context.set_offline(True)
    for level in "123":
        framed(desk).locator("p").first.click()
        desk.grade_by_key(level)
        expect(framed(desk).locator("body")).to_contain_text("Rotating a key")
    desk.page.context.set_offline(False)
    expect(desk.page.locator("main.desk")).to_have_attribute("data-saving", "no", timeout=20_000)
    assert [grade[0] for grade in desk.grades()] == [1, 2, 3]


PIXEL = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'/>"


def test_pictures_are_loaded_of_the_hosts_that_the_lead_named_and_of_nobody_else(
    browser: Browser, live_server: LiveServer
) -> None:
    html = "<img src=https://ours.example/a.svg><img src=https://theirs.example/b.svg alt='a shoe'><img src=/c.svg>"
    picture = "https://ours.example:8443/d.svg"
    documents = [{"id": f"q{q}-0", "html": html, "image": picture, "other": picture} for q in (1, 2)]
    showing = {"fields": ["image", "other"], "picture": "image", "hosts": ["ours.example", "Ours.example:8443"]}
    desk = sit_down(browser, live_server, pairs=2, documents=documents, showing=showing)
    signed_in = desk.cast.browser(desk.labeller)
    policies = [signed_in.get(f"{desk.home}/{where}").headers["content-security-policy"] for where in ("desk", "work")]
    assert ["https://ours.example:8443" in policy for policy in policies] == [True, False]
    asked: list[str] = []
    complaints: list[str] = []

    def send(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=PIXEL, content_type="image/svg+xml")

    desk.page.context.route("**/*.svg", send)
    desk.page.on("console", lambda said: complaints.append(said.text))
    desk.open()
    for _ in (1, 2):
        expect(framed(desk).locator("body")).to_have_text("[picture: a shoe][picture]")
        expect(framed(desk).locator("img")).to_have_js_property("naturalWidth", 40)
        expect(desk.page.locator(".fields img")).to_have_js_property("naturalWidth", 40)
        expect(desk.page.locator(".fields dd").last).to_have_text(picture)
        desk.page.keyboard.press("1")
        desk.page.wait_for_timeout(400)
    assert {each for each in asked if "icon" not in each} == {"https://ours.example/a.svg", picture}
    assert complaints == []
    desk.page.context.close()


MISSED = """<script>alert(1)</script><img src=AWAY onerror=alert(1)><svg onload=alert(1)></svg><b onclick=alert(1)>x</b>
<meta http-equiv=refresh content="0;url=AWAY"><form action=AWAY><button>y</button></form><a href=AWAY>z</a>
<style>@import "AWAY"; p { background: url(AWAY) }</style><iframe src=AWAY></iframe><p>Read on.</p>"""
"""What nh3 would never leave."""


def test_what_cleaning_might_miss_runs_and_loads_nothing_from_elsewhere(
    browser: Browser, live_server: LiveServer
) -> None:
    desk = sit_down(browser, live_server, pairs=4)
    with desk.cast.database.session(writes=True) as session:
        session.execute(update(Document).values(html=MISSED.replace("AWAY", "https://theirs.example/away")))
    dialogs: list[str] = []
    asked: list[str] = []
    desk.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    desk.page.on("requestfinished", lambda request: asked.append(request.url))
    desk.page.on("requestfailed", lambda request: None if request.failure == "csp" else asked.append(request.url))
    desk.open()
    expect(framed(desk).locator("p")).to_have_text("Read on.")
    framed(desk).locator("b").click()
    framed(desk).get_by_role("button").click()
    framed(desk).get_by_text("z").click()
    desk.page.wait_for_timeout(300)
    assert dialogs == []
    assert [each for each in asked if "theirs" in each] == []
    assert desk.page.url.endswith("/desk")
    desk.page.context.close()


def test_a_page_of_a_megabyte_is_there_at_once_and_shows_its_hits(browser: Browser, live_server: LiveServer) -> None:
    sentence = "It goes on and on with <b>words</b>. " * 14
    html = "".join(f"<p>Paragraph {number} is long. {sentence}</p>" for number in range(1700))
    documents = [{"id": f"q{q}-0", "html": html} for q in (1, 2)]
    desk = sit_down(browser, live_server, pairs=2, documents=documents)
    desk.open()
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("paragraph 1234")
    expect(desk.page.locator(".found")).to_have_text("1 of 1")
    expect(framed(desk).get_by_text("Paragraph 1234 is long")).to_be_in_viewport()
    assert desk.page.locator(".map rect").count() == 1
    desk.page.context.close()


def test_what_is_sought_before_a_page_is_there_is_found_when_it_is(browser: Browser, live_server: LiveServer) -> None:
    documents = [{"id": f"q{q}-{n}", "html": "<p>alpha beta</p>" * 50_000} for q in (1, 2) for n in (0, 1)]
    desk = sit_down(browser, live_server, pairs=4, documents=documents)
    desk.open()
    desk.hold_ahead()
    desk.page.keyboard.press("1")
    expect(desk.page.locator("#state")).to_contain_text("Saved, the last one as 1")
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("alpha")
    expect(desk.page.locator(".found")).to_have_text("1 of 50,000", timeout=20_000)
    desk.page.context.close()
