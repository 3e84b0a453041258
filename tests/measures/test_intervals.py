import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from app.measures import Undefined
from app.measures.agreement import agreement
from app.measures.doubles import Doubles
from app.measures.intervals import analytic_interval, bootstrap_interval, standard_error
from app.measures.kappa import kappa
from tests.measures.doubly import chorus, from_table, rotating
from tests.measures.test_agreement import deals, pooled_by_hand, without
from tests.measures.test_kappa import KINDS, TABLES

CASES = json.loads((Path(__file__).parents[1] / "cases" / "agreement.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_golden_table_has_its_two_standard_errors(case: dict[str, Any], kind: Any) -> None:
    expected = case["expected"][f"kappa_{kind}"]
    for of_chance, name in ((False, "se"), (True, "se0")):
        found = standard_error(case["table"], kind, of_chance=of_chance)
        if expected["se"] is None:
            assert isinstance(found, Undefined)
        else:
            assert found == pytest.approx(expected[name], abs=1e-12)


@given(TABLES, st.sampled_from(KINDS))
def test_kappa_and_its_errors_equal_statsmodels_wherever_they_are_defined(table: np.ndarray, kind: Any) -> None:
    found = kappa(table, kind)
    if isinstance(found, Undefined):
        assert isinstance(standard_error(table, kind), Undefined)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # It divides by an error of 0.
        theirs = cohens_kappa(table, wt=None if kind == "none" else kind)
    assert found == pytest.approx(theirs.kappa, abs=1e-12)
    for error, variance in (
        (standard_error(table, kind), theirs.var_kappa),
        (standard_error(table, kind, of_chance=True), theirs.var_kappa0),
    ):
        assert not isinstance(error, Undefined)
        assert error**2 == pytest.approx(variance, abs=1e-12)


def test_the_dermatologists_have_the_error_that_was_published() -> None:
    """SAS PROC FREQ, SkinCondition: weighted kappa .5082, its asymptotic standard error .0655."""
    table = next(case["table"] for case in CASES if case["id"] == "K23")
    error = standard_error(table)
    assert error == pytest.approx(0.0655, abs=5e-5)
    low, high = analytic_interval(table)  # type: ignore[misc]
    assert (low, high) == pytest.approx((0.508160 - 1.959964 * 0.065508, 0.508160 + 1.959964 * 0.065508), abs=1e-6)


def test_pairs_taken_as_independent_make_too_narrow_an_interval_of_real_judgments(shared_data: Path) -> None:
    doubles = chorus(shared_data, queries=40)
    found = agreement(doubles)
    low, high = analytic_interval(found.couples[0].table)  # type: ignore[misc]
    assert high - low < 0.5 * (found.high - found.low)  # type: ignore[operator]


def test_the_bootstrap_draws_whole_queries_and_comes_near_the_jackknife(shared_data: Path) -> None:
    doubles = chorus(shared_data, raters=(1, 2, 3))
    found = agreement(doubles)
    assert bootstrap_interval(doubles) == pytest.approx((found.low, found.high), abs=0.012)


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_is_one_and_96_standard_errors_of_its_own_kind_to_either_side(kind: Any) -> None:
    table = [[12, 4, 1], [3, 9, 2], [0, 5, 7]]
    half = 1.6448536269514722 * standard_error(table, kind)  # type: ignore[operator]
    expected = kappa(table, kind) - half, kappa(table, kind) + half  # type: ignore[operator]
    assert analytic_interval(table, kind, confidence=0.9) == pytest.approx(expected, abs=1e-15)


def test_a_spread_of_nothing_comes_out_as_0_of_a_million_pairs_too() -> None:
    """Whoever never agrees: what is taken from each other is beyond 64-bit numbers, and equal."""
    never = 1_000_003
    assert standard_error([[0, never], [never, 0]]) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_bootstrap_s_ends_are_the_percentiles_of_the_kappas_that_were_drawn(kind: Any) -> None:
    doubles = rotating(np.random.default_rng(3), labellers=4, queries=20, size=10, noise=0.3)
    doubles = replace(doubles, pair=np.arange(len(doubles.query)))
    times = np.random.default_rng(9).multinomial(20, np.full(20, 0.05), size=50)
    by_hand = [pooled_by_hand(repeated(doubles, dict(enumerate(own))), kind) for own in times.tolist()]
    kappas = [float(each) for each in by_hand if each is not None]
    assert len(kappas) == 50
    found = bootstrap_interval(doubles, kind, confidence=0.8, resamples=50, seed=9)
    assert found == pytest.approx((np.quantile(kappas, 0.1), np.quantile(kappas, 0.9)), abs=1e-12)
    assert bootstrap_interval(doubles, kind, resamples=50) == bootstrap_interval(doubles, kind, resamples=50, seed=0)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    doubles = rotating(np.random.default_rng(3), labellers=4, queries=20, size=10, noise=0.3)
    assert bootstrap_interval(doubles, seed=1) == bootstrap_interval(doubles, seed=1)
    assert bootstrap_interval(doubles, seed=1) != bootstrap_interval(doubles, seed=2)


@given(deals(min_queries=2), st.sampled_from(KINDS))
def test_each_resample_has_the_kappa_of_its_queries_by_hand(doubles: Doubles, kind: Any) -> None:
    """One resample is one query set; its interval has no width, and stands at that set's kappa."""
    found = bootstrap_interval(doubles, kind, resamples=1, seed=5)
    queries = np.unique(doubles.query)
    times = np.random.default_rng(5).multinomial(len(queries), np.full(len(queries), 1 / len(queries)))
    by_hand = pooled_by_hand(repeated(doubles, dict(zip(queries.tolist(), times.tolist(), strict=True))), kind)
    if by_hand is None:
        assert found == Undefined("in some resamples of the queries a single level is left")
    else:
        assert found == pytest.approx((float(by_hand),) * 2, abs=1e-12)


def repeated(doubles: Doubles, times: dict[int, int]) -> Doubles:
    """Each query so many times, every time with pairs of its own."""
    assert doubles.pair is not None
    shift = int(doubles.pair.max()) + 1
    rows = [
        (pair + copy * shift, query, a, b, level_a, level_b)
        for pair, query, a, b, level_a, level_b in zip(
            *(getattr(doubles, name).tolist() for name in ("pair", "query", "a", "b", "level_a", "level_b")),
            strict=True,
        )
        for copy in range(times[query])
    ]
    return Doubles.of(rows, levels=doubles.levels, labellers=doubles.labellers)


def test_more_resamples_than_one_block_holds_are_the_same_resamples() -> None:
    doubles = rotating(np.random.default_rng(5), labellers=300, queries=60, size=8, noise=0.3)
    low, high = bootstrap_interval(doubles, resamples=9000, confidence=0.9)  # type: ignore[misc]
    point = agreement(doubles).kappa
    assert low < point < high  # type: ignore[operator]


def test_where_kappa_or_its_interval_is_undefined_the_reason_is_said() -> None:
    nothing = [[9, 0], [0, 0]]
    assert analytic_interval(nothing) == Undefined("kappa itself is undefined")
    one_query = from_table([[5, 1], [2, 5]], queries=1)
    assert bootstrap_interval(one_query) == Undefined("an interval needs doubly judged pairs of two queries or more")
    assert isinstance(bootstrap_interval(without(one_query_more(), 0)), Undefined)


def one_query_more() -> Doubles:
    rows = [(at, at % 3, 0, 1, int(at == 0), int(at == 0)) for at in range(9)]
    return Doubles.of(rows, levels=2, labellers=2)
