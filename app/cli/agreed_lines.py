"""What `adjudge kappa` says to a person: the convention first, then the numbers, then the gate."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.cli.graded import NUMBER
from app.cli.numbers import three
from app.cli.refusal import Json
from app.cli.terminal import condition_line
from app.measures.figures import percent, probability
from app.measures.jackknife import ENOUGH_QUERIES
from app.words import plural


def say(answer: Json) -> list[str]:
    pooled, gate = answer["pooled"], answer["gate"]
    queries = plural(pooled["queries"], "query", "queries")
    couples = [(f"{one['a']}, {one['b']}", one, shift_of(one)) for one in answer["couples"]]
    rest = [
        (one["labeller"], one, f"mean place {one['mean_level']:.2f}, the lowest level's being 0")
        for one in answer["versus_rest"]
    ]
    return [
        convention_of(answer),
        *by_places(answer["levels"]),
        *(f"read: {note}" for note in answer["notes"]),
        f"kappa over {plural(pooled['n'], 'pair')} of {queries}: {kappa_of(pooled)}",
        beside_kappa(answer),
        *rows("Couples", couples),
        *rows("Each against the rest", rest),
        *by_level(answer["specific"]),
        *other_intervals(answer),
        *beyond_1(answer),
        *without_width(answer),
        *by_query(answer.get("per_query", ())),
        *left_out(answer["left_out"]),
        gate["sentence"],
        *map(condition_line, gate["conditions"]),
    ]


def convention_of(answer: Json) -> str:
    kind, gate = "unweighted" if answer["weights"] == "none" else f"{answer['weights']} weights", answer["gate"]
    is_other = (answer["weights"], answer["confidence"]) != (gate["weights"], gate["confidence"])
    asked = f", which asks of {gate['weights']} weights and {percent(gate['confidence'])} intervals" if is_other else ""
    return (
        f"{kind}, levels {' < '.join(answer['levels'])}, {percent(answer['confidence'])} intervals that leave out one "
        f"query at a time (of fewer than {ENOUGH_QUERIES} on the cube root of 1 - kappa), "
        f"policy {gate['policy']}{asked}"
    )


def by_places(levels: Sequence[str]) -> Iterator[str]:
    """What a level is called, 3 or 7, moves no figure."""
    numbers = [float(level) for level in levels if NUMBER.fullmatch(level)]
    steps = {round(higher - lower, 9) for lower, higher in pairwise(numbers)}
    if len(numbers) == len(levels) and len(steps) > 1:
        yield "levels by their places: every two neighbours are one apart, in kappa's weights and in alpha (interval)"


def kappa_of(one: Json) -> str:
    """Kappa and its interval; in place of what is undefined, why."""
    if one["kappa"] is None:
        return f"undefined: {one['reason']}"
    if one["low"] is None:
        return f"{three(one['kappa'])}, without an interval: {one['reason']}"
    no_width = f", of no width: {one['no_width']}" if one["no_width"] else ""
    return f"{three(one['kappa'])} ({ends_of(one)}{no_width})"


def ends_of(one: Json) -> str:
    if one["low"] is None:
        return f"undefined: {one['reason']}"
    return f"{three(one['low'])} to {three(one['high'])}"


def beside_kappa(answer: Json) -> str:
    """Never instead of it."""
    undefined = answer["undefined"]
    shares = [
        f"{name} {percent(answer[key]) if answer[key] is not None else 'undefined'}"
        for name, key in (("exact agreement", "exact"), ("within one level", "within_one"))
    ]
    figures = [
        ("AC1", answer["ac1"]),
        (
            "AC2" if answer["ac2_weights"] == answer["weights"] else f"AC2 ({answer['ac2_weights']} weights)",
            answer["ac2"],
        ),
        *((f"alpha ({scale})", value) for scale, value in answer["alpha"].items()),
    ]
    told = ", ".join([*shares, *(f"{name} {three(value)}" for name, value in figures)])
    reasons = "; ".join(dict.fromkeys(undefined.values()))
    return f"beside it: {told}{f' ({reasons})' if reasons else ''}"


def rows(heading: str, parts: Sequence[tuple[str, Json, str]]) -> Iterator[str]:
    if parts:
        yield heading
        widest = max(len(name) for name, _, _ in parts)
        for name, one, more in parts:
            yield f"  {name:<{widest}}  {plural(one['n'], 'pair')}: {kappa_of(one)}; {more}"


def shift_of(couple: Json) -> str:
    test = couple["homogeneity"]
    by, way = abs(couple["shift"]), "higher" if couple["shift"] > 0 else "lower"
    shift = f"the second grades {by:.2f} levels {way}" if round(by, 2) else "both grade alike on the mean"
    return shift if "reason" in test else f"{shift} (Stuart-Maxwell p {probability(test['p'])})"


def by_level(specific: Sequence[Json]) -> Iterator[str]:
    yield "Agreement on each level"
    for one in specific:
        share = percent(one["agreement"]) if one["agreement"] is not None else f"undefined: {one['reason']}"
        yield f"  {one['level']}  {share}"


def other_intervals(answer: Json) -> Iterator[str]:
    if "intervals" not in answer:
        return
    drawn = answer["intervals"]["bootstrap"]
    yield f"By {plural(drawn['resamples'], 'resample')} of whole queries, seed {drawn['seed']}: {ends_of(drawn)}"
    for one in answer["intervals"]["analytic"]:
        yield f"As if pairs were independent, {one['a']} and {one['b']}: {ends_of(one)}"


def beyond_1(answer: Json) -> Iterator[str]:
    others = answer.get("intervals", {"bootstrap": {"high": None}, "analytic": ()})
    shown = [answer["pooled"], *answer["couples"], *answer["versus_rest"], others["bootstrap"], *others["analytic"]]
    if any(one["high"] is not None and one["high"] > 1 for one in shown):
        yield "No interval is cut off at 1, where kappa ends: an end beyond it says how little so few queries tell."


def without_width(answer: Json) -> Iterator[str]:
    if any(one["no_width"] for one in (answer["pooled"], *answer["couples"], *answer["versus_rest"])):
        yield "An interval of no width says nothing of how sure kappa is: the queries are too much alike to tell."


def by_query(queries: Sequence[Json]) -> Iterator[str]:
    if queries:
        yield "Each query by itself"
    for one in queries:
        kappa = three(one["kappa"]) if one["kappa"] is not None else f"undefined: {one['reason']}"
        yield f"  {one['qid']}  {kappa}, exact agreement {percent(one['exact'])} over {plural(one['n'], 'pair')}"


def left_out(left: Json) -> Iterator[str]:
    counts = ("single", "ungraded", "unjudgeable_one", "unjudgeable_both", "unjudgeable_beside")
    yield counted_out(left) if any(left[name] for name in counts) else "nothing was left out"
    for one in left["by"]:
        yield f"  {one['labeller']}: {one['answer']}, {plural(one['pairs'], 'pair')}"
    if left["repeated"]:
        yield f"  passed over: {plural(left['repeated'], 'grade')} that came again"


def counted_out(left: Json) -> str:
    return (
        f"left out: {plural(left['single'], 'pair')} of queries that one person graded alone, "
        f"{left['ungraded']:,} that were not graded by both, {left['unjudgeable_one']:,} that only one could judge, "
        f"{left['unjudgeable_both']:,} that neither could; {left['unjudgeable_beside']:,} of those that two graded a "
        "third could not judge"
    )
