"""One round: its progress, its places, closing, opening again and widening."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.corpora.models import Query as CorpusQuery
from app.corpora.queries import words_of_queries
from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.judging.choosing import outlook
from app.judging.claiming import idle_claims, may_claim
from app.judging.closing import KeepClosed, close_round, reopen_round, what_keeps_it_closed
from app.judging.dealing import widen
from app.judging.experts import count_for_experts, give_to_expert
from app.judging.exporting import Layout
from app.judging.guards import GateAnswer, Keeper, refuse_while_judging, still_judged
from app.judging.models import Deal, Round
from app.judging.pacing import pace_of
from app.judging.planning import able_labellers
from app.judging.queries import (
    count_changed,
    find_round,
    grades_by_origin,
    progress_by_labeller,
    progress_by_query,
    progress_of,
    seconds_by_labeller,
)
from app.judging.reassigning import find_deal, pass_on, qualify
from app.judging.round_api import assignments_file
from app.pools.drawing import RATE
from app.pools.models import Pool
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute, whole_number
from app.rubrics.models import Rubric
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]


@router.get("/rounds/{round_id}")
def show_round(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    keep_closed: Keeper,
    round_id: str,
    asked: Annotated[int, Query()] = 0,
) -> Response:
    """Counts only, never a level: a lead who judges in the round may look. `asked` is how many queries were wanted."""
    round_ = find_round(session, seat.project, round_id)
    return show_round_of(request, session, seat, round_, keep_closed=keep_closed, asked=asked)


def show_round_of(
    request: Request,
    session: Session,
    seat: Seat,
    round_: Round,
    *,
    keep_closed: KeepClosed,
    asked: int = 0,
    error: DomainError | None = None,
) -> Response:
    queries = progress_by_query(session, round_)
    rubric = session.get_one(Rubric, (seat.project.id, round_.rubric_id))
    pool = session.get_one(Pool, (seat.project.id, round_.pool_id))
    is_widened = round_.kind == "agreement" and round_.closed_at is None
    return page(
        request,
        "judging/round.html",
        seat=seat,
        round=round_,
        asked=asked,
        rubric=rubric,
        pool=pool,
        outlook=outlook(session, rubric, pool) if is_widened else None,
        **progress_shown(session, seat, round_),
        able=[each for each in able_labellers(session, seat.project) if may_claim(round_, each)],
        queries=queries,
        words=words_of_queries(session, seat.project.id),
        free=sum(place.name is None for places in queries.values() for place in places),
        idle=idle_claims(session, round_) if round_.is_claimed else [],
        origins=grades_by_origin(session, round_),
        changed=count_changed(session, round_),
        for_experts=0 if round_.closed_at or still_judged(session, seat) else count_for_experts(session, round_),
        keeps_closed=what_keeps_it_closed(session, round_, keep_closed=keep_closed) if round_.closed_at else None,
        error=error,
    )


@router.get("/rounds/{round_id}/progress")
def show_progress(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    round_id: str,
    rate: Annotated[float, Query(ge=0, le=10_000)] = RATE,
) -> Response:
    """The part of the round's page that is asked for again and again, and a page of its own."""
    round_ = find_round(session, seat.project, round_id)
    shown = progress_shown(session, seat, round_, rate=rate)
    return page(request, "judging/progress.html", seat=seat, round=round_, **shown)


def progress_shown(session: Session, seat: Seat, round_: Round, *, rate: float = RATE) -> dict[str, Any]:
    """How long single people take stays hidden from a lead who judges beside them."""
    progress, judging = progress_of(session, round_), still_judged(session, seat)
    return {
        "progress": progress,
        "labellers": progress_by_labeller(session, round_),
        "pace": pace_of(session, progress, rate=rate),
        "judging": judging,
        "seconds": {} if judging else seconds_by_labeller(session, round_),
    }


@router.post("/rounds/{round_id}/closure")
def close(session: SessionDep, seat: LeadSeat, round_id: str) -> Response:
    close_round(session, find_round(session, seat.project, round_id))
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.post("/rounds/{round_id}/reopening")
def reopen(session: SessionDep, seat: LeadSeat, keep_closed: Keeper, round_id: str) -> Response:
    reopen_round(session, find_round(session, seat.project, round_id), keep_closed=keep_closed)
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.get("/deals/{deal_id}")
def show_place(request: Request, session: SessionDep, seat: LeadSeat, deal_id: str) -> Response:
    return show_place_of(request, session, seat, find_deal(session, seat.project, deal_id))


@router.post("/deals/{deal_id}/labeller")
def pass_query_on(request: Request, session: SessionDep, seat: LeadSeat, deal_id: str, labeller: Text = "") -> Response:
    deal = find_deal(session, seat.project, deal_id)
    try:
        with session.begin_nested():
            pass_on(session, deal, to=labeller)
    except (FieldError, RuleError) as error:
        return show_place_of(request, session, seat, deal, error=error)
    return see(f"/projects/{seat.project.id}/rounds/{deal.round_id}")


def show_place_of(
    request: Request, session: Session, seat: Seat, deal: Deal, *, error: DomainError | None = None
) -> Response:
    round_ = find_round(session, seat.project, deal.round_id)
    query = session.get_one(CorpusQuery, (seat.project.id, deal.query_id))
    places = progress_by_query(session, round_)[query.qid]
    there = {each.labeller_id for each in places}
    return page(
        request,
        "judging/place.html",
        seat=seat,
        round=round_,
        query=query,
        place=next(each for each in places if each.deal_id == deal.id),
        labellers=[each for each in able_labellers(session, seat.project) if each.id not in there],
        error=error,
    )


@router.post("/rounds/{round_id}/qualifications")
def qualify_labeller(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    gate: GateAnswer,
    keep_closed: Keeper,
    round_id: str,
    labeller: Text = "",
    queries: Text = "",
) -> Response:
    round_ = find_round(session, seat.project, round_id)
    try:
        with session.begin_nested():
            wanted = whole_number(queries, "queries")
            qualify(session, round_, labeller=labeller, queries=wanted, gate_answer=gate)
    except (FieldError, RuleError) as error:
        return show_round_of(request, session, seat, round_, keep_closed=keep_closed, error=error)
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.post("/rounds/{round_id}/experts")
def give_expert_pairs(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    keep_closed: Keeper,
    round_id: str,
    expert: Text = "",
) -> Response:
    round_ = find_round(session, seat.project, round_id)
    refuse_while_judging(session, seat)
    try:
        with session.begin_nested():
            give_to_expert(session, round_, labeller=expert)
    except (FieldError, RuleError) as error:
        return show_round_of(request, session, seat, round_, keep_closed=keep_closed, error=error)
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.post("/rounds/{round_id}/queries")
def widen_round(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    gate: GateAnswer,
    keep_closed: Keeper,
    round_id: str,
    more: Text = "",
) -> Response:
    round_ = find_round(session, seat.project, round_id)
    try:
        with session.begin_nested():
            widen(session, seat, round_, queries=whole_number(more, "more") or 0, gate_answer=gate)
    except (FieldError, RuleError) as error:
        return show_round_of(request, session, seat, round_, keep_closed=keep_closed, error=error)
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.get("/rounds/{round_id}/assignments")
def export_assignments(
    request: Request, session: SessionDep, seat: LeadSeat, round_id: str, format: Layout = "csv"
) -> Response:
    round_ = find_round(session, seat.project, round_id)
    refuse_while_judging(session, seat)
    return assignments_file(request, round_, format)
