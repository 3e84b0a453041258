"""Agreement of people who graded the same pairs.

Pooled weighted kappa for labellers who rotate (for two it is Cohen's), each couple's own, each labeller against the
rest, and a leave-one-query-out jackknife, because the pairs of one query are not independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from app.measures.doubles import Doubles
from app.measures.jackknife import interval_about, kappas_of_couples_without_each, kappas_without_each
from app.measures.kappa import NO_PAIRS, ONE_LEVEL, Counts, Numbers, Weights, distance, kappa, weights
from app.measures.student import refuse_confidence
from app.measures.tables import CoupleTables, by_couple, count
from app.measures.undefined import Undefined

__all__ = ["Agreement", "Couple", "Doubles", "VersusRest", "Weights", "agreement", "kappa", "weights"]


NO_WIDTH: Final = 1e-12
"""What rounding alone may leave between the ends of an interval."""


class Measured:
    """A kappa with its interval, whose ends are as undefined as it is."""

    kappa: float | Undefined
    interval: tuple[float, float] | Undefined

    @property
    def low(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[0]

    @property
    def high(self) -> float | Undefined:
        return self.interval if isinstance(self.interval, Undefined) else self.interval[1]

    @property
    def why_no_width(self) -> str | None:
        """Why the interval's ends are one, where they are: it then says nothing of how sure kappa is."""
        if isinstance(self.interval, Undefined) or self.interval[1] - self.interval[0] > NO_WIDTH:
            return None
        return "no pair differs" if self.kappa == 1 else "leaving out any one query changes nothing"


@dataclass(frozen=True, eq=False)
class Couple(Measured):
    """Two labellers' own table (rows a, columns b), their Cohen's kappa and its interval: shown, not judged."""

    a: int
    b: int
    pairs: int
    queries: int
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined
    table: Counts


@dataclass(frozen=True)
class VersusRest(Measured):
    """Pooled kappa over one labeller's pairs, everybody's distribution of levels being that of the whole.

    The interval leaves out each of this labeller's queries in turn. `levels_used` counts different levels.
    """

    labeller: int
    pairs: int
    queries: int
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined
    mean_level: float
    levels_used: int


@dataclass(frozen=True, eq=False)
class Agreement(Measured):
    """What the doubly judged pairs say. `table` sums the couples' tables, the lower-indexed labeller in the rows.

    A pair that three people graded is one of `pairs`, and stands in the table once for each of its three couples. The
    interval is never cut off at 1.
    """

    kind: Weights
    confidence: float
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined
    pairs: int
    queries: int
    table: Counts
    exact: float | Undefined
    within_one: float | Undefined
    couples: tuple[Couple, ...]
    versus_rest: tuple[VersusRest, ...]


def agreement(doubles: Doubles, kind: Weights = "linear", confidence: float = 0.95) -> Agreement:
    """Pooled kappa with its jackknife interval, couples, and each labeller versus the rest.

    kappa = 1 - sum_c n_c D_o(c) / sum_c n_c D_e(c), with each labeller's distribution of levels taken over all of that
    labeller's doubly judged pairs; for two labellers it is Cohen's.
    """
    refuse_confidence(confidence)
    steps = distance(doubles.levels, kind)
    tables = count(doubles)
    couples = by_couple(tables)
    terms = _terms(couples, tables.margins.sum(axis=0), steps)
    pooled = _pooled(terms)
    replicates, replicates_of_each = kappas_without_each(tables, steps)
    table = couples.counts.sum(axis=0)
    return Agreement(
        kind=kind,
        confidence=confidence,
        kappa=pooled,
        interval=interval_about(pooled, replicates, confidence),
        pairs=doubles.pairs,
        queries=len(replicates),
        table=table,
        exact=_share_within(table, 0),
        within_one=_share_within(table, 1),
        couples=_couples(
            couples, tables.people, kappas_of_couples_without_each(tables, couples, steps), kind, confidence
        ),
        versus_rest=tuple(
            _versus_rest(labeller, _pooled(own), tables.margins[:, place], replicates_of_each[:, place], confidence)
            for place, (labeller, own) in enumerate(zip(tables.people.tolist(), _own_terms(terms), strict=True))
        ),
    )


def pooled_kappa(
    doubles: Doubles, kind: Weights = "linear", confidence: float = 0.95
) -> tuple[float | Undefined, tuple[float, float] | Undefined]:
    """Pooled kappa and its interval as in `agreement`, and nothing else."""
    refuse_confidence(confidence)
    steps, tables = distance(doubles.levels, kind), count(doubles)
    pooled = _pooled(_terms(by_couple(tables), tables.margins.sum(axis=0), steps))
    return pooled, interval_about(pooled, kappas_without_each(tables, steps)[0], confidence)


class _Term(NamedTuple):
    """A couple's part of pooled kappa: n_c D_o(c), in whole steps, and n_c D_e(c)."""

    lower: int
    higher: int
    observed: int
    expected: float


def _terms(couples: CoupleTables, levels: Counts, steps: Counts) -> list[_Term]:
    """`levels` (U, K) is how often each labeller gave each level. Each quotient is of whole numbers, rounded once."""
    by_chance = (levels @ steps @ levels.T).tolist()
    totals = levels.sum(axis=1).tolist()
    observed = (couples.counts * steps).sum(axis=(1, 2)).tolist()
    pairs = couples.counts.sum(axis=(1, 2)).tolist()
    return [
        _Term(a, b, observed[at], pairs[at] * by_chance[a][b] / (totals[a] * totals[b]))
        for at, (a, b) in enumerate(zip(couples.lower.tolist(), couples.higher.tolist(), strict=True))
    ]


def _own_terms(terms: Sequence[_Term]) -> list[list[_Term]]:
    """The terms of each labeller's couples, labellers in order: each who took part has some."""
    own: dict[int, list[_Term]] = {}
    for term in terms:
        own.setdefault(term.lower, []).append(term)
        own.setdefault(term.higher, []).append(term)
    return [own[place] for place in sorted(own)]


def _pooled(terms: Sequence[_Term]) -> float | Undefined:
    """Summed exactly and rounded once, so that every machine gives the same digits."""
    if not terms:
        return Undefined(NO_PAIRS)
    expected = math.fsum(term.expected for term in terms)
    return 1.0 - sum(term.observed for term in terms) / expected if expected else Undefined(ONE_LEVEL)


def _couples(
    couples: CoupleTables, people: Counts, replicates: Sequence[Numbers], kind: Weights, confidence: float
) -> tuple[Couple, ...]:
    """`replicates` leave out one of a couple's queries each."""
    return tuple(
        Couple(
            a=int(people[lower]),
            b=int(people[higher]),
            pairs=int(table.sum()),
            queries=len(without_each),
            kappa=kappa(table, kind),
            interval=interval_about(kappa(table, kind), without_each, confidence),
            table=table,
        )
        for lower, higher, table, without_each in zip(
            couples.lower, couples.higher, couples.counts, replicates, strict=True
        )
    )


def _versus_rest(
    labeller: int, pooled: float | Undefined, margins: Counts, replicates: Numbers, confidence: float
) -> VersusRest:
    """`margins` (Q, K) are this labeller's, `replicates` (Q,) leave out one query each."""
    levels = margins.sum(axis=0)
    took_part = margins.sum(axis=1) > 0
    return VersusRest(
        labeller=labeller,
        pairs=int(levels.sum()),
        queries=int(took_part.sum()),
        kappa=pooled,
        interval=interval_about(pooled, replicates[took_part], confidence),
        mean_level=int(levels @ np.arange(len(levels))) / int(levels.sum()),
        levels_used=int((levels > 0).sum()),
    )


def _share_within(table: Counts, steps: int) -> float | Undefined:
    total = int(table.sum())
    near = distance(len(table)) <= steps
    return int(table[near].sum()) / total if total else Undefined(NO_PAIRS)
