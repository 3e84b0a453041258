"""Distributions of test statistics. scipy.special is loaded on use: what asks for no interval starts without it, and a
server loads it before it serves.
"""

from importlib import import_module
from typing import Final

from app.measures.given import is_number
from app.measures.undefined import MeasureError

SUREST: Final = 1e-9
"""How near a confidence may come to 0 and to 1: beyond it intervals are endless."""


def load_distributions() -> None:
    import_module("scipy.special")


def refuse_confidence(confidence: float) -> None:
    if not (is_number(confidence) and 0 < confidence < 1):
        raise MeasureError("Confidence lies between 0 and 1, as in .95.")
    if not SUREST <= confidence <= 1 - SUREST:
        raise MeasureError(
            "Confidence lies between 0 and 1, and a billionth or more away from each: nearer, an interval says nothing."
        )


def t_quantile(degrees: int, confidence: float) -> float:
    """How far from 0 a t with so many degrees of freedom stays, on both sides, with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def t_beyond(degrees: int, t: float) -> float:
    """The probability of a t at least so far from 0 on either side."""
    from scipy.special import stdtr

    return 2.0 * float(stdtr(degrees, -abs(t)))


def normal_quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


def chi_square_beyond(degrees: int, chi_square: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, chi_square))
