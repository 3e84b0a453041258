import numpy as np
import pytest

from app.measures import Undefined
from app.measures.figures import ROUNDING, figure, percent, probability, snapped, span


@pytest.mark.parametrize(
    ("value", "line", "text"),
    [
        (0.5, None, ".50"),
        (0.6952547, 0.5, ".695"),
        (-0.0021, 0.5, "-.002"),
        (1.0, 0.5, "1.000"),
        (10.5, None, "10.50"),
        (0.00005, 0.0, ".000050"),
        (-0.00005, 0.0, "-.000050"),
        (0.5, 0.5, ".500"),
        (0.4999, 0.5, ".499900"),
        (0.49999996, 0.5, ".499999960"),
        (0.49999999999, 0.5, ".49999999999"),
        (0.49999999999999994, 0.5, ".500"),
        (1.1102230246251565e-16, 0.0, ".000"),
        (-1e-17, 0.0, ".000"),
        (0.0625, 0.0, ".063"),
        (-0.0625, 0.0, "-.063"),
        (0.0624999, 0.0, ".062"),
        (0.125, None, ".13"),
        (2.0**1000, 0.0, f"{2**1000}.000"),
        (np.float64(0.0625), 0.0, ".063"),
        (1, 0.0, "1.000"),
        (Undefined("no pairs"), 0.5, "undefined"),
    ],
)
def test_a_figure_never_looks_like_a_line_that_it_is_not_on(value: float, line: float | None, text: str) -> None:
    assert figure(value, line) == text


@pytest.mark.parametrize(
    ("share", "cap", "text"),
    [
        (0.95, 1.0, "95%"),
        (0.9995, 1.0, "99.95%"),
        (1.0, 1.0, "100%"),
        (0.1, 0.1, "10%"),
        (0.10004, 0.1, "10.004%"),
        (0.16639, 0.1, "16.6%"),
        (0.999, 1.0, "99.9%"),
        (0.1000000001, 0.1, "10.00000001%"),
        (1e-7, 1.0, "1e-05%"),
        (1e-7, 0.1, "1e-05%"),
        (1.0001e-7, 1e-7, "1.0001e-05%"),
    ],
)
def test_a_percentage_never_looks_like_a_cap_that_it_is_not_on(share: float, cap: float, text: str) -> None:
    assert percent(share, cap) == text


def test_without_a_cap_or_a_level_all_of_it_and_5_percent_are_what_no_figure_looks_like() -> None:
    assert percent(0.99999) == "99.999%"
    assert probability(0.0500001) == "= .050000100"


def test_a_millionth_of_a_millionth_off_a_line_is_on_it() -> None:
    assert snapped(ROUNDING, 0.0) == 0.0
    assert snapped(2 * ROUNDING, 0.0) == 2 * ROUNDING


def test_a_span_is_said_or_its_absence() -> None:
    assert span((0.25, 0.75), 0.5) == ".250 to .750"
    assert span(Undefined("one query"), 0.5) == "no interval"


@pytest.mark.parametrize(("p", "text"), [(0.034, "= .034"), (1.0, "= 1.000"), (0.00099, "< .001"), (0.001, "= .001")])
def test_a_probability_is_printed_as_small_and_never_as_nothing(p: float, text: str) -> None:
    assert probability(p) == text
