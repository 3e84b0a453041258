"""What a lead reads about agreement beyond the gate's answer: single cells, single queries, and how rounds compare."""

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import is_differing, is_one_apart, levels_said
from app.agreement.gate import GateResult, LeftOutAs, couples_of, gate_of, left_out_as
from app.agreement.queries import PairGrade
from app.judging.models import Round
from app.measures.agreement import Agreement, agreement
from app.measures.alpha import alpha
from app.measures.by_query import agreement_by_query
from app.measures.doubles import Doubles
from app.measures.gwet import gwet
from app.measures.undefined import Undefined
from app.projects.models import Project
from app.rubrics.models import Rubric
from app.rubrics.queries import versions_of


@dataclass(frozen=True, slots=True)
class Couple:
    """What two labellers said of one pair: in a confusion table `first` stands in the row, `second` in the column."""

    first: PairGrade
    second: PairGrade


@dataclass(frozen=True, slots=True)
class QueryKappa:
    """One query's pairs by themselves; often undefined, where all its documents are of one level."""

    qid: str
    pairs: int
    kappa: float | Undefined
    exact: float


@dataclass(frozen=True, slots=True)
class RoundKappa:
    """Agreement of the pairs that two people graded within one round."""

    number: int
    kind: str
    rubric_number: int
    family: int
    agreement: Agreement


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
    return by_query(gate, [each for each in couples(gate) if (each.first.level, each.second.level) == (first, second)])


def couples_apart(gate: GateResult, steps: int) -> list[Couple]:
    """Those whose levels are `steps` or more apart, the widest first."""
    wide = by_query(gate, [each for each in couples(gate) if distance(each) >= steps])
    return sorted(wide, key=distance, reverse=True)


def couples_of_query(gate: GateResult, qid: str) -> list[Couple]:
    """All of one query, the widest apart first."""
    here = {query_id for query_id, known in zip(gate.query_ids, gate.qids, strict=True) if known == qid}
    found = by_query(gate, [each for each in couples(gate) if each.first.query_id in here])
    return sorted(found, key=distance, reverse=True)


def couples_left_out(gate: GateResult, kind: LeftOutAs) -> list[Couple]:
    """Pairs that are in no cell, query by query: the first two answers of each, or what stands for one."""
    return by_query(gate, [Couple(grades[0], grades[1]) for grades in gate.pairs if left_out_as(grades) == kind])


def couples(gate: GateResult) -> Iterator[Couple]:
    for grades in gate.pairs:
        for first, second in couples_of(grades):
            yield Couple(first, second)


def by_query(gate: GateResult, found: Iterable[Couple]) -> list[Couple]:
    place = {query_id: at for at, query_id in enumerate(gate.query_ids)}
    return sorted(found, key=lambda couple: (place[couple.first.query_id], couple.first.pair_id))


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
    found = [grades for grades in gate.pairs if is_differing(grades)]
    open_ones = [grades for grades in found if grades[0].pair_id not in decided]
    by_one = sum(project.primary_stands and is_one_apart(levels_said(grades)) for grades in open_ones)
    return Differing(len(found), by_one, len(found) - len(open_ones))


def kappa_by_round(session: Session, project: Project, gate: GateResult) -> list[RoundKappa]:
    """Every round of every family that holds doubly judged pairs, oldest first."""
    families = dict.fromkeys(rubric.family for rubric in versions_of(session, project.id))
    gates = {family: gate if family == gate.rubric.family else gate_of(session, project, family) for family in families}
    rounds = session.execute(
        select(Round.number, Round.kind, Rubric.number, Rubric.family)
        .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
        .where(Round.project_id == project.id)
        .order_by(Round.number)
    )
    figures = [
        RoundKappa(number, kind, rubric, family, within_round(gates[family], number))
        for number, kind, rubric, family in rounds
    ]
    return [one for one in figures if one.agreement.pairs]


def within_round(gate: GateResult, number: int) -> Agreement:
    """Of the pairs whose couple graded them in this very round."""
    rounds = [
        (first.round_number, second.round_number) for grades in gate.pairs for first, second in couples_of(grades)
    ]
    is_here = np.array([one == (number, number) for one in rounds], dtype=bool)
    return agreement(part(gate.doubles, is_here))


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
        "kappa_quadratic": agreement(gate.doubles, "quadratic").kappa,
        "kappa_unweighted": agreement(gate.doubles, "none").kappa,
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
