"""Writing a rubric: one form for everything that stands in it."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from app.db import SessionDep
from app.errors import FieldError, RuleError
from app.measures.gains import gain_of
from app.projects.guards import LeadSeat, Seat
from app.projects.models import Project
from app.reading import CheckedRoute, number, take_one, whole_number
from app.rubrics.arranging import changed
from app.rubrics.lint import find_faults
from app.rubrics.models import OUTCOMES, REASONS, Rubric
from app.rubrics.queries import draft_rubric, published_rubric
from app.rubrics.templates import TEMPLATES
from app.rubrics.texts import LEFT_OUT, Example, LevelText, Refusal, RubricText
from app.rubrics.writing import FEWEST, MOST, choose_gain, publish, save_draft, text_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric/draft")
LEVEL_FIELDS = ("name", "question", "not_this")
EXAMPLE_FIELDS = ("example_of", "example_query", "example_document", "example_why")
REFUSAL_FIELDS = ("reason", "reason_when", "reason_leads_to")


async def form_of(request: Request) -> FormData:
    """Levels are repeated fields, as many as the lead wrote. A browser sends line ends as two characters, whatever was
    typed, and they would differ from a script's.
    """
    typed = (await request.form()).multi_items()
    return FormData([(name, each.replace("\r\n", "\n") if isinstance(each, str) else each) for name, each in typed])


Typed = Annotated[FormData, Depends(form_of)]


class Wish(NamedTuple):
    """What stands beside the text in its form: how it is to be published, and what its levels are worth."""

    comparative_reason: str = ""
    is_minor: bool = False
    gain: str = ""
    gains: tuple[str, ...] = ()
    gain_reason: str = ""


@router.get("")
def show_draft(request: Request, session: SessionDep, seat: LeadSeat, template: str = "") -> Response:
    """The draft as it was saved last; or a template, which is saved only when the lead says so."""
    wish = wish_of(seat.project)
    if template in TEMPLATES:
        chosen = TEMPLATES[template]
        if chosen.gain_table:
            wish = with_gains(wish, chosen.gain_table)
        return draft_page(request, session, seat, chosen.text, wish=wish)
    source = draft_rubric(session, seat.project.id) or published_rubric(session, seat.project.id)
    return draft_page(request, session, seat, text_of(session, source) if source else RubricText(), wish=wish)


@router.post("")
def write_draft(request: Request, session: SessionDep, seat: LeadSeat, form: Typed) -> Response:
    """One form: its buttons save, publish what stands on the page, or change levels and examples."""
    text, wish, does = typed_text(form), typed_wish(form), str(take_one(form, "do") or "save")
    after = changed(text, does)
    if after is not None:
        return draft_page(request, session, seat, after, wish=wish)
    return save_or_go_on(request, session, seat, text, wish=wish, does=does)


@router.post("/lint")
def lint_draft(request: Request, seat: LeadSeat, form: Typed) -> Response:
    """What the lint finds in what stands on the page, while it is typed; nothing is saved."""
    text = typed_text(form)
    return page(request, "rubrics/findings.html", seat=seat, text=text, findings=find_faults(text))


def save_or_go_on(
    request: Request, session: SessionDep, seat: Seat, text: RubricText, *, wish: Wish, does: str
) -> Response:
    """What can't be published yet is saved all the same; so is what is looked at elsewhere before going on."""
    home = f"/projects/{seat.project.id}/rubric"
    try:
        save_draft(session, seat.project, text)
        if wish.gain:
            table = typed_gains(wish) if wish.gain == "table" else None
            choose_gain(session, seat.project, gain=wish.gain, gain_table=table, gain_reason=wish.gain_reason)
        if does == "publish":
            publish(
                session,
                seat.project,
                seat.person.id,
                comparative_reason=wish.comparative_reason,
                is_minor=wish.is_minor,
            )
    except (FieldError, RuleError) as error:
        return draft_page(request, session, seat, text, wish=wish, error=error)
    does, _, at = does.partition(" ")
    match does:
        case "publish":
            return see(home)
        case "preview":
            return see(f"{home}/draft/preview")
        case "pick":
            level, _, kind = at.partition(" ")
            return see(f"{home}/draft/examples?level={level}&kind={kind}")
        case _:
            return see(f"{home}/draft")


def draft_page(
    request: Request,
    session: SessionDep,
    seat: Seat,
    text: RubricText,
    *,
    wish: Wish,
    error: FieldError | RuleError | None = None,
) -> Response:
    draft, rubric = draft_rubric(session, seat.project.id), published_rubric(session, seat.project.id)
    return page(
        request,
        "rubrics/draft.html",
        status=error.status if error else 200,
        seat=seat,
        text=text,
        findings=find_faults(text),
        number=number_of(draft, rubric),
        saved_at=draft.saved_at if draft else None,
        is_as_saved=draft is not None and text == text_of(session, draft),
        templates=TEMPLATES.values(),
        reasons=REASONS,
        outcomes=OUTCOMES,
        has_room=len(text.levels) < MOST,
        may_lose=len(text.levels) > FEWEST,
        gains=gains_of(seat.project, text),
        wish=wish,
        published=rubric,
        error=error,
    )


def number_of(draft: Rubric | None, rubric: Rubric | None) -> int:
    """The version being written."""
    if draft is not None:
        return draft.number
    return 1 if rubric is None else rubric.number + 1


# What the levels are worth


def gains_of(project: Project, text: RubricText) -> list[float | None]:
    """By level; None where the project's table is too short for it."""
    numbers = range(len(text.levels))
    if project.gain == "table":
        table = project.gain_table or []
        return [table[level] if level < len(table) else None for level in numbers]
    return [gain_of(level, project.own_gain) for level in numbers]


def wish_of(project: Project) -> Wish:
    gains = tuple(f"{gain:g}" for gain in project.gain_table or ())
    return Wish(gain=project.gain, gains=gains, gain_reason=project.gain_reason)


def with_gains(wish: Wish, table: Sequence[float]) -> Wish:
    """Another gain than the project's asks for a reason of its own."""
    gains = tuple(f"{gain:g}" for gain in table)
    is_the_same = wish.gain == "table" and wish.gains == gains
    return wish._replace(gain="table", gains=gains, gain_reason=wish.gain_reason if is_the_same else "")


def typed_wish(form: FormData) -> Wish:
    return Wish(
        comparative_reason=str(take_one(form, "comparative_reason") or ""),
        is_minor=bool(take_one(form, "is_minor")),
        gain=str(take_one(form, "gain") or ""),
        gains=tuple(str(each) for each in form.getlist("gain_of")),
        gain_reason=str(take_one(form, "gain_reason") or ""),
    )


def typed_gains(wish: Wish) -> list[float]:
    typed = [number(each, "gain_table") for each in wish.gains]
    gains = [each for each in typed if each is not None]
    if len(gains) < len(typed):
        raise FieldError("gain_table", "A level has no gain yet.", "Write a number for each level.")
    return gains


# What was typed


def typed_text(form: FormData) -> RubricText:
    """Levels, their examples and the reasons are repeated fields, as many as the lead wrote."""
    examples = typed_examples(form)
    levels = tuple(
        LevelText(number, name, question, examples[number, "examples"], examples[number, "counter_examples"], not_this)
        for number, (name, question, not_this) in enumerate(rows_of(form, LEVEL_FIELDS))
    )
    refusals = {reason: Refusal(when, leads_to or LEFT_OUT) for reason, when, leads_to in rows_of(form, REFUSAL_FIELDS)}
    threshold = whole_number(str(take_one(form, "threshold") or "1"), "threshold")
    return RubricText(
        levels,
        str(take_one(form, "instructions") or ""),
        str(take_one(form, "unjudgeable") or ""),
        1 if threshold is None else threshold,
        refusals,
    )


def typed_examples(form: FormData) -> defaultdict[tuple[int, str], tuple[Example, ...]]:
    """By level and kind; `example_of` says of each where it belongs, like `2 counter_examples`."""
    found: defaultdict[tuple[int, str], tuple[Example, ...]] = defaultdict(tuple)
    for place, *words in rows_of(form, EXAMPLE_FIELDS):
        number, _, kind = place.partition(" ")
        found[whole_number(number, "levels") or 0, kind] += (Example(*words),)
    return found


def rows_of(form: FormData, fields: Sequence[str]) -> list[tuple[str, ...]]:
    columns = [[str(value) for value in form.getlist(field)] for field in fields]
    if len({len(column) for column in columns}) != 1:
        raise FieldError("levels", "Each level has all its fields.", "Use the page's own form.")
    return list(zip(*columns, strict=True))
