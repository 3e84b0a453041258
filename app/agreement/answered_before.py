"""What the gate would have answered at earlier moments: each time a round of the family was opened, brought in,
widened, reassigned or closed, and over the grades as they were first given.

Grades are never changed, only followed by others, so that what stood at a moment can be asked again at any time. With
the gate's answer in sight more grades of the same family can come in, and labellers can be talked into other grades
while a round is open; a release whose gate passes after it had failed says so.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final, Literal, TypeVar

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, gate_over
from app.agreement.queries import (
    Asked,
    RoundMark,
    asked_at_first,
    asked_before,
    labellers_of,
    marks_of_family,
)
from app.agreement.remembering import asked_under, joined
from app.db import now
from app.judging.models import Assignment, Grade
from app.judging.queries import OF_ASSIGNMENT
from app.measures import Undefined
from app.measures.evidence import Answer
from app.projects.models import Member, Project
from app.record.models import INSTALLATION, Verb
from app.record.queries import moments_of

Found = TypeVar("Found")
SETTLED = timedelta(minutes=1)
"""No transaction that gives a grade lasts so long."""
TICK = timedelta(microseconds=1)
"""Times are kept to it."""
Step = Literal["opened", "widened", "reassigned", "closed"]
STEPS: Final[dict[Verb, Step]] = {
    "round widened": "widened",
    "queries added": "widened",
    "query passed on": "reassigned",
}
"""A round's further queries, those that a labeller who joined late was given, and what another was to judge."""
LEAVING: Final[tuple[Verb, ...]] = ("member left", "role changed")
"""After which somebody may judge here no more."""


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """What was given before `until` stood when that was done to the round, or it had been closed."""

    until: datetime
    round_number: int
    step: Step


@dataclass(frozen=True, slots=True)
class AnsweredBefore:
    """The gate's answer at an earlier moment; `kappa` with the reason where it is undefined."""

    moment: Moment
    answer: Answer
    kappa: float | Undefined
    pairs: int
    queries: int

    @property
    def round(self) -> int:
        return self.moment.round_number

    @property
    def step(self) -> Step:
        return self.moment.step


class Known:
    """What was found of moments that lie a minute back, by when whatever was under way then is written: it changes no
    more. The newest of so many are kept.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most, self._lock = most, Lock()
        self._found: OrderedDict[tuple[Hashable, ...], Any] = OrderedDict()

    def once(self, key: tuple[Hashable, ...], until: datetime, ask: Callable[[], Found]) -> Found:
        found: Found | None = self._found.get(key)
        if found is None:
            found = ask()
            if now() - until > SETTLED:
                self._keep(key, found)
        return found

    def _keep(self, key: tuple[Hashable, ...], found: object) -> None:
        with self._lock:
            self._found[key] = found
            if len(self._found) > self._most:
                self._found.popitem(last=False)


KNOWN: Final = Known()


@dataclass(frozen=True, slots=True)
class AtFirst:
    """The gate's answer over the grades as they were first given, of which `changed` were followed by another level or
    another reason.
    """

    answer: Answer
    kappa: float | Undefined
    changed: int


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """What the gate of one family answered before today."""

    moments: tuple[AnsweredBefore, ...]
    """Oldest first."""
    at_first: AtFirst | None
    """None where nobody went back to a grade."""

    @property
    def has_failed(self) -> bool:
        """At some moment."""
        return any(each.answer == "failed" for each in self.moments)

    @property
    def is_corrected(self) -> bool:
        """Over the grades as they were first given it does not pass."""
        return self.at_first is not None and self.at_first.answer != "passed"


def has_ever_failed(session: Session, project: Project, gate: GateResult) -> bool:
    """Whether it does not pass, ever failed, or does not pass the grades as they were first given."""
    if not gate.is_passed:
        return True
    earlier = earlier_answers(session, project, gate)
    return earlier.has_failed or earlier.is_corrected


def earlier_answers(session: Session, project: Project, gate: GateResult) -> EarlierAnswers:
    marks = marks_of_family(session, project.id, gate.rubric.family)
    before = answered_before(session, project, gate, marks)
    return EarlierAnswers(before, answered_at_first(session, project, gate, marks))


def answered_before(
    session: Session, project: Project, gate: GateResult, marks: list[RoundMark]
) -> tuple[AnsweredBefore, ...]:
    """Oldest first: one for each moment at which other grades stood than at the one before it and than today."""
    today = tuple(mark.pressed for mark in marks)
    people = frozenset(labellers_of(session, project.id))
    found, known = list[AnsweredBefore](), {tuple(0 for _ in marks), today}
    for moment in moments_of_family(session, project, marks):
        grades = tuple(grades_until(session, project, mark, moment.until) for mark in marks)
        if grades not in known:
            known.add(grades)
            found.append(ask_again(session, project, gate, marks, moment, people))
    return tuple(found)


def moments_of_family(session: Session, project: Project, marks: list[RoundMark]) -> list[Moment]:
    """A round that was closed several times has as many ends. What came in by a file stands from its end on."""
    closed = moments_of(session, project.id, "round closed", "round")
    changed = {verb: moments_of(session, project.id, verb, "round") for verb in STEPS}
    left = moments_of_leaving(session, project.id)
    moments = {Moment(mark.opened_at, mark.number, "opened") for mark in marks}
    for mark in marks:
        ends = [*closed.get(mark.round_id, ()), *([mark.closed_at] if mark.closed_at else [])]
        moments |= {Moment(end + TICK, mark.number, "closed") for end in ends}
        moments |= {
            Moment(at, mark.number, STEPS[verb]) for verb in STEPS for at in changed[verb].get(mark.round_id, ())
        }
        moments |= {
            Moment(at, mark.number, "reassigned") for at in left if mark.opened_at < at <= (mark.closed_at or at)
        }
    return sorted(moments)


def moments_of_leaving(session: Session, project_id: str) -> list[datetime]:
    """When a member left, got another role or was shut out: what they have in the rounds that are open may become
    another's then.
    """
    people = session.scalars(select(Member.person_id).where(Member.project_id == project_id)).all()
    left, changed = (moments_of(session, project_id, verb, "member") for verb in LEAVING)
    shut_out = moments_of(session, INSTALLATION, "account disabled", "account")
    found = [*left.values(), *changed.values(), *(shut_out.get(person or "", []) for person in people)]
    return [at for moments in found for at in moments]


def grades_until(session: Session, project: Project, mark: RoundMark, until: datetime) -> int:
    """How many of the round's grades had been given, those among them that were followed by others since."""
    if mark.opened_at >= until or mark.pressed == 0:
        return 0
    if mark.closed_at is not None and mark.closed_at < until:
        return mark.pressed
    named = {"project": project.id, "round": mark.round_id, "until": until}
    return KNOWN.once((mark.round_id, until), until, lambda: session.execute(_GIVEN_BEFORE, named).scalar_one())


def ask_again(
    session: Session,
    project: Project,
    gate: GateResult,
    marks: list[RoundMark],
    moment: Moment,
    people: frozenset[str],
) -> AnsweredBefore:
    """`people` are the labellers who are no programs today: an answer is kept for as long as these are the same."""
    key = project.id, gate.rubric.id, moment, project.gate_policy, people

    def ask() -> AnsweredBefore:
        then = gate_over(session, project, gate.rubric, joined(stood(session, project, marks, moment.until)))
        found = then.evidence.agreement
        return AnsweredBefore(moment, then.answer.answer, found.kappa, found.pairs, found.queries)

    return KNOWN.once(key, moment.until, ask)


def stood(session: Session, project: Project, marks: list[RoundMark], until: datetime) -> Iterator[Asked]:
    for mark in marks:
        if mark.closed_at is not None and mark.closed_at < until:
            yield asked_under(session, project.id, mark)
        elif mark.opened_at < until:
            yield asked_before(session, project.id, mark.round_id, mark.number, until=until)


def answered_at_first(session: Session, project: Project, gate: GateResult, marks: list[RoundMark]) -> AtFirst | None:
    """None where nobody went back to a grade that counts."""
    if all(mark.pressed == mark.graded for mark in marks):
        return None
    asked = joined(
        asked_under(session, project.id, mark)
        if mark.pressed == mark.graded
        else asked_at_first(session, project.id, mark.round_id, mark.number)
        for mark in marks
    )
    then = gate_over(session, project, gate.rubric, asked)
    today = levels_given(gate)
    changed = sum(today[of_whom] != level for of_whom, level in levels_given(then).items())
    return AtFirst(then.answer.answer, then.evidence.agreement.kappa, changed)


def levels_given(gate: GateResult) -> dict[tuple[str, str], tuple[int | None, str | None]]:
    """Level and reason by pair and labeller."""
    asked = gate.answers.asked
    return {
        (asked.pair_id[at], asked.labeller_id[at]): (asked.level[at], asked.reason[at])
        for at in gate.answers.places.tolist()
    }


_GIVEN_BEFORE = (
    select(func.count())
    .select_from(Assignment)
    .join(Grade, OF_ASSIGNMENT)
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.round_id == bindparam("round"),
        Assignment.revision > 0,
        Grade.given_at < bindparam("until", type_=Grade.given_at.type),
    )
)
