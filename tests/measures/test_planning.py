import pytest

from app.measures import MeasureError
from app.measures.paired import sign_flip
from app.measures.planning import detectable, fewest, queries_needed
from app.measures.student import SUREST, normal_quantile


@pytest.mark.parametrize(("delta", "queries"), [(0.02, 787), (0.03, 351), (0.05, 128)])
def test_a_spread_of_20_needs_787_351_or_128_queries(delta: float, queries: int) -> None:
    assert queries_needed(delta, 0.2) == queries


def test_what_t_asks_beyond_the_normal_is_half_of_z_squared() -> None:
    """(2.8016 x 1.013)^2 = 8.054, and 1.921 more."""
    assert queries_needed(0.2, 0.2026) == 10


@pytest.mark.parametrize(("queries", "smallest"), [(30, 0.102), (100, 0.056)])
def test_thirty_queries_can_show_102_and_a_hundred_056(queries: int, smallest: float) -> None:
    assert detectable(queries, 0.2) == pytest.approx(smallest, abs=5e-4)


def test_the_factor_at_80_percent_is_2_80() -> None:
    assert detectable(1, 1.0) == pytest.approx(2.8016, abs=1e-4)


def test_more_power_or_a_stricter_test_needs_more_queries_and_detects_less() -> None:
    assert queries_needed(0.03, 0.2, power=0.9) > queries_needed(0.03, 0.2) < queries_needed(0.03, 0.2, level=0.01)
    assert detectable(50, 0.2, power=0.9) > detectable(50, 0.2) < detectable(50, 0.2, level=0.01)


def test_a_power_of_one_half_may_be_asked() -> None:
    assert queries_needed(0.03, 0.2, power=0.5) == 173


def test_a_million_million_queries_are_the_most_that_are_planned() -> None:
    assert 10**12 - 10**11 < queries_needed(5.9e-7, 0.2) <= 10**12


def test_the_most_queries_and_the_surest_test_are_planned_themselves() -> None:
    z = normal_quantile(0.975)
    assert queries_needed(z, 1e6, power=0.5) == 10**12 + 2
    assert fewest(SUREST) == 31
    assert queries_needed(0.03, 0.2, power=1 - SUREST, level=SUREST) > queries_needed(0.03, 0.2)


@pytest.mark.parametrize(
    ("level", "queries"), [(0.05, 6), (0.5, 2), (0.99, 2), (2.0**-5, 6), (0.99 * 2.0**-5, 7), (0.01, 8), (0.001, 11)]
)
def test_no_plan_is_of_fewer_queries_than_the_test_of_signs_can_tell_from_chance(level: float, queries: int) -> None:
    assert fewest(level) == queries_needed(1e9, 0.2, level=level) == queries
    assert sign_flip([1.0] * queries)[0] <= level < sign_flip([1.0] * (queries - 1))[0]


def test_a_level_that_is_none_has_no_fewest_queries() -> None:
    with pytest.raises(MeasureError, match="the level of the test between 0 and 1"):
        fewest(0.0)


def test_without_any_spread_the_fewest_queries_do() -> None:
    assert queries_needed(0.03, 0.0) == 6
    assert detectable(5, 0.0) == 0.0


def test_what_is_detectable_with_the_planned_queries_is_what_was_planned_for() -> None:
    assert detectable(queries_needed(0.03, 0.2), 0.2) == pytest.approx(0.03, rel=0.01)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"delta": 0.0}, "above 0"),
        ({"delta": 1e-200}, r"^No number of queries finds a difference that small beside that spread\.$"),
        ({"delta": 1e-300, "spread": 1e300}, "No number of queries"),
        ({"delta": 5.6e-7, "spread": 0.2}, "No number of queries"),
        ({"delta": float("nan")}, "above 0"),
        ({"delta": float("inf")}, "above 0"),
        ({"spread": -0.1}, "from 0 on"),
        ({"spread": float("inf")}, "from 0 on"),
        ({"power": 0.4}, "Power lies between"),
        ({"power": 1.0}, "Power lies between"),
        ({"level": 0.0}, "Power lies between"),
        ({"level": 1.0}, "Power lies between"),
    ],
)
def test_what_cannot_be_planned_is_refused(asked: dict[str, float], said: str) -> None:
    given = {"delta": 0.03, "spread": 0.2} | asked
    with pytest.raises(MeasureError, match=said):
        queries_needed(given.pop("delta"), given.pop("spread"), **given)
