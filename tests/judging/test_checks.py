"""Hidden checks: pairs shown again, gold pairs; drawn by lot, unmarked, and counted nowhere else."""

import html
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import and_, select

from app.agreement.gate import gate_of
from app.agreement.watching import watch
from app.corpora.models import Document
from app.judging.choosing import PooledPair
from app.judging.mixing import GoldPair, Stop, draw_quiz, with_checks
from app.judging.models import Assignment
from app.pools.models import Pair
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


def quiz_of(sizes: list[int], *, levels: int = 4) -> list[GoldPair]:
    return [
        GoldPair(
            (at + each) % levels, PooledPair(f"g{at} {each}", f"g{at}", f"j{at}", f"e{each}", is_placeholder=False)
        )
        for at, size in enumerate(sizes)
        for each in range(size)
    ]


def purposes_of(stop: Stop) -> list[str]:
    return [stop.purpose_of(pair) for pair in stop.pairs]


@given(SIZES, st.lists(st.integers(1, 4), max_size=6), SEEDS, st.floats(0, 0.2))
def test_pairs_come_again_later_with_another_query_in_between(
    sizes: list[int], golden: list[int], seed: int, share: float
) -> None:
    stops = stops_of(sizes)
    quiz = [each.pair for each in quiz_of(golden)]
    found = with_checks(stops, quiz, share=share, labeller="Ana", seed=seed)
    shown = [(pair, stop.purpose_of(pair)) for stop in found for pair in stop.pairs]
    assert Counter(pair for pair, purpose in shown if purpose == "judging") == Counter(
        pair for stop in stops for pair in stop.pairs
    )
    assert Counter(pair for pair, purpose in shown if purpose == "gold") == Counter(quiz)
    again = [pair for pair, purpose in shown if purpose == "repeat"]
    assert len(set(again)) == len(again) == min(round(share * sum(sizes)), sum(sizes[:-1]))
    for pair in again:
        between = shown[shown.index((pair, "judging")) + 1 : shown.index((pair, "repeat"))]
        assert any(other.qid != pair.qid and purpose == "judging" for other, purpose in between)
    assert all(len({pair.qid for pair in stop.pairs}) == 1 for stop in found)


def test_a_query_that_comes_back_brings_as_many_fresh_pairs_as_repeats_at_every_size_and_place() -> None:
    """So that neither the header nor the order tells which is which."""
    by_look: dict[tuple[int, int], Counter[str]] = {}
    for seed in range(300):
        found = with_checks(stops_of([20] * 12), [], share=0.05, labeller="Ana", seed=seed)
        seen: set[str] = set()
        for stop in found:
            for at, purpose in enumerate(purposes_of(stop)) if stop.qid in seen else ():
                by_look.setdefault((len(stop.pairs), at), Counter())[purpose] += 1
            seen.add(stop.qid)
    common = {look: count for look, count in by_look.items() if count.total() >= 200}
    assert len(common) >= 6
    assert all(0.4 < count["judging"] / count.total() < 0.6 for count in common.values()), common


def test_a_quiz_comes_among_fresh_pairs_in_stops_of_the_same_sizes() -> None:
    sizes, by_look = [1, 2, 4, 1, 2], dict[tuple[int, int], Counter[str]]()
    quiz = [each.pair for each in quiz_of(sizes)]
    for seed in range(200):
        opening = with_checks(stops_of([20] * 12), quiz, share=0.0, labeller="Ana", seed=seed)[: 2 * len(sizes)]
        for at, stop in enumerate(opening):
            by_look.setdefault((len(stop.pairs), at), Counter()).update(set(purposes_of(stop)))
    assert {size for size, _ in by_look} == set(sizes)
    together = Counter[tuple[int, str]]()
    for (size, at), count in by_look.items():
        assert 0.2 < count["gold"] / count.total() < 0.8, (size, at)
        together.update({(size, purpose): number for purpose, number in count.items()})
    assert all(together[size, "gold"] == together[size, "judging"] for size in set(sizes))


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


def test_the_order_of_a_quiz_tells_no_level() -> None:
    gold = quiz_of([4] * 10)
    known = {each.pair.id: each.level for each in gold}
    at_place: list[Counter[int]] = [Counter() for _ in range(8)]
    for seed in range(400):
        drawn = draw_quiz(gold, 8, labeller="Ana", seed=seed)
        assert Counter(known[pair.id] for pair in drawn) == {0: 2, 1: 2, 2: 2, 3: 2}
        assert drawn == draw_quiz(gold, 8, labeller="Ana", seed=seed)
        for place, pair in enumerate(drawn):
            at_place[place][known[pair.id]] += 1
    assert all(70 < count[level] < 130 for count in at_place for level in range(4)), at_place


def test_the_nearest_gold_is_drawn_last_though_the_levels_are_uneven_then() -> None:
    gold = quiz_of([4] * 4)
    near = {each.pair.id for each in gold if each.level > 1}

    def drawn(number: int) -> set[str]:
        pairs = draw_quiz(gold, number, labeller="Ana", seed=1, nearness=lambda pair: (pair.id in near,))
        return {pair.id for pair in pairs}

    assert not near & drawn(8)
    assert len(near & drawn(9)) == 1
    assert len(drawn(16)) == 16


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
    while due := script.get(f"{scene.api}/assignments?limit=500").json():
        for each in due:
            with scene.cast.database.session(writes=False) as session:
                purpose = session.get_one(Assignment, (scene.project, each["id"])).purpose
            sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": levels[purpose]}
            assert script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent).status_code == 201


def test_checks_are_dealt_unmarked_and_count_nowhere_but_about_their_labeller(cast: Cast) -> None:
    scene = Scene.make(cast)
    for docno in POOL["q5"][:2]:
        assert set_gold(scene, "q5", docno, 2).status_code == 201
    round_id = scene.open(queries=["q0", "q1", "q2"], repeats=0.2, quiz=2)["id"]
    assert Counter(purposes(scene, "ben")[:4]) == {"gold": 2, "judging": 2}
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
    cast.pool(scene.project, {"q6": ["d6-0"]})
    set_gold(scene, "q6", "d6-0", 2)
    options = {"pool": scene.pool, "overlap": 0.0, "is_warned": True, "labellers": [], "idle_minutes": 30}
    round_id = scene.open(kind="main", repeats=0.2, quiz=1, **options)["id"]
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


def test_a_plan_counts_the_checks_that_the_round_will_ask(cast: Cast) -> None:
    scene = Scene.make(cast)
    for docno in POOL["q5"][:3]:
        set_gold(scene, "q5", docno, 2)
    form: dict[str, Any] = {"kind": "agreement", "labellers": scene.labellers(), "seed": 5}
    wanted = form | {"queries": ["q0", "q1", "q2"], "repeats": 0.2, "quiz": 3}
    plan = scene.script().post(f"{scene.api}/rounds/plan", json=wanted).json()
    assert (plan["pairs"], plan["grades"], plan["checks"], plan["load"]) == (12, 34, 10, {"ben": 17, "cleo": 17})
    typed = form | {"queries": "", "qids": "q0 q1 q2", "repeats": "20", "quiz": "3", "looks": "yes"}
    page = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=typed).text
    assert "34 grades to give, 10 of them to pairs shown again and gold pairs." in page
    opened = scene.script().post(f"{scene.api}/rounds", json=wanted).json()
    assert opened["assignments"] == plan["grades"]
    assert {each["name"]: each["pairs"] for each in opened["labellers"]} == plan["load"]


def test_a_plan_of_a_claimed_round_says_about_how_many_checks_come(cast: Cast) -> None:
    scene = Scene.make(cast)
    cast.pool(scene.project, {"q6": ["d6-0"]})
    set_gold(scene, "q6", "d6-0", 2)
    asked = {"kind": "main", "overlap": 0, "is_warned": True, "labellers": [], "idle_minutes": 30, "repeats": 0.2}
    asked |= {"pool": scene.pool}
    plan = scene.script().post(f"{scene.api}/rounds/plan", json=asked).json()
    assert (plan["pairs"], plan["grades"], plan["checks"], plan["load"]) == (24, 29, 5, {})
    typed = {"kind": "main", "overlap": "0", "way": "claimed", "repeats": "20", "quiz": "1", "looks": "yes"}
    typed |= {"pool": scene.pool}
    page = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=typed).text
    assert "about 29 grades to give, 5 of them to pairs shown again, and 1 gold pair from everybody who claims." in page


@dataclass(frozen=True)
class Checked:
    """ben at the desk of a round with checks."""

    scene: Scene

    @classmethod
    def make(cls, cast: Cast, *, seed: int, golden: str = "q5") -> "Checked":
        scene = Scene.make(cast)
        for docno in POOL[golden][:2]:
            set_gold(scene, golden, docno, 2)
        scene.open(queries=["q0", "q1", "q2", "q3"], repeats=0.2, quiz=2, seed=seed)
        return cls(scene)

    def browse(self, address: str) -> str:
        return self.scene.cast.browser(self.scene.people["ben"]).get(f"{self.scene.home}/{address}").text

    def asked(self) -> list[Assignment]:
        with self.scene.cast.database.session(writes=False) as session:
            theirs = select(Assignment).where(Assignment.labeller_id == self.scene.members["ben"])
            return list(session.scalars(theirs.order_by(Assignment.place)))

    def grade(self, assignment_id: str) -> None:
        script, api = self.scene.script("ben"), self.scene.api
        each = script.get(f"{api}/assignments/{assignment_id}").json()
        sent = {key: each[key] for key in ("key", "revision", "text_hash")} | {"level": 1}
        assert script.post(f"{api}/assignments/{assignment_id}/grades", json=sent).status_code == 201


@pytest.mark.parametrize("seed", [3, 4])
def test_the_desk_shows_a_check_with_nothing_that_a_fresh_pair_does_not_have(cast: Cast, seed: int) -> None:
    desk = Checked.make(cast, seed=seed)
    asked = desk.asked()
    together = Counter(each.stop for each in asked)
    graded = Counter[int]()
    kinds: dict[int, set[str]] = {}
    shapes = set()
    for each in asked:
        page = desk.browse("desk")
        assert f'data-id="{each.id}"' in page
        assert each.deal_id not in page
        where = re.search(r'query">(\d+)</b> of (\d+) in this query', page)
        assert where
        assert (int(where[1]), int(where[2])) == (graded[each.stop] + 1, together[each.stop])
        shapes.add(tuple(re.findall(r" (data-[a-z-]+)=", page[page.index('<div id="pair"') :])))
        kinds.setdefault(each.stop, set()).add(each.purpose)
        graded[each.stop] += 1
        desk.grade(each.id)
    assert len(shapes) == 1
    assert {"gold"} in kinds.values()
    assert sum(purposes == {"judging"} for purposes in kinds.values()) > 4


def test_what_was_given_to_a_pair_that_is_shown_again_stands_nowhere_beside_it(cast: Cast) -> None:
    desk = Checked.make(cast, seed=3)
    asked = desk.asked()
    again = next(each for each in asked if each.purpose == "repeat")
    first = next(each for each in asked if each.pair_id == again.pair_id and each.purpose == "judging")

    def listed() -> set[str]:
        pages = [desk.browse("work"), desk.browse("work/last")]
        graded = desk.scene.script("ben").get(f"{desk.scene.api}/assignments?state=graded").json()
        found = {each["id"] for each in graded} & {first.id, again.id}
        assert all((each in pages[0]) == (each in found) for each in (first.id, again.id))
        assert again.id in pages[1] or first.id not in pages[1] or found == {first.id}
        return found

    before = [each for each in asked if each.stop < again.stop]
    for each in before[:-1]:
        desk.grade(each.id)
    assert listed() == {first.id}
    desk.grade(before[-1].id)
    assert listed() == set()
    desk.grade(again.id)
    assert listed() == {again.id}
    assert f"{len(before) + 1} grades" not in desk.browse("work")


ORDER = re.compile(r'<div id="pair" data-id="(\w+)"')


@pytest.mark.parametrize("golden", ["q5", "q1"], ids=["gold of a query besides", "gold that is dealt too"])
@pytest.mark.parametrize("seed", [3, 4])
def test_no_list_tells_a_check_before_it_comes_up(cast: Cast, seed: int, golden: str) -> None:
    """Neither by a pair that stands in it twice, nor by one that is added without the fresh ones of its stop."""
    desk = Checked.make(cast, seed=seed, golden=golden)
    script, asked = desk.scene.script("ben"), desk.asked()
    with cast.database.session(writes=False) as session:
        of_query = {each.id: session.get_one(Pair, (each.project_id, each.pair_id)).query_id for each in asked}
    waiting: list[Assignment] = [*asked]

    def listed(state: str) -> list[str]:
        return [each["id"] for each in script.get(f"{desk.scene.api}/assignments?state={state}&limit=500").json()]

    def held_ahead() -> list[str]:
        page = cast.browser(desk.scene.people["ben"]).get(
            f"{desk.scene.home}/desk/ahead", headers={"HX-Request": "true"}
        )
        return ORDER.findall(page.text)

    hidden = 0
    while waiting:
        seen = set[str]()
        expected = []
        for each in waiting:
            is_first = each.stop == waiting[0].stop or of_query[each.id] not in {
                of_query[other.id] for other in asked if other.stop < each.stop
            }
            if is_first:
                expected.append(each.id)
                seen.add(each.pair_id)
        hidden += len(waiting) - len(expected)
        assert listed("open") == held_ahead() == expected
        assert len(seen) == len(expected)
        assert set(listed("all")) == set(expected) | set(listed("graded"))
        desk.grade(waiting.pop(0).id)
    assert hidden > 0


def pairs_asked(scene: Scene, name: str) -> Counter[str]:
    """How often the labeller is asked about each pair, repeats aside; by docno."""
    with scene.cast.database.session(writes=False) as session:
        rows = session.execute(
            select(Document.docno)
            .join(Pair, and_(Pair.project_id == Document.project_id, Pair.document_id == Document.id))
            .join(Assignment, and_(Assignment.project_id == Pair.project_id, Assignment.pair_id == Pair.id))
            .where(Assignment.labeller_id == scene.members[name], Assignment.purpose != "repeat")
        )
        return Counter(row[0] for row in rows)


def quiz_found(scene: Scene, name: str) -> tuple[int, int, int]:
    seen = {each["name"]: each for each in scene.script("ana").get(f"{scene.api}/labellers").json()}[name]
    return seen["quiz_answered"], seen["quiz_exact"], seen["quiz_one_off"]


def test_gold_that_a_labeller_judges_anyway_is_asked_once_and_checked_there(cast: Cast) -> None:
    """A pair that comes twice, two key presses apart, says that it was a check."""
    scene = Scene.make(cast)
    for qid, docno in (("q0", "d0-0"), ("q0", "d0-1"), ("q5", "d5-0")):
        set_gold(scene, qid, docno, 2)
    wanted = {"kind": "agreement", "labellers": scene.labellers(), "queries": ["q0"], "quiz": 3}
    plan = scene.script().post(f"{scene.api}/rounds/plan", json=wanted).json()
    scene.open(queries=["q0"], quiz=3)
    for name in ("ben", "cleo"):
        assert pairs_asked(scene, name) == Counter(["d0-0", "d0-1", "d0-2", "d0-3", "d5-0"])
        assert purposes(scene, name).count("gold") == 1
    assert (plan["checks"], plan["load"]) == (2, {"ben": 5, "cleo": 5})
    levels_by_purpose(scene, "ben", {"judging": 2, "gold": 2})
    levels_by_purpose(scene, "cleo", {"judging": 1, "gold": 2})
    assert quiz_found(scene, "ben") == (3, 3, 0)
    assert quiz_found(scene, "cleo") == (3, 1, 2)
    with cast.database.session(writes=False) as session:
        assert gate_of(session, session.get_one(Project, scene.project), 1).doubles.pairs == 4


def test_gold_that_was_set_with_the_grades_in_sight_checks_nobody(cast: Cast) -> None:
    scene = Scene.make(cast)
    set_gold(scene, "q5", "d5-0", 2)
    scene.open(queries=["q0"], quiz=1)
    levels_by_purpose(scene, "ben", {"judging": 1, "gold": 2})
    levels_by_purpose(scene, "cleo", {"judging": 1, "gold": 2})
    set_gold(scene, "q0", "d0-0", 1)
    assert quiz_found(scene, "ben") == (1, 1, 0)


def test_a_quiz_takes_gold_of_queries_that_nobody_was_dealt_and_that_were_not_met_first(cast: Cast) -> None:
    scene = Scene.make(cast)
    ben, cleo, dina = scene.members["ben"], scene.members["cleo"], scene.joined("dina", "labeller")
    for qid in POOL:
        set_gold(scene, qid, POOL[qid][0], 2)
    first = scene.open(queries=["q0", "q1", "q2"], labellers=[ben, cleo, dina], quiz=3, seed=1)["id"]
    for name in ("ben", "cleo", "dina"):
        assert {"d3-0", "d4-0", "d5-0"} < set(pairs_asked(scene, name))
        assert set(pairs_asked(scene, name).values()) == {1}
        scene.grade_all(name)
    scene.script().post(f"{scene.api}/rounds/{first}/closure")
    cast.pool(scene.project, {"q6": ["d6-0"], "q7": ["d7-0"]})
    set_gold(scene, "q6", "d6-0", 2)
    scene.open(queries=["q7"], labellers=[ben, cleo], quiz=2)
    for name in ("ben", "cleo"):  # Beside q6 there is the query of the first round that they were not dealt.
        assert set(pairs_asked(scene, name).values()) == {1}
        assert {"d6-0", "d0-0", "d1-0", "d2-0"} < set(pairs_asked(scene, name))


def test_gold_that_can_be_claimed_is_in_no_quiz(cast: Cast) -> None:
    scene = Scene.make(cast)
    for qid in POOL:
        assert set_gold(scene, qid, POOL[qid][0], 2).status_code == 201
    cast.pool(scene.project, {"q6": ["d6-0"]})
    set_gold(scene, "q6", "d6-0", 2)
    asked = {"kind": "main", "overlap": 0.0, "is_warned": True, "labellers": [], "idle_minutes": 30, "quiz": 7}
    asked |= {"pool": scene.pool}
    typed = {"kind": "main", "pool": scene.pool, "overlap": "0", "way": "claimed", "quiz": "7", "looks": "yes"}
    page = cast.browser(scene.lead).post(f"{scene.home}/rounds", data=typed | {"idle_minutes": "30"}).text
    assert "and 1 gold pair from everybody who claims" in page
    round_id = scene.open(**asked)["id"]
    for _ in POOL:
        assert scene.script("ben").post(f"{scene.api}/rounds/{round_id}/claims").status_code == 201
        scene.grade_all("ben", 2)
    assert pairs_asked(scene, "ben") == Counter(["d6-0", *(docno for docnos in POOL.values() for docno in docnos)])
    assert purposes(scene, "ben") == ["gold", *["judging"] * 24]


def test_a_lead_sets_gold_from_where_they_read_the_pair(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.open(queries=["q0"])
    scene.grade_all("ben", 1)
    scene.grade_all("cleo", 3)
    browser = cast.browser(scene.lead)
    shown = browser.get(f"{scene.home}/agreement/pairs?apart=1").text
    links = [html.unescape(link) for link in re.findall(r'href="([^"]+/gold\?[^"]+)"', shown)]
    assert sorted(links) == [f"{scene.home}/gold?qid=q0&docno=d0-{each}#set" for each in range(4)]
    form = browser.get(links[0]).text
    assert 'name="qid" required value="q0"' in form
    assert f'name="docno" required value="{re.findall("d0-[0-9]", links[0])[0]}"' in form
