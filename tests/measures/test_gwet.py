import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures.agreement import agreement
from app.measures.coincidences import coincidences
from app.measures.doubles import Doubles
from app.measures.gwet import gwet
from app.measures.kappa import Weights, weights
from tests.measures.doubly import from_table
from tests.measures.test_agreement import deals, grades
from tests.measures.test_kappa import KINDS

CASES = json.loads((Path(__file__).parents[1] / "cases" / "agreement.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_golden_table_has_its_ac1_and_ac2_and_irrcac_agrees(case: dict[str, Any], kind: Weights) -> None:
    found = gwet(from_table(case["table"]), kind)
    assert found == pytest.approx(case["expected"][f"ac_{kind}"], abs=1e-12)
    theirs = case["libs"].get("irrCAC", {}).get(f"gwet/{'identity' if kind == 'none' else kind}", {})
    if isinstance(theirs, dict) and isinstance(theirs["value"], float):  # For a single pair it fails.
        assert found == pytest.approx(theirs["value"], abs=1e-9)  # It prints ten decimals.


@given(deals(), st.sampled_from(KINDS))
def test_a_pair_counts_once_whether_two_or_three_people_graded_it(doubles: Doubles, kind: Weights) -> None:
    assert gwet(doubles, kind) == pytest.approx(gwet_by_hand(doubles, kind), abs=1e-12)


def gwet_by_hand(doubles: Doubles, kind: Weights) -> float:
    """Gwet's formula for any number of raters, one pair after the other."""
    assert doubles.pair is not None
    weight, levels_of = weights(doubles.levels, kind), dict[int, dict[int, int]]()
    places = zip(*(getattr(doubles, name).tolist() for name in ("pair", "a", "b", "level_a", "level_b")), strict=True)
    for pair, a, b, level_a, level_b in places:
        levels_of.setdefault(pair, {}).update({a: level_a, b: level_b})
    observed, share = 0.0, [0.0] * doubles.levels
    for given_levels in levels_of.values():
        people = list(given_levels)
        both = [(one, other) for one in people for other in people if one != other]
        observed += sum(weight[given_levels[one], given_levels[other]] for one, other in both) / len(both)
        for level in given_levels.values():
            share[level] += 1 / len(people)
    n = len(levels_of)
    expected = weight.sum() / (doubles.levels * (doubles.levels - 1)) * sum(s / n * (1 - s / n) for s in share)
    return float((observed / n - expected) / (1 - expected))


def test_every_pair_or_every_grade_adds_up_to_1_among_the_coincidences() -> None:
    rows = [(7, 0, 0, 1, 0, 0), (7, 0, 0, 2, 0, 1), (7, 0, 1, 2, 0, 1), (8, 1, 0, 1, 0, 1)]
    doubles = Doubles.of(rows, levels=2, labellers=3)
    assert coincidences(doubles, "pair").sum() == pytest.approx(2)
    assert coincidences(doubles, "grade").sum() == pytest.approx(5)


def test_ninety_seven_percent_zeros_give_a_low_kappa_and_an_ac2_of_98() -> None:
    """The very reason why AC2 opens no gate: exact agreement 96%, kappa .45, AC2 .98."""
    skewed = from_table([[954, 13, 3, 2], [12, 3, 1, 0], [3, 1, 3, 1], [1, 0, 1, 2]])
    found = agreement(skewed)
    assert (found.exact, found.kappa, gwet(skewed)) == pytest.approx((0.96, 0.45, 0.98), abs=0.02)


def test_grades_of_one_level_agree_completely_by_this_coefficient() -> None:
    doubles = from_table([[12, 0], [0, 0]])
    assert gwet(doubles) == 1.0
    assert len(grades(doubles)) == 24
