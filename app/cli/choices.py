"""The options that make a convention, as the commands on plain files take them."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from app.cli.calls import Refusal
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


def choose(
    *,
    preset: str | None,
    gain: str | None,
    discount: str | None,
    ideal: str | None,
    unjudged: str | None,
    ties: str | None,
    no_relevant: str | None,
    missing: str | None,
    threshold: float | None,
) -> Convention:
    """nDCG@10 under a preset, or under a gain that must then be named, and under whatever else was said."""
    if preset is None and gain is None:
        raise Refusal(
            "No gain was named, and there is no silent default.",
            f"Write --gain exponential, --gain linear or --gain table:0,1,3,7; or --preset {', '.join(PRESETS)}.",
        )
    if preset is not None and preset not in PRESETS:
        raise Refusal(f"There is no preset {preset!r}.", f"Choose one of {', '.join(PRESETS)}.")
    said: dict[str, Any] = {
        "gain": None if gain is None else read_gain(gain),
        "discount": None if discount is None else read_discount(discount),
        "ideal": ideal,
        "unjudged": unjudged,
        "ties": ties,
        "no_relevant": no_relevant,
        "missing": missing,
        "threshold": threshold,
    }
    changed = {name: value for name, value in said.items() if value is not None}
    return replace(PRESETS[preset].convention, **changed) if preset else Convention(k=10, **changed)
