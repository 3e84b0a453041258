"""The rubric: everybody in the project reads it, leads write and publish it."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from app.db import SessionDep
from app.errors import FieldError, RuleError
from app.projects.guards import LeadSeat, MemberSeat
from app.reading import CheckedRoute
from app.rubrics.lint import LevelText, find_faults
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, published_rubric, versions_of
from app.rubrics.writing import RubricText, publish, save_draft, text_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric")
LEVEL_FIELDS = ("name", "question", "example", "counter_example", "not_this")


async def form_of(request: Request) -> FormData:
    """Levels are repeated fields, as many as the lead wrote."""
    return await request.form()


@router.get("")
def show_rubric(request: Request, session: SessionDep, seat: MemberSeat) -> Response:
    rubric = published_rubric(session, seat.project.id)
    draft = draft_rubric(session, seat.project.id) if seat.is_lead else None
    return page(
        request,
        "rubrics/rubric.html",
        seat=seat,
        rubric=rubric,
        text=text_of(session, rubric) if rubric else None,
        draft=draft,
        versions=versions_of(session, seat.project.id),
    )


@router.get("/draft")
def show_draft(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    draft, rubric = draft_rubric(session, seat.project.id), published_rubric(session, seat.project.id)
    source = draft or rubric
    text = text_of(session, source) if source else RubricText(findings=find_faults(RubricText().levels))
    return draft_page(request, seat, text, number=number_of(draft, rubric), is_saved=draft is not None)


@router.post("/draft")
def write_draft(
    request: Request, session: SessionDep, seat: LeadSeat, form: Annotated[FormData, Depends(form_of)]
) -> Response:
    draft, rubric = draft_rubric(session, seat.project.id), published_rubric(session, seat.project.id)
    text, number = typed_text(form), number_of(draft, rubric)
    match form.get("do"):
        case "add":
            text = with_levels(text, [*text.levels, LevelText(len(text.levels), "", "")])
            return draft_page(request, seat, text, number=number, is_saved=False)
        case "remove":
            text = with_levels(text, text.levels[:-1])
            return draft_page(request, seat, text, number=number, is_saved=False)
        case _:
            pass
    try:
        save_draft(session, seat.project, text)
    except FieldError as error:
        return draft_page(request, seat, text, number=number, is_saved=False, error=error)
    return see(f"/projects/{seat.project.id}/rubric/draft")


@router.post("/publication")
def publish_draft(
    request: Request, session: SessionDep, seat: LeadSeat, comparative_reason: Annotated[str, Form()] = ""
) -> Response:
    try:
        publish(session, seat.project, seat.person.id, comparative_reason=comparative_reason)
    except RuleError as error:
        draft = draft_rubric(session, seat.project.id)
        if draft is None:
            raise
        text = text_of(session, draft)
        return draft_page(request, seat, text, number=draft.number, is_saved=True, error=error)
    return see(f"/projects/{seat.project.id}/rubric")


def draft_page(
    request: Request,
    seat: LeadSeat,
    text: RubricText,
    *,
    number: int,
    is_saved: bool,
    error: FieldError | RuleError | None = None,
) -> Response:
    return page(
        request,
        "rubrics/draft.html",
        status=error.status if error else 200,
        seat=seat,
        text=text,
        number=number,
        is_saved=is_saved,
        error=error,
    )


def number_of(draft: Rubric | None, rubric: Rubric | None) -> int:
    """The version being written."""
    if draft is not None:
        return draft.number
    return 1 if rubric is None else rubric.number + 1


def typed_text(form: FormData) -> RubricText:
    columns: Mapping[str, list[str]] = {field: [str(value) for value in form.getlist(field)] for field in LEVEL_FIELDS}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        raise FieldError("levels", "Each level has all its fields.", "Use the page's own form.")
    rows = zip(*(columns[field] for field in LEVEL_FIELDS), strict=True)
    levels = [LevelText(number, *row) for number, row in enumerate(rows)]
    threshold = str(form.get("threshold", "1"))
    if not threshold.isdecimal() or len(threshold) > 2:
        raise FieldError("threshold", "The binary threshold is a level's number.", "Choose one.")
    return RubricText(
        levels,
        str(form.get("instructions", "")),
        str(form.get("unjudgeable", "")),
        int(threshold),
        find_faults(levels),
    )


def with_levels(text: RubricText, levels: Sequence[LevelText]) -> RubricText:
    threshold = max(1, min(text.threshold, len(levels) - 1))
    return RubricText(levels, text.instructions, text.unjudgeable, threshold, find_faults(levels))
