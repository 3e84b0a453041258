"""How each labeller works: times that stand out, kappa as it goes. It is shown to leads and deletes nothing."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy import and_, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from app.agreement.gate import GateResult
from app.agreement.reading import couples
from app.corpora.models import Document, Query
from app.judging.models import Assignment, Gold, Grade, Round
from app.judging.queries import OF_FAMILY, newest
from app.measures.kappa import Counts, cross, kappa
from app.measures.undefined import Undefined
from app.measures.watching import has_drifted, is_unsteady, rolling_kappas, stand_out
from app.pools.models import Pair
from app.projects.models import Project

MOST_SHOWN = 10


class Timed(NamedTuple):
    """A first grade whose time was measured."""

    labeller_id: str
    grade_id: str
    qid: str
    docno: str
    active_ms: int
    length: int
    """Characters of the document as it is now, its title among them."""
    given_at: datetime

    @property
    def seconds(self) -> float:
        return self.active_ms / 1000


class Quiz(NamedTuple):
    """What a labeller gave to gold pairs, in quizzes and where they judged one in a round with a quiz: how many, how
    many at the level that was settled, how many a level off.
    """

    answered: int = 0
    exact: int = 0
    one_off: int = 0


@dataclass(frozen=True)
class Watched:
    """One labeller of the family."""

    id: str
    name: str
    timed: int
    """First grades with a measured time."""
    flagged: tuple[Timed, ...]
    """Those that stand out, the newest first."""
    shared: int
    """Pairs that others graded too."""
    kappas: tuple[float | Undefined, ...]
    """Over windows of 200 shared pairs, the oldest first; none for fewer."""
    repeated: int
    """Pairs shown again that they gave a level both times."""
    self_kappa: float | Undefined
    """Linear kappa of the two."""
    quiz: Quiz

    @property
    def is_unsteady(self) -> bool:
        return is_unsteady(self.self_kappa)

    @property
    def has_drifted(self) -> bool:
        return has_drifted(self.kappas)

    @property
    def newest(self) -> tuple[Timed, ...]:
        return self.flagged[:MOST_SHOWN]


def watch(session: Session, project: Project, gate: GateResult) -> list[Watched]:
    """Everybody who shares pairs with others, by name."""
    times = times_by_labeller(session, project, gate.rubric.family)
    pairs = {gate.labellers[one.labeller].id: one.pairs for one in gate.evidence.agreement.versus_rest}
    shared = shared_in_order(session, project, gate)
    twice, quizzes = shown_twice(session, project, gate), quizzes_of(session, project, gate.rubric.family)
    return [
        Watched(
            labeller.id,
            labeller.name,
            timed=len(times[labeller.id]),
            flagged=flagged(times[labeller.id]),
            shared=pairs.get(labeller.id, 0),
            kappas=tuple(
                rolling_kappas(
                    [own for _, own, _ in shared[labeller.id]],
                    [other for _, _, other in shared[labeller.id]],
                    levels=len(gate.levels),
                )
            ),
            repeated=len(twice[labeller.id]),
            self_kappa=kappa(table_of(twice[labeller.id], levels=len(gate.levels))),
            quiz=quizzes.get(labeller.id, Quiz()),
        )
        for labeller in gate.labellers
    ]


def times_by_labeller(session: Session, project: Project, family: int) -> Mapping[str, list[Timed]]:
    times: defaultdict[str, list[Timed]] = defaultdict(list)
    for row in session.execute(TIMED, {"project": project.id, "family": family}):
        timed = Timed._make(row)
        times[timed.labeller_id].append(timed)
    return times


def flagged(times: list[Timed]) -> tuple[Timed, ...]:
    flags = stand_out([each.active_ms for each in times], [each.length for each in times])
    found = [each for each, flag in zip(times, flags, strict=True) if flag]
    return tuple(sorted(found, key=lambda each: each.given_at, reverse=True))


def shared_in_order(
    session: Session, project: Project, gate: GateResult
) -> Mapping[str, list[tuple[datetime, int, int]]]:
    """By labeller: when they graded a shared pair, their level and another's, as places on the scale, oldest first.
    Grades that were brought in came all at once, in no order that tells anything.
    """
    rows = session.execute(GIVEN_AT, {"project": project.id, "family": gate.rubric.family})
    given_at = {grade_id: moment for grade_id, moment in rows}  # noqa: C416 - mypy does not take rows for tuples.
    place = {level.number: at for at, level in enumerate(gate.levels)}
    shared: defaultdict[str, list[tuple[datetime, int, int]]] = defaultdict(list)
    for couple in couples(gate, np.ones(len(gate.doubles.a), dtype=bool)):
        for own, other in ((couple.first, couple.second), (couple.second, couple.first)):
            if own.grade_id in given_at and own.level is not None and other.level is not None:
                shared[own.labeller_id].append((given_at[own.grade_id], place[own.level], place[other.level]))
    for each in shared.values():
        each.sort()
    return shared


def shown_twice(session: Session, project: Project, gate: GateResult) -> Mapping[str, list[tuple[int, int]]]:
    """By labeller, the places on the scale that they gave a pair at first and when it was shown again."""
    place = {level.number: at for at, level in enumerate(gate.levels)}
    twice: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for labeller_id, first, second in session.execute(TWICE, {"project": project.id, "family": gate.rubric.family}):
        if labeller_id is not None and first is not None and second is not None:
            twice[labeller_id].append((place[first], place[second]))
    return twice


def table_of(twice: list[tuple[int, int]], *, levels: int) -> Counts:
    return cross([first for first, _ in twice], [second for _, second in twice], levels)


def quizzes_of(session: Session, project: Project, family: int) -> dict[str, Quiz]:
    """A reason why it can't be judged is an answer that is not exact."""
    rows = session.execute(QUIZZES, {"project": project.id, "family": family})
    return {labeller_id: Quiz(*counts) for labeller_id, *counts in rows if labeller_id is not None}


OF_ASSIGNMENT = and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id)
GIVEN_AT = (
    select(Grade.id, Grade.given_at)
    .join(Assignment, OF_ASSIGNMENT)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .where(Grade.project_id == bindparam("project"), Assignment.round_id.in_(OF_FAMILY), Round.kind != "imported")
)
FIRST, AGAIN, GIVEN_FIRST, GIVEN_AGAIN = aliased(Assignment), aliased(Assignment), aliased(Grade), aliased(Grade)
TWICE = (
    select(FIRST.labeller_id, GIVEN_FIRST.level, GIVEN_AGAIN.level)
    .select_from(AGAIN)
    .join(
        FIRST,
        and_(
            FIRST.project_id == AGAIN.project_id,
            FIRST.round_id == AGAIN.round_id,
            FIRST.pair_id == AGAIN.pair_id,
            FIRST.labeller_id == AGAIN.labeller_id,
            FIRST.purpose == "judging",
        ),
    )
    .join(GIVEN_FIRST, newest(GIVEN_FIRST, FIRST))
    .join(GIVEN_AGAIN, newest(GIVEN_AGAIN, AGAIN))
    .where(
        AGAIN.project_id == bindparam("project"),
        AGAIN.round_id.in_(OF_FAMILY),
        AGAIN.purpose == "repeat",
    )
    .order_by(AGAIN.id)
)
IN_QUIZ = aliased(Assignment)
JUDGED_AS_GOLD = and_(
    Assignment.purpose == "judging",
    Round.quiz > 0,
    Gold.set_at <= Round.opened_at,
    ~select(IN_QUIZ.id)
    .where(
        IN_QUIZ.project_id == Assignment.project_id,
        IN_QUIZ.round_id.in_(OF_FAMILY),
        IN_QUIZ.pair_id == Assignment.pair_id,
        IN_QUIZ.labeller_id == Assignment.labeller_id,
        IN_QUIZ.purpose == "gold",
    )
    .exists(),
)
"""In a round with a quiz a gold pair that its labeller judges anyway is asked once. Gold that was set later may have
been set with the grade in sight.
"""
QUIZZES = (
    select(
        Assignment.labeller_id,
        func.count(),
        func.count().filter(Grade.level == Gold.level),
        func.count().filter(func.abs(Grade.level - Gold.level) == 1),
    )
    .join(Grade, newest(Grade, Assignment))
    .join(
        Gold,
        and_(
            Gold.project_id == Assignment.project_id,
            Gold.pair_id == Assignment.pair_id,
            Gold.family == bindparam("family"),
            Gold.withdrawn_at.is_(None),
        ),
    )
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        or_(Assignment.purpose == "gold", JUDGED_AS_GOLD),
    )
    .group_by(Assignment.labeller_id)
)
TIMED = (
    select(
        Assignment.labeller_id,
        Grade.id,
        Query.qid,
        Document.docno,
        Grade.active_ms,
        func.length(Document.title) + func.length(Document.text) + 1,
        Grade.given_at,
    )
    .select_from(Grade)
    .join(Assignment, OF_ASSIGNMENT)
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(
        Grade.project_id == bindparam("project"),
        Assignment.round_id.in_(OF_FAMILY),
        Grade.revision == 1,
        Grade.active_ms.is_not(None),
    )
    .order_by(Grade.given_at, Grade.id)
)
