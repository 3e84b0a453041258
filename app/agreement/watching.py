"""How each labeller works: times that stand out, kappa as it goes. It is shown to leads and deletes nothing."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, couples_of
from app.corpora.models import Document, Query
from app.judging.models import Assignment, Grade
from app.judging.queries import OF_FAMILY
from app.measures.undefined import Undefined
from app.measures.watching import has_drifted, rolling_kappas, stand_out
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

    @property
    def has_drifted(self) -> bool:
        return has_drifted(self.kappas)

    @property
    def newest(self) -> tuple[Timed, ...]:
        return self.flagged[:MOST_SHOWN]


def watch(session: Session, project: Project, gate: GateResult) -> list[Watched]:
    """Everybody who shares pairs with others, by name."""
    times = times_by_labeller(session, project, gate.rubric.family)
    shared = shared_in_order(session, project, gate)
    return [
        Watched(
            labeller.id,
            labeller.name,
            timed=len(times[labeller.id]),
            flagged=flagged(times[labeller.id]),
            shared=len(shared[labeller.id]),
            kappas=tuple(
                rolling_kappas(
                    [own for _, own, _ in shared[labeller.id]],
                    [other for _, _, other in shared[labeller.id]],
                    levels=len(gate.levels),
                )
            ),
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
    """By labeller: when they graded a shared pair, their level and another's, as places on the scale, oldest first."""
    rows = session.execute(GIVEN_AT, {"project": project.id, "family": gate.rubric.family})
    given_at = {grade_id: moment for grade_id, moment in rows}  # noqa: C416 - mypy does not take rows for tuples.
    place = {level.number: at for at, level in enumerate(gate.levels)}
    shared: defaultdict[str, list[tuple[datetime, int, int]]] = defaultdict(list)
    for grades in gate.pairs:
        for couple in couples_of(grades):
            for own, other in (couple, couple[::-1]):
                if own.grade_id is not None and own.level is not None and other.level is not None:
                    shared[own.labeller_id].append((given_at[own.grade_id], place[own.level], place[other.level]))
    for each in shared.values():
        each.sort()
    return shared


OF_ASSIGNMENT = and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id)
GIVEN_AT = (
    select(Grade.id, Grade.given_at)
    .join(Assignment, OF_ASSIGNMENT)
    .where(Grade.project_id == bindparam("project"), Assignment.round_id.in_(OF_FAMILY))
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
