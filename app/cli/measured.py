"""What `adjudge measure` answers, every number in full."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.cli.files import opened, sha256_of
from app.cli.numbers import Number, number, reason
from app.cli.reading import names_of, read_judged, read_matched, read_ranking, read_rankings
from app.cli.refusal import Json, Refusal
from app.formats.weights import read_weights
from app.measures.conventions import Convention, Ties
from app.measures.explaining import explain
from app.measures.judged import Judged
from app.measures.matching import Matched, Ranking
from app.measures.scenarios import scenarios_of_run
from app.measures.scores import RunScores, score
from app.measures.trials import refuse_levels
from app.measures.undefined import MeasureError, Undefined
from app.measures.weighing import WeightedMean, left_out_share, weigh

USUAL = ("nDCG@10", "recall@100", "judged@10")
"""nDCG is never shown alone."""


def beside_ndcg(asked: Mapping[str, Convention]) -> dict[str, Convention]:
    """What stands beside nDCG where it was asked for and nothing of the kind: recall, and how much of each list was
    judged.
    """
    there = {convention.measure for convention in asked.values()}
    of_ndcg = [convention for convention in asked.values() if convention.measure == "nDCG"]
    found = [each.at("recall", 100) for each in of_ndcg[:1] if "recall" not in there]
    found += [each.at("judged", each.k) for each in of_ndcg if "judged" not in there]
    return {convention.name: convention for convention in found}


@dataclass(frozen=True)
class Extras:
    """A query to be shown by hand, the levels of scenarios, a file of weights; each None where it was not asked for."""

    by_hand: str | None
    levels: Sequence[float] | None
    weights: Path | None


def describe(
    qrels_file: Path,
    run_files: Sequence[Path],
    encoding: str,
    asked: Mapping[str, Convention],
    extras: Extras,
    beside: Mapping[str, Convention],
) -> Json:
    """`measures` are keyed as they were asked for; those `beside` them come without extras. What is undefined is null,
    and has its reason beside it.
    """
    judged, repeated = read_judged(qrels_file, encoding, asked.values())
    if extras.by_hand is not None and extras.by_hand not in judged.number:
        way_out = "Name a query that was judged."
        raise Refusal(f"{qrels_file} holds no judgment of the query {extras.by_hand}.", way_out)
    for convention in asked.values() if extras.levels is not None else ():
        refuse_levels(extras.levels or (), convention)
    weights = None if extras.weights is None else weights_of(extras.weights, encoding)
    runs = [run_of(file, encoding, judged, asked, extras, weights, beside) for file in run_files]
    return {
        "convention": convention_of(next(iter(asked.values()))),
        "qrels": qrels_of(qrels_file, judged, repeated),
        "runs": named(runs, run_files),
    }


def named(runs: Sequence[Json], files: Sequence[Path]) -> list[Json]:
    """Each with the name that tells it from the others."""
    names = names_of(files, [run["tag"] for run in runs])
    return [{**run, "name": name} for run, name in zip(runs, names, strict=True)]


def convention_of(convention: Convention) -> Json:
    """The line, and each choice of it in the words of the line."""
    _, *choices = (choice.partition("=") for choice in convention.line.split())
    stated: Json = {name.replace("-", "_"): value for name, _, value in choices}
    of_measure = {"measure": convention.measure, "k": convention.k, "threshold": convention.threshold}
    return {"line": convention.line, **stated, **of_measure}


def qrels_of(file: Path, judged: Judged, repeated: int) -> Json:
    return {
        "path": str(file),
        "sha256": sha256_of(file),
        "queries": len(judged.qids),
        "judgments": len(judged.grade),
        "repeated": repeated,
    }


def run_of(
    file: Path,
    encoding: str,
    judged: Judged,
    asked: Mapping[str, Convention],
    extras: Extras,
    weights: Mapping[str, float] | None,
    beside: Mapping[str, Convention],
) -> Json:
    matched, tag = read_matched(file, encoding, judged, ties_of(asked.values()))
    measures = {name: measure_of(matched, convention, extras, weights) for name, convention in asked.items()}
    measures |= {name: measure_of(matched, convention, extras, None) for name, convention in beside.items()}
    if extras.by_hand is not None:
        ranking = read_ranking(file, encoding, extras.by_hand)
        for name, convention in asked.items():
            measures[name]["by_hand"] = by_hand_of(judged, extras.by_hand, ranking, convention)
    if extras.levels is not None:
        rankings, _ = read_rankings(file, encoding)
        for name, convention in asked.items():
            measures[name]["scenarios"] = scenarios_of(judged, rankings, convention, extras.levels)
    return {
        "path": str(file),
        "tag": tag,
        "sha256": sha256_of(file),
        "unjudged_queries": matched.elsewhere,
        "measures": measures,
    }


def ties_of(conventions: Iterable[Convention]) -> Ties:
    """One ranking serves every measure: a measure's name can change much, but not how ties are broken."""
    (ties,) = {convention.ties for convention in conventions}
    return ties


def measure_of(matched: Matched, convention: Convention, extras: Extras, weights: Mapping[str, float] | None) -> Json:
    scores = score(matched, convention)
    weighted = None if weights is None else weigh(scores, weights, name=str(extras.weights))
    return {
        "convention": convention.line,
        "note": convention.note,
        **valued("mean", scores.mean),
        "queries": scores.queries,
        "no_relevant": scores.no_relevant,
        "missing": scores.missing,
        "both": scores.both,
        "short": scores.short,
        "ideal_cut": scores.ideal_cut,
        **({} if weighted is None else {"weighted": weighted_of(weighted, scores, weights or {})}),
        "per_query": {qid: number(value) for qid, value in scores.per_query.items()},
        "reasons": reasons_of(scores),
    }


def weights_of(file: Path, encoding: str) -> dict[str, float]:
    with opened(file) as stream:
        return read_weights(stream, str(file), encoding=encoding)


def weighted_of(found: WeightedMean, scores: RunScores, weights: Mapping[str, float]) -> Json:
    """`unread` counts the weights of queries that nobody judged; `left_out` is how much of the others' weight lies on
    queries without a value.
    """
    unread = len(weights.keys() - scores.per_query.keys())
    left_out = number(left_out_share(scores, weights))
    return {**valued("mean", found.mean), "weights": found.weights, "unread": unread, "left_out": left_out}


def reasons_of(scores: RunScores) -> dict[str, str]:
    """Why those queries have no value that have none."""
    return {qid: value.reason for qid, value in scores.per_query.items() if isinstance(value, Undefined)}


def by_hand_of(judged: Judged, qid: str, ranking: Ranking | None, convention: Convention) -> Json:
    """Rows of rank, docno, grade, gain, discount and contribution; or the reason why there are none."""
    try:
        found = explain(*(ranking or ((), ())), judged.grades(qid), convention, is_held=ranking is not None)
    except MeasureError as error:
        return {"qid": qid, "reason": str(error)}
    return {
        "qid": qid,
        **valued("value", found.value),
        "total": found.total,
        "divisor": found.divisor,
        "rows": [asdict(row) for row in found.rows],
        "ideal": [asdict(row) for row in found.ideal],
        "is_ideal_cut": found.is_ideal_cut,
        "k": found.k,
    }


def scenarios_of(
    judged: Judged, rankings: Mapping[str, Ranking], convention: Convention, levels: Sequence[float]
) -> Json:
    """Means over the judged queries of the run; or the reason why there are none."""
    try:
        found = scenarios_of_run(rankings, judged.qrels(), convention, levels=levels)
    except MeasureError as error:
        return {"reason": str(error)}
    names = ("all_lowest", "all_highest", "lowest", "highest")
    return {name: number(getattr(found, name)) for name in names} | {"unjudged": found.unjudged, "levels": list(levels)}


def valued(name: str, value: Number) -> Json:
    return {name: number(value), "reason": reason(value)}
