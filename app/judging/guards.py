"""Who may see what of a round: one's own assignments, and what was found only while one does not judge."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import SAFE_METHODS, SessionDep
from app.errors import NotThere, RuleError
from app.judging.claiming import Lost, Taken, find_lost, take_back
from app.judging.closing import KeepClosed
from app.judging.grading import HELD, LOCKED, Held
from app.judging.models import Assignment, Round
from app.projects.guards import LabellerSeat, LeadSeat, ReaderSeat, Seat
from app.projects.models import Project


def asked_assignment(request: Request, session: SessionDep, seat: LabellerSeat, assignment_id: str) -> Held | Lost:
    """The assignment of the address, for nobody but its labeller; locked where the request may write. Lost where it is
    theirs no more.
    """
    which = {"project": seat.project.id, "id": assignment_id, "labeller": seat.member.id}
    row = session.connection().execute(HELD if request.method in SAFE_METHODS else LOCKED, which).one_or_none()
    if row is not None:
        return Held._make(row)
    lost = find_lost(session, seat, assignment_id)
    if lost is None:
        raise NotThere
    return lost


AskedAssignment = Annotated[Held | Lost, Depends(asked_assignment)]
"""The labeller's own, now or before."""


def own_assignment(request: Request, session: SessionDep, seat: LabellerSeat, asked: AskedAssignment) -> Held:
    """Their own; what they lost meanwhile becomes theirs again where a place is free."""
    if isinstance(asked, Held):
        return asked
    if request.method in SAFE_METHODS:
        raise Taken("You were away for long, so that this query was given back.", "Go on at the desk.")
    return take_back(session, seat, asked)


OwnAssignment = Annotated[Held, Depends(own_assignment)]


def still_judged(session: Session, seat: Seat) -> list[int]:
    """Numbers of the open rounds in which the member has assignments, graded or not: each could still be changed."""
    theirs = select(Assignment.id).where(
        Assignment.project_id == Round.project_id,
        Assignment.round_id == Round.id,
        Assignment.labeller_id == seat.member.id,
    )
    is_open = (Round.project_id == seat.project.id) & Round.closed_at.is_(None)
    return list(session.scalars(select(Round.number).where(is_open, theirs.exists()).order_by(Round.number)))


def refuse_while_judging(session: Session, seat: Seat) -> Seat:
    numbers = still_judged(session, seat)
    if numbers:
        rounds = " and ".join(f"round {number}" for number in numbers)
        raise RuleError(
            f"You still judge in {rounds}: what others gave, and how the runs did, stays hidden from you until then.",
            "Come back when the round is closed, or let a lead who does not judge in it look.",
            conditions=["blindness"],
            rounds=numbers,
        )
    return seat


def seeing_lead(session: SessionDep, seat: LeadSeat) -> Seat:
    return refuse_while_judging(session, seat)


def seeing_reader(session: SessionDep, seat: ReaderSeat) -> Seat:
    return refuse_while_judging(session, seat)


SeeingLead = Annotated[Seat, Depends(seeing_lead)]
"""A lead who judges in no open round: may see grades, agreement and scores."""
SeeingReader = Annotated[Seat, Depends(seeing_reader)]
"""A lead or reader who judges in no open round."""


def gate_answer(request: Request, session: SessionDep, seat: LeadSeat) -> str | None:
    """What the gate says of the newest rubric's family, for whoever opens a main round: `app.main` puts the verb of
    the later slice into the application's state. None where there is none, and for a lead who still judges: the
    answer would tell something of the others' grades.
    """
    ask: Callable[[Session, Project], str] | None = getattr(request.app.state, "answer_gate", None)
    return None if ask is None or still_judged(session, seat) else ask(session, seat.project)


GateAnswer = Annotated[str | None, Depends(gate_answer)]


def keeper(request: Request, _seat: LeadSeat) -> KeepClosed:
    """What keeps a round closed for good, as app/main.py has put it into the application's state."""
    keep_closed: KeepClosed = request.app.state.keep_closed
    return keep_closed


Keeper = Annotated[KeepClosed, Depends(keeper)]
