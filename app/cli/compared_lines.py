"""What `adjudge compare` says to a person, the convention first; and the same as CSV."""

from collections.abc import Collection, Iterator, Sequence

from app.cli.measured_lines import conventions_said, qrels_said
from app.cli.numbers import three
from app.cli.refusal import Json
from app.measures.figures import figure, probability
from app.measures.verdicts import ENOUGH_JUDGED
from app.words import plural


def say(answer: Json, moved: int) -> list[str]:
    compared, *beside = answer["runs"][0]["measures"].items()
    unjudged = {run["name"] for run in answer["runs"] if run["too_few_judged"]}
    return [
        *conventions_said(dict([compared])),
        *conventions_said(dict(beside)),
        *(f"{each}." for each in answer["apart"]),
        qrels_said(answer["qrels"]),
        *runs_of(answer["runs"]),
        *(f"{each['note']}." for each in answer["runs"][0]["measures"].values() if each["note"]),
        *(line for one in answer["comparisons"] for line in comparison_of(one, moved, unjudged)),
        *beyond_1(answer),
        *(line for one in answer.get("conventions", ()) for line in turns_of(one)),
        chance_of(answer),
    ]


def chance_of(answer: Json) -> str:
    """Where every way of signs was counted, no chance is in p; Tukey's deals and the studentised interval are drawn."""
    comparisons, adjusted_by = answer["comparisons"], answer["adjusted_by"]
    is_drawn = adjusted_by not in (None, "Holm") or not all(one["is_exact"] for one in comparisons)
    how = "sign-flip permutation" if is_drawn else "every sign flip"
    adjusted = f", adjusted by {adjusted_by} over {len(comparisons)}" if adjusted_by else ""
    if adjusted_by not in (None, "Holm"):
        adjusted = f"{adjusted} and never below a pair's own"
    drawn = f"; {plural(answer['resamples'], 'resample')}, seed {answer['seed']}"
    if not is_drawn:
        has_ends = any(one["intervals"]["studentised"]["low"] is not None for one in comparisons)
        drawn = f"{drawn}, of the studentised interval" if has_ends else ""
    return f"p of {how}{adjusted}{drawn}"


def runs_of(runs: Sequence[Json]) -> Iterator[str]:
    widest = max(len(run["name"]) for run in runs)
    for run in runs:
        figures = [f"{name} {three(one['mean'])}" for name, one in run["measures"].items()]
        missing = next(iter(run["measures"].values()))["missing"]
        told = f", {plural(missing, 'query', 'queries')} missing" if missing else ""
        yield f"  {run['name']:<{widest}}  {'  '.join(figures)}{told}"
    for run in runs:
        for name, one in run["measures"].items():
            if name in run["too_few_judged"]:
                yield (
                    f"Inconclusive, unjudged: {name} of {run['name']} is only {figure(one['mean'], ENOUGH_JUDGED)}. "
                    "Judge the rest first."
                )


def comparison_of(one: Json, moved: int, unjudged: Collection[str]) -> Iterator[str]:
    yield one["verdict"]
    if one["doubt"]:
        yield f"  {one['doubt']}"
    if too_little := [run for run in (one["second"], one["first"]) if run in unjudged]:
        returned = f"{' and '.join(too_little)} {'returns' if len(too_little) == 1 else 'return'}"
        yield f"  Inconclusive all the same: too little of what {returned} is judged"
    kinds = "; ".join(f"{name} {ends_of(each)}" for name, each in one["intervals"].items())
    wins, ties, losses = plural(one["wins"], "win"), plural(one["ties"], "tie"), plural(one["losses"], "loss", "losses")
    yield f"  {wins}, {ties}, {losses}; intervals: {kinds}"
    if one["t"] is None:
        has_no_width = one["intervals"]["t"]["low"] is not None
        unsure = "; its interval has no width and says nothing of how sure that is" if has_no_width else ""
        yield f"  t undefined: {one['undefined']['t']}{unsure}"
    else:
        yield (
            f"  p by itself {probability(one['p_alone'])}, by t {probability(one['p_of_t'])}; standard deviation "
            f"{three(one['sd'])}, effect {three(one['effect'])} of it"
        )
    if one["left_out"]:
        said = "query has no value for either and is", "queries have no value for either and are"
        yield f"  {plural(len(one['left_out']), *said)} left out"
    most = [f"{qid} {signed(change)}" for qid, change in list(one["per_query"].items())[:moved] if change]
    if most:
        yield f"  moved most: {', '.join(most)}"


def beyond_1(answer: Json) -> Iterator[str]:
    """DCG and RBP are in the gain's own unit, and may differ by more."""
    if answer["convention"]["measure"] in ("DCG", "RBP"):
        return
    found = [each for one in answer["comparisons"] for each in one["intervals"].values() if each["low"] is not None]
    if any(each["low"] < -1 or each["high"] > 1 for each in found):
        yield (
            "No interval is cut off at 1, the most that two runs can differ by: an end beyond it says how little so "
            "few queries tell."
        )


def turns_of(one: Json) -> Iterator[str]:
    yield f"{one['second']} against {one['first']}, as asked and under other conventions"
    for each in one["under"]:
        turned = "; the difference turns round" if each["is_turned"] else ""
        yield (
            f"  {signed(each['mean'])} ({ends_of(each)}; p {probability(each['p'])}), "
            f"{plural(each['turned_queries'], 'query turns', 'queries turn')}{turned}: {each['line']}"
        )


def ends_of(one: Json) -> str:
    return f"undefined, {one['reason']}" if one["low"] is None else f"{three(one['low'])} to {three(one['high'])}"


def signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{figure(value, 0.0)}"


def table_of(answer: Json) -> tuple[list[str], list[list[object]]]:
    """One row a comparison; the convention is in each, as beside every number."""
    columns = [
        "first", "second", "queries", "mean", "low", "high", "interval_by", "p", "p_alone", "p_of_t", "sd", "effect",
        "detectable", "wins", "ties", "losses", "is_decided", "is_inconclusive",
    ]  # fmt: skip
    rows = [[answer["convention"]["line"], *(one[name] for name in columns)] for one in answer["comparisons"]]
    return ["convention", *columns], rows
