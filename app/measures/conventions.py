"""All the choices behind a score, as one value and as the one line that stands beside every number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from app.measures.given import is_number, is_whole
from app.measures.undefined import MeasureError

Measure = Literal["nDCG", "DCG", "RBP", "RBP-residual", "recall", "precision", "judged", "RR", "AP", "hit", "bpref"]
Ideal = Literal["judged", "returned"]
Unjudged = Literal["zero", "condensed"]
Ties = Literal["docno", "docno32", "position", "average", "optimistic"]
NoRelevant = Literal["exclude", "zero"]
Missing = Literal["zero", "exclude"]


@dataclass(frozen=True, slots=True)
class Geometric:
    """The discount p^(i-1): a reader who goes on to the next rank with probability p (RBP's user model)."""

    p: float

    def __post_init__(self) -> None:
        if not (is_number(self.p) and 0 < self.p < 1):
            raise MeasureError(f"A geometric discount needs a p between 0 and 1, not {self.p}.")


Gain = Literal["exponential", "linear"] | tuple[float, ...]
Discount = Literal["log2", "reciprocal"] | Geometric


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """What a number means, entirely. Gain and cut-off have no default: they are asked, or a preset says them.

    `k` None scores the whole ranking. A gain given as a table holds the gains of the grades 0, 1, 2, …, never falling.
    `threshold` is the lowest grade that recall, precision, RR, AP, hit and bpref take as relevant; nDCG, DCG and RBP
    read the gain. `missing` speaks of judged queries that the run does not hold at all, `no_relevant` of queries
    without a relevant judgment: no positive gain for nDCG, DCG and RBP, none at the threshold for the others;
    judged@k follows neither (`note`). RBP takes its p from the discount, which is geometric then.
    """

    measure: Measure = "nDCG"
    k: int | None
    gain: Gain
    discount: Discount = "log2"
    ideal: Ideal = "judged"
    unjudged: Unjudged = "zero"
    ties: Ties = "docno"
    no_relevant: NoRelevant = "exclude"
    missing: Missing = "zero"
    threshold: float = 1

    def __post_init__(self) -> None:
        for name, values in _VALUES.items():
            if getattr(self, name) not in values:
                raise MeasureError(_no_such(name, getattr(self, name), values))
        _refuse_gain(self.gain)
        if not isinstance(self.discount, Geometric) and self.discount not in ("log2", "reciprocal"):
            raise MeasureError(_no_such("discount", self.discount, ("log2", "reciprocal", "geometric:p")))
        if self.k is not None and not (is_whole(self.k, 1) and self.k <= DEEPEST):
            raise MeasureError(f"A cut-off is a whole number from 1 to {DEEPEST:,}, not {self.k}.")
        if not is_number(self.threshold):
            raise MeasureError("The relevance threshold is a grade, so a finite number.")
        if fault := _fault_of_measure(self):
            raise MeasureError(fault)

    @property
    def name(self) -> str:
        """The measure with its cut-off, as in nDCG@10; what RBP's p is, the discount says."""
        return self.measure if self.k is None else f"{self.measure}@{self.k}"

    @property
    def line(self) -> str:
        """The one line; `parse` reads it back to an equal convention."""
        return (
            f"{self.name} gain={_printed_gain(self.gain)} discount={_printed_discount(self.discount)} "
            f"ideal={self.ideal} unjudged={self.unjudged} ties={self.ties} no-relevant={self.no_relevant} "
            f"missing={self.missing} threshold={_printed(self.threshold)}"
        )

    @property
    def note(self) -> str | None:
        """What the line's choices don't hold for, as a sentence without its full stop; None where they all hold."""
        if self.measure != "judged":
            return None
        return (
            f"{self.name} is a share of what a run returned: queries without a relevant judgment count as any others, "
            "and those of which nothing was returned are left out, whatever no-relevant and missing say"
        )

    def at(self, measure: Measure, k: int | None) -> "Convention":
        """The same choices for another measure and cut-off, so that recall@100 stands beside nDCG@10."""
        return replace(self, measure=measure, k=k)


def parse(line: str) -> Convention:
    """The convention that a line states in full; a choice left out, doubled or unknown is refused by name."""
    name, *choices = line.split() or [""]
    measure, k = _read_name(name)
    stated: dict[str, str] = {}
    for choice in choices:
        key, equals, value = choice.partition("=")
        if not equals or key not in _KEYS:
            raise MeasureError(f"{choice!r} is no choice of a convention; the choices are {', '.join(_KEYS)}.")
        if key in stated:
            raise MeasureError(f"The convention states {key} twice.")
        stated[key] = value
    if left_out := [key for key in _KEYS if key not in stated]:
        raise MeasureError(f"The convention does not state {', '.join(left_out)}; there is no silent default.")
    return _convention(
        measure=measure,
        k=k,
        gain=read_gain(stated.pop("gain")),
        discount=read_discount(stated.pop("discount")),
        threshold=_read_number("threshold", stated.pop("threshold")),
        **{key.replace("-", "_"): value for key, value in stated.items()},
    )


def read_gain(text: str) -> Gain:
    """`exponential`, `linear` or `table:0,1,3,7`."""
    if text.startswith("table:"):
        return tuple(_read_number("gain", entry) for entry in text.removeprefix("table:").split(","))
    if text == "exponential":
        return "exponential"
    if text == "linear":
        return "linear"
    raise MeasureError(_no_such("gain", text, _GAINS))


def read_discount(text: str) -> Discount:
    """`log2`, `reciprocal` or `geometric:0.85`."""
    if text.startswith("geometric:"):
        return Geometric(_read_number("discount", text.removeprefix("geometric:")))
    if text == "log2":
        return "log2"
    if text == "reciprocal":
        return "reciprocal"
    raise MeasureError(_no_such("discount", text, _DISCOUNTS))


def _convention(**choices: Any) -> Convention:
    """A convention from values read as text, which the convention itself checks."""
    return Convention(**choices)


def _read_name(name: str) -> tuple[str, int | None]:
    named = re.fullmatch(r"([^@]+)(?:@([1-9][0-9]{0,99}))?", name)
    if not named:
        raise MeasureError(f"{name!r} does not name a measure and a cut-off, as in nDCG@10.")
    return named[1], int(named[2]) if named[2] else None


def plain(number: str) -> str:
    """Without the underscores that Python would pass over, reading 1_0 as 10: with a blank it is no number."""
    return number.replace("_", " ")


def _read_number(what: str, text: str) -> float:
    try:
        number = float(plain(text))
    except ValueError:
        raise MeasureError(f"{text!r} is not a number for {what}.") from None
    return int(number) if number.is_integer() else number


def _fault_of_measure(asked: Convention) -> str | None:
    """Why the measure can't be had with the other choices."""
    if asked.k is None and asked.measure == "precision":
        return "Precision divides by its cut-off: name one, as in precision@10."
    if asked.k is not None and asked.measure == "bpref":
        return "bpref reads the whole ranking and has no cut-off: write bpref."
    if asked.ties == "average" and asked.measure in ("RR", "AP", "hit", "bpref"):
        return f"{asked.measure} has no average over tied documents here: choose ties=docno or position."
    if asked.measure in GEOMETRIC and not isinstance(asked.discount, Geometric):
        return f"{asked.measure} needs its p: write {asked.measure}(p=0.85), or discount=geometric:0.85."
    if asked.measure == "RBP-residual" and asked.unjudged == "condensed":
        return "RBP-residual weighs the unjudged documents, which unjudged=condensed drops."
    return None


def _refuse_gain(gain: object) -> None:
    if isinstance(gain, str) and gain in ("exponential", "linear"):
        return
    if not isinstance(gain, tuple):
        raise MeasureError(_no_such("gain", gain, _GAINS))
    if len(gain) < 2 or not all(is_number(entry) and entry >= 0 for entry in gain):
        raise MeasureError("A table of gains holds two gains or more, each a finite number and none negative.")
    if max(gain) > LARGEST_GAIN:
        raise MeasureError("A gain is at most 2^1000, so that the sum of a list's gains is a number too.")
    if list(gain) != sorted(gain):
        raise MeasureError("A table of gains never falls: a higher grade can't be worth less than a lower one.")


def _printed_gain(gain: Gain) -> str:
    return gain if isinstance(gain, str) else "table:" + ",".join(map(_printed, gain))


def _printed_discount(discount: Discount) -> str:
    return discount if isinstance(discount, str) else f"geometric:{_printed(discount.p)}"


def _printed(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _no_such(name: str, value: object, values: tuple[str, ...]) -> str:
    called = _CALLED.get(name, name)
    return f"There is no {called} {value!r}: it is {', '.join(values[:-1])} or {values[-1]}."


_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unjudged": "rule for the unjudged",
        "ties": "rule for ties",
        "no_relevant": "rule for no-relevant",
        "missing": "rule for missing",
    }
)


LARGEST_GAIN: Final = 2.0**1000
"""That of the highest grade that an exponential gain takes: sixteen million of them still have a sum."""

DEEPEST: Final = 10**9
"""No ranking is longer, and so large a number is still one to numpy."""

GEOMETRIC: Final = ("RBP", "RBP-residual")
"""The measures of a reader who goes on with probability p, which the discount holds."""

_GAINS: Final = ("exponential", "linear", "table:0,1,3,…")
_DISCOUNTS: Final = ("log2", "reciprocal", "geometric:0.85")
_VALUES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "measure": get_args(Measure),
        "ideal": get_args(Ideal),
        "unjudged": get_args(Unjudged),
        "ties": get_args(Ties),
        "no_relevant": get_args(NoRelevant),
        "missing": get_args(Missing),
    }
)
_KEYS: Final = ("gain", "discount", "ideal", "unjudged", "ties", "no-relevant", "missing", "threshold")
