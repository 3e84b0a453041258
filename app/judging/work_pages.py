"""One's own work: rounds, and every grade that one gave, with a way back to it while its round is open."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.judging.claiming import open_claims
from app.judging.work import ON_A_PAGE, Sought, given_grades, own_history, own_levels, own_rounds
from app.projects.guards import LabellerSeat
from app.reading import CheckedRoute
from app.rubrics.models import REASONS
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/work")
LAST = 10


@router.get("")
def show_work(
    request: Request,
    session: SessionDep,
    seat: LabellerSeat,
    grade: str = "",
    words: str = "",
    changed: str = "",
    at: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    sought = Sought(grade, words.strip(), has_changed=changed == "yes", at=at)
    grades, number = own_history(session, seat, sought)
    return page(
        request,
        "judging/work.html",
        seat=seat,
        rounds=own_rounds(session, seat),
        claims=open_claims(session, seat),
        grades=grades,
        number=number,
        pages=-(-number // ON_A_PAGE),
        sought=sought,
        levels=own_levels(session, seat),
        reasons=REASONS,
    )


@router.get("/last")
def show_last(request: Request, session: SessionDep, seat: LabellerSeat) -> Response:
    """The last grades, for the desk."""
    return page(request, "judging/last.html", seat=seat, grades=given_grades(session, seat, limit=LAST))
