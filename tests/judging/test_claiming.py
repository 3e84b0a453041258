"""Claims: whole queries taken by whoever asks, their caps, idle ones that return, and grades that come late."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Client, Response
from sqlalchemy import func, select, update

from app.db import now
from app.judging.models import Assignment, Deal, Grade, Returned, Round
from app.projects.models import Role
from tests.make import Cast
from tests.serving import LiveServer

HTMX = {"HX-Request": "true"}
DOCUMENTS = 3


@dataclass(frozen=True)
class Scene:
    """A project with a claimed round, and labellers with a script each."""

    cast: Cast
    project: str
    lead: str
    round: str
    people: dict[str, str]
    members: dict[str, str]
    scripts: Mapping[str, Client]

    @classmethod
    def make(
        cls, cast: Cast, names: Sequence[str] = ("ben", "cleo", "dan"), *, queries: int = 4, **more: Any
    ) -> "Scene":
        lead = cast.person("ana")
        project = cast.project(lead)
        people = {name: cast.person(name) for name in names}
        members = {name: cast.member(project, person, "labeller") for name, person in people.items()}
        cast.rubric(project)
        pool = {f"q{number:03}": [f"d{number}-{each}" for each in range(DOCUMENTS)] for number in range(queries)}
        round_ = cast.round(project, cast.pool(project, pool), (), **{"idle_minutes": 30} | more)
        scripts = {name: cast.script(person, project) for name, person in people.items()}
        return cls(cast, project, lead, round_, people, members, scripts)

    @property
    def api(self) -> str:
        return f"/api/v1/projects/{self.project}"

    def ask(self, name: str) -> Response:
        return self.scripts[name].post(f"{self.api}/rounds/{self.round}/claims")

    def claim(self, name: str) -> str:
        """The qid."""
        answer = self.ask(name)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["qid"])

    def in_hand(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.scripts[name].get(f"{self.api}/assignments?limit=500").json()
        return found

    def send(self, name: str, assignment: dict[str, Any], level: int = 1) -> Response:
        body = {key: assignment[key] for key in ("key", "revision", "text_hash")} | {"level": level}
        return self.scripts[name].post(f"{self.api}/assignments/{assignment['id']}/grades", json=body)

    def grade(self, name: str, number: int = DOCUMENTS) -> None:
        for each in self.in_hand(name)[:number]:
            assert self.send(name, each).status_code == 201

    def go_idle(self, minutes: int = 31) -> None:
        """The claims that are there, and the grades in them, are so old by now."""
        then = now() - timedelta(minutes=minutes)
        with self.cast.database.session(writes=True) as session:
            session.execute(update(Deal).where(Deal.claimed_at.is_not(None)).values(claimed_at=then))

    def graded_long_ago(self, assignment: dict[str, Any]) -> None:
        with self.cast.database.session(writes=True) as session:
            asked = session.get_one(Assignment, (self.project, assignment["id"]))
            rubric_id = session.get_one(Round, (self.project, self.round)).rubric_id
            row = {"project_id": self.project, "assignment_id": asked.id, "revision": 1, "level": 1, "origin": "api"}
            row |= {"text_hash": assignment["text_hash"], "key": "long ago", "rubric_id": rubric_id}
            session.add(Grade(**row, given_at=now() - timedelta(hours=2)))
            asked.revision = 1

    def labellers_of_pairs(self) -> Counter[str]:
        """How many people each pair is asked of, by its id."""
        with self.cast.database.session(writes=False) as session:
            rows = select(Assignment.pair_id, Assignment.labeller_id).where(Assignment.round_id == self.round)
            held = [(pair, who) for pair, who in session.execute(rows) if who is not None]
            assert len(set(held)) == len(held), "somebody was asked twice for one pair"
            return Counter(pair for pair, _ in held)

    def count(self, *where: Any) -> int:
        with self.cast.database.session(writes=False) as session:
            return session.scalar(select(func.count()).select_from(Assignment).where(*where)) or 0


def test_a_labeller_takes_a_whole_query_and_the_next_when_it_is_done(cast: Cast) -> None:
    scene = Scene.make(cast)
    first = scene.claim("ben")
    assert {each["query"]["qid"] for each in scene.in_hand("ben")} == {first}
    assert len(scene.in_hand("ben")) == DOCUMENTS
    assert scene.claim("ben") == first
    scene.grade("ben")
    second = scene.claim("ben")
    assert second != first
    assert len(scene.in_hand("ben")) == DOCUMENTS


def test_the_second_opinion_is_taken_next_and_no_third(cast: Cast) -> None:
    scene = Scene.make(cast)
    assert scene.claim("ben") == scene.claim("cleo")
    assert scene.claim("dan") != scene.claim("ben")


def test_nobody_gets_a_query_that_they_judged(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo"), queries=2)
    mine = []
    for _ in range(2):
        mine.append(scene.claim("ben"))
        scene.grade("ben")
    assert len(set(mine)) == 2
    refused = scene.ask("ben")
    assert refused.status_code == 409
    assert "no query left for you" in refused.json()["error"]["sentence"]
    assert scene.claim("cleo") == mine[0]


def test_a_main_round_asks_for_two_only_where_queries_overlap(cast: Cast) -> None:
    scene = Scene.make(cast, queries=5, kind="main", overlap=0.4, is_warned=True)
    for name in ("ben", "cleo", "dan"):
        while scene.ask(name).status_code == 201:
            scene.grade(name)
    assert Counter(scene.labellers_of_pairs().values()) == {1: 3 * DOCUMENTS, 2: 2 * DOCUMENTS}
    assert scene.count(Assignment.revision == 0) == 0


def test_an_idle_claim_returns_and_its_grades_stay(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo", "dan"), queries=1)
    scene.claim("ben")
    scene.claim("cleo")
    scene.grade("cleo")
    scene.go_idle()
    scene.claim("dan")
    assert len(scene.in_hand("dan")) == DOCUMENTS
    assert scene.in_hand("ben") == []
    assert set(scene.labellers_of_pairs().values()) == {2}


def test_only_the_rest_of_a_begun_query_is_passed_on(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo"), queries=1, kind="main", overlap=0.0, is_warned=True)
    scene.claim("ben")
    first, *rest = scene.in_hand("ben")
    scene.graded_long_ago(first)
    scene.go_idle()
    scene.claim("cleo")
    passed_on = scene.in_hand("cleo")
    assert {each["document"]["docno"] for each in passed_on} == {each["document"]["docno"] for each in rest}
    assert scene.scripts["ben"].get(f"{scene.api}/assignments?state=graded").json()[0]["id"] == first["id"]
    scene.grade("cleo")
    assert set(scene.labellers_of_pairs().values()) == {1}
    assert scene.ask("ben").status_code == 409


def test_a_grade_of_late_keeps_a_claim(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo"), queries=1, kind="main", overlap=0.0, is_warned=True)
    scene.claim("ben")
    scene.go_idle()
    scene.grade("ben", 1)
    assert scene.ask("cleo").status_code == 409


def test_whoever_goes_on_keeps_an_idle_claim_while_nobody_asks(cast: Cast) -> None:
    scene = Scene.make(cast)
    qid = scene.claim("ben")
    scene.go_idle()
    scene.grade("ben", 1)
    scene.claim("cleo")
    assert scene.claim("ben") == qid
    assert len(scene.in_hand("ben")) == DOCUMENTS - 1


def test_a_late_grade_is_kept_while_a_place_is_free(cast: Cast) -> None:
    scene = Scene.make(cast, queries=2)
    qid = scene.claim("ben")
    late = scene.in_hand("ben")
    scene.go_idle()
    assert scene.claim("cleo") == qid
    assert scene.in_hand("ben") == []
    answer = scene.send("ben", late[0])
    assert answer.status_code == 201, answer.text
    assert scene.send("ben", late[0]).json() == answer.json()
    assert len(scene.in_hand("ben")) == DOCUMENTS - 1
    assert scene.claim("ben") == qid
    assert set(scene.labellers_of_pairs().values()) <= {1, 2}


def test_a_late_grade_without_a_place_is_shown_and_not_kept(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo"), queries=1, kind="main", overlap=0.0, is_warned=True)
    scene.claim("ben")
    ben = cast.browser(scene.people["ben"])
    page = ben.get(f"/projects/{scene.project}/desk").text
    late = scene.in_hand("ben")
    scene.go_idle()
    scene.claim("cleo")
    refused = scene.send("ben", late[0])
    assert refused.status_code == 409
    assert "given back" in refused.json()["error"]["sentence"]
    address = f"/projects/{scene.project}/judging/{late[0]['id']}"
    key = page.split('name="key" value="')[1].split('"')[0]
    on_page = ben.post(f"{address}/grade", data={"level": 2, "key": key, "revision": 0})
    assert on_page.status_code == 409
    assert "<dt>Pressed here, not saved</dt><dd>2</dd>" in on_page.text
    assert ben.get(f"/projects/{scene.project}/desk/{late[0]['id']}").status_code == 409
    assert scene.count(Assignment.revision > 0) == 0
    stranger = scene.scripts["cleo"].get(f"{scene.api}/assignments/{scene.in_hand('cleo')[0]['id']}")
    assert stranger.status_code == 200


def test_leads_and_whoever_was_one_since_the_round_opened_claim_nothing(cast: Cast) -> None:
    scene = Scene.make(cast)
    lead = cast.script(scene.lead, scene.project)
    refused = lead.post(f"{scene.api}/rounds/{scene.round}/claims")
    assert refused.status_code == 409
    assert refused.json()["error"]["details"]["conditions"] == ["blindness"]
    for role in ("reader", "labeller"):
        change_role(scene, lead, "ben", role)
    script = cast.script(scene.people["ben"], scene.project)
    assert "could see what others gave" in script.post(f"{scene.api}/rounds/{scene.round}/claims").text


def change_role(scene: Scene, lead: TestClient, name: str, role: Role) -> None:
    assert lead.patch(f"{scene.api}/members/{scene.members[name]}", json={"role": role}).is_success


def test_a_closed_round_and_a_dealt_one_have_no_claims(cast: Cast) -> None:
    scene = Scene.make(cast)
    cast.script(scene.lead, scene.project).post(f"{scene.api}/rounds/{scene.round}/closure")
    assert "was closed" in scene.ask("ben").text
    dealt = cast.round(scene.project, cast.pool(scene.project, {"x": ["d"]}), list(scene.members.values()))
    refused = scene.scripts["ben"].post(f"{scene.api}/rounds/{dealt}/claims")
    assert "dealt by name" in refused.json()["error"]["sentence"]


def test_the_desk_offers_the_first_query_and_takes_the_next_by_itself(cast: Cast) -> None:
    scene = Scene.make(cast)
    ben, home = cast.browser(scene.people["ben"]), f"/projects/{scene.project}"
    for address in (f"{home}/desk", f"{home}/work", home):
        page = ben.get(address).text
        assert "Take the next query" in page
        assert "hx-trigger" not in page
    assert ben.post(f"{home}/rounds/{scene.round}/claims").headers["location"] == f"{home}/desk"
    assert 'name="key"' in ben.get(f"{home}/desk").text
    *first, last = scene.in_hand("ben")
    for each in first:
        assert scene.send("ben", each).status_code == 201
    page = ben.get(f"{home}/desk/{last['id']}").text
    key = page.split('name="key" value="')[1].split('"')[0]
    done = ben.post(f"{home}/judging/{last['id']}/grade", data={"level": 1, "key": key, "revision": 0}, headers=HTMX)
    assert done.headers["hx-redirect"] == f"{home}/desk?go_on=yes"
    page = ben.get(f"{home}/desk?go_on=yes").text
    assert 'hx-trigger="load"' in page
    taken = ben.post(f"{home}/rounds/{scene.round}/claims", headers=HTMX)
    assert taken.headers["hx-redirect"] == f"{home}/desk"
    assert len(scene.in_hand("ben")) == DOCUMENTS


def test_the_page_says_when_nothing_is_left(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo"), queries=1)
    scene.claim("ben")
    scene.grade("ben")
    ben = cast.browser(scene.people["ben"])
    answer = ben.post(f"/projects/{scene.project}/rounds/{scene.round}/claims", headers=HTMX)
    assert answer.status_code == 409
    assert "no query left for you" in answer.text
    assert "Take the next query" not in answer.text


def test_a_lead_opens_a_claimed_round_on_the_page_and_sees_free_places(cast: Cast) -> None:
    scene = Scene.make(cast)
    ana, home = cast.browser(scene.lead), f"/projects/{scene.project}"
    pool = cast.pool(scene.project, {"y1": ["d1", "d2"], "y2": ["d3"]})
    form = {"kind": "agreement", "pool": pool, "queries": "2", "way": "claimed", "idle_minutes": "20"}
    refused = ana.post(f"{home}/rounds", data=form | {"idle_minutes": "0.5"})
    assert refused.status_code == 422
    opened = ana.post(f"{home}/rounds", data=form)
    assert opened.status_code == 303
    page = ana.get(opened.headers["location"]).text
    assert "claimed by whoever asks" in page
    assert page.count("free") >= 4
    scene.claim("ben")
    scene.go_idle()
    assert "1 claim is idle" in ana.get(f"{home}/rounds/{scene.round}").text


def test_a_returned_pair_is_noted_once(cast: Cast) -> None:
    scene = Scene.make(cast, ("ben", "cleo", "dan"), queries=1)
    for _ in range(2):
        scene.claim("ben")
        scene.go_idle()
        scene.claim("cleo")
        scene.go_idle()
        scene.claim("dan")
        scene.go_idle()
    with cast.database.session(writes=False) as session:
        rows = session.execute(select(Returned.assignment_id, Returned.labeller_id)).all()
        assert len(rows) == len({(assignment, who) for assignment, who in rows}) > DOCUMENTS


# Many at once


@contextmanager
def over_http(scene: Scene, server: LiveServer) -> Iterator[Scene]:
    """The same people with scripts of their own, each over a socket."""
    with ExitStack() as clients:
        scripts = {
            name: clients.enter_context(Client(base_url=server.url, headers=dict(script.headers), timeout=300))
            for name, script in scene.scripts.items()
        }
        yield replace(scene, scripts=scripts)


def claim_all(scene: Scene, name: str) -> list[str]:
    """Claims and grades until nothing is left: the queries."""
    taken = []
    while (answer := scene.ask(name)).status_code == 201:
        taken.append(answer.json()["qid"])
        scene.grade(name)
    assert answer.status_code == 409, answer.text
    return taken


def race(server: LiveServer, *, clients: int, queries: int) -> None:
    """Promise R7: no pair has more labellers than asked, every query has all of them, and whoever asks gets one while
    there are places.
    """
    names = [f"labeller-{number}" for number in range(clients)]
    made = Scene.make(server.cast, names, queries=queries)
    with over_http(made, server) as scene, ThreadPoolExecutor(clients) as pool:
        first = list(pool.map(scene.ask, names))
        assert Counter(each.status_code for each in first) == {201: min(clients, 2 * queries)} | (
            {409: clients - 2 * queries} if clients > 2 * queries else {}
        )
        taken = dict(zip(names, pool.map(lambda name: claim_all(scene, name), names), strict=True))
    assert all(len(set(qids)) == len(qids) for qids in taken.values())
    given = Counter(qid for qids in taken.values() for qid in qids)
    assert set(given.values()) == {2}
    assert len(given) == queries
    pairs = scene.labellers_of_pairs()
    assert set(pairs.values()) == {2}
    assert len(pairs) == queries * DOCUMENTS
    assert scene.count(Assignment.revision == 0) == 0


def test_labellers_who_claim_at_once_never_exceed_the_cap(live_server: LiveServer) -> None:
    race(live_server, clients=8, queries=5)


@pytest.mark.soak
@pytest.mark.parametrize("queries", [90, 110, 300])
def test_two_hundred_labellers_claim_at_once(live_server: LiveServer, queries: int) -> None:
    race(live_server, clients=200, queries=queries)
