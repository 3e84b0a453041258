"""Find in a document, and the query's words marked in it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from app.corpora.models import Document, Query, shown_hash
from tests.browser_axe import assert_accessible
from tests.judging.windows import Desk, sit_down
from tests.serving import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]
MEGABYTE = "\n\n".join(f"Paragraph {number} tells of keys and how to rotate them. " * 16 for number in range(1200))
PAINTED = """(name) => [...(CSS.highlights.get(name) ?? [])].map(
  ({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset))"""
Sit = Callable[..., Desk]


@pytest.fixture
def sit(browser: Browser, live_server: LiveServer) -> Sit:
    def sit(*, query: str = "how to rotate keys", text: str = "", **options: object) -> Desk:
        desk = sit_down(browser, live_server, **options)  # type: ignore[arg-type]
        shown = {"title": "A title", "text": text, "url": ""}
        with desk.cast.database.session(writes=True) as session:
            session.execute(update(Query).values(text=query))
            session.execute(update(Document).values(**shown, text_hash=shown_hash(**shown)))
        desk.open()
        return desk

    return sit


def painted(page: Page, name: str) -> list[str]:
    words: list[str] = page.evaluate(PAINTED, name)
    return words


def search(page: Page, words: str) -> None:
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Find in the document")).to_be_focused()
    page.keyboard.type(words)


def test_hits_are_counted_and_gone_through_by_keys(sit: Sit) -> None:
    page = sit(text="One key. Another Key.\n\nA KEY, a monkey.").page
    search(page, "key")
    found = page.locator(".tools .found")
    expect(found).to_have_text("1 of 4")
    page.keyboard.press("Enter")
    expect(found).to_have_text("2 of 4")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(found).to_have_text("3 of 4")
    page.keyboard.press("p")
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(found).to_have_text("4 of 4")
    assert painted(page, "hit") == ["key", "Key", "KEY", "key"]
    assert painted(page, "current") == ["key"]
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator(".tools .find")).to_be_hidden()
    assert painted(page, "hit") == []


def test_the_buttons_do_what_the_keys_do(sit: Sit) -> None:
    page = sit(text="oo b oo b oo").page
    page.get_by_role("button", name="Find /").click()
    page.get_by_role("searchbox").fill("oo")
    expect(page.locator(".found")).to_have_text("1 of 3")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".found")).to_have_text("2 of 3")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(".found")).to_have_text("1 of 3")
    page.get_by_role("searchbox").fill("zebra")
    expect(page.locator(".found")).to_have_text("not found")
    page.get_by_role("button", name="Close the search").click()
    expect(page.locator(".tools .find")).to_be_hidden()


def test_no_key_grades_while_a_search_is_typed(sit: Sit) -> None:
    desk = sit(text="grade 3 of 4")
    search(desk.page, "3 of 4 xlu?")
    assert desk.count() == 0


@pytest.mark.parametrize(
    ("text", "words", "hits"),
    [
        ("Ein Café, ein CAFÉ, ein cafe\u0301", "cafe", ["Café"[:4], "CAFÉ", "cafe\u0301"]),
        ("東京都の鍵を回す方法。鍵は安全。", "鍵", ["鍵", "鍵"]),
        ("ＦＵＬＬ width full", "full", ["ＦＵＬＬ", "full"]),
        ("한국어 하나", "한", ["한"]),
        ("مُفْتَاح و مفتاح", "مفتاح", ["مُفْتَاح", "مفتاح"]),
        ("a+b (c) a+b", "a+b", ["a+b", "a+b"]),
        ("🔑 key 🔑", "🔑", ["🔑", "🔑"]),
        ("Straße und STRASSE", "straße", ["Straße"]),
        ("ΛΟΓΟΣ, λόγος, λόγοσ", "λόγος", ["ΛΟΓΟΣ", "λόγος", "λόγοσ"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8 하나", "한국", ["\u1112\u1161\u11ab\u1100\u116e\u11a8"]),
        ("한국 하나", "\u1112\u1161\u11ab\u1100\u116e\u11a8", ["한국"]),
    ],
)
def test_case_accents_and_width_make_no_difference(sit: Sit, text: str, words: str, hits: list[str]) -> None:
    page = sit(text=text).page
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill(words)
    expect(page.locator(".found")).to_contain_text(f"of {len(hits)}")
    assert painted(page, "hit") == hits


def test_the_querys_words_are_marked_counted_and_can_be_turned_off_for_good(sit: Sit) -> None:
    desk = sit(
        query="how to rotate the API key", text="Rotate it. The api keys rotate; a keyboard does not, to be sure."
    )
    page = desk.page
    button = page.get_by_role("button", name="Query’s words")
    expect(button).to_contain_text("4")
    assert painted(page, "word") == ["Rotate", "api", "keys", "rotate"]
    page.keyboard.press("h")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert painted(page, "word") == []
    desk.open()
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    assert len(painted(page, "word")) == 4


def test_words_of_a_script_without_spaces_are_marked(sit: Sit) -> None:
    page = sit(query="鍵を回す", text="東京で鍵を安全に回す。").page
    assert "鍵" in painted(page, "word")


def test_a_text_of_a_megabyte_stays_fluent_and_has_a_map(sit: Sit) -> None:
    desk = sit(text=MEGABYTE)
    page = desk.page
    expect(page.locator(".tools [data-key=h] b")).not_to_be_empty()
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("Paragraph 1100 ")
    expect(page.locator(".found")).to_contain_text("1 of 16")
    page.keyboard.press("Escape")
    assert page.locator(".map rect").count() >= 1
    took = page.evaluate(
        """async () => {
          const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
          const times = []
          for (let press = 0; press < 10; press++) {
            const start = performance.now()
            document.querySelector('.tools [data-key=n]').click()
            await frame()
            times.push(performance.now() - start)
          }
          return times.sort((one, other) => one - other)[5]
        }"""
    )
    assert took < 250, f"{took:.0f} ms from one hit to the next"
    is_in_sight = page.evaluate(
        """() => {
          const [hit] = CSS.highlights.get('current')
          const live = document.createRange()
          live.setStart(hit.startContainer, hit.startOffset)
          live.setEnd(hit.endContainer, hit.endOffset)
          const { top, bottom } = live.getBoundingClientRect()
          return top >= document.querySelector('.need').getBoundingClientRect().bottom && bottom <= innerHeight
        }"""
    )
    assert is_in_sight
    assert_accessible(page)


def test_another_pair_begins_with_nothing_sought(sit: Sit) -> None:
    desk = sit(text="key key")
    search(desk.page, "key")
    desk.page.keyboard.press("Escape")
    first = desk.page.locator("#pair").get_attribute("data-id")
    desk.page.keyboard.press("2")
    expect(desk.page.locator("#pair")).not_to_have_attribute("data-id", first or "")
    expect(desk.page.locator(".tools .find")).to_be_hidden()
    assert painted(desk.page, "hit") == []


def test_without_highlights_the_hit_is_selected(sit: Sit) -> None:
    desk = sit(text="One key and another key.")
    desk.page.add_init_script("delete CSS.highlights; Object.defineProperty(CSS, 'highlights', {value: undefined})")
    desk.open()
    search(desk.page, "key")
    expect(desk.page.locator(".found")).to_have_text("1 of 2")
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("n")
    expect(desk.page.locator(".found")).to_have_text("2 of 2")
    assert desk.page.evaluate("getSelection().toString()") == "key"
