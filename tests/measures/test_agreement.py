import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from app.measures import MeasureError, Undefined
from app.measures.agreement import Agreement, Doubles, Weights, agreement, kappa, pooled_kappa
from app.measures.jackknife import kappas_without_each
from app.measures.kappa import distance
from app.measures.tables import count
from tests.measures.doubly import chorus, fira, from_table, rotating

CASES = json.loads((Path(__file__).parents[1] / "cases" / "agreement.json").read_text(encoding="utf-8"))["cases"]
KINDS: tuple[Weights, ...] = ("none", "linear", "quadratic")


@st.composite
def deals(draw: st.DrawFn, *, min_queries: int = 1) -> Doubles:
    """A few labellers, queries and pairs, some pairs graded by three people."""
    labellers, levels = draw(st.integers(2, 5)), draw(st.integers(2, 4))
    queries = draw(st.integers(min_queries, 6))
    rows, pair = [], 0
    for query in range(queries):
        team = draw(st.lists(st.integers(0, labellers - 1), min_size=2, max_size=3, unique=True))
        for _ in range(draw(st.integers(1, 5))):
            given_levels = {one: draw(st.integers(0, levels - 1)) for one in team}
            rows += [(pair, query, a, b, given_levels[a], given_levels[b]) for a, b in combinations(team, 2)]
            pair += 1
    return Doubles.of(rows, levels=levels, labellers=labellers)


def without(doubles: Doubles, query: int) -> Doubles:
    kept = doubles.query != query
    arrays = {name: getattr(doubles, name)[kept] for name in ("query", "a", "b", "level_a", "level_b", "pair")}
    return replace(doubles, **arrays)


def grades(doubles: Doubles) -> list[tuple[int, int, int]]:
    """Query, labeller and level of every grade, once each however many others graded its pair."""
    pair = range(len(doubles.query)) if doubles.pair is None else doubles.pair.tolist()
    sides = [(doubles.a, doubles.level_a), (doubles.b, doubles.level_b)]
    found = {}
    for labeller, level in sides:
        for one in zip(pair, labeller.tolist(), doubles.query.tolist(), level.tolist(), strict=True):
            found[one[:2]] = (one[2], one[1], one[3])
    return list(found.values())


def pooled_by_hand(doubles: Doubles, kind: Weights, labeller: int | None = None) -> Fraction | None:
    """The formula as it is written, in fractions, one couple and one level after the other."""
    steps = distance(doubles.levels, kind).tolist()
    margins: dict[int, list[int]] = {}
    for _, one, level in grades(doubles):
        margins.setdefault(one, [0] * doubles.levels)[level] += 1
    observed, expected = 0, Fraction(0)
    places = zip(*(getattr(doubles, name).tolist() for name in ("a", "b", "level_a", "level_b")), strict=True)
    for a, b, level_a, level_b in places:
        if labeller in (None, a, b):
            observed += steps[level_a][level_b]
            mean = sum(
                steps[i][j] * margins[a][i] * margins[b][j]
                for i in range(doubles.levels)
                for j in range(doubles.levels)
            )
            expected += Fraction(mean, sum(margins[a]) * sum(margins[b]))
    return 1 - observed / expected if expected else None


def interval_by_hand(doubles: Doubles, kind: Weights, labeller: int | None = None) -> tuple[float, float] | None:
    queries = sorted({query for query, one, _ in grades(doubles) if labeller in (None, one)})
    replicates = [pooled_by_hand(without(doubles, query), kind, labeller) for query in queries]
    whole, known = pooled_by_hand(doubles, kind, labeller), [one for one in replicates if one is not None]
    if whole is None or len(queries) < 2 or len(known) < len(queries):
        return None
    if len(known) < 30:
        roots = [float(1 - one) ** (1 / 3) for one in known]
        middle, half = float(1 - whole) ** (1 / 3), half_by_hand(roots)
        return 1 - (middle + half) ** 3, 1 - (middle - half) ** 3
    half = half_by_hand(known)
    return float(whole) - half, float(whole) + half


def half_by_hand(replicates: Sequence[Any]) -> float:
    mean = sum(replicates) / len(replicates)
    squares = sum((one - mean) ** 2 for one in replicates)
    return float(student.ppf(0.975, len(replicates) - 1)) * math.sqrt((len(replicates) - 1) / len(replicates) * squares)


def assert_same(found: Any, by_hand: Any) -> None:
    if by_hand is None:
        assert isinstance(found, Undefined)
    else:
        assert found == pytest.approx(by_hand if isinstance(by_hand, tuple) else float(by_hand), abs=1e-9)


@given(deals(), st.sampled_from(KINDS))
def test_the_jackknife_equals_leaving_out_one_query_after_the_other_by_hand(doubles: Doubles, kind: Weights) -> None:
    found = agreement(doubles, kind)
    assert pooled_kappa(doubles, kind) == (found.kappa, found.interval)
    assert_same(found.kappa, pooled_by_hand(doubles, kind))
    assert_same(found.interval, interval_by_hand(doubles, kind))
    for one in found.versus_rest:
        assert_same(one.kappa, pooled_by_hand(doubles, kind, one.labeller))
        assert_same(one.interval, interval_by_hand(doubles, kind, one.labeller))


@given(deals(), st.sampled_from(KINDS))
def test_exchanging_the_two_sides_of_every_pair_changes_nothing(doubles: Doubles, kind: Weights) -> None:
    turned = replace(doubles, a=doubles.b, b=doubles.a, level_a=doubles.level_b, level_b=doubles.level_a)
    one, other = agreement(doubles, kind), agreement(turned, kind)
    assert one.kappa == other.kappa
    assert one.interval == other.interval
    assert one.table.tolist() == other.table.tolist()


@given(deals(), st.sampled_from(KINDS))
def test_rotating_labellers_in_perfect_agreement_give_exactly_1(doubles: Doubles, kind: Weights) -> None:
    doubles = replace(doubles, level_a=doubles.query % doubles.levels, level_b=doubles.query % doubles.levels)
    found = agreement(doubles, kind)
    assert isinstance(found.kappa, Undefined) or found.kappa == 1.0
    for one in found.versus_rest:
        assert isinstance(one.kappa, Undefined) or one.kappa == 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_for_two_labellers_pooled_kappa_is_cohens(case: dict[str, Any], kind: Weights) -> None:
    found, cohens = agreement(from_table(case["table"]), kind), kappa(case["table"], kind)
    assert found.table.tolist() == case["table"]
    for number in (found.kappa, *(one.kappa for one in found.versus_rest)):
        assert number == cohens if isinstance(cohens, Undefined) else number == pytest.approx(cohens, abs=1e-14)


def test_the_first_forty_product_queries_have_971_pairs_and_a_kappa_of_695255(shared_data: Path) -> None:
    found = agreement(chorus(shared_data, queries=40))
    assert (found.pairs, found.queries) == (971, 40)
    assert (found.kappa, found.low, found.high) == pytest.approx((0.695255, 0.551190, 0.839319), abs=5e-7)
    for one in found.versus_rest:
        assert (one.kappa, one.low, one.high) == pytest.approx((found.kappa, found.low, found.high), abs=1e-12)


def test_all_product_queries_have_a_kappa_of_763083(shared_data: Path) -> None:
    doubles = chorus(shared_data)
    found = agreement(doubles)
    assert (found.pairs, found.queries) == (3188, 135)
    assert (found.kappa, found.low, found.high) == pytest.approx((0.763083, 0.706003, 0.820164), abs=5e-7)
    theirs = cohen_kappa_score(doubles.level_a, doubles.level_b, labels=[0, 1, 2, 3], weights="linear")
    assert found.kappa == pytest.approx(theirs, abs=1e-12)
    assert found.exact == pytest.approx(0.821518, abs=5e-7)


def test_two_gradings_of_a_news_track_agree_little_more_than_by_chance(shared_data: Path) -> None:
    found = agreement(fira(shared_data))
    assert (found.pairs, found.queries) == (2003, 43)
    assert found.kappa == pytest.approx(0.080197, abs=5e-7)
    assert found.exact == pytest.approx(0.425362, abs=5e-7)


def test_three_raters_of_the_same_products_have_their_own_couples(shared_data: Path) -> None:
    found = agreement(chorus(shared_data, raters=(1, 2, 3)))
    by_couple = {(couple.a, couple.b): couple.kappa for couple in found.couples}
    assert by_couple == pytest.approx({(0, 1): 0.763083, (0, 2): 0.731488, (1, 2): 0.692507}, abs=5e-7)
    assert found.pairs == 3188
    assert found.table.sum() == 3 * 3188
    assert [one.pairs for one in found.versus_rest] == [3188] * 3


def test_a_pair_that_three_people_graded_weighs_once_in_each_ones_levels() -> None:
    """Labeller 0 gave 0, 0 and 3: twice counting the first pair would make it three zeros in four."""
    rows = [(7, 0, 0, 1, 0, 0), (7, 0, 0, 2, 0, 0), (7, 0, 1, 2, 0, 0), (8, 1, 0, 1, 0, 3), (9, 2, 0, 1, 3, 3)]
    first = agreement(Doubles.of(rows, levels=4, labellers=3)).versus_rest[0]
    assert (first.pairs, first.queries, first.levels_used, first.mean_level) == (3, 3, 2, 1.0)


def test_leaving_each_query_out_of_many_labellers_comes_to_the_same_in_blocks() -> None:
    """So many couples are worked off in blocks of 88 queries."""
    rng = np.random.default_rng(7)
    people = [sorted((q, (q + 1) % 150)) for q in range(150)]
    rows = [(10 * q + at, q, *people[q], *rng.integers(0, 3, 2).tolist()) for q in range(150) for at in range(10)]
    doubles = Doubles.of(rows, levels=3, labellers=150)
    replicates, _ = kappas_without_each(count(doubles), distance(3, "linear"))
    for q in (0, 87, 88, 149):
        rest = Doubles.of([row for row in rows if row[1] != q], levels=3, labellers=150)
        assert replicates[q] == pytest.approx(pooled_kappa(rest)[0], abs=1e-12)


@given(deals(min_queries=2), st.sampled_from(KINDS))
def test_each_couple_is_what_it_would_be_alone(doubles: Doubles, kind: Weights) -> None:
    found = agreement(doubles, kind)
    low, high = np.minimum(doubles.a, doubles.b), np.maximum(doubles.a, doubles.b)
    assert {(one.a, one.b) for one in found.couples} == set(zip(low.tolist(), high.tolist(), strict=True))
    for one in found.couples:
        own = (low == one.a) & (high == one.b)
        arrays = {name: getattr(doubles, name)[own] for name in ("query", "a", "b", "level_a", "level_b", "pair")}
        alone = agreement(replace(doubles, **arrays), kind)
        assert (one.pairs, one.queries) == (alone.pairs, alone.queries)
        assert one.table.tolist() == alone.table.tolist()
        assert one.kappa == alone.kappa if isinstance(one.kappa, Undefined) else one.kappa == pytest.approx(alone.kappa)
        assert type(one.interval) is type(alone.interval)
        if not isinstance(one.interval, Undefined):
            assert one.interval == pytest.approx(alone.interval, abs=1e-9)


def test_small_couples_do_not_drag_the_pooled_kappa_down() -> None:
    """With each couple's own margins instead, .68 was measured as .59."""
    rng = np.random.default_rng(20260730)
    few, many = [], []
    for _ in range(20):
        few.append(agreement(rotating(rng, labellers=20, queries=30, size=30, noise=0.15)))
        many.append(agreement(rotating(rng, labellers=2, queries=30, size=30, noise=0.15)))
    assert mean_kappa(few) == pytest.approx(mean_kappa(many), abs=0.01)


def mean_kappa(found: list[Agreement]) -> float:
    return float(np.mean([one.kappa for one in found if not isinstance(one.kappa, Undefined)]))


def test_nothing_judged_twice_is_undefined_and_says_so() -> None:
    nothing = Doubles.of([], levels=4, labellers=2)
    found = agreement(nothing)
    no_pairs = Undefined("no pair was graded by two people")
    assert (found.kappa, found.exact, found.within_one) == (no_pairs, no_pairs, no_pairs)
    assert found.low == found.high == Undefined("kappa itself is undefined")
    assert (found.pairs, found.queries, found.couples, found.versus_rest) == (0, 0, (), ())
    assert found.table.tolist() == np.zeros((4, 4)).tolist()


def test_one_level_throughout_is_undefined_while_exact_agreement_is_complete() -> None:
    found = agreement(from_table([[10, 0], [0, 0]]))
    assert isinstance(found.kappa, Undefined)
    assert found.exact == 1.0


@pytest.mark.parametrize("queries", [29, 30])
def test_from_thirty_queries_on_the_interval_is_kappa_and_as_much_on_either_side(queries: int) -> None:
    doubles = rotating(np.random.default_rng(4), labellers=3, queries=queries, size=9, noise=0.3)
    found = agreement(doubles)
    below, above = found.kappa - found.low, found.high - found.kappa  # type: ignore[operator]
    assert (below == pytest.approx(above, abs=1e-12)) is (queries == 30)
    assert found.interval == pytest.approx(
        interval_by_hand(replace(doubles, pair=np.arange(len(doubles.query))), "linear"), abs=1e-9
    )


def test_a_single_query_has_a_kappa_and_no_interval() -> None:
    found = agreement(from_table([[5, 1], [2, 5]], queries=1))
    assert not isinstance(found.kappa, Undefined)
    assert found.low == Undefined("an interval needs doubly judged pairs of two queries or more")


def test_without_the_one_query_that_holds_all_levels_there_is_no_interval() -> None:
    rows = [(at, min(at, 2), 0, 1, int(at == 0), int(at == 0)) for at in range(9)]
    found = agreement(Doubles.of(rows, levels=2, labellers=2))
    assert found.kappa == 1.0
    assert found.high == Undefined("without one of the queries a single level would be left")


def test_perfect_agreement_over_many_queries_has_an_interval_of_no_width() -> None:
    found = agreement(from_table([[50, 0], [0, 50]]))
    assert (found.low, found.kappa, found.high) == (1.0, 1.0, 1.0)


def test_more_confidence_makes_a_wider_interval_and_none_or_all_is_refused() -> None:
    doubles = from_table([[50, 9], [12, 40]])
    narrow, wide = agreement(doubles, confidence=0.8), agreement(doubles, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high  # type: ignore[operator]
    for confidence in (0.0, 1.0):
        with pytest.raises(MeasureError, match="between 0 and 1"):
            agreement(doubles, confidence=confidence)


def test_numbers_of_queries_and_labellers_far_apart_are_told_apart_all_the_same() -> None:
    """Row numbers of a database, in the thousands of millions, index no array."""
    near = from_table([[50, 9], [12, 40]])
    far = replace(near, query=near.query * 10**12, a=near.a + 5, b=near.b + 90, labellers=100)
    one, other = agreement(near), agreement(far)
    assert (one.kappa, one.interval) == (other.kappa, other.interval)
    assert [(couple.a, couple.b) for couple in other.couples] == [(5, 91)]
    assert [rest.labeller for rest in other.versus_rest] == [5, 91]


def test_many_labellers_are_worked_off_in_blocks_that_give_the_same_numbers() -> None:
    doubles = rotating(np.random.default_rng(5), labellers=300, queries=60, size=8, noise=0.3)
    found = agreement(doubles)
    assert_same(found.kappa, pooled_by_hand(doubles, "linear"))
    assert found.interval == pytest.approx(
        interval_by_hand(replace(doubles, pair=np.arange(len(doubles.query))), "linear"), abs=1e-9
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": np.zeros(3, dtype=int)}, "needs a query, two labellers"),
        ({"b": np.array([0, 1])}, "graded twice by one person"),
        ({"b": np.array([1, 2])}, "no labeller 2: they run from 0 to 1"),
        ({"level_a": np.array([0, 4])}, "no level 4: they run from 0 to 3"),
        ({"level_b": np.array([-1, 0])}, "no level -1"),
        ({"level_b": np.array([0.5, 0])}, "level_b must hold whole numbers"),
        ({"query": np.array([-7, 0])}, r"no query -7: they run from 0\."),
        ({"pair": np.array([-1, 0])}, "no pair -1"),
        ({"pair": np.array([3, 3]), "level_a": np.array([0, 1])}, "two different levels for one pair"),
        ({"levels": 1}, "at least two levels"),
    ],
)
def test_doubles_that_cannot_be_are_refused(change: dict[str, Any], said: str) -> None:
    two = np.array([0, 1])
    sides: dict[str, Any] = {"query": two, "a": two * 0, "b": two * 0 + 1, "level_a": two, "level_b": two}
    with pytest.raises(MeasureError, match=said):
        Doubles(**({"levels": 4, "labellers": 2} | sides | change)).once_each()


def test_scipy_is_loaded_only_where_an_interval_is_asked() -> None:
    program = (
        "import sys, app.measures.agreement, app.measures.gate, app.measures.scores; print('scipy' in sys.modules)"
    )
    asked = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == "False"
