"""Promise S10 at the desk and beside it: what a query, a document, a rubric or a rationale says is only text."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import select, update

from app.corpora.models import Document, Query
from app.rubrics.texts import Example
from tests.judging.windows import READY, bring_in_documents, sit_at_desk
from tests.make import LEVELS, Cast
from tests.payloads import PAYLOADS
from tests.serving import LiveServer

SCHEMES = """() => [document, ...[...document.querySelectorAll("iframe")].map((each) => each.contentDocument)]
  .flatMap((page) => [...page.querySelectorAll("[href], [src], [action], [formaction]")])
  .map((each) => each.href?.baseVal ?? each.href ?? each.src ?? each.action)
  .filter((each) => !/^https?:/.test(each))"""
"""Addresses on the page, and in the frame of a document, that lead anywhere but to the web."""

NAME = "<img src=/hacked onerror=alert(1)>"
"""Of a field that the desk shows."""
OPENED = """() => Number(document.querySelector(".as-page")?.contentDocument.URL === "about:srcdoc")"""
"""Whether the document in sight came as HTML and is open."""


def test_there_are_more_than_three_hundred() -> None:
    assert len(PAYLOADS) >= 300


@pytest.mark.browser
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("together", [6, pytest.param(1, marks=pytest.mark.soak)])
def test_nothing_runs_loads_or_leads_away(browser: Browser, live_server: LiveServer, together: int) -> None:
    texts = ["\n".join(PAYLOADS[start : start + together]) for start in range(0, len(PAYLOADS), together)]
    cast = live_server.cast
    lead, ben = cast.person("ana"), cast.person("ben")
    project = set_out(cast, lead, ben, texts)
    as_pages = 0
    page = live_server.window(browser, ben).new_page()
    complaints = listen(page, live_server.url)
    sit_at_desk(page, f"/projects/{project}")
    for number, text in enumerate(texts):
        page.wait_for_selector(READY)
        shown = page.locator("#pair").get_attribute("data-id")
        assert page.evaluate(SCHEMES) == [], text
        as_pages += page.evaluate(OPENED)
        page.keyboard.press("r")
        page.keyboard.insert_text(text[:4000])
        page.keyboard.press("Escape")
        page.keyboard.press(str(number % 4))
        page.wait_for_selector(f"#pair:not([data-id='{shown}'])" if number + 1 < len(texts) else "main.page h1")
    assert as_pages > len(texts) // 3  # Where nothing harmless is left, there is no page.
    assert len(cast.browser(ben).get(f"/projects/{project}/work").text) > len(texts[0])
    look_around(page, project, ["work", "work?at=2", "work/last", "rubric", "rulings"])
    theirs = live_server.window(browser, lead).new_page()
    complaints += listen(theirs, live_server.url)
    look_around(theirs, project, ["questions", "rounds", "rubric", "corpus/queries", "corpus/documents"])
    assert complaints == []
    page.context.close()
    theirs.context.close()


def set_out(cast: Cast, lead: str, ben: str, texts: Sequence[str]) -> str:
    """A round whose every text is hostile: the queries', the documents', the rubric's, a question and its ruling."""
    project = cast.project(lead, name=PAYLOADS[0])
    endless = iter_for_ever(PAYLOADS)
    levels = [
        each
        | {
            "name": next(endless)[:60],
            "question": next(endless),
            "examples": (Example(query=next(endless), document=next(endless), why=next(endless)),),
            "not_this": next(endless),
        }
        for each in LEVELS
    ]
    cast.rubric(project, levels=levels, instructions="\n".join(PAYLOADS[:40]), unjudgeable=next(endless))
    member = cast.member(project, ben, "labeller")
    pool = cast.pool(project, {f"q{number}": [f"d{number}"] for number in range(len(texts))})
    with cast.database.session(writes=True) as session:
        lines: list[dict[str, str]] = []
        queries, documents = session.scalars(select(Query)).all(), session.scalars(select(Document)).all()
        for number, (text, query, document) in enumerate(zip(texts, queries, documents, strict=True)):
            said = {"text": text, "description": text, "narrative": f"{text}."}
            session.execute(update(Query).where(Query.id == query.id).values(**said))
            shown = {"id": document.docno, "title": text, "url": text, NAME: text[:2000]}
            as_page = {"html": "\n".join(texts[number:][:2])}
            lines.append(shown | ({"text": f"{text}\n\n{text}"} if number % 2 else as_page))
    bring_in_documents(cast, lead, project, lines, {"fields": [NAME]})
    cast.round(project, pool, [member], kind="main", overlap=0.0, is_warned=True)
    script, api = cast.script(ben, project), f"/api/v1/projects/{project}"
    for question, asked in zip(texts, script.get(f"{api}/assignments?limit=3").json(), strict=False):
        address = f"{api}/assignments/{asked['id']}/questions"
        assert script.post(address, json={"text": question[:2000]}).status_code == 201
    of_lead = cast.script(lead, project)
    for question in of_lead.get(f"{api}/questions").json()[:2]:
        answer = of_lead.post(f"{api}/questions/{question['id']}/answer", json={"ruling": question["text"]})
        assert answer.status_code == 201
    return project


def iter_for_ever(texts: Sequence[str]) -> Iterator[str]:
    while True:
        yield from texts


def look_around(page: Page, project: str, addresses: Sequence[str]) -> None:
    for address in addresses:
        page.goto(f"/projects/{project}/{address}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate(SCHEMES) == [], address


def listen(page: Page, url: str) -> list[str]:
    """Dialogs, refusals, errors, and requests that nobody here makes."""
    complaints: list[str] = []

    def dismiss(dialog: object) -> None:
        complaints.append("a dialog")
        dialog.dismiss()  # type: ignore[attr-defined]

    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("request", lambda asked: None if is_ours(asked.url, url) else complaints.append(asked.url))
    return complaints


def is_ours(asked: str, url: str) -> bool:
    return asked.startswith(url) and "hacked" not in urlsplit(asked).path
