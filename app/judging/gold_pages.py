"""Gold pairs, for leads who don't judge: whoever judges might meet them."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.db import SessionDep
from app.errors import FieldError
from app.judging.gold import find_gold, gold_in, set_gold, withdraw_gold
from app.judging.guards import SeeingLead
from app.projects.guards import Seat
from app.reading import CheckedRoute, whole_number
from app.rubrics.queries import levels_of, published_rubric
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]


@router.get("/gold")
def show_gold(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    qid: str = "",
    docno: str = "",
    level: str = "",
) -> Response:
    """`qid`, `docno` and `level` fill the form in, from where a lead has just read the pair."""
    return gold_page(request, session, seat, typed={"qid": qid, "docno": docno, "level": level, "why": ""})


@router.post("/gold")
def set_new_gold(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    qid: Text = "",
    docno: Text = "",
    level: Text = "",
    why: Text = "",
) -> Response:
    typed = {"qid": qid, "docno": docno, "level": level, "why": why}
    try:
        set_gold(session, seat, qid=qid, docno=docno, level=whole_number(level, "level"), why=why)
    except FieldError as error:
        return gold_page(request, session, seat, typed=typed, error=error)
    return see(f"/projects/{seat.project.id}/gold")


@router.post("/gold/{gold_id}/withdrawal")
def withdraw(session: SessionDep, seat: SeeingLead, gold_id: str) -> Response:
    withdraw_gold(session, find_gold(session, seat.project, gold_id))
    return see(f"/projects/{seat.project.id}/gold")


def gold_page(
    request: Request,
    session: Session,
    seat: Seat,
    *,
    typed: dict[str, str],
    error: FieldError | None = None,
) -> Response:
    rubric = published_rubric(session, seat.project.id)
    return page(
        request,
        "judging/gold.html",
        seat=seat,
        rubric=rubric,
        levels=levels_of(session, rubric) if rubric else (),
        gold=gold_in(session, seat.project),
        typed=typed,
        error=error,
    )
