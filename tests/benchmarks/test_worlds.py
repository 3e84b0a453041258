import numpy as np
import pytest

from app.measures.agreement import pooled_kappa
from app.measures.jackknife import kappas_without_each
from app.measures.kappa import distance
from app.measures.tables import count
from benchmarks.validity.coverage import SPREADS, TEAMS, cover
from benchmarks.validity.scales import compare, interval_on
from benchmarks.validity.worlds import world_of


@pytest.mark.parametrize("spread", SPREADS.values())
@pytest.mark.parametrize("leanings", TEAMS.values())
def test_the_kappa_that_a_world_calls_true_is_that_of_very_many_queries(
    leanings: tuple[float, ...], spread: float
) -> None:
    world = world_of(0.6, leanings, spread)
    assert world.true_kappa() == pytest.approx(0.6, abs=1e-9)
    found, _ = pooled_kappa(world.judge(np.random.default_rng(3), queries=4000, size=30))
    assert found == pytest.approx(0.6, abs=0.02)


def test_a_kappa_that_no_error_rate_makes_is_refused() -> None:
    with pytest.raises(ValueError, match="No error rate"):
        world_of(-0.5, (0.2, -0.2))


def test_the_default_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    found = cover("two", (0.2, -0.2), 15, "different", 0.6, trials=300, seed=1)
    assert 0.90 <= found.share <= 0.99
    assert found.analytic is not None
    assert found.analytic < 0.85


@pytest.mark.parametrize(("queries", "scale"), [(10, "cube_root"), (30, "plain")])
def test_the_scales_that_are_compared_hold_the_one_that_is_used(queries: int, scale: str) -> None:
    doubles = world_of(0.6, (0.2, -0.2), 0.1).judge(np.random.default_rng(5), queries=queries, size=30)
    point, interval = pooled_kappa(doubles)
    assert isinstance(point, float)
    replicates = kappas_without_each(count(doubles), distance(doubles.levels))[0]
    assert interval_on(scale, point, replicates) == pytest.approx(interval, abs=1e-12)


def test_no_scale_loses_the_truth_much_more_often_than_it_says() -> None:
    found = compare("a fixed couple", 10, "different", 0.8, trials=200, seed=2)
    assert all(0.87 <= share <= 1.0 for share in (found.plain, found.cube_root, found.log, found.atanh))
    assert found.plain < found.atanh
