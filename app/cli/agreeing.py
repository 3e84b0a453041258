"""`adjudge kappa`: agreement of named people's grades in a file, and what the gate would say; no database."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from app.cli.files import Encoding, faults_told, listed
from app.cli.options import AsJson
from app.cli.refusal import RULE_SAYS_NO, Refusal
from app.cli.terminal import tell
from app.words import plural

if TYPE_CHECKING:
    from app.measures.kappa import Weights
    from app.measures.policies import Policy

Column = Annotated[str | None, typer.Option(help="That column's heading, where it is not recognised.")]


def kappa(
    grades: Annotated[
        Path,
        typer.Argument(help="labeller, qid, docno, grade; or qid, docno and one column a person.", metavar="GRADES"),
    ],
    levels: Annotated[str, typer.Option(help="The rubric's levels as the file writes them, lowest first: 0,1,2,3.")],
    weights: Annotated[
        str, typer.Option(help="linear, quadratic or none; the gate is asked of linear ones.")
    ] = "linear",
    policy: Annotated[
        str | None, typer.Option(help="strict, standard or exploratory. Where named, exit with 1 unless it passes.")
    ] = None,
    small_set: Annotated[bool, typer.Option(help="The policy's smaller minimum, for fewer than 60 queries.")] = False,
    unjudgeable: Annotated[str, typer.Option(help="Grades that say that somebody could not judge: -1,skip.")] = "",
    confidence: Annotated[
        float, typer.Option(help="Of the intervals, none of which is cut off at 1; the gate is asked of 95% ones.")
    ] = 0.95,
    intervals: Annotated[bool, typer.Option(help="The query bootstrap and the analytic formula too.")] = False,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.", min=0)] = 0,
    per_query: Annotated[bool, typer.Option(help="Each query's own kappa too.")] = False,
    layout: Annotated[str | None, typer.Option(help="long or wide, where it is not recognised.")] = None,
    qid: Column = None,
    docno: Column = None,
    labeller: Column = None,
    grade: Column = None,
    people: Annotated[str, typer.Option(help="The people's columns in a wide file: ana,ben.")] = "",
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Measure agreement over a file of grades, and ask the gate.

    Example: adjudge kappa grades.csv --levels 0,1,2,3 --policy standard
    """
    with faults_told():
        from app.cli.agreed import describe, other_intervals, queries_of
        from app.cli.agreed_lines import say
        from app.cli.graded import read_graded
        from app.measures.policies import SMALL_SET

        kind, asked = weights_named(weights), policy_named(policy or "standard", is_small_set=small_set)
        graded = read_graded(
            grades,
            [level.strip() for level in levels.split(",")],
            listed(unjudgeable),
            layout=layout,
            qid=qid,
            docno=docno,
            labeller=labeller,
            grade=grade,
            people=listed(people) or None,
            encoding=encoding,
        )
        if small_set and len(graded.qids) >= SMALL_SET:
            sentence = (
                f"{plural(len(graded.qids), 'query', 'queries')} are no small set: it has fewer than {SMALL_SET}."
            )
            raise Refusal(sentence, "Leave --small-set out.")
        answer = describe(graded, kind, asked, confidence)
        if intervals:
            answer["intervals"] = other_intervals(graded, kind, confidence, seed)
        if per_query:
            answer["per_query"] = queries_of(graded, kind)
    tell(answer, as_json=as_json, lines=say(answer))
    if policy is not None and answer["gate"]["answer"] != "passed":
        sys.exit(RULE_SAYS_NO)


def weights_named(name: str) -> "Weights":
    from app.measures.kappa import Weights

    known: dict[str, Weights] = {kind: kind for kind in get_args(Weights)}
    if name in known:
        return known[name]
    raise Refusal(f"There are no weights {name!r}.", "Choose linear, quadratic or none.")


def policy_named(name: str, *, is_small_set: bool) -> "Policy":
    from app.measures.policies import POLICIES, small_set

    if name not in POLICIES:
        raise Refusal(f"There is no policy {name!r}.", f"Choose one of {', '.join(POLICIES)}.")
    return small_set(POLICIES[name]) if is_small_set else POLICIES[name]
