"""What a lead reads about agreement beyond the gate's answer: single cells, single queries, and how rounds compare."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.agreement.answers import LeftOutAs
from app.agreement.gate import GateResult
from app.agreement.queries import PairGrade
from app.judging.models import Round
from app.measures.agreement import Measured, pooled_kappa
from app.measures.alpha import alpha
from app.measures.by_query import agreement_by_query
from app.measures.doubles import Doubles
from app.measures.gwet import gwet
from app.measures.kappa import Counts
from app.measures.undefined import Undefined
from app.projects.models import Project
from app.rubrics.models import Rubric


@dataclass(frozen=True, slots=True)
class Couple:
    """What two labellers said of one pair: in a confusion table `first` stands in the row, `second` in the column."""

    first: PairGrade
    second: PairGrade
    query: int
    """Its place in the order of the qids."""


@dataclass(frozen=True, slots=True)
class QueryKappa:
    """One query's pairs by themselves; often undefined, where all its documents are of one level."""

    qid: str
    pairs: int
    kappa: float | Undefined
    exact: float


@dataclass(frozen=True, slots=True)
class RoundKappa(Measured):
    """Agreement of the pairs that two people graded within one round."""

    number: int
    kind: str
    rubric_number: int
    family: int
    pairs: int
    queries: int
    kappa: float | Undefined
    interval: tuple[float, float] | Undefined


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in full under its name."""

    name: str
    value: float | Undefined


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the confusion table. `heat` runs from 0 (nothing) to 10, along the root of the count, by itself for
    the cells on the diagonal and for those off it: disagreement is to be seen where agreement is a hundredfold.
    """

    first: int
    second: int
    pairs: int
    heat: int

    @property
    def is_agreed(self) -> bool:
        return self.first == self.second


@dataclass(frozen=True, slots=True)
class Confusion:
    """The confusion table, and the two levels that are mistaken for each other most often: `there` times the second
    gave the higher where the first gave the lower, `back` times the other way. None where nobody differs.
    """

    rows: tuple[tuple[Cell, ...], ...]
    lower: int | None
    higher: int | None
    there: int
    back: int
    two_apart: int
    """Times that two labellers are two levels or more apart."""

    @property
    def couples(self) -> int:
        """Times that two labellers graded the same pair: three where three did."""
        return sum(cell.pairs for row in self.rows for cell in row)


def confusion(gate: GateResult) -> Confusion:
    table = gate.evidence.agreement.table
    size = range(len(table))
    diagonal = np.eye(len(table), dtype=bool)
    hottest = np.where(diagonal, table[diagonal].max(initial=0), table[~diagonal].max(initial=0))
    heat = np.ceil(10 * np.sqrt(table / np.maximum(hottest, 1))).astype(int)
    rows = tuple(
        tuple(Cell(gate.levels[i].number, gate.levels[j].number, int(table[i, j]), int(heat[i, j])) for j in size)
        for i in size
    )
    swapped = np.triu(table + table.T, k=1)
    apart = int(np.triu(table + table.T, k=2).sum())
    if not swapped.any():
        return Confusion(rows, None, None, 0, 0, apart)
    low, high = divmod(int(swapped.argmax()), len(table))
    return Confusion(rows, low, high, int(table[low, high]), int(table[high, low]), apart)


def couples_in_cell(gate: GateResult, *, first: int, second: int) -> list[Couple]:
    """Those that count in one cell of the confusion table, query by query."""
    level_a, level_b = levels_of_couples(gate)
    return by_query(couples(gate, (level_a == first) & (level_b == second)))


def couples_apart(gate: GateResult, steps: int) -> list[Couple]:
    """Those whose levels are `steps` or more apart, the widest first."""
    level_a, level_b = levels_of_couples(gate)
    return sorted(by_query(couples(gate, abs(level_a - level_b) >= steps)), key=distance, reverse=True)


def couples_of_query(gate: GateResult, qid: str) -> list[Couple]:
    """All of one query, the widest apart first."""
    here = gate.qids.index(qid) if qid in gate.qids else -1
    return sorted(by_query(couples(gate, gate.doubles.query == here)), key=distance, reverse=True)


def couples_left_out(gate: GateResult, kind: LeftOutAs) -> list[Couple]:
    """Pairs that an answer kept out, query by query: the first two answers of each, a refusal before the grades where
    there are more.
    """
    place = {query_id: at for at, query_id in enumerate(gate.query_ids)}
    pairs = [given if len(given) == 2 else sorted(given, key=is_grade) for given in gate.answers.told_pairs(kind)]
    return by_query([Couple(first, second, place[first.query_id]) for first, second, *_ in pairs])


def is_grade(answer: PairGrade) -> bool:
    return answer.level is not None


def levels_of_couples(gate: GateResult) -> tuple[Counts, Counts]:
    """By number."""
    first, second = gate.answers.couples
    return gate.answers.level[first], gate.answers.level[second]


def couples(gate: GateResult, is_wanted: NDArray[np.bool_]) -> list[Couple]:
    """Those of the couples that count, (n,), which are wanted."""
    first, second = (gate.answers.told(side[is_wanted].tolist()) for side in gate.answers.couples)
    return [Couple(*each) for each in zip(first, second, gate.doubles.query[is_wanted].tolist(), strict=True)]


def by_query(found: Iterable[Couple]) -> list[Couple]:
    return sorted(found, key=lambda couple: (couple.query, couple.first.pair_id))


def distance(couple: Couple) -> int:
    assert couple.first.level is not None
    assert couple.second.level is not None
    return abs(couple.first.level - couple.second.level)


def kappa_by_query(gate: GateResult) -> list[QueryKappa]:
    """Every query with doubly judged pairs: the lowest kappa first, the undefined ones last, then by qid."""
    figures = [
        QueryKappa(gate.qids[one.query], one.pairs, one.kappa, one.exact) for one in agreement_by_query(gate.doubles)
    ]
    return sorted(figures, key=lambda one: math.inf if isinstance(one.kappa, Undefined) else one.kappa)


@dataclass(frozen=True, slots=True)
class Differing:
    """How many pairs the labellers differ on, as adjudication counts them: on `by_one` of them the primary labeller
    stands, `decided` are, and the rest wait for a third person.
    """

    pairs: int
    by_one: int
    decided: int

    @property
    def undecided(self) -> int:
        return self.pairs - self.by_one - self.decided


def differing(gate: GateResult, project: Project, decided: Container[str]) -> Differing:
    """`decided` are ids of pairs."""
    pairs, is_by_one = gate.answers.differing()
    is_open = np.array([pair_id not in decided for pair_id in gate.answers.pair_ids(pairs)], dtype=bool)
    by_one = int(np.count_nonzero(is_open & is_by_one)) if project.primary_stands else 0
    return Differing(len(pairs), by_one, len(pairs) - int(np.count_nonzero(is_open)))


def kappa_by_round(session: Session, project: Project, gates: Mapping[int, GateResult]) -> list[RoundKappa]:
    """Every round of every family that holds doubly judged pairs, oldest first."""
    rounds = session.execute(
        select(Round.number, Round.kind, Rubric.number, Rubric.family)
        .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
        .where(Round.project_id == project.id)
        .order_by(Round.number)
    )
    figures = [
        round_kappa(number, kind, rubric, family, within_round(gates[family], number))
        for number, kind, rubric, family in rounds
    ]
    return [one for one in figures if one.pairs]


def round_kappa(number: int, kind: str, rubric_number: int, family: int, doubles: Doubles) -> RoundKappa:
    kappa, interval = pooled_kappa(doubles)
    queries = len(np.unique(doubles.query))
    return RoundKappa(number, kind, rubric_number, family, doubles.pairs, queries, kappa, interval)


def within_round(gate: GateResult, number: int) -> Doubles:
    """The pairs whose couple graded them in this very round."""
    rounds = np.asarray(gate.answers.asked.round_number, dtype=np.int64)[gate.answers.places]
    first, second = gate.answers.couples
    return part(gate.doubles, (rounds[first] == number) & (rounds[second] == number))


def part(doubles: Doubles, is_in: NDArray[np.bool_]) -> Doubles:
    """The places of `doubles` that `is_in` (n,) names."""
    return Doubles(
        query=doubles.query[is_in],
        a=doubles.a[is_in],
        b=doubles.b[is_in],
        level_a=doubles.level_a[is_in],
        level_b=doubles.level_b[is_in],
        levels=doubles.levels,
        labellers=doubles.labellers,
        pair=None if doubles.pair is None else doubles.pair[is_in],
    )


def beside_kappa(gate: GateResult) -> dict[str, float | Undefined]:
    """What stands beside kappa and never decides, under its name in JSON."""
    return {
        "kappa_quadratic": pooled_kappa(gate.doubles, "quadratic")[0],
        "kappa_unweighted": pooled_kappa(gate.doubles, "none")[0],
        "alpha_ordinal": alpha(gate.doubles),
        "ac2_linear": gwet(gate.doubles),
    }


def exact_figures(gate: GateResult) -> list[Figure]:
    """Everything that stands rounded on the page, and what stands beside kappa and never instead of it."""
    found, beside = gate.evidence.agreement, beside_kappa(gate)
    named: Sequence[tuple[str, float | Undefined]] = (
        ("kappa, linear weights", found.kappa),
        ("lower end of the interval", found.low),
        ("upper end of the interval", found.high),
        ("kappa, quadratic weights", beside["kappa_quadratic"]),
        ("kappa, unweighted", beside["kappa_unweighted"]),
        ("Krippendorff’s alpha, ordinal", beside["alpha_ordinal"]),
        ("Gwet’s AC2, linear weights", beside["ac2_linear"]),
        ("exact agreement", found.exact),
        ("within one level", found.within_one),
    )
    return [Figure(*each) for each in named]
