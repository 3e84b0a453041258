"""The desk for scripts: claims, assignments and grades of whoever holds the token."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from app.corpora.models import Query as CorpusQuery
from app.db import SessionDep, new_id
from app.judging.claiming import claim_next
from app.judging.desk import Shown, own_pairs, shown_pair
from app.judging.grading import LONGEST_KEY, LONGEST_RATIONALE, Press, record
from app.judging.guards import OwnAssignment
from app.judging.queries import find_round
from app.judging.seating import count_pairs
from app.judging.sheets import Asked, with_pictures_of
from app.projects.api import Shape
from app.projects.guards import LabellerSeat, Showing
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")


class ClaimOut(BaseModel):
    """A query in hand: its pairs are among the open assignments, by now or when they come up."""

    qid: str
    round_id: str
    pairs: int


@router.post("/rounds/{round_id}/claims", status_code=201)
def claim(session: SessionDep, seat: LabellerSeat, round_id: str) -> ClaimOut:
    """The next whole query of a claimed round; the same again until all its pairs are graded. 409 where none is left
    for you.
    """
    deal = claim_next(session, seat, find_round(session, seat.project, round_id))
    qid = session.get_one(CorpusQuery, (deal.project_id, deal.query_id)).qid
    return ClaimOut(qid=qid, round_id=round_id, pairs=count_pairs(session, deal))


class AskedQuery(BaseModel):
    qid: str
    text: str
    lang: str
    """A language tag; empty where none is known, as in the document."""
    description: str
    narrative: str

    @classmethod
    def of(cls, asked: Asked) -> "AskedQuery":
        need = {"description": asked.description, "narrative": asked.narrative}
        return cls(qid=asked.qid, text=asked.query, lang=asked.query_lang, **need)


class AskedDocument(BaseModel):
    docno: str
    title: str
    url: str
    text: str
    html: str
    """What people read in the text's place, with no other pictures than they see; empty where there is none."""
    lang: str
    fields: dict[str, str]
    """What the lead chose to show beside it."""

    @classmethod
    def of(cls, project: Showing, asked: Asked) -> "AskedDocument":
        read = {name: getattr(asked, name) for name in ("docno", "title", "url", "text", "lang")}
        html = with_pictures_of(project.picture_hosts, asked.html)
        return cls(**read, html=html, fields={name: value for name, value in asked.shown_fields})  # noqa: C416 - mypy takes no lists for pairs.


class AssignmentOut(BaseModel):
    """A pair to grade, with all that the desk shows of it."""

    id: str
    round: int
    round_id: str
    rubric_id: str
    query: AskedQuery
    document: AskedDocument
    key: str
    """New each time: what is sent under it twice is one grade."""
    revision: int
    """How many grades the pair has from you; 0 means none yet."""
    text_hash: str
    level: int | None
    """Yours so far, as are the next two."""
    reason: str | None
    rationale: str


class GradeIn(Shape):
    """A level, or the reason why there is none; with what the assignment said when it was fetched."""

    level: int | None = None
    reason: str | None = None
    rationale: str = Field(default="", max_length=LONGEST_RATIONALE)
    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    revision: int = Field(ge=0)
    text_hash: str


class GradeOut(BaseModel):
    revision: int
    saved: Literal[True] = True


@router.get("/assignments")
def list_assignments(
    session: SessionDep,
    seat: LabellerSeat,
    round: Annotated[str, Query(description="The id of a round; all open ones without it.")] = "",
    state: Annotated[Literal["open", "graded", "all"], Query()] = "open",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000, description="How many to leave out first.")] = 0,
) -> list[AssignmentOut]:
    """One's own in open rounds, in the order of the desk; what is graded leaves the list of the open ones. Where a
    query comes up in several parts, the later ones are listed when they come up: ask again until none is open.
    """
    shown = own_pairs(session, seat, round_id=round or None, state=state, limit=limit, offset=offset)
    return [assignment_out(seat.project, each) for each in shown]


@router.get("/assignments/{assignment_id}")
def show_assignment(session: SessionDep, seat: LabellerSeat, held: OwnAssignment) -> AssignmentOut:
    return assignment_out(seat.project, shown_pair(session, seat, held.id))


@router.post("/assignments/{assignment_id}/grades", status_code=201)
def grade(session: SessionDep, held: OwnAssignment, given: GradeIn) -> GradeOut:
    """Adds a grade. The same key with the same content answers the same again, with other content 422; 409 where the
    pair was graded, its text changed or its round closed since it was fetched.
    """
    press = Press(given.level, given.reason, given.rationale)
    kept = record(session, held, press, key=given.key, revision=given.revision, text_hash=given.text_hash, origin="api")
    return GradeOut(revision=kept.revision)


def assignment_out(project: Showing, shown: Shown) -> AssignmentOut:
    return AssignmentOut(
        id=shown.id,
        round=shown.round_number,
        round_id=shown.round_id,
        rubric_id=shown.rubric_id,
        query=AskedQuery.of(shown),
        document=AskedDocument.of(project, shown),
        key=new_id() + new_id(),
        revision=shown.revision,
        text_hash=shown.text_hash,
        level=shown.level,
        reason=shown.reason,
        rationale=shown.rationale or "",
    )
