"""Widening an agreement round, and how many rounds a set of queries affords."""

from typing import Any

import pytest

from app.errors import RuleError
from app.projects.models import Project
from tests.judging.test_reassigning import places
from tests.judging.test_rounds import POOL, Scene
from tests.make import Cast


def widen(scene: Scene, round_id: str, queries: Any) -> Any:
    return scene.script().post(f"{scene.api}/rounds/{round_id}/queries", json={"queries": queries})


def answer_with(scene: Scene, answer: str) -> None:
    def answer_gate(_session: object, _project: Project) -> str:
        return answer

    scene.cast.app.state.answer_gate = answer_gate


def test_further_queries_go_to_the_labellers_of_the_round_behind_what_they_have(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=2)["id"]
    before = scene.script("ben").get(f"{scene.api}/assignments?limit=500").json()
    answer = widen(scene, round_id, 3)
    assert answer.status_code == 200, answer.text
    assert answer.json()["queries"] == 5
    assert {place["name"] for seats in places(scene, round_id).values() for place in seats} == {"ben", "cleo"}
    after = scene.script("ben").get(f"{scene.api}/assignments?limit=500").json()
    assert [each["id"] for each in after[: len(before)]] == [each["id"] for each in before]
    assert len(after) == 20
    assert scene.grade_all("ben") == 20


def test_chosen_queries_widen_a_round_and_stale_ones_do_not(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=["q1"])["id"]
    assert widen(scene, round_id, ["q2", "q3"]).json()["queries"] == 3
    assert "not fresh any more" in widen(scene, round_id, ["q1"]).text
    assert widen(scene, round_id, 100).json()["queries"] == len(POOL)
    assert "no fresh query left" in widen(scene, round_id, 1).text


def test_a_claimed_round_is_widened_with_free_places(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=1, labellers=[], idle_minutes=30)["id"]
    assert widen(scene, round_id, 1).json()["assignments"] == 16
    taken = []
    for _ in range(2):
        claim = scene.script("ben").post(f"{scene.api}/rounds/{round_id}/claims")
        assert claim.status_code == 201, claim.text
        taken.append(claim.json()["qid"])
        scene.grade_all("ben")
    assert len(set(taken)) == 2


@pytest.mark.parametrize(("answer", "words"), [("passed", "no need for more"), ("failed", "would not be a new test")])
def test_once_the_gate_has_answered_no_round_is_widened(cast: Cast, answer: str, words: str) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=1)["id"]
    answer_with(scene, answer)
    assert words in widen(scene, round_id, 1).json()["error"]["sentence"]
    browser = cast.browser(scene.lead)
    page = browser.post(f"{scene.home}/rounds/{round_id}/queries", data={"more": "1"})
    assert page.status_code == 409
    assert words in page.text
    answer_with(scene, "not enough evidence")
    assert browser.post(f"{scene.home}/rounds/{round_id}/queries", data={"more": "1"}).status_code == 303
    assert "Widen the round" in browser.get(f"{scene.home}/rounds/{round_id}").text


def test_after_a_failure_the_same_family_gets_no_further_agreement_round(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.open(queries=1)
    with pytest.raises(RuleError, match="would not be a new test"):
        cast.round(scene.project, scene.pool, scene.labellers(), queries=1, gate_answer="failed")


def test_main_rounds_and_closed_ones_are_not_widened(cast: Cast) -> None:
    scene = Scene.make(cast)
    first = scene.open(queries=1)["id"]
    scene.script().post(f"{scene.api}/rounds/{first}/closure")
    assert "was closed" in widen(scene, first, 1).text
    main = scene.open(kind="main", labellers=scene.labellers(), overlap=0.2, is_warned=True)["id"]
    assert "Only an agreement round" in widen(scene, main, 1).text


def test_the_round_form_and_the_home_say_how_many_rounds_there_can_be(cast: Cast) -> None:
    scene = Scene.make(cast)
    browser = cast.browser(scene.lead)
    page = browser.get(f"{scene.home}/rounds").text
    assert "The gate wants 75 such queries at least in all" in page
    assert "6 fresh queries, enough for 0 agreement rounds" in browser.get(scene.home).text
    for documents, rounds in ((10, "<b>2 agreement rounds</b> of 30"), (5, "<b>1 agreement round</b> of 60")):
        docnos = [f"d{number}" for number in range(documents)]
        cast.pool(scene.project, {f"x{documents} {number}": docnos for number in range(61)})
        assert rounds in browser.get(f"{scene.home}/rounds").text, "300 pairs are wanted too"
    assert "enough for 1 agreement round." in browser.get(scene.home).text
