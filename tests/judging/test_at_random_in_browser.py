"""R3 and R6 by pressing at random: over any network, nothing is graded but what was meant.

Whoever reads presses digits. Whoever writes has opened a field before, by its key or by a click, and types digits too;
now and then the network is cut or slow, the page is loaded again, or left and come back to. A trial that could not see
a word taken for a grade would prove nothing, so the same one is held over a desk that opens its fields and leaves the
cursor outside of them.
"""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import pytest
from playwright.sync_api import Browser, Error, Route, expect

from app.settings import ROOT
from tests.judging.windows import READY, Desk, sit_down
from tests.serving import LiveServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.soak,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]
SENTENCES = ("see section 2, grade 3 is too high", "1 or 0? rxl", "later 2 a b c 3", "u? 1/3 h 2")
STEPS = 300
FOCUS = "if (!field || isShut) return;"
"""What app.js says before it sets the cursor in the field that was opened."""


@dataclass
class Hands:
    """Of a labeller who is quick, careless with the mouse, and has a bad network."""

    desk: Desk
    chance: random.Random
    meant: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    """How often a digit was pressed for a grade, by the title that was in sight."""
    delay: int = 0
    """ms, that requests wait at the most."""
    is_offline: bool = False

    def press(self, steps: int) -> None:
        does: dict[Callable[[], None], int] = {
            self.grade: 30,
            partial(self.write, "r", "Rationale"): 10,
            partial(self.write, "a", "Ask the lead"): 6,
            self.ask: 2,
            self.find: 3,
            self.look_back: 6,
            partial(self.key, "l"): 3,
            self.look_up: 2,
            self.cut: 3,
            self.slow: 3,
            self.load_again: 2,
            self.go_and_come_back: 1,
            self.wait: 8,
        }
        self.desk.page.route("**/projects/**", self.answer)
        for step in self.chance.choices(list(does), list(does.values()), k=steps):
            with suppress(Error):  # What is clicked may be covered, and the page on its way.
                step()

    def key(self, key: str) -> None:
        self.desk.page.keyboard.press(key)

    def grade(self) -> None:
        digit = self.chance.choice("0123")
        title = self.desk.page.evaluate("document.getElementById('document').textContent")
        self.meant[title, int(digit)] += 1
        self.key(digit)

    def write(self, key: str, name: str) -> None:
        if self.chance.random() < 0.6:
            self.key(key)
        else:
            self.desk.page.locator("summary", has_text=name).click(timeout=1000)
        self.type()
        self.key("Escape")

    def type(self) -> None:
        self.desk.page.keyboard.type(self.chance.choice(SENTENCES), delay=self.chance.choice([0, 5, 30]))

    def ask(self) -> None:
        self.key("a")
        self.type()
        self.desk.page.get_by_role("button", name="Ask, and set it aside").click(timeout=1000)

    def find(self) -> None:
        self.key("/")
        self.type()
        self.key("Enter")
        self.key("Escape")

    def look_back(self) -> None:
        self.key("u")
        self.wait()
        for key in ("Enter", "Escape"):
            if self.chance.random() < 0.5:
                self.key(key)

    def look_up(self) -> None:
        self.key("?")
        self.key("Escape")

    def cut(self) -> None:
        self.is_offline = not self.is_offline
        self.desk.page.context.set_offline(self.is_offline)

    def slow(self) -> None:
        self.delay = self.chance.choice([0, 0, 300, 1500])

    def answer(self, route: Route) -> None:
        with suppress(Error):  # The page that asked may have gone.
            if self.delay:
                self.desk.page.wait_for_timeout(self.chance.random() * self.delay)
            route.continue_()

    def load_again(self) -> None:
        if not self.is_offline:
            self.desk.page.reload()
            self.desk.page.wait_for_selector(READY)

    def go_and_come_back(self) -> None:
        if not self.is_offline:
            self.desk.page.goto(self.desk.home)
            self.desk.page.go_back()

    def wait(self) -> None:
        self.desk.page.wait_for_timeout(self.chance.choice([50, 300, 800, 2500]))

    def come_to_rest(self) -> None:
        self.delay, self.is_offline = 0, False
        self.desk.page.context.set_offline(False)
        self.desk.open()
        expect(self.desk.page.locator("main.desk")).to_have_attribute("data-saving", "no", timeout=30_000)
        assert self.desk.kept() == []


def unmeant(
    browser: Browser, live_server: LiveServer, *, seed: int, script: str | None = None
) -> Counter[tuple[str, int | None]]:
    """Grades that were stored and that nobody meant, of those that were pressed at random; `script` is the app.js."""
    desk = sit_down(browser, live_server, pairs=400)
    if script is not None:
        desk.page.route("**/app.js*", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    desk.open()
    desk.hold_ahead()
    desk.grade_by_key("0")
    first = desk.graded()
    hands = Hands(desk, random.Random(seed))
    hands.press(STEPS)
    hands.come_to_rest()
    stored = Counter(desk.graded())
    desk.page.unroute_all(behavior="ignoreErrors")
    desk.page.context.close()
    assert stored.total() >= STEPS / 20, "hardly anything was graded"
    return stored - Counter(first) - hands.meant


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_graded_but_what_was_meant(browser: Browser, live_server: LiveServer, seed: int) -> None:
    assert unmeant(browser, live_server, seed=seed) == Counter()


def test_a_field_that_is_opened_without_the_cursor_does_not_escape_the_trial(
    browser: Browser, live_server: LiveServer
) -> None:
    script = (ROOT / "static/app.js").read_text("utf-8")
    assert FOCUS in script
    assert unmeant(browser, live_server, seed=0, script=script.replace(FOCUS, "return;"))
