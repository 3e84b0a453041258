"""Rounds as pages and for scripts; closing, reopening, and what stays hidden from a lead who judges."""

from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.errors import RuleError
from app.judging.guards import refuse_while_judging
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Member, Project, Role
from tests.agreement.judged import judge
from tests.make import Cast

POOL = {f"q{number}": [f"d{number}-{each}" for each in range(4)] for number in range(6)}


@dataclass(frozen=True)
class Scene:
    cast: Cast
    project: str
    lead: str
    members: dict[str, str]
    people: dict[str, str]
    pool: str

    @classmethod
    def make(cls, cast: Cast, *, has_pool: bool = True) -> "Scene":
        people = {name: cast.person(name) for name in ("ana", "ben", "cleo", "rea")}
        project = cast.project(people["ana"])
        roles = {"ben": "labeller", "cleo": "labeller", "rea": "reader"}
        members = {name: cast.member(project, people[name], role) for name, role in roles.items()}  # type: ignore[arg-type]
        with cast.database.session(writes=False) as session:
            members["ana"] = session.scalars(select(Member.id).where(Member.person_id == people["ana"])).one()
        cast.rubric(project)
        return cls(cast, project, people["ana"], members, people, cast.pool(project, POOL) if has_pool else "")

    @property
    def api(self) -> str:
        return f"/api/v1/projects/{self.project}"

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def script(self, name: str = "ana") -> TestClient:
        return self.cast.script(self.people[name], self.project)

    def labellers(self, *names: str) -> list[str]:
        return [self.members[name] for name in names or ("ben", "cleo")]

    def open(self, *names: str, **more: Any) -> dict[str, Any]:
        wanted = {"kind": "agreement", "labellers": self.labellers(*names)} | more
        answer = self.script().post(f"{self.api}/rounds", json=wanted)
        assert answer.status_code == 201, answer.text
        opened: dict[str, Any] = answer.json()
        return opened

    def grade_all(self, name: str, level: int = 1) -> int:
        """How many pairs the labeller had left."""
        script = self.script(name)
        graded = 0
        while due := script.get(f"{self.api}/assignments?limit=500").json():
            for each in due:
                sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": level}
                assert script.post(f"{self.api}/assignments/{each['id']}/grades", json=sent).status_code == 201
            graded += len(due)
        return graded

    def joined(self, name: str, role: Role) -> str:
        """The member id of somebody more."""
        self.people[name] = self.cast.person(name)
        self.members[name] = self.cast.member(self.project, self.people[name], role)
        return self.members[name]

    def give_role(self, name: str, role: Role) -> None:
        changed = self.script().patch(f"{self.api}/members/{self.members[name]}", json={"role": role})
        assert changed.status_code == 200, changed.text

    def refuses_to_reopen(self, round_id: str, words: str) -> None:
        """The API says why, and the page does too instead of offering it."""
        refused = self.script().delete(f"{self.api}/rounds/{round_id}/closure")
        assert refused.status_code == 409
        assert words in refused.json()["error"]["sentence"]
        page = self.cast.browser(self.lead).get(f"{self.home}/rounds/{round_id}").text
        assert words in page
        assert "Open it again" not in page

    def seat(self, session: Any, name: str) -> Seat:
        member = session.get_one(Member, (self.project, self.members[name]))
        person = session.get_one(Person, self.people[name])
        return Seat(session.get_one(Project, self.project), member, person, "browser", None)


def test_a_script_opens_a_round_and_labellers_grade_it(cast: Cast) -> None:
    scene = Scene.make(cast)
    opened = scene.open(queries=4, seed=3)
    counts = {name: opened[name] for name in ("queries", "pairs", "assignments", "graded", "seed")}
    assert counts == {"queries": 4, "pairs": 16, "assignments": 32, "graded": 0, "seed": 3}
    assert scene.grade_all("ben") == 16
    seen = scene.script().get(f"{scene.api}/rounds/{opened['id']}").json()
    assert seen["graded"] == 16
    assert {each["name"]: each["graded"] for each in seen["labellers"]} == {"ben": 16, "cleo": 0}
    assert seen["grades_by_origin"] == {"api": 16}
    assert [len(each["labellers"]) for each in seen["by_query"]] == [2] * 4
    (listed,) = scene.script().get(f"{scene.api}/rounds").json()
    assert listed == {name: seen[name] for name in listed}


def test_a_script_sees_its_own_assignments_as_the_desk_shows_them(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=["q1"])["id"]
    script = scene.script("ben")
    first = script.get(f"{scene.api}/assignments?round={round_id}&limit=2").json()
    assert len(first) == 2
    assert first[0]["query"] == {
        "qid": "q1",
        "text": "what is q1",
        "description": "Whoever asks wants q1.",
        "narrative": "",
        "lang": "",
    }
    assert first[0]["document"]["docno"].startswith("d1-")
    assert first[0]["document"]["text"].startswith("The whole of d1-")
    assert (first[0]["revision"], first[0]["level"], first[0]["rationale"]) == (0, None, "")
    again = script.get(f"{scene.api}/assignments?round={round_id}&limit=2").json()
    assert [each["id"] for each in again] == [each["id"] for each in first]
    assert not {each["key"] for each in again} & {each["key"] for each in first}
    assert script.get(f"{scene.api}/assignments?round=elsewhere").json() == []
    sent = {key: first[0][key] for key in ("key", "revision", "text_hash")}
    script.post(
        f"{scene.api}/assignments/{first[0]['id']}/grades", json=sent | {"reason": "other", "rationale": "Odd."}
    )
    rest = script.get(f"{scene.api}/assignments?state=all&offset=1&limit=500").json()
    assert [each["id"] for each in rest] == [
        each["id"] for each in script.get(f"{scene.api}/assignments?state=all").json()[1:]
    ]
    never = script.post(f"{scene.api}/assignments/{rest[0]['id']}/grades", json=sent | {"level": 1, "revision": 9})
    assert (never.status_code, never.json()["error"]["sentence"]) == (
        409,
        "This pair has no revision 9: it was graded 0 times.",
    )
    (graded,) = script.get(f"{scene.api}/assignments?state=graded").json()
    assert (graded["id"], graded["reason"], graded["rationale"], graded["revision"]) == (
        first[0]["id"],
        "other",
        "Odd.",
        1,
    )
    assert len(script.get(f"{scene.api}/assignments?state=all").json()) == 4
    assert scene.script("cleo").get(f"{scene.api}/assignments?state=graded").json() == []


@pytest.mark.parametrize(
    "change",
    [
        {"person": "ben"},
        {"labeller_id": "x"},
        {"key": ""},
        {"key": "k" * 65},
        {"revision": -1},
        {"level": "two and a half"},
        {"rationale": "x" * 4001},
        {"level": None},
        {"reason": "broken"},
        {"level": 9},
    ],
)
def test_a_body_that_is_no_grade_is_422(cast: Cast, change: dict[str, Any]) -> None:
    scene = Scene.make(cast)
    scene.open(queries=1)
    script = scene.script("ben")
    each = script.get(f"{scene.api}/assignments").json()[0]
    sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": 1} | change
    refused = script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent)
    assert refused.status_code == 422
    assert refused.json()["error"]["sentence"]


def test_whether_somebody_else_used_a_key_can_not_be_found_out(cast: Cast) -> None:
    """A key counts within its assignment, so that any answers as if it were new, for one's own other pairs too."""
    scene = Scene.make(cast)
    scene.open(queries=1)
    for name, place in (("ben", 0), ("cleo", 0), ("ben", 1)):
        script = scene.script(name)
        each = script.get(f"{scene.api}/assignments?state=all").json()[place]
        sent = {"key": "the same", "revision": 0, "text_hash": each["text_hash"], "level": 1}
        assert script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent).status_code == 201
        other = script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent | {"level": 2})
        assert other.status_code == 422
        assert "another grade of this pair" in other.json()["error"]["sentence"]


def test_a_lead_opens_rounds_on_the_page(cast: Cast) -> None:
    scene = Scene.make(cast)
    browser = cast.browser(scene.lead)
    page = browser.get(f"{scene.home}/rounds").text
    assert "6 queries are" in page
    assert "The policy of the gate is" in page
    form = {"kind": "agreement", "pool": scene.pool, "queries": "2", "seed": "5", "labellers": scene.labellers()}
    answer = browser.post(f"{scene.home}/rounds", data=form)
    assert answer.status_code == 303
    round_page = browser.get(answer.headers["location"]).text
    assert 'Seed <b class="num">5</b>' in round_page
    assert round_page.count(">what is q") == 2, "queries by what was asked, not by their ids alone"
    page = browser.get(f"{scene.home}/rounds").text
    assert "The policy of the gate is" not in page
    emptied = browser.post(f"{scene.home}/rounds", data=form | {"queries": " "})
    assert "How many queries?" in emptied.text, "opening a round freezes the policy for good"
    chosen = form | {"qids": "q1\nq2 q3", "queries": ""}
    refused = browser.post(f"{scene.home}/rounds", data=chosen | {"labellers": scene.labellers("ben")})
    assert refused.status_code == 422
    assert "at least two labellers" in refused.text
    assert "q1\nq2 q3</textarea>" in refused.text
    loud = {"kind": "main", "pool": scene.pool, "overlap": "10", "seed": "1", "labellers": scene.labellers()}
    warned = browser.post(f"{scene.home}/rounds", data=loud)
    assert warned.status_code == 409
    assert "may have to be judged again" in warned.text
    assert browser.post(f"{scene.home}/rounds", data=loud | {"is_warned": "yes"}).status_code == 303


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "imported"}, "A round is one of"),
        ({"queries": "many"}, "is not a whole number"),
        ({"seed": "1.5"}, "is not a whole number"),
        ({"kind": "main", "overlap": "a tenth", "is_warned": "yes"}, "is not a number"),
        ({"kind": "main", "overlap": "nan", "is_warned": "yes"}, "is not a number"),
        ({"kind": "main", "overlap": "110", "is_warned": "yes"}, "110% were asked"),
    ],
)
def test_a_form_that_can_not_be_taken_comes_back(cast: Cast, change: dict[str, str], words: str) -> None:
    scene = Scene.make(cast)
    form = {"kind": "agreement", "pool": scene.pool, "queries": "2", "labellers": scene.labellers()} | change
    answer = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=form)
    assert answer.status_code == 422
    assert words in answer.text


def test_an_empty_project_says_what_comes_first(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    browser = cast.browser(lead)
    assert "none is published yet" in browser.get(f"/projects/{project}/rounds").text
    cast.rubric(project)
    assert "A round is dealt from a pool" in browser.get(f"/projects/{project}/rounds").text
    cast.pool(project, POOL)
    assert "Invite labellers" in browser.get(f"/projects/{project}/rounds").text
    assert "Nothing is dealt to you now" in browser.get(f"/projects/{project}/desk").text
    assert "Nothing has been dealt" in browser.get(f"/projects/{project}/work").text


def test_a_round_is_closed_and_opened_again(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open()["id"]
    script, address = scene.script(), f"{scene.api}/rounds/{round_id}/closure"
    closed = script.post(address).json()["closed_at"]
    assert closed
    assert script.post(address).json()["closed_at"] == closed
    assert scene.script("ben").get(f"{scene.api}/assignments").json() == []
    assert script.delete(address).json()["closed_at"] is None
    assert script.delete(address).json()["closed_at"] is None
    assert len(scene.script("ben").get(f"{scene.api}/assignments").json()) == 24
    browser = cast.browser(scene.lead)
    assert browser.post(f"{scene.home}/rounds/{round_id}/closure").status_code == 303
    assert "Open it again" in browser.get(f"{scene.home}/rounds/{round_id}").text
    assert browser.post(f"{scene.home}/rounds/{round_id}/reopening").status_code == 303


def test_a_round_in_which_a_lead_judged_stays_closed(cast: Cast) -> None:
    """While it was closed the lead could read the agreement: what they gave must not change any more."""
    scene = Scene.make(cast)
    round_id = scene.open("ana", "ben")["id"]
    address = f"{scene.api}/rounds/{round_id}/closure"
    scene.script().post(address)
    scene.refuses_to_reopen(round_id, "ana judged in this round")


def test_a_round_stays_closed_for_whoever_could_see_it_as_a_lead_or_reader_before(cast: Cast) -> None:
    """What was seen is not unseen by being made labeller, nor by leaving and coming back as one."""
    scene = Scene.make(cast)
    bea = scene.joined("bea", "lead")
    round_id = scene.open("ben", "cleo", queries=2)["id"]
    scene.script().post(f"{scene.api}/rounds/{round_id}/closure")
    browser = cast.browser(scene.lead)
    assert "Open it again" in browser.get(f"{scene.home}/rounds/{round_id}").text
    for role in ("reader", "labeller"):
        scene.give_role("ben", role)
    scene.refuses_to_reopen(round_id, "ben judged in this round")
    second = scene.open("bea", "cleo", queries=2)["id"]
    scene.script().post(f"{scene.api}/rounds/{second}/closure")
    assert scene.script().delete(f"{scene.api}/members/{bea}").is_success
    _, secret = cast.invitation(scene.project, "labeller")
    joined = cast.browser(scene.people["bea"]).post(f"/invitations/{secret}", data={"member_name": "bea"})
    assert joined.status_code == 303
    scene.refuses_to_reopen(second, "bea judged in this round")


def test_a_round_opens_again_for_whoever_saw_only_before_it_was_closed(cast: Cast) -> None:
    """While they judged in it they were as blind as any labeller."""
    scene = Scene.make(cast)
    scene.joined("bea", "lead")
    round_id = scene.open("bea", "cleo", queries=2)["id"]
    scene.give_role("bea", "labeller")
    closure = f"{scene.api}/rounds/{round_id}/closure"
    scene.script().post(closure)
    assert scene.script().delete(closure).json()["closed_at"] is None


def test_the_page_of_an_imported_round_does_not_offer_to_open_it(cast: Cast) -> None:
    scene = Scene.make(cast, has_pool=False)
    with cast.database.session(writes=True) as session:
        round_ = judge(session, scene.project, [("q1", "d1-0", "ann", 1), ("q1", "d1-0", "bob", 1)], kind="imported")
        round_id = round_.id
    scene.refuses_to_reopen(round_id, "nobody judges in it")


def test_whoever_still_judges_sees_nothing_of_what_others_gave(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open("ana", "ben", queries=2)["id"]
    with cast.database.session(writes=False) as session:
        for name in ("cleo", "rea"):
            refuse_while_judging(session, scene.seat(session, name))
        for name in ("ana", "ben"):
            with pytest.raises(RuleError, match="You still judge in round 1"):
                refuse_while_judging(session, scene.seat(session, name))
    scene.script().post(f"{scene.api}/rounds/{round_id}/closure")
    with cast.database.session(writes=False) as session:
        refuse_while_judging(session, scene.seat(session, "ana"))


def test_the_gate_is_asked_for_a_main_round_but_not_by_a_lead_who_still_judges(cast: Cast) -> None:
    scene = Scene.make(cast)
    main = {"kind": "main", "labellers": scene.labellers(), "overlap": 0.5}
    asked: list[str] = []

    def answer_gate(_session: object, project: Project) -> str:
        asked.append(project.id)
        return "passed"

    agreement = scene.open("ana", "ben", queries=2)
    cast.app.state.answer_gate = answer_gate
    refused = scene.script().post(f"{scene.api}/rounds", json=main)
    assert refused.status_code == 409
    assert refused.json()["error"]["details"]["conditions"] == ["gate"]
    assert "what the gate says is hidden from you" in cast.browser(scene.lead).get(f"{scene.home}/rounds").text
    assert asked == []
    scene.script().post(f"{scene.api}/rounds/{agreement['id']}/closure")
    opened = scene.script().post(f"{scene.api}/rounds", json=main)
    assert opened.status_code == 201
    assert asked == [scene.project]
    assert sorted(len(each["labellers"]) for each in opened.json()["by_query"]) == [1, 1, 2, 2]


def test_a_lead_without_labellers_is_told_how_many_could_judge(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.rubric(project)
    cast.pool(project, POOL)
    assert "who have an account here; there is one.</p>" in cast.browser(lead).get(f"/projects/{project}/rounds").text


# A policy for small sets


@pytest.mark.parametrize(("queries", "is_small"), [(59, True), (60, False)])
def test_a_policy_for_small_sets_is_for_small_sets(cast: Cast, queries: int, is_small: bool) -> None:
    scene = Scene.make(cast, has_pool=False)
    project = f"/api/v1/projects/{scene.project}"
    pool = cast.pool(scene.project, {f"q{number:02}": [f"d{number}"] for number in range(queries)})
    assert scene.script().patch(project, json={"is_small_set": True}).status_code == 200
    grades = "labeller,query_id,docid,grade\n" + "".join(f"ben,q{number:02},d{number},1\n" for number in range(queries))
    deals = "qid,docno,labeller\n" + "".join(f"q{number:02},d{number},ben\n" for number in range(queries))
    looked = [
        scene.script().post(
            f"{project}/imports/{kind}?dry_run=true", files={"file": ("file.csv", text.encode())}, data=chosen
        )
        for kind, text, chosen in (
            ("grades", grades, {}),
            ("assignments", deals, {"round": "main", "warned": "yes", "pool": pool}),
        )
    ]
    wanted = {"kind": "agreement", "labellers": scene.labellers(), "queries": 10, "pool": pool}
    page = {"kind": "agreement", "labellers": scene.labellers(), "queries": "10", "pool": pool, "way": "dealt"}
    if is_small:
        assert [answer.status_code for answer in looked] == [200, 200], [answer.text for answer in looked]
        assert scene.script().post(f"{project}/rounds", json=wanted).status_code == 201
        return
    for answer, what in zip(
        [*looked, scene.script().post(f"{project}/rounds", json=wanted)], ("file", "pool", "pool"), strict=True
    ):
        assert answer.status_code == 409, answer.text
        assert answer.json()["error"]["details"]["conditions"] == ["small set"]
        assert f"fewer than 60 queries, and the {what} has 60." in answer.json()["error"]["sentence"]
    refused = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=page)
    assert (refused.status_code, "Take the policy in full" in refused.text) == (409, True)
    assert scene.script().patch(project, json={"is_small_set": False}).status_code == 200
    assert scene.script().post(f"{project}/rounds", json=wanted).status_code == 201


def test_a_round_that_makes_a_small_set_a_large_one_says_so_before_it_opens(cast: Cast) -> None:
    scene = Scene.make(cast, has_pool=False)
    pools = [cast.pool(scene.project, {f"q{number:02}": [f"d{number}"] for number in range(most)}) for most in (20, 61)]
    assert scene.script().patch(f"/api/v1/projects/{scene.project}", json={"is_small_set": True}).status_code == 200
    wanted = {"kind": "agreement", "labellers": scene.labellers(), "queries": 20, "pool": pools[0]}
    assert scene.script().post(f"/api/v1/projects/{scene.project}/rounds", json=wanted).status_code == 201
    for queries, is_told in ((39, False), (40, True)):
        page = {
            "kind": "agreement",
            "labellers": scene.labellers(),
            "queries": queries,
            "pool": pools[1],
            "way": "dealt",
        }
        looked = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=page | {"looks": "yes"})
        assert ("With it the rubric has 60 queries: no small set any more" in looked.text) == is_told, looked.text
