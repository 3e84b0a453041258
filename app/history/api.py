"""A project's history for scripts: the acts, newest first, and the head of their chain."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from app.db import SessionDep
from app.history.queries import acts_shown
from app.history.telling import Told, tell
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute
from app.record.keeping import head_of

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
