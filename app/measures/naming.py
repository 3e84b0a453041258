"""Measures as people ask for them: by our names, or by those of ir_measures, with their parameters."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, get_args

from app.measures.conventions import Convention, Geometric, Measure, plain
from app.measures.undefined import MeasureError
from app.measures.worth import reads_gain

_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {name.lower(): name for name in get_args(Measure)}
    | {"r": "recall", "p": "precision", "success": "hit", "mrr": "RR", "map": "AP"}
)
_FORM = re.compile(r"([^@()]+)(?:\(([^()]*)\))?(?:@([1-9][0-9]{0,99}))?")


def ask(name: str, convention: Convention) -> Convention:
    """The convention's choices for the measure of that name, as in nDCG@10, recall(rel=2)@100 or RBP(p=0.85).

    What stands in brackets overrules the convention: `p` its discount, `rel` its threshold, `judged_only` what becomes
    of the unjudged, `dcg` its gain (exp-log2 or log2).
    """
    read = _FORM.fullmatch(name.strip())
    if not read or read[1].lower() not in _NAMES:
        names = ", ".join(get_args(Measure))
        raise MeasureError(f"{name!r} names no measure: write one of {names}, with a cut-off as in nDCG@10.")
    choices: dict[str, Any] = {"measure": _NAMES[read[1].lower()], "k": int(read[3]) if read[3] else None}
    for parameter in filter(None, (read[2] or "").split(",")):
        choices |= _choice(name, parameter)
    found = replace(convention, **choices)
    _refuse_idle(name, found, choices)
    return found


def _refuse_idle(name: str, convention: Convention, choices: Mapping[str, Any]) -> None:
    """What stands in brackets must do something: a binary RBP is asked for by its gains, and not by `rel`."""
    is_of_gains = reads_gain(convention)
    idle = {"threshold"} if is_of_gains else {"gain", "discount"}
    reads = "reads gains, and no threshold" if is_of_gains else "reads a threshold, and neither gains nor discounts"
    if convention.measure == "judged":
        idle, reads = {"gain", "discount", "threshold", "unjudged"}, "asks only whether there is a judgment"
    way_out = "Name a gain such as table:0,1,1,1 to count relevant documents alike." if is_of_gains else "Leave it out."
    if idle & {*choices}:
        raise MeasureError(f"{name!r} has a parameter that changes nothing: {convention.measure} {reads}. {way_out}")


def _choice(name: str, parameter: str) -> dict[str, Any]:
    key, _, value = (part.strip() for part in parameter.partition("="))
    try:
        return _PARAMETERS[key](value.strip("'\""))
    except (KeyError, ValueError) as error:
        if isinstance(error, MeasureError):
            raise
        way_out = "write p=0.85, rel=2, judged_only=True or dcg=exp-log2 in the brackets"
        raise MeasureError(
            f"{name!r} has a parameter that is not understood, {parameter.strip()!r}: {way_out}."
        ) from None


_PARAMETERS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = MappingProxyType(
    {
        "p": lambda value: {"discount": Geometric(float(plain(value)))},
        "rel": lambda value: {"threshold": int(plain(value))},
        "judged_only": lambda value: {"unjudged": {"True": "condensed", "False": "zero"}[value]},
        "dcg": lambda value: {"gain": {"exp-log2": "exponential", "log2": "linear"}[value]},
    }
)
