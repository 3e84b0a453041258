"""How each labeller works, for leads who don't judge."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.agreement.gate import current_family, gate_of
from app.agreement.guards import OneFamily
from app.agreement.watching import watch
from app.db import SessionDep
from app.judging.guards import SeeingLead
from app.reading import CheckedRoute
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")


@router.get("/labellers")
def show_labellers(request: Request, session: SessionDep, seat: SeeingLead, family: OneFamily) -> Response:
    newest = current_family(session, seat.project.id)
    if newest is None:
        return page(request, "agreement/none.html", seat=seat)
    gate = gate_of(session, seat.project, family or newest)
    return page(request, "agreement/labellers.html", seat=seat, gate=gate, watched=watch(session, seat.project, gate))
