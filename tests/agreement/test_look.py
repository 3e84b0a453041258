"""The agreement and adjudication pages as a browser shows them: at every width, in both themes, by keyboard alone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from app.agreement.adjudication_queries import audit_sample, differing_pairs, steps_of
from tests.agreement.judged import Said, judge, publish_rubric
from tests.browser_axe import assert_accessible
from tests.make import Cast
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


def said_by_three() -> list[Said]:
    """Enough for every part of the page: three labellers, a second round, pairs that were left out."""
    rows: list[Said] = []
    for query in range(12):
        first, second = (("ana", "ben"), ("ben", "cleo"), ("ana", "cleo"))[query % 3]
        for docno in range(8):
            level = (query + docno) % 4
            other: int | str | None = level if (query * docno) % 5 else (level + docno) % 4
            if (query, docno) == (0, 7):
                other = "wrong language"
            elif (query, docno) == (1, 7):
                other = None
            rows += [(f"q{query}", f"d{docno}", first, level), (f"q{query}", f"d{docno}", second, other)]
    return rows


def judged_project(cast: Cast) -> tuple[str, str, list[str]]:
    """A lead, the project, and the ids of its differing pairs."""
    lead = cast.person("lea")
    project = cast.project(lead)
    with cast.database.session(writes=True) as session:
        said = said_by_three()
        words = {(qid, docno, name): f"Read {docno} to its end." for qid, docno, name, _ in said}
        judge(session, project, said, rationales=words)
        publish_rubric(session, project, family=1)
        judge(session, project, [("q20", "d1", "ana", 1), ("q20", "d1", "ben", 3)], kind="main")
        return lead, project, [pair.pair_id for pair in differing_pairs(session, project, 1)]


@pytest.mark.parametrize("width", [320, 1280])
def test_every_page_fits_and_is_accessible(browser: Browser, live_server: LiveServer, width: int) -> None:
    lead, project, pairs = judged_project(live_server.cast)
    home = f"/projects/{project}"
    page = live_server.window(browser, lead, viewport={"width": width, "height": 800}).new_page()
    for address in (
        "/agreement",
        "/agreement/pairs?apart=1",
        "/agreement/pairs?left_out=ungraded",
        "/adjudication",
        f"/adjudication/{pairs[0]}",
    ):
        look_at(page, f"{home}{address}", width)
    ready = page.locator("main.desk[data-ready=yes]")  # At once it takes nothing that was meant for the page before.
    expect(ready).to_be_visible()
    page.get_by_role("button", name="1 context").click()
    expect(page.get_by_role("heading", name="The labellers said")).to_be_visible()
    look_at(page, page.url, width)
    expect(ready).to_be_visible()
    page.get_by_role("button", name="A passage of the document was missed.").first.click()
    expect(page.get_by_role("status")).to_contain_text("Decided, the last one as 1")
    look_at(page, page.url, width)
    look_at(page, f"{home}/adjudication/{pairs[0]}", width)
    page.context.close()


def look_at(page: Page, address: str, width: int) -> None:
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    assert_accessible(page)


def test_a_pair_is_adjudicated_by_keys_alone(browser: Browser, live_server: LiveServer) -> None:
    lead, project, pairs = judged_project(live_server.cast)
    page = live_server.window(browser, lead).new_page()
    page.goto(f"/projects/{project}/adjudication")
    page.get_by_role("link", name="Begin with the first").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="First your own grade, blind")).to_be_visible()
    first = page.url
    page.wait_for_timeout(400)
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="The labellers said")).to_be_visible()
    assert page.url == first
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Decide 3")).to_be_visible()
    page.keyboard.press("b")
    expect(page.get_by_role("status")).to_contain_text("Decided, the last one as 3")
    with live_server.cast.database.session(writes=False) as session:
        waits = len(pairs) + len(audit_sample(session, project, 1))
    expect(page.get_by_text(f"1 of {waits} decided")).to_be_visible()
    assert not page.url.startswith(first)
    page.keyboard.press("u")
    expect(page.get_by_text(f"0 of {waits} decided")).to_be_visible()
    assert page.url.startswith(first)
    page.keyboard.press("x")
    expect(page.get_by_role("button", name="Decide: no judgment")).to_be_visible()
    page.keyboard.press("l")
    expect(page.get_by_role("heading", name="First your own grade, blind")).to_be_visible()
    page.context.close()


def test_a_double_press_grades_one_pair_only(browser: Browser, live_server: LiveServer) -> None:
    lead, project, pairs = judged_project(live_server.cast)
    page = live_server.window(browser, lead).new_page()
    page.clock.install(time=0)
    page.clock.pause_at(1)  # However slow this machine is: the page has only just come up.
    page.goto(f"/projects/{project}/adjudication/{pairs[0]}")
    page.keyboard.press("2")
    page.wait_for_timeout(100)
    expect(page.get_by_role("heading", name="First your own grade, blind")).to_be_visible()
    page.clock.resume()
    page.wait_for_timeout(400)
    page.keyboard.press("2")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="The labellers said")).to_be_visible()
    with live_server.cast.database.session(writes=False) as session:
        steps = [step.step for steps in steps_of(session, project, 1).values() for step in steps]
    assert steps == ["blind"]
    page.context.close()
