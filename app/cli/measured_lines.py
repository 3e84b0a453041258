"""The answer of `adjudge measure` in lines for a person, and as a table."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.cli.refusal import Json
from app.measures.figures import percent
from app.words import plural

SCORES = ("convention", "run", "qid", "measure", "value", "queries", "no_relevant", "missing", "reason")
BY_HAND = (
    "convention", "run", "qid", "measure", "list", "rank", "docno", "grade", "gain", "discount", "contribution",
    "value", "reason",
)  # fmt: skip


def say(answer: Json, *, is_per_query: bool) -> list[str]:
    """The convention first, since no number means anything without it."""
    qrels, measures = answer["qrels"], answer["runs"][0]["measures"]
    return [
        *conventions_said(measures),
        *(f"{each}." for each in answer["apart"]),
        *(told for name, each in measures.items() if (told := bounds_said(name, each["convention"]))),
        qrels_said(qrels),
        "",
        *table_said(answer["runs"], is_per_query=is_per_query),
        *(line for run in answer["runs"] for line in notes(run)),
        *(
            line
            for run in answer["runs"]
            for name, each in run["measures"].items()
            for line in extras_said(run, name, each)
        ),
        *(
            line
            for run in answer["runs"]
            for name, each in run["measures"].items()
            for line in by_hand_said(run, name, each)
        ),
    ]


def qrels_said(qrels: Json) -> str:
    again = f"; {plural(qrels['repeated'], 'line')} that came again passed over" if qrels["repeated"] else ""
    queries = plural(qrels["queries"], "query", "queries")
    return f"{qrels['path']}: {plural(qrels['judgments'], 'judgment')} of {queries}{again}"


def conventions_said(measures: Json) -> list[str]:
    """A line for each set of choices, after the measures that were scored under it, by the names that their columns
    have: two of one measure differ in nothing else.
    """
    named: dict[str, list[str]] = {}
    for name, each in measures.items():
        named.setdefault(each["convention"].split(" ", 1)[1], []).append(name)
    return [f"{' '.join(names)} {choices}" for choices, names in named.items()]


def table_said(runs: Sequence[Json], *, is_per_query: bool) -> Iterator[str]:
    names = list(runs[0]["measures"])
    rows = [["run", *(["query"] if is_per_query else []), *names]]
    for run in runs:
        if is_per_query:
            for qid in run["measures"][names[0]]["per_query"]:
                figures = (said(each["per_query"][qid]) for each in run["measures"].values())
                rows.append([run["name"], qid, *figures])
        means = (said(each["mean"]) for each in run["measures"].values())
        rows.append([run["name"], *(["mean"] if is_per_query else []), *means])
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if cell in row[: -len(names)] else cell.rjust(width)
            for cell, width in zip(row, wide, strict=True)
        ]
        yield "  ".join(cells).rstrip()


def notes(run: Json) -> Iterator[str]:
    """What the means run over, where that is not every judged query with all it asks for."""
    for name, each in run["measures"].items():
        counts = [f"{number:,} {words}" for number, words in counted(each) if number]
        if counts or each["reason"]:
            queries = plural(each["queries"], "query", "queries")
            why = f"; undefined: {each['reason']}" if each["reason"] else ""
            yield f"{run['name']}, {name}: mean of {queries}; {', '.join(counts) or 'all there'}{why}"
    if run["unjudged_queries"]:
        others = plural(run["unjudged_queries"], "query", "queries")
        yield f"{run['name']}: {others} of the run without a judgment, in no number"


def bounds_said(name: str, convention: str) -> str | None:
    """What a figure of RBP is out of, where that is not 1."""
    if " gain=table:" in convention:
        return None
    if convention.startswith("RBP-residual"):
        return (
            f"{name}: up to the highest gain that was judged; for a true bound name the rubric's, --gain table:0,1,2,3"
        )
    if convention.startswith("RBP"):
        return f"{name}: in the gain's own unit, so that it can exceed 1; --gain table:0,.25,.5,1 keeps it below"
    return None


def counted(measure: Json) -> list[tuple[int, str]]:
    """What is counted beside a mean, in words that say what the convention does with it. A query that the run lacks and
    that has no relevant judgment is counted once, where it is left out if it is anywhere.
    """
    convention = measure["convention"]
    is_judged, is_residual = convention.startswith("judged"), convention.startswith("RBP-residual")
    are_missing_in = " missing=zero " in convention and not is_judged
    are_others_in = " no-relevant=zero " in convention
    missing, others, both = measure["missing"], measure["no_relevant"], 0 if is_judged else measure["both"]
    at_most = "counted at the maximum, all of it being open" if is_residual else "counted as 0"
    relevant = "document returned" if convention.startswith("nDCG") and " ideal=returned " in convention else "judgment"
    of_missing = f"not in the run, {at_most if are_missing_in else 'left out'}"
    of_others = f"without a relevant {relevant}, {without_relevant(convention) if are_others_in else 'left out'}"
    if both and are_others_in and not are_missing_in:
        of_missing, others = f"{of_missing}, {both:,} of them without a relevant {relevant}", others - both
    elif both:
        of_others, missing = f"{of_others}, {both:,} of them not in the run", missing - both
    return [
        (missing, of_missing),
        *([] if is_judged else [(others, of_others)]),
        (measure["short"], "with fewer documents than the cut-off"),
        *([(others, "without a relevant judgment, in the mean as any other")] if is_judged else []),
        (measure["ideal_cut"], "with more documents of worth than the ideal holds at the cut-off"),
    ]


def without_relevant(convention: str) -> str:
    """What a query without a relevant judgment counts as, where it counts: what RBP leaves open there is not 0."""
    return "counted by what is open" if convention.startswith("RBP-residual") else "counted as 0"


def extras_said(run: Json, name: str, measure: Json) -> Iterator[str]:
    if "weighted" in measure:
        found = measure["weighted"]
        why = f", {found['reason']}" if found["reason"] else ""
        unread, left_out = found["unread"], found["left_out"]
        without = f"; {percent(left_out)} of the weight is of queries that are left out" if left_out else ""
        rest = f"; {plural(unread, 'weight')} of queries that nobody judged passed over" if unread else ""
        yield f"{run['name']}, {name}, by the weights of {found['weights']}: {said(found['mean'])}{why}{without}{rest}"
    if "scenarios" in measure:
        found = measure["scenarios"]
        yield f"{run['name']}, {name}: {found['reason'] if 'reason' in found else scenarios_said(found)}"


def scenarios_said(found: Json) -> str:
    judged = plural(found["unjudged"], "unjudged document") + " within the cut-off"
    zero, top, low, high = (said(found[name]) for name in ("all_lowest", "all_highest", "lowest", "highest"))
    lowest, *_, highest = found["levels"]
    return f"with the {judged} judged, {low} to {high} (all {lowest}: {zero}; all {highest}: {top})"


def by_hand_said(run: Json, name: str, measure: Json) -> Iterator[str]:
    if "by_hand" not in measure:
        return
    found = measure["by_hand"]
    yield ""
    if "rows" not in found:
        yield f"{run['name']}, query {found['qid']}: {found['reason']}"
        return
    value = f"undefined, {found['reason']}" if found["value"] is None else said(found["value"])
    if found["value"] is not None and not found["divisor"]:
        value += ": nothing relevant to divide by, which this convention counts as 0"
    yield f"{run['name']}, query {found['qid']}: {name} = {said(found['total'])} / {said(found['divisor'])} = {value}"
    for title, rows in (("ranked", found["rows"]), ("ideal", found["ideal"])):
        yield from ranks_said(title, rows, found["k"])
    if found["is_ideal_cut"]:
        yield "The ideal is cut at the cut-off: more documents of worth were judged than it holds."


def ranks_said(title: str, rows: Sequence[Json], k: int | None) -> Iterator[str]:
    """Within the cut-off, and beyond the tenth rank only as far as something is added: how many are left is said."""
    last = max([10, *(row["rank"] for row in rows if row["contribution"] > 0)])
    shown = [row for row in rows if row["rank"] <= min(last, k or last)]
    if shown:
        yield f"{title}: rank, document, grade, gain x discount = contribution"
    for row in shown:
        grade = "not judged" if row["grade"] is None else f"{row['grade']:g}"
        worth = f"{said(row['gain'])} x {said(row['discount'])} = {said(row['contribution'])}"
        yield f"{row['rank']:>6}  {row['docno']}  {grade}  {worth}"
    if len(shown) < len(rows):
        yield f"     …  {len(rows) - len(shown):,} more that {'adds' if len(rows) - len(shown) == 1 else 'add'} nothing"


def table_of(answer: Json, *, is_per_query: bool, is_by_hand: bool) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """A heading and rows. The rows of means have no qid; with a query by hand there are its ranks instead, after a row
    for its value or for why it has none.
    """
    scored = [(run, name, each) for run in answer["runs"] for name, each in run["measures"].items()]
    if is_by_hand:
        return BY_HAND, [row for run, name, each in scored for row in _rows_by_hand(run, name, each)]
    rows: list[Sequence[Any]] = []
    for run, name, each in scored:
        if is_per_query:
            for qid, value in each["per_query"].items():
                rows.append(
                    (each["convention"], run["name"], qid, name, value, None, None, None, each["reasons"].get(qid))
                )
        counts = (each["queries"], each["no_relevant"], each["missing"], each["reason"])
        rows.append((each["convention"], run["name"], None, name, each["mean"], *counts))
    return SCORES, rows


def _rows_by_hand(run: Json, name: str, measure: Json) -> Iterator[Sequence[Any]]:
    found = measure["by_hand"]
    asked = (measure["convention"], run["name"], found["qid"], name)
    yield (*asked, *[None] * 7, found.get("value"), found["reason"])
    for which, rows in (("ranked", found.get("rows", ())), ("ideal", found.get("ideal", ()))):
        for row in rows:
            yield (*asked, which, *row.values(), None, None)


def said(value: float | None) -> str:
    """Six decimals; what has more than nine digits before them is told by its first six."""
    if value is None:
        return "undefined"
    return f"{value:.6f}" if abs(value) < 1e9 else f"{value:.6g}"
