"""Commands on rounds, grades, agreement and adjudication."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.calls import RULE_SAYS_NO, Json, Refusal, call, download, project_path
from app.cli.options import OPTIONS, AsJson
from app.cli.terminal import condition_line, tell

round_ = typer.Typer(help="Open, follow and close rounds of judging.", **OPTIONS)
gold = typer.Typer(help="Pairs whose level is settled, to see whether labellers find it.", **OPTIONS)
desk = typer.Typer(help="One's own assignments, and grading them.", **OPTIONS)
adjudication = typer.Typer(help="Decide pairs on which labellers differ.", **OPTIONS)


@gold.command("set")
def set_gold(
    qid: str,
    docno: str,
    level: Annotated[int, typer.Option(help="The level that it has.")],
    why: Annotated[str, typer.Option(help="What in the document settles it.")],
    as_json: AsJson = False,
) -> None:
    """Set a pair as gold: labellers meet it unmarked, and it never counts in kappa.

    Example: adjudge gold set q12 d17 --level 2 --why "It has the step, and not the whole task."
    """
    body = {"qid": qid, "docno": docno, "level": level, "why": why}
    answer = call("POST", project_path("/gold"), body=body)
    tell(answer, as_json=as_json, lines=[f"{answer['id']}  gold: {qid} {docno}: level {level}"])


@gold.command("list")
def list_gold(as_json: AsJson = False) -> None:
    """List the gold pairs.

    Example: adjudge gold list
    """
    answer = call("GET", project_path("/gold"))
    lines = [f"{each['id']}  {each['qid']}  {each['docno']}: level {each['level']}" for each in answer]
    tell(answer, as_json=as_json, lines=lines or ["No pair is gold."])


@gold.command("withdraw")
def withdraw_gold(gold_id: str, as_json: AsJson = False) -> None:
    """Ask a gold pair of nobody any more.

    Example: adjudge gold withdraw 7wq2…
    """
    call("DELETE", project_path(f"/gold/{gold_id}"))
    tell(None, as_json=as_json, lines=["Withdrawn."])


@round_.command("open")
def open_round(
    kind: Annotated[str, typer.Argument(help="agreement or main.")],
    queries: Annotated[int | None, typer.Option(help="How many queries to draw; 33 in an agreement round.")] = None,
    qid: Annotated[list[str] | None, typer.Option(help="A query by its id, as often as needed, instead.")] = None,
    labeller: Annotated[list[str] | None, typer.Option(help="A labeller's name; all where none is given.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draws queries and orders; stated on the round's page.")] = None,
    overlap: Annotated[float | None, typer.Option(help="Share of a main round's queries judged twice.")] = None,
    claimed: Annotated[
        int | None, typer.Option(help="Let labellers claim; after so many minutes without a grade a claim returns.")
    ] = None,
    repeats: Annotated[float | None, typer.Option(help="Share of everybody's pairs that is shown again.")] = None,
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
    queries = f"{len(answer['queries']):,} queries, {len(answer['twice']):,} of them to two labellers"
    said = f"Not opened: {queries}; {answer['grades']:,} grades to give, seed {answer['seed']}"
    load = [f"  {name}: {pairs:,} pairs" for name, pairs in answer["load"].items()]
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
    pace = f"  {answer['a_day']:,.0f} pairs a day, {ends}; {answer['hours']:.1f} hours so far"
    tell(answer, as_json=as_json, lines=[round_line(answer), *progress, *origins, pace])


def round_line(answer: Any) -> str:
    state = "closed" if answer["closed_at"] else "open"
    way = f"claimed, idle after {answer['idle_minutes']} minutes" if answer["idle_minutes"] else "dealt"
    return f"{answer['id']}  round {answer['number']}, {answer['kind']}, {way}, {state}, seed {answer['seed']}"


@desk.command("claim")
def claim(round_id: str, as_json: AsJson = False) -> None:
    """Take the next whole query of a claimed round; the one in hand where it is not finished.

    Example: adjudge desk claim 3fq7…
    """
    answer = call("POST", project_path(f"/rounds/{round_id}/claims"))
    tell(answer, as_json=as_json, lines=[f"{answer['qid']}: {answer['pairs']:,} pairs; see desk next"])


@desk.command("next")
def next_assignments(limit: Annotated[int, typer.Option(help="How many.")] = 1, as_json: AsJson = False) -> None:
    """Show the next pairs to grade, with what `desk grade` needs.

    Example: adjudge desk next --limit 5 --json
    """
    answer = call("GET", project_path("/assignments"), params={"state": "open", "limit": limit})
    lines = [line for each in answer for line in shown_pair(each)]
    tell(answer, as_json=as_json, lines=lines or ["Nothing is left to grade."])


def shown_pair(assignment: Any) -> list[str]:
    """What a person needs to grade it: the need, and the document in full."""
    query, document = assignment["query"], assignment["document"]
    need = [query["text"], query["description"], query["narrative"]]
    texts = [document["title"], document["url"], *document["text"].splitlines()]
    return [
        f"{assignment['id']}  {query['qid']}  {document['docno']}",
        *(f"  query: {line}" for text in need for line in text.splitlines()),
        *(f"  {line}" for line in texts if line),
        "",
    ]


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
    tell(answer, as_json=as_json, lines=[answer["sentence"], *map(condition_line, answer["conditions"])])
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
        times = f"{len(each['flagged']):,} of {each['timed']:,} times stand out"
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
