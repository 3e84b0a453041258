"""The pool: what would be judged, what each run adds, what it costs; then drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.pools import drawing
from app.pools.queries import pools_of
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute, number, whole_number
from app.runs.queries import runs_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]


FIRST = {
    "depth": f"{drawing.DEPTH}",
    "seconds": f"{drawing.SECONDS:g}",
    "rate": f"{drawing.RATE:g}",
    "labellers": f"{drawing.LABELLERS}",
}
"""What stands in the form at first, as it would be typed."""


@dataclass(frozen=True)
class Typed:
    """The page's form as it was sent. `is_sent` tells a form without a run from a page that is opened."""

    depth: str = FIRST["depth"]
    run: Sequence[str] = ()
    seconds: str = FIRST["seconds"]
    rate: str = FIRST["rate"]
    labellers: str = FIRST["labellers"]
    is_sent: bool = False

    def read(self) -> dict[str, Any]:
        """What is asked, as `look_at_pool` takes it. FieldError names the field that can't be read."""
        if self.is_sent and not self.run:
            raise FieldError("runs", "No run is chosen.", "Choose at least one run.")
        return {
            "depth": required(whole_number(self.depth, "depth"), "depth"),
            "run_ids": self.run,
            "seconds": required(number(self.seconds, "seconds"), "seconds"),
            "rate": required(number(self.rate, "rate"), "rate"),
            "labellers": required(whole_number(self.labellers, "labellers"), "labellers"),
        }


def required(value: float | None, field: str) -> float:
    if value is None:
        raise FieldError(field, "This can't stay empty.", f"{FIRST[field]} is usual.")
    return value


@router.get("/pool")
def show_pool(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    depth: str = FIRST["depth"],
    run: Annotated[list[str] | None, Query()] = None,
    seconds: str = FIRST["seconds"],
    rate: str = FIRST["rate"],
    labellers: str = FIRST["labellers"],
    sent: str = "",
) -> Response:
    return pool_page(request, session, seat, Typed(depth, run or [], seconds, rate, labellers, bool(sent)))


@router.post("/pools")
def draw(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    depth: Text = "",
    run: Annotated[list[str] | None, Form()] = None,
    placeholders: Text = "",
) -> Response:
    typed = Typed(depth, run or [], is_sent=True)
    try:
        asked = typed.read()
        drawing.draw_pool(
            session,
            seat.project,
            seat.person.id,
            depth=asked["depth"],
            run_ids=asked["run_ids"],
            allow_placeholders=placeholders == "make",
        )
    except (FieldError, RuleError) as error:
        return pool_page(request, session, seat, typed, error)
    return see(f"/projects/{seat.project.id}/pool")


def pool_page(
    request: Request, session: SessionDep, seat: Seat, typed: Typed, error: DomainError | None = None
) -> Response:
    """The page with what is typed; why nothing can be drawn yet stands where the picture would."""
    asked, look, lack = None, None, None
    try:
        asked = typed.read()
        look = drawing.look_at_pool(session, seat.project, **asked)
    except RuleError as refusal:
        lack = refusal
    except FieldError as refusal:
        error = error or refusal
    return page(
        request,
        "pools/pool.html",
        seat=seat,
        typed=typed,
        asked=asked,
        look=look,
        lack=lack,
        error=error,
        runs=runs_of(session, seat.project),
        pools=pools_of(session, seat.project.id),
    )
