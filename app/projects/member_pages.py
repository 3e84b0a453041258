"""Members and invitations, for leads; and the page on which somebody takes an invitation up."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import FieldError, NotThere, RuleError
from app.people.guards import PerhapsSignedIn, with_cookie
from app.people.models import SignIn
from app.people.pages import browser_of
from app.people.signing_in import make_person, open_sign_in, rotate
from app.projects.guards import ConfirmedLead, GivesBack, Seat
from app.projects.joining import invite, join, known_invitation, member_for, withdraw
from app.projects.leaving import change_role, declare, leave, rename_member
from app.projects.models import ROLES, Invitation, Member, Project
from app.projects.queries import emails_of, members_of, open_invitations
from app.reading import CheckedRoute
from app.web import address_of, page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False)
Text = Annotated[str, Form()]


@router.get("/projects/{project_id}/members")
def show_members(request: Request, session: SessionDep, seat: ConfirmedLead) -> Response:
    return members_page(request, session, seat)


@router.post("/projects/{project_id}/invitations")
def make_invitation(
    request: Request, session: SessionDep, seat: ConfirmedLead, role: Text = "", note: Text = ""
) -> Response:
    try:
        days = request.app.state.settings.invitation_days
        invitation, secret = invite(session, seat.project, seat.person, role=role, note=note, days=days)
    except FieldError as error:
        return members_page(request, session, seat, typed={"role": role, "note": note}, error=error)
    return members_page(request, session, seat, made=invitation, address=invitation_address(request, secret))


@router.post("/projects/{project_id}/invitations/{invitation_id}/withdraw")
def withdraw_invitation(session: SessionDep, seat: ConfirmedLead, invitation_id: str) -> Response:
    invitation = session.get(Invitation, (seat.project.id, invitation_id))
    if invitation is None:
        raise NotThere
    withdraw(session, invitation)
    return see(f"/projects/{seat.project.id}/members")


@router.get("/projects/{project_id}/members/{member_id}")
def show_member(request: Request, session: SessionDep, seat: ConfirmedLead, member_id: str) -> Response:
    return member_page(request, session, seat, find_member(session, seat, member_id))


@router.post("/projects/{project_id}/members/{member_id}")
def change_member(
    request: Request,
    session: SessionDep,
    seat: ConfirmedLead,
    member_id: str,
    name: Text = "",
    role: Text = "",
    is_machine: Text = "",
) -> Response:
    member = find_member(session, seat, member_id)
    try:
        with session.begin_nested():  # Both or neither.
            change_role(session, seat.project, member, role=role, keep=kept(seat))
            rename_member(session, seat.project, member, name=name)
            declare(session, seat.project, member, is_machine=bool(is_machine))
    except (FieldError, RuleError) as error:
        return member_page(request, session, seat, member, typed={"name": name, "role": role}, error=error)
    return after_change(request, seat, member)


@router.post("/projects/{project_id}/members/{member_id}/leave")
def let_go(
    request: Request, session: SessionDep, seat: ConfirmedLead, give_back: GivesBack, member_id: str
) -> Response:
    member = find_member(session, seat, member_id)
    try:
        with session.begin_nested():  # What is refused gives nothing back.
            leave(session, seat.project, member, give_back=give_back, keep=kept(seat))
    except RuleError as error:
        return member_page(request, session, seat, member, error=error)
    return after_change(request, seat, member)


def find_member(session: SessionDep, seat: Seat, member_id: str) -> Member:
    member = session.get(Member, (seat.project.id, member_id))
    if member is None or member.left_at is not None:
        raise NotThere
    return member


def kept(seat: Seat) -> SignIn | None:
    """Who changes their own place stays signed in here, and only here."""
    return seat.asker.sign_in if seat.asker else None


def after_change(request: Request, seat: Seat, member: Member) -> Response:
    """Back to the list; who changed their own place goes home, with a new secret in the browser."""
    if seat.asker is None or member.id != seat.member.id or (member.role == "lead" and member.left_at is None):
        return see(f"/projects/{seat.project.id}/members")
    home = "/" if member.left_at else f"/projects/{seat.project.id}"
    return with_cookie(request, see(home), rotate(seat.asker.sign_in))


def members_page(
    request: Request,
    session: SessionDep,
    seat: Seat,
    *,
    made: Invitation | None = None,
    address: str = "",
    typed: dict[str, str] | None = None,
    error: FieldError | None = None,
) -> Response:
    return page(
        request,
        "projects/members.html",
        status=201 if made else 200,
        seat=seat,
        members=members_of(session, seat.project),
        emails=emails_of(session, seat.project),
        invitations=open_invitations(session, seat.project),
        days=request.app.state.settings.invitation_days,
        made=made,
        address=address,
        typed=typed or {},
        error=error,
    )


def member_page(
    request: Request,
    session: SessionDep,
    seat: Seat,
    member: Member,
    *,
    typed: dict[str, str] | None = None,
    error: FieldError | RuleError | None = None,
) -> Response:
    return page(
        request,
        "projects/member.html",
        seat=seat,
        member=member,
        email=emails_of(session, seat.project).get(member.id),
        roles=ROLES,
        typed=typed or {"name": member.name, "role": member.role},
        error=error,
    )


def invitation_address(request: Request, secret: str) -> str:
    return address_of(request, f"/invitations/{secret}")


# Taking it up


@router.get("/invitations/{secret}")
def show_invitation(request: Request, session: SessionDep, asker: PerhapsSignedIn, secret: str) -> Response:
    if is_taken_up(session, asker, invitation := known_invitation(session, secret)):
        return see(f"/projects/{invitation.project_id}")
    invitation.check_open()
    return invitation_page(request, session, asker, invitation, secret)


@router.post("/invitations/{secret}")
def take_invitation(
    request: Request,
    session: SessionDep,
    asker: PerhapsSignedIn,
    secret: str,
    email: Text = "",
    name: Text = "",
    password: Text = "",
    member_name: Text = "",
) -> Response:
    if is_taken_up(session, asker, invitation := known_invitation(session, secret, locks=True)):
        return see(f"/projects/{invitation.project_id}")
    invitation.check_open()
    home = f"/projects/{invitation.project_id}"
    try:
        with session.begin_nested():  # A name that is taken must not leave an account behind.
            person = asker.person if asker else make_person(session, email=email, name=name, password=password)
            join(session, invitation, person, name=member_name or name or person.name)
    except FieldError as error:
        typed = {"email": email, "name": name, "member_name": member_name}
        return invitation_page(request, session, asker, invitation, secret, typed=typed, error=error)
    if asker is not None:
        return with_cookie(request, see(home), rotate(asker.sign_in))
    return with_cookie(request, see(home), open_sign_in(session, person, browser=browser_of(request)))


def is_taken_up(session: SessionDep, asker: PerhapsSignedIn, invitation: Invitation) -> bool:
    """Whether it was used, and whoever asks is in the project: they used it, or need it no more."""
    if asker is None or invitation.used_at is None:
        return False
    place = member_for(session, invitation.project_id, asker.person)
    return place is not None and place.left_at is None


def invitation_page(
    request: Request,
    session: SessionDep,
    asker: PerhapsSignedIn,
    invitation: Invitation,
    secret: str,
    *,
    typed: dict[str, str] | None = None,
    error: FieldError | None = None,
) -> Response:
    place = member_for(session, invitation.project_id, asker.person) if asker else None
    return page(
        request,
        "projects/invitation.html",
        project=session.get_one(Project, invitation.project_id),
        invitation=invitation,
        secret=secret,
        place=place if place and place.left_at is None else None,
        typed=typed or {},
        error=error,
    )
