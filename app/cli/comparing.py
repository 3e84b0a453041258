"""`adjudge compare` and `adjudge plan`: whether runs differ by more than chance, and how many queries would show it."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.choices import Choices, ranking_runs, with_choices
from app.cli.files import AsCsv, Encoding, QrelsFile, faults_told, listed, one_form, print_csv
from app.cli.options import AsJson
from app.cli.refusal import Json, Refusal
from app.cli.terminal import tell
from app.words import plural


@with_choices
def compare(
    qrels: QrelsFile,
    runs: Annotated[list[Path], typer.Argument(help="The baseline, then the others.", metavar="RUN_A RUN_B...")],
    measure: Annotated[str, typer.Option("--measure", "-m", help="What is compared, as in nDCG@10.")] = "nDCG@10",
    beside: Annotated[
        str, typer.Option(help="What is shown beside it, as in recall@100,judged@10.")
    ] = "recall@100,judged@10",
    all_pairs: Annotated[bool, typer.Option(help="Every pair of runs, p by randomised Tukey HSD.")] = False,
    conventions: Annotated[bool, typer.Option(help="Whether the verdicts hold under other conventions.")] = False,
    moved: Annotated[int, typer.Option(help="How many of the queries that moved most are shown.", min=0)] = 5,
    confidence: Annotated[float, typer.Option(help="Of every interval; p is held against what it leaves, .05.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Of the permutation and of the studentised interval.", min=1)] = 10_000,
    seed: Annotated[int, typer.Option(help="Of both.", min=0)] = 0,
    *,
    choices: Choices,
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare runs over the same queries: the first is the baseline. Differences, intervals, tests, and a verdict.

    Example: adjudge compare judged.qrels bm25.run dense.run --gain exponential
    """
    one_form(as_json=as_json, as_csv=as_csv, beyond_csv={"--conventions": conventions})
    if len(runs) < 2:
        raise Refusal("A comparison needs two runs or more.", "Name the baseline first, then the others.")
    with faults_told():
        from app.cli.compared import Asked, describe
        from app.cli.compared_lines import say, table_of
        from app.cli.measured import beside_ndcg
        from app.measures.naming import ask

        chosen = choices.convention()
        compared = ranking_runs(measure, chosen, "Compare another measure: this one can stand --beside it.")
        measures = {measure.strip(): compared} | {name: ask(name, chosen) for name in listed(beside)}
        asked = Asked(
            measures=measures if as_json or as_csv else measures | beside_ndcg(measures),
            is_all_pairs=all_pairs,
            is_turned=conventions,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        answer = describe(qrels, runs, encoding, asked)
        answer["apart"] = choices.apart(asked.measures.values())
    if as_csv:
        print_csv(*table_of(answer))
        return
    tell(answer, as_json=as_json, lines=say(answer, moved))


def plan(
    delta: Annotated[float, typer.Option(help="The difference to be found, as in .03.", max=10**9)],
    sd: Annotated[
        float, typer.Option(help="Standard deviation of per-query differences; compare prints it.", max=10**9)
    ],
    queries: Annotated[
        int | None, typer.Option(help="What so many queries would detect, too.", min=2, max=10**12)
    ] = None,
    power: Annotated[float, typer.Option(help="The chance to find it.")] = 0.8,
    level: Annotated[float, typer.Option(help="The level of the test, two-sided.")] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Plan a query set: how many queries show a difference.

    Example: adjudge plan --delta .03 --sd .2
    """
    from app.measures.figures import figure, percent, short

    with faults_told():
        from app.measures.planning import detectable, fewest, queries_needed

        needed = queries_needed(delta, sd, power=power, level=level)
        answer: Json = {"delta": delta, "sd": sd, "power": power, "level": level, "queries": needed}
        test = f"two-sided test at {percent(level)}, power {percent(power)}, standard deviation {figure(sd, 0.0)}"
        lines = [
            f"paired differences, {test}",
            f"About {plural(needed, 'query shows', 'queries show')} a difference of {figure(delta, 0.0)}.",
        ]
        least = fewest(level)
        fewer = plural(least - 1, "query", "queries")
        alone = f"{fewer}, all going one way, leave p of the sign flips above {short(level)}"
        if needed == least > 2:
            lines.append(f"Fewer show nothing, however alike the differences are: {alone}.")
        if queries is not None and queries < least:
            answer["given"] = {"queries": queries, "detectable": None, "reason": f"{alone}, whatever the difference"}
            lines.append(f"{plural(queries, 'query shows', 'queries show')} nothing: {alone}. Take {least} or more.")
        elif queries is not None:
            smallest = detectable(queries, sd, power=power, level=level)
            answer["given"] = {"queries": queries, "detectable": smallest}
            lines.append(
                f"{plural(queries, 'query shows', 'queries show')} one of about {figure(smallest, 0.0)} or more."
            )
    tell(answer, as_json=as_json, lines=lines)
