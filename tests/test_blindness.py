"""Promise S2: nothing that a labeller is sent tells of runs, of other people's grades, or of what became of them.

Two nets. Canaries, words and numbers that stand only where a labeller must not look, are searched for in every byte.
And what a labeller is sent must not depend on any of it: it is the same before and after the others have graded,
adjudicated and brought runs in. Seeded leaks show that both nets hold something.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from app.db import Database
from app.judging import api, dealing, sheets
from app.judging.choosing import PooledPair
from app.judging.keys import new_key
from app.judging.models import Assignment, Grade
from app.pools.models import Pair
from app.projects.models import Member
from app.runs.models import Ranking, Run
from app.web import API
from tests.make import Cast
from tests.routes import ROUTES

CANARIES = ("kanari", "48151", "62342")
"""Of names and texts, and of scores; none of them is part of anything that a labeller may see."""
QUERIES = {f"q{number}": f"how to do thing {number}" for number in range(3)}
WRONG: tuple[dict[str, Any], ...] = ({}, {"level": 9}, {"level": 1, "text_hash": "0" * 64}, {"level": 1, "revision": 7})
DOCNOS = [f"doc-{number:02}" for number in range(12)]


@dataclass
class World:
    """A project in the middle of an agreement round. Everything is done by API, as people do it."""

    cast: Cast
    people: dict[str, str]
    project: str
    ids: dict[str, str] = field(default_factory=dict)
    """An id for each parameter of an address."""
    scripts: dict[str, TestClient] = field(default_factory=dict)

    @classmethod
    def make(cls, cast: Cast) -> "World":
        people = {name: cast.person(name) for name in ("ana", "ben", "kanari-cleo", "dan")}
        project = cast.project(people["ana"], name="Things")
        for name, role in (("ben", "labeller"), ("kanari-cleo", "labeller"), ("dan", "lead")):
            cast.member(project, people[name], role)  # type: ignore[arg-type]
        cast.rubric(project)
        world = cls(cast, people, project)
        world.bring_in("queries", "\n".join(f"{qid}\t{text}" for qid, text in QUERIES.items()))
        world.bring_in("documents", "\n".join(document_line(docno) for docno in DOCNOS))
        world.sent("ana", "PUT", "/showing", {"fields": ["price"]})
        for shift, name in enumerate(("kanari-alpha", "kanari-beta")):
            world.bring_in("runs", run_file(name, shift))
        world.sent("ana", "POST", "/pools", {"depth": 10})
        labellers = [world.member("ben"), world.member("kanari-cleo")]
        opened = world.sent("ana", "POST", "/rounds", {"kind": "agreement", "queries": 3, "labellers": labellers})
        world.ids["round_id"] = opened["id"]
        world.note_ids()
        return world

    def note_ids(self) -> None:
        """Of things that are there and not the labeller's: another's assignment among them."""
        with self.cast.database.session(writes=False) as session:
            self.ids["run_id"] = session.scalars(select(Run.id).where(Run.project_id == self.project)).first() or ""
            self.ids["pair_id"] = session.scalars(select(Pair.id).where(Pair.project_id == self.project)).first() or ""
            theirs = select(Assignment.id).where(Assignment.labeller_id == self.member("kanari-cleo"))
            self.ids["assignment_id"] = session.scalars(theirs).first() or ""

    def bring_in(self, kind: str, text: str) -> None:
        address = f"{API}/projects/{self.project}/imports/{kind}"
        answer = self.script("ana").post(address, files={"file": (f"kanari-{kind}", text.encode())})
        assert answer.status_code == 200, answer.text

    def script(self, name: str) -> TestClient:
        """Always the same one: its token is part of what /me answers."""
        if name not in self.scripts:
            self.scripts[name] = self.cast.script(self.people[name], self.project)
        return self.scripts[name]

    def sent(self, name: str, method: str, where: str, body: Any = None) -> Any:
        answer = self.script(name).request(method, f"{API}/projects/{self.project}{where}", json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def member(self, name: str) -> str:
        with self.cast.database.session(writes=False) as session:
            theirs = select(Member.id).where(Member.project_id == self.project, Member.person_id == self.people[name])
            return session.scalars(theirs).one()

    def grade(self, name: str, *, pairs: int, level: int, rationale: str) -> None:
        for each in self.sent(name, "GET", f"/assignments?limit={pairs}"):
            body = {key: each[key] for key in ("key", "revision", "text_hash")}
            body |= {"level": level, "rationale": rationale}
            self.sent(name, "POST", f"/assignments/{each['id']}/grades", body)

    def let_the_others_act(self) -> None:
        """Everything that could come through: grades, decisions, agreement, runs, qrels, grades from elsewhere."""
        self.grade("kanari-cleo", pairs=100, level=3, rationale="kanari: it is all there")
        for each in self.sent("dan", "GET", "/adjudication")["pairs"][:3]:
            address = f"/adjudication/{each['pair_id']}"
            self.sent("dan", "POST", f"{address}/blind", {"level": 2, "revision": 0})
            self.sent("dan", "POST", f"{address}/decision", {"level": 2, "reason": "kanari reason", "revision": 1})
        self.bring_in("runs", run_file("kanari-gamma", 4))
        self.bring_in("qrels", "q0 0 doc-01 1\n")

    def addresses(self) -> Iterator[str]:
        """Every address that can be looked at, with ids of what is really there; unknown ones are the project's."""
        known = {"project_id": self.project, "kind_name": "runs"} | self.ids
        for route in ROUTES:
            if route.method == "GET" and "sign" not in route.path and "account" not in route.path:
                yield re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], self.project), route.path)

    def seen_by(self, name: str) -> dict[str, str]:
        """What each address answers to this person, in the browser or to their script; keys, which are new with every
        rendering, are taken out.
        """
        browser, script = self.cast.browser(self.people[name]), self.script(name)
        answers = {}
        for address in [*self.addresses(), *self.own_addresses(name)]:
            answer = (script if address.startswith(API) else browser).get(address)
            answers[address] = f"{answer.status_code} {without_keys(answer.text)}"
        return answers

    def own_addresses(self, name: str) -> Iterator[str]:
        with self.cast.database.session(writes=False) as session:
            theirs = select(Assignment.id).where(Assignment.labeller_id == self.member(name)).order_by(Assignment.place)
            for assignment_id in session.scalars(theirs):
                yield f"/projects/{self.project}/desk/{assignment_id}"
        yield f"{API}/projects/{self.project}/assignments?state=all&limit=500"

    def judge_to_the_end(self, name: str) -> list[Response]:
        """Everything that the desk sends while a labeller grades all that is left, wrong turns included."""
        browser, home = self.cast.browser(self.people[name]), f"/projects/{self.project}"
        got = [browser.get(f"{home}/desk")]
        got.insert(0, browser.get(f"{home}/desk/ahead", headers={"HX-Request": "true"}))
        while 'name="key"' in got[-1].text:
            page = got[-1].text
            form = {field: value_of(page, field) for field in ("key", "revision")}
            address = re.search(r'data-at="([^"]*)"', page)
            assert address
            where = f"{address[1]}/grade"
            wrong: tuple[dict[str, Any], ...] = (
                {"level": 9},
                {"level": 1, "key": new_key("0" * 64)},
                {"level": 1, "revision": 7},
                {},
            )
            got += [browser.post(where, data=form | each, headers={"HX-Request": "true"}) for each in wrong]
            got.append(browser.post(where, data=form | {"level": 1}))
            got.append(browser.post(where, data=form | {"level": 2}, headers={"HX-Request": "true"}))
            got.append(browser.get(f"{home}/work/last"))
            got.append(browser.get(f"{home}/desk"))
        return [*got, browser.get(f"{home}/work")]


def document_line(docno: str) -> str:
    """With fields that the lead shows, and others that tell what they should not."""
    text = {"title": f"About {docno}", "text": f"All of {docno}.", "price": "12 EUR"}
    return json.dumps({"id": docno, **text, "score": "48151.62342", "run": "kanari-alpha"})


def run_file(name: str, shift: int) -> str:
    """Ten documents a query, each run in another order; scores that stand nowhere else."""
    lines = []
    for qid in QUERIES:
        for rank in range(10):
            docno = DOCNOS[(rank * 5 + shift) % len(DOCNOS)]
            lines.append(f"{qid} Q0 {docno} {rank + 1} 48151.62342{9 - rank} {name}")
    return "\n".join(lines)


def value_of(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found
    return found[1]


def without_keys(text: str) -> str:
    return re.sub(r'(name="key" value=|"key":)"[^"]*"', r"\1", text)


def canaries_in(text: str) -> list[str]:
    return [canary for canary in CANARIES if canary in text.lower().replace(",", "")]


def leaks(world: World, name: str) -> list[str]:
    """A line for each canary and for each answer that depends on what others did; none where all is blind."""
    before = world.seen_by(name)
    world.let_the_others_act()
    after = world.seen_by(name)
    found = [f"{where}: {canary}" for where, text in after.items() for canary in canaries_in(text)]
    found += [f"{where}: not as before" for where in before if before[where] != after[where]]
    for answer in world.judge_to_the_end(name):
        heard = f"{answer.text} {answer.headers}"
        found += [f"{answer.request.method} {answer.request.url}: {canary}" for canary in canaries_in(heard)]
    return found


def rankings_shown(world: World, name: str) -> list[str]:
    """Queries whose documents the labeller sees in the order in which some run ranked them, or backwards."""
    shown: dict[str, list[str]] = {}
    for each in world.sent(name, "GET", "/assignments?state=all&limit=500"):
        shown.setdefault(each["query"]["qid"], []).append(each["document"]["docno"])
    assert shown.keys() == QUERIES.keys()
    with world.cast.database.session(writes=False) as session:
        rankings = session.scalars(select(Ranking).where(Ranking.project_id == world.project)).all()
        told = set()
        for ranking in rankings:
            in_run = [docno for docno in ranking.docnos() if docno in shown[ranking.qid]]
            in_desk = [docno for docno in shown[ranking.qid] if docno in in_run]
            if in_desk in (in_run, in_run[::-1]):
                told.add(ranking.qid)
        return sorted(told)


@pytest.fixture
def world(cast: Cast) -> World:
    world = World.make(cast)
    world.grade("ben", pairs=14, level=1, rationale="as ben sees it")
    return world


def test_no_byte_that_a_labeller_gets_tells_of_others_or_of_runs(world: World) -> None:
    assert not leaks(world, "ben")


def test_documents_come_in_no_order_of_any_run(world: World) -> None:
    for name in ("ben", "kanari-cleo"):
        assert not rankings_shown(world, name)


def test_a_lead_who_judges_gets_no_byte_of_what_the_others_gave(cast: Cast) -> None:
    """Runs and who takes part are the lead's own business; grades, rationales and decisions of the round are not."""
    world = World.make(cast)
    ana, ben = world.member("ana"), world.member("ben")
    world.bring_in("queries", "extra\tone more thing\n")
    pool = cast.pool(world.project, {"extra": ["doc-00", "doc-01", "doc-02"]})
    wanted = {"kind": "agreement", "pool": pool, "queries": ["extra"], "labellers": [ana, ben]}
    world.sent("ana", "POST", "/rounds", wanted)
    world.grade("ben", pairs=100, level=2, rationale="canary-rationale of ben")
    world.grade("kanari-cleo", pairs=100, level=3, rationale="canary-rationale of cleo")
    told = [where for where, text in world.seen_by("ana").items() if "canary-rationale" in text]
    assert not told
    script = world.script("ana")
    for where in ("/agreement", "/adjudication", "/releases", "/releases/conditions", "/scores"):
        answer = script.get(f"{API}/projects/{world.project}{where}")
        assert answer.status_code == 409, where
        assert "You still judge" in answer.text


def test_a_lead_who_judges_sees_no_file_that_tells_of_runs_or_of_grades(cast: Cast) -> None:
    world = World.make(cast)
    address = f"{API}/projects/{world.project}/imports/runs"
    file = {"file": ("kanari.run", run_file("kanari-waiting", 4).encode())}
    dan, imports = cast.browser(world.people["dan"]), f"/projects/{world.project}/imports"
    waiting = dan.post(f"{imports}/runs", files=file).headers["location"].rpartition("/")[2]
    world.bring_in("queries", "extra\tone more thing\n")
    pool = cast.pool(world.project, {"extra": ["doc-00", "doc-01"]})
    wanted = {"kind": "agreement", "pool": pool, "queries": ["extra"]}
    world.sent("ana", "POST", "/rounds", wanted | {"labellers": [world.member("ana"), world.member("ben")]})
    ana = cast.browser(world.people["ana"])
    for answer in (
        *(ana.get(f"{imports}/{kind}") for kind in ("runs", "qrels", "grades")),
        ana.get(f"{imports}/runs/{waiting}"),
        ana.post(f"{imports}/runs/{waiting}"),
        world.script("ana").post(f"{address}?dry_run=true", files=file),
    ):
        assert answer.status_code == 409
        assert "You still judge in round 2" in answer.text
        assert "kanari-waiting" not in answer.text
    assert ana.get(f"{imports}/documents").status_code == 200
    assert "kanari-waiting" in cast.browser(world.people["dan"]).get(f"{imports}/runs/{waiting}").text


def test_a_lead_who_judges_gets_no_list_of_pairs_of_any_round(cast: Cast) -> None:
    """Where a pool is the first documents of one run, its pairs are the run's ranks: of other rounds' pairs too."""
    world = World.make(cast)
    world.bring_in("queries", "extra\tone more thing\n")
    pool = cast.pool(world.project, {"extra": ["doc-00", "doc-01"]})
    rounds = f"{API}/projects/{world.project}/rounds"
    (first,) = (each["id"] for each in world.script("ana").get(rounds).json())
    asked = [f"/projects/{world.project}/rounds/{first}/assignments", f"{rounds}/{first}/assignments"]
    assert cast.browser(world.people["ana"]).get(asked[0]).status_code == 200
    wanted = {"kind": "agreement", "pool": pool, "queries": ["extra"]}
    world.sent("ana", "POST", "/rounds", wanted | {"labellers": [world.member("ana"), world.member("ben")]})
    deals = {"file": ("deals.csv", b"qid,docno,labeller\nextra,doc-00,ben\nextra,doc-00,ana\n")}
    imports = f"{API}/projects/{world.project}/imports/assignments?dry_run=true"
    for answer in (
        *(cast.browser(world.people["ana"]).get(f"{asked[0]}?format={form}") for form in ("csv", "spreadsheet", "tsv")),
        world.script("ana").get(asked[1]),
        world.script("ana").post(imports, files=deals),
    ):
        assert answer.status_code == 409
        assert "You still judge in round 2" in answer.text
        assert "doc-0" not in answer.text
    assert "doc-0" in world.script("dan").get(asked[1]).text
    page = cast.browser(world.people["ana"]).get(f"/projects/{world.project}/rounds/{first}").text
    assert "/assignments?format=tsv" not in page
    assert "/assignments?format=tsv" in cast.browser(world.people["dan"]).get(asked[0].rpartition("/")[0]).text


# Leaks that must be seen


def newest_rationale(database: Database) -> str:
    with database.session(writes=False) as session:
        return session.scalars(select(Grade.rationale).order_by(Grade.given_at.desc())).first() or ""


def test_a_rationale_on_the_desk_would_be_seen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    split = sheets.paragraphs_of
    monkeypatch.setattr(sheets, "paragraphs_of", lambda text: [*split(text), newest_rationale(world.cast.database)])
    found = leaks(world, "ben")
    assert any("/desk: kanari" in each for each in found)


def test_a_number_of_others_grades_would_be_seen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds no canary, yet it would not be the same before and after."""
    asked = api.assignment_out

    def leaky(project: Any, shown: Any) -> Any:
        with world.cast.database.session(writes=False) as session:
            number = len(session.scalars(select(Grade.id)).all())
        return asked(project, shown._replace(narrative=str(number)))

    monkeypatch.setattr(api, "assignment_out", leaky)
    found = leaks(world, "ben")
    assert any("/assignments" in each and each.endswith("not as before") for each in found)


def test_an_order_taken_from_a_run_would_be_seen(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = [DOCNOS[(rank * 5) % len(DOCNOS)] for rank in range(10)]

    def by_rank(pairs: list[PooledPair], _labeller: str, *, seed: int) -> list[PooledPair]:
        assert seed >= 0
        return sorted(pairs, key=lambda pair: ranked.index(pair.docno) if pair.docno in ranked else 99)

    monkeypatch.setattr(dealing, "in_order_shown", by_rank)
    assert rankings_shown(World.make(cast), "ben") == sorted(QUERIES)
