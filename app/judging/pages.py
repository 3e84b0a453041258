"""The desk."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import InputError, RuleError
from app.judging.answer_pages import MOST_AHEAD, show_again, show_done, show_next, show_pair, show_refused
from app.judging.asking import ask
from app.judging.claiming import claim_next
from app.judging.desk import due_round, next_pair, pairs_ahead, shown_pair
from app.judging.grading import Press, RoundClosed, record, set_aside
from app.judging.guards import InHand, OwnAssignment, whole_seat
from app.judging.keys import shown_with
from app.judging.queries import find_round
from app.judging.sheets import sheets_of
from app.judging.taking_back import Lost, take_back
from app.judging.work import given_grades
from app.one_thread import OneThreadRoute
from app.projects.guards import LabellerSeat
from app.web import page, see

router = APIRouter(route_class=OneThreadRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]
MOST_TEXT_AHEAD = 1_000_000
"""Characters in one answer to a browser that asks for pairs ahead."""


# The desk


@router.get("/desk")
def show_desk(
    request: Request, session: SessionDep, seat: LabellerSeat, go_on: Annotated[str, Query()] = ""
) -> Response:
    """With `go_on` the page takes the next query of a claimed round by itself: the one before was just finished."""
    shown = next_pair(session, seat)
    if shown is None:
        return show_done(request, session, seat, goes_on=bool(go_on))
    last = given_grades(session, seat, limit=1)
    return show_pair(request, session, seat, shown, saved=Press(last[0].level, last[0].reason, "") if last else None)


@router.get("/desk/ahead")
def show_ahead(
    request: Request, session: SessionDep, seat: LabellerSeat, skip: Annotated[int, Query(ge=0, le=MOST_AHEAD)] = 0
) -> Response:
    """The pairs that come next, for a browser to hold in memory: of the round that is due, in the order in which they
    were dealt, without the first `skip` of them. Long texts end the answer early; the browser asks again.
    """
    if request.headers.get("hx-request") != "true":
        return see(f"/projects/{seat.project.id}/desk")
    round_id, sheets, text = due_round(session, seat), [], 0
    if round_id is not None:
        pairs = pairs_ahead(session, seat, round_id, skip=skip, limit=MOST_AHEAD - skip)
        for sheet in sheets_of(session, seat, pairs):
            sheets.append(sheet)
            text += sheet.pair.size
            if text >= MOST_TEXT_AHEAD:
                break
    return page(request, "judging/ahead.html", seat=seat, sheets=sheets)


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
    at_hand: InHand,
    level: Annotated[int | None, Form()] = None,
    reason: Annotated[str | None, Form()] = None,
    rationale: Annotated[str | None, Form()] = None,
    key: Text = "",
    revision: Annotated[int, Form()] = -1,
    active_ms: Annotated[int | None, Form()] = None,
    next_id: Text = "",
    next_key: Text = "",
    holds: Annotated[int | None, Form(ge=0)] = None,
) -> Response:
    """`next_id` and `next_key` are of the pair that the browser would show next, `holds` counts those in its memory."""
    press = Press(level, reason, None if rationale is None else plain(rationale))
    seat, asked = at_hand
    try:
        held = take_back(session, whole_seat(request, session), asked) if isinstance(asked, Lost) else asked
    except RuleError as error:
        return show_refused(request, whole_seat(request, session), error, press=press)
    try:
        record(
            session,
            held,
            press,
            key=key,
            revision=revision,
            text_hash=shown_with(key),
            origin="browser",
            active_ms=active_ms,
        )
    except (RuleError, InputError) as error:
        shown, whole = shown_pair(session, seat, held.id), whole_seat(request, session)
        return show_again(request, session, whole, shown, error=error, press=press)
    in_hand = next_id, shown_with(next_key)
    return show_next(request, session, seat, round_id=held.round_id, saved=press, in_hand=in_hand, holds=holds)


@router.post("/judging/{assignment_id}/later")
def put_off(
    request: Request,
    session: SessionDep,
    seat: LabellerSeat,
    held: OwnAssignment,
    next_id: Text = "",
    next_key: Text = "",
) -> Response:
    set_aside(session, held)
    in_hand = next_id, shown_with(next_key)
    return show_next(request, session, seat, round_id=held.round_id, in_hand=in_hand, told="For later")


@router.post("/judging/{assignment_id}/question")
def ask_leads(
    request: Request,
    session: SessionDep,
    seat: LabellerSeat,
    held: OwnAssignment,
    question: Text = "",
    next_id: Text = "",
    next_key: Text = "",
) -> Response:
    try:
        ask(session, held, question)
    except (RuleError, InputError) as error:
        return show_again(request, session, seat, shown_pair(session, seat, held.id), error=error, press=None)
    in_hand = next_id, shown_with(next_key)
    return show_next(request, session, seat, round_id=held.round_id, in_hand=in_hand, told="Asked, and set aside")


@router.post("/rounds/{round_id}/claims")
def claim(request: Request, session: SessionDep, seat: LabellerSeat, round_id: str) -> Response:
    desk = f"/projects/{seat.project.id}/desk"
    try:
        claim_next(session, seat, find_round(session, seat.project, round_id))
    except RuleError as error:
        return show_done(request, session, seat, error=error, refused_in=round_id)
    is_htmx = request.headers.get("hx-request") == "true"
    return Response(headers={"HX-Redirect": desk}) if is_htmx else see(desk)


def plain(text: str) -> str:
    """A browser sends line ends as two characters, whatever was typed."""
    return text.replace("\r\n", "\n").strip()
