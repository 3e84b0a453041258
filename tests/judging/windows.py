"""A labeller's window at the desk, for tests in a browser."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import func, select

from app.corpora.models import Document
from app.judging.models import Assignment, Grade
from app.pools.models import Pair
from app.rubrics.texts import Example
from tests.make import LEVELS, Cast
from tests.serving import LiveServer

READY = "main.desk[data-ready=yes]"
LONG: list[dict[str, Any]] = [
    {
        **LEVELS[0],
        "examples": (Example(document="A page on another thing."),),
        "not_this": "A page on the task is a 1, even where nobody can act on it.",
    },
    *LEVELS[1:],
]


def sit_at_desk(page: Page, home: str) -> None:
    """Goes to the desk of the project at `home`, past the rubric that stands before a round's first grade."""
    page.goto(f"{home}/desk")
    page.wait_for_selector(READY)
    if page.locator("#before").count():
        page.get_by_role("link", name="Begin judging").first.click()
        page.wait_for_selector("#before", state="detached")
        page.wait_for_selector(READY)


@dataclass(frozen=True)
class Desk:
    """A labeller's window at the desk."""

    cast: Cast
    project: str
    labeller: str
    lead: str
    other: str
    """The second labeller."""
    page: Page

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def open(self) -> None:
        sit_at_desk(self.page, self.home)

    @property
    def title(self) -> Locator:
        return self.page.locator("#document")

    def grade_by_key(self, key: str) -> None:
        """Presses, and waits for the next pair and the moment after it."""
        before = self.title.text_content()
        self.page.keyboard.press(key)
        expect(self.title).not_to_have_text(before or "")
        self.page.wait_for_selector(READY)

    def press_at_once(self, key: str) -> None:
        """As `grade_by_key`, where the page's clock is the test's."""
        before = self.title.text_content()
        self.page.clock.run_for(400)
        self.page.keyboard.press(key)
        expect(self.title).not_to_have_text(before or "")

    def hold_ahead(self) -> None:
        """Waits until the pairs that come next are in memory."""
        self.page.wait_for_selector("main.desk[data-ahead]:not([data-ahead='0'])")

    def grades(self) -> list[tuple[int | None, str | None, str, str]]:
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Grade.level, Grade.reason, Grade.rationale, Grade.origin).order_by(Grade.given_at)
            )
            return [(row[0], row[1], row[2], row[3]) for row in rows]

    def graded(self) -> list[tuple[str, int | None]]:
        """Title and level of every grade, as they came."""
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Document.title, Grade.level)
                .select_from(Grade)
                .join(Assignment, Assignment.id == Grade.assignment_id)
                .join(Pair, Pair.id == Assignment.pair_id)
                .join(Document, Document.id == Pair.document_id)
                .order_by(Grade.given_at)
            )
            return [(row[0], row[1]) for row in rows]

    def kept(self) -> list[dict[str, object]]:
        """What the browser keeps of waiting grades on its disk."""
        kept: list[dict[str, object]] = self.page.evaluate(
            "Object.keys(localStorage).filter((name) => name.startsWith('adjudge waiting'))"
            ".sort().map((name) => JSON.parse(localStorage[name]))"
        )
        return kept

    def count(self) -> int:
        with self.cast.database.session(writes=False) as session:
            return session.scalar(select(func.count()).select_from(Grade)) or 0


def sit_down(
    browser: Browser,
    server: LiveServer,
    *,
    pairs: int = 14,
    documents: Sequence[Mapping[str, object]] = (),
    showing: Mapping[str, object] | None = None,
    **options: object,
) -> Desk:
    """A labeller before the desk of a round with `pairs` of two queries; the window is not open yet. `documents` are
    brought in as a lead's script does it, for the docnos q1-0, q1-1 … q2-0 …, and `showing` is chosen.
    """
    cast = server.cast
    lead, ben, cleo = cast.person("ana"), cast.person("ben"), cast.person("cleo")
    project = cast.project(lead)
    instructions, unjudgeable = "Read the description first.", "Where the text is cut off."
    cast.rubric(project, levels=LONG, instructions=instructions, unjudgeable=unjudgeable)
    members = [cast.member(project, person, "labeller") for person in (ben, cleo)]
    pool = cast.pool(project, {qid: [f"{qid}-{number}" for number in range(pairs // 2)] for qid in ("q1", "q2")})
    bring_in_documents(cast, lead, project, documents, showing)
    cast.round(project, pool, members)
    return Desk(cast, project, ben, lead, cleo, server.window(browser, ben, **options).new_page())


def bring_in_documents(
    cast: Cast,
    lead: str,
    project: str,
    documents: Sequence[Mapping[str, object]],
    showing: Mapping[str, object] | None = None,
) -> None:
    script, api = cast.script(lead, project), f"/api/v1/projects/{project}"
    if documents:
        lines = "\n".join(map(json.dumps, documents))
        answer = script.post(f"{api}/imports/documents", files={"file": ("docs.jsonl", lines.encode())})
        assert answer.status_code == 200, answer.text
    if showing is not None:
        chosen = script.put(f"{api}/showing", json=showing)
        assert chosen.status_code == 200, chosen.text
