"""How single levels and single labellers fare: on which level people agree, and who gives more than the others do."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.agreement.gate import GateResult
from app.measures.kappa import Counts
from app.measures.levels import Homogeneity, marginal_shift, specific_agreement, stuart_maxwell
from app.measures.undefined import Undefined


@dataclass(frozen=True, slots=True)
class LevelAgreement:
    """Of the grades that gave the level, the share whose other grade gave it too; a grade counts once for each other
    person who graded its pair.
    """

    number: int
    name: str
    given: int
    specific: float | Undefined


@dataclass(frozen=True, slots=True)
class OneSided:
    """Two levels of which one labeller gives `own` where the others give `theirs`, `times` over, and only `back` times
    the other way round.
    """

    own: int
    theirs: int
    times: int
    back: int


@dataclass(frozen=True, slots=True)
class Lean:
    """One labeller against the rest: by how many levels they grade higher on the mean, below 0 lower, and the levels
    that are confused most one-sidedly; None where none are.
    """

    name: str
    shift: float | Undefined
    one_sided: OneSided | None


@dataclass(frozen=True, slots=True)
class CoupleLean:
    """By how many levels the second grades higher than the first on the mean, and whether that may be chance."""

    first: str
    second: str
    pairs: int
    kappa: float | Undefined
    shift: float | Undefined
    test: Homogeneity | Undefined

    @property
    def p(self) -> float | Undefined:
        return self.test if isinstance(self.test, Undefined) else self.test.p


def agreement_by_level(gate: GateResult) -> list[LevelAgreement]:
    table = gate.evidence.agreement.table
    given = (table.sum(axis=0) + table.sum(axis=1)).tolist()
    return [
        LevelAgreement(level.number, level.name, times, specific)
        for level, times, specific in zip(gate.levels, given, specific_agreement(table), strict=True)
    ]


def leans(gate: GateResult) -> list[Lean]:
    """Every labeller of doubly judged pairs, by index."""
    return [
        Lean(gate.labellers[labeller].name, marginal_shift(table.T), most_one_sided(gate, table))
        for labeller, table in sorted(tables_against_rest(gate).items())
    ]


def leans_of_couples(gate: GateResult) -> list[CoupleLean]:
    return [
        CoupleLean(
            first=gate.labellers[couple.a].name,
            second=gate.labellers[couple.b].name,
            pairs=couple.pairs,
            kappa=couple.kappa,
            shift=marginal_shift(couple.table),
            test=stuart_maxwell(couple.table),
        )
        for couple in gate.evidence.agreement.couples
    ]


def differs_most(gate: GateResult) -> str | None:
    """The labeller with the lowest kappa against the rest; None where there are fewer than three to choose from."""
    known = [(one.kappa, one.labeller) for one in gate.evidence.agreement.versus_rest if isinstance(one.kappa, float)]
    return gate.labellers[min(known)[1]].name if len(known) > 2 else None


def tables_against_rest(gate: GateResult) -> Mapping[int, Counts]:
    """By labeller: levels of theirs in the rows, of whoever graded the same pair in the columns."""
    found: dict[int, Counts] = {}
    for couple in gate.evidence.agreement.couples:
        for labeller, table in ((couple.a, couple.table), (couple.b, couple.table.T)):
            found[labeller] = found.get(labeller, 0) + table
    return found


def most_one_sided(gate: GateResult, table: Counts) -> OneSided | None:
    excess = table - table.T
    own, theirs = divmod(int(excess.argmax()), len(table))
    if not np.any(excess):
        return None
    levels = gate.levels
    return OneSided(
        levels[own].number, levels[theirs].number, times=int(table[own, theirs]), back=int(table[theirs, own])
    )
