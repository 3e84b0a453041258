"""A project's history for scripts: the acts, newest first, and the head of their chain."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from app.db import Database, SessionDep
from app.history.queries import acts_shown
from app.history.telling import Told, tell
from app.judging.guards import SeeingLead
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute
from app.record.keeping import head_of
from app.record.leaving import each_line

router = APIRouter(route_class=CheckedRoute, tags=["history"], prefix="/projects/{project_id}/history")


class ActOut(BaseModel):
    number: int
    at: datetime
    who: str
    """A person's id, or `command`."""
    by: str
    """The name that the project knows them by."""
    token_id: str | None
    """Of the token that a script acted with."""
    act: str
    words: str
    facts: dict[str, Any]
    hash: str


class HistoryOut(BaseModel):
    """`number` and `head` are of the newest act of all, shown or not."""

    number: int
    head: str
    acts: list[ActOut]


@router.get("/record", response_class=StreamingResponse)
def export_record(request: Request, seat: SeeingLead) -> StreamingResponse:
    """The whole record, one act a line in JSON; `adjudge verify FILE` checks it anywhere."""
    return record_file(request, seat)


def record_file(request: Request, seat: Seat) -> StreamingResponse:
    database: Database = request.app.state.database
    lines = each_line(partial(database.session, writes=False), chain_id=seat.project.id)
    headers = {"Content-Disposition": 'attachment; filename="record.jsonl"'}
    return StreamingResponse(lines, media_type="application/jsonl; charset=utf-8", headers=headers)


@router.get("")
def show_history(
    session: SessionDep,
    seat: LeadSeat,
    who: Annotated[str, Query(max_length=100)] = "",
    act: Annotated[str, Query(max_length=100)] = "",
    before: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="Acts with a smaller number; 0: from the newest.")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> HistoryOut:
    """A lead who still judges gets no grades, decisions and releases."""
    number, head = head_of(session, seat.project.id)
    acts = tell(session, seat.project, acts_shown(session, seat, who=who, verb=act, before=before, limit=limit))
    return HistoryOut(number=number, head=head, acts=[act_out(each) for each in acts])


def act_out(told: Told) -> ActOut:
    act = told.act
    return ActOut(
        number=act.number,
        at=act.at,
        who=act.who,
        by=told.by,
        token_id=act.token_id,
        act=act.verb,
        words=told.words,
        facts=dict(told.facts),
        hash=act.hash,
    )
