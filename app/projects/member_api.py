"""Members and invitations, for scripts."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app.db import SessionDep
from app.errors import NotThere
from app.people.signing_in import make_person
from app.projects.api import LONGEST_PASSWORD, Shape, refusal_without_password
from app.projects.guards import GivesBack, LeadSeat
from app.projects.issuing import issue_token
from app.projects.joining import find_invitation, invite, join, withdraw
from app.projects.leaving import change_role, declare, leave, rename_member
from app.projects.models import Invitation, Member
from app.projects.queries import emails_of, members_of, open_invitations
from app.reading import CheckedRoute
from app.web import address_of

router = APIRouter(route_class=CheckedRoute, tags=["members"])
MAKING_A_LEAD = "Making somebody a lead"


class MemberOut(BaseModel):
    """`email` is null for somebody outside, whose grades were brought in."""

    id: str
    name: str
    role: str
    email: str | None
    is_machine: bool
    """A program's grades count in no kappa, gate or release."""
    joined_at: datetime


class MemberChange(Shape):
    """What is left out stays. Another role ends the person's sign-ins and their tokens for this project. Making
    somebody a lead takes the `password` of the token's owner.
    """

    name: str | None = None
    role: str | None = None
    password: str = Field(default="", max_length=LONGEST_PASSWORD)
    is_machine: bool | None = None


class InvitationIn(Shape):
    """`role` is lead, labeller or reader; `note` says whom it is for. Inviting a lead takes the `password` of the
    token's owner.
    """

    role: str
    note: str
    password: str = Field(default="", max_length=LONGEST_PASSWORD)


class InvitationOut(BaseModel):
    id: str
    role: str
    note: str
    expires_at: datetime


class InvitationMade(InvitationOut):
    """`secret` and the `address` that holds it are told this once."""

    secret: str
    address: str


class AcceptanceIn(Shape):
    email: str
    name: str
    password: str


class AcceptanceOut(BaseModel):
    """The new member, and a token with the right to write in the project, which is told this once."""

    project_id: str
    member_id: str
    name: str
    role: str
    token: str


def member_of_address(session: SessionDep, seat: LeadSeat, member_id: str) -> Member:
    member = session.get(Member, (seat.project.id, member_id))
    if member is None or member.left_at is not None:
        raise NotThere
    return member


MemberRow = Annotated[Member, Depends(member_of_address)]


@router.get("/projects/{project_id}/members")
def list_members(session: SessionDep, seat: LeadSeat) -> list[MemberOut]:
    emails = emails_of(session, seat.project)
    return [member_out(member, emails.get(member.id)) for member in members_of(session, seat.project)]


@router.patch("/projects/{project_id}/members/{member_id}", response_model=MemberOut)
def change_member(
    request: Request, session: SessionDep, seat: LeadSeat, member: MemberRow, wanted: MemberChange
) -> MemberOut | Response:
    if wanted.role == "lead" and member.role != "lead":
        refusal = refusal_without_password(request, session, seat, password=wanted.password, step=MAKING_A_LEAD)
        if refusal is not None:
            return refusal
    if wanted.role is not None:
        change_role(session, seat.project, member, role=wanted.role)
    if wanted.name is not None:
        rename_member(session, seat.project, member, name=wanted.name)
    if wanted.is_machine is not None:
        declare(session, seat.project, member, is_machine=wanted.is_machine)
    return member_out(member, emails_of(session, seat.project).get(member.id))


@router.delete("/projects/{project_id}/members/{member_id}", status_code=204)
def let_go(session: SessionDep, seat: LeadSeat, member: MemberRow, give_back: GivesBack) -> None:
    """What a labeller graded stays, under a pseudonym such as Labeller 3; what they have not graded goes back. What a
    lead decided stays under their name.
    """
    leave(session, seat.project, member, give_back=give_back)


@router.get("/projects/{project_id}/invitations")
def list_invitations(session: SessionDep, seat: LeadSeat) -> list[InvitationOut]:
    """Those that may still be used."""
    return [invitation_out(invitation) for invitation, _ in open_invitations(session, seat.project)]


@router.post("/projects/{project_id}/invitations", status_code=201, response_model=InvitationMade)
def make_invitation(
    request: Request, session: SessionDep, seat: LeadSeat, wanted: InvitationIn
) -> InvitationMade | Response:
    """It ends with the token that made it, too, where nobody has used it."""
    if wanted.role == "lead":
        refusal = refusal_without_password(request, session, seat, password=wanted.password, step=MAKING_A_LEAD)
        if refusal is not None:
            return refusal
    days = request.app.state.settings.invitation_days
    asked = {"role": wanted.role, "note": wanted.note}
    invitation, secret = invite(session, seat.project, seat.person, **asked, days=days, token_id=seat.token_id)
    told = invitation_out(invitation).model_dump()
    return InvitationMade(**told, secret=secret, address=address_of(request, f"/invitations/{secret}"))


@router.delete("/projects/{project_id}/invitations/{invitation_id}", status_code=204)
def withdraw_invitation(session: SessionDep, seat: LeadSeat, invitation_id: str) -> None:
    invitation = session.get(Invitation, (seat.project.id, invitation_id))
    if invitation is None:
        raise NotThere
    withdraw(session, invitation)


@router.post("/invitations/{secret}", status_code=201)
def take_invitation(request: Request, session: SessionDep, secret: str, wanted: AcceptanceIn) -> AcceptanceOut:
    """Makes an account and takes part. Whoever has an account opens the invitation's address in a browser."""
    invitation = find_invitation(session, secret, locks=True)
    person = make_person(session, email=wanted.email, name=wanted.name, password=wanted.password)
    member = join(session, invitation, person, name=wanted.name)
    days = request.app.state.settings.token_days
    _, token = issue_token(
        session, person, name="made with the account", right="write", project_id=invitation.project_id, days=days
    )
    return AcceptanceOut(
        project_id=invitation.project_id, member_id=member.id, name=member.name, role=member.role, token=token
    )


def member_out(member: Member, email: str | None) -> MemberOut:
    return MemberOut(
        id=member.id,
        name=member.name,
        role=member.role,
        email=email,
        is_machine=member.is_machine,
        joined_at=member.joined_at,
    )


def invitation_out(invitation: Invitation) -> InvitationOut:
    return InvitationOut(id=invitation.id, role=invitation.role, note=invitation.note, expires_at=invitation.expires_at)
