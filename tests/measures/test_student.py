"""Distributions of test statistics, against tables that are printed everywhere."""

import sys

import pytest

from app.measures import MeasureError
from app.measures.student import (
    SUREST,
    chi_square_beyond,
    load_distributions,
    normal_quantile,
    refuse_confidence,
    t_beyond,
    t_quantile,
)


def test_quantiles_and_probabilities_are_those_of_printed_tables() -> None:
    assert t_quantile(29, 0.95) == pytest.approx(2.04523, abs=5e-6)
    assert t_beyond(29, -2.04523) == t_beyond(29, 2.04523) == pytest.approx(0.05, abs=5e-7)
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=5e-7)
    assert chi_square_beyond(3, 7.814728) == pytest.approx(0.05, abs=5e-8)


def test_confidence_may_be_a_billionth_away_from_either_end() -> None:
    for taken in (SUREST, 1 - SUREST):
        refuse_confidence(taken)
    for refused in (SUREST / 2, 1 - SUREST / 2):
        with pytest.raises(MeasureError, match="a billionth or more away"):
            refuse_confidence(refused)


def test_a_server_loads_the_distributions_before_it_is_asked() -> None:
    load_distributions()
    assert "scipy.special" in sys.modules
