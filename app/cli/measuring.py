"""`adjudge measure`: scores of runs against judgments, from plain files, without a database."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.choices import Choices, with_choices
from app.cli.files import AsCsv, Encoding, QrelsFile, RunFiles, faults_told, listed, one_form, print_csv
from app.cli.options import AsJson
from app.cli.refusal import Refusal
from app.cli.terminal import tell
from app.measures.conventions import plain


@with_choices
def measure(
    qrels: QrelsFile,
    runs: RunFiles,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            help="nDCG@10, DCG, recall@100, precision@10, AP, RR, hit@1, bpref, judged@10, RBP(p=0.85), …, as often as "
            "wanted or with commas between; names of ir_measures too. Otherwise nDCG@10, recall@100 and judged@10.",
            metavar="NAME",
        ),
    ] = None,
    *,
    choices: Choices,
    per_query: Annotated[bool, typer.Option(help="A line for each query too.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            help="This query by hand: each rank's gain, discount and share; with --csv in the means' place.",
            metavar="QID",
        ),
    ] = None,
    scenarios: Annotated[
        str | None,
        typer.Option(
            help="What the means would be, had the unjudged within the cut-off been judged with these grades.",
            metavar="0,1,2,3",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="Weighted means too, by a file with a query and its weight a line: CSV, TSV or with blanks.",
            metavar="FILE",
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Score runs against judgments. Either --preset or --gain must be given: there is no silent default.

    Example: adjudge measure judged.qrels bm25.run dense.run --gain exponential -m nDCG@10 -m recall@100
    """
    beyond = {"--scenarios": scenarios is not None, "--weights": weights is not None}
    beyond |= {"--per-query with --explain": per_query and explain is not None}
    one_form(as_json=as_json, as_csv=as_csv, beyond_csv=beyond)
    with faults_told():
        chosen = choices.convention()
        from app.cli import measured, measured_lines
        from app.measures.naming import ask

        names = [name for given in measures or measured.USUAL for name in listed(given) or [given]]
        asked = {name: ask(name, chosen) for name in names}
        extras = measured.Extras(explain, levels_in(scenarios), weights)
        beside = {} if as_json or as_csv else measured.beside_ndcg(asked)
        answer = measured.describe(qrels, runs, encoding, asked, extras, beside)
        answer["apart"] = choices.apart((asked | beside).values())
    if as_csv:
        print_csv(*measured_lines.table_of(answer, is_per_query=per_query, is_by_hand=explain is not None))
        return
    tell(answer, as_json=as_json, lines=measured_lines.say(answer, is_per_query=per_query))


def levels_in(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        levels = [float(plain(level)) for level in text.split(",")]
    except ValueError:
        raise Refusal(f"{text!r} is no list of grades.", "Write numbers with commas between: 0,1,2,3.") from None
    return [int(level) if level.is_integer() else level for level in levels]
