"""`adjudge pool RUN...`: the pool of runs in files, its size, overlap and price, and what each run means to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.choices import Choices, GainName, PresetName, ranking_runs
from app.cli.files import Encoding, RunFiles, faults_told
from app.cli.options import AsJson
from app.cli.refusal import Refusal
from app.cli.terminal import note, tell
from app.words import plural


class RunsOrVerbs(TyperGroup):
    """`adjudge pool a.run b.run` is about files, `adjudge pool look` and `draw` about a project on a server. A file
    that is called like one of the verbs is written ./look.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_verb = not args or args[0] in self.commands or args[0] == "--help"
        return super().parse_args(ctx, args if is_verb else ["runs", *args])


def pool(
    runs: RunFiles,
    depth: Annotated[int, typer.Option(help="How far down each run.", min=1, max=10**9)] = 20,
    qrels: Annotated[
        Path | None, typer.Option(help="Judgments, to leave each run out in turn; needs --gain or --preset.")
    ] = None,
    measure: Annotated[str, typer.Option("--measure", "-m", help="What is measured then.")] = "nDCG@10",
    preset: PresetName = None,
    gain: GainName = None,
    labellers: Annotated[int, typer.Option(help="How many grade each pair.", min=1)] = 2,
    seconds: Annotated[float, typer.Option(help="What a pair takes each.", min=0)] = 25,
    rate: Annotated[float, typer.Option(help="What an hour costs.", min=0)] = 60,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the pairs there, qid and docno, over what is there.")
    ] = None,
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Look at the pool of runs in files: size, overlap, what each run alone brings, and what judging it costs.

    Example: adjudge pool bm25.run dense.run --depth 20
    """
    if qrels is None and (gain, preset) != (None, None):
        raise Refusal(
            "Nothing is measured without judgments.", "Name them, --qrels FILE, or leave --gain and --preset out."
        )
    with faults_told():
        from app.cli import pooled, pooled_lines

        convention = None
        if qrels is not None:
            chosen = Choices(preset=preset, gain=gain).convention()
            convention = ranking_runs(measure, chosen, "Measure another, as in nDCG@10.")
        read = pooled.read_runs(runs, encoding, depth)
        pairs = pooled.pool_of(read, depth)
        answer = pooled.describe(read, pairs, depth)
        answer |= pooled.price(answer["pairs"], labellers, seconds, rate)
        if qrels is not None and convention is not None:
            answer["left_out"] = pooled.left_out(read, qrels, depth, convention, encoding)
    if out is not None:
        write_pairs(pairs, out, beside=[*runs, *([qrels] if qrels else [])])
        note(f"{plural(answer['pairs'], 'pair is', 'pairs are')} written to {out}.")
    tell(answer, as_json=as_json, lines=list(pooled_lines.say(answer)))


def write_pairs(pool: Mapping[str, Sequence[str]], out: Path, *, beside: Sequence[Path]) -> None:
    if out.exists() and any(out.samefile(path) for path in beside if path.exists()):
        raise Refusal(f"{out} is one of the files that were read.", "Choose another place.")
    lines = "".join(f"{qid}\t{docno}\n" for qid, docnos in pool.items() for docno in docnos)
    try:
        out.write_text(lines, "utf-8", errors="surrogateescape", newline="")
    except OSError as error:
        raise Refusal(f"{out} can't be written: {error.strerror}.", "Choose another place.") from error
