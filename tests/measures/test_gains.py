import pytest

from app.measures import MeasureError
from app.measures.conventions import Discount, Gain, Geometric
from app.measures.gains import discount_at, discounts, gain_of


@pytest.mark.parametrize(
    ("gain", "worth"),
    [("exponential", [0, 0, 1, 3, 7]), ("linear", [0, 0, 1, 2, 3]), ((0.0, 0.01, 0.1, 1.0), [0, 0, 0.01, 0.1, 1])],
)
def test_a_negative_grade_is_worth_nothing_and_the_others_what_the_gain_says(gain: Gain, worth: list[float]) -> None:
    assert [gain_of(grade, gain) for grade in (-2, 0, 1, 2, 3)] == worth


def test_a_grade_between_two_levels_has_a_gain_where_it_is_a_formula() -> None:
    assert gain_of(2.5, "linear") == 2.5
    assert gain_of(0.5, "exponential") == pytest.approx(2**0.5 - 1)


def test_the_grade_0_has_its_own_entry_in_a_table_and_1000_is_the_highest_with_a_power() -> None:
    assert gain_of(0, (0.5, 1)) == 0.5
    assert gain_of(1000, "exponential") == 2.0**1000


@pytest.mark.parametrize(
    ("grade", "gain", "said"),
    [
        (float("nan"), "linear", "not a finite number"),
        (float("inf"), "exponential", "not a finite number"),
        (1001, "exponential", "too high"),
        (2.5, (0, 1, 3, 7), "Grade 2.5 is not in the gain table, which holds the grades 0 to 3"),
        (4, (0, 1, 3, 7), "Grade 4 is not in the gain table"),
    ],
)
def test_a_grade_that_the_gain_cannot_express_is_refused(grade: float, gain: Gain, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        gain_of(grade, gain)


@pytest.mark.parametrize(
    ("discount", "share"), [(Geometric(0.85), 0.803126), ("reciprocal", 0.545547), ("log2", 0.190261)]
)
def test_the_top_ten_of_120_ranks_hold_this_share_of_the_weight(discount: Discount, share: float) -> None:
    assert sum(discounts(10, discount)) / sum(discounts(120, discount)) == pytest.approx(share, abs=5e-7)


@pytest.mark.parametrize("discount", ["log2", "reciprocal", Geometric(0.5)])
def test_the_first_rank_counts_whole_and_there_is_none_before_it(discount: Discount) -> None:
    assert discount_at(1, discount) == 1.0
    with pytest.raises(MeasureError, match="no rank 0"):
        discount_at(0, discount)


def test_grades_1_3_0_2_in_order_are_788_linear_and_714_exponential() -> None:
    for gain, share in (("linear", 0.788), ("exponential", 0.714)):
        grades = [gain_of(grade, gain) for grade in (1, 3, 0, 2)]  # type: ignore[arg-type]
        weights = discounts(4, "log2")
        dcg, ideal = (
            sum(gain * weight for gain, weight in zip(order, weights, strict=True))
            for order in (grades, sorted(grades, reverse=True))
        )
        assert dcg / ideal == pytest.approx(share, abs=5e-4)
