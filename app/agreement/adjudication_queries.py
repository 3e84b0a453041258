"""Selects over the pairs that are for a third person, and over what was decided about them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Select, Subquery, and_, bindparam, func, not_, or_, select
from sqlalchemy.orm import Session

from app.agreement.models import Decision
from app.agreement.queries import COUNTED, PairGrade, grades_of_pair
from app.corpora.models import Document, Query
from app.db import joining_whole_tables
from app.judging.choosing import IS_PLACEHOLDER
from app.judging.models import Assignment, Grade
from app.judging.queries import newest
from app.pools.models import Pair
from app.projects.models import Project
from app.rubrics.models import EXPERTISE, UNCLEAR

AUDITED = 0.05
"""The share of agreed pairs that a third person looks at all the same."""


@dataclass(frozen=True, slots=True)
class DifferingPair:
    """A pair for a third person: its labellers differ, in level or in whether it can be judged at all, or nobody could
    and the query is unclear, or they agree and it is in the audit sample.
    """

    pair_id: str
    qid: str
    docno: str
    lowest: int
    highest: int
    refusals: int
    """How many of them could not judge it; those who need expertise step aside where somebody gave a level."""
    own: int
    """Grades of it by the member who asks: not for them to adjudicate."""
    is_placeholder: bool
    """Whether a text is missing, so that nobody can decide it before that is brought in."""
    is_audit: bool = False
    """Which of the queue is one is told to nobody before they have graded it."""

    @property
    def is_by_one(self) -> bool:
        return not self.refusals and self.highest - self.lowest == 1


def differing_pairs(
    session: Session, project_id: str, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """Every pair of the family on which its labellers' newest grades differ, in no order that means anything.

    A labeller who has not answered yet is no party. Two who both could not judge it do not differ.
    """
    with joining_whole_tables(session):
        rows = session.execute(_MIXED, {"project": project_id, "family": family, "member_id": member_id}).all()
    pairs = []
    for *row, given, labellers in rows:
        pair: DifferingPair | None = DifferingPair(*row)
        if given != labellers and pair is not None:
            # Somebody graded it in two rounds, and only one of those grades counts.
            pair = _counted_anew(pair, grades_of_pair(session, project_id, family, pair.pair_id))
        if pair is not None:
            pairs.append(pair)
    return pairs


def disputed_pairs(
    session: Session, project: Project, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """Those of `differing_pairs` that wait for a third person: not where the project has the primary labeller stand for
    differences of one level.
    """
    pairs = differing_pairs(session, project.id, family, member_id=member_id)
    return [pair for pair in pairs if not (project.primary_stands and pair.is_by_one)]


def audit_sample(
    session: Session, project_id: str, family: int, *, member_id: str | None = None
) -> list[DifferingPair]:
    """A twentieth of the pairs on which two people or more agree, drawn by the pairs' random ids. What is decided about
    them changes no judgment: it says how far agreement can be trusted.
    """
    named = {"project": project_id, "family": family, "member_id": member_id}
    with joining_whole_tables(session):
        size = int(AUDITED * (session.scalar(_COUNT_AGREED, named) or 0))
        rows = session.execute(_AUDITED, named | {"size": size}).all()
    return [replace(DifferingPair(*row), is_audit=True) for *row, _, _ in rows]


def count_refused(session: Session, project_id: str, family: int) -> int:
    """Pairs that two people or more were asked about and nobody could judge: there is nothing to decide between."""
    with joining_whole_tables(session):
        return session.scalar(_REFUSED, {"project": project_id, "family": family, "member_id": None}) or 0


def _counted_anew(pair: DifferingPair, grades: Iterable[PairGrade]) -> DifferingPair | None:
    answered = [grade for grade in grades if grade.is_answered]
    if not is_differing(answered):
        return None
    levels = [grade.level for grade in answered if grade.level is not None] or [0]
    refusals = sum(grade.reason not in (None, EXPERTISE) for grade in answered)
    return replace(pair, lowest=min(levels), highest=max(levels), refusals=refusals)


def decisions_of(session: Session, project_id: str, family: int) -> dict[str, Decision]:
    """Pair id → the decision that stands. It counts only while the pair is for a third person."""
    parties = parties_of(session, project_id, family)
    found = {pair: standing(steps, parties[pair]) for pair, steps in steps_of(session, project_id, family).items()}
    return {pair: decision for pair, decision in found.items() if decision is not None}


def standing(steps: Sequence[Decision], labellers: Collection[str]) -> Decision | None:
    """The newest decision among the steps of one pair, oldest first, unless it was taken back, or its adjudicator is
    one of the pair's `labellers` since: then it was no third person's.
    """
    newest = next((step for step in reversed(steps) if step.step != "blind"), None)
    stands = newest is not None and newest.step == "decided" and newest.adjudicator_id not in labellers
    return newest if stands else None


def parties_of(session: Session, project_id: str, family: int) -> defaultdict[str, set[str]]:
    """Pair id → members who took a step of its adjudication, and have graded it as labellers since."""
    parties: defaultdict[str, set[str]] = defaultdict(set)
    for pair_id, member_id in session.execute(_PARTIES, {"project": project_id, "family": family}):
        parties[pair_id].add(member_id)
    return parties


def last_decided_at(session: Session, project_id: str, family: int) -> datetime | None:
    """When a decision was taken or taken back last."""
    decided = (Decision.project_id == project_id, Decision.family == family, Decision.step != "blind")
    return session.scalar(select(func.max(Decision.decided_at)).where(*decided))


def steps_of(session: Session, project_id: str, family: int, pair_id: str | None = None) -> dict[str, list[Decision]]:
    """Pair id → every step of its adjudication, oldest first; of one pair, or of all that have any."""
    asked = select(Decision).where(Decision.project_id == project_id, Decision.family == family)
    if pair_id is not None:
        asked = asked.where(Decision.pair_id == pair_id)
    steps: defaultdict[str, list[Decision]] = defaultdict(list)
    for step in session.scalars(asked.order_by(Decision.revision)):
        steps[step.pair_id].append(step)
    return steps


class Said(Protocol):
    """What a labeller gave of a pair: a level, or a reason."""

    @property
    def level(self) -> int | None: ...
    @property
    def reason(self) -> str | None: ...


def is_differing(grades: Iterable[PairGrade]) -> bool:
    """Whether the answered grades of one pair need a third person."""
    return is_for_a_third_person([grade for grade in grades if grade.is_answered])


def is_for_a_third_person(given: Collection[Said]) -> bool:
    """Not where all levels, or all refusals, are one; but where two or more could not judge the pair because its query
    is unclear, which a lead can see to. Whoever needs expertise is no party where somebody gave a level.
    """
    if any(grade.level is not None for grade in given):
        return len({grade.level for grade in given if grade.reason != EXPERTISE}) > 1
    return len(given) > 1 and any(grade.reason == UNCLEAR for grade in given)


def is_one_apart(said: Collection[int | None]) -> bool:
    """Whether everybody gave a level, and the highest is one above the lowest."""
    levels = [level for level in said if level is not None]
    return len(levels) == len(said) > 1 and max(levels) - min(levels) == 1


_IN_PAIR = (
    select(
        Assignment.pair_id,
        func.coalesce(func.min(Grade.level), 0).label("lowest"),
        func.coalesce(func.max(Grade.level), 0).label("highest"),
        func.count().filter(Grade.reason != EXPERTISE).label("refusals"),
        func.count().filter(Assignment.labeller_id == bindparam("member_id")).label("own"),
        func.count().label("given"),
        func.count(Assignment.labeller_id.distinct()).label("labellers"),
    )
    .join(Grade, newest(Grade, Assignment))
    .where(*COUNTED)
    .group_by(Assignment.pair_id)
)
_BY_TWO = func.count(Assignment.labeller_id.distinct()) > 1
_UNCLEAR = and_(func.count(Grade.level) == 0, func.count().filter(Grade.reason == UNCLEAR) > 0, _BY_TWO)
_DIFFERING = _IN_PAIR.having(
    or_(
        func.min(Grade.level) < func.max(Grade.level),
        and_(func.count(Grade.level) > 0, func.count().filter(Grade.reason != EXPERTISE) > 0),
        _UNCLEAR,
    )
)
_AGREED = _IN_PAIR.having(func.min(Grade.level) == func.max(Grade.level), func.count(Grade.reason) == 0, _BY_TWO)
_REFUSED = select(func.count()).select_from(
    _IN_PAIR.having(func.count(Grade.level) == 0, not_(_UNCLEAR), _BY_TWO).subquery("refused")
)
_COUNT_AGREED = select(func.count()).select_from(_AGREED.subquery("agreed"))


def _described(in_pair: Subquery) -> Select[*tuple[Any, ...]]:
    """The columns of DifferingPair, and after them the grades given and how many labellers gave them."""
    return (
        select(
            in_pair.c.pair_id,
            Query.qid,
            Document.docno,
            in_pair.c.lowest,
            in_pair.c.highest,
            in_pair.c.refusals,
            in_pair.c.own,
            IS_PLACEHOLDER,
            in_pair.c.given,
            in_pair.c.labellers,
        )
        .join(Pair, Pair.id == in_pair.c.pair_id)
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Pair.project_id == bindparam("project"))
    )


_PARTIES = (
    select(Decision.pair_id, Decision.adjudicator_id)
    .join(
        Assignment,
        and_(
            Assignment.project_id == Decision.project_id,
            Assignment.pair_id == Decision.pair_id,
            Assignment.labeller_id == Decision.adjudicator_id,
        ),
    )
    .where(*COUNTED, Decision.family == bindparam("family"), Assignment.revision > 0)
    .distinct()
)
_MIXED = _described(_DIFFERING.subquery("differing"))
_AUDITED = _described(_AGREED.order_by(Assignment.pair_id).limit(bindparam("size")).subquery("audited"))
