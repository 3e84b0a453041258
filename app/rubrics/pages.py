"""The rubric: everybody in the project reads it, leads write and publish it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from app.db import SessionDep
from app.errors import FieldError, RuleError
from app.projects.guards import LeadSeat, MemberSeat, Seat
from app.reading import CheckedRoute, take_one, whole_number
from app.rubrics.lint import LevelText, find_faults
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, find_rubric, published_rubric, rulings_of
from app.rubrics.writing import RubricText, publish, save_draft, text_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric")
LEVEL_FIELDS = ("name", "question", "example", "counter_example", "not_this")


async def form_of(request: Request) -> FormData:
    """Levels are repeated fields, as many as the lead wrote."""
    return await request.form()


@router.get("")
def show_rubric(request: Request, session: SessionDep, seat: MemberSeat) -> Response:
    return rubric_page(request, session, seat, published_rubric(session, seat.project.id))


@router.get("/versions/{rubric_id}")
def show_version(request: Request, session: SessionDep, seat: MemberSeat, rubric_id: str) -> Response:
    """Any published version: rounds under an older one go on with its text."""
    return rubric_page(request, session, seat, find_rubric(session, seat.project.id, rubric_id))


def rubric_page(request: Request, session: SessionDep, seat: Seat, rubric: Rubric | None) -> Response:
    return page(
        request,
        "rubrics/rubric.html",
        seat=seat,
        rubric=rubric,
        newest=published_rubric(session, seat.project.id),
        text=text_of(session, rubric) if rubric else None,
        draft=draft_rubric(session, seat.project.id) if seat.is_lead else None,
        rulings=rulings_of(session, seat.project.id, rubric.family) if rubric else [],
    )


@router.get("/draft")
def show_draft(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    source = draft_rubric(session, seat.project.id) or published_rubric(session, seat.project.id)
    text = text_of(session, source) if source else RubricText(findings=find_faults(RubricText().levels))
    return draft_page(request, session, seat, text)


@router.post("/draft")
def write_draft(
    request: Request, session: SessionDep, seat: LeadSeat, form: Annotated[FormData, Depends(form_of)]
) -> Response:
    """One form: its buttons save, publish what stands on the page, or change the number of levels."""
    text = typed_text(form)
    wish = Wish(str(take_one(form, "comparative_reason") or ""), is_minor=bool(take_one(form, "is_minor")))
    match take_one(form, "do"):
        case "add":
            text = with_levels(text, [*text.levels, LevelText(len(text.levels), "", "")])
            return draft_page(request, session, seat, text, wish=wish)
        case "remove":
            return draft_page(request, session, seat, with_levels(text, text.levels[:-1]), wish=wish)
        case do:
            return save_or_publish(request, session, seat, text, wish=wish, publishes=do == "publish")


class Wish(NamedTuple):
    """How the draft is to be published."""

    comparative_reason: str = ""
    is_minor: bool = False


NO_WISH = Wish()


def save_or_publish(
    request: Request, session: SessionDep, seat: Seat, text: RubricText, *, wish: Wish, publishes: bool
) -> Response:
    """What can't be published yet is saved all the same."""
    home = f"/projects/{seat.project.id}/rubric"
    try:
        save_draft(session, seat.project, text)
        if not publishes:
            return see(f"{home}/draft")
        publish(session, seat.project, seat.person.id, **wish._asdict())
    except (FieldError, RuleError) as error:
        return draft_page(request, session, seat, text, wish=wish, error=error)
    return see(home)


def draft_page(
    request: Request,
    session: SessionDep,
    seat: Seat,
    text: RubricText,
    *,
    wish: Wish = NO_WISH,
    error: FieldError | RuleError | None = None,
) -> Response:
    draft, rubric = draft_rubric(session, seat.project.id), published_rubric(session, seat.project.id)
    return page(
        request,
        "rubrics/draft.html",
        seat=seat,
        text=text,
        number=number_of(draft, rubric),
        saved_at=draft.saved_at if draft else None,
        is_as_saved=draft is not None and text == text_of(session, draft),
        wish=wish,
        published=rubric,
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
    threshold = whole_number(str(take_one(form, "threshold") or "1"), "threshold")
    return RubricText(
        levels,
        str(take_one(form, "instructions") or ""),
        str(take_one(form, "unjudgeable") or ""),
        1 if threshold is None else threshold,
        find_faults(levels),
    )


def with_levels(text: RubricText, levels: Sequence[LevelText]) -> RubricText:
    threshold = max(1, min(text.threshold, len(levels) - 1))
    return RubricText(levels, text.instructions, text.unjudgeable, threshold, find_faults(levels))
