"""Passing queries on, qualifying who joins late, and letting labellers go."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.agreement.gate import gate_of
from app.judging.models import Assignment
from app.projects.models import Member, Project
from tests.judging.test_rounds import Scene
from tests.make import Cast


def places(scene: Scene, round_id: str) -> dict[str, list[dict[str, Any]]]:
    """By qid."""
    shown = scene.script().get(f"{scene.api}/rounds/{round_id}").json()
    return {each["qid"]: each["labellers"] for each in shown["by_query"]}


def place_of(scene: Scene, round_id: str, name: str | None, *, qid: str | None = None) -> dict[str, Any]:
    """The first place of somebody's, or a free one."""
    return next(
        place
        for each, found in places(scene, round_id).items()
        for place in found
        if place["name"] == name and qid in (None, each)
    )


def give(scene: Scene, place: dict[str, Any], name: str) -> Any:
    return scene.script().post(f"{scene.api}/deals/{place['deal_id']}/labeller", json={"labeller": scene.members[name]})


def due(script: TestClient, scene: Scene) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = script.get(f"{scene.api}/assignments?limit=500").json()
    return found


def grade(scene: Scene, name: str, number: int) -> None:
    script = scene.script(name)
    for each in due(script, scene)[:number]:
        sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": 1}
        assert script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent).status_code == 201


def test_a_query_is_passed_on_and_its_grades_stay(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1"])["id"]
    grade(scene, "ben", 1)
    answer = give(scene, place_of(scene, round_id, "ben"), "dan")
    assert answer.status_code == 200, answer.text
    named = {(each["name"], each["pairs"], each["graded"]) for each in places(scene, round_id)["q1"]}
    assert named == {("ben", 1, 1), ("dan", 3, 0), ("cleo", 4, 0)}
    assert len(due(scene.script("dan"), scene)) == 3
    assert due(scene.script("ben"), scene) == []
    assert answer.json()["assignments"] == 8


def test_a_whole_query_changes_hands_where_nothing_is_graded(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1", "q2"])["id"]
    assert give(scene, place_of(scene, round_id, "ben", qid="q1"), "dan").status_code == 200
    assert {each["name"] for each in places(scene, round_id)["q1"]} == {"dan", "cleo"}
    assert {each["query"]["qid"] for each in due(scene.script("ben"), scene)} == {"q2"}


@pytest.mark.parametrize(
    ("to", "words"),
    [("ben", "already"), ("cleo", "judges this query already"), ("rea", "can label here"), ("ana", "could see what")],
)
def test_whom_a_query_can_not_be_given_to_is_said(cast: Cast, to: str, words: str) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=["q1"])["id"]
    place = place_of(scene, round_id, "ben")
    refused = give(scene, place, to)
    assert refused.status_code in (409, 422)
    assert words in refused.json()["error"]["sentence"]
    assert place_of(scene, round_id, "ben") == place
    page = cast.browser(scene.lead).post(
        f"{scene.home}/deals/{place['deal_id']}/labeller", data={"labeller": scene.members[to]}
    )
    assert page.status_code == refused.status_code
    assert words in page.text


def test_a_lead_who_judges_in_the_round_from_its_start_may_be_given_more(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open("ana", "ben", "dan", queries=6)["id"]
    place = next(
        found
        for seats in places(scene, round_id).values()
        for found in seats
        if found["name"] == "ben" and "ana" not in [each["name"] for each in seats]
    )
    assert give(scene, place, "ana").status_code == 200


def test_what_is_graded_or_closed_is_not_passed_on(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1"])["id"]
    grade(scene, "ben", 4)
    refused = give(scene, place_of(scene, round_id, "ben"), "dan")
    assert "nothing to pass on" in refused.json()["error"]["sentence"]
    scene.script().post(f"{scene.api}/rounds/{round_id}/closure")
    assert "was closed" in give(scene, place_of(scene, round_id, "cleo"), "dan").text


def test_the_page_leads_from_a_place_to_who_judges_it_next(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1"])["id"]
    place = place_of(scene, round_id, "ben")
    browser = cast.browser(scene.lead)
    assert f"/deals/{place['deal_id']}" in browser.get(f"{scene.home}/rounds/{round_id}").text
    page = browser.get(f"{scene.home}/deals/{place['deal_id']}").text
    assert ">dan</option>" in page
    assert ">cleo</option>" not in page
    given = browser.post(f"{scene.home}/deals/{place['deal_id']}/labeller", data={"labeller": scene.members["dan"]})
    assert given.headers["location"] == f"{scene.home}/rounds/{round_id}"
    assert place_of(scene, round_id, "dan")["pairs"] == 4


def test_a_late_grade_of_a_query_that_was_given_to_somebody_has_no_place(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1"])["id"]
    ben = scene.script("ben")
    late = due(ben, scene)[0]
    give(scene, place_of(scene, round_id, "ben"), "dan")
    sent = {key: late[key] for key in ("key", "revision", "text_hash")} | {"level": 1}
    assert ben.post(f"{scene.api}/assignments/{late['id']}/grades", json=sent).status_code == 409


# Joining late


def qualify(scene: Scene, round_id: str, name: str, **more: Any) -> Any:
    body = {"labeller": scene.members[name]} | more
    return scene.script().post(f"{scene.api}/rounds/{round_id}/qualifications", json=body)


def test_who_joins_late_judges_what_two_have_judged_and_counts_with_them(cast: Cast) -> None:
    scene = Scene.make(cast)
    first = scene.open(queries=3)
    for name in ("ben", "cleo"):
        scene.grade_all(name)
    scene.script().post(f"{scene.api}/rounds/{first['id']}/closure")
    scene.joined("dan", "labeller")
    main = scene.open(kind="main", labellers=scene.labellers(), overlap=0.5, is_warned=True)["id"]
    answer = qualify(scene, main, "dan", queries=2)
    assert answer.status_code == 201, answer.text
    twice = {each["qid"] for each in first["by_query"]}
    assert len(answer.json()["qids"]) == 2
    assert set(answer.json()["qids"]) <= twice
    assert scene.grade_all("dan", level=2) == 8
    with cast.database.session(writes=False) as session:
        gate = gate_of(session, session.get_one(Project, scene.project), 1)
        versus = {gate.labellers[each.labeller].name: each.pairs for each in gate.evidence.agreement.versus_rest}
    assert versus["dan"] == 8
    rest = qualify(scene, main, "dan").json()["qids"]
    assert len(rest) == 1
    assert "No query was judged twice" in qualify(scene, main, "dan").json()["error"]["sentence"]


def test_nobody_qualifies_on_what_the_gate_has_failed(cast: Cast) -> None:
    """Others who judge the same queries until it passes are no new test."""
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open()["id"]
    for name in ("ben", "cleo"):
        scene.grade_all(name)
    cast.app.state.answer_gate = lambda _session, _project: "failed"
    refused = qualify(scene, round_id, "dan")
    assert refused.status_code == 409
    assert "would not be a new test" in refused.json()["error"]["sentence"]
    form = {"labeller": scene.members["dan"]}
    page = cast.browser(scene.lead).post(f"{scene.home}/rounds/{round_id}/qualifications", data=form)
    assert "would not be a new test" in page.text
    cast.app.state.answer_gate = lambda _session, _project: "not enough evidence"
    assert qualify(scene, round_id, "dan").status_code == 201


def test_a_qualifying_place_is_no_second_opinion_that_a_query_waits_for(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.open(queries=["q1"])
    for name in ("ben", "cleo"):
        scene.grade_all(name)
    scene.joined("dan", "labeller")
    main = scene.open(kind="main", labellers=scene.labellers(), overlap=0.0, is_warned=True)["id"]
    assert qualify(scene, main, "dan").json()["qids"] == ["q1"]
    assert [place["seat"] for place in places(scene, main)["q1"]] == [3]


def test_nobody_qualifies_before_two_have_finished(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=2)["id"]
    scene.grade_all("ben")
    scene.joined("dan", "labeller")
    assert qualify(scene, round_id, "dan").status_code == 409
    browser = cast.browser(scene.lead)
    form = {"labeller": scene.members["dan"], "queries": ""}
    page = browser.post(f"{scene.home}/rounds/{round_id}/qualifications", data=form)
    assert page.status_code == 409
    assert "No query was judged twice" in page.text
    scene.grade_all("cleo")
    assert browser.post(f"{scene.home}/rounds/{round_id}/qualifications", data=form).status_code == 303
    assert "Somebody joins late" in browser.get(f"{scene.home}/rounds/{round_id}").text


@pytest.mark.parametrize("is_demoted", [False, True])
def test_nobody_qualifies_on_grades_that_they_could_look_at(cast: Cast, *, is_demoted: bool) -> None:
    scene = Scene.make(cast)
    scene.joined("max", "lead")
    first = scene.open(queries=2)
    for name in ("ben", "cleo"):
        scene.grade_all(name)
    scene.script().post(f"{scene.api}/rounds/{first['id']}/closure")
    if is_demoted:
        scene.give_role("max", "labeller")
    names = ("ben", "cleo") if is_demoted else ("ben", "max")
    main = scene.open(*names, kind="main", overlap=0.5, is_warned=True)["id"]
    refused = qualify(scene, main, "max", queries=1)
    assert refused.status_code == 409, refused.text
    assert "blind" in refused.json()["error"]["sentence"]
    scene.joined("dan", "labeller")
    assert qualify(scene, main, "dan", queries=1).status_code == 201
    dans = place_of(scene, main, "dan")
    if is_demoted:
        assert "could see" in give(scene, dans, "max").json()["error"]["sentence"]


def test_nobody_qualifies_on_pairs_whose_texts_are_not_here(cast: Cast) -> None:
    scene = Scene.make(cast)
    file = {"file": ("grades.csv", b"labeller,qid,docno,grade\neve,q9,x,1\nfay,q9,x,1\n")}
    sent = scene.script().post(f"{scene.api}/imports/grades", files=file, data={"placeholders": "make"})
    assert sent.status_code == 200, sent.text
    main = scene.open(kind="main", overlap=0.5, is_warned=True)["id"]
    scene.joined("dan", "labeller")
    assert qualify(scene, main, "dan").status_code == 409


# Leaving


def test_a_labeller_who_leaves_becomes_a_number_and_their_rest_goes_back(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("Labeller 1", "labeller")
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q1", "q2"])["id"]
    grade(scene, "ben", 5)
    assert scene.script().delete(f"{scene.api}/members/{scene.members['ben']}").status_code == 204
    found = [place for seats in places(scene, round_id).values() for place in seats if place["name"] != "cleo"]
    assert sorted((place["name"] or "", place["pairs"]) for place in found) == [
        ("", 3),
        ("Labeller 2", 1),
        ("Labeller 2", 4),
    ]
    assert "1 place is free" in cast.browser(scene.lead).get(f"{scene.home}/rounds/{round_id}").text
    assert give(scene, place_of(scene, round_id, None), "dan").status_code == 200
    assert len(due(scene.script("dan"), scene)) == 3


def test_who_leaves_and_comes_back_takes_a_name_and_keeps_their_grades(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.open(queries=["q1"])
    grade(scene, "ben", 2)
    ana = cast.browser(scene.lead)
    assert ana.post(f"{scene.home}/members/{scene.members['ben']}/leave").status_code == 303
    _, secret = cast.invitation(scene.project)
    back = cast.browser(scene.people["ben"]).post(f"/invitations/{secret}", data={"member_name": "ben"})
    assert back.status_code == 303
    with cast.database.session(writes=False) as session:
        assert session.get_one(Member, (scene.project, scene.members["ben"])).name == "ben"
        theirs = select(Assignment.revision).where(Assignment.labeller_id == scene.members["ben"])
        assert list(session.scalars(theirs)) == [1, 1]


def test_a_lead_who_leaves_keeps_the_name_under_which_they_decided(cast: Cast) -> None:
    scene = Scene.make(cast)
    dan = scene.joined("dan", "lead")
    scene.open("dan", "ben", queries=["q1"])
    assert scene.script().delete(f"{scene.api}/members/{dan}").status_code == 204
    with cast.database.session(writes=False) as session:
        assert session.get_one(Member, (scene.project, dan)).name == "dan"
        assert session.scalars(select(Assignment.id).where(Assignment.labeller_id == dan)).all() == []
