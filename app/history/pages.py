"""A project's history, for its leads."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.history.api import record_file
from app.history.queries import acts_shown, names_of_actors, verbs_in
from app.history.telling import tell
from app.judging.guards import SeeingLead, still_judged
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute
from app.record.keeping import head_of
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/history")
ACTS_A_PAGE = 50
Word = Annotated[str, Query(max_length=100)]


@router.get("/record")
def export_record(request: Request, seat: SeeingLead) -> Response:
    return record_file(request, seat)


@router.get("")
def show_history(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    who: Word = "",
    act: Word = "",
    before: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:
    shown = acts_shown(session, seat, who=who, verb=act, before=before, limit=ACTS_A_PAGE + 1)
    number, head = head_of(session, seat.project.id)
    return page(
        request,
        "history/history.html",
        seat=seat,
        acts=tell(session, seat.project, shown[:ACTS_A_PAGE]),
        older=shown[ACTS_A_PAGE - 1].number if len(shown) > ACTS_A_PAGE else None,
        chosen={"who": who, "act": act},
        before=before,
        people=sorted(names_of_actors(session, seat.project).items(), key=lambda each: each[1].casefold()),
        verbs=verbs_in(session, seat),
        rounds=still_judged(session, seat),
        number=number,
        head=head,
    )
