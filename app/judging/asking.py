"""Asking the lead about a pair, and answering with a ruling that everybody on the rubric sees."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.errors import FieldError, NotThere, RuleError
from app.judging.grading import Held, require_open, set_aside
from app.judging.models import Assignment, Question, Round
from app.pools.models import Pair
from app.projects.guards import Seat
from app.record.keeping import record
from app.record.sealing import seals_of
from app.rubrics.models import Ruling

LONGEST_QUESTION = 2000
LONGEST_RULING = 4000


class Asked(NamedTuple):
    """A question with its pair: neither who asked nor any grade of it."""

    id: str
    text: str
    asked_at: datetime
    query_id: str
    query: str
    document_id: str
    docno: str
    title: str


class OwnQuestion(NamedTuple):
    """What a labeller asked about a pair, and the ruling where there is one."""

    text: str
    ruling: str | None


def ask(session: Session, held: Held, text: str) -> Question:
    """Puts the question to the leads, and the pair behind the others of its query. The same again changes nothing."""
    text = checked(text, "question", LONGEST_QUESTION)
    require_open(
        session.scalar(select(Round.closed_at).where(Round.project_id == held.project_id, Round.id == held.round_id))
    )
    open_ = session.scalar(
        select(Question).where(
            Question.project_id == held.project_id, Question.assignment_id == held.id, Question.ruling_id.is_(None)
        )
    )
    if open_ is not None and open_.text != text:
        raise RuleError(
            "You asked about this pair already, and no lead has answered yet.",
            "Go on with the others, or grade it as you read the rubric; it can be changed until the round closes.",
        )
    if open_ is not None:
        return open_
    question = Question(project_id=held.project_id, assignment_id=held.id, text=text)
    session.add(question)
    session.flush()
    record(session, held.project_id, "question asked", question=question.id)
    set_aside(session, held)
    return question


def answer(session: Session, seat: Seat, question_id: str, text: str) -> Ruling:
    """Makes the ruling. RuleError where another lead was quicker."""
    text = checked(text, "ruling", LONGEST_RULING)
    theirs = (Question.project_id == seat.project.id, Question.id == question_id)
    question = session.scalar(select(Question).where(*theirs).with_for_update())
    if question is None:
        raise NotThere
    if question.ruling_id is not None:
        raise RuleError("This question is answered already.", "Its ruling stands beside the rubric.")
    ruling = Ruling(
        project_id=seat.project.id,
        rubric_id=session.scalars(asked_under(question)).one(),
        text=text,
        given_by_id=seat.person.id,
    )
    session.add(ruling)
    session.flush()
    question.ruling_id = ruling.id
    given = {"question": question.id, "ruling": ruling.id, "seals": seals_of(session, ruling)}
    record(session, seat.project.id, "ruling given", **given)
    return ruling


def open_questions(session: Session, project_id: str) -> Sequence[Asked]:
    """Those that wait for an answer, the oldest first."""
    waiting = (
        select(
            Question.id,
            Question.text,
            Question.asked_at,
            Query.id,
            Query.text,
            Document.id,
            Document.docno,
            Document.title,
        )
        .join(Assignment, and_(Assignment.project_id == Question.project_id, Assignment.id == Question.assignment_id))
        .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Question.project_id == project_id, Question.ruling_id.is_(None))
        .order_by(Question.asked_at, Question.id)
    )
    return [Asked._make(row) for row in session.execute(waiting)]


def count_questions(session: Session, project_id: str) -> int:
    waiting = (Question.project_id == project_id, Question.ruling_id.is_(None))
    return session.scalar(select(func.count()).select_from(Question).where(*waiting)) or 0


def own_questions(session: Session, project_id: str, assignment_id: str) -> Sequence[OwnQuestion]:
    """What was asked about this assignment, in order."""
    theirs = (
        select(Question.text, Ruling.text)
        .outerjoin(Ruling, and_(Ruling.project_id == Question.project_id, Ruling.id == Question.ruling_id))
        .where(Question.project_id == project_id, Question.assignment_id == assignment_id)
        .order_by(Question.asked_at)
    )
    return [OwnQuestion._make(row) for row in session.execute(theirs)]


def asked_under(question: Question) -> Select[str]:
    """The rubric of the round in which it was asked."""
    return (
        select(Round.rubric_id)
        .join(Assignment, and_(Assignment.project_id == Round.project_id, Assignment.round_id == Round.id))
        .where(Assignment.project_id == question.project_id, Assignment.id == question.assignment_id)
    )


def checked(text: str, field: str, longest: int) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise FieldError(field, "Nothing was written.", f"Write the {field} and send it again.")
    if len(text) > longest:
        raise FieldError(field, f"It is longer than {longest:,} characters.", "Shorten it; nothing was sent.")
    return text
