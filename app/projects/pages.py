"""The start page, starting a project, and a project's home."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import FieldError, NotThere, RuleError
from app.measures.gate import POLICIES, small_set
from app.measures.policy_curves import CURVES
from app.people.guards import SignedIn
from app.projects.guards import LeadSeat, Seat
from app.projects.queries import may_start, projects_of
from app.projects.starting import change_project, start_project
from app.reading import IN_CODE, CheckedRoute
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False)
Text = Annotated[str, Form()]


@router.get("/")
def show_start(request: Request, session: SessionDep, asker: SignedIn) -> Response:
    return page(
        request,
        "projects/start.html",
        projects=projects_of(session, asker.person),
        may_start=may_start(session, asker.person),
    )


@router.get("/projects/new")
def show_new(request: Request, session: SessionDep, asker: SignedIn) -> Response:
    if not may_start(session, asker.person):
        raise NotThere
    return new_page(request, typed={"policy": "standard"}, error=None)


@router.post("/projects")
def start(
    request: Request,
    session: SessionDep,
    asker: SignedIn,
    name: Text = "",
    gain: Text = "",
    gain_reason: Text = "",
    gain_table: Text = "",
    policy: Text = "standard",
    is_small_set: Text = "",
    primary_stands: Text = "",
) -> Response:
    if not may_start(session, asker.person):
        raise NotThere
    try:
        project = start_project(
            session,
            asker.person,
            name=name,
            gain=gain,
            gain_reason=gain_reason,
            gain_table=numbers(gain_table) if gain == "table" else None,
            policy=policy,
            is_small_set=bool(is_small_set),
            primary_stands=bool(primary_stands),
        )
    except FieldError as error:
        typed = {
            "name": name,
            "gain": gain,
            "gain_reason": gain_reason,
            "gain_table": gain_table,
            "policy": policy,
            "is_small_set": is_small_set,
            "primary_stands": primary_stands,
        }
        return new_page(request, typed=typed, error=error)
    return see(f"/projects/{project.id}")


def new_page(request: Request, *, typed: dict[str, str], error: FieldError | None) -> Response:
    return page(
        request,
        "projects/new.html",
        typed=typed,
        error=error,
        **policy_choices(),
    )


def policy_choices() -> dict[str, Any]:
    """What the pages that ask for a policy say of each comes from the gate itself."""
    full = POLICIES["standard"]
    policies = POLICIES.values()
    return {"policies": policies, "full": full, "small": small_set(full), "curves": CURVES}


def numbers(text: str) -> list[float]:
    if not text.strip():
        raise FieldError("gain_table", "The table has no numbers yet.", "Write one for each level: 0, 1, 3, 7.")
    parts = text.replace(";", ",").split(",")
    try:
        if not any(map(IN_CODE.search, parts)):
            return [float(part) for part in parts]
    except ValueError:
        pass
    raise FieldError("gain_table", f"“{text[:80]}” is not a list of numbers.", "Write 0, 1, 3, 7.")


@router.get("/projects/{project_id}/settings")
def show_settings(request: Request, seat: LeadSeat) -> Response:
    project = seat.project
    typed = {
        "name": project.name,
        "policy": project.policy,
        "is_small_set": "yes" if project.is_small_set else "",
        "primary_stands": "yes" if project.primary_stands else "",
    }
    return settings_page(request, seat, typed=typed)


@router.post("/projects/{project_id}/settings")
def change_settings(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    name: Text = "",
    policy: Text = "",
    is_small_set: Text = "",
    primary_stands: Text = "",
) -> Response:
    try:
        change_project(
            session,
            seat.project,
            name=name,
            policy=policy or None,
            is_small_set=bool(is_small_set),
            primary_stands=bool(primary_stands),
        )
    except (FieldError, RuleError) as error:
        session.refresh(seat.project)
        typed = {"name": name, "policy": policy, "is_small_set": is_small_set, "primary_stands": primary_stands}
        return settings_page(request, seat, typed=typed, error=error)
    return see(f"/projects/{seat.project.id}")


def settings_page(
    request: Request, seat: Seat, *, typed: dict[str, str], error: FieldError | RuleError | None = None
) -> Response:
    return page(
        request,
        "projects/settings.html",
        seat=seat,
        typed=typed,
        error=error,
        **policy_choices(),
    )
