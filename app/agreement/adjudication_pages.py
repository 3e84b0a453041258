"""Adjudication: the queue, and one pair at a time; blind first, then with what the labellers said, without names."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.agreement.adjudicating import (
    READY_REASONS,
    READY_REASONS_FOR_NONE,
    Adjudication,
    adjudication_of,
    decide,
    grade_blind,
    undo,
)
from app.agreement.adjudication_queries import count_refused, decisions_of, steps_of
from app.agreement.models import Decision
from app.agreement.queries import names_of, rationales_of, texts_of
from app.agreement.queueing import Queue, count_decided, queue_of
from app.corpora.guards import RowId
from app.db import SessionDep
from app.errors import DomainError, InputError, RuleError
from app.judging.answer_pages import REASON_KEYS
from app.judging.guards import SeeingLead
from app.judging.sheets import reading_of
from app.projects.guards import Seat
from app.reading import CheckedRoute
from app.rubrics.queries import levels_of, published_rubric, required_rubric
from app.web import let_pictures, page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/adjudication")
Text = Annotated[str, Form()]
Level = Annotated[int | None, Form()]
Revision = Annotated[int, Form()]
SHOWN = 20


@router.get("")
def show_queue(request: Request, session: SessionDep, seat: SeeingLead, last: str = "") -> Response:
    rubric = published_rubric(session, seat.project.id)
    if rubric is None:
        return page(request, "agreement/none.html", seat=seat)
    queue = queue_of(session, seat, rubric.family)
    shown = queue.open[:SHOWN]
    decided = newest_decisions(session, seat, rubric.family, queue)
    return page(
        request,
        "agreement/queue.html",
        seat=seat,
        rubric=rubric,
        queue=queue,
        shown=shown,
        decided=decided,
        texts=texts_of(
            session,
            seat.project.id,
            [queued.pair.pair_id for queued in shown] + [decision.pair_id for decision in decided],
        ),
        refused_by_all=count_refused(session, seat.project.id, rubric.family),
        last=last_decision(session, seat, rubric.family, last),
    )


@router.get("/next")
def show_next(session: SessionDep, seat: SeeingLead, after: str = "") -> Response:
    return see(next_address(session, seat, after=after))


@router.get("/{pair_id}")
def show_pair(request: Request, session: SessionDep, seat: SeeingLead, pair_id: RowId, last: str = "") -> Response:
    return adjudication_page(request, session, seat, adjudication_of(session, seat, pair_id), last=last)


@router.post("/{pair_id}/blind")
def blind(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    pair_id: RowId,
    level: Level = None,
    reason: Text = "",
    revision: Revision = -1,
) -> Response:
    try:
        grade_blind(session, seat, pair_id, level=level, reason=reason, revision=revision)
    except (RuleError, InputError) as error:
        return again(request, session, seat, pair_id, error)
    return see(f"/projects/{seat.project.id}/adjudication/{pair_id}")


@router.post("/{pair_id}/decision")
def take_decision(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    pair_id: RowId,
    level: Level = None,
    ready: Text = "",
    reason: Text = "",
    revision: Revision = -1,
) -> Response:
    """Answered by the next pair."""
    try:
        decide(session, seat, pair_id, level=level, reason=ready or reason, revision=revision)
    except (RuleError, InputError) as error:
        return again(request, session, seat, pair_id, error, typed={"level": level, "reason": reason})
    return see(f"{next_address(session, seat, after=pair_id)}?last={pair_id}")


@router.post("/{pair_id}/undoing")
def take_back(
    request: Request, session: SessionDep, seat: SeeingLead, pair_id: RowId, revision: Revision = -1
) -> Response:
    try:
        undo(session, seat, pair_id, revision=revision)
    except (RuleError, InputError) as error:
        return again(request, session, seat, pair_id, error)
    return see(f"/projects/{seat.project.id}/adjudication/{pair_id}")


def next_address(session: Session, seat: Seat, *, after: str) -> str:
    """Of the pair that comes next for this lead, or of the queue where none is left."""
    home = f"/projects/{seat.project.id}/adjudication"
    following = queue_of(session, seat, required_rubric(session, seat.project.id).family).after(after)
    return home if following is None else f"{home}/{following.pair.pair_id}"


def again(
    request: Request,
    session: Session,
    seat: Seat,
    pair_id: str,
    error: DomainError,
    *,
    typed: dict[str, object] | None = None,
) -> Response:
    """The pair as it is by now, with why the step was not taken; where the pair itself is refused, only that."""
    try:
        case = adjudication_of(session, seat, pair_id)
    except RuleError:
        raise error from None
    return adjudication_page(request, session, seat, case, error=error, typed=typed)


def adjudication_page(
    request: Request,
    session: Session,
    seat: Seat,
    case: Adjudication,
    *,
    last: str = "",
    error: DomainError | None = None,
    typed: dict[str, object] | None = None,
) -> Response:
    """What the labellers said is loaded only for whoever has graded the pair blind."""
    let_pictures(request, seat.project.picture_hosts)
    text = texts_of(session, seat.project.id, [case.pair_id])[case.pair_id]
    decided, total = count_decided(session, seat, case.rubric.family)
    grade_ids = [grade.grade_id for grade in case.grades if grade.grade_id]
    return page(
        request,
        "agreement/adjudicate.html",
        seat=seat,
        case=case,
        text=text,
        reading=reading_of(seat.project, text),
        levels=levels_of(session, case.rubric),
        decided=decided,
        total=total,
        rationales=rationales_of(session, seat.project.id, grade_ids) if case.blind else {},
        names=names_of(session, seat.project.id, {step.adjudicator_id for step in case.steps}),
        ready=READY_REASONS,
        ready_for_none=READY_REASONS_FOR_NONE,
        reasons=REASON_KEYS,
        last=last_decision(session, seat, case.rubric.family, last),
        error=error,
        typed=typed or {},
    )


def newest_decisions(session: Session, seat: Seat, family: int, queue: Queue) -> list[Decision]:
    """What was decided last, of pairs that still differ."""
    standing = decisions_of(session, seat.project.id, family)
    differing = [standing[each.pair.pair_id] for each in queue.pairs if each.pair.pair_id in standing]
    return sorted(differing, key=lambda decision: (decision.decided_at, decision.id), reverse=True)[:SHOWN]


def last_decision(session: Session, seat: Seat, family: int, pair_id: str) -> Decision | None:
    """What this lead decided a moment ago, to be seen and taken back."""
    steps = steps_of(session, seat.project.id, family, pair_id).get(pair_id, []) if pair_id else []
    newest = steps[-1] if steps else None
    is_own = newest is not None and newest.step == "decided" and newest.adjudicator_id == seat.member.id
    return newest if is_own else None
