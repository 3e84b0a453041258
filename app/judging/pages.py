"""The desk."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.db import SessionDep
from app.errors import DomainError, InputError, RuleError
from app.judging.asking import ask
from app.judging.claiming import Lost, claim_next, open_claims, take_back
from app.judging.desk import (
    Shown,
    coming,
    due_round,
    given_grades,
    levels_shown,
    next_pair,
    own_rounds,
    own_times,
    pairs_ahead,
    rubric_shown,
    shown_pair,
)
from app.judging.grading import Press, RoundClosed, record, set_aside
from app.judging.guards import InHand, OwnAssignment, whole_seat
from app.judging.keys import shown_with
from app.judging.practising import practice_of
from app.judging.queries import find_round
from app.judging.sheets import sheet_of, sheet_with, sheets_of
from app.one_thread import OneThreadRoute
from app.projects.guards import LabellerSeat, Seat, Sitting
from app.rubrics.models import Rubric, Ruling
from app.rubrics.queries import rulings_of
from app.web import Late, let_pictures, page, see

router = APIRouter(route_class=OneThreadRoute, include_in_schema=False, prefix="/projects/{project_id}")
Text = Annotated[str, Form()]
MOST_AHEAD = 60
"""Pairs that a browser holds in memory, the one in sight among them: enough for an outage of minutes."""
MOST_TEXT_AHEAD = 1_000_000
"""Characters in one answer to a browser that asks for pairs ahead."""
MOST_TEXT_BESIDE = 50_000
"""Characters of the pair that comes along with an acknowledgement; a longer one is asked for when nobody waits."""


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
    return show_next(
        request, session, seat, round_id=held.round_id, saved=None, in_hand=(next_id, shown_with(next_key))
    )


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
    return show_next(request, session, seat, round_id=held.round_id, saved=None, in_hand=in_hand)


def show_next(
    request: Request,
    session: SessionDep,
    seat: Sitting,
    *,
    round_id: str,
    saved: Press | None,
    in_hand: tuple[str, str],
    holds: int | None = None,
) -> Response:
    """The answer to what was pressed: that it was kept, and the next pair, unless that is `in_hand`: the browser holds
    it, with the text that it has now.

    Another round, under another rubric perhaps, begins with a page of its own; so does the end, and so does everything
    where no script runs.
    """
    desk = f"/projects/{seat.project.id}/desk"
    if request.headers.get("hx-request") != "true":
        return see(desk)
    skip = holds if holds is not None and holds < MOST_AHEAD else None
    comes = coming(session, seat, round_id, in_hand=in_hand, skip=skip)
    if comes.due is None or comes.due[0].round_id != round_id:
        return Response(headers={"HX-Redirect": desk if comes.due else f"{desk}?go_on=yes"})
    due, place = comes.due
    is_in_hand = in_hand == (due.id, due.text_hash)
    # A long text is asked for when nobody waits.
    brings = comes.ahead is not None and comes.ahead[0].size <= MOST_TEXT_BESIDE
    answer = partial(
        page,
        request,
        "judging/answer.html",
        seat=seat,
        due=due,
        place=place,
        sheet=None if is_in_hand else sheet_with(session, seat, due, place),
        ahead=sheet_with(session, seat, *comes.ahead) if brings and comes.ahead else None,
        saved=saved,
        pair=None,
        error=None,
        press=None,
    )
    return Late(answer)


def show_again(
    request: Request, session: SessionDep, seat: Seat, shown: Shown, *, error: DomainError, press: Press | None
) -> Response:
    """The same pair as it is by now, with what was pressed and why that was not kept."""
    if shown.closed_at is not None:
        return show_refused(request, seat, error, press=press, pair=shown)
    return show_pair(request, session, seat, shown, error=error, press=press)


def show_refused(
    request: Request, seat: Seat, error: DomainError, *, press: Press | None, pair: Shown | None = None
) -> Response:
    """What was pressed, and why it can't be kept any more; the pair too, where it is still the labeller's."""
    return page(request, "judging/closed.html", seat=seat, error=error, press=press, pair=pair)


def show_pair(
    request: Request,
    session: SessionDep,
    seat: Seat,
    shown: Shown,
    *,
    saved: Press | None = None,
    error: DomainError | None = None,
    press: Press | None = None,
) -> Response:
    """The whole desk, or for its script the pair alone."""
    let_pictures(request, seat.project.picture_hosts)
    sheet = sheet_of(session, seat, shown)
    said: dict[str, Any] = {"pair": shown, "place": sheet.place, "saved": saved, "error": error, "press": press}
    if request.headers.get("hx-request") == "true":
        return page(request, "judging/answer.html", seat=seat, due=shown, sheet=sheet, ahead=None, **said)
    levels = levels_shown(session, seat, shown.rubric_id)
    return page(
        request,
        "judging/desk.html",
        seat=seat,
        sheet=sheet,
        levels=levels,
        practice=practice_of(levels),
        rubric=rubric_shown(session, seat, shown.rubric_id),
        rulings=desk_rulings(session, seat, shown.rubric_id),
        times=own_times(session, seat, shown.round_id),
        rationale=(press and press.rationale) or shown.rationale or "",
        reasons=REASON_KEYS,
        **said,
    )


def desk_rulings(session: Session, seat: Seat, rubric_id: str) -> Sequence[Ruling]:
    return rulings_of(session, seat.project.id, session.get_one(Rubric, (seat.project.id, rubric_id)).family)


def show_done(
    request: Request,
    session: SessionDep,
    seat: Seat,
    *,
    goes_on: bool = False,
    error: DomainError | None = None,
    refused_in: str = "",
) -> Response:
    claims = [each for each in open_claims(session, seat) if each.id != refused_in]
    return page(
        request,
        "judging/done.html",
        seat=seat,
        rounds=own_rounds(session, seat),
        claims=claims,
        goes_on=goes_on and bool(claims),
        error=error,
    )


@router.post("/rounds/{round_id}/claims")
def claim(request: Request, session: SessionDep, seat: LabellerSeat, round_id: str) -> Response:
    desk = f"/projects/{seat.project.id}/desk"
    try:
        claim_next(session, seat, find_round(session, seat.project, round_id))
    except RuleError as error:
        return show_done(request, session, seat, error=error, refused_in=round_id)
    is_htmx = request.headers.get("hx-request") == "true"
    return Response(headers={"HX-Redirect": desk}) if is_htmx else see(desk)


REASON_KEYS = (
    ("wrong language", "w"),
    ("broken", "b"),
    ("needs expertise", "e"),
    ("query unclear", "q"),
    ("other", "o"),
)
"""Letters, since a digit is always a level."""


def plain(text: str) -> str:
    """A browser sends line ends as two characters, whatever was typed."""
    return text.replace("\r\n", "\n").strip()
