"""Questions from the desk and the rulings that answer them, for scripts."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.db import SessionDep
from app.judging.asking import LONGEST_QUESTION, LONGEST_RULING, answer, ask, open_questions
from app.judging.guards import OwnAssignment
from app.projects.api import Shape
from app.projects.guards import LeadSeat, MemberSeat
from app.reading import CheckedRoute
from app.rubrics.models import Ruling
from app.rubrics.queries import published_rubric, rulings_of

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")


class QuestionIn(Shape):
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


class AnswerIn(Shape):
    ruling: Annotated[str, Field(min_length=1, max_length=LONGEST_RULING)]


class QuestionOut(BaseModel):
    """A question and the pair that it is about; who asked is not told."""

    id: str
    text: str
    asked_at: datetime
    query_id: str
    query: str
    document_id: str
    docno: str
    title: str


class AskedOut(BaseModel):
    id: str
    text: str
    asked_at: datetime


class RulingOut(BaseModel):
    id: str
    text: str
    given_at: datetime


@router.post("/assignments/{assignment_id}/questions", status_code=201)
def ask_leads(session: SessionDep, held: OwnAssignment, asked: QuestionIn) -> AskedOut:
    """Asks about the pair and sets it aside. The same question again answers the same; another is refused until the
    first is answered.
    """
    question = ask(session, held, asked.text)
    return AskedOut(id=question.id, text=question.text, asked_at=question.asked_at)


@router.get("/questions")
def list_questions(session: SessionDep, seat: LeadSeat) -> list[QuestionOut]:
    """Those that wait for an answer, the oldest first."""
    return [QuestionOut(**each._asdict()) for each in open_questions(session, seat.project.id)]


@router.post("/questions/{question_id}/answer", status_code=201)
def answer_one(session: SessionDep, seat: LeadSeat, question_id: str, given: AnswerIn) -> RulingOut:
    """Makes a ruling that everybody on the rubric sees. 409 where another lead answered first."""
    return ruling_out(answer(session, seat, question_id, given.ruling))


@router.get("/rulings")
def list_rulings(session: SessionDep, seat: MemberSeat) -> list[RulingOut]:
    """Under the newest rubric and the versions that differ from it in wording only, the newest first."""
    rubric = published_rubric(session, seat.project.id)
    rulings = rulings_of(session, seat.project.id, rubric.family) if rubric else []
    return [ruling_out(each) for each in rulings]


def ruling_out(ruling: Ruling) -> RulingOut:
    return RulingOut(id=ruling.id, text=ruling.text, given_at=ruling.given_at)
