"""The whole way, as four people walk it in four browsers, on real double judgments of product search.

A lead sets the installation up, starts a project, publishes a rubric, brings in queries, documents, runs and pairs and
opens an agreement round. Two labellers judge it: some pairs by key at the desk, the rest by script, each with their own
token, giving what the real raters 1 and 2 gave. An adjudicator decides every differing pair as rater 3 did. The gate
passes, a release is frozen, its qrels are scored. The same is walked on SQLite and on PostgreSQL, and what leaves is
the same to the byte.
"""

import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytrec_eval
from playwright.sync_api import Browser, Locator, Page, expect
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from tests.browser_axe import assert_accessible
from tests.journeys.products import Products, read_products
from tests.journeys.server import Server, served
from tests.judging.windows import sit_at_desk

PASSWORD = "four quiet words together"
BY_KEY = 25
"""Pairs that each labeller grades by key; 40 between them would do."""
DECIDED_BY_KEY = 3
LEVELS = [0, 1, 2, 3]
LABELLERS = ("Rater One", "Rater Two")
ADJUDICATOR = "Rater Three"

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Left:
    """What left the product on one database."""

    qrels: str
    manifest: str


def test_the_whole_way_on_both_databases(
    browser: Browser, sqlite_url: str, postgresql_url: str, shared_data: Path, tmp_path: Path
) -> None:
    products = read_products(shared_data)
    left = [
        walk(browser, url, products, tmp_path / str(number)) for number, url in enumerate((sqlite_url, postgresql_url))
    ]
    assert left[0] == left[1]


def walk(browser: Browser, database_url: str, products: Products, folder: Path) -> Left:
    folder.mkdir()
    with served(database_url, folder / "uploads") as server:
        lead = window(browser, server)
        set_up(lead, server)
        project = start_project(lead)
        publish_rubric(lead, project)
        bring_in(lead, project, "queries", products.queries_file(folder))
        bring_in(lead, project, "documents", products.folder / "docs.jsonl")
        for run in products.runs:
            bring_in(lead, project, "runs", run)
        bring_in(lead, project, "pairs", products.pairs_file(folder))
        people = {name: take_part(browser, server, lead, project, name, "labeller") for name in LABELLERS}
        people[ADJUDICATOR] = take_part(browser, server, lead, project, ADJUDICATOR, "lead")
        round_address = open_round(lead, project)
        for number, name in enumerate(LABELLERS):
            judge(server, people[name], project, products, number)
        see_origins(lead, round_address)
        close_round(lead, round_address)
        adjudicate(server, people[ADJUDICATOR], project, products)
        see_agreement(lead, project, products)
        see_agreement_by_api(server, lead, project, products)
        left = release(lead, project, folder)
        see_scores(server, lead, project, products, left)
        for page in (lead, *people.values()):
            page.context.close()
        return left


# The lead


def window(browser: Browser, server: Server) -> Page:
    """A browser of somebody's own."""
    page = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(30_000)
    return page


def press(page: Page, button: Locator) -> None:
    """Sends the button's form, and waits for the page that answers it."""
    with page.expect_navigation():
        button.click()


def set_up(lead: Page, server: Server) -> None:
    lead.goto(server.set_up)
    assert_accessible(lead)
    fill_account(lead, "Lead")
    press(lead, lead.get_by_role("button", name="Make the account"))
    lead.goto(server.set_up)
    expect(lead.locator("h1")).to_contain_text("used already")
    lead.goto("/")


def fill_account(page: Page, name: str) -> None:
    page.locator("[name=email]").fill(f"{name.lower().replace(' ', '.')}@example.org")
    page.locator("[name=name]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)


def start_project(lead: Page) -> str:
    """The address of the new project."""
    lead.goto("/projects/new")
    lead.locator("[name=name]").fill("Product search")
    lead.locator("[name=gain][value=exponential]").check()
    lead.locator("[name=gain_reason]").fill("A shopper wants the one product that fits.")
    lead.locator("[name=policy][value=standard]").check()
    press(lead, lead.get_by_role("button", name="Start the project"))
    expect(lead).to_have_url(re.compile(r"/projects/[a-z2-7]{16}$"))
    assert_accessible(lead)
    return lead.url


def publish_rubric(lead: Page, project: str) -> None:
    lead.goto(f"{project}/rubric/draft")
    lead.locator("[name=name]").nth(3).fill("The best one")
    save = lead.locator("button[value=save]").last
    press(lead, save)
    expect(lead.locator(".finding.blocks")).to_contain_text("compares documents")
    lead.locator("[name=name]").nth(3).fill("Complete")
    press(lead, save)
    expect(lead.locator(".finding.blocks")).to_have_count(0)
    assert_accessible(lead)
    press(lead, lead.get_by_role("button", name="Publish version 1"))
    expect(lead.locator("h1")).to_have_text("Rubric 1")


def bring_in(lead: Page, project: str, kind: str, file: Path) -> None:
    lead.goto(f"{project}/imports/{kind}")
    lead.locator("input[type=file]").set_input_files(file)
    press(lead, lead.get_by_role("button", name="Look at it"))
    bring = lead.get_by_role("button", name=re.compile("^Bring in"))
    expect(bring).to_be_visible()
    if kind == "documents":
        assert_accessible(lead)
    press(lead, bring)
    expect(bring).to_have_count(0)


def take_part(browser: Browser, server: Server, lead: Page, project: str, name: str, role: str) -> Page:
    """The browser of somebody who followed the lead's invitation."""
    lead.goto(f"{project}/members")
    lead.locator(f"[name=role][value={role}]").check()
    lead.locator("[name=note]").fill(name)
    press(lead, lead.get_by_role("button", name="Make the link"))
    page = window(browser, server)
    page.goto(lead.locator("#address").input_value())
    fill_account(page, name)
    press(page, page.get_by_role("button", name="Make an account and take part"))
    page.goto(project)
    return page


def open_round(lead: Page, project: str) -> str:
    """The address of an agreement round over all forty queries, dealt to both labellers."""
    lead.goto(f"{project}/rounds")
    assert_accessible(lead)
    form = lead.locator("form").filter(has=lead.locator("[name=kind][value=agreement]"))
    form.locator("[name=queries]").fill("40")
    form.locator("[name=seed]").fill("2026")
    for box in form.locator("[name=labellers]").all():
        name = box.locator("xpath=ancestor::label").inner_text()
        box.set_checked(any(labeller in name for labeller in LABELLERS))
    press(lead, form.get_by_role("button", name="Open the agreement round"))
    expect(lead).to_have_url(re.compile(r"/rounds/[a-z2-7]{16}"))
    return lead.url


# The labellers


def judge(server: Server, page: Page, project: str, products: Products, rater: int) -> None:
    token = make_token(page)
    page.goto(f"{project}/desk")
    if rater == 0:
        assert_accessible(page)
    sit_at_desk(page, project)
    qid_of = {text: qid for qid, text in products.queries.items()}
    for _ in range(BY_KEY):
        shown = page.locator("#desk")
        qid = qid_of[shown.locator("#query").inner_text()]
        docno = shown.locator(".docno").inner_text()
        key = page.locator("input[name=key]").get_attribute("value")
        expect(page.locator("main.desk[data-ready=yes]")).to_be_visible()
        page.keyboard.press(str(products.grades[qid, docno][rater]))
        expect(page.locator(f"input[name=key]:not([value='{key}'])")).to_have_count(1)
    grade_rest(server, token, project, products, rater)
    page.goto(f"{project}/desk")
    expect(page.locator("main")).not_to_contain_text("of 971 in round")


def make_token(page: Page) -> str:
    page.goto("/account/tokens")
    page.locator("[name=name]").fill("the rest")
    page.locator("[name=right][value=write]").check()
    press(page, page.get_by_role("button", name="Make it"))
    return page.locator("#secret").input_value()


def script(server: Server, token: str, project: str) -> httpx2.Client:
    """A client of the project's API with somebody's token."""
    api = f"{server.url}/api/v1/projects/{project.rsplit('/', 1)[1]}"
    return httpx2.Client(base_url=api, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def answered(response: httpx2.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


def grade_rest(server: Server, token: str, project: str, products: Products, rater: int) -> None:
    with script(server, token, project) as client, ThreadPoolExecutor(4) as hands:
        for batch in batches_of_assignments(client):
            list(hands.map(lambda asked: grade(client, asked, products, rater), batch))


def batches_of_assignments(client: httpx2.Client) -> Iterator[list[dict[str, Any]]]:
    while batch := answered(client.get("/assignments", params={"state": "open", "limit": 500})):
        yield batch


def grade(client: httpx2.Client, asked: Mapping[str, Any], products: Products, rater: int) -> None:
    level = products.grades[asked["query"]["qid"], asked["document"]["docno"]][rater]
    body = {"level": level, **{name: asked[name] for name in ("key", "revision", "text_hash")}}
    answered(client.post(f"/assignments/{asked['id']}/grades", json=body))


def see_origins(lead: Page, round_address: str) -> None:
    """The server's own count: what was pressed at the desk, what came by script, and nothing else."""
    lead.goto(round_address)
    assert_accessible(lead)
    origins = {"At the desk": 2 * BY_KEY, "By the API": 2 * 971 - 2 * BY_KEY, "From a file": 0}
    for way, grades in origins.items():
        row = lead.locator("tr").filter(has=lead.get_by_role("rowheader", name=way))
        expect(row.locator("td")).to_have_text(f"{grades:,}")


def close_round(lead: Page, round_address: str) -> None:
    lead.goto(round_address)
    press(lead, lead.get_by_role("button", name="Close the round"))
    expect(lead.get_by_role("button", name="Open it again")).to_be_visible()


# The adjudicator


def adjudicate(server: Server, page: Page, project: str, products: Products) -> None:
    token = make_token(page)
    page.goto(f"{project}/adjudication")
    assert_accessible(page)
    with script(server, token, project) as client:
        queue = waiting(client)
        differing = sum(one != two for one, two, _ in products.grades.values())
        audited = (len(products.grades) - differing) // 20
        assert len(queue) == differing + audited
        for asked in queue[:DECIDED_BY_KEY]:
            decide_by_key(page, project, asked, products)
        for asked in queue[DECIDED_BY_KEY:]:
            decide(client, asked, level_of(asked, products))
        assert waiting(client) == []


def waiting(client: httpx2.Client) -> list[dict[str, Any]]:
    pairs: list[dict[str, Any]] = answered(client.get("/adjudication", params={"limit": 1000}))["pairs"]
    return pairs


def level_of(asked: Mapping[str, Any], products: Products) -> int:
    return products.grades[asked["query"]["qid"], asked["document"]["docno"]][2]


def decide(client: httpx2.Client, asked: Mapping[str, Any], level: int) -> None:
    address = f"/adjudication/{asked['pair_id']}"
    blind = answered(client.post(f"{address}/blind", json={"level": level, "revision": asked["revision"]}))
    body = {"level": level, "reason": "As rater 3 gave it.", "revision": blind["revision"]}
    answered(client.post(f"{address}/decision", json=body))


def decide_by_key(page: Page, project: str, asked: Mapping[str, Any], products: Products) -> None:
    page.goto(f"{project}/adjudication/{asked['pair_id']}")
    expect(page.locator(".sides")).to_have_count(0)
    press_key(page, str(level_of(asked, products)))
    expect(page.locator(".sides")).to_be_visible()
    press_key(page, "a")


def press_key(page: Page, key: str) -> None:
    """Presses it once the desk takes keys: right after a page has come it takes none, lest a double press count."""
    expect(page.locator("main.desk[data-ready=yes]")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press(key)


# Agreement, release, scores


def see_agreement(lead: Page, project: str, products: Products) -> None:
    lead.goto(f"{project}/agreement")
    assert_accessible(lead)
    said = lead.locator("main").inner_text()
    for figure in ("971", ".695255", ".551190", ".839319"):
        assert figure in said, figure
    expect(lead.locator("h1")).to_contain_text(re.compile("passed", re.IGNORECASE))


def see_agreement_by_api(server: Server, lead: Page, project: str, products: Products) -> None:
    """In full precision, against scikit-learn."""
    with script(server, make_token(lead), project) as client:
        found = answered(client.get("/agreement"))
    one, two = ([grades[rater] for grades in products.grades.values()] for rater in (0, 1))
    expected = cohen_kappa_score(one, two, labels=LEVELS, weights="linear")
    assert found["kappa"] == pytest.approx(expected, abs=1e-9)
    assert found["table"] == confusion_matrix(one, two, labels=LEVELS).tolist()
    assert found["answer"] == "passed"


def release(lead: Page, project: str, folder: Path) -> Left:
    lead.goto(f"{project}/releases")
    assert_accessible(lead)
    press(lead, lead.get_by_role("button", name="Freeze release 1"))
    expect(lead).to_have_url(re.compile(r"/releases/[a-z2-7]{16}"))
    assert_accessible(lead)
    return Left(download(lead, "qrels", folder), without_record(download(lead, "manifest", folder)))


def without_record(manifest: str) -> str:
    """The record's head tells this installation's clock and ids; what is the same everywhere leaves it out."""
    lines = manifest.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith('  "record": ')]
    assert len(kept) == len(lines) - 1
    return "".join(kept)


def download(lead: Page, what: str, folder: Path) -> str:
    with lead.expect_download() as loading:
        lead.locator(f"a[href$='/{what}']").first.click()
    path = folder / loading.value.suggested_filename
    loading.value.save_as(path)
    assert "ungated" not in path.name
    return path.read_text("utf-8")


def see_scores(server: Server, lead: Page, project: str, products: Products, left: Left) -> None:
    assert json.loads(left.manifest)["gated"] is True
    lead.goto(f"{project}/scores?preset=pytrec_eval")
    assert_accessible(lead)
    qrels = read_qrels(left.qrels)
    assert sum(map(len, qrels.values())) == 971
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
    rows = lead.locator("table a[href*='/scores/']")
    addresses = {row.inner_text(): row.get_attribute("href") for row in rows.all()}
    assert len(addresses) == len(products.runs)
    for run in products.runs:
        expected = evaluator.evaluate(read_run(run))
        lead.goto(str(addresses[run.stem]))
        assert page_scores(lead) == pytest.approx(
            {qid: figures["ndcg_cut_10"] for qid, figures in expected.items()}, abs=1e-12
        )


def page_scores(page: Page) -> dict[str, float]:
    """qid → nDCG@10 to the last digit, as the page’s table holds it; what it says is undefined is left out."""
    table = page.get_by_role("region", name="Scores query by query")
    expect(table.locator("thead th").nth(1)).to_have_text("nDCG@10")
    scores = {}
    for row in table.locator("tbody tr").all():
        figure = row.locator("td").first
        if figure.inner_text() != "undefined":
            scores[row.locator("th a").inner_text()] = float(str(figure.locator("data").get_attribute("value")))
    return scores


def read_qrels(text: str) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        qid, _, docno, grade_ = line.split()
        qrels.setdefault(qid, {})[docno] = int(grade_)
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line in path.read_text("utf-8").splitlines():
        qid, _, docno, _, score, _ = line.split()
        run.setdefault(qid, {})[docno] = float(score)
    return run
