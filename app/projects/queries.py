"""Selects over projects and their members."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from app.db import now
from app.people.models import Person, SignIn
from app.projects.models import Invitation, Member, Project, Token

MACHINES = select(Member.id).where(Member.project_id == bindparam("project"), Member.is_machine)
"""Ids of labellers who are programs."""


def projects_of(session: Session, person: Person) -> Sequence[tuple[Project, Member]]:
    """Every project that the person takes part in, newest first, with their place in it."""
    theirs = (
        select(Project, Member)
        .join(Member, Member.project_id == Project.id)
        .where(Member.person_id == person.id, Member.left_at.is_(None))
    )
    return [(project, member) for project, member in session.execute(theirs.order_by(Project.created_at.desc()))]


def lock_project(session: Session, project: Project) -> Project:
    """The project as it is by now, and nobody else's to lock until the transaction ends. Every row of a project names
    it, so that whoever would add one (a grade, a decision, a pool) waits, and what is counted is of one moment.
    """
    return session.get_one(Project, project.id, with_for_update=True, populate_existing=True)


def may_start(session: Session, person: Person) -> bool:
    """Whoever looks after the installation or leads a project may start another."""
    leads = select(Member.id).where(Member.person_id == person.id, Member.role == "lead", Member.left_at.is_(None))
    return person.is_admin or session.scalar(leads.limit(1)) is not None


def members_of(session: Session, project: Project) -> Sequence[Member]:
    """Everybody who takes part, by name; outsiders whose grades were brought in too."""
    members = session.scalars(select(Member).where(Member.project_id == project.id, Member.left_at.is_(None)))
    # The databases disagree about the order of names.
    return sorted(members, key=lambda member: (member.name.casefold(), member.name))


def leads_of(session: Session, project: Project) -> Sequence[Member]:
    """Who leads it and can sign in: a disabled person leads nothing."""
    active = select(Member).join(Person, Person.id == Member.person_id).where(Person.disabled_at.is_(None))
    return session.scalars(
        active.where(Member.project_id == project.id, Member.role == "lead", Member.left_at.is_(None))
    ).all()


def emails_of(session: Session, project: Project) -> Mapping[str, str]:
    """Of everybody who takes part with an account, by the member's id."""
    theirs = select(Member.id, Person.email).join(Person, Person.id == Member.person_id)
    rows = session.execute(theirs.where(Member.project_id == project.id, Member.left_at.is_(None)))
    return {member: email for member, email in rows}  # noqa: C416 - rows are not tuples to the type checker


def open_invitations(session: Session, project: Project) -> Sequence[tuple[Invitation, str]]:
    """Those that may still be used, newest first, each with the name of whoever made it."""
    rows = select(Invitation, Person.name).join(Person, Person.id == Invitation.created_by_id)
    open_ones = rows.where(
        Invitation.project_id == project.id,
        Invitation.used_at.is_(None),
        Invitation.withdrawn_at.is_(None),
        Invitation.expires_at > now(),
    )
    return [
        (invitation, name) for invitation, name in session.execute(open_ones.order_by(Invitation.created_at.desc()))
    ]


def tokens_of(session: Session, person: Person) -> Sequence[tuple[Token, str | None]]:
    """Those not revoked, newest first, each with its project's name; expired ones too, so that they can be cleared."""
    rows = select(Token, Project.name).outerjoin(Project, Project.id == Token.project_id)
    theirs = rows.where(Token.person_id == person.id, Token.revoked_at.is_(None))
    return [(token, name) for token, name in session.execute(theirs.order_by(Token.created_at.desc()))]


def seen_at(session: Session) -> Mapping[str, datetime]:
    """When each person was last there with a browser, by the person's id."""
    rows = session.execute(select(SignIn.person_id, func.max(SignIn.seen_at)).group_by(SignIn.person_id))
    return {person: moment for person, moment in rows}  # noqa: C416 - as above


def led_alone(session: Session) -> Mapping[str, int]:
    """In how many projects each person is the only lead, by the person's id; disabled leads count, too."""
    leads = select(Member.project_id, func.min(Member.person_id).label("person_id")).where(
        Member.role == "lead", Member.left_at.is_(None)
    )
    alone = leads.group_by(Member.project_id).having(func.count() == 1).subquery()
    rows = session.execute(select(alone.c.person_id, func.count()).group_by(alone.c.person_id))
    return {person: number for person, number in rows}  # noqa: C416 - as above
