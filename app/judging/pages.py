"""The desk, one's own work, and the rounds of a lead."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast, get_args

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.db import SessionDep, new_id
from app.errors import DomainError, FieldError, InputError, RuleError
from app.judging.choosing import AGREEMENT_QUERIES, outlook
from app.judging.closing import close_round, reopen_round
from app.judging.dealing import MAIN_OVERLAP, Kind, able_labellers, open_round
from app.judging.desk import Shown, given_grades, levels_shown, next_pair, own_rounds, place_of, shown_pair
from app.judging.grading import Press, RoundClosed, record, set_aside
from app.judging.guards import GateAnswer, Keeper, OwnAssignment
from app.judging.lots import checked_seed
from app.judging.queries import (
    count_changed,
    find_round,
    grades_by_origin,
    progress_by_labeller,
    progress_by_query,
    progress_by_round,
)
from app.pools.models import Pool
from app.pools.queries import pools_of, required_pool
from app.projects.guards import LabellerSeat, LeadSeat, Seat
from app.rubrics.models import Rubric
from app.rubrics.queries import published_rubric
from app.web import page, see

router = APIRouter(include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]
LAST = 10
HISTORY = 50


# The desk


@router.get("/desk")
def show_desk(request: Request, session: SessionDep, seat: LabellerSeat) -> Response:
    shown = next_pair(session, seat)
    if shown is None:
        return page(request, "judging/done.html", seat=seat, rounds=own_rounds(session, seat))
    last = given_grades(session, seat, limit=1)
    return show_pair(request, session, seat, shown, saved=Press(last[0].level, last[0].reason, "") if last else None)


@router.get("/desk/{assignment_id}")
def show_own_pair(request: Request, session: SessionDep, seat: LabellerSeat, held: OwnAssignment) -> Response:
    shown = shown_pair(session, seat, held.id)
    if shown.closed_at is not None:
        raise RoundClosed("This round was closed, so that its grades stay as they are.", "Go on at the desk.")
    return show_pair(request, session, seat, shown)


@router.post("/judging/{assignment_id}/grade")
def grade(
    request: Request,
    session: SessionDep,
    seat: LabellerSeat,
    held: OwnAssignment,
    level: Annotated[int | None, Form()] = None,
    reason: Annotated[str | None, Form()] = None,
    rationale: Text = "",
    key: Text = "",
    revision: Annotated[int, Form()] = -1,
    text_hash: Text = "",
) -> Response:
    press = Press(level, reason, plain(rationale))
    try:
        record(session, held, press, key=key, revision=revision, text_hash=text_hash, origin="browser")
    except (RuleError, InputError) as error:
        return show_again(request, session, seat, shown_pair(session, seat, held.id), error=error, press=press)
    return show_next(request, session, seat, round_id=held.round_id, saved=press)


@router.post("/judging/{assignment_id}/later")
def put_off(request: Request, session: SessionDep, seat: LabellerSeat, held: OwnAssignment) -> Response:
    set_aside(session, held)
    return show_next(request, session, seat, round_id=held.round_id, saved=None)


def show_next(request: Request, session: SessionDep, seat: Seat, *, round_id: str, saved: Press | None) -> Response:
    """The desk with the next pair, as the answer to what was pressed. Another round, under another rubric perhaps,
    begins with a page of its own; so does the end, and so does everything where no script runs.
    """
    desk = f"/projects/{seat.project.id}/desk"
    if request.headers.get("hx-request") != "true":
        return see(desk)
    shown = next_pair(session, seat)
    if shown is None or shown.round_id != round_id:
        return Response(headers={"HX-Redirect": desk})
    answer = show_pair(request, session, seat, shown, saved=saved)
    answer.headers["HX-Replace-Url"] = desk
    return answer


def show_again(
    request: Request, session: SessionDep, seat: Seat, shown: Shown, *, error: DomainError, press: Press
) -> Response:
    """The same pair as it is by now, with what was pressed and why that was not kept."""
    if shown.closed_at is not None:
        return page(request, "judging/closed.html", status=error.status, seat=seat, error=error)
    return show_pair(request, session, seat, shown, status=error.status, error=error, press=press)


def show_pair(
    request: Request,
    session: SessionDep,
    seat: Seat,
    shown: Shown,
    *,
    status: int = 200,
    saved: Press | None = None,
    error: DomainError | None = None,
    press: Press | None = None,
) -> Response:
    """`key` is new with every rendering: what is sent under it twice is one grade."""
    return page(
        request,
        "judging/desk.html",
        status=status,
        seat=seat,
        pair=shown,
        place=place_of(session, seat, shown),
        levels=levels_shown(session, seat, shown.rubric_id),
        key=new_id() + new_id(),
        paragraphs=paragraphs_of(shown.text),
        words=len(shown.text.split()),
        link=web_address(shown.url),
        link_words=re.sub(r"^https?://(www\.)?", "", shown.url).rstrip("/"),
        rationale=press.rationale if press else shown.rationale or "",
        saved=saved,
        error=error,
        press=press,
        reasons=REASON_KEYS,
    )


REASON_KEYS = (
    ("wrong language", "w"),
    ("broken", "b"),
    ("needs expertise", "e"),
    ("query unclear", "q"),
    ("other", "o"),
)
"""Letters, since a digit is always a level."""


def paragraphs_of(text: str) -> list[str]:
    """Parted at empty lines; a single line end stays one."""
    return [part.strip("\n") for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")) if part.strip()]


def web_address(url: str) -> str | None:
    """`url` where it leads to the web: a document must not bring a script along in its address."""
    return url if url.startswith(("https://", "http://")) else None


def plain(text: str) -> str:
    """A browser sends line ends as two characters, whatever was typed."""
    return text.replace("\r\n", "\n").strip()


# My work


@router.get("/work")
def show_work(request: Request, session: SessionDep, seat: LabellerSeat) -> Response:
    return page(
        request,
        "judging/work.html",
        seat=seat,
        rounds=own_rounds(session, seat),
        grades=given_grades(session, seat, limit=HISTORY),
    )


@router.get("/work/last")
def show_last(request: Request, session: SessionDep, seat: LabellerSeat) -> Response:
    """The last grades, for the desk."""
    return page(request, "judging/last.html", seat=seat, grades=given_grades(session, seat, limit=LAST))


# Rounds


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
    labellers: Annotated[Sequence[str], Form()] = (),
    overlap: Text = "",
    is_warned: Text = "",
) -> Response:
    try:
        round_ = open_round(
            session,
            seat,
            kind=checked_kind(kind),
            pool=required_pool(session, seat.project.id, pool or None),
            queries=qids.split() or whole_number(queries, "queries"),
            seed=whole_number(seed, "seed"),
            labellers=labellers,
            overlap=share(overlap),
            gate_answer=gate,
            is_warned=bool(is_warned),
        )
    except (RuleError, FieldError) as error:
        typed = {
            "kind": kind,
            "queries": queries,
            "qids": qids,
            "seed": seed,
            "labellers": labellers,
            "overlap": overlap,
            "is_warned": is_warned,
        }
        return show_rounds_of(
            request, session, seat, gate=gate, pool_id=pool, status=error.status, error=error, typed=typed
        )
    asked = "" if qids.split() or kind != "agreement" else f"?asked={queries.strip() or AGREEMENT_QUERIES}"
    return see(f"/projects/{seat.project.id}/rounds/{round_.id}{asked}")


def checked_kind(kind: str) -> Kind:
    if kind not in get_args(Kind):
        raise FieldError("kind", f"A round is one of {', '.join(get_args(Kind))}.", "Use the buttons of this page.")
    return cast("Kind", kind)


def whole_number(text: str, field: str) -> int | None:
    """None where nothing was typed."""
    if not text.strip():
        return None
    if not text.strip().isdecimal():
        raise FieldError(field, f"“{text[:80]}” is not a whole number.", "Write digits only.")
    return int(text)


def share(text: str) -> float:
    """A share typed in percent; the usual one where nothing was typed."""
    if not text.strip():
        return MAIN_OVERLAP
    try:
        return float(text.strip().removesuffix("%")) / 100
    except ValueError:
        raise FieldError("overlap", f"“{text[:80]}” is not a number.", "Write 10 for a tenth.") from None


def show_rounds_of(
    request: Request,
    session: SessionDep,
    seat: Seat,
    *,
    gate: str | None,
    pool_id: str,
    status: int = 200,
    error: DomainError | None = None,
    typed: Mapping[str, Any] | None = None,
) -> Response:
    rubric = published_rubric(session, seat.project.id)
    pools = [pool for pool, _ in pools_of(session, seat.project.id) if pool.source != "grades"]
    pool = next((each for each in pools if each.id == pool_id), pools[0] if pools else None)
    labellers = able_labellers(session, seat.project)
    usual = {
        "queries": str(AGREEMENT_QUERIES),
        "qids": "",
        "seed": str(checked_seed(None)),
        "labellers": [member.id for member in labellers if member.role == "labeller"],
        "overlap": f"{100 * MAIN_OVERLAP:.0f}",
        "is_warned": "",
    }
    return page(
        request,
        "judging/rounds.html",
        status=status,
        seat=seat,
        rounds=progress_by_round(session, seat.project),
        rubric=rubric,
        pools=pools,
        pool=pool,
        outlook=outlook(session, rubric, pool) if rubric and pool else None,
        labellers=labellers,
        gate=gate,
        error=error,
        forms={kind: typed if typed and typed["kind"] == kind else usual for kind in get_args(Kind)},
        typed_kind=typed["kind"] if typed else "",
    )


@router.get("/rounds/{round_id}")
def show_round(
    request: Request, session: SessionDep, seat: LeadSeat, round_id: str, asked: Annotated[int, Query()] = 0
) -> Response:
    """Counts only, never a level: a lead who judges in the round may look. `asked` is how many queries were wanted."""
    round_ = find_round(session, seat.project, round_id)
    return page(
        request,
        "judging/round.html",
        seat=seat,
        round=round_,
        asked=asked,
        rubric=session.get_one(Rubric, (seat.project.id, round_.rubric_id)),
        pool=session.get_one(Pool, (seat.project.id, round_.pool_id)),
        labellers=progress_by_labeller(session, round_),
        queries=progress_by_query(session, round_),
        origins=grades_by_origin(session, round_),
        changed=count_changed(session, round_),
    )


@router.post("/rounds/{round_id}/closure")
def close(session: SessionDep, seat: LeadSeat, round_id: str) -> Response:
    close_round(session, find_round(session, seat.project, round_id))
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")


@router.post("/rounds/{round_id}/reopening")
def reopen(session: SessionDep, seat: LeadSeat, keep_closed: Keeper, round_id: str) -> Response:
    reopen_round(session, find_round(session, seat.project, round_id), keep_closed=keep_closed)
    return see(f"/projects/{seat.project.id}/rounds/{round_id}")
