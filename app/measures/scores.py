"""Scores of rankings against judgments, under a convention: a whole run at once, or one query."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.conventions import Convention
from app.measures.judged import Judged, Judgments, Numbers, Places
from app.measures.matching import Matched, Ranking, match_lists
from app.measures.undefined import MeasureError, Undefined
from app.measures.worth import Worth, relevant, worth

_NO_RELEVANT = Undefined("no relevant document was judged for this query")
NONE_RETURNED = Undefined("nothing relevant was returned for this query, so that the ideal over what was is 0")
_MISSING = Undefined("the run does not hold this query")
NOTHING_RETURNED = Undefined("nothing was returned, so that there is nothing to have judged")


@dataclass(frozen=True)
class RunScores:
    """One run's scores: `mean` runs over `queries` of the judged queries, those whose value is not Undefined.

    `no_relevant` and `missing` count judged queries without a relevant judgment, or whose ideal over what was returned
    is 0, and queries that the run does not hold, whether the convention counts them as 0 or leaves them out; `both`
    those that are in both counts. `short` counts rankings with fewer than k documents, `ideal_cut` judged queries with
    more documents of worth than nDCG's ideal holds at its cut-off, `unjudged` the queries of the run that nobody
    judged, which are in no number.
    """

    per_query: dict[str, float | Undefined]
    mean: float | Undefined
    queries: int
    no_relevant: int
    missing: int
    both: int
    short: int
    ideal_cut: int
    unjudged: int


def score_run(rankings: Mapping[str, Ranking], qrels: Mapping[str, Judgments], convention: Convention) -> RunScores:
    """Scores every judged query; a query whose judgments are empty is not judged. No query in common is refused."""
    return score_runs({"": rankings}, qrels, [convention])[""][0]


def score_runs(
    runs: Mapping[str, Mapping[str, Ranking]], qrels: Mapping[str, Judgments], conventions: Sequence[Convention]
) -> dict[str, list[RunScores]]:
    """As `score_run`, each run under each of the conventions, which break ties alike."""
    if not conventions:
        raise MeasureError("Name a convention to score by.")
    judged = judge(qrels)
    matched = {name: match_lists(judged, rankings, conventions[0].ties) for name, rankings in runs.items()}
    return {name: [score(own, convention) for convention in conventions] for name, own in matched.items()}


def judge(qrels: Mapping[str, Judgments]) -> Judged:
    """The queries that hold judgments; MeasureError where there are none."""
    judged = Judged.of({qid: judgments for qid, judgments in qrels.items() if judgments})
    if not judged.qids:
        raise MeasureError("The qrels hold no judgment.")
    return judged


def score_query(
    docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention
) -> float | Undefined:
    """One query's value; Undefined where the convention leaves a query out, or judged@k has nothing to look at."""
    matched = match_lists(Judged.of({"": judgments}), {"": (docnos, scores)}, convention.ties)
    return score(matched, convention).per_query[""]


def score(matched: Matched, convention: Convention) -> RunScores:
    """The measure of every judged query, from a matching under the convention's rule for ties."""
    if matched.ties != convention.ties:
        raise MeasureError(f"The run was put in order with ties={matched.ties}, not ties={convention.ties}.")
    all_relevant, places = relevant(matched.judged, convention), worth(matched, convention)
    has_ideal = _has_ideal(matched, places, convention)
    is_left_out = _left_out(matched, convention, is_judged=all_relevant > 0, has_ideal=has_ideal)
    is_without, is_missing = (all_relevant == 0) | ~has_ideal, ~matched.is_held
    values = _values(places, convention)
    per_query: dict[str, float | Undefined] = dict(zip(matched.judged.qids, values.tolist(), strict=True))
    for reason, queries in is_left_out:
        per_query |= {matched.judged.qids[q]: reason for q in np.flatnonzero(queries).tolist()}
    defined = [value for value in per_query.values() if not isinstance(value, Undefined)]
    return RunScores(
        per_query=per_query,
        mean=math.fsum(defined) / len(defined) if defined else Undefined("no query has a value under this convention"),
        queries=len(defined),
        no_relevant=int(np.count_nonzero(is_without)),
        missing=int(np.count_nonzero(is_missing)),
        both=int(np.count_nonzero(is_without & is_missing)),
        short=int(np.count_nonzero(matched.is_held & (matched.returned < (convention.k or 0)))),
        ideal_cut=_ideals_cut(all_relevant, convention),
        unjudged=matched.elsewhere,
    )


def _ideals_cut(relevant: Places, convention: Convention) -> int:
    if convention.measure != "nDCG" or convention.ideal != "judged" or convention.k is None:
        return 0
    return int(np.count_nonzero(relevant > convention.k))


def _has_ideal(matched: Matched, places: Worth, convention: Convention) -> NDArray[np.bool_]:
    """False where the ideal over what was returned is 0. A list without a document is a query that is missing."""
    if convention.measure != "nDCG" or convention.ideal == "judged":
        return np.ones(len(places.divisor), dtype=np.bool_)
    has_ideal: NDArray[np.bool_] = (places.divisor > 0) | (matched.returned == 0)
    return has_ideal


def _values(places: Worth, convention: Convention) -> Numbers:
    """A number for every query; of those that are left out too, where it means nothing."""
    total = np.bincount(places.query, places.gain * places.weight, minlength=len(places.divisor)).astype(np.float64)
    values = np.divide(total, places.divisor, out=np.zeros_like(total), where=places.divisor > 0)
    if convention.measure == "RBP-residual":
        return places.most * (1.0 - values)
    return np.minimum(values, 1.0) if convention.measure == "nDCG" else values  # An averaged tie may round above 1.


def _left_out(
    matched: Matched, convention: Convention, *, is_judged: NDArray[np.bool_], has_ideal: NDArray[np.bool_]
) -> list[tuple[Undefined, NDArray[np.bool_]]]:
    """The queries that have no value, by reason; of two reasons the later one is told."""
    left_out = []
    if convention.measure == "judged":
        left_out.append((NOTHING_RETURNED, matched.returned == 0))
    elif convention.no_relevant == "exclude":
        left_out = [(NONE_RETURNED, ~has_ideal), (_NO_RELEVANT, ~is_judged)]
    if convention.missing == "exclude":
        left_out.append((_MISSING, ~matched.is_held))
    return left_out
