"""Figures as sentences print them: short, and never rounded onto a line that they are not on."""

from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Final

from app.measures.agreement import Measured, VersusRest
from app.measures.undefined import Undefined
from app.words import plural

ROUNDING: Final = 1e-12
"""Sums in another order differ by less: so near a line, a figure is on it."""


def snapped(value: float, line: float) -> float:
    """The value; the line itself where rounding alone may tell the two apart."""
    return line if abs(value - line) <= ROUNDING else value


def figure(value: float | Undefined, line: float | None = None) -> str:
    """Without the leading zero: two decimals for a line itself, three or more for what is held against a line."""
    if isinstance(value, Undefined):
        return "undefined"
    if line is None:
        return _without_zero(_formed(".2f", value))
    return _without_zero(_apart(value, line, (".3f", ".6f", ".9f", "")))


def percent(share: float, cap: float = 1.0) -> str:
    """Three significant digits, more where three would put the share on a cap that it is not on, or make all of it."""
    return _apart(100 * share, 100 * cap, (".3g", ".6g", "")) + "%"


def probability(p: float, level: float = 0.05) -> str:
    """With what stands before it in a sentence: `= .034`, or `< .001`, where more digits would pretend."""
    return "< .001" if p < min(0.001, level) else f"= {figure(p, level)}"


def short(number: float) -> str:
    """A level or another number that somebody chose, as they would write it: .05, .001."""
    return _without_zero(f"{number:.3g}")


def span(interval: tuple[float, float] | Undefined, line: float) -> str:
    if isinstance(interval, Undefined):
        return "no interval"
    low, high = interval
    return f"{figure(low, line)} to {figure(high, line)}"


def no_width(measured: Measured) -> str:
    """What an interval whose ends are one must not be taken for; empty where they are two."""
    why = measured.why_no_width
    return f"{why}, so that the interval has no width and says nothing of how sure that is" if why else ""


def against_rest(one: VersusRest, floor: float) -> str:
    """A labeller's interval against the rest, and the pairs that it rests on."""
    return f"{span(one.interval, floor)} over {plural(one.pairs, 'pair')}"


def _apart(value: float, line: float, formats: tuple[str, ...]) -> str:
    """The shortest form in which the value does not look like a line that it is not on; the last tells all apart."""
    value = snapped(value, line)
    forms = [(_formed(form, value), _formed(form, line)) for form in formats]
    return next(text for text, of_line in forms if value == line or float(text) != float(of_line))


def _formed(form: str, value: float) -> str:
    """As Python formats it, but with half of the last digit rounded up: .0625 is .063. In full without a form."""
    if not form.endswith("f"):
        return format(value, form)
    with localcontext() as context:
        context.rounding = ROUND_HALF_UP
        return format(Decimal(value), form)


def _without_zero(text: str) -> str:
    return text.replace("0.", ".") if text.startswith(("0.", "-0.")) else text
