"""The history that leads read: plain words, filters, pages, and nothing that would tell a lead who still judges."""

import json
import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.history import pages
from app.projects.models import Member
from app.record.models import Act
from app.web import API
from tests.history.lived import Lived
from tests.make import Cast

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def lived(cast: Cast) -> Lived:
    lived = Lived.make(cast, queries=2, documents=4)
    lived.finish()
    return lived


def told(browser: TestClient, lived: Lived, choice: str = "") -> list[str]:
    """Who did what, newest first, as the page's rows say it."""
    html = browser.get(f"/projects/{lived.project}/history{choice}").text
    rows = re.findall(r"<th [^>]*scope=\"row\".*?</tr>", html)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()[1:]).partition("UTC ")[2] for row in rows]


def test_acts_are_told_in_plain_words_newest_first(lived: Lived) -> None:
    lines = told(lived.cast.browser(lived.lead), lived)
    assert lines[:2] == ["ana by token Froze release 1, ungated", "ana by token Signed a waiver for release 1"]
    assert lines[-1] == "a command on the server Started the project, policy standard, gain exponential"
    for line in (
        "ana by token Published rubric version 1, of family 1",
        "ana by token Brought in documents: 4 new, 0 changed, 0 the same",
        "ana by token Drew pool 1 from runs to depth 4: 8 pairs of 2 queries",
        "ana by token Opened round 1, agreement: 2 queries to ben, cleo, seed 7",
        "ana by token Closed round 1",
        "ana by token Brought in 4 grades by fira, nist as round 2",
    ):
        assert line in lines
    assert (
        sum(re.fullmatch(r"ben by token Graded query q\d, document d\d: level \d", line) is not None for line in lines)
        == 8
    )


def test_it_can_be_asked_for_one_person_and_one_kind_of_act(lived: Lived) -> None:
    browser = lived.cast.browser(lived.lead)
    with lived.cast.database.session(writes=False) as session:
        theirs = select(Member.person_id).where(Member.project_id == lived.project, Member.name == "ben")
        ben = session.scalars(theirs).one()
    assert len(told(browser, lived, f"?who={ben}")) == 9
    assert told(browser, lived, "?act=round+closed") == ["ana by token Closed round 1"]
    assert told(browser, lived, f"?who={ben}&act=round+closed") == []
    assert "Nothing is recorded under this choice" in browser.get(f"/projects/{lived.project}/history?who=nobody").text


def test_pages_hold_every_act_once(lived: Lived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "ACTS_A_PAGE", 7)
    browser, seen, choice = lived.cast.browser(lived.lead), [], ""
    while True:
        seen += told(browser, lived, choice)
        older = re.search(r"before=(\d+)", browser.get(f"/projects/{lived.project}/history{choice}").text)
        if older is None:
            break
        choice = f"?before={older[1]}"
    with lived.cast.database.session(writes=False) as session:
        assert len(seen) == len(session.scalars(select(Act).where(Act.chain_id == lived.project)).all())


def test_a_lead_who_still_judges_sees_no_grade_decision_or_release(lived: Lived) -> None:
    cast = lived.cast
    lived.set_gold()
    dan = cast.person("dan")
    member = cast.member(lived.project, dan, "lead")
    pool = cast.pool(lived.project, {"q9": ["d9"]})
    cast.round(lived.project, pool, [member], kind="main", overlap=0.0, is_warned=True)
    html = cast.browser(dan).get(f"/projects/{lived.project}/history").text
    answer = cast.script(dan, lived.project).get(f"{API}/projects/{lived.project}/history?limit=500").json()
    assert "You still judge in round 3" in html
    hidden = {"grade given", "pair graded blind", "pair decided", "decision undone", "waiver signed", "release frozen"}
    hidden |= {"gold set", "gold withdrawn", "checks dealt", "checks dropped"}
    verbs = {act["act"] for act in answer["acts"]}
    assert "round opened" in verbs
    assert verbs & hidden == set()
    for word in ("level", "decided", "Froze", "waiver", *hidden):
        assert word not in html
    for verb in hidden:
        asked = cast.script(dan, lived.project).get(f"{API}/projects/{lived.project}/history", params={"act": verb})
        assert asked.json()["acts"] == []
    assert "level 1" in cast.browser(lived.lead).get(f"/projects/{lived.project}/history").text


def test_scripts_get_the_facts_and_the_head(lived: Lived) -> None:
    script, address = lived.cast.script(lived.lead, lived.project), f"{API}/projects/{lived.project}/history"
    answer = script.get(address, params={"limit": 2}).json()
    newest, before = answer["acts"]
    assert (answer["number"], answer["head"]) == (newest["number"], newest["hash"])
    assert newest["facts"]["is_gated"] is False
    assert (newest["by"], newest["act"], before["act"]) == ("ana", "release frozen", "waiver signed")
    older = script.get(address, params={"before": before["number"], "limit": 1}).json()["acts"]
    assert [act["number"] for act in older] == [before["number"] - 1]
    # The head left with the release: the newest act before it was frozen.
    (release,) = script.get(f"{API}/projects/{lived.project}/releases").json()
    manifest = script.get(f"{API}/projects/{lived.project}/releases/{release['id']}/manifest").json()
    assert manifest["record"] == f"{older[0]['number']} {older[0]['hash']}"


OURS = {
    *("lead", "labeller", "reader", "read", "write", "start", "exponential", "standard", "agreement", "judged", "runs"),
    *("grades", "queries", "documents"),
}
"""Words that facts are made of, beside ids and hashes."""


def test_no_name_address_or_text_of_anybody_is_in_the_record(lived: Lived) -> None:
    """What can't be erased must not hold what somebody may want erased."""
    with lived.cast.database.session(writes=False) as session:
        facts = [json.loads(each) for each in session.scalars(select(Act.facts))]
    said = {text for each in facts for value in each.values() for text in texts_of(value)}
    assert {text for text in said if not re.fullmatch("[a-z2-7]{16}|[0-9a-f]{64}", text)} <= OURS


def texts_of(value: object) -> list[str]:
    """Texts that come from somewhere: a count's name is ours."""
    if isinstance(value, str):
        return [value]
    values = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return [text for each in values for text in texts_of(each)]


@ON_SQLITE
def test_only_leads_have_a_history(lived: Lived) -> None:
    cast = lived.cast
    reader = cast.person("rita")
    cast.member(lived.project, reader, "reader")
    for person in (reader, cast.person("nobody")):
        assert cast.browser(person).get(f"/projects/{lived.project}/history").status_code == 404
        assert cast.script(person, lived.project).get(f"{API}/projects/{lived.project}/history").status_code == 404
