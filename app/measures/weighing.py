"""Means over queries that do not all count alike: by traffic, by strata."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.measures.given import is_number
from app.measures.scores import RunScores
from app.measures.undefined import MeasureError, Undefined


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """`weights` says what they are, since a mean means nothing without it; `queries` are those with a value."""

    mean: float | Undefined
    weights: str
    queries: int


def weigh(scores: RunScores, weights: Mapping[str, float], *, name: str) -> WeightedMean:
    """The mean of the queries that have a value, each by its weight; one without a weight is refused, never guessed."""
    for qid in scores.per_query:
        weight = weights.get(qid)
        if weight is None:
            raise MeasureError(f"The weights {name} name no weight for query {qid}: 0 leaves a query out.")
        if not is_number(weight) or weight < 0:
            raise MeasureError(f"The weights {name} give query {qid} {weight}: a weight is 0 or more.")
    defined = {qid: value for qid, value in scores.per_query.items() if not isinstance(value, Undefined)}
    shares = _scaled({qid: weights[qid] for qid in defined})
    total = math.fsum(shares.values())
    if total == 0:
        return WeightedMean(Undefined("no query with a weight has a value"), name, len(defined))
    mean = math.fsum(value * shares[qid] for qid, value in defined.items()) / total
    return WeightedMean(mean, name, len(defined))


def left_out_share(scores: RunScores, weights: Mapping[str, float]) -> float | Undefined:
    """How much of the judged queries' weight lies on those that have no value; of weights that `weigh` has taken."""
    shares = _scaled({qid: weights[qid] for qid in scores.per_query})
    total = math.fsum(shares.values())
    if total == 0:
        return Undefined("no judged query has a weight")
    return math.fsum(shares[qid] for qid, value in scores.per_query.items() if isinstance(value, Undefined)) / total


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    """By a power of two, which changes no digit, so that no sum is too large."""
    by = -math.frexp(max(weights.values(), default=0.0))[1]
    return {qid: math.ldexp(weight, by) for qid, weight in weights.items()}
