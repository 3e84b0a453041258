"""Commands on rounds: opening, following, sharing out anew and closing them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.calls import call, download, project_path
from app.cli.options import AsJson, group
from app.cli.refusal import Json, Refusal
from app.cli.terminal import tell
from app.words import plural

round_ = group(
    "Open, follow and close rounds of judging.",
    example="adjudge round open agreement --queries 33 --labeller Ana --labeller Ben --seed 7",
)


@round_.command("open")
def open_round(
    kind: Annotated[str, typer.Argument(help="agreement or main.")],
    queries: Annotated[int | None, typer.Option(help="How many queries to draw; 33 in an agreement round.")] = None,
    qid: Annotated[list[str] | None, typer.Option(help="A query by its id, as often as needed, instead.")] = None,
    labeller: Annotated[list[str] | None, typer.Option(help="A labeller's name; all where none is given.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draws queries and orders; stated on the round's page.")] = None,
    overlap: Annotated[
        float | None, typer.Option(help="Share of a main round's queries judged twice: .10 is a tenth.")
    ] = None,
    claimed: Annotated[
        int | None, typer.Option(help="Let labellers claim; after so many minutes without a grade a claim returns.")
    ] = None,
    repeats: Annotated[
        float | None, typer.Option(help="Share of everybody's pairs that is shown again: .05 is five percent.")
    ] = None,
    quiz: Annotated[int | None, typer.Option(help="How many gold pairs everybody judges first.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Only say what it would be, and how the work would be shared.")] = False,
    before_gate: Annotated[bool, typer.Option(help="Open a main round although the gate has not passed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open a round of judging.

    Example: adjudge round open agreement --queries 33 --labeller Ana --labeller Ben --seed 7
    """
    body: Json = {"kind": kind, "is_warned": before_gate}
    named = None if claimed else member_ids(labeller or [])
    given = {
        "queries": qid or queries,
        "seed": seed,
        "overlap": overlap,
        "labellers": named,
        "idle_minutes": claimed,
        "repeats": repeats,
        "quiz": quiz,
    }
    body |= {name: value for name, value in given.items() if value is not None}
    if dry_run:
        tell_plan(call("POST", project_path("/rounds/plan"), body=body), as_json=as_json)
    else:
        tell_round(call("POST", project_path("/rounds"), body=body), as_json=as_json)


def tell_plan(answer: Any, *, as_json: bool) -> None:
    queries = f"{plural(len(answer['queries']), 'query', 'queries')}, {len(answer['twice']):,} of them to two labellers"
    checks = f", {answer['checks']:,} of them hidden checks" if answer["checks"] else ""
    said = f"Not opened: {queries}; {plural(answer['grades'], 'grade')} to give{checks}, seed {answer['seed']}"
    load = [f"  {name}: {plural(pairs, 'pair')}" for name, pairs in answer["load"].items()]
    slices = [
        f"  slice {name or 'none'}: {queries:,}, {twice:,} to two"
        for name, (queries, twice) in answer["slices"].items()
    ]
    tell(answer, as_json=as_json, lines=[said, *load, *slices])


def member_ids(names: list[str]) -> list[str]:
    """Ids of the members with these names; of every labeller with an account where none is named."""
    members = call("GET", project_path("/members"))
    if not names:
        return [each["id"] for each in members if each["role"] == "labeller" and each["email"]]
    known = {each["name"]: each["id"] for each in members}
    for name in names:
        if name not in known:
            raise Refusal(f"Nobody here is called “{name}”.", f"Members are {', '.join(sorted(known))}.")
    return [known[name] for name in names]


@round_.command("list")
def list_rounds(as_json: AsJson = False) -> None:
    """List the rounds.

    Example: adjudge round list
    """
    answer = call("GET", project_path("/rounds"))
    tell(answer, as_json=as_json, lines=[round_line(each) for each in answer])


@round_.command("show")
def show_round(round_id: str, as_json: AsJson = False) -> None:
    """Show how far a round is, and where its grades came from.

    Example: adjudge round show 3fq7…
    """
    tell_round(call("GET", project_path(f"/rounds/{round_id}")), as_json=as_json)


@round_.command("assignments")
def export_assignments(
    round_id: str,
    out: Annotated[Path | None, typer.Option(help="A file; standard output without it.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="csv, tsv, or spreadsheet: a CSV that is safe to open.")
    ] = "csv",
) -> None:
    """Write who is asked for which pair, and whether they have answered. `adjudge import assignments` reads it.

    Example: adjudge round assignments 3fq7… --out round.csv
    """
    download(project_path(f"/rounds/{round_id}/assignments"), out, params={"format": form})


@round_.command("widen")
def widen_round(
    round_id: str,
    queries: Annotated[int | None, typer.Option(help="How many to draw.")] = None,
    qid: Annotated[list[str] | None, typer.Option(help="A query by its id, as often as needed, instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add fresh queries to an open agreement round that has not enough evidence.

    Example: adjudge round widen 3fq7… --queries 12
    """
    body = {"queries": qid or queries}
    tell_round(call("POST", project_path(f"/rounds/{round_id}/queries"), body=body), as_json=as_json)


@round_.command("give")
def give_query(
    round_id: str,
    qid: Annotated[str, typer.Argument(help="The query's id.")],
    labeller: Annotated[str, typer.Option("--to", help="Who judges what is left of it.")],
    of: Annotated[str | None, typer.Option("--from", help="Whose it is; without it, a place that is free.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give what is ungraded of a query to another labeller.

    Example: adjudge round give 3fq7… q12 --from Ana --to Ben
    """
    (to,) = member_ids([labeller])
    shown = call("GET", project_path(f"/rounds/{round_id}"))
    places = [each for query in shown["by_query"] if query["qid"] == qid for each in query["labellers"]]
    place = next((each for each in places if each["name"] == of and each["graded"] < each["pairs"]), None)
    if place is None:
        whose = f"{of} has" if of else "Nobody left"
        raise Refusal(f"{whose} nothing ungraded of “{qid}” in this round.", "See adjudge round show.")
    body = {"labeller": to}
    tell_round(call("POST", project_path(f"/deals/{place['deal_id']}/labeller"), body=body), as_json=as_json)


@round_.command("qualify")
def qualify(
    round_id: str,
    labeller: Annotated[str, typer.Option(help="The name of who joined late.")],
    queries: Annotated[int | None, typer.Option(help="How many; as many as a release asks for without it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Deal a labeller queries that two people have judged already.

    Example: adjudge round qualify 3fq7… --labeller Dan
    """
    body = {"labeller": member_ids([labeller])[0], "queries": queries}
    answer = call("POST", project_path(f"/rounds/{round_id}/qualifications"), body=body)
    tell(answer, as_json=as_json, lines=[f"Dealt: {', '.join(answer['qids'])}"])


@round_.command("experts")
def give_to_expert(
    round_id: str,
    labeller: Annotated[str, typer.Option(help="The name of who knows the field.")],
    as_json: AsJson = False,
) -> None:
    """Give a labeller the pairs of which all who were asked said that they need expertise.

    Example: adjudge round experts 3fq7… --labeller Dan
    """
    body = {"labeller": member_ids([labeller])[0]}
    answer = call("POST", project_path(f"/rounds/{round_id}/experts"), body=body)
    tell(answer, as_json=as_json, lines=[f"Dealt: {plural(answer['pairs'], 'pair')}"])


@round_.command("close")
def close_round(round_id: str, as_json: AsJson = False) -> None:
    """Close a round: its grades stay as they are.

    Example: adjudge round close 3fq7…
    """
    tell_round(call("POST", project_path(f"/rounds/{round_id}/closure")), as_json=as_json)


@round_.command("reopen")
def reopen_round(round_id: str, as_json: AsJson = False) -> None:
    """Open a closed round again.

    Example: adjudge round reopen 3fq7…
    """
    tell_round(call("DELETE", project_path(f"/rounds/{round_id}/closure")), as_json=as_json)


def tell_round(answer: Any, *, as_json: bool) -> None:
    progress = [f"  {each['name']}: {each['graded']:,} of {each['pairs']:,} graded" for each in answer["labellers"]]
    origins = [f"  by {origin}: {number:,}" for origin, number in answer["grades_by_origin"].items()]
    ends = f"ends about {answer['ends_at'][:10]}" if answer["ends_at"] else "no end in sight"
    pace = f"  {plural(round(answer['a_day']), 'pair')} a day, {ends}; {answer['hours']:.1f} hours so far"
    tell(answer, as_json=as_json, lines=[round_line(answer), *progress, *origins, pace])


def round_line(answer: Any) -> str:
    state = "closed" if answer["closed_at"] else "open"
    way = f"claimed, idle after {plural(answer['idle_minutes'], 'minute')}" if answer["idle_minutes"] else "dealt"
    return f"{answer['id']}  round {answer['number']}, {answer['kind']}, {way}, {state}, seed {answer['seed']}"
