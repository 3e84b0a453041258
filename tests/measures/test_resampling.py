from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from app.measures.resampling import all_flipped_sums, flipped_sums, resampled_sums

FEW = arrays(np.float64, st.integers(1, 9), elements=st.floats(-1, 1))


@pytest.mark.parametrize("count", [2, 3, 7, 257, 7000, 40_000, 70_000])
def test_every_value_is_drawn_as_often_as_any_other(count: int) -> None:
    """Each tenth of the values is a column of ones: how often it was drawn, whatever places are left over."""
    tenths = np.eye(10)[np.arange(count) * 10 // count]
    resamples = max(10, 300_000 // count)
    drawn = resampled_sums(tenths, resamples, seed=1)
    assert drawn.sum(axis=1) == pytest.approx(np.full(resamples, count))
    used = tenths.sum(axis=0) > 0
    expected = tenths.sum(axis=0)[used] * resamples
    assert stats.chisquare(np.rint(drawn[:, used].sum(axis=0)), expected).pvalue > 1e-4


def test_single_values_are_drawn_as_often_as_any_other_where_a_few_places_are_left_over() -> None:
    """700 values: 65,536 places hold each of them 93 times, and 436 are left over."""
    few = np.eye(700)[:, ::100]
    each = resampled_sums(few, 3_000, seed=4).sum(axis=0)
    assert ((each - 3_000) ** 2 / 3_000).sum() < stats.chi2.isf(1e-4, few.shape[1])


def test_the_means_spread_as_those_of_resamples_do() -> None:
    values = np.random.default_rng(2).exponential(size=500)
    means = resampled_sums(values[:, np.newaxis], 20_000, seed=3)[:, 0] / 500
    assert means.mean() == pytest.approx(values.mean(), abs=4 * values.std() / np.sqrt(500 * 20_000))
    assert means.std() == pytest.approx(values.std() / np.sqrt(500), rel=0.03)
    assert stats.skew(means) == pytest.approx(stats.skew(values) / np.sqrt(500), abs=0.08)


def test_columns_are_drawn_together() -> None:
    values = np.random.default_rng(2).normal(size=300)
    both = resampled_sums(np.column_stack([values, 3 * values + 1]), 1_000, seed=9)
    assert both[:, 1] == pytest.approx(3 * both[:, 0] + 300, abs=1e-8)


def test_a_sum_is_that_of_some_of_the_values_to_the_last_digits() -> None:
    sums = resampled_sums(np.array([[0.1], [0.25], [0.7]]), 500, seed=1)[:, 0]
    possible = np.array([sum(each) for each in product((0.1, 0.25, 0.7), repeat=3)])
    assert np.abs(np.subtract.outer(sums, possible)).min(axis=1).max() < 1e-12


def test_values_of_nothing_sum_to_nothing() -> None:
    assert resampled_sums(np.zeros((5, 1)), 10, seed=0).tolist() == [[0.0]] * 10


def test_one_seed_gives_the_same_sums_on_every_machine() -> None:
    values = np.arange(40.0)
    assert resampled_sums(values[:, np.newaxis], 4, seed=7)[:, 0].tolist() == [791.0, 701.0, 703.0, 752.0]
    assert flipped_sums(values, 4, seed=7).tolist() == [-34.0, 0.0, 6.0, 68.0]
    assert flipped_sums(np.arange(20.0) ** 2, 5, seed=1).tolist() == [-670.0, 616.0, -1000.0, -68.0, -982.0]


def test_one_seed_draws_the_same_of_few_values_of_two_columns_and_of_more_than_there_are_places() -> None:
    two_columns = np.column_stack([np.arange(700.0), -(np.arange(700.0) ** 2)])
    assert resampled_sums(two_columns, 3, seed=7).tolist() == [
        [236945.0, -109821271.0],
        [245293.0, -113781271.0],
        [233509.0, -106938377.0],
    ]
    assert resampled_sums(np.arange(3.0)[:, np.newaxis], 5, seed=7)[:, 0].tolist() == [4.0, 2.0, 4.0, 3.0, 4.0]
    many = np.arange(70_000.0)[:, np.newaxis]
    assert resampled_sums(many, 3, seed=7)[:, 0].tolist() == [2458753940.0, 2441204666.0, 2447812639.0]


@given(FEW)
def test_all_ways_of_signs_are_tried_once_each(values: np.ndarray) -> None:
    ways = [np.dot(signs, values) for signs in product((1, -1), repeat=len(values))]
    assert sorted(all_flipped_sums(values)) == pytest.approx(sorted(ways), abs=1e-12)


def test_signs_turn_by_a_fair_coin_each() -> None:
    values = np.array([2.0**power for power in range(11)])
    sums = flipped_sums(values, 40_000, seed=5)
    kept = ((sums[:, np.newaxis] + values.sum()) / 2).astype(int) >> np.arange(11) & 1
    assert stats.chisquare(kept.sum(axis=0), np.full(11, kept.sum() / 11)).pvalue > 1e-4
    assert np.corrcoef(kept.T)[~np.eye(11, dtype=bool)] == pytest.approx(np.zeros(110), abs=0.025)
    assert kept.mean() == pytest.approx(0.5, abs=0.005)
