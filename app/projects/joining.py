"""Invitations: a link makes whoever holds it a member, once."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.db import now
from app.errors import FieldError, NotThere, RuleError
from app.names import checked_name
from app.people.models import Person
from app.people.signing_in import hashed, person_s_name
from app.projects.models import ROLES, Invitation, Member, Project
from app.projects.starting import one_of
from app.record.keeping import act_as, record
from app.record.sealing import seals_of


def invite(
    session: Session, project: Project, lead: Person, *, role: str, note: str, days: int, token_id: str | None = None
) -> tuple[Invitation, str]:
    """A new invitation and its secret, which is told now and never again. It ends with the token that makes it."""
    secret = secrets.token_urlsafe(32)
    invitation = Invitation(
        project_id=project.id,
        secret_hash=hashed(secret),
        role=one_of(role, "role", ROLES),
        note=checked_name(
            note, "note", longest=200, way_out="Write whom it is for, so that you know it again in the list."
        ),
        created_by_id=lead.id,
        token_id=token_id,
        expires_at=now() + timedelta(days=days),
    )
    session.add(invitation)
    session.flush()
    record(session, project.id, "invitation made", invitation=invitation.id, role=role)
    return invitation, secret


def withdraw(session: Session, invitation: Invitation) -> None:
    """Nobody gets in with it any more. RuleError where somebody did; withdrawing it twice changes nothing."""
    is_withdrawn = invitation.withdrawn_at is not None
    invitation.withdraw()
    if not is_withdrawn:
        record(session, invitation.project_id, "invitation withdrawn", invitation=invitation.id)


def withdraw_unused(session: Session, *which: ColumnElement[bool]) -> None:
    """Those of them that nobody has used. Whoever is about to use one is waited for."""
    unused = select(Invitation).where(Invitation.used_at.is_(None), Invitation.withdrawn_at.is_(None), *which)
    for invitation in session.scalars(unused.with_for_update()):
        withdraw(session, invitation)


def find_invitation(session: Session, secret: str, *, locks: bool = False) -> Invitation:
    """The invitation that may still be used; NotThere, or Gone with the reason. `locks` holds it for its use."""
    invitation = known_invitation(session, secret, locks=locks)
    invitation.check_open()
    return invitation


def known_invitation(session: Session, secret: str, *, locks: bool = False) -> Invitation:
    """The invitation, whatever became of it."""
    wanted = select(Invitation).where(Invitation.secret_hash == hashed(secret))
    invitation = session.scalar(wanted.with_for_update() if locks else wanted)
    if invitation is None:
        raise NotThere("There is no such invitation.", "Open the whole link, or ask the lead for another.")
    return invitation


def join(session: Session, invitation: Invitation, person: Person, *, name: str) -> Member:
    """Makes the person a member under `name`, again if they left, and ends the invitation. FieldError where somebody
    bears the name already; RuleError where the person takes part already.
    """
    member = member_for(session, invitation.project_id, person)
    if member is not None and member.left_at is None:
        raise RuleError(f"You take part already, as a {member.role}.", "Leave the link to whom it was meant for.")
    if member is None:
        member = Member(project_id=invitation.project_id, person_id=person.id)
    name_member(session, invitation.project_id, member, name, role=invitation.role)
    invitation.used_at = now()
    act_as(session, person.id)
    joined = {"member": member.id, "role": member.role, "invitation": invitation.id}
    record(session, invitation.project_id, "member joined", **joined, seals=seals_of(session, member))
    return member


def member_for(session: Session, project_id: str, person: Person) -> Member | None:
    """The person's place in the project, even if they left it."""
    return session.scalar(select(Member).where(Member.project_id == project_id, Member.person_id == person.id))


def name_member(session: Session, project_id: str, member: Member, name: str, *, role: str) -> None:
    """Seats the member under a name that nobody else in the project bears or bore."""
    name = person_s_name(name, "member_name")
    taken = FieldError(
        "member_name",
        f"Somebody in this project is called {name} already.",
        "Take a name that tells you apart, like Ana L.",
    )
    if name.casefold() in (other.casefold() for other in other_names(session, project_id, member)):
        raise taken
    try:
        with session.begin_nested():
            member.name = name
            member.take_role(role)
            if member.left_at is not None:
                member.left_at, member.joined_at = None, now()
            session.add(member)
    except IntegrityError as error:  # Somebody took the name in this very moment.
        raise taken from error


def other_names(session: Session, project_id: str, member: Member) -> Sequence[str]:
    """Of those who left and of those outside, too: what they did bears their names."""
    names = select(Member.name).where(Member.project_id == project_id)
    return session.scalars(names.where(Member.id != member.id) if member.id else names).all()
