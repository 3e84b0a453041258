"""The options that make a convention, as the commands on plain files take them."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from app.cli.refusal import Refusal
from app.measures.conventions import Convention, read_discount, read_gain
from app.measures.presets import PRESETS

PresetName = Annotated[
    str | None, typer.Option("--preset", help=f"A library's conventions: {', '.join(PRESETS)}.", metavar="NAME")
]
GainName = Annotated[str | None, typer.Option("--gain", help="exponential, linear or table:0,1,3,7.")]
DiscountName = Annotated[str | None, typer.Option("--discount", help="log2, reciprocal or geometric:0.85.")]
IdealName = Annotated[str | None, typer.Option("--ideal", help="judged or returned.")]
UnjudgedName = Annotated[str | None, typer.Option("--unjudged", help="zero or condensed.")]
TiesName = Annotated[str | None, typer.Option("--ties", help="docno, docno32, position, average or optimistic.")]
NoRelevantName = Annotated[str | None, typer.Option("--no-relevant", help="exclude or zero.")]
MissingName = Annotated[str | None, typer.Option("--missing", help="zero or exclude.")]
Threshold = Annotated[float | None, typer.Option("--threshold", help="The lowest grade that counts as relevant.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What was said of a convention; None where nothing was."""

    preset: PresetName = None
    gain: GainName = None
    discount: DiscountName = None
    ideal: IdealName = None
    unjudged: UnjudgedName = None
    ties: TiesName = None
    no_relevant: NoRelevantName = None
    missing: MissingName = None
    threshold: Threshold = None

    def convention(self) -> Convention:
        """nDCG@10 under a preset, or under a gain that must then be named, and under whatever else was said."""
        if self.preset is None and self.gain is None:
            raise Refusal(
                "No gain was named, and there is no silent default.",
                f"Write --gain exponential, --gain linear or --gain table:0,1,3,7; or --preset {', '.join(PRESETS)}.",
            )
        if self.preset is not None and self.preset not in PRESETS:
            raise Refusal(f"There is no preset {self.preset!r}.", f"Choose one of {', '.join(PRESETS)}.")
        said: dict[str, Any] = {name: value for name, value in asdict(self).items() if value is not None}
        said.pop("preset", None)
        for name, read in (("gain", read_gain), ("discount", read_discount)):
            if name in said:
                said[name] = read(said[name])
        return replace(PRESETS[self.preset].convention, **said) if self.preset else Convention(k=10, **said)

    def apart(self, conventions: Iterable[Convention]) -> list[str]:
        """What the library of the preset does otherwise, of the measures that were asked for."""
        said = (PRESETS[self.preset].parts_at(each) for each in conventions) if self.preset else ()
        return [each for each in said if each]


def ranking_runs(name: str, convention: Convention, way_out: str) -> Convention:
    """The convention of a measure that says which run is better; a Refusal for one that does not."""
    from app.measures.naming import ask

    found = ask(name, convention)
    if found.measure in ("judged", "RBP-residual"):
        raise Refusal(f"{name.strip()} tells how much was judged, and not which run is better.", way_out)
    return found


def with_choices(command: Callable[..., None]) -> Callable[..., None]:
    """The command with all of `Choices` as options in place of its parameter `choices`: typer has no such groups."""
    options = signature(Choices, eval_str=True).parameters

    @wraps(command)
    def asked(**given: Any) -> None:
        command(choices=Choices(**{name: given.pop(name) for name in options}), **given)

    own = signature(command, eval_str=True)
    parts = [(list(options.values()) if name == "choices" else [one]) for name, one in own.parameters.items()]
    keyworded = [one.replace(kind=Parameter.KEYWORD_ONLY) for part in parts for one in part]
    asked.__signature__ = own.replace(parameters=keyworded)  # type: ignore[attr-defined]
    return asked
