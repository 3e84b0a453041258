"""Other roles, other names, and leaving: what a person holds of the old role ends with it."""

from collections.abc import Callable
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import RuleError
from app.people.models import Person, SignIn
from app.people.signing_in import disable, end_sign_ins
from app.projects.issuing import revoke_token
from app.projects.joining import name_member, other_names, withdraw_unused
from app.projects.models import ROLES, Invitation, Member, Project, Token
from app.projects.queries import leads_of, lock_project
from app.projects.starting import one_of
from app.record.keeping import record
from app.record.sealing import seals_of

GiveBack = Callable[[Session, Member], None]
"""Frees what the member was asked for and has not given. What knows of that stands above: app/main.py puts it in."""


def change_role(session: Session, project: Project, member: Member, *, role: str, keep: SignIn | None = None) -> None:
    """Gives the member another role. Their sign-ins but `keep`, and what let them into this project, end."""
    role = one_of(role, "role", ROLES)
    if role == member.role:
        return
    if member.person_id is None:
        raise RuleError(
            f"{member.name} has no account: their grades were brought in from outside.",
            "Invite them, and they take part under another name.",
        )
    require_another_lead(session, project, member)
    changed = {"member": member.id, "before": member.role, "role": role}
    member.take_role(role)
    record(session, project.id, "role changed", **changed, seals=seals_of(session, member))
    end_access(session, member, keep=keep)


def leave(
    session: Session, project: Project, member: Member, *, give_back: GiveBack, keep: SignIn | None = None
) -> None:
    """Lets the member go. What they decided stays under their name; what a labeller graded, under a pseudonym, and
    what they have not graded yet goes back.
    """
    if member.person_id is None:
        raise RuleError(f"{member.name} has no account here, and so nothing to leave.", "Their grades stay as given.")
    give_back(session, member)
    require_another_lead(session, project, member)
    if member.role == "labeller":
        member.name = pseudonym(session, member)
    member.left_at = now()
    record(session, project.id, "member left", member=member.id, role=member.role, seals=seals_of(session, member))
    end_access(session, member, keep=keep)


def pseudonym(session: Session, member: Member) -> str:
    """The first of Labeller 1, Labeller 2 … that nobody bears or bore."""
    taken = {name.casefold() for name in other_names(session, member.project_id, member)}
    return next(name for number in count(1) if (name := f"Labeller {number}").casefold() not in taken)


def declare(session: Session, project: Project, member: Member, *, is_machine: bool) -> None:
    """Says whether a program gave the grades of somebody outside. RuleError for a member with an account."""
    if is_machine and member.person_id is not None:
        raise RuleError(f"{member.name} has an account, and so is a person.", "Bring a program's grades in as a file.")
    if is_machine != member.is_machine:
        member.is_machine = is_machine
        declared = {"member": member.id, "is_machine": is_machine, "seals": seals_of(session, member)}
        record(session, project.id, "member declared", **declared)


def rename_member(session: Session, project: Project, member: Member, *, name: str) -> None:
    before = member.name
    name_member(session, project.id, member, name, role=member.role)
    if member.name != before:
        record(session, project.id, "member renamed", member=member.id)


def require_another_lead(session: Session, project: Project, member: Member) -> None:
    """RuleError where nobody would be left to lead."""
    # Two leads who leave in the same moment must not both find the other one still there.
    lock_project(session, project)
    if member.role == "lead" and all(lead.id == member.id for lead in leads_of(session, project)):
        raise RuleError(
            "A project can't be without a lead, and this is the last one.",
            "Make somebody else a lead first.",
            condition="last lead",
        )


def end_access(session: Session, member: Member, *, keep: SignIn | None) -> None:
    """Ends the person's sign-ins, their tokens for this project, and the invitations that they made."""
    assert member.person_id is not None
    end_sign_ins(session, session.get_one(Person, member.person_id), but=keep)
    end_grants(session, member.person_id, project_id=member.project_id)


def shut_out(session: Session, person: Person, *, by: Person) -> None:
    """Disables the account: sign-ins, tokens and invitations of theirs end at once."""
    disable(session, person, by=by)
    end_grants(session, person.id)


def end_grants(session: Session, person_id: str, *, project_id: str | None = None) -> None:
    """Revokes the person's tokens and withdraws their open invitations, in one project or in all."""
    tokens = select(Token).where(Token.person_id == person_id, Token.revoked_at.is_(None))
    invitations = [Invitation.created_by_id == person_id]
    if project_id is not None:
        tokens = tokens.where(Token.project_id == project_id)
        invitations.append(Invitation.project_id == project_id)
    for token in session.scalars(tokens):
        revoke_token(session, token)
    withdraw_unused(session, *invitations)
