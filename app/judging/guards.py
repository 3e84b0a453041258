"""Who may see what of a round: one's own assignments, and what was found only while one does not judge."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import Session

from app.db import SAFE_METHODS, SessionDep
from app.errors import NotThere, RuleError
from app.judging.closing import KeepClosed
from app.judging.grading import HELD, HELD_COLUMNS, LOCKED, Held
from app.judging.models import Assignment, Round
from app.judging.taking_back import Lost, Taken, find_lost, take_back
from app.people.guards import let_in, secret_hash
from app.people.models import Person, SignIn
from app.people.signing_in import STANDING, Standing
from app.prepared import Prepared
from app.projects.guards import (
    IS_IN,
    LABELLING,
    LabellerSeat,
    LeadSeat,
    ReaderSeat,
    Seat,
    Sitting,
    seat_in,
    seated_to_label,
)
from app.projects.models import Member, Project


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


class AtHand(NamedTuple):
    """What somebody at the desk has just pressed a key for."""

    seat: Sitting
    asked: Held | Lost


class BareProject(NamedTuple):
    """No more of a project than the desk needs."""

    id: str
    picture_field: str
    picture_hosts: list[str]


class BareMember(NamedTuple):
    """Of a member, who it is."""

    id: str


@dataclass(frozen=True)
class BareSeat:
    """The seat of somebody at the desk."""

    project: BareProject
    member: BareMember


def at_hand(request: Request, session: SessionDep, project_id: str, assignment_id: str) -> AtHand:
    """A labeller's seat and the assignment of the address, locked, in one statement. In every case but the ordinary one
    the guards of seat and assignment are asked: they know what to say.
    """
    which = {"secret_hash": secret_hash(request), "project": project_id, "id": assignment_id}
    row = AT_HAND.row(session, which)
    if row is not None:
        held, standing, role = Held._make(row[:5]), Standing._make(row[5:11]), row[11]
        if role in LABELLING and let_in(request, session, standing):
            return AtHand(BareSeat(BareProject._make(row[12:]), BareMember(held.labeller_id)), held)
    seat = seated_to_label(request, session, project_id)
    return AtHand(seat, asked_assignment(request, session, seat, assignment_id))


at_hand.adjudge_roles = LABELLING  # type: ignore[attr-defined]  # As a seat's.


def whole_seat(request: Request, session: Session) -> Seat:
    """The asker's, for a page that shows more than the answer to a grade."""
    return seat_in(request, session, request.path_params["project_id"])


InHand = Annotated[AtHand, Depends(at_hand)]
AT_HAND = Prepared(
    HELD_COLUMNS.add_columns(*STANDING, Member.role, Project.id, Project.picture_field, Project.picture_hosts)
    .select_from(SignIn)
    .join(Person, Person.id == SignIn.person_id)
    .join(Member, and_(IS_IN, Member.person_id == Person.id))
    .join(Project, Project.id == Member.project_id)
    .join(Assignment, and_(Assignment.project_id == Member.project_id, Assignment.labeller_id == Member.id))
    .where(SignIn.secret_hash == bindparam("secret_hash"), Assignment.id == bindparam("id"))
    .with_for_update(of=Assignment)
)


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
