"""Hidden checks: pairs shown again, gold pairs; drawn by lot, unmarked, and counted nowhere else."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from app.agreement.gate import gate_of
from app.agreement.watching import watch
from app.judging.checks import GoldPair, Stop, draw_quiz, with_repeats
from app.judging.choosing import PooledPair
from app.judging.models import Assignment
from app.projects.models import Project
from tests.judging.test_rounds import POOL, Scene
from tests.make import Cast

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=20)
SEEDS = st.integers(0, 2**31 - 1)


def stops_of(sizes: list[int]) -> list[Stop]:
    return [
        Stop(
            [PooledPair(f"{at} {each}", f"q{at}", f"i{at}", f"d{each}", is_placeholder=False) for each in range(size)],
            1,
        )
        for at, size in enumerate(sizes)
    ]


@given(SIZES, SEEDS, st.floats(0, 0.2))
def test_pairs_come_again_later_with_another_query_in_between(sizes: list[int], seed: int, share: float) -> None:
    stops = stops_of(sizes)
    found = with_repeats(stops, share=share, labeller="Ana", seed=seed)
    assert [each for each in found if each.purpose == "judging"] == stops
    again = [each for each in found if each.purpose == "repeat"]
    assert len({each.qid for each in again}) == len(again)
    wanted = round(share * sum(sizes))
    assert sum(len(each.pairs) for each in again) == min(wanted, sum(sizes[:-1]))
    for each in again:
        first = next(at for at, stop in enumerate(found) if stop.qid == each.qid)
        between = found[first + 1 : found.index(each)]
        assert any(stop.purpose == "judging" for stop in between)
        assert set(each.pairs) <= set(found[first].pairs)


@given(st.dictionaries(st.integers(0, 5), st.integers(1, 30), min_size=1), st.integers(0, 40), SEEDS)
def test_a_quiz_is_even_over_the_levels_as_far_as_there_is_gold(there: dict[int, int], number: int, seed: int) -> None:
    gold = [
        GoldPair(level, PooledPair(f"{level} {each}", f"q{each}", "i", f"{level} {each}", is_placeholder=False))
        for level, size in there.items()
        for each in range(size)
    ]
    drawn = draw_quiz(gold, number, labeller="Ana", seed=seed)
    assert len(set(drawn)) == len(drawn) == min(number, len(gold))
    by_level = Counter(int(pair.id.split()[0]) for pair in drawn)
    short = [level for level, size in there.items() if by_level[level] < size]
    assert max(by_level.values(), default=0) - min((by_level[level] for level in short), default=0) <= 1 or not short


def set_gold(scene: Scene, qid: str, docno: str, level: int) -> Any:
    gold = {"qid": qid, "docno": docno, "level": level, "why": "It says so."}
    return scene.script().post(f"{scene.api}/gold", json=gold)


def purposes(scene: Scene, name: str) -> list[str]:
    """In the order of the desk."""
    with scene.cast.database.session(writes=False) as session:
        theirs = select(Assignment.purpose).where(Assignment.labeller_id == scene.members[name])
        return list(session.scalars(theirs.order_by(Assignment.place)))


def levels_by_purpose(scene: Scene, name: str, levels: dict[str, int]) -> None:
    """The labeller grades all that is due, by what it is there for, which only the test knows."""
    script = scene.script(name)
    for each in script.get(f"{scene.api}/assignments?limit=500").json():
        with scene.cast.database.session(writes=False) as session:
            purpose = session.get_one(Assignment, (scene.project, each["id"])).purpose
        sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": levels[purpose]}
        assert script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent).status_code == 201


def test_checks_are_dealt_unmarked_and_count_nowhere_but_about_their_labeller(cast: Cast) -> None:
    scene = Scene.make(cast)
    for docno in POOL["q5"][:2]:
        assert set_gold(scene, "q5", docno, 2).status_code == 201
    round_id = scene.open(queries=["q0", "q1", "q2"], repeats=0.2, quiz=2)["id"]
    assert purposes(scene, "ben")[:2] == ["gold", "gold"]
    assert Counter(purposes(scene, "ben")) == {"gold": 2, "judging": 12, "repeat": 2}
    asked = scene.script("ben").get(f"{scene.api}/assignments?limit=500").json()
    assert len({frozenset(each) for each in asked}) == 1
    assert "repeat" not in scene.script("ben").get(f"{scene.api}/assignments").text
    levels_by_purpose(scene, "ben", {"judging": 1, "repeat": 3, "gold": 2})
    levels_by_purpose(scene, "cleo", {"judging": 1, "repeat": 1, "gold": 1})
    with cast.database.session(writes=False) as session:
        project = session.get_one(Project, scene.project)
        gate = gate_of(session, project, 1)
        assert (gate.doubles.pairs, gate.evidence.agreement.exact) == (12, 1.0)
        found = {each.name: each for each in watch(session, project, gate)}
    assert (found["ben"].repeated, found["ben"].quiz) == (2, (2, 2, 0))
    assert found["cleo"].quiz == (2, 0, 2)
    seen = {each["name"]: each for each in scene.script("ana").get(f"{scene.api}/labellers").json()}
    assert seen["ben"]["quiz_exact"] == 2
    shown = scene.script().get(f"{scene.api}/rounds/{round_id}").json()
    assert {each["qid"] for each in shown["by_query"]} == {"q0", "q1", "q2"}
    rows = scene.script().get(f"{scene.api}/rounds/{round_id}/assignments").text.splitlines()
    assert len(rows) == 1 + 24
    assert "Kappa with themselves" in cast.browser(scene.lead).get(f"{scene.home}/labellers").text


def test_a_quiz_that_was_judged_leaves_its_query_fresh_for_the_next_round(cast: Cast) -> None:
    """It tells nothing of how the rubric does, and is in no release."""
    scene = Scene.make(cast)
    set_gold(scene, "q5", POOL["q5"][0], 2)
    round_id = scene.open(queries=["q0"], quiz=1)["id"]
    levels_by_purpose(scene, "ben", {"judging": 1, "gold": 2})
    scene.script().post(f"{scene.api}/rounds/{round_id}/closure")
    assert scene.open(queries=["q5"])["pairs"] == 4


def test_claims_bring_the_quiz_first_and_repeats_behind_later_queries(cast: Cast) -> None:
    scene = Scene.make(cast)
    set_gold(scene, "q5", POOL["q5"][0], 2)
    round_id = scene.open(kind="main", overlap=0.0, is_warned=True, labellers=[], idle_minutes=30, repeats=0.2, quiz=1)[
        "id"
    ]
    taken = []
    for _ in range(3):
        taken.append(scene.script("ben").post(f"{scene.api}/rounds/{round_id}/claims").json()["qid"])
        scene.grade_all("ben")
    assert len(set(taken)) == 3
    assert purposes(scene, "ben") == ["gold", *["judging"] * 8, "repeat", "repeat", *["judging"] * 4]


def test_who_leaves_takes_their_checks_along(cast: Cast) -> None:
    scene = Scene.make(cast)
    set_gold(scene, "q5", POOL["q5"][0], 2)
    round_id = scene.open(queries=["q0", "q1", "q2"], repeats=0.2, quiz=1)["id"]
    assert scene.script().delete(f"{scene.api}/members/{scene.members['ben']}").status_code == 204
    assert purposes(scene, "ben") == []
    shown = scene.script().get(f"{scene.api}/rounds/{round_id}").json()
    assert shown["assignments"] == 12 + len(purposes(scene, "cleo"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"docno": "nowhere"}, "No pool holds this pair"),
        ({"level": 9}, "no level 9"),
        ({"why": " "}, "can't stay empty"),
    ],
)
def test_what_can_not_be_gold_is_said(cast: Cast, change: dict[str, Any], words: str) -> None:
    scene = Scene.make(cast)
    gold = {"qid": "q1", "docno": "d1-0", "level": 1, "why": "It says so."} | change
    refused = scene.script().post(f"{scene.api}/gold", json=gold)
    assert refused.status_code == 422
    assert words in refused.json()["error"]["sentence"]
    page = cast.browser(scene.lead).post(f"{scene.home}/gold", data=gold)
    assert page.status_code == 422
    assert cast.browser(scene.people["ben"]).get(f"{scene.home}/gold").status_code == 404


def test_gold_is_set_once_and_withdrawn(cast: Cast) -> None:
    scene = Scene.make(cast)
    gold_id = set_gold(scene, "q1", "d1-0", 1).json()["id"]
    assert "gold already" in set_gold(scene, "q1", "d1-0", 2).text
    browser = cast.browser(scene.lead)
    assert "Gold pairs: <b>1</b>" in browser.get(f"{scene.home}/gold").text
    assert browser.post(f"{scene.home}/gold/{gold_id}/withdrawal").status_code == 303
    assert scene.script().get(f"{scene.api}/gold").json() == []
    assert set_gold(scene, "q1", "d1-0", 2).status_code == 201


def test_a_round_with_more_quiz_than_gold_or_too_many_repeats_is_not_opened(cast: Cast) -> None:
    scene = Scene.make(cast)
    form = {"kind": "agreement", "pool": scene.pool, "queries": "2", "labellers": scene.labellers()}
    browser = cast.browser(scene.lead)
    for more, words in (({"quiz": "3"}, "there are 0"), ({"repeats": "50"}, "At most 20%")):
        refused = browser.post(f"{scene.home}/rounds", data=form | more)
        assert refused.status_code == 422
        assert words in refused.text
    assert browser.post(f"{scene.home}/rounds", data=form | {"repeats": "5"}).status_code == 303


@pytest.mark.parametrize("name", ["repeats", "overlap"])
def test_a_share_in_percent_is_refused_with_the_number_that_is_meant(cast: Cast, name: str) -> None:
    scene = Scene.make(cast)
    sent = {"kind": "main", "labellers": scene.labellers(), "is_warned": True, name: 5}
    for address in ("rounds", "rounds/plan"):
        refused = scene.script().post(f"{scene.api}/{address}", json=sent)
        assert refused.status_code == 422
        assert "500% were asked" in refused.json()["error"]["sentence"]
        assert "for commands and scripts" in refused.json()["error"]["way_out"]
    shape = cast.app.openapi()["components"]["schemas"]["RoundIn"]["properties"][name]
    assert "share" in shape["description"]
