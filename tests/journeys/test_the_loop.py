"""A lead walks the loop by clicks, and only by what the pages offer: a rubric fails, and the next one passes.

Lint, publishing, an agreement round that fails, its worst cell, a new version, fresh queries, a gate that passes, a
main round with overlap, a labeller who joins late and qualifies, adjudication, a release. Labellers grade by the API.
"""

import json
import re
from collections.abc import Callable

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser_axe import assert_accessible
from tests.make import LEVELS
from tests.serving import LiveServer

QUERIES, DOCUMENTS, A_ROUND = 45, 10, 15
DUE = (0, 0, 1, 2, 0, 3, 1, 2, 0, 1)
"""What the documents of a query deserve, in turn."""
Gives = Callable[[int, int], int]
"""A labeller's level for what is due, and the document's place."""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def exact(due: int, _place: int) -> int:
    return due


def mixes(due: int, place: int) -> int:
    """Takes a step for context and context for a step, and what is off topic for either."""
    return {0: place % 3, 1: 2, 2: 1, 3: 2}[due]


def slips(due: int, place: int) -> int:
    return 1 if (due, place) == (2, 3) else due


class Team:
    """The project, and its labellers by name, who have only their tokens."""

    def __init__(self, server: LiveServer) -> None:
        self.server, cast = server, server.cast
        self.cast, self.lead = cast, cast.person("lea")
        self.project = cast.project(self.lead, is_small_set=True)
        self.people = {name: cast.person(name) for name in ("ben", "cai", "dan")}
        for name in ("ben", "cai"):
            cast.member(self.project, self.people[name], "labeller")
        documents = {f"q{at}": [f"q{at}-{place}" for place in range(DOCUMENTS)] for at in range(QUERIES)}
        cast.pool(self.project, documents)

    def script(self, person: str) -> httpx2.Client:
        token = self.cast.token(person, self.project, "write")
        return httpx2.Client(base_url=self.server.url, headers={"Authorization": f"Bearer {token}"})

    def grade(self, name: str, gives: Gives, *, most: int = 500) -> int:
        """All that waits for them, or the first of it; how many that was."""
        with self.script(self.people[name]) as script:
            home = f"/api/v1/projects/{self.project}/assignments"
            waiting = script.get(home, params={"limit": most}).json()
            for shown in waiting:
                place = int(shown["document"]["docno"].rpartition("-")[2])
                asked = {field: shown[field] for field in ("key", "revision", "text_hash")}
                answer = script.post(f"{home}/{shown['id']}/grades", json=asked | {"level": gives(DUE[place], place)})
                assert answer.is_success, answer.text
        return len(waiting)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_loop(browser: Browser, live_server: LiveServer) -> None:
    team = Team(live_server)
    lead = live_server.window(browser, team.lead, viewport={"width": 1280, "height": 900}).new_page()
    lead.set_default_timeout(30_000)
    lead.goto(f"/projects/{team.project}")
    write_a_rubric(lead)
    open_agreement_round(lead)
    assert [team.grade("ben", exact), team.grade("cai", mixes)] == [A_ROUND * DOCUMENTS] * 2
    close_round(lead)
    verdict(lead, "failed")
    mend_the_rubric(lead)
    open_agreement_round(lead)
    assert [team.grade("ben", exact), team.grade("cai", slips)] == [A_ROUND * DOCUMENTS] * 2
    close_round(lead)
    verdict(lead, "passed")
    open_main_round(lead)
    have_somebody_join_late(lead, team)
    close_round(lead)
    adjudicate(lead, team)
    release(lead, team)
    lead.context.close()


def go(page: Page, where: Locator) -> None:
    """Follows a link or sends a form, and waits for the page that comes."""
    with page.expect_navigation():
        where.click()


def button(page: Page, words: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=words).first


def link(page: Page, words: str | re.Pattern[str]) -> Locator:
    return page.locator("main").get_by_role("link", name=words).first


def home(page: Page) -> None:
    match = re.search(r"/projects/[a-z2-7]{16}", page.url)
    assert match
    page.goto(match[0])


def next_step(page: Page, words: str | re.Pattern[str]) -> None:
    """The one thing that the project's home offers next."""
    home(page)
    go(page, link(page, words))


def write_a_rubric(lead: Page) -> None:
    next_step(lead, "Write the rubric")
    if lead.url.endswith("/rubric"):
        go(lead, link(lead, "Write the rubric"))
    for place, level in enumerate(LEVELS):
        lead.locator("[name=name]").nth(place).fill(str(level["name"]))
        lead.locator("[name=question]").nth(place).fill(str(level["question"]))
    lead.locator("[name=name]").nth(3).fill("The best one")
    expect(lead.locator("#level-3 .finding.blocks, .finding.blocks").first).to_contain_text("compares documents")
    go(lead, button(lead, "Publish version 1"))
    expect(lead.locator(".finding.blocks").first).to_be_visible()
    lead.locator("[name=name]").nth(3).fill("Complete")
    go(lead, button(lead, "Publish version 1"))
    expect(lead.locator("h1")).to_have_text("Rubric 1")


def open_agreement_round(lead: Page) -> None:
    next_step(lead, re.compile("agreement round|Open|Judge"))
    form = lead.locator("form").filter(has=lead.get_by_role("button", name="Open the agreement round"))
    form.locator("[name=queries]").fill(str(A_ROUND))
    go(lead, form.get_by_role("button", name="Open the agreement round"))
    expect(lead.locator("h1")).to_contain_text(f"of {2 * A_ROUND * DOCUMENTS} grades given")


def close_round(lead: Page) -> None:
    next_step(lead, re.compile(r"Close round \d"))
    go(lead, button(lead, "Close the round"))
    expect(link(lead, "Look at the agreement")).to_be_visible()


def verdict(lead: Page, answer: str) -> None:
    go(lead, link(lead, "Look at the agreement"))
    expect(lead.locator("#answer")).to_have_attribute("data-answer", answer)
    assert_accessible(lead)


def mend_the_rubric(lead: Page) -> None:
    """From the worst cell to its pairs, to what the rubric says of the two, to the next version."""
    worst = lead.locator(".matrix td.differ.heat-10 a").first
    shown = int(worst.inner_text().split()[0])
    go(lead, worst)
    expect(lead.locator("h1")).to_contain_text(f"{shown} pairs graded")
    expect(lead.locator("article.twice .said")).to_have_count(2 * min(shown, 25))
    assert_accessible(lead)
    go(lead, link(lead, "Write what separates them"))
    lead.locator("[name=not_this]").nth(1).fill("It tells about the task; a step that could be taken makes it a 2.")
    lead.locator("[name=question]").nth(2).fill("Can they carry out one named step of the task?")
    go(lead, button(lead, "Publish version 2"))
    expect(lead.locator("h1")).to_have_text("Rubric 2")


def open_main_round(lead: Page) -> None:
    go(lead, link(lead, "Start the main round"))
    form = lead.locator("form").filter(has=lead.get_by_role("button", name="Open the main round"))
    form.locator("[name=overlap]").fill("20")
    go(lead, form.get_by_role("button", name="Open the main round"))
    expect(lead.locator("h1")).to_contain_text("main")


def have_somebody_join_late(lead: Page, team: Team) -> None:
    """Dan comes when the round is under way: he qualifies on what two have judged, and takes over a whole query."""
    team.grade("ben", exact)
    left = team.grade("cai", slips, most=DOCUMENTS)
    assert left == DOCUMENTS
    team.cast.member(team.project, team.people["dan"], "labeller")
    next_step(lead, re.compile(r"Follow round \d"))
    late = lead.locator("form[action$='/qualifications']")
    late.locator("[name=labeller]").select_option(label="dan")
    late.locator("[name=queries]").fill("2")
    go(lead, late.get_by_role("button", name="Deal them"))
    go(lead, lead.locator("a[href*='/deals/']").filter(has_text="cai").last)
    lead.locator("[name=labeller]").select_option(label="dan")
    go(lead, button(lead, "Give it to them"))
    assert team.grade("dan", slips) == 3 * DOCUMENTS
    team.grade("cai", slips)


def adjudicate(lead: Page, team: Team) -> None:
    """The first by keys, as far as the pages lead: blind, then with its reason; the rest by the API."""
    next_step(lead, re.compile("Adjudicate"))
    assert_accessible(lead)
    go(lead, link(lead, "Begin with the first"))
    press(lead, "2")
    expect(lead.locator(".sides")).to_be_visible()
    press(lead, "a")
    with team.script(team.lead) as script:
        queue = f"/api/v1/projects/{team.project}/adjudication"
        for pair in script.get(queue, params={"limit": 500}).json()["pairs"]:
            at, asked = f"{queue}/{pair['pair_id']}", {"level": 2, "revision": pair["revision"]}
            asked["revision"] = script.post(f"{at}/blind", json=asked).json()["revision"]
            assert script.post(f"{at}/decision", json=asked | {"reason": "A step can be taken."}).is_success
    lead.goto(queue.removeprefix("/api/v1"))
    expect(lead.locator("h1")).to_contain_text("All decided")


def press(lead: Page, key: str) -> None:
    expect(lead.locator("main.desk[data-ready=yes]")).to_be_visible()
    with lead.expect_navigation():
        lead.keyboard.press(key)


def release(lead: Page, team: Team) -> None:
    go(lead, link(lead, "Go on to the release"))
    expect(lead.locator("h1")).to_contain_text("Ready")
    go(lead, button(lead, "Freeze release 1"))
    assert_accessible(lead)
    manifest = json.loads(lead.request.get(f"{lead.url}/manifest").text())
    assert manifest["gated"] is True
    assert manifest["counts"]["judgments"] == QUERIES * DOCUMENTS
    assert {round_["kind"] for round_ in manifest["rounds"]} == {"agreement", "main"}
    assert len(manifest["labellers"]) == len(team.people)
