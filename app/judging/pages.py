"""The desk, and one's own work."""

import re
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep, new_id
from app.errors import DomainError, InputError, RuleError
from app.judging.desk import Shown, given_grades, levels_shown, next_pair, own_rounds, place_of, shown_pair
from app.judging.grading import Press, RoundClosed, record, set_aside
from app.judging.guards import OwnAssignment
from app.projects.guards import LabellerSeat, Seat
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
