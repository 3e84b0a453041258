"""`adjudge pool RUN...`: the pool of runs in files, its size, overlap and price, and what each run means to it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.calls import Json, Refusal
from app.cli.choices import GainName, PresetName, choose
from app.cli.files import Encoding, RunFiles, faults_told, sha256_of
from app.cli.options import AsJson
from app.cli.terminal import tell

if TYPE_CHECKING:
    from app.cli.reading import Run
    from app.measures.conventions import Convention


class RunsOrVerbs(TyperGroup):
    """`adjudge pool a.run b.run` is about files, `adjudge pool look` and `draw` about a project on a server. A file
    that is called like one of the verbs is written ./look.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_verb = not args or args[0] in self.commands or args[0] == "--help"
        return super().parse_args(ctx, args if is_verb else ["runs", *args])


def pool(
    runs: RunFiles,
    depth: Annotated[int, typer.Option(help="How far down each run.", min=1)] = 20,
    qrels: Annotated[
        Path | None, typer.Option(help="Judgments, to leave each run out in turn; needs --gain or --preset.")
    ] = None,
    measure: Annotated[str, typer.Option("--measure", "-m", help="What is measured then.")] = "nDCG@10",
    preset: PresetName = None,
    gain: GainName = None,
    labellers: Annotated[int, typer.Option(help="How many grade each pair.", min=1)] = 2,
    seconds: Annotated[float, typer.Option(help="What a pair takes each.", min=0)] = 25,
    rate: Annotated[float, typer.Option(help="What an hour costs.", min=0)] = 60,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the pairs there, qid and docno.")] = None,
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Look at the pool of runs in files: size, overlap, what each run alone brings, and what judging it costs.

    Example: adjudge pool bm25.run dense.run --depth 20
    """
    with faults_told():
        from app.cli.reading import read_all_runs
        from app.measures.naming import ask
        from app.measures.pooling import cost, depth_pool, pool_size, top

        convention = None if qrels is None else ask(measure, chosen(preset, gain))
        read = read_all_runs(runs, encoding)
        tops = {run.name: {qid: top(ranking, depth) for qid, ranking in run.rankings.items()} for run in read}
        pooled = depth_pool(tops, depth)
        size = pool_size(pooled)
        price = cost(size.pairs, labellers, seconds, rate)
        answer: Json = {
            "convention": {"line": f"pool depth={depth} ties=docno", "depth": depth, "ties": "docno"},
            "queries": size.queries,
            "pairs": size.pairs,
            "pairs_per_query": {"fewest": size.fewest, "median": size.median, "most": size.most},
            **contributions(read, tops, depth),
            "labellers": labellers,
            "seconds": seconds,
            "rate": rate,
            "hours": price.hours,
            "money": price.money,
        }
        if qrels is not None and convention is not None:
            answer["left_out"] = left_out(read, qrels, depth, convention, encoding)
    if out is not None:
        write_pairs(pooled, out)
    tell(answer, as_json=as_json, lines=list(lines_of(answer)))


def chosen(preset: str | None, gain: str | None) -> "Convention":
    return choose(
        preset=preset,
        gain=gain,
        discount=None,
        ideal=None,
        unjudged=None,
        ties=None,
        no_relevant=None,
        missing=None,
        threshold=None,
    )


def contributions(runs: Sequence["Run"], tops: Mapping[str, Mapping[str, Sequence[str]]], depth: int) -> Json:
    """`overlap[i][j]` counts the pairs within the depth that runs i and j both hold, i's own where they are one."""
    from app.measures.pooling import overlap, unique_contributions

    unique = unique_contributions(tops, depth)
    shared = overlap(tops, depth).shared.tolist()
    return {
        "runs": [
            {
                "path": str(run.path),
                "name": run.name,
                "tag": run.tag,
                "sha256": run.sha256,
                "queries": len(run.rankings),
                "pairs": shared[at][at],
                "unique": unique[run.name],
            }
            for at, run in enumerate(runs)
        ],
        "overlap": shared,
    }


def left_out(runs: Sequence["Run"], qrels: Path, depth: int, convention: "Convention", encoding: str) -> Json:
    from app.cli.reading import read_judgments
    from app.measures.leaving_out import leave_each_out
    from app.measures.undefined import Undefined

    def number(value: float | Undefined) -> float | None:
        return None if isinstance(value, Undefined) else value

    found = leave_each_out({run.name: run.rankings for run in runs}, read_judgments(qrels, encoding), depth, convention)
    return {
        "convention": convention.line,
        "qrels": {"path": str(qrels), "sha256": sha256_of(qrels)},
        "runs": [
            {
                "name": one.run,
                "lost": one.lost,
                "value": number(one.value),
                "without": number(one.without),
                "change": number(one.change),
                "reason": one.change.reason if isinstance(one.change, Undefined) else None,
                "rank": number(one.rank),
                "rank_without": number(one.rank_without),
                "is_flagged": one.is_flagged,
            }
            for one in found
        ],
    }


def write_pairs(pooled: Mapping[str, Sequence[str]], out: Path) -> None:
    pairs = "".join(f"{qid}\t{docno}\n" for qid, docnos in pooled.items() for docno in docnos)
    try:
        out.write_text(pairs, "utf-8", errors="surrogateescape", newline="")
    except OSError as error:
        raise Refusal(f"{out} can't be written: {error.strerror}.", "Choose another place.") from error


def lines_of(answer: Json) -> Iterator[str]:
    from app.measures.figures import percent

    each = answer["pairs_per_query"]
    yield answer["convention"]["line"]
    yield (
        f"{answer['pairs']:,} pairs for {answer['queries']:,} queries: {each['fewest']:,} to {each['most']:,} a query, "
        f"median {each['median']:g}"
    )
    yield (
        f"{answer['hours']:,.2f} hours and {answer['money']:,.0f} for {answer['labellers']} labellers at "
        f"{answer['seconds']:g} seconds a pair and {answer['rate']:g} an hour"
    )
    for at, run in enumerate(answer["runs"]):
        pairs = run["pairs"]
        shared = [
            f"{percent(answer['overlap'][at][other] / pairs)} with {one['name']}"
            for other, one in enumerate(answer["runs"])
            if other != at and pairs
        ]
        told = f"{pairs:,} pairs, {run['unique']:,} of them its own"
        yield f"  {run['name']}: {told}; shares {', '.join(shared) or 'none'}"
    if "left_out" in answer:
        yield from left_out_lines(answer["left_out"])


def left_out_lines(left: Json) -> Iterator[str]:
    from app.measures.figures import figure

    yield f"If a run had not been pooled, by {left['qrels']['path']}: {left['convention']}"
    for one in left["runs"]:
        flag = "; the judged set leans on it" if one["is_flagged"] else ""
        if one["change"] is None:
            yield f"  {one['name']}: undefined, {one['reason']}{flag}"
        else:
            yield (
                f"  {one['name']}: {figure(one['value'], 0.0)} to {figure(one['without'], 0.0)}, rank {one['rank']} to "
                f"{one['rank_without']}, {one['lost']:,} judgments fewer{flag}"
            )
