"""Times that stand out, and kappa as it goes."""

import math

import numpy as np
import pytest
from scipy.stats import median_abs_deviation
from sklearn.metrics import cohen_kappa_score

from app.measures.undefined import Undefined
from app.measures.watching import has_drifted, is_unsteady, rolling_kappas, stand_out, z_of_times

RANDOM = np.random.default_rng(5)


def test_the_score_is_the_modified_z_of_log_time_for_each_unit_of_text() -> None:
    time, length = RANDOM.lognormal(10, 1, 200), RANDOM.integers(10, 4000, 200)
    logs = np.log(time / length)
    expected = (logs - np.median(logs)) / median_abs_deviation(logs, scale="normal")
    assert z_of_times(time, length) == pytest.approx(expected, rel=1e-3)
    assert z_of_times(time, length * 6) == pytest.approx(z_of_times(time, length))


def test_a_time_of_nothing_counts_as_one_thousandth_of_a_second() -> None:
    times, lengths = np.arange(40), np.full(40, 10)
    assert z_of_times(times, lengths)[0] == z_of_times(np.maximum(times, 1), lengths)[1]  # type: ignore[index]
    assert z_of_times(times, lengths)[1] < z_of_times(times, lengths)[2]  # type: ignore[index]
    assert not isinstance(z_of_times(times[:30], lengths[:30]), Undefined)


def test_few_times_and_equal_ones_have_no_score() -> None:
    assert isinstance(z_of_times([5000] * 29, [100] * 29), Undefined)
    assert isinstance(z_of_times([5000] * 40, [100] * 40), Undefined)


def test_a_glance_and_a_far_time_stand_out_and_usual_ones_do_not() -> None:
    times = [*RANDOM.lognormal(math.log(20_000), 0.3, 100), 1_499, 3_600_000, 20_000]
    flags = stand_out(times, [1000] * 103)
    assert flags[-3:] == [True, True, False]
    assert sum(flags[:100]) <= 2
    assert stand_out([1_000, 30_000], [100, 100]) == [True, False]
    assert stand_out([1_499, 1_500], [1000, 1000]) == [True, False]
    assert stand_out([], []) == []


def test_windows_roll_to_the_last_pair_and_hold_sklearn_s_kappa() -> None:
    own = RANDOM.integers(0, 4, 330)
    others = np.where(RANDOM.random(330) < 0.7, own, RANDOM.integers(0, 4, 330))
    found = rolling_kappas(own.tolist(), others.tolist(), levels=4)
    starts = [0, 50, 100, 130]
    expected = [cohen_kappa_score(own[at : at + 200], others[at : at + 200], weights="linear") for at in starts]
    assert found == pytest.approx(expected)
    assert rolling_kappas(own[:199].tolist(), others[:199].tolist(), levels=4) == []
    assert len(rolling_kappas(own[:200].tolist(), others[:200].tolist(), levels=4)) == 1


def test_a_window_and_its_step_may_be_chosen() -> None:
    own, others = [0, 1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 0, 0, 1, 0]
    found = rolling_kappas(own, others, levels=2, window=4, step=3)
    expected = [cohen_kappa_score(own[at : at + 4], others[at : at + 4]) for at in (0, 3, 4)]
    assert found == pytest.approx(expected)


def test_a_fall_below_the_best_window_is_drift() -> None:
    assert has_drifted([0.7, 0.72, 0.5])
    assert not has_drifted([0.5, 0.72])
    assert not has_drifted([0.7, 0.56])
    assert not has_drifted([0.7])
    assert has_drifted([0.7, Undefined("one level"), 0.5])
    assert not has_drifted([])
    assert not has_drifted([0.6, 0.7 - 1e-12, 0.7])
    assert has_drifted([0.7, 0.6], by=0.09)
    assert not has_drifted([0.75, 0.5], by=0.25)
    assert not has_drifted([0.7, 0.6], by=0.11)


def test_who_says_the_same_less_often_than_at_70_is_unsteady_and_unknown_is_not() -> None:
    assert is_unsteady(0.69)
    assert not is_unsteady(0.70)
    assert not is_unsteady(Undefined("nothing was shown again"))
