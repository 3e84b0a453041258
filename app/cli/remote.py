"""Commands on a project of a server: what the pages do, over the API, so that a script can drive a whole project."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.calls import RULE_SAYS_NO, Json, Refusal, call, download, parted, project_path, readable, tell

AsJson = Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")]
OPTIONS: Json = {"no_args_is_help": True, "pretty_exceptions_enable": False, "add_completion": False}
project = typer.Typer(help="Start a project, and see where it stands.", **OPTIONS)
rubric = typer.Typer(help="Write and publish the rubric.", **OPTIONS)
pool = typer.Typer(help="Look at a pool, and draw it.", **OPTIONS)
round_ = typer.Typer(help="Open, follow and close rounds of judging.", **OPTIONS)
desk = typer.Typer(help="One's own assignments, and grading them.", **OPTIONS)
adjudication = typer.Typer(help="Decide pairs on which labellers differ.", **OPTIONS)
release = typer.Typer(help="See the conditions, freeze a release, list releases.", **OPTIONS)


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


@rubric.command("show")
def show_rubric(as_json: AsJson = False) -> None:
    """Show the published rubric.

    Example: adjudge rubric show
    """
    tell_rubric(call("GET", project_path("/rubric")), as_json=as_json)


@rubric.command("write")
def write_rubric(file: Path, as_json: AsJson = False) -> None:
    """Write the draft from a JSON file: {"levels": [{"name": …, "question": …}, …], "threshold": 1}, lowest first.

    Example: adjudge rubric write rubric.json
    """
    tell_rubric(call("PUT", project_path("/rubric"), body=read_json(file)), as_json=as_json)


@rubric.command("publish")
def publish_rubric(
    reason: Annotated[str, typer.Option(help="Why a level compares documents, where one does.")] = "",
    as_json: AsJson = False,
) -> None:
    """Publish the draft; from then on it is frozen.

    Example: adjudge rubric publish
    """
    body = {"comparative_reason": reason}
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


def bring_in(
    kind: Annotated[str, typer.Argument(help="queries, documents, runs, pairs, grades or qrels.")],
    file: Path,
    dry_run: Annotated[bool, typer.Option(help="Only look: nothing is written.")] = False,
    choose: Annotated[list[str] | None, typer.Option(help="What the import page asks, as name=value.")] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a file in: all of it or nothing.

    Example: adjudge import runs bm25.run --choose name=bm25
    """
    params = {"dry_run": "true" if dry_run else "false"}
    fields = parted(choose or [], "--choose")
    answer = call("POST", project_path(f"/imports/{kind}"), params=params, file=file, fields=fields)
    counts = ", ".join(f"{number:,} {name}" for name, number in answer["counts"].items())
    done = "would be brought in" if dry_run else "brought in"
    notes = [f"  {note}" for note in answer.get("notes", [])]
    tell(answer, as_json=as_json, lines=[f"{file.name}: {done}: {counts}", *notes])


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
            f"{answer['pairs']:,} pairs for {answer['queries']:,} queries: "
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
    tell(answer, as_json=as_json, lines=[f"Pool {answer['number']}: {answer['pairs']:,} pairs"])


@round_.command("open")
def open_round(
    kind: Annotated[str, typer.Argument(help="agreement or main.")],
    queries: Annotated[int | None, typer.Option(help="How many queries to draw; 33 in an agreement round.")] = None,
    qid: Annotated[list[str] | None, typer.Option(help="A query by its id, as often as needed, instead.")] = None,
    labeller: Annotated[list[str] | None, typer.Option(help="A labeller's name; all where none is given.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draws queries and orders; stated on the round's page.")] = None,
    overlap: Annotated[float | None, typer.Option(help="Share of a main round's queries judged twice.")] = None,
    before_gate: Annotated[bool, typer.Option(help="Open a main round although the gate has not passed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open a round of judging.

    Example: adjudge round open agreement --queries 33 --labeller Ana --labeller Ben --seed 7
    """
    body: Json = {"kind": kind, "is_warned": before_gate, "labellers": member_ids(labeller or [])}
    given = {"queries": qid or queries, "seed": seed, "overlap": overlap}
    body |= {name: value for name, value in given.items() if value is not None}
    tell_round(call("POST", project_path("/rounds"), body=body), as_json=as_json)


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
    tell(answer, as_json=as_json, lines=[round_line(answer)])


def round_line(answer: Any) -> str:
    state = "closed" if answer["closed_at"] else "open"
    return f"{answer['id']}  round {answer['number']}, {answer['kind']}, {state}, seed {answer['seed']}"


@desk.command("next")
def next_assignments(limit: Annotated[int, typer.Option(help="How many.")] = 1, as_json: AsJson = False) -> None:
    """Show the next pairs to grade, with what `desk grade` needs.

    Example: adjudge desk next --limit 5 --json
    """
    answer = call("GET", project_path("/assignments"), params={"state": "open", "limit": limit})
    lines = [
        f"{each['id']}  {each['query']['qid']}  {each['document']['docno']}  {each['document']['title']}"
        for each in answer
    ]
    tell(answer, as_json=as_json, lines=lines or ["Nothing is left to grade."])


@desk.command("grade")
def grade(
    assignment: Annotated[str, typer.Argument(help="The assignment's id.")],
    level: Annotated[int | None, typer.Option(help="The level's number.")] = None,
    cannot: Annotated[str | None, typer.Option(help="Why it can't be judged, instead of a level.")] = None,
    rationale: Annotated[str, typer.Option(help="Why, for the adjudicator.")] = "",
    as_json: AsJson = False,
) -> None:
    """Grade one pair as it stands now.

    Example: adjudge desk grade 5hd2… --level 2
    """
    shown = call("GET", project_path(f"/assignments/{assignment}"))
    body: Json = {"rationale": rationale, **{name: shown[name] for name in ("key", "revision", "text_hash")}}
    body |= {"level": level} if cannot is None else {"reason": cannot}
    answer = call("POST", project_path(f"/assignments/{assignment}/grades"), body=body)
    said = f"level {level}" if cannot is None else f"can't judge: {cannot}"
    tell(answer, as_json=as_json, lines=[f"Saved: {shown['query']['qid']} {shown['document']['docno']}: {said}"])


def agreement(
    require_passed: Annotated[bool, typer.Option(help="Exit with 1 unless the gate has passed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show kappa, its interval, and what the gate says.

    Example: adjudge agreement --require-passed
    """
    answer = call("GET", project_path("/agreement"))
    conditions = [
        f"  {'met' if each['is_met'] else 'not met'}: {each['name']}: asked {each['asked']}, found {each['found']}"
        for each in answer["conditions"]
    ]
    tell(answer, as_json=as_json, lines=[answer["sentence"], *conditions])
    if require_passed and answer["answer"] != "passed":
        sys.exit(RULE_SAYS_NO)


@adjudication.command("queue")
def adjudication_queue(limit: Annotated[int, typer.Option(help="How many.")] = 50, as_json: AsJson = False) -> None:
    """List the pairs that wait for a decision, most moving first.

    Example: adjudge adjudication queue
    """
    answer = call("GET", project_path("/adjudication"), params={"limit": limit})
    lines = [f"{each['pair_id']}  {each['query']['qid']}  {each['document']['docno']}" for each in answer["pairs"]]
    tell(answer, as_json=as_json, lines=lines or ["Nothing waits for a decision."])


@adjudication.command("blind")
def grade_blind(
    pair: str,
    level: Annotated[int | None, typer.Option(help="The level's number.")] = None,
    cannot: Annotated[str | None, typer.Option(help="Why it can't be judged, instead of a level.")] = None,
    as_json: AsJson = False,
) -> None:
    """Grade a pair before the labellers' grades are shown, which are the answer; then decide.

    Example: adjudge adjudication blind 8xk1… --level 2
    """
    body = {"level": level, "reason": cannot or "", "revision": pair_revision(pair)}
    answer = call("POST", project_path(f"/adjudication/{pair}/blind"), body=body)
    given = [
        f"  {said_level(each)}{': ' + each['rationale'] if each['rationale'] else ''}" for each in answer["grades"]
    ]
    tell(answer, as_json=as_json, lines=["Noted. The labellers gave:", *given, "Now decide, with a reason."])


@adjudication.command("decide")
def decide(
    pair: str,
    reason: Annotated[str, typer.Option(help="Why.")],
    level: Annotated[int | None, typer.Option(help="The decided level; without one there is no judgment.")] = None,
    as_json: AsJson = False,
) -> None:
    """Decide a pair.

    Example: adjudge adjudication decide 8xk1… --level 2 --reason "The step is complete."
    """
    body = {"level": level, "reason": reason, "revision": pair_revision(pair)}
    answer = call("POST", project_path(f"/adjudication/{pair}/decision"), body=body)
    tell(answer, as_json=as_json, lines=["Decided."])


def pair_revision(pair: str) -> int:
    return int(call("GET", project_path(f"/adjudication/{pair}"))["revision"])


def said_level(grade: Any) -> str:
    return f"can't judge, {grade['reason']}" if grade["level"] is None else f"level {grade['level']}"


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
    waive: Annotated[str | None, typer.Option(help="Release without the gate, for this reason: ungated.")] = None,
    password: Annotated[str | None, typer.Option(envvar="ADJUDGE_PASSWORD", help="Yours; only with --waive.")] = None,
    as_json: AsJson = False,
) -> None:
    """Freeze a release.

    Example: adjudge release freeze --name "First release"
    """
    body: Json = {"name": name}
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
    return f"{answer['id']}  release {answer['number']}, gated: {str(answer['gated']).lower()}, {answer['sha256']}"


def export(
    what: Annotated[str, typer.Argument(help="qrels or manifest.")],
    release_id: Annotated[str | None, typer.Option("--release", help="A release's id; the newest otherwise.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where to; standard output otherwise.")] = None,
    require_gated: Annotated[bool, typer.Option(help="Refuse a release that the gate did not let pass.")] = False,
) -> None:
    """Export a release.

    Example: adjudge export qrels -o judged.qrels --require-gated
    """
    if what not in ("qrels", "manifest"):
        raise typer.BadParameter("write qrels or manifest")
    if release_id is None:
        release_id = newest_release()
    if require_gated and not call("GET", project_path(f"/releases/{release_id}"))["gated"]:
        raise Refusal("This release is ungated.", "Leave --require-gated out, or wait for a gated one.", status=409)
    download(project_path(f"/releases/{release_id}/{what}"), out)


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
        str | None, typer.Option(help="trec or pytrec_eval; the project's own convention otherwise.")
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
    if require_gated and not answer["gated"]:
        raise Refusal("This release is ungated.", "Leave --require-gated out, or wait for a gated one.", status=409)
    against = answer["release"]
    lines = [
        answer["convention"],
        f"release {against['number']}, {against['name']}, {against['sha256']}, gated: {str(answer['gated']).lower()}",
        *(run_line(each) for each in answer["runs"]),
    ]
    tell(answer, as_json=as_json, lines=lines)


def run_line(run: Any) -> str:
    if run["refusal"]:
        return f"{run['name']}: {run['refusal']}"
    figures = ", ".join(f"{name} {said(measure['mean'])}" for name, measure in run["measures"].items())
    return f"{run['name']}: {figures}"


def said(mean: Any) -> str:
    return f"undefined ({mean['undefined']})" if mean["value"] is None else f"{mean['value']:.4f}"
