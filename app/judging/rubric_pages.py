"""Versions of the rubric, with the rounds and grades that each holds. Reading and writing one is in rubrics."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.corpora.queries import documents_page
from app.db import SessionDep
from app.errors import NotThere
from app.judging.answer_pages import REASON_KEYS
from app.judging.beside import levels_shown
from app.judging.queries import Held, held_by_version
from app.judging.sheets import reading_of
from app.projects.guards import LeadSeat
from app.reading import LARGEST_WHOLE, CheckedRoute
from app.rubrics.diffing import difference
from app.rubrics.queries import draft_rubric, find_version, versions_of
from app.rubrics.writing import text_of
from app.web import let_pictures, page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric")
Number = Annotated[int | None, Query(ge=1, le=LARGEST_WHOLE)]


@router.get("/draft/preview")
def preview_draft(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    """The saved draft as the desk shows it, beside the first document that can be read."""
    draft = draft_rubric(session, seat.project.id)
    if draft is None:
        raise NotThere("There is no draft to look at.", "Begin one under Rubric.")
    let_pictures(request, seat.project.picture_hosts)
    documents = documents_page(session, seat.project, after="", find="")[0]
    document = next((each for each in documents if not each.is_placeholder), None)
    return page(
        request,
        "rubrics/preview.html",
        seat=seat,
        rubric=draft,
        levels=levels_shown(session, seat, draft.id),
        reasons=REASON_KEYS,
        document=document,
        reading=reading_of(seat.project, document) if document else None,
    )


@router.get("/versions")
def show_versions(
    request: Request, session: SessionDep, seat: LeadSeat, old: Number = None, new: Number = None
) -> Response:
    """All versions, and what changed between two of them: the last two, unless others are asked for."""
    versions = versions_of(session, seat.project.id)
    held = held_by_version(session, seat.project.id)
    numbers = [each.number for each in versions]
    new = new or next(iter(numbers), None)
    old = old or next((number for number in numbers if new and number < new), new)
    compared = [find_version(session, seat.project.id, number) for number in (old, new) if number]
    texts = [text_of(session, each) for each in compared]
    return page(
        request,
        "rubrics/versions.html",
        seat=seat,
        draft=draft_rubric(session, seat.project.id),
        versions=[(each, held.get(each.id, Held(0, 0))) for each in versions],
        compared=compared,
        difference=difference(*texts) if len(texts) == 2 else None,
    )
