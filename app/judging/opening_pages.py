"""The rounds of a project, and opening one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, cast, get_args

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.db import SessionDep
from app.errors import DomainError, FieldError, RuleError
from app.judging.asking import count_questions
from app.judging.choosing import AGREEMENT_QUERIES, outlook, read_qids
from app.judging.claiming import IDLE_MINUTES
from app.judging.dealing import open_round
from app.judging.guards import GateAnswer, still_judged
from app.judging.lots import checked_seed
from app.judging.planning import MAIN_OVERLAP, Kind, Plan, Wanted, able_labellers, plan_round
from app.judging.queries import progress_by_round
from app.pools.queries import pools_of, required_pool
from app.projects.guards import LeadSeat, Seat
from app.projects.models import Member
from app.reading import CheckedRoute, number, whole_number
from app.rubrics.queries import published_rubric
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rounds")
Text = Annotated[str, Form()]


@dataclass(frozen=True)
class Typed:
    """The form as it was sent."""

    kind: Text = ""
    pool: Text = ""
    queries: Text = ""
    qids: Text = ""
    seed: Text = ""
    way: Text = "dealt"
    labellers: Annotated[Sequence[str], Form()] = ()
    idle_minutes: Text = ""
    overlap: Text = ""
    repeats: Text = ""
    quiz: Text = ""
    is_warned: Text = ""


@router.get("")
def show_rounds(
    request: Request, session: SessionDep, seat: LeadSeat, gate: GateAnswer, pool: Annotated[str, Query()] = ""
) -> Response:
    return show_rounds_of(request, session, seat, gate=gate, pool_id=pool)


@router.post("")
def open_new(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    gate: GateAnswer,
    typed: Annotated[Typed, Depends()],
    looks: Text = "",
) -> Response:
    """With `looks` nothing is opened, and the page says what the round would be."""
    chosen = read_qids(session, seat.project, typed.qids)
    try:
        wanted = read_wanted(session, seat, typed, chosen=chosen)
        if looks:
            plan = plan_round(session, seat.project, wanted)
            typed = replace(typed, seed=str(plan.seed))
            return show_rounds_of(request, session, seat, gate=gate, pool_id=typed.pool, typed=typed, plan=plan)
        round_ = open_round(session, seat, wanted, gate_answer=gate, is_warned=bool(typed.is_warned))
    except (RuleError, FieldError) as error:
        return show_rounds_of(request, session, seat, gate=gate, pool_id=typed.pool, typed=typed, error=error)
    is_drawn = round_.kind == "agreement" and not chosen
    asked = f"?asked={typed.queries.strip()}" if is_drawn else ""
    return see(f"/projects/{seat.project.id}/rounds/{round_.id}{asked}")


def read_wanted(session: Session, seat: Seat, typed: Typed, *, chosen: Sequence[str]) -> Wanted:
    """FieldError at the first field that can't be read. `chosen` qids stand in for the number of queries."""
    return Wanted(
        kind=checked_kind(typed.kind),
        pool=required_pool(session, seat.project.id, typed.pool or None),
        queries=chosen or required_number(typed),
        seed=whole_number(typed.seed, "seed"),
        labellers=typed.labellers,
        idle_minutes=idle(typed.way, typed.idle_minutes),
        overlap=share(typed.overlap, "overlap", usual=MAIN_OVERLAP),
        repeats=share(typed.repeats, "repeats", usual=0.0),
        quiz=whole_number(typed.quiz, "quiz") or 0,
    )


def required_number(typed: Typed) -> int | None:
    """Of an agreement round's queries: to open one freezes the policy, so that an emptied field stands for nothing."""
    if typed.kind == "agreement" and not typed.queries.strip():
        raise FieldError("queries", "How many queries?", "Thirty or more give evidence; or choose single ones.")
    return whole_number(typed.queries, "queries")


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
    session: Session,
    seat: Seat,
    *,
    gate: str | None,
    pool_id: str,
    typed: Typed | None = None,
    error: DomainError | None = None,
    plan: Plan | None = None,
) -> Response:
    rubric = published_rubric(session, seat.project.id)
    pools = [pool for pool, _ in pools_of(session, seat.project.id) if pool.source != "grades"]
    pool = next((each for each in pools if each.id == pool_id), pools[0] if pools else None)
    labellers = able_labellers(session, seat.project)
    usual = usual_form(labellers)
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
        forms={kind: typed if typed and typed.kind == kind else usual for kind in get_args(Kind)},
        typed_kind=typed.kind if typed else "",
        plan=plan,
    )


def usual_form(labellers: Sequence[Member]) -> Typed:
    """As nobody has typed anything yet."""
    return Typed(
        queries=str(AGREEMENT_QUERIES),
        seed=str(checked_seed(None)),
        labellers=[member.id for member in labellers if member.role == "labeller"],
        idle_minutes=str(IDLE_MINUTES),
        overlap=f"{100 * MAIN_OVERLAP:.0f}",
    )
