"""Releases and scores as a browser shows them: they fit, and axe finds nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser_axe import assert_accessible
from tests.make import PASSWORD
from tests.releases.story import Story, agreeing
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


def assert_fits(page: Page) -> None:
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1], f"{page.url} is {widths[0]} wide"


def add_run(story: Story, folder: Path) -> str:
    lines = [f"q{query:02} Q0 d{query:02}-{pair} 1 {9 - pair}.5 bm25\n" for query in range(29) for pair in range(10)]
    path = folder / "bm25.run"
    path.write_text("".join(lines))
    return story.run(path, "bm25")


@pytest.mark.parametrize("width", [320, 1280])
def test_every_page_fits_and_is_accessible(
    browser: Browser, live_server: LiveServer, tmp_path: Path, width: int
) -> None:
    story = Story(live_server.cast)
    page = live_server.window(browser, story.lead, viewport={"width": width, "height": 800}).new_page()
    look_at(page, story, "/releases", "/scores")
    story.judge(agreeing(queries=12, pairs=1))
    story.judge([(f"p{n}", f"d{n}", "dora", "broken") for n in range(9)], kind="main")
    look_at(page, story, "/releases", "/scores")
    ungated = story.freeze("Trial", waiver_reason="The trial ends today.")
    reference = story.reference(b"q00 0 d00-0 1\nq00 0 d00-1 0\n")
    run = add_run(story, tmp_path)
    story.judge([(f"m{qid}", docno, name, level) for qid, docno, name, level in agreeing()], kind="main")
    gated = story.freeze("Autumn")
    look_at(page, story, "/releases", *(f"/releases/{each}" for each in (ungated.id, reference, gated.id)))
    look_at(page, story, "/scores", f"/scores?release={ungated.id}&preset=trec")
    look_at(page, story, f"/scores/{run}?release={reference}&preset=pytrec_eval")
    look_at(page, story, f"/scores/{run}?release={ungated.id}&query=q00")
    page.context.close()


def look_at(page: Page, story: Story, *addresses: str) -> None:
    for address in addresses:
        page.goto(story.home + address)
        expect(page.get_by_role("heading").first).not_to_contain_text("Something went wrong")
        assert_fits(page)
        assert_accessible(page)


def test_a_lead_signs_a_waiver_after_a_wrong_password_and_downloads_the_qrels(
    browser: Browser, live_server: LiveServer
) -> None:
    story = Story(live_server.cast)
    story.judge(agreeing(queries=12, pairs=1))
    page = live_server.window(browser, story.lead).new_page()
    page.goto(f"{story.home}/releases")
    expect(page.get_by_label("Reason")).to_be_hidden()
    page.get_by_text("Release without the gate, by a waiver").click()
    page.get_by_label("Reason").fill("The trial ends today.")
    page.get_by_label("Your password").fill("not this one")
    page.get_by_role("button", name="Sign the waiver").click()
    expect(page.get_by_role("alert")).to_contain_text("That is not your password.")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(page.get_by_label("Your password")).to_be_focused()
    expect(page.get_by_label("Reason")).to_have_value("The trial ends today.")
    assert_accessible(page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Sign the waiver").click()
    expect(page.get_by_text("Ungated, gated: false.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download qrels").click()
    assert download.value.suggested_filename == "developer-help-release-1-ungated.qrels"
    page.context.close()
