"""Commands of whoever judges, and on the gold pairs that they meet."""

from typing import Annotated, Any

import typer

from app.cli.calls import call, project_path
from app.cli.options import AsJson, group
from app.cli.refusal import Json
from app.cli.terminal import tell
from app.words import plural

desk = group("One's own assignments, grading them, and what is shown for it.", example="adjudge desk next --limit 5")
gold = group("Pairs whose level is settled, to see whether labellers find it.", example="adjudge gold list")


@desk.command("claim")
def claim(round_id: str, as_json: AsJson = False) -> None:
    """Take the next whole query of a claimed round; the one in hand where it is not finished.

    Example: adjudge desk claim 3fq7…
    """
    answer = call("POST", project_path(f"/rounds/{round_id}/claims"))
    tell(answer, as_json=as_json, lines=[f"{answer['qid']}: {plural(answer['pairs'], 'pair')}; see desk next"])


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
    beside = [f"{name}: {value}" for name, value in document["fields"].items()]
    texts = [document["title"], document["url"], *beside, *document["text"].splitlines()]
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


@desk.command("showing")
def show_showing(as_json: AsJson = False) -> None:
    """Say what the desk shows beside a document's text.

    Example: adjudge desk showing
    """
    tell_showing(call("GET", project_path("/showing")), as_json=as_json)


@desk.command("choose")
def choose_showing(
    field: Annotated[list[str] | None, typer.Option(help="One of the documents' other fields, in order.")] = None,
    picture: Annotated[str, typer.Option(help="The one of them that holds a picture's address.")] = "",
    host: Annotated[list[str] | None, typer.Option(help="A host whose pictures may be loaded.")] = None,
    confirmed: Annotated[bool, typer.Option(help="No field tells of scores or grades, whatever its name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose what the desk shows beside a document's text: this and nothing else. No round may be open.

    Example: adjudge desk choose --field image --field price --picture image --host images.shop.example
    """
    body: Json = {"fields": field or [], "picture": picture, "hosts": host or [], "is_warned": confirmed}
    tell_showing(call("PUT", project_path("/showing"), body=body), as_json=as_json)


def tell_showing(answer: Any, *, as_json: bool) -> None:
    fields = [f"{name}, as a picture" if name == answer["picture"] else name for name in answer["fields"]]
    lines = [f"Fields: {', '.join(fields) or 'none'}", f"Pictures of: {', '.join(answer['hosts']) or 'nobody'}"]
    tell(answer, as_json=as_json, lines=lines)


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
