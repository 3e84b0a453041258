"""The pool: what would be judged, what each run adds, what it costs; then drawn."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.pools import drawing
from app.pools.queries import pools_of
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute
from app.runs.queries import runs_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")


@router.get("/pool")
def show_pool(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    depth: int = drawing.DEPTH,
    run: Annotated[list[str] | None, Query()] = None,
    seconds: float = drawing.SECONDS,
    rate: float = drawing.RATE,
    labellers: int = drawing.LABELLERS,
) -> Response:
    typed = {"depth": depth, "runs": run or [], "seconds": seconds, "rate": rate, "labellers": labellers}
    return pool_page(request, session, seat, typed)


@router.post("/pools")
def draw(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    depth: Annotated[int, Form()],
    run: Annotated[list[str] | None, Form()] = None,
    placeholders: Annotated[str, Form()] = "",
) -> Response:
    try:
        drawing.draw_pool(
            session,
            seat.project,
            seat.person.id,
            depth=depth,
            run_ids=run or [],
            allow_placeholders=placeholders == "make",
        )
    except (FieldError, RuleError) as error:
        typed = {
            "depth": depth,
            "runs": run or [],
            "seconds": drawing.SECONDS,
            "rate": drawing.RATE,
            "labellers": drawing.LABELLERS,
        }
        return pool_page(request, session, seat, typed, error)
    return see(f"/projects/{seat.project.id}/pool")


def pool_page(
    request: Request, session: SessionDep, seat: Seat, typed: dict[str, Any], error: DomainError | None = None
) -> Response:
    """The page with what is typed; why nothing can be drawn yet stands where the picture would."""
    look, lack = None, None
    try:
        look = drawing.look_at_pool(
            session,
            seat.project,
            depth=typed["depth"],
            run_ids=typed["runs"],
            seconds=typed["seconds"],
            rate=typed["rate"],
            labellers=typed["labellers"],
        )
    except RuleError as refusal:
        lack = refusal
    except FieldError as refusal:
        error = error or refusal
    return page(
        request,
        "pools/pool.html",
        status=error.status if error else 200,
        seat=seat,
        typed=typed,
        look=look,
        lack=lack,
        error=error,
        runs=runs_of(session, seat.project),
        pools=pools_of(session, seat.project.id),
    )
