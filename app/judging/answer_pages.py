"""What the desk answers: the next pair, the same one again, a refusal, or that all is done."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.errors import DomainError
from app.judging.beside import levels_shown, rubric_shown
from app.judging.claiming import open_claims
from app.judging.coming import coming
from app.judging.desk import Shown, own_times
from app.judging.grading import Press
from app.judging.practising import practice_of
from app.judging.sheets import sheet_of, sheet_with
from app.judging.work import own_rounds
from app.projects.guards import Seat, Sitting
from app.rubrics.models import Rubric, Ruling
from app.rubrics.queries import rulings_of
from app.web import Late, let_pictures, page, see

MOST_AHEAD = 60
"""Pairs that a browser holds in memory, the one in sight among them: enough for an outage of minutes."""
MOST_TEXT_BESIDE = 50_000
"""Characters of the pair that comes along with an acknowledgement; a longer one is asked for when nobody waits."""
REASON_KEYS = (
    ("wrong language", "w"),
    ("broken", "b"),
    ("needs expertise", "e"),
    ("query unclear", "q"),
    ("other", "o"),
)
"""Letters, since a digit is always a level."""


def show_next(
    request: Request,
    session: Session,
    seat: Sitting,
    *,
    round_id: str,
    in_hand: tuple[str, str],
    saved: Press | None = None,
    told: str = "",
    holds: int | None = None,
) -> Response:
    """The answer to what was pressed: that it was kept, or what was `told` of it, and the next pair, unless that is
    `in_hand`: the browser holds it, with the text that it has now.

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
        told=told,
        pair=None,
        error=None,
        press=None,
    )
    return Late(answer)


def show_again(
    request: Request, session: Session, seat: Seat, shown: Shown, *, error: DomainError, press: Press | None
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
    session: Session,
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
    said: dict[str, Any] = {"pair": shown, "place": sheet.place, "saved": saved, "told": ""}
    said |= {"error": error, "press": press}
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
    session: Session,
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
