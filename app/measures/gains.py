"""What a grade is worth, and how much of it counts at a rank."""

import math
from functools import lru_cache

from app.measures.conventions import LARGEST_GAIN, Discount, Gain
from app.measures.given import is_number, is_whole
from app.measures.undefined import MeasureError


def gain_of(grade: float, gain: Gain) -> float:
    """The worth of one grade: 2^grade - 1, the grade, or its table entry; 0 for a negative grade.

    A grade that the gain can't express is refused: not finite, too high for 2^grade, not in the table.
    """
    if not is_number(grade):
        raise MeasureError(f"Grade {grade} is not a finite number.")
    if grade < 0:
        return 0.0
    if gain == "linear":
        if grade > LARGEST_GAIN:
            raise MeasureError(f"Grade {grade} is too high for a gain: a sum of a few such is no number.")
        return float(grade)
    if gain == "exponential":
        if grade > 1000:
            raise MeasureError(f"Grade {grade} is too high for the gain 2^grade - 1: choose gain=linear or a table.")
        return math.pow(2.0, grade) - 1.0
    if grade != int(grade) or grade >= len(gain):
        raise MeasureError(f"Grade {grade} is not in the gain table, which holds the grades 0 to {len(gain) - 1}.")
    return float(gain[int(grade)])


def discount_at(rank: int, discount: Discount) -> float:
    """The weight of a rank, the first being 1: 1/log2(rank + 1), 1/rank or p^(rank - 1)."""
    if not is_whole(rank, 1):
        raise MeasureError(f"Ranks start at 1; there is no rank {rank}.")
    if discount == "log2":
        return 1.0 / math.log2(rank + 1)
    if discount == "reciprocal":
        return 1.0 / rank
    return float(discount.p ** (rank - 1))


@lru_cache(maxsize=64)
def discounts(depth: int, discount: Discount) -> tuple[float, ...]:
    """The weights of the ranks 1 to `depth`."""
    return tuple(discount_at(rank, discount) for rank in range(1, depth + 1))
