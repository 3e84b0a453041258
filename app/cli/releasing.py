"""Commands on releases: conditions, freezing, exports and scores."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.calls import call, download, project_path
from app.cli.options import AsJson, group
from app.cli.refusal import RULE_SAYS_NO, Json, Refusal
from app.cli.terminal import note, tell

release = group(
    "See the conditions, freeze a release, list releases.",
    example="adjudge release conditions",
)


@release.command("conditions")
def release_conditions(as_json: AsJson = False) -> None:
    """List what a release asks, and what is met; exit with 1 where something is not.

    Example: adjudge release conditions
    """
    answer = call("GET", project_path("/releases/conditions"))
    lines = [f"{'met' if each['is_met'] else 'not met'}: {each['name']}: {each['sentence']}" for each in answer]
    tell(answer, as_json=as_json, lines=lines)
    if not all(each["is_met"] for each in answer):
        sys.exit(RULE_SAYS_NO)


@release.command("freeze")
def freeze(
    name: Annotated[str, typer.Option(help="What it is called.")],
    carry: Annotated[bool, typer.Option(help="Take in what earlier rubrics judged by the same levels.")] = False,
    waive: Annotated[str | None, typer.Option(help="Release without the gate, for this reason: ungated.")] = None,
    password: Annotated[str | None, typer.Option(envvar="ADJUDGE_PASSWORD", help="Yours; only with --waive.")] = None,
    as_json: AsJson = False,
) -> None:
    """Freeze a release.

    Example: adjudge release freeze --name "First release"
    """
    body: Json = {"name": name, "is_carrying": carry}
    if waive is not None:
        body |= {"waiver_reason": waive, "password": password or ""}
    answer = call("POST", project_path("/releases"), body=body)
    tell(answer, as_json=as_json, lines=[release_line(answer)])


@release.command("list")
def list_releases(as_json: AsJson = False) -> None:
    """List the releases.

    Example: adjudge release list
    """
    answer = call("GET", project_path("/releases"))
    tell(answer, as_json=as_json, lines=[release_line(each) for each in answer] or ["There is no release yet."])


def release_line(answer: Any) -> str:
    said = ", ".join(
        [f"gated: {str(answer['gated']).lower()}", *(each for each in answer["marks"] if each != "ungated")]
    )
    return f"{answer['id']}  release {answer['number']}, {said}, {answer['sha256']}"


def export(
    what: Annotated[str, typer.Argument(help="qrels, manifest, or the record of who did what.")],
    release_id: Annotated[str | None, typer.Option("--release", help="A release's id; the newest otherwise.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where to; standard output otherwise.")] = None,
    require_gated: Annotated[bool, typer.Option(help="Refuse a release that the gate did not let pass.")] = False,
) -> None:
    """Export a release, or the project's whole record, which `adjudge verify` checks anywhere.

    Example: adjudge export qrels -o judged.qrels --require-gated
    """
    if what == "record":
        if release_id or require_gated:
            raise typer.BadParameter("the record is the project's, not a release's: leave the options out")
        download(project_path("/history/record"), out)
        return
    if what not in ("qrels", "manifest"):
        raise typer.BadParameter("write qrels, manifest or record")
    if release_id is None:
        release_id = newest_release()
    check_gated(call("GET", project_path(f"/releases/{release_id}"))["gated"], require_gated=require_gated)
    download(project_path(f"/releases/{release_id}/{what}"), out)


def check_gated(gated: bool, *, require_gated: bool) -> None:
    """What no gate has let pass says so to whoever takes it."""
    if not gated and require_gated:
        raise Refusal("This release is ungated.", "Leave --require-gated out, or wait for a gated one.", status=409)
    if not gated:
        note("this release is ungated: no gate has let these judgments pass.")


def newest_release() -> str:
    """The id of the newest release of what was judged here; where there is none, the server says which rule says no."""
    judged = [each for each in call("GET", project_path("/releases")) if each["kind"] == "judged"]
    if not judged:
        call("GET", project_path("/qrels"))
        raise Refusal("There is no release yet.", "See adjudge release conditions.", status=409)
    return str(max(judged, key=lambda each: each["number"])["id"])


def score(
    release_id: Annotated[str | None, typer.Option("--release", help="A release's id; the newest otherwise.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="trec, pytrec_eval, ir_measures …; the project's own convention otherwise."),
    ] = None,
    run: Annotated[str | None, typer.Option(help="A run's name; all where none is given.")] = None,
    per_query: Annotated[bool, typer.Option(help="Each query too; with --json.")] = False,
    require_gated: Annotated[bool, typer.Option(help="Refuse a release that the gate did not let pass.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score the runs against a release, under a convention that stands above the numbers.

    Example: adjudge score --preset trec --run bm25
    """
    params: Json = {"release": release_id, "preset": preset, "run": run, "per_query": "true" if per_query else None}
    answer = call("GET", project_path("/scores"), params={name: each for name, each in params.items() if each})
    check_gated(answer["gated"], require_gated=require_gated)
    against = answer["release"]
    lines = [
        answer["convention"],
        f"release {against['number']}, {against['name']}, {against['sha256']}, gated: {str(answer['gated']).lower()}",
        *(
            [run_line(each) for each in answer["runs"]]
            or ["There is no run to score: bring one in by adjudge import runs."]
        ),
    ]
    tell(answer, as_json=as_json, lines=lines)


def run_line(run: Any) -> str:
    if run["refusal"]:
        return f"{run['name']}: {run['refusal']}"
    figures = ", ".join(f"{name} {said(measure['mean'])}" for name, measure in run["measures"].items())
    return f"{run['name']}: {figures}"


def said(mean: Any) -> str:
    return f"undefined ({mean['undefined']})" if mean["value"] is None else f"{mean['value']:.4f}"
