"""Commands on the rubric: its draft, its versions, and what changed between them."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.calls import call, project_path, readable
from app.cli.options import AsJson, group
from app.cli.refusal import Json, Refusal
from app.cli.terminal import tell
from app.words import plural

rubric = group(
    "Write and publish the rubric, and look at its versions.",
    example="adjudge rubric templates passages > rubric.json",
)


@rubric.command("show")
def show_rubric(
    version: Annotated[int | None, typer.Option(min=1, help="Its number; the newest otherwise.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the published rubric, or an earlier version of it.

    Example: adjudge rubric show --version 1
    """
    path = "/rubric" if version is None else f"/rubrics/{id_of(version)}"
    tell_rubric(call("GET", project_path(path)), as_json=as_json)


def id_of(version: int) -> str:
    listed = {each["number"]: each["id"] for each in call("GET", project_path("/rubrics"))}
    if version not in listed:
        raise Refusal(f"There is no published version {version}.", "See adjudge rubric list.", status=404)
    return str(listed[version])


@rubric.command("list")
def list_versions(as_json: AsJson = False) -> None:
    """List the versions, with the rounds and grades that each holds.

    Example: adjudge rubric list
    """
    answer = call("GET", project_path("/rubrics"))
    lines = [
        f"version {each['number']}, family {each['family']}{', minor edit' if each['is_minor'] else ''}: "
        f"{plural(each['rounds'], 'round')}, {plural(each['grades'], 'grade')}"
        for each in answer
    ]
    tell(answer, as_json=as_json, lines=lines or ["No version is published yet."])


@rubric.command("diff")
def show_difference(old: int, new: int, as_json: AsJson = False) -> None:
    """Show what changed between two versions: [-taken out-] and {+put in+}.

    Example: adjudge rubric diff 1 2
    """
    answer = call("GET", project_path("/rubrics/diff"), params={"old": old, "new": new})
    lines = [f"{each['part']}: {''.join(map(piece_of, each['pieces']))}" for each in answer["changes"]]
    tell(answer, as_json=as_json, lines=lines or ["Both read the same, word for word."])


def piece_of(piece: Json) -> str:
    left, right = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "same": ("", "")}[piece["kind"]]
    return f"{left}{piece['text']}{right}"


@rubric.command("write")
def write_rubric(file: Path, as_json: AsJson = False) -> None:
    """Write the draft from a JSON file: {"levels": [{"name": …, "question": …}, …], "threshold": 1}, lowest first.
    docs/rubrics.md says what else may stand in it.

    Example: adjudge rubric write rubric.json
    """
    tell_rubric(call("PUT", project_path("/rubric"), body=read_json(file)), as_json=as_json)


@rubric.command("templates")
def list_templates(
    name: Annotated[str | None, typer.Argument(help="Print this one as JSON, to be changed and written.")] = None,
    as_json: AsJson = False,
) -> None:
    """List rubrics to begin with, or print one.

    Example: adjudge rubric templates passages > rubric.json
    """
    answer = {each["name"]: each for each in call("GET", project_path("/rubric/templates"))}
    if name is None:
        lines = [f"{each['name']}: {each['title']}. {each['explanation']}" for each in answer.values()]
        tell(list(answer.values()), as_json=as_json, lines=lines)
        return
    if name not in answer:
        raise Refusal(f"There is no template “{name}”.", f"Choose one of {', '.join(answer)}.")
    tell(answer[name]["rubric"], as_json=True, lines=[])


@rubric.command("publish")
def publish_rubric(
    reason: Annotated[str, typer.Option(help="Why a level compares documents, where one does.")] = "",
    minor: Annotated[bool, typer.Option(help="Only wording changed: grades count with the version before's.")] = False,
    as_json: AsJson = False,
) -> None:
    """Publish the draft; from then on it is frozen.

    Example: adjudge rubric publish
    """
    body: Json = {"comparative_reason": reason, "is_minor": minor}
    tell_rubric(call("POST", project_path("/rubric/publication"), body=body), as_json=as_json)


def tell_rubric(answer: Any, *, as_json: bool) -> None:
    state = "published" if answer["is_published"] else "draft"
    levels = [f"  {at}  {each['name']}: {each['question']}" for at, each in enumerate(answer["levels"])]
    warnings = [f"warning: {each['sentence']} {each['way_out']}" for each in answer["findings"]]
    tell(answer, as_json=as_json, lines=[f"Rubric {answer['number']}, {state}", *levels, *warnings])


def read_json(file: Path) -> Json:
    try:
        value = json.loads(readable(file).read_text("utf-8"))
    except UnicodeDecodeError as error:
        raise Refusal(f"{file} is not UTF-8: {error.reason} at byte {error.start}.", "Save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise Refusal(f"{file}, line {error.lineno}: this is not JSON: {error.msg}.", "Correct it there.") from error
    if not isinstance(value, dict):
        raise Refusal(f"{file}, line 1: this is not a JSON object.", "Write it as {…}.")
    return value
