"""What `adjudge compare` answers: the JSON, every number in full, and the CSV."""

from collections.abc import Mapping, Sequence
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
from app.measures.verdicts import ENOUGH_JUDGED, doubt, is_decided, verdict


@dataclass(frozen=True)
class Asked:
    """`measures` are the conventions by the names they were asked for, the compared one first: two of them may be of
    one measure, and only these names tell them apart.
    """

    measures: Mapping[str, Convention]
    is_all_pairs: bool
    is_turned: bool
    confidence: float
    resamples: int
    seed: int

    @property
    def convention(self) -> Convention:
        """The one that is compared."""
        return next(iter(self.measures.values()))


@dataclass(frozen=True, eq=False)
class Run:
    """One run laid beside the judgments, and its scores by the names that were asked for."""

    path: Path
    name: str
    tag: str
    matched: Matched
    scores: Mapping[str, RunScores]


def describe(qrels_file: Path, run_files: Sequence[Path], encoding: str, asked: Asked) -> Json:
    """What is undefined is null, and `undefined` beside it says why by its name. A comparison `is_inconclusive` where
    too little of what either run returns is judged to rely on what is said of the two.
    """
    judged, repeated = read_judged(qrels_file, encoding, asked.measures.values())
    qrels = qrels_of(qrels_file, judged, repeated)
    runs = read_runs(run_files, encoding, judged, asked)
    compared = next(iter(asked.measures))
    scored = [Scored(run.name, asked.convention.line, qrels["sha256"], run.scores[compared].per_query) for run in runs]
    found, told = comparisons(scored, asked), [run_of(run, asked) for run in runs]
    unjudged = {run["name"] for run in told if run["too_few_judged"]}
    return {
        "convention": convention_of(asked.convention),
        "qrels": qrels,
        "runs": told,
        "adjusted_by": adjusted_by(len(found), asked),
        "confidence": asked.confidence,
        "resamples": asked.resamples,
        "seed": asked.seed,
        "comparisons": [
            comparison_of(each) | {"is_inconclusive": not unjudged.isdisjoint((each.first, each.second))}
            for each in found
        ],
        **({"conventions": turned_of(runs, asked)} if asked.is_turned else {}),
    }


def adjusted_by(comparisons: int, asked: Asked) -> str | None:
    """One comparison stands alone, and its p as it is."""
    if comparisons == 1:
        return None
    return "randomised Tukey HSD" if asked.is_all_pairs else "Holm"


def read_runs(files: Sequence[Path], encoding: str, judged: Judged, asked: Asked) -> list[Run]:
    """Each run is read once and put in order once, for every measure."""
    read = [read_matched(file, encoding, judged, asked.convention.ties) for file in files]
    names = names_of(files, [tag for _, tag in read])
    return [
        Run(file, name, tag, matched, {asked_as: score(matched, each) for asked_as, each in asked.measures.items()})
        for file, name, (matched, tag) in zip(files, names, read, strict=True)
    ]


def comparisons(scored: Sequence[Scored], asked: Asked) -> tuple[Comparison, ...]:
    """Each with its p adjusted for the others."""
    chance: dict[str, Any] = {"confidence": asked.confidence, "resamples": asked.resamples, "seed": asked.seed}
    if asked.is_all_pairs:
        return compare_all(scored, **chance)
    return compare(scored[0], scored[1:], **chance)


def run_of(run: Run, asked: Asked) -> Json:
    """`measures` are keyed as they were asked for, the compared one first; `sha256` is of the file. Where any of them
    is in `too_few_judged`, what nobody judged may decide, whatever a comparison says.
    """
    measures = {
        name: {
            "convention": asked.measures[name].line,
            "note": asked.measures[name].note,
            **valued(mean=one.mean),
            "queries": one.queries,
            "no_relevant": one.no_relevant,
            "missing": one.missing,
            "both": one.both,
        }
        for name, one in run.scores.items()
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
            if asked.measures[name].measure == "judged" and one["mean"] is not None and one["mean"] < ENOUGH_JUDGED
        ],
    }


def comparison_of(one: Comparison) -> Json:
    """`p` is adjusted for the comparisons made beside it, `p_alone` is not; both by sign-flip permutation, or Tukey's
    deals for the adjusted one of all pairs, which is never below `p_alone`. `p_error` is the standard deviation that
    drawing leaves in `p`, and `doubt` says what to do where `p` may therefore lie on either side of the level. `low`
    and `high` are the interval that stands first.
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
        "p_error": one.p_error,
        "is_exact": found.is_exact,
        "is_decided": is_decided(one),
        "verdict": verdict(one),
        "doubt": doubt(one),
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


def turned_of(runs: Sequence[Run], asked: Asked) -> list[Json]:
    """The same comparisons under other conventions; under each of them p is adjusted as in `comparisons`."""
    named = {run.name: run.matched for run in runs}
    found = turns(named, asked.convention, lambda scored: comparisons(scored, asked))
    return [
        {"first": own[0].comparison.first, "second": own[0].comparison.second, "under": [turn_of(turn) for turn in own]}
        for own in found
    ]


def turn_of(turn: Turn) -> Json:
    return {
        "line": turn.convention.line,
        "mean": turn.comparison.difference.mean,
        **ends(turn.comparison.difference.interval),
        "p": turn.comparison.p,
        "p_alone": turn.comparison.difference.p,
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
