"""The rubric for scripts."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from app.db import SessionDep
from app.errors import NotThere
from app.projects.api import Shape
from app.projects.guards import LeadSeat, MemberSeat
from app.reading import LARGEST_WHOLE, CheckedRoute
from app.rubrics.diffing import difference
from app.rubrics.lint import find_faults
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, find_rubric, find_version, published_rubric
from app.rubrics.templates import TEMPLATES
from app.rubrics.texts import Example, LevelText, Refusal, RubricText
from app.rubrics.writing import as_columns, choose_gain, publish, save_draft, text_of

router = APIRouter(route_class=CheckedRoute, tags=["rubrics"], prefix="/projects/{project_id}")
Number = Annotated[int, Query(ge=1, le=LARGEST_WHOLE)]


class ExampleShape(Shape):
    """Why the document belongs to the level; in a counter-example, why it does not."""

    query: str = ""
    document: str = ""
    why: str = ""


class LevelShape(Shape):
    name: str
    question: str
    examples: list[ExampleShape] = Field(default_factory=list)
    counter_examples: list[ExampleShape] = Field(default_factory=list)
    not_this: str = ""


class RefusalShape(Shape):
    """`leads_to` says what becomes of a pair that nobody could judge for this reason."""

    when: str = ""
    leads_to: Literal["left out", "level 0"] = "left out"


class RubricIn(Shape):
    """Levels lowest first: the first is level 0. `refusals` by reason."""

    levels: list[LevelShape] = Field(min_length=2, max_length=10)
    instructions: str = ""
    unjudgeable: str = ""
    threshold: int = 1
    refusals: dict[str, RefusalShape] = Field(default_factory=dict)


class DraftIn(RubricIn):
    """With `gain` also what a level is worth, which stays as it is once a version is published."""

    gain: str | None = None
    gain_table: list[float] | None = None
    gain_reason: str | None = None


class FindingOut(Shape):
    level: int | None
    kind: str
    words: list[str]
    sentence: str
    way_out: str
    blocks: bool


class RubricOut(RubricIn):
    id: str
    number: int
    family: int
    is_minor: bool
    is_published: bool
    published_at: datetime | None
    text_hash: str | None
    comparative_reason: str
    findings: list[FindingOut]


class PublicationIn(Shape):
    """`is_minor`: only wording changed, so that the version joins the family of the one before it."""

    comparative_reason: str = ""
    is_minor: bool = False


@router.get("/rubric")
def show_rubric(session: SessionDep, seat: MemberSeat) -> RubricOut:
    """The published version; for leads the draft while there is none."""
    rubric = published_rubric(session, seat.project.id)
    if rubric is None and seat.is_lead:
        rubric = draft_rubric(session, seat.project.id)
    if rubric is None:
        raise NotThere("No rubric is published yet.", "A lead publishes one.")
    return rubric_out(rubric, text_of(session, rubric))


@router.put("/rubric")
def write_draft(session: SessionDep, seat: LeadSeat, rubric: DraftIn) -> RubricOut:
    draft = save_draft(session, seat.project, text_in(rubric))
    if rubric.gain is not None:
        choose_gain(
            session, seat.project, gain=rubric.gain, gain_table=rubric.gain_table, gain_reason=rubric.gain_reason
        )
    return rubric_out(draft, text_of(session, draft))


@router.post("/rubric/publication")
def publish_draft(session: SessionDep, seat: LeadSeat, publication: PublicationIn) -> RubricOut:
    rubric = publish(session, seat.project, seat.person.id, **publication.model_dump())
    return rubric_out(rubric, text_of(session, rubric))


class PieceOut(BaseModel):
    kind: Literal["same", "removed", "added"]
    text: str


class ChangeOut(BaseModel):
    part: str
    pieces: list[PieceOut]


class DifferenceOut(BaseModel):
    """Parts that read differently, word by word; levels of which no word changed."""

    old: int
    new: int
    changes: list[ChangeOut]
    unchanged_levels: list[int]


@router.get("/rubrics/diff")
def show_difference(session: SessionDep, seat: MemberSeat, old: Number, new: Number) -> DifferenceOut:
    """Between two published versions, by their numbers."""
    texts = [text_of(session, find_version(session, seat.project.id, number)) for number in (old, new)]
    return DifferenceOut(old=old, new=new, **asdict(difference(*texts)))


@router.get("/rubrics/{rubric_id}")
def show_version(session: SessionDep, seat: MemberSeat, rubric_id: str) -> RubricOut:
    """Any published version."""
    rubric = find_rubric(session, seat.project.id, rubric_id)
    return rubric_out(rubric, text_of(session, rubric))


class TemplateOut(BaseModel):
    """A rubric to begin with; `gain_table` where its levels have gains of their own."""

    name: str
    title: str
    explanation: str
    rubric: RubricIn
    gain_table: list[float] | None


@router.get("/rubric/templates")
def list_templates(_seat: MemberSeat) -> list[TemplateOut]:
    """Ready to be changed and written back."""
    return [
        TemplateOut(
            name=each.name,
            title=each.title,
            explanation=each.explanation,
            rubric=RubricIn(**shape_of(each.text)),
            gain_table=None if each.gain_table is None else list(each.gain_table),
        )
        for each in TEMPLATES.values()
    ]


def text_in(rubric: RubricIn) -> RubricText:
    return RubricText(
        tuple(level_in(number, level) for number, level in enumerate(rubric.levels)),
        rubric.instructions,
        rubric.unjudgeable,
        rubric.threshold,
        {reason: Refusal(**each.model_dump()) for reason, each in rubric.refusals.items()},
    )


def level_in(number: int, level: LevelShape) -> LevelText:
    return LevelText(
        number,
        level.name,
        level.question,
        examples=tuple(Example(**each.model_dump()) for each in level.examples),
        counter_examples=tuple(Example(**each.model_dump()) for each in level.counter_examples),
        not_this=level.not_this,
    )


def shape_of(text: RubricText) -> dict[str, Any]:
    """As `RubricIn` takes it, so that what was read can be changed and written back."""
    levels = [as_columns(level) for level in text.levels]
    return asdict(text) | {"levels": [{name: level[name] for name in LevelShape.model_fields} for level in levels]}


def rubric_out(rubric: Rubric, text: RubricText) -> RubricOut:
    return RubricOut(
        **shape_of(text),
        id=rubric.id,
        number=rubric.number,
        family=rubric.family,
        is_minor=rubric.is_minor,
        is_published=rubric.published_at is not None,
        published_at=rubric.published_at,
        text_hash=rubric.text_hash,
        comparative_reason=rubric.comparative_reason,
        findings=[
            FindingOut(
                level=each.level,
                kind=each.kind,
                words=list(each.words),
                sentence=each.sentence,
                way_out=each.way_out,
                blocks=each.blocks,
            )
            for each in find_faults(text)
        ],
    )
