"""Scores of rankings against judgments, under a convention: one query, a whole run, or rank by rank."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from app.measures.conventions import Convention
from app.measures.gains import discount_at, discounted, gain_of
from app.measures.ranking import as_bytes, comparable, order, tied
from app.measures.undefined import MeasureError, Undefined

Judgments = Mapping[str, float]
Ranking = tuple[Sequence[str], ArrayLike]

_NO_RELEVANT = "no relevant document was judged for this query"
_MISSING = "the run does not hold this query"
_NOTHING_RETURNED = "nothing was returned, so that there is nothing to have judged"


@dataclass(frozen=True)
class RunScores:
    """One run's scores: `mean` runs over `queries` of the judged queries, those whose value is not Undefined.

    `no_relevant` and `missing` count judged queries without a relevant judgment and queries that the run does not hold,
    whether the convention counts them as 0 or leaves them out; `short` counts rankings with fewer than k documents,
    `unjudged` the queries of the run that nobody judged, which are in no number.
    """

    per_query: dict[str, float | Undefined]
    mean: float | Undefined
    queries: int
    no_relevant: int
    missing: int
    short: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class Row:
    """One rank: `contribution` = gain x discount; 0 beyond the cut-off. `grade` None: not judged."""

    rank: int
    docno: str
    grade: float | None
    gain: float
    discount: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A query's DCG by hand, `ideal` being the best list that the convention compares with."""

    rows: tuple[Row, ...]
    ideal: tuple[Row, ...]
    dcg: float
    ideal_dcg: float
    value: float | Undefined

    @property
    def is_ideal_cut(self) -> bool:
        """Whether there are more documents of worth than the cut-off holds: a list may be perfect and miss some."""
        return any(row.gain > 0 and row.discount == 0 for row in self.ideal)


def score_run(rankings: Mapping[str, Ranking], qrels: Mapping[str, Judgments], convention: Convention) -> RunScores:
    """Scores every judged query; a query whose judgments are empty is not judged. No query in common is refused."""
    judged = {qid: judgments for qid, judgments in qrels.items() if judgments}
    if not judged:
        raise MeasureError("The qrels hold no judgment.")
    if judged.keys().isdisjoint(rankings):
        raise MeasureError("The run and the qrels have no query in common: are their query ids written the same way?")
    per_query = {qid: _score_of(qid, rankings, judgments, convention) for qid, judgments in judged.items()}
    values = [value for value in per_query.values() if not isinstance(value, Undefined)]
    return RunScores(
        per_query=per_query,
        mean=math.fsum(values) / len(values) if values else Undefined("no query has a value under this convention"),
        queries=len(values),
        no_relevant=sum(not has_relevant(judgments, convention) for judgments in judged.values()),
        missing=sum(qid not in rankings for qid in judged),
        short=sum(len(rankings[qid][0]) < (convention.k or 0) for qid in judged if qid in rankings),
        unjudged=sum(qid not in judged for qid in rankings),
    )


def score_query(
    docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention
) -> float | Undefined:
    """One query's value; Undefined where the convention leaves a query out, or judged@k has nothing to look at."""
    ranked = _ranked(docnos, scores, judgments, convention)
    if convention.measure == "judged":
        return _judged(ranked, judgments, convention.k)
    if not has_relevant(judgments, convention):
        return Undefined(_NO_RELEVANT) if convention.no_relevant == "exclude" else 0.0
    if convention.measure in ("nDCG", "DCG"):
        return _discounted_gain(ranked, judgments, convention)
    return _binary(ranked, judgments, convention)


def has_relevant(judgments: Judgments, convention: Convention) -> bool:
    """Whether a judgment is relevant in the measure's own sense: a positive gain, or a grade at the threshold."""
    if convention.measure in ("nDCG", "DCG"):
        return any(_gain(docno, judgments, convention) > 0 for docno in judgments)
    return any(grade >= convention.threshold for grade in judgments.values())


def explain(docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention) -> Explanation:
    """Gain, discount and contribution at every rank of the list that is scored, and of the ideal one."""
    if convention.measure not in ("nDCG", "DCG"):
        raise MeasureError(f"Only nDCG and DCG are sums over ranks; {convention.measure} is not shown rank by rank.")
    ranked = _ranked(docnos, scores, judgments, convention)
    rows = _rows(ranked.docnos, _gains(ranked, judgments, convention), judgments, convention)
    best = _ideal(ranked, judgments, convention)
    ideal = _rows(best, [_gain(docno, judgments, convention) for docno in best], judgments, convention)
    return Explanation(
        rows=rows,
        ideal=ideal,
        dcg=math.fsum(row.contribution for row in rows),
        ideal_dcg=math.fsum(row.contribution for row in ideal),
        value=score_query(docnos, scores, judgments, convention),
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The list that is scored, in order; `groups` are the places (start, stop) over which ties are averaged."""

    docnos: list[str]
    groups: list[tuple[int, int]]

    def spread(self, worth: list[float]) -> list[float]:
        """Each tied group's mean in each of its places (McSherry & Najork 2008)."""
        spread = list(worth)
        for start, stop in self.groups:
            spread[start:stop] = [math.fsum(worth[start:stop]) / (stop - start)] * (stop - start)
        return spread


def _score_of(
    qid: str, rankings: Mapping[str, Ranking], judgments: Judgments, convention: Convention
) -> float | Undefined:
    try:
        if qid in rankings:
            return score_query(*rankings[qid], judgments, convention)
        return _score_of_missing(judgments, convention)
    except MeasureError as error:
        raise MeasureError(f"Query {qid}: {error}") from error


def _score_of_missing(judgments: Judgments, convention: Convention) -> float | Undefined:
    if convention.missing == "exclude":
        return Undefined(_MISSING)
    return score_query((), (), judgments, convention)


def _ranked(docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention) -> _Ranked:
    values = comparable(scores, convention.ties)
    places = order(docnos, values, convention.ties)
    listed = [docnos[place] for place in places.tolist()]
    if len(set(listed)) < len(listed):
        raise MeasureError(f"Document {_first_repeated(listed)} stands in the ranking twice.")
    values = values[places]
    if convention.unjudged == "condensed" and convention.measure != "judged":
        kept = [at for at, docno in enumerate(listed) if judgments.get(docno, -1) >= 0]
        listed, values = [listed[at] for at in kept], values[kept]
    if convention.ties == "optimistic":
        for start, stop in tied(values):
            listed[start:stop] = _by_grade(listed[start:stop], judgments)
    return _Ranked(listed, tied(values) if convention.ties == "average" else [])


def _by_grade(docnos: Sequence[str], judgments: Judgments) -> list[str]:
    """The best grade first; equal grades keep their order, and documents without a judgment come last."""
    return sorted(docnos, key=lambda docno: judgments.get(docno, -math.inf), reverse=True)


def _discounted_gain(ranked: _Ranked, judgments: Judgments, convention: Convention) -> float:
    dcg = discounted(_gains(ranked, judgments, convention)[: convention.k], convention.discount)
    if convention.measure == "DCG":
        return dcg
    best = [_gain(docno, judgments, convention) for docno in _ideal(ranked, judgments, convention)]
    ideal = discounted(best[: convention.k], convention.discount)
    return min(dcg / ideal, 1.0) if ideal > 0 else 0.0  # The last bit of an averaged tie may round above 1.


def _gains(ranked: _Ranked, judgments: Judgments, convention: Convention) -> list[float]:
    return ranked.spread([_gain(docno, judgments, convention) for docno in ranked.docnos])


def _gain(docno: str, judgments: Judgments, convention: Convention) -> float:
    if docno not in judgments:
        return 0.0
    try:
        return gain_of(judgments[docno], convention.gain)
    except MeasureError as error:
        raise MeasureError(f"Document {docno}: {error}") from error


def _ideal(ranked: _Ranked, judgments: Judgments, convention: Convention) -> list[str]:
    """The documents of the best list; grades in equal order of bytes, so that the list is one and the same."""
    pool = judgments if convention.ideal == "judged" else [docno for docno in ranked.docnos if docno in judgments]
    return _by_grade(sorted(pool, key=as_bytes, reverse=True), judgments)


def _judged(ranked: _Ranked, judgments: Judgments, k: int | None) -> float | Undefined:
    looked_at = ranked.spread([float(docno in judgments) for docno in ranked.docnos])[:k]
    return math.fsum(looked_at) / len(looked_at) if looked_at else Undefined(_NOTHING_RETURNED)


def _binary(ranked: _Ranked, judgments: Judgments, convention: Convention) -> float:
    is_relevant = [judgments.get(docno, -math.inf) >= convention.threshold for docno in ranked.docnos]
    hits = ranked.spread([float(hit) for hit in is_relevant])[: convention.k]
    relevant = sum(grade >= convention.threshold for grade in judgments.values())
    match convention.measure:
        case "recall":
            return math.fsum(hits) / relevant
        case "precision":
            return math.fsum(hits) / (convention.k or len(hits))
        case "AP":
            ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
            return math.fsum(found / rank for found, rank in enumerate(ranks, start=1)) / relevant
        case "RR":
            return next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0)
        case "hit":
            return float(any(hits))
        case _:
            raise MeasureError(f"{convention.measure} is not scored yet.")


def _rows(
    docnos: Sequence[str], gains: Sequence[float], judgments: Judgments, convention: Convention
) -> tuple[Row, ...]:
    rows = []
    for rank, (docno, gain) in enumerate(zip(docnos, gains, strict=True), start=1):
        is_counted = convention.k is None or rank <= convention.k
        discount = discount_at(rank, convention.discount) if is_counted else 0.0
        rows.append(Row(rank, docno, judgments.get(docno), gain, discount, gain * discount))
    return tuple(rows)


def _first_repeated(docnos: Sequence[str]) -> str:
    seen: set[str] = set()
    return next(docno for docno in docnos if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
