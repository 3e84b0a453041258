"""How numbers, times and amounts are said on a page. Nothing is rounded before it gets here."""

from collections.abc import Callable
from datetime import datetime
from typing import Any


def three(value: object) -> str:
    """A figure between -1 and 1 to three places, as the field writes it: .695, -.012, 1.000."""
    if not isinstance(value, int | float):
        return "undefined"
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def six(value: float) -> str:
    """A figure to six places, for whoever compares it with another program's."""
    text = f"{value:.6f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def margin(value: float | None) -> str:
    """By how much something is met or missed, with its sign: +10, -.338; nothing where there is no figure."""
    if value is None:
        return ""
    if value == int(value):
        return f"{value:+,.0f}"
    text = f"{value:+.3f}"
    return text.replace("0.", ".", 1) if text[1:].startswith("0.") else text


def points(value: float) -> str:
    """By how much a share is met or missed, in percentage points: +10 points, -2.6 points."""
    text = f"{100 * value:+.1f}".removesuffix(".0")
    return f"{text} points"


def lean(value: object) -> str:
    """A difference of mean levels, with its sign: +.412, -.050, 0.000; in words where there is none."""
    if not isinstance(value, int | float):
        return "undefined"
    text = f"{value:+.3f}"
    return f"{value:.3f}".lstrip("-") if float(text) == 0 else text.replace("0.", ".", 1) if abs(value) < 1 else text


def probability(p: float) -> str:
    """.034, or < .001, where more digits would pretend."""
    return "< .001" if p < 0.001 else three(p)


def sentence(text: str) -> str:
    """With a capital letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def count(value: float) -> str:
    return f"{value:,.0f}"


def amount(value: float) -> str:
    """A number with no more places than it needs, three at most: 25, 31.25."""
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def plural(number: int, one: str, many: str = "") -> str:
    """`3 pairs`, `1 query`: the number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def minute(moment: datetime) -> str:
    return f"{day(moment)}, {moment:%H:%M} UTC"


FILTERS: dict[str, Callable[..., Any]] = {
    "three": three,
    "six": six,
    "margin": margin,
    "points": points,
    "lean": lean,
    "probability": probability,
    "sentence": sentence,
    "amount": amount,
    "count": count,
    "percent": percent,
    "plural": plural,
    "day": day,
    "minute": minute,
}
