import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from app.measures import MeasureError, Undefined
from app.measures.bootstrap import percentile_interval, studentised_interval
from app.measures.paired import difference, sign_flip

CHANGES = st.integers(2, 40).flatmap(
    lambda n: arrays(np.float64, n, elements=st.floats(-1, 1).map(lambda x: round(x, 3)))
)


def mean_of(values: np.ndarray, axis: int) -> Any:
    return values.mean(axis=axis)


@given(CHANGES)
def test_the_t_test_and_its_interval_equal_scipy_s(changes: np.ndarray) -> None:
    assume(changes.std() > 1e-6)
    found = difference(changes, resamples=10)
    theirs = stats.ttest_1samp(changes, 0.0)
    assert found.t == pytest.approx(theirs.statistic, rel=1e-10, abs=1e-12)
    assert found.p_of_t == pytest.approx(theirs.pvalue, rel=1e-10, abs=1e-12)
    assert found.by_t == pytest.approx(tuple(theirs.confidence_interval(0.95)), rel=1e-10, abs=1e-12)


@given(arrays(np.float64, st.integers(2, 10), elements=st.floats(-1, 1).map(lambda x: round(x, 2))))
def test_a_few_queries_are_tried_out_in_all_ways_as_scipy_does(changes: np.ndarray) -> None:
    p, is_exact = sign_flip(changes)
    assert is_exact
    theirs = stats.permutation_test(
        (changes,), mean_of, permutation_type="samples", vectorized=True, n_resamples=2000, axis=0
    )
    assert p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_many_queries_have_the_p_that_scipy_s_ten_thousand_have() -> None:
    changes = np.random.default_rng(8).normal(0.05, 0.2, 50)
    p, is_exact = sign_flip(changes)
    theirs = stats.permutation_test((changes,), mean_of, permutation_type="samples", vectorized=True, rng=1)
    assert not is_exact
    assert p == pytest.approx(theirs.pvalue, abs=0.012)  # Two samples of 10,000 near .07: four of their errors.


def test_p_is_never_0_for_the_way_that_was_found_is_one_of_those_tried() -> None:
    assert sign_flip(np.full(40, 0.1), resamples=99) == (0.01, False)


def test_queries_that_tie_turn_nothing_and_leave_the_rest_exact() -> None:
    few = [0.1, 0.2, 0.3, 0.05]
    assert sign_flip(few + [0.0] * 500) == sign_flip(few) == (2 / 16, True)


def test_thirteen_differences_are_tried_out_and_fourteen_drawn() -> None:
    assert sign_flip(np.linspace(0.1, 0.3, 13))[1]
    assert not sign_flip(np.linspace(0.1, 0.3, 14))[1]


def test_the_percentile_interval_equals_scipy_s_within_what_chance_makes() -> None:
    changes = np.random.default_rng(4).exponential(0.2, 150) - 0.15
    theirs = stats.bootstrap((changes,), np.mean, method="percentile", n_resamples=40_000, rng=2).confidence_interval
    found = difference(changes)
    assert found.by_percentile == pytest.approx(tuple(theirs), abs=0.001)
    assert (found.interval, found.interval_by) == (found.by_percentile, "percentile")


@given(arrays(np.float64, st.integers(2, 6), elements=st.floats(-1, 1).map(lambda x: round(x, 3))))
def test_the_percentile_interval_of_a_few_queries_is_that_of_every_way_to_draw_them(changes: np.ndarray) -> None:
    """All n^n resamples, one after the other; a percentile between two of their means lies at one of them."""
    means = np.sort([np.mean(drawn) for drawn in product(changes, repeat=len(changes))])
    low, high = percentile_interval(changes, confidence=0.9)
    near = np.ptp(means) / 1000 + 1e-9
    for end, share in ((low, 0.05), (high, 0.95)):
        below, above = np.mean(means < end - near), np.mean(means <= end + near)
        assert below <= share + 1e-9
        assert above >= share - 1e-9
        assert np.abs(means - end).min() <= near or below == pytest.approx(share)


def test_no_percentile_lies_beyond_what_any_resample_can_be() -> None:
    """One query lost and 49 the same: no mean of them is above 0."""
    low, high = percentile_interval([-0.792, *[0.0] * 49])
    assert -0.792 <= low < high == 0.0
    assert percentile_interval([0.792, *[0.0] * 49])[0] == 0.0


def test_the_largest_resample_of_all_stays_at_its_own_end() -> None:
    """243 of the 256 resamples have a mean of .5 or less, which is .949."""
    assert percentile_interval([0.0, 0.0, 0.0, 1.0], confidence=0.9) == pytest.approx((0.0, 0.75), abs=2e-4)
    assert percentile_interval([0.0, 0.0, 0.0, 1.0], confidence=0.896) == pytest.approx((0.0, 0.5), abs=2e-4)


def test_one_query_in_thousands_that_moved_is_drawn_as_often_as_chance_has_it() -> None:
    """The count of it in a resample is Poisson: 0 at 2.5%, 3 at 97.5%."""
    low, high = percentile_interval([*[0.0] * 6999, 1.0])
    assert (low, high) == pytest.approx((0.0, 3 / 7000), abs=3e-6)


def test_an_end_that_resamples_of_one_query_make_endless_is_none() -> None:
    """Three zeros alone are drawn often, and the one alone too seldom to reach the other end."""
    assert studentised_interval([0, 0, 0, 1]) == Undefined(
        "in too many resamples every query differs by the same amount"
    )


def test_the_studentised_interval_equals_the_formula_done_one_resample_after_the_other() -> None:
    changes = np.random.default_rng(4).exponential(0.2, 60) - 0.15
    drawn = changes[np.random.default_rng(1).integers(0, 60, (40_000, 60))]
    steps = (drawn.mean(axis=1) - changes.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(60))
    error = changes.std(ddof=1) / math.sqrt(60)
    by_hand = changes.mean() - np.quantile(steps, [0.975, 0.025]) * error
    assert difference(changes).by_studentised == pytest.approx(tuple(by_hand), abs=0.004)


def test_below_a_hundred_queries_the_interval_is_t() -> None:
    changes = np.random.default_rng(4).normal(0.1, 0.2, 100)
    found = difference(changes[:99])
    assert (found.interval, found.interval_by) == (found.by_t, "t")
    assert difference(changes).interval_by == "percentile"


def test_wins_ties_losses_effect_and_what_could_be_detected() -> None:
    changes = [0.2, 0.0, -0.1, 0.3, 1e-15, 0.1]
    found = difference(changes)
    assert (found.wins, found.ties, found.losses) == (3, 2, 1)
    assert found.mean == pytest.approx(0.5 / 6)
    assert found.spread == pytest.approx(np.std(changes, ddof=1))
    assert found.effect == pytest.approx(found.mean / np.std(changes, ddof=1))
    assert found.detectable == pytest.approx(2.8016 * np.std(changes, ddof=1) / math.sqrt(6), rel=1e-4)


def test_a_spread_of_20_over_thirty_queries_detects_102() -> None:
    changes = np.tile([0.2, -0.2], 15) * math.sqrt(29 / 30)
    assert difference(changes).detectable == pytest.approx(0.102, abs=5e-4)


def test_one_seed_gives_one_answer() -> None:
    changes = np.random.default_rng(4).normal(0.02, 0.2, 120)
    assert difference(changes, seed=3) == difference(changes, seed=3)
    assert difference(changes, seed=3).by_percentile == difference(changes, seed=4).by_percentile
    assert difference(changes, seed=3).by_studentised != difference(changes, seed=4).by_studentised


def test_every_choice_reaches_what_it_is_for() -> None:
    changes = np.random.default_rng(4).normal(0.02, 0.2, 50)
    found = difference(changes, confidence=0.8, resamples=60, seed=3)
    assert (found.queries, found.confidence, found.resamples, found.seed) == (50, 0.8, 60, 3)
    assert found.by_percentile == percentile_interval(changes, confidence=0.8)
    assert found.by_studentised == studentised_interval(changes, confidence=0.8, resamples=60, seed=3)
    assert (found.p, found.is_exact) == sign_flip(changes, resamples=60, seed=3)
    assert found.by_t == pytest.approx(tuple(stats.ttest_1samp(changes, 0.0).confidence_interval(0.8)), abs=1e-12)
    assert found.mean == math.fsum(changes) / 50
    assert found.effect == pytest.approx(found.t / math.sqrt(50), abs=1e-15)  # type: ignore[operator]


def test_without_a_choice_it_is_95_percent_ten_thousand_resamples_and_the_seed_0() -> None:
    changes = np.random.default_rng(4).normal(0.02, 0.2, 50)
    found = difference(changes)
    assert (found.confidence, found.resamples, found.seed) == (0.95, 10_000, 0)
    assert found == difference(changes, confidence=0.95, resamples=10_000, seed=0)
    assert sign_flip(changes) == sign_flip(changes, resamples=10_000, seed=0)
    assert percentile_interval(changes) == percentile_interval(changes, confidence=0.95)
    assert studentised_interval(changes) == studentised_interval(changes, confidence=0.95, resamples=10_000, seed=0)


def test_the_intervals_of_one_seed_have_these_digits_on_every_machine() -> None:
    changes = np.random.default_rng(4).exponential(0.2, 60) - 0.15
    for confidence, low, high in ((0.95, 0.03165853444229856, 0.1576242001513415), (0.8, 0.05030107132, 0.13277086077)):
        assert percentile_interval(changes, confidence=confidence) == pytest.approx((low, high), abs=1e-10)
    assert percentile_interval(changes[:3]) == pytest.approx((-0.06383812680430495, 0.609763008679489), abs=1e-10)
    for confidence, low, high in (
        (0.95, 0.04023868494863023, 0.17965775411287577),
        (0.8, 0.04835628285, 0.14494211405),
    ):
        found = studentised_interval(changes, confidence=confidence, resamples=200, seed=3)
        assert found == pytest.approx((low, high), abs=1e-10)


def test_differences_a_hair_above_what_rounding_makes_are_no_ties_and_have_a_spread() -> None:
    found = difference([3e-12, -2e-12, 1e-12, -1e-12])
    assert (found.wins, found.ties, found.losses) == (1, 2, 1)
    assert found.mean == pytest.approx(0.25e-12, rel=1e-9)
    assert found.spread == pytest.approx(math.sqrt(4.25) * 1e-12, rel=1e-9)  # Of 3, -2, 0 and 0 about the mean.


def test_a_larger_confidence_makes_every_interval_wider() -> None:
    changes = np.random.default_rng(4).normal(0.02, 0.2, 50)
    narrow, wide = difference(changes, confidence=0.8), difference(changes, confidence=0.99)
    for name in ("by_t", "by_percentile", "by_studentised"):
        (low, high), (lower, higher) = getattr(narrow, name), getattr(wide, name)
        assert lower < low < high < higher


def test_two_runs_that_are_one_differ_by_nothing_for_sure() -> None:
    found = difference(np.zeros(20))
    assert (found.mean, found.spread, found.interval, found.p) == (0.0, 0.0, (0.0, 0.0), 1.0)
    undefined = Undefined("every query differs by the same amount")
    assert found.t == found.effect == found.by_studentised == found.detectable == undefined


def test_the_same_gain_on_every_query_has_no_t_though_rounding_makes_a_spread() -> None:
    found = difference(np.full(30, 0.1) + np.tile([1e-17, -1e-17], 15))
    assert found.p_of_t == Undefined("every query differs by the same amount")
    assert found.by_percentile == pytest.approx((0.1, 0.1))
    assert found.p < 0.001


def test_one_query_has_a_difference_and_no_interval() -> None:
    found = difference([0.3])
    reason = Undefined("a spread needs two queries or more")
    assert (found.mean, found.p) == (0.3, 1.0)
    assert {found.interval, found.t, found.spread, found.effect, found.detectable, found.by_percentile} == {reason}


def test_the_intervals_by_themselves_refuse_and_explain_alike() -> None:
    assert percentile_interval([0.3]) == percentile_interval([0.3] * 5) == (0.3, 0.3)
    assert studentised_interval([0.3]) == Undefined("a spread needs two queries or more")
    assert studentised_interval([0.3] * 5) == Undefined("every query differs by the same amount")
    for interval in (percentile_interval, studentised_interval):
        with pytest.raises(MeasureError, match="between 0 and 1"):
            interval([0.1, 0.2], confidence=0)


def test_from_a_hundred_queries_on_the_percentile_interval_stands_first() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.2, 100)
    at, below = difference(values), difference(values[1:])
    assert (at.interval_by, at.interval) == ("percentile", at.by_percentile)
    assert (below.interval_by, below.interval) == ("t", below.by_t)


def test_one_resample_is_enough_and_none_is_not() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.2, 20)
    assert difference(values, resamples=1).p in {0.5, 1.0}
    with pytest.raises(MeasureError, match="1 to 1,000,000 resamples, not 0"):
        difference(values, resamples=0)
