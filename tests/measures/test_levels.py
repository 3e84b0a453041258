import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.contingency_tables import SquareTable

from app.measures import Undefined
from app.measures.levels import Homogeneity, marginal_shift, specific_agreement, stuart_maxwell

FULL = st.integers(2, 6).flatmap(lambda levels: arrays(np.int64, (levels, levels), elements=st.integers(1, 40)))


@given(FULL)
def test_stuart_maxwell_equals_statsmodels(table: np.ndarray) -> None:
    theirs = SquareTable(table, shift_zeros=False).homogeneity()
    found = stuart_maxwell(table)
    assert isinstance(found, Homogeneity)
    assert found.degrees == theirs.df
    assert (found.chi_square, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=1e-12)


@given(FULL, st.integers(0, 5))
def test_a_level_that_nobody_confuses_changes_nothing(table: np.ndarray, at: int) -> None:
    assume(at <= len(table))
    wider = np.insert(np.insert(table, at, 0, axis=0), at, 0, axis=1)
    wider[at, at] = 17
    one, other = stuart_maxwell(table), stuart_maxwell(wider)
    assert isinstance(one, Homogeneity)
    assert isinstance(other, Homogeneity)
    assert other.degrees == one.degrees
    assert other.chi_square == pytest.approx(one.chi_square, rel=1e-9, abs=1e-12)


def test_two_levels_give_mcnemar_s_test() -> None:
    found = stuart_maxwell([[30, 12], [5, 40]])
    assert isinstance(found, Homogeneity)
    assert found.chi_square == pytest.approx((12 - 5) ** 2 / (12 + 5))
    assert found.degrees == 1


def test_confusions_that_join_no_common_group_add_up() -> None:
    """0 with 1, and 2 with 3, and never across: two tests of one degree each."""
    found = stuart_maxwell([[9, 7, 0, 0], [2, 9, 0, 0], [0, 0, 9, 1], [0, 0, 8, 9]])
    assert isinstance(found, Homogeneity)
    assert found.chi_square == pytest.approx(25 / 9 + 49 / 9)
    assert found.degrees == 2


def test_a_single_confusion_joins_two_levels() -> None:
    found = stuart_maxwell([[5, 1, 0], [0, 5, 3], [0, 2, 5]])
    assert isinstance(found, Homogeneity)
    assert found.degrees == 2


def test_a_chain_of_confusions_is_one_group_however_long() -> None:
    table = np.diag(np.full(8, 5)) + np.diag(np.full(7, 3), k=1) + np.diag(np.full(7, 2), k=-1)
    found = stuart_maxwell(table)
    assert isinstance(found, Homogeneity)
    assert found.degrees == 7


def test_the_shift_is_the_difference_of_the_mean_levels() -> None:
    table = [[4, 3, 1], [0, 5, 2], [0, 1, 4]]
    rows, columns = np.sum(table, axis=1), np.sum(table, axis=0)
    assert marginal_shift(table) == pytest.approx((columns @ [0, 1, 2] - rows @ [0, 1, 2]) / 20)
    assert marginal_shift(np.transpose(table)) == -marginal_shift(table)  # type: ignore[operator]
    assert marginal_shift([[0, 0], [0, 0]]) == Undefined("no pair was graded by two people")


def test_specific_agreement_of_two_levels_is_that_of_cicchetti_and_feinstein() -> None:
    """Their positive and negative agreement: 2a/(2a+b+c) and 2d/(2d+b+c)."""
    assert specific_agreement([[40, 9], [6, 45]]) == pytest.approx((80 / 95, 90 / 105))


def test_a_level_that_nobody_gave_has_no_agreement_and_one_that_only_one_gave_has_none_at_all() -> None:
    assert specific_agreement([[3, 1, 0], [0, 0, 0], [0, 0, 0]]) == (
        6 / 7,
        0.0,
        Undefined("nobody gave this level to a pair that two graded"),
    )
