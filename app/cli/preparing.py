"""Commands up to the pool: the project and its files."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.calls import call, parted, project_path
from app.cli.options import AsJson, group
from app.cli.pooling import RunsOrVerbs
from app.cli.refusal import Json
from app.cli.terminal import tell
from app.words import plural

project = group(
    "Start a project, and see where it stands.",
    example="adjudge project show",
)
KINDS = ("queries", "documents", "runs", "pairs", "grades", "qrels", "assignments")
pool = group(
    "Look at a pool and draw it: of files with adjudge pool RUN... (its options: adjudge pool runs --help), of a "
    "project with the commands below. A run that is called like one of them, look for instance, is written ./look.",
    example="adjudge pool bm25.run dense.run --depth 20 --out pairs.tsv --qrels judged.qrels --gain linear",
    cls=RunsOrVerbs,
)


@project.command("start")
def start_project(
    name: str,
    gain: Annotated[str, typer.Option(help="exponential, linear or table.")],
    reason: Annotated[str, typer.Option(help="Why this gain fits your users.")],
    gain_table: Annotated[str | None, typer.Option(help="With --gain table: a number for each level, 0,1,3,7.")] = None,
    policy: Annotated[str, typer.Option(help="strict, standard or exploratory.")] = "standard",
    small_set: Annotated[
        bool, typer.Option(help="The gate's smaller minimum, marked in everything that leaves.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Start a project; needs a token with the right to start, and prints one for the new project.

    Example: adjudge project start "Developer help" --gain exponential --reason "One perfect answer matters most."
    """
    body: Json = {"name": name, "gain": gain, "gain_reason": reason, "policy": policy, "is_small_set": small_set}
    if gain_table is not None:
        body["gain_table"] = numbers(gain_table)
    answer = call("POST", "/projects", body=body)
    shown = [f"ADJUDGE_PROJECT={answer['id']}", f"ADJUDGE_TOKEN={answer['token']}"]
    tell(answer, as_json=as_json, lines=shown)


def numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter("write numbers with commas between: 0,1,3,7") from None


@project.command("show")
def show_project(as_json: AsJson = False) -> None:
    """Show the project that ADJUDGE_PROJECT names.

    Example: adjudge project show
    """
    answer = call("GET", project_path())
    lines = [f"{answer['name']}: gain {answer['gain']}, policy {answer['policy']}; you are its {answer['role']}."]
    tell(answer, as_json=as_json, lines=lines)


def bring_in(
    kind: Annotated[str, typer.Argument(help="queries, documents, runs, pairs, grades, qrels or assignments.")],
    file: Path,
    dry_run: Annotated[bool, typer.Option(help="Only look: nothing is written.")] = False,
    choose: Annotated[list[str] | None, typer.Option(help="What the import page asks, as name=value.")] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a file in: all of it or nothing.

    Example: adjudge import runs bm25.run --choose name=bm25
    """
    if kind not in KINDS:
        raise typer.BadParameter(f"write one of {', '.join(KINDS)}", param_hint="KIND")
    params = {"dry_run": "true" if dry_run else "false"}
    fields = parted(choose or [], "--choose")
    answer = call("POST", project_path(f"/imports/{kind}"), params=params, file=file, fields=fields)
    counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in answer["counts"].items())
    done = "would be brought in" if dry_run else "brought in"
    read = [f"  read: {note}" for note in answer["recognised"]["notes"]]
    notes = [f"  {note}" for note in answer["notes"]]
    tell(answer, as_json=as_json, lines=[f"{file.name}: {done}: {counts}", *read, *notes])


@pool.command("look")
def look_at_pool(
    depth: Annotated[int, typer.Option(help="How far down each run.")] = 20,
    run: Annotated[list[str] | None, typer.Option(help="A run's name; all where none is given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a pool would hold and cost.

    Example: adjudge pool look --depth 20
    """
    answer = call("GET", project_path("/pool"), params={"depth": depth, "run": run or []})
    each = answer["pairs_per_query"]
    lines = [
        (
            f"{plural(answer['pairs'], 'pair')} for {plural(answer['queries'], 'query', 'queries')}: "
            f"{each['fewest']:g} to {each['most']:g} a query, median {each['median']:g}"
        ),
        f"{answer['hours']:.2f} hours, {answer['money']:,.0f} to pay",
        *(f"  only {name}: {number:,}" for name, number in answer["unique"].items()),
    ]
    tell(answer, as_json=as_json, lines=lines)


@pool.command("draw")
def draw_pool(
    depth: Annotated[int, typer.Option(help="How far down each run.")] = 20,
    run: Annotated[list[str] | None, typer.Option(help="A run's name; all where none is given.")] = None,
    placeholders: Annotated[bool, typer.Option(help="Draw documents without text too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw the pool.

    Example: adjudge pool draw --depth 20
    """
    body = {"depth": depth, "runs": run or [], "placeholders": placeholders}
    answer = call("POST", project_path("/pools"), body=body)
    tell(answer, as_json=as_json, lines=[f"Pool {answer['number']}: {plural(answer['pairs'], 'pair')}"])
