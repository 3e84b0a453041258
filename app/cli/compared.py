"""What `adjudge compare` answers: the JSON, every number in full, and the CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli.files import sha256_of
from app.cli.measured import convention_of, qrels_of
from app.cli.numbers import Number, number
from app.cli.reading import names_of, read_judged, read_matched
from app.cli.refusal import Json
from app.measures.comparing import Comparison, Scored, compare, compare_all
from app.measures.conventions import Convention
from app.measures.judged import Judged
from app.measures.matching import Matched
from app.measures.scores import RunScores, score
from app.measures.turning import Turn, turns
from app.measures.undefined import Undefined
from app.measures.verdicts import ENOUGH_JUDGED, is_decided, verdict


@dataclass(frozen=True)
class Asked:
    convention: Convention
    beside: Sequence[Convention]
    is_all_pairs: bool
    is_turned: bool
    confidence: float
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Run:
    """One run laid beside the judgments, and its scores under the compared convention and those beside it."""

    path: Path
    name: str
    tag: str
    matched: Matched
    scores: Sequence[RunScores]


def describe(qrels_file: Path, run_files: Sequence[Path], encoding: str, asked: Asked) -> Json:
    """What is undefined is null, and `undefined` beside it says why by its name."""
    judged = read_judged(qrels_file, encoding)
    qrels = qrels_of(qrels_file, judged)
    runs = read_runs(run_files, encoding, judged, asked)
    scored = [Scored(run.name, asked.convention.line, qrels["sha256"], run.scores[0].per_query) for run in runs]
    found = comparisons(scored, asked)
    return {
        "convention": convention_of(asked.convention),
        "qrels": qrels,
        "runs": [run_of(run, asked) for run in runs],
        "adjusted_by": "randomised Tukey HSD" if asked.is_all_pairs else "Holm",
        "confidence": asked.confidence,
        "resamples": asked.resamples,
        "seed": asked.seed,
        "comparisons": [comparison_of(each) for each in found],
        **({"conventions": [turned_of(runs, each, asked) for each in found]} if asked.is_turned else {}),
    }


def read_runs(files: Sequence[Path], encoding: str, judged: Judged, asked: Asked) -> list[Run]:
    """Each run is read once and put in order once, for every measure."""
    read = [read_matched(file, encoding, judged, asked.convention.ties) for file in files]
    names = names_of(files, [tag for _, tag in read])
    return [
        Run(file, name, tag, matched, [score(matched, each) for each in (asked.convention, *asked.beside)])
        for file, name, (matched, tag) in zip(files, names, read, strict=True)
    ]


def comparisons(scored: Sequence[Scored], asked: Asked) -> tuple[Comparison, ...]:
    chance: dict[str, Any] = {"confidence": asked.confidence, "resamples": asked.resamples, "seed": asked.seed}
    if asked.is_all_pairs:
        return compare_all(scored, **chance)
    return compare(scored[0], scored[1:], **chance)


def run_of(run: Run, asked: Asked) -> Json:
    """`measures` has the compared one first; `sha256` is of the file. Where any of them is in `too_few_judged`, what
    nobody judged may decide, whatever a comparison says.
    """
    measures = {
        convention.name: {
            **valued(mean=one.mean),
            "queries": one.queries,
            "no_relevant": one.no_relevant,
            "missing": one.missing,
        }
        for convention, one in zip([asked.convention, *asked.beside], run.scores, strict=True)
    }
    return {
        "path": str(run.path),
        "name": run.name,
        "tag": run.tag,
        "sha256": sha256_of(run.path),
        "measures": measures,
        "too_few_judged": [
            name
            for name, one in measures.items()
            if name.startswith("judged") and one["mean"] is not None and one["mean"] < ENOUGH_JUDGED
        ],
    }


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


def turned_of(runs: Sequence[Run], one: Comparison, asked: Asked) -> Json:
    """The same two runs under other conventions."""
    named = {run.name: run.matched for run in runs}
    found = turns(
        named[one.first],
        named[one.second],
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


def valued(**values: Number) -> Json:
    undefined = {name: value.reason for name, value in values.items() if isinstance(value, Undefined)}
    numbers: Json = {name: number(value) for name, value in values.items()}
    return {**numbers, "undefined": undefined} if undefined else numbers


def ends(interval: tuple[float, float] | Undefined) -> Json:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": interval.reason}
    return {"low": interval[0], "high": interval[1]}
