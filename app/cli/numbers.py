"""A number of an answer: null where it is undefined, with why beside it; and as a person reads it."""

from app.measures.figures import figure
from app.measures.undefined import Undefined

Number = float | Undefined


def number(value: Number) -> float | None:
    return None if isinstance(value, Undefined) else value


def reason(value: Number) -> str | None:
    return value.reason if isinstance(value, Undefined) else None


def three(value: float | None) -> str:
    """Three decimals, and more where three would make 0 of what is not 0."""
    return "undefined" if value is None else figure(value, 0.0)
