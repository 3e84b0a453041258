"""Commands on agreement, and on the pairs on which labellers differ."""

import sys
from typing import Annotated, Any

import typer

from app.cli.calls import call, project_path
from app.cli.options import AsJson, group
from app.cli.refusal import RULE_SAYS_NO
from app.cli.terminal import condition_line, tell
from app.words import plural

adjudication = group("Decide pairs on which labellers differ.", example="adjudge adjudication queue")


def agreement(
    require_passed: Annotated[bool, typer.Option(help="Exit with 1 unless the gate has passed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show kappa, its interval, and what the gate says.

    Example: adjudge agreement --require-passed
    """
    answer = call("GET", project_path("/agreement"))
    before = [each["sentence"] for each in answer["judged_before"] if each["again"]]
    tell(answer, as_json=as_json, lines=[answer["sentence"], *before, *map(condition_line, answer["conditions"])])
    if require_passed and answer["answer"] != "passed":
        sys.exit(RULE_SAYS_NO)


def labellers(as_json: AsJson = False) -> None:
    """Show how each labeller works: times that stand out, and agreement as it goes.

    Example: adjudge labellers
    """
    answer = call("GET", project_path("/labellers"))
    lines = []
    for each in answer:
        kappas = (
            ", ".join("undefined" if kappa is None else f"{kappa:.3f}" for kappa in each["kappas"]) or "too few pairs"
        )
        fallen = ", has fallen" if each["has_drifted"] else ""
        times = f"{len(each['flagged']):,} of {plural(each['timed'], 'time')} stand out"
        lines.append(f"{each['name']}: {times}; kappa by 200 pairs: {kappas}{fallen}")
    tell(answer, as_json=as_json, lines=lines or ["Nobody shares pairs with anybody yet."])


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
