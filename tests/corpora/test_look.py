"""The pages of the corpus, the imports and the runs, as a browser shows them."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser_axe import assert_accessible
from tests.corpora.handing import Desk, sit_down
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

BAD = b"c001\tbluetooth speaker\nc001\tsurround sound speakers\nno tab in this line\nc002\t\n"
UNTABLED = b'{"id": "' + b"x" * 300 + b'", "title": "' + b"unbroken" * 60 + b'", "text": "A text."}\n'


def look(page: Page, address: str, width: int) -> None:
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    assert_accessible(page)


def fill(desk: Desk, products: Path) -> list[str]:
    """Addresses of previews: of a good file, a bad one, one with nothing new and one that was brought in."""
    previews = [desk.hand_in("queries", products / "topics.tsv"), desk.hand_in("queries", BAD)]
    desk.brought_in("queries", b"q1\tred shoes\n")
    desk.brought_in("documents", products / "docs.jsonl")
    desk.brought_in("documents", UNTABLED)
    desk.brought_in("runs", products / "runs" / "chorus-bm25.run")
    desk.brought_in(
        "runs", products / "runs" / "chorus-lsa.run", {"name": "a-name-that-is-rather-long-and-unbroken" * 3}
    )
    same, done = desk.hand_in("queries", b"q1\tred shoes\n"), desk.hand_in("queries", b"q2\tblue shoes\n")
    desk.browser.post(done, data={"encoding": "utf-8"})
    return [*previews, same, done, desk.hand_in("runs", products / "runs" / "chorus-minilm.run")]


@pytest.mark.parametrize("width", [320, 1280])
def test_every_page_of_the_corpus_fits_and_is_accessible(
    browser: Browser, live_server: LiveServer, shared_data: Path, width: int
) -> None:
    desk = sit_down(live_server.cast)
    home = f"/projects/{desk.project}"
    page = live_server.window(browser, desk.lead, viewport={"width": width, "height": 900}).new_page()
    for address in ("corpus", "runs", "corpus/queries", "corpus/documents"):
        look(page, f"{home}/{address}", width)
    previews = fill(desk, shared_data / "chorus-products")
    lists = [
        "corpus",
        "runs",
        "corpus/queries",
        "corpus/documents",
        "corpus/documents?after=99",
        "corpus/queries?find=zz",
    ]
    forms = ["imports/queries", "imports/documents", "imports/runs"]
    for address in (*previews, *(f"{home}/{each}" for each in lists + forms)):
        look(page, address, width)
    for kind in ("queries", "documents"):
        page.goto(f"{home}/corpus/{kind}")
        page.locator("tbody a").last.click()
        look(page, page.url, width)
    page.context.close()


def test_a_lead_brings_a_run_in_by_keyboard_and_without_a_script(
    browser: Browser, live_server: LiveServer, shared_data: Path
) -> None:
    desk = sit_down(live_server.cast)
    page = live_server.window(browser, desk.lead, java_script_enabled=False).new_page()
    page.goto(f"/projects/{desk.project}/imports/runs")
    page.locator("[type=file]").set_input_files(shared_data / "chorus-products" / "runs" / "chorus-bm25.run")
    page.get_by_role("button", name="Look at it").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 new")
    page.get_by_label("Name of the run").fill("lexical")
    page.get_by_role("button", name="Look again").press("Enter")
    page.get_by_role("button", name="Bring in 1 run").press("Enter")
    expect(page.get_by_text("“lexical”")).to_be_visible()
    page.get_by_role("link", name="See the runs").press("Enter")
    expect(page.get_by_role("rowheader", name="lexical")).to_be_visible()
    page.context.close()
