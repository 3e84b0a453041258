"""Rounds: opening, progress, closing and opening again."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast, get_args

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.corpora.models import Query as CorpusQuery
from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.judging.api import assignments_file
from app.judging.asking import count_questions
from app.judging.choosing import AGREEMENT_QUERIES, outlook, read_qids
from app.judging.claiming import IDLE_MINUTES, idle_claims, may_claim
from app.judging.closing import KeepClosed, close_round, reopen_round, what_keeps_it_closed
from app.judging.dealing import open_round, widen
from app.judging.guards import GateAnswer, Keeper, still_judged
from app.judging.lots import checked_seed
from app.judging.models import Deal, Round
from app.judging.pacing import pace_of
from app.judging.planning import MAIN_OVERLAP, Kind, Plan, able_labellers, plan_round
from app.judging.queries import (
    count_changed,
    find_round,
    grades_by_origin,
    progress_by_labeller,
    progress_by_query,
    progress_by_round,
    progress_of,
    seconds_by_labeller,
)
from app.judging.reassigning import find_deal, pass_on, qualify
from app.pools.drawing import RATE
from app.pools.models import Pool
from app.pools.queries import pools_of, required_pool
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute, number, whole_number
from app.rubrics.models import Rubric
from app.rubrics.queries import published_rubric
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]


@router.get("/rounds")
def show_rounds(
    request: Request, session: SessionDep, seat: LeadSeat, gate: GateAnswer, pool: Annotated[str, Query()] = ""
) -> Response:
    return show_rounds_of(request, session, seat, gate=gate, pool_id=pool)


@router.post("/rounds")
def open_new(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    gate: GateAnswer,
    kind: Text = "",
    pool: Text = "",
    queries: Text = "",
    qids: Text = "",
    seed: Text = "",
    way: Text = "dealt",
    labellers: Annotated[Sequence[str], Form()] = (),
    idle_minutes: Text = "",
    overlap: Text = "",
    repeats: Text = "",
    quiz: Text = "",
    is_warned: Text = "",
    looks: Text = "",
) -> Response:
    """With `looks` nothing is opened, and the page says what the round would be."""
    typed = {
        "kind": kind,
        "queries": queries,
        "qids": qids,
        "seed": seed,
        "way": way,
        "labellers": labellers,
        "idle_minutes": idle_minutes,
        "overlap": overlap,
        "repeats": repeats,
        "quiz": quiz,
        "is_warned": is_warned,
    }
    chosen = read_qids(session, seat.project, qids)
    try:
        wanted: dict[str, Any] = {
            "kind": checked_kind(kind),
            "pool": required_pool(session, seat.project.id, pool or None),
            "queries": chosen or whole_number(queries, "queries"),
            "seed": whole_number(seed, "seed"),
            "labellers": labellers,
            "idle_minutes": idle(way, idle_minutes),
            "overlap": share(overlap, "overlap", usual=MAIN_OVERLAP),
            "repeats": share(repeats, "repeats", usual=0.0),
            "quiz": whole_number(quiz, "quiz") or 0,
        }
        if looks:
            plan = plan_round(session, seat.project, **wanted)
            typed["seed"] = str(plan.seed)
            return show_rounds_of(request, session, seat, gate=gate, pool_id=pool, typed=typed, plan=plan)
        round_ = open_round(session, seat, **wanted, gate_answer=gate, is_warned=bool(is_warned))
    except (RuleError, FieldError) as error:
        return show_rounds_of(request, session, seat, gate=gate, pool_id=pool, error=error, typed=typed)
    asked = "" if chosen or kind != "agreement" else f"?asked={queries.strip() or AGREEMENT_QUERIES}"
    return see(f"/projects/{seat.project.id}/rounds/{round_.id}{asked}")


def checked_kind(kind: str) -> Kind:
    if kind not in get_args(Kind):
        raise FieldError("kind", f"A round is one of {', '.join(get_args(Kind))}.", "Use the buttons of this page.")
    return cast("Kind", kind)


def idle(way: str, minutes: str) -> int | None:
    """Of a claimed round: after how long a claim returns."""
    return None if way != "claimed" else whole_number(minutes, "idle_minutes") or IDLE_MINUTES


def share(text: str, field: str, *, usual: float) -> float:
    """A share typed in percent; the usual one where nothing was typed."""
    percent = number(text.strip().removesuffix("%"), field)
    return usual if percent is None else percent / 100


def show_rounds_of(
    request: Request,
    session: SessionDep,
    seat: Seat,
    *,
    gate: str | None,
    pool_id: str,
    error: DomainError | None = None,
    typed: Mapping[str, Any] | None = None,
    plan: Plan | None = None,
) -> Response:
    rubric = published_rubric(session, seat.project.id)
    pools = [pool for pool, _ in pools_of(session, seat.project.id) if pool.source != "grades"]
    pool = next((each for each in pools if each.id == pool_id), pools[0] if pools else None)
    labellers = able_labellers(session, seat.project)
    usual = {
        "queries": str(AGREEMENT_QUERIES),
        "qids": "",
        "seed": str(checked_seed(None)),
        "way": "dealt",
        "labellers": [member.id for member in labellers if member.role == "labeller"],
        "idle_minutes": str(IDLE_MINUTES),
        "overlap": f"{100 * MAIN_OVERLAP:.0f}",
        "repeats": "",
        "quiz": "",
        "is_warned": "",
    }
    return page(
        request,
        "judging/rounds.html",
        seat=seat,
        rounds=progress_by_round(session, seat.project),
        rubric=rubric,
        pools=pools,
        pool=pool,
        outlook=outlook(session, rubric, pool) if rubric and pool else None,
        labellers=labellers,
        gate=gate,
        judging=still_judged(session, seat),
        questions=count_questions(session, seat.project.id),
        error=error,
        forms={kind: typed if typed and typed["kind"] == kind else usual for kind in get_args(Kind)},
        typed_kind=typed["kind"] if typed else "",
        plan=plan,
    )


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
        free=sum(place.name is None for places in queries.values() for place in places),
        idle=idle_claims(session, round_) if round_.is_claimed else [],
        origins=grades_by_origin(session, round_),
        changed=count_changed(session, round_),
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
    keep_closed: Keeper,
    round_id: str,
    labeller: Text = "",
    queries: Text = "",
) -> Response:
    round_ = find_round(session, seat.project, round_id)
    try:
        with session.begin_nested():
            qualify(session, round_, labeller=labeller, queries=whole_number(queries, "queries"))
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
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    round_id: str,
    format: Annotated[Literal["csv", "tsv", "spreadsheet"], Query()] = "csv",
) -> Response:
    return assignments_file(request, find_round(session, seat.project, round_id), format)
