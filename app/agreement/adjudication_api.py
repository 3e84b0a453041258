"""Adjudication for scripts. What the labellers said is in no answer before the blind grade."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.agreement.adjudicating import LONGEST_REASON, Adjudication, adjudication_of, decide, grade_blind, undo
from app.agreement.queries import PairText, rationales_of, texts_of
from app.agreement.queueing import Queued, queue_of
from app.corpora.guards import RowId
from app.db import SessionDep
from app.judging.api import AskedDocument, AskedQuery
from app.judging.guards import SeeingLead
from app.projects.api import Shape
from app.projects.guards import Seat
from app.projects.models import Project
from app.reading import CheckedRoute
from app.rubrics.queries import required_rubric

router = APIRouter(route_class=CheckedRoute, tags=["agreement"], prefix="/projects/{project_id}/adjudication")
State = Literal["waiting", "begun", "decided"]


class QueuedOut(BaseModel):
    """A differing pair, with all that one reads to grade it."""

    pair_id: str
    state: State
    """`begun`: somebody has graded it blind."""
    revision: int
    """To be named by the next step."""
    query: AskedQuery
    document: AskedDocument


class QueueOut(BaseModel):
    family: int
    differing: int
    audited: int
    """Agreed pairs that are in the queue as well; which they are is not told."""
    audited_so_far: int
    overruled: int
    """Audits that found another level; they change no judgment."""
    decided: int
    own: int
    """Open pairs that the asker graded; another lead must decide them, so they are not in `pairs`."""
    pairs: list[QueuedOut]
    """First what can move a score most."""


class BlindOut(BaseModel):
    level: int | None
    reason: str


class SaidOut(BaseModel):
    """One labeller's grade; who it was is not told."""

    level: int | None
    reason: str | None
    rationale: str


class DecisionOut(BaseModel):
    level: int | None
    """Null: no judgment can be given."""
    reason: str
    decided_at: datetime


class AdjudicationOut(BaseModel):
    pair_id: str
    revision: int
    blind: BlindOut | None
    """The asker's own blind grade."""
    grades: list[SaidOut] | None
    """Null before the asker's blind grade."""
    decision: DecisionOut | None


class BlindIn(Shape):
    """A level, or why it can't be judged; with the revision that the pair had when it was fetched."""

    level: int | None = None
    reason: str = ""
    revision: int = Field(ge=0)


class DecisionIn(Shape):
    """A level, or null where no judgment can be given; always with a reason."""

    level: int | None
    reason: str = Field(min_length=1, max_length=LONGEST_REASON)
    revision: int = Field(ge=0)


@router.get("")
def list_queue(
    session: SessionDep,
    seat: SeeingLead,
    state: Annotated[Literal["open", "decided"], Query()] = "open",
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> QueueOut:
    """The pairs that the asker may decide, or those that are decided, in the order of the queue."""
    family = required_rubric(session, seat.project.id).family
    queue = queue_of(session, seat, family)
    pairs = queue.open if state == "open" else [queued for queued in queue.pairs if not queued.is_open]
    texts = texts_of(session, seat.project.id, [queued.pair.pair_id for queued in pairs[:limit]])
    return QueueOut(
        family=family,
        differing=len(queue.pairs) - queue.audited,
        audited=queue.audited,
        audited_so_far=queue.audited_so_far,
        overruled=queue.overruled,
        decided=queue.decided,
        own=queue.own,
        pairs=[queued_out(seat.project, queued, texts[queued.pair.pair_id]) for queued in pairs[:limit]],
    )


@router.get("/{pair_id}")
def show_pair(session: SessionDep, seat: SeeingLead, pair_id: RowId) -> AdjudicationOut:
    return adjudication_out(session, seat, adjudication_of(session, seat, pair_id))


@router.post("/{pair_id}/blind", status_code=201)
def blind(session: SessionDep, seat: SeeingLead, pair_id: RowId, given: BlindIn) -> AdjudicationOut:
    """The asker's own grade. Sent twice it is one; 409 where another step came between."""
    case = grade_blind(session, seat, pair_id, level=given.level, reason=given.reason, revision=given.revision)
    return adjudication_out(session, seat, case)


@router.post("/{pair_id}/decision", status_code=201)
def take_decision(session: SessionDep, seat: SeeingLead, pair_id: RowId, given: DecisionIn) -> AdjudicationOut:
    """Decides the pair; 409 without a blind grade of one's own, and where another step came between."""
    case = decide(session, seat, pair_id, level=given.level, reason=given.reason, revision=given.revision)
    return adjudication_out(session, seat, case)


@router.delete("/{pair_id}/decision")
def take_back(
    session: SessionDep, seat: SeeingLead, pair_id: RowId, revision: Annotated[int, Query(ge=0)]
) -> AdjudicationOut:
    """Takes the decision back: the pair waits in the queue again."""
    return adjudication_out(session, seat, undo(session, seat, pair_id, revision=revision))


def queued_out(project: Project, queued: Queued, text: PairText) -> QueuedOut:
    return QueuedOut(
        pair_id=queued.pair.pair_id,
        state=queued.state,
        revision=queued.revision,
        query=AskedQuery.of(text),
        document=AskedDocument.of(project, text),
    )


def adjudication_out(session: Session, seat: Seat, case: Adjudication) -> AdjudicationOut:
    return AdjudicationOut(
        pair_id=case.pair_id,
        revision=case.revision,
        blind=BlindOut(level=case.blind.level, reason=case.blind.reason) if case.blind else None,
        grades=said_out(session, seat, case) if case.blind else None,
        decision=DecisionOut.model_validate(case.decision, from_attributes=True) if case.decision else None,
    )


def said_out(session: Session, seat: Seat, case: Adjudication) -> list[SaidOut]:
    rationales = rationales_of(session, seat.project.id, [grade.grade_id for grade in case.grades if grade.grade_id])
    return [
        SaidOut(level=grade.level, reason=grade.reason, rationale=rationales.get(grade.grade_id or "", ""))
        for grade in case.grades
    ]
