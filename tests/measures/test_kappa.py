import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from app.measures import MeasureError, Undefined
from app.measures.intervals import analytic_interval
from app.measures.kappa import Weights, cross, kappa, weights, whole
from app.measures.levels import Homogeneity, marginal_shift, specific_agreement, stuart_maxwell

CASES = json.loads((Path(__file__).parents[1] / "cases" / "agreement.json").read_text(encoding="utf-8"))["cases"]
KINDS: tuple[Weights, ...] = ("none", "linear", "quadratic")
TABLES = st.integers(2, 6).flatmap(lambda levels: arrays(np.int64, (levels, levels), elements=st.integers(0, 40)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_golden_table_has_its_exact_kappa(case: dict[str, Any], kind: Weights) -> None:
    """K09's note, undefined for a single pair that differs, gives way to the exact fraction, 0."""
    expected = case["expected"][f"kappa_{kind}"]
    found = kappa(case["table"], kind)
    if expected["kappa"] is None:
        assert isinstance(found, Undefined)
    elif "frac" in expected:
        numerator, denominator = map(int, expected["frac"].split("/"))
        assert found == numerator / denominator
    else:
        assert found == pytest.approx(expected["kappa"], abs=1e-15)


@given(TABLES, st.sampled_from(KINDS))
def test_kappa_equals_scikit_learn_wherever_it_is_defined(table: np.ndarray, kind: Weights) -> None:
    found = kappa(table, kind)
    levels = list(range(len(table)))
    row, column = np.divmod(np.repeat(np.arange(table.size), table.ravel()), len(table))
    if isinstance(found, Undefined):
        assert len(set(row) | set(column)) < 2
    else:
        theirs = cohen_kappa_score(row, column, labels=levels, weights=None if kind == "none" else kind)
        assert found == pytest.approx(theirs, abs=1e-12)


@given(TABLES, st.sampled_from(KINDS))
def test_exchanging_the_labellers_changes_nothing(table: np.ndarray, kind: Weights) -> None:
    assert kappa(table, kind) == kappa(table.T, kind)


def test_kappa_over_a_pool_of_thirty_is_still_82_after_the_regrade() -> None:
    first = [1, 3, 0, 2, 0, 0, 2, 0, 0, 1] + [0] * 20
    second = [3, 2, 0, 2, 0, 0, 2, 0, 0, 1] + [0] * 20
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (first, second), 1)
    assert kappa(table) == pytest.approx(0.82, abs=0.005)


def test_weights_fall_evenly_or_with_the_square_from_1_to_0() -> None:
    assert weights(4)[0].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert weights(4, "quadratic")[0].tolist() == pytest.approx([1, 8 / 9, 5 / 9, 0])
    assert weights(3, "none").tolist() == np.eye(3).tolist()


def test_levels_that_nobody_used_still_count_in_the_weights() -> None:
    table = [[3, 1, 0, 0], [0, 2, 0, 1], [0, 0, 0, 0], [0, 1, 0, 2]]
    without_the_empty_level = [[3, 1, 0], [0, 2, 1], [0, 1, 2]]
    assert kappa(table) != kappa(without_the_empty_level)


def test_one_level_by_both_is_undefined_and_an_empty_table_too() -> None:
    assert kappa([[10, 0], [0, 0]]) == Undefined(
        "those who share pairs gave one and the same level throughout, so that chance alone would agree completely"
    )
    assert kappa(np.zeros((3, 3))) == Undefined("no pair was graded by two people")


def test_a_chance_disagreement_of_one_in_a_million_million_is_not_undefined() -> None:
    huge = 10**12
    assert kappa([[huge, 1], [0, 0]]) == 0.0


def test_a_table_beyond_64_bit_sums_is_still_exact() -> None:
    assert kappa([[2**62, 2**62]] * 2) == 0.0
    assert kappa([[2**62, 0], [0, 2**62]]) == 1.0
    table = [[2**62, 2**61], [2**61, 2**62]]
    assert specific_agreement(table) == (2 / 3, 2 / 3)
    assert marginal_shift([[2**62, 2**62], [0, 2**62]]) == pytest.approx(1 / 3, abs=1e-15)
    assert stuart_maxwell(table) == Homogeneity(chi_square=0.0, degrees=1, p=1.0)
    assert analytic_interval([[2**62, 2**62]] * 2) == pytest.approx((0.0, 0.0), abs=1e-8)


def test_a_table_beyond_64_bit_products_is_still_exact() -> None:
    table = np.array([[4, 1], [1, 4]]) * 10**17
    assert kappa(table) == kappa([[4, 1], [1, 4]])
    by_chance_alone = np.multiply.outer([10**8 + 7, 10**8 + 9], [10**8 + 21, 10**8 + 35])
    assert kappa(by_chance_alone) == 0.0


def test_code_search_judgments_of_two_passes_have_the_kappas_that_were_measured(shared_data: Path) -> None:
    lines = (shared_data / "codesearchnet" / "pairs-judged-exactly-twice.tsv").read_text("utf-8").splitlines()
    heading, *rows = [line.split("\t") for line in lines]
    first, second = (heading.index(name) for name in ("first", "second"))
    table = cross([int(row[first]) for row in rows], [int(row[second]) for row in rows], 4)
    found = [kappa(table, kind) for kind in KINDS]
    assert found == pytest.approx([0.172959, 0.331965, 0.464587], abs=5e-7)


def test_a_cross_table_counts_a_in_the_rows_and_refuses_what_does_not_fit() -> None:
    assert cross([0, 1, 1], [1, 1, 0], 2).tolist() == [[0, 1], [1, 1]]
    assert cross([], [], 2).tolist() == [[0, 0], [0, 0]]
    assert cross([0], [0], 3).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert cross(np.array([0, 2], dtype=np.int8), [1.0, 2.0], 3).sum() == 2
    with pytest.raises(MeasureError, match=r"^Each level of the one needs a level of the other\.$"):
        cross([0, 1], [0], 2)
    for name, a, b in (("level_a", [0.5], [0]), ("level_b", [0], [0.5])):
        with pytest.raises(MeasureError, match=f"^{name} must hold whole numbers"):
            cross(a, b, 2)
    for outside in ([0, 2], [-1, 0]):
        with pytest.raises(MeasureError, match=r"^A level is outside the scale, which runs from 0 to 1\.$"):
            cross(outside, [0, 0], 2)
        with pytest.raises(MeasureError, match="from 0 to 1"):
            cross([0, 0], outside, 2)


def test_whole_numbers_are_taken_as_they_are_and_never_copied() -> None:
    levels = np.array([3, 1], dtype=np.int64)
    assert whole("level_a", levels) is levels
    for values in ([3.0, 1.0], np.array([3, 1], dtype=np.uint8), (3, 1)):
        assert whole("level_a", values).tolist() == [3, 1]
        assert whole("level_a", values).dtype == np.int64
    assert whole("level_a", []).dtype == np.int64
