"""The rubric for scripts."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from app.db import SessionDep
from app.errors import NotThere
from app.projects.api import Shape
from app.projects.guards import LeadSeat, MemberSeat
from app.reading import LARGEST_WHOLE, CheckedRoute
from app.rubrics.diffing import difference
from app.rubrics.lint import LevelText, find_faults
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, find_rubric, find_version, published_rubric
from app.rubrics.writing import RubricText, publish, save_draft, text_of

router = APIRouter(route_class=CheckedRoute, tags=["rubrics"], prefix="/projects/{project_id}")
Number = Annotated[int, Query(ge=1, le=LARGEST_WHOLE)]


class LevelShape(Shape):
    name: str
    question: str
    example: str = ""
    counter_example: str = ""
    not_this: str = ""


class RubricIn(Shape):
    """Levels lowest first: the first is level 0."""

    levels: list[LevelShape] = Field(min_length=2, max_length=10)
    instructions: str = ""
    unjudgeable: str = ""
    threshold: int = 1


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
def write_draft(session: SessionDep, seat: LeadSeat, rubric: RubricIn) -> RubricOut:
    levels = [LevelText(number, **level.model_dump()) for number, level in enumerate(rubric.levels)]
    text = RubricText(levels, rubric.instructions, rubric.unjudgeable, rubric.threshold, find_faults(levels))
    draft = save_draft(session, seat.project, text)
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


def rubric_out(rubric: Rubric, text: RubricText) -> RubricOut:
    fields = ("name", "question", "example", "counter_example", "not_this")
    return RubricOut(
        levels=[LevelShape(**{field: getattr(level, field) for field in fields}) for level in text.levels],
        instructions=text.instructions,
        unjudgeable=text.unjudgeable,
        threshold=text.threshold,
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
            for each in text.findings
        ],
    )
