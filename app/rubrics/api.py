"""The rubric for scripts."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from app.db import SessionDep
from app.errors import NotThere
from app.projects.api import Shape
from app.projects.guards import LeadSeat, MemberSeat
from app.reading import CheckedRoute
from app.rubrics.lint import LevelText, find_faults
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, published_rubric
from app.rubrics.writing import RubricText, publish, save_draft, text_of

router = APIRouter(route_class=CheckedRoute, tags=["rubrics"], prefix="/projects/{project_id}/rubric")


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
    number: int
    family: int
    is_published: bool
    published_at: datetime | None
    text_hash: str | None
    comparative_reason: str
    findings: list[FindingOut]


class PublicationIn(Shape):
    comparative_reason: str = ""


@router.get("")
def show_rubric(session: SessionDep, seat: MemberSeat) -> RubricOut:
    """The published version; for leads the draft while there is none."""
    rubric = published_rubric(session, seat.project.id)
    if rubric is None and seat.is_lead:
        rubric = draft_rubric(session, seat.project.id)
    if rubric is None:
        raise NotThere("No rubric is published yet.", "A lead publishes one.")
    return rubric_out(rubric, text_of(session, rubric))


@router.put("")
def write_draft(session: SessionDep, seat: LeadSeat, rubric: RubricIn) -> RubricOut:
    levels = [LevelText(number, **level.model_dump()) for number, level in enumerate(rubric.levels)]
    text = RubricText(levels, rubric.instructions, rubric.unjudgeable, rubric.threshold, find_faults(levels))
    draft = save_draft(session, seat.project, text)
    return rubric_out(draft, text_of(session, draft))


@router.post("/publication")
def publish_draft(session: SessionDep, seat: LeadSeat, publication: PublicationIn) -> RubricOut:
    rubric = publish(session, seat.project, seat.person.id, comparative_reason=publication.comparative_reason)
    return rubric_out(rubric, text_of(session, rubric))


def rubric_out(rubric: Rubric, text: RubricText) -> RubricOut:
    fields = ("name", "question", "example", "counter_example", "not_this")
    return RubricOut(
        levels=[LevelShape(**{field: getattr(level, field) for field in fields}) for level in text.levels],
        instructions=text.instructions,
        unjudgeable=text.unjudgeable,
        threshold=text.threshold,
        number=rubric.number,
        family=rubric.family,
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
