"""What would change the gate's answer: a labeller declared a machine, and a failed round that is graded anew."""

import random
from typing import Any

import pytest

from tests.corpora.handing import Desk, sit_down
from tests.make import Cast

MARK = "labeller set aside"


def rows() -> bytes:
    """Two who nearly always agree, and a third who says anything, on 32 queries of 10 pairs."""
    chance = random.Random(3)
    lines = ["qid,docno,r1,r2,r3"]
    for query in range(32):
        for pair in range(10):
            level = chance.choice([0, 0, 1, 2, 3])
            other = level if chance.random() < 0.9 else min(3, level + 1)
            lines.append(f"q{query},d{query}-{pair},{level},{other},{chance.randrange(4)}")
    return "\n".join(lines).encode()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    desk = sit_down(cast)
    cast.rubric(desk.project)
    return desk


def ask(desk: Desk, method: str, path: str, **more: Any) -> Any:
    return desk.script.request(method, f"/api/v1/projects/{desk.project}{path}", **more)


def declare(desk: Desk, name: str, *, is_machine: bool) -> None:
    member = next(each["id"] for each in ask(desk, "GET", "/members").json() if each["name"] == name)
    assert ask(desk, "PATCH", f"/members/{member}", json={"is_machine": is_machine}).status_code == 200


def test_a_labeller_who_is_declared_a_machine_once_their_grades_counted_marks_the_release(desk: Desk) -> None:
    desk.brought_in("grades", rows(), {"placeholders": "make"})
    assert ask(desk, "GET", "/agreement").json()["answer"] == "failed"
    declare(desk, "r3", is_machine=True)
    assert ask(desk, "GET", "/agreement").json()["answer"] == "passed"
    release = ask(desk, "POST", "/releases", json={"name": "First"}).json()
    assert (release["gated"], release["marks"]) == (True, ["imported grades", MARK])
    manifest = ask(desk, "GET", f"/releases/{release['id']}").json()["manifest"]
    assert manifest["grades_set_aside"] == 320
    page = desk.browser.get(f"/projects/{desk.project}/releases/{release['id']}").text
    assert "Somebody was declared a machine after their grades had counted" in page
    qrels = ask(desk, "GET", f"/releases/{release['id']}/qrels")
    assert "release-1-imported-grades-labeller-set-aside." in qrels.headers["content-disposition"]
    declare(desk, "r3", is_machine=False)
    assert ask(desk, "GET", "/releases").json()[0]["marks"] == ["imported grades", MARK], (
        "what was frozen stays as it was"
    )


def test_a_program_s_grades_that_came_in_as_such_mark_nothing(desk: Desk) -> None:
    desk.brought_in("grades", rows(), {"placeholders": "make", "kinds": "r3=machine"})
    release = ask(desk, "POST", "/releases", json={"name": "First"}).json()
    assert (release["gated"], release["marks"]) == (True, ["imported grades"])


def test_readers_are_told_what_is_missing_and_not_who(desk: Desk) -> None:
    desk.brought_in("grades", rows(), {"placeholders": "make"})
    person = desk.cast.person("eve")
    desk.cast.member(desk.project, person, "reader")
    reader, home = desk.cast.script(person, desk.project), f"/api/v1/projects/{desk.project}"
    shown = [reader.get(f"{home}{path}").text for path in ("/releases/conditions", "/qrels", "/scores")]
    shown += [desk.cast.browser(person).get(f"/projects/{desk.project}/{page}").text for page in ("releases", "scores")]
    for text in shown:
        assert "labeller-3" in text
        assert not [name for name in ("r1", "r2", "r3") if f"{name} " in text]
    assert "r3 " in ask(desk, "GET", "/releases/conditions").text, "leads know them"


def test_a_round_that_the_gate_has_failed_is_not_opened_again(cast: Cast) -> None:
    """Or the same queries would be graded until they pass."""
    lead, people = cast.person("ana"), {name: cast.person(name) for name in ("ben", "cai")}
    project = cast.project(lead, policy="exploratory", is_small_set=True)
    cast.rubric(project)
    labellers = [cast.member(project, person, "labeller") for person in people.values()]
    pool = cast.pool(project, {f"q{query}": [f"d{query}-{at}" for at in range(10)] for query in range(16)})
    round_id = cast.round(project, pool, labellers)
    home, chance = f"/api/v1/projects/{project}", random.Random(5)
    for person in people.values():
        script = cast.script(person, project)
        for each in script.get(f"{home}/assignments", params={"limit": 500}).json():
            body = {name: each[name] for name in ("key", "revision", "text_hash")} | {"level": chance.randrange(4)}
            assert script.post(f"{home}/assignments/{each['id']}/grades", json=body).status_code == 201
    script = cast.script(lead, project)
    assert script.post(f"{home}/rounds/{round_id}/closure").is_success
    assert script.get(f"{home}/agreement").json()["answer"] == "failed"
    refused = script.delete(f"{home}/rounds/{round_id}/closure")
    assert refused.status_code == 409
    assert "The gate has failed what was judged under this rubric" in refused.json()["error"]["sentence"]
    assert "It can’t be opened again" in cast.browser(lead).get(f"/projects/{project}/rounds/{round_id}").text
