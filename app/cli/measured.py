"""What `adjudge measure` answers, every number in full."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from app.cli.calls import Json, Refusal
from app.cli.files import sha256_of
from app.cli.matched import read_judged, read_matched, read_ranking
from app.measures.conventions import Convention, Ties
from app.measures.explaining import explain
from app.measures.judged import Judged
from app.measures.matching import Matched
from app.measures.scores import RunScores, score
from app.measures.undefined import MeasureError, Undefined

USUAL = ("nDCG@10", "recall@100", "judged@10")
"""nDCG is never shown alone."""


def describe(
    qrels_file: Path, run_files: Sequence[Path], encoding: str, asked: Mapping[str, Convention], by_hand: str | None
) -> Json:
    """`measures` are keyed as they were asked for. What is undefined is null, and has its reason beside it."""
    judged = read_judged(qrels_file, encoding)
    if by_hand is not None and by_hand not in judged.number:
        raise Refusal(f"{qrels_file} holds no judgment of the query {by_hand}.", "Name a query that was judged.")
    return {
        "convention": convention_of(next(iter(asked.values()))),
        "qrels": {
            "path": str(qrels_file),
            "sha256": sha256_of(qrels_file),
            "queries": len(judged.qids),
            "judgments": len(judged.grade),
        },
        "runs": [run_of(file, encoding, judged, asked, by_hand) for file in run_files],
    }


def convention_of(convention: Convention) -> Json:
    """The line, and each choice of it in the words of the line."""
    _, *choices = (choice.partition("=") for choice in convention.line.split())
    stated: Json = {name.replace("-", "_"): value for name, _, value in choices}
    of_measure = {"measure": convention.measure, "k": convention.k, "threshold": convention.threshold}
    return {"line": convention.line, **stated, **of_measure}


def run_of(file: Path, encoding: str, judged: Judged, asked: Mapping[str, Convention], by_hand: str | None) -> Json:
    matched, tag = read_matched(file, encoding, judged, ties_of(asked.values()))
    ranking = None if by_hand is None else read_ranking(file, encoding, by_hand)
    measures = {}
    for name, convention in asked.items():
        measures[name] = measure_of(matched, convention)
        if by_hand is not None and ranking is not None:
            measures[name]["by_hand"] = by_hand_of(judged, by_hand, ranking, convention)
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


def measure_of(matched: Matched, convention: Convention) -> Json:
    scores = score(matched, convention)
    return {
        "convention": convention.line,
        **valued("mean", scores.mean),
        "queries": scores.queries,
        "no_relevant": scores.no_relevant,
        "missing": scores.missing,
        "short": scores.short,
        "per_query": {qid: number(value) for qid, value in scores.per_query.items()},
        "reasons": reasons_of(scores),
    }


def reasons_of(scores: RunScores) -> dict[str, str]:
    """Why those queries have no value that have none."""
    return {qid: value.reason for qid, value in scores.per_query.items() if isinstance(value, Undefined)}


def by_hand_of(
    judged: Judged, qid: str, ranking: tuple[Sequence[str], Sequence[float]], convention: Convention
) -> Json:
    """Rows of rank, docno, grade, gain, discount and contribution; or the reason why there are none."""
    try:
        found = explain(*ranking, judged.grades(qid), convention)
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
    }


def valued(name: str, value: float | Undefined) -> Json:
    return {name: number(value), "reason": value.reason if isinstance(value, Undefined) else None}


def number(value: float | Undefined) -> float | None:
    return None if isinstance(value, Undefined) else value
