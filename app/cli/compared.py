"""What `adjudge compare` answers: the JSON, every number in full, and the CSV."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.cli.calls import Json
from app.cli.files import sha256_of
from app.cli.reading import Qrels, Run, read_all_runs, read_judgments
from app.measures.comparing import Comparison, Scored, compare, compare_all
from app.measures.conventions import Convention
from app.measures.matching import match_lists
from app.measures.scores import RunScores, judge, score
from app.measures.turning import Turn, turns
from app.measures.undefined import Undefined
from app.measures.verdicts import is_decided, verdict


@dataclass(frozen=True)
class Asked:
    convention: Convention
    beside: Sequence[Convention]
    is_all_pairs: bool
    is_turned: bool
    confidence: float
    resamples: int
    seed: int


def describe(qrels_file: Path, run_files: Sequence[Path], encoding: str, asked: Asked) -> Json:
    """What is undefined is null, and `undefined` beside it says why by its name."""
    qrels, runs = read_judgments(qrels_file, encoding), read_all_runs(run_files, encoding)
    sha256 = sha256_of(qrels_file)
    scores = [scores_of(run, qrels, [asked.convention, *asked.beside]) for run in runs]
    scored = [
        Scored(run.name, asked.convention.line, sha256, every[0].per_query)
        for run, every in zip(runs, scores, strict=True)
    ]
    found = comparisons(scored, asked)
    return {
        "convention": {"line": asked.convention.line, **asdict(asked.convention)},
        "qrels": {
            "path": str(qrels_file),
            "sha256": sha256,
            "queries": len(qrels),
            "judgments": sum(map(len, qrels.values())),
        },
        "runs": [run_of(run, every, asked) for run, every in zip(runs, scores, strict=True)],
        "adjusted_by": "randomised Tukey HSD" if asked.is_all_pairs else "Holm",
        "confidence": asked.confidence,
        "resamples": asked.resamples,
        "seed": asked.seed,
        "comparisons": [comparison_of(each) for each in found],
        **({"conventions": [turned_of(runs, qrels, each, asked) for each in found]} if asked.is_turned else {}),
    }


def scores_of(run: Run, qrels: Qrels, conventions: Iterable[Convention]) -> list[RunScores]:
    """Under each of the conventions, which all order ties alike, from one ranking."""
    every = list(conventions)
    matched = match_lists(judge(qrels), run.rankings, every[0].ties)
    return [score(matched, convention) for convention in every]


def comparisons(scored: Sequence[Scored], asked: Asked) -> tuple[Comparison, ...]:
    chance: dict[str, Any] = {"confidence": asked.confidence, "resamples": asked.resamples, "seed": asked.seed}
    if asked.is_all_pairs:
        return compare_all(scored, **chance)
    return compare(scored[0], scored[1:], **chance)


def run_of(run: Run, scores: Sequence[RunScores], asked: Asked) -> Json:
    """`measures` has the compared one first; `sha256` is of the file."""
    measures = {
        convention.name: {
            **valued(mean=one.mean),
            "queries": one.queries,
            "no_relevant": one.no_relevant,
            "missing": one.missing,
        }
        for convention, one in zip([asked.convention, *asked.beside], scores, strict=True)
    }
    return {"path": str(run.path), "name": run.name, "tag": run.tag, "sha256": run.sha256, "measures": measures}


def comparison_of(one: Comparison) -> Json:
    """`p` is adjusted for the comparisons made beside it, `p_alone` is not; both by sign-flip permutation, or Tukey's
    deals for the adjusted one of all pairs. `low` and `high` are the interval that stands first.
    """
    found = one.difference
    return {
        "first": one.first,
        "second": one.second,
        "queries": found.queries,
        "left_out": list(one.left_out),
        "mean": found.mean,
        **ends(found.interval),
        "interval_by": found.interval_by,
        "p": one.p,
        "p_alone": found.p,
        "is_exact": found.is_exact,
        "is_decided": is_decided(one),
        "verdict": verdict(one),
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        **valued(sd=found.spread, effect=found.effect, detectable=found.detectable, t=found.t, p_of_t=found.p_of_t),
        "intervals": {
            "t": ends(found.by_t),
            "percentile": ends(found.by_percentile),
            "studentised": ends(found.by_studentised),
        },
        "per_query": dict(one.changes),
    }


def turned_of(runs: Sequence[Run], qrels: Qrels, one: Comparison, asked: Asked) -> Json:
    """The same two runs under other conventions."""
    named = {run.name: run.rankings for run in runs}
    found = turns(
        named[one.first],
        named[one.second],
        qrels,
        asked.convention,
        confidence=asked.confidence,
        resamples=asked.resamples,
        seed=asked.seed,
    )
    return {"first": one.first, "second": one.second, "under": [turn_of(turn) for turn in found]}


def turn_of(turn: Turn) -> Json:
    return {
        "line": turn.convention.line,
        "mean": turn.difference.mean,
        **ends(turn.difference.interval),
        "p": turn.difference.p,
        "turned_queries": turn.turned_queries,
        "is_turned": turn.is_turned,
    }


def valued(**values: float | Undefined) -> Json:
    undefined = {name: value.reason for name, value in values.items() if isinstance(value, Undefined)}
    numbers: Json = {name: None if isinstance(value, Undefined) else value for name, value in values.items()}
    return {**numbers, "undefined": undefined} if undefined else numbers


def ends(interval: tuple[float, float] | Undefined) -> Json:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": interval.reason}
    return {"low": interval[0], "high": interval[1]}
