"""Releases: what one would hold, its conditions, freezing, the waiver, and what was frozen."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import DomainError, FieldError, TooOften
from app.judging.guards import SeeingLead, SeeingReader
from app.people.pages import door
from app.people.signing_in import confirm_password
from app.projects.guards import Seat
from app.reading import CheckedRoute
from app.releases.api import manifest_answer, qrels_answer
from app.releases.commands import trec_eval_commands
from app.releases.manifest import file_name, marks_of, read_manifest
from app.releases.models import Release
from app.releases.prospect import WAIVABLE, conditions_of, look_ahead, without_names
from app.releases.queries import next_number, release_in, releases_of
from app.releases.releasing import freeze
from app.releases.settling import UNRESOLVED
from app.web import address_of, page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/releases")
Text = Annotated[str, Form()]


@router.get("")
def show_releases(request: Request, session: SessionDep, seat: SeeingReader) -> Response:
    return releases_page(request, session, seat)


@router.post("")
def freeze_release(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    name: Text = "",
    is_carrying: Text = "",
    waiver: Text = "",
    waiver_reason: Text = "",
    password: Text = "",
) -> Response:
    """A waiver is signed: its form holds the password. A wrong one is counted, so the page is returned, not raised."""
    is_waiver = bool(waiver or waiver_reason)
    try:
        if is_waiver:
            require_password(request, session, seat, password)
        else:
            seat.confirm_recently(request.app.state.settings)
        release = freeze(
            session,
            seat,
            name=name,
            waiver_reason=waiver_reason if is_waiver else None,
            is_carrying=bool(is_carrying),
        )
    except (FieldError, TooOften) as error:
        typed = {"name": name, "waiver_reason": waiver_reason, "is_carrying": is_carrying}
        return releases_page(request, session, seat, typed=typed, error=error, is_waiver=is_waiver)
    return see(f"/projects/{seat.project.id}/releases/{release.id}")


def require_password(request: Request, session: SessionDep, seat: Seat, password: str) -> None:
    at = door(request, seat.person.email)
    if seat.asker is None or not confirm_password(session, seat.asker.sign_in, at, password=password):
        raise FieldError("password", "That is not your password.", "Try again; nothing was released.")


@router.get("/{release_id}")
def show_release(request: Request, session: SessionDep, seat: SeeingReader, release_id: str) -> Response:
    release = release_in(session, seat.project, release_id)
    manifest, qrels_name = read_manifest(release), file_name(release, ".qrels")
    threshold = manifest["rubric"]["threshold"] if release.kind == "judged" else 1
    trec_eval = trec_eval_commands(seat.project, threshold=threshold, qrels_name=qrels_name)
    return page(
        request,
        "releases/release.html",
        seat=seat,
        release=release,
        manifest=manifest,
        marks=marks_of(release),
        qrels_name=qrels_name,
        trec_eval=trec_eval,
        gives_ndcg=any("ndcg" in command for command in trec_eval),
        manifest_name=file_name(release, ".manifest.json"),
        host=address_of(request, ""),
    )


@router.get("/{release_id}/qrels")
def export_qrels(request: Request, session: SessionDep, seat: SeeingReader, release_id: str) -> Response:
    return qrels_answer(request, release_in(session, seat.project, release_id))


@router.get("/{release_id}/manifest")
def export_manifest(request: Request, session: SessionDep, seat: SeeingReader, release_id: str) -> Response:
    return manifest_answer(request, release_in(session, seat.project, release_id))


def releases_page(
    request: Request,
    session: SessionDep,
    seat: Seat,
    *,
    typed: dict[str, str] | None = None,
    error: DomainError | None = None,
    is_waiver: bool = False,
) -> Response:
    """The page, after a form that could not be taken with what was typed and what is wrong."""
    prospect = look_ahead(session, seat.project)
    found = conditions_of(prospect if seat.role == "lead" or prospect is None else without_names(prospect))
    failing = {condition.name for condition in found if not condition.is_met}
    return page(
        request,
        "releases/releases.html",
        seat=seat,
        conditions=found,
        prospect=prospect,
        unresolved=prospect.tally.left_out[UNRESOLVED] if prospect else 0,
        is_ready=not failing,
        may_waive=bool(failing) and failing <= set(WAIVABLE),
        number=next_number(session, seat.project),
        releases=[(release, marks_of(release), counts_of(release)) for release in releases_of(session, seat.project)],
        typed=typed or {},
        error=error,
        is_waiver=is_waiver,
    )


def counts_of(release: Release) -> dict[str, int]:
    counts: dict[str, int] = read_manifest(release)["counts"]
    return counts
