"""Deciding a pair whose labellers differ: graded blind by a third person, then decided with a reason.

Every step adds a row; the newest counts. A step names the revision that it was taken from, so that of two adjudicators
at once one is told, and a step sent twice is one step.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import audit_sample, is_differing, standing, steps_of
from app.agreement.models import Decision
from app.agreement.queries import PairGrade, grades_of_pair
from app.errors import FieldError, InputError, NotThere, RuleError
from app.judging.choosing import IS_PLACEHOLDER, POOLED
from app.pools.models import Pair
from app.projects.guards import Seat
from app.record.keeping import moment_of, record, seal
from app.record.models import Verb
from app.rubrics.models import REASONS, Rubric
from app.rubrics.queries import levels_of, required_rubric

LONGEST_REASON = 2000
READY_REASONS = (
    "This level’s question is answered, and the next one’s is not.",
    "A passage of the document was missed.",
    "The information need says what the query leaves open.",
)
READY_REASONS_FOR_NONE = (
    "The document is broken, or in a language that does not count.",
    "It needs expertise that nobody here has.",
    "The query can be read in ways that lead to different grades.",
)
"""Short ones to choose from, where a level is decided and where no judgment can be given; one's own is as good."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """One pair under adjudication, as one member finds it."""

    pair_id: str
    rubric: Rubric
    grades: tuple[PairGrade, ...]
    """Of its labellers, in an order that tells nobody who they are."""
    steps: tuple[Decision, ...]
    member_id: str

    @property
    def revision(self) -> int:
        return self.steps[-1].revision if self.steps else 0

    @property
    def blind(self) -> Decision | None:
        """The member's own blind grade; once given it stays, since nobody is blind twice."""
        return next(
            (step for step in self.steps if step.step == "blind" and step.adjudicator_id == self.member_id), None
        )

    @property
    def decision(self) -> Decision | None:
        """The decision that stands."""
        return standing(self.steps, {grade.labeller_id for grade in self.grades})


def adjudication_of(session: Session, seat: Seat, pair_id: str, *, writes: bool = False) -> Adjudication:
    """The pair in the family that is being worked on, for a lead who is a third person to it. NotThere where the
    project has no such pair; RuleError where its labellers agree, the lead is one of them, or a text is missing.
    """
    pair = session.get(
        Pair,
        (seat.project.id, pair_id),
        with_for_update={"key_share": True} if writes else None,
        populate_existing=writes,
    )
    if pair is None:
        raise NotThere
    rubric = required_rubric(session, seat.project.id)
    grades = [grade for grade in grades_of_pair(session, seat.project.id, rubric.family, pair_id) if grade.is_answered]
    if not is_differing(grades) and not is_audited(session, seat, rubric.family, pair_id):
        raise RuleError(
            "The labellers of this pair do not differ, so that there is nothing to decide.",
            "Go on with the queue.",
            conditions=["differing"],
        )
    if any(grade.labeller_id == seat.member.id for grade in grades):
        raise RuleError(
            "You graded this pair yourself: a third person decides it.",
            "Leave it to another lead, and go on with the queue.",
            conditions=["third person"],
        )
    if session.scalar(WITHOUT_TEXT, {"project": seat.project.id, "pair": pair_id}):
        raise RuleError(
            "This pair can’t be judged: the text of the document, or of the query, is not here.",
            "Bring in the text, or go on with the queue.",
            conditions=["placeholders"],
        )
    steps = steps_of(session, seat.project.id, rubric.family, pair_id).get(pair_id, [])
    shuffled = sorted(grades, key=lambda grade: hashlib.sha256(f"{pair_id}{grade.labeller_id}".encode()).digest())
    return Adjudication(pair_id, rubric, tuple(shuffled), tuple(steps), seat.member.id)


def grade_blind(
    session: Session, seat: Seat, pair_id: str, *, level: int | None, reason: str = "", revision: int
) -> Adjudication:
    """The adjudicator's own grade (a level, or why it can't be judged), before anything of the others' is seen."""
    case = adjudication_of(session, seat, pair_id, writes=True)
    check_level(session, case.rubric, level)
    if level is None and reason not in REASONS:
        raise FieldError("reason", f"Say why it can't be judged: {', '.join(REASONS)}.", "Or choose a level.")
    step = Decision(step="blind", level=level, reason=reason if level is None else "")
    if is_repeated(case, step, revision):
        return case
    check_revision(case, revision)
    check_undecided(case)
    if case.blind is not None:
        raise RuleError("You graded this pair blind before; that grade stays.", "Go on to the decision.")
    return taken(session, seat, case, step)


def decide(
    session: Session, seat: Seat, pair_id: str, *, level: int | None, reason: str, revision: int
) -> Adjudication:
    """The decision with its reason; no level: no judgment can be given."""
    case = adjudication_of(session, seat, pair_id, writes=True)
    check_level(session, case.rubric, level)
    step = Decision(step="decided", level=level, reason=checked_reason(reason))
    if case.blind is None:
        raise RuleError(
            "A decision comes after a blind grade of your own.", "Grade the pair first.", conditions=["blind grade"]
        )
    if is_repeated(case, step, revision):
        return case
    check_revision(case, revision)
    check_undecided(case)
    return taken(session, seat, case, step)


def undo(session: Session, seat: Seat, pair_id: str, *, revision: int) -> Adjudication:
    """Takes the decision back; the pair waits in the queue again."""
    case = adjudication_of(session, seat, pair_id, writes=True)
    step = Decision(step="undone", level=None, reason="")
    if is_repeated(case, step, revision):
        return case
    check_revision(case, revision)
    if case.decision is None:
        raise RuleError("Nothing is decided here that could be taken back.", "Go on with the queue.")
    return taken(session, seat, case, step)


# What must hold


def is_audited(session: Session, seat: Seat, family: int, pair_id: str) -> bool:
    return any(pair.pair_id == pair_id for pair in audit_sample(session, seat.project.id, family))


def check_level(session: Session, rubric: Rubric, level: int | None) -> None:
    numbers = [each.number for each in levels_of(session, rubric)]
    if level is not None and level not in numbers:
        raise FieldError("level", f"The rubric has no level {level}.", f"Its levels are {numbers[0]} to {numbers[-1]}.")


def checked_reason(reason: str) -> str:
    reason = reason.strip()
    if not reason:
        raise FieldError("reason", "A decision needs its reason, however short.", "Choose a ready one, or write it.")
    if len(reason) > LONGEST_REASON:
        raise FieldError("reason", f"The reason is longer than {LONGEST_REASON:,} characters.", "Shorten it.")
    if "\0" in reason:
        raise FieldError("reason", "The reason holds a character that can't be stored.", "Take it out.")
    return reason


def is_repeated(case: Adjudication, step: Decision, revision: int) -> bool:
    """Whether the newest step is this very one: a second press, or a request sent again after a lost answer."""
    newest: Sequence[Decision] = case.steps[-1:]
    return any(
        each.revision == revision + 1
        and each.adjudicator_id == case.member_id
        and (each.step, each.level, each.reason) == (step.step, step.level, step.reason)
        for each in newest
    )


def check_revision(case: Adjudication, revision: int) -> None:
    if revision < 0 or revision > case.revision:
        raise InputError("This step names a state that the pair never had.", "Load the page again.")
    if revision != case.revision:
        raise RuleError(
            "Another step was taken on this pair since you opened it.",
            "Look at it as it is now, or go on with the queue.",
            conditions=["revision"],
            revision=case.revision,
        )


def check_undecided(case: Adjudication) -> None:
    if case.decision is not None:
        raise RuleError("This pair is decided already.", "Take the decision back first, or go on with the queue.")


def taken(session: Session, seat: Seat, case: Adjudication, step: Decision) -> Adjudication:
    step.project_id, step.pair_id, step.family = seat.project.id, case.pair_id, case.rubric.family
    step.revision, step.adjudicator_id = case.revision + 1, seat.member.id
    session.add(step)
    session.flush()
    record(session, seat.project.id, VERBS[step.step], decision=step.id, pair=case.pair_id, seal=seal_of(step))
    return Adjudication(case.pair_id, case.rubric, case.grades, (*case.steps, step), case.member_id)


VERBS: dict[str, Verb] = {"blind": "pair graded blind", "decided": "pair decided", "undone": "decision undone"}


def seal_of(step: Decision) -> str:
    """What the record keeps of a step: every word of it."""
    who = (step.project_id, step.id, step.pair_id, step.family, step.revision, step.step, step.adjudicator_id)
    return seal(*who, step.level, step.reason, moment_of(step.decided_at))


WITHOUT_TEXT = POOLED.with_only_columns(IS_PLACEHOLDER, maintain_column_froms=True).where(Pair.id == bindparam("pair"))
