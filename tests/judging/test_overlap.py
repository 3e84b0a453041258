"""Which queries two labellers judge, within slices, and what a round would be before it opens."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from app.corpora.models import Query
from app.judging.choosing import PooledPair, draw_overlap, part_out
from tests.judging.test_rounds import Scene
from tests.make import Cast

SIZES = st.dictionaries(st.text(max_size=5), st.integers(1, 80), min_size=1, max_size=8)
SEEDS = st.integers(0, 2**31 - 1)


@given(SIZES, SEEDS, st.floats(0, 1))
def test_each_slice_gets_its_share_as_near_as_whole_queries_come(
    sizes: dict[str, int], seed: int, share: float
) -> None:
    total = sum(sizes.values())
    number = round(share * total)
    parts = part_out(number, sizes, seed=seed)
    assert sum(parts.values()) == number
    assert all(abs(parts[name] - number * size / total) < 1 for name, size in sizes.items())
    assert all(parts[name] <= size for name, size in sizes.items())


@given(SIZES, SEEDS)
def test_the_overlap_is_drawn_within_slices_and_again_by_its_seed(sizes: dict[str, int], seed: int) -> None:
    pooled = {
        f"{number} {name}": [PooledPair("p", "q", "i", "d", is_placeholder=False, slice=name)]
        for name, size in sizes.items()
        for number in range(size)
    }
    twice = draw_overlap(pooled, 0.1, seed=seed)
    number = max(1, round(0.1 * len(pooled)))
    assert len(set(twice)) == len(twice) == number
    drawn = Counter(pooled[qid][0].slice for qid in twice)
    assert all(abs(drawn[name] - number * size / len(pooled)) < 1 for name, size in sizes.items())
    assert draw_overlap(dict(reversed(pooled.items())), 0.1, seed=seed) == twice
    assert draw_overlap(pooled, 0.0, seed=seed) == []


def main_round(scene: Scene, **more: Any) -> dict[str, Any]:
    return {"kind": "main", "labellers": scene.labellers(), "overlap": 1 / 3, "is_warned": True, "seed": 4} | more


def in_slices(scene: Scene) -> None:
    with scene.cast.database.session(writes=True) as session:
        for name, qids in {"head": ["q0", "q1", "q2"], "tail": ["q3", "q4", "q5"]}.items():
            session.execute(update(Query).where(Query.qid.in_(qids)).values(slice=name))


def test_a_script_learns_what_a_round_would_be_and_opens_just_that(cast: Cast) -> None:
    scene = Scene.make(cast)
    in_slices(scene)
    answer = scene.script().post(f"{scene.api}/rounds/plan", json=main_round(scene))
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert plan["slices"] == {"head": [3, 1], "tail": [3, 1]}
    assert (plan["pairs"], plan["grades"], plan["seed"]) == (24, 32, 4)
    assert sum(plan["load"].values()) == 32
    assert scene.script().get(f"{scene.api}/rounds").json() == []
    opened = scene.open(**main_round(scene))
    assert {each["name"]: each["pairs"] for each in opened["labellers"]} == plan["load"]
    twice = [each["qid"] for each in opened["by_query"] if len(each["labellers"]) == 2]
    assert sorted(twice) == plan["twice"]


def test_the_page_shows_the_balance_first_and_opens_the_same(cast: Cast) -> None:
    scene = Scene.make(cast)
    in_slices(scene)
    browser = cast.browser(scene.lead)
    form = {"kind": "agreement", "pool": scene.pool, "queries": "4", "seed": "", "labellers": scene.labellers()}
    page = browser.post(f"{scene.home}/rounds", data=form | {"looks": "yes"})
    assert page.status_code == 200
    assert "Not opened yet" in page.text
    assert "<caption>Who gets how much</caption>" in page.text
    assert "<caption>Slices</caption>" in page.text
    assert "By itself this round can’t open the gate: the policy standard asks for 30 queries" in page.text
    seed = page.text.split('Seed <b class="num">')[1].split("<")[0]
    assert f'name="seed" inputmode="numeric" value="{seed}"' in page.text
    assert scene.script().get(f"{scene.api}/rounds").json() == []
    refused = browser.post(f"{scene.home}/rounds", data=form | {"looks": "yes", "queries": "0"})
    assert refused.status_code == 422


def test_a_claimed_round_has_no_load_before_anybody_asks(cast: Cast) -> None:
    scene = Scene.make(cast)
    wanted = {"kind": "agreement", "queries": 4, "idle_minutes": 30}
    plan = scene.script().post(f"{scene.api}/rounds/plan", json=wanted).json()
    assert (len(plan["queries"]), plan["grades"], plan["load"]) == (4, 32, {})
    dealt = (
        scene.script()
        .post(f"{scene.api}/rounds/plan", json=wanted | {"labellers": list(scene.members.values())})
        .json()["error"]
    )
    assert (dealt["status"], dealt["sentence"]) == (
        422,
        "A round that is claimed is dealt to nobody: any labeller takes queries.",
    )
