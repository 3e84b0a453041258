"""Whether what two labellers differ on moves the verdict on the runs: each run under the one's grades and the other's.

Nothing that is judged here leaves without a release: what is told are changes from one labeller to the other, and
whether a verdict holds, never a score and never which run is the better.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.agreement.gate import GateResult
from app.agreement.queries import docnos_of
from app.agreement.reading import couples
from app.errors import NotThere, RuleError
from app.measures.agreement import Couple
from app.measures.conventions import Convention
from app.measures.second_leg import Light, Moves, second_leg
from app.measures.undefined import MeasureError, Undefined
from app.projects.models import Project
from app.runs.queries import rankings_by_qid, runs_of

SHOWN_QUERIES = 5


@dataclass(frozen=True, slots=True)
class RunMoves:
    """How one run's queries change in nDCG, and its mean recall, from the first labeller to the second."""

    run: str
    least: float
    quartiles: tuple[float, float, float]
    greatest: float
    recall: float | Undefined
    largest: tuple[tuple[str, float], ...]
    """qid and change of the few that move most; of those that move."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two runs: red where each labeller finds the other one better; amber where one finds no difference at all."""

    first: str
    second: str
    light: Light


@dataclass(frozen=True, slots=True)
class SecondLeg:
    """Of one couple, whose names are `first` and `second`; over `queries`, without those that have no value under some
    run (`left_out`).
    """

    first: str
    second: str
    convention: Convention
    queries: int
    left_out: int
    runs: tuple[RunMoves, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def farthest(self) -> float:
        return max((abs(end) for run in self.runs for end in (run.least, run.greatest)), default=0.0)

    def count(self, light: Light) -> int:
        return sum(verdict.light == light for verdict in self.verdicts)


def couples_by_size(gate: GateResult) -> list[tuple[str, Couple]]:
    """Both names in a phrase, and the couple: those that share most pairs first."""
    names = [labeller.name for labeller in gate.labellers]
    couples = sorted(gate.evidence.agreement.couples, key=lambda couple: -couple.pairs)
    return [(f"{names[couple.a]} and {names[couple.b]}", couple) for couple in couples]


def second_leg_of(session: Session, project: Project, gate: GateResult, *, place: int = 0) -> SecondLeg:
    """Of the couple at `place` among `couples_by_size`. NotThere where there is none; RuleError where there is no run,
    or the runs can't be scored under the couple's grades.
    """
    couples = couples_by_size(gate)
    if place >= len(couples):
        raise NotThere("There are not that many couples of labellers.", "Choose one on the page.")
    _, couple = couples[place]
    runs = runs_of(session, project)
    if not runs:
        raise RuleError("There is no run to hold the grades against.", "Bring runs in first.", conditions=["runs"])
    convention = Convention(k=10, gain=project.own_gain, threshold=gate.rubric.threshold)
    first, second = grades_of_couple(session, gate, couple)
    held = {run.name: rankings_by_qid(session, run, first) for run in runs}
    try:
        found = second_leg(held, first, second, convention)
    except MeasureError as error:
        raise RuleError(f"The runs can't be held against these grades. {error}", "Judge more queries.") from error
    return SecondLeg(
        first=gate.labellers[couple.a].name,
        second=gate.labellers[couple.b].name,
        convention=convention,
        queries=len(found.queries),
        left_out=len(found.left_out),
        runs=tuple(map(moves_of_run, found.moves)),
        verdicts=tuple(Verdict(one.first, one.second, one.light) for one in found.verdicts),
    )


def grades_of_couple(
    session: Session, gate: GateResult, couple: Couple
) -> tuple[Mapping[str, Mapping[str, float]], Mapping[str, Mapping[str, float]]]:
    """Level by docno by qid, of the pairs that count in the couple's kappa: the first's, and the second's."""
    is_theirs = (gate.doubles.a == couple.a) & (gate.doubles.b == couple.b)
    docnos = docnos_of(session, gate.rubric.project_id)
    first: dict[str, dict[str, float]] = {}
    second: dict[str, dict[str, float]] = {}
    for pair in couples(gate, is_theirs):
        qid, docno = gate.qids[pair.query], docnos[pair.first.pair_id]
        for held, grade in ((first, pair.first), (second, pair.second)):
            assert grade.level is not None
            held.setdefault(qid, {})[docno] = grade.level
    return first, second


def moves_of_run(moves: Moves) -> RunMoves:
    before, after = moves.recall
    return RunMoves(
        run=moves.run,
        least=moves.least,
        quartiles=moves.quartiles,
        greatest=moves.greatest,
        recall=before if isinstance(before, Undefined) else after if isinstance(after, Undefined) else after - before,
        largest=tuple((qid, change) for qid, change in moves.changes[:SHOWN_QUERIES] if change),
    )
