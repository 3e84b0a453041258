"""Questions from the desk, and the rulings that answer them."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.db import SessionDep
from app.errors import FieldError
from app.judging.asking import answer, open_questions
from app.projects.guards import LeadSeat, MemberSeat, Seat
from app.reading import CheckedRoute
from app.rubrics.models import Rubric, Ruling
from app.rubrics.queries import published_rubric, rulings_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")


@router.get("/questions")
def show_questions(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    return questions_page(request, session, seat)


@router.post("/questions/{question_id}/answer")
def answer_one(
    request: Request, session: SessionDep, seat: LeadSeat, question_id: str, ruling: Annotated[str, Form()] = ""
) -> Response:
    try:
        answer(session, seat, question_id, ruling)
    except FieldError as error:
        return questions_page(request, session, seat, status=error.status, error=error, at=question_id, typed=ruling)
    return see(f"/projects/{seat.project.id}/questions")


@router.get("/rulings")
def show_rulings(request: Request, session: SessionDep, seat: MemberSeat, rubric: str = "") -> Response:
    """On a page of its own, or for the desk as it is by now; of the newest rubric, unless `rubric` is another's id."""
    return page(request, "judging/rulings.html", seat=seat, rulings=rulings_now(session, seat, rubric))


def questions_page(
    request: Request,
    session: Session,
    seat: Seat,
    *,
    status: int = 200,
    error: FieldError | None = None,
    at: str = "",
    typed: str = "",
) -> Response:
    return page(
        request,
        "judging/questions.html",
        status=status,
        seat=seat,
        questions=open_questions(session, seat.project.id),
        rulings=rulings_now(session, seat),
        error=error,
        at=at,
        typed=typed,
    )


def rulings_now(session: Session, seat: Seat, rubric_id: str = "") -> Sequence[Ruling]:
    rubric = session.get(Rubric, (seat.project.id, rubric_id)) or published_rubric(session, seat.project.id)
    return rulings_of(session, seat.project.id, rubric.family) if rubric else []
