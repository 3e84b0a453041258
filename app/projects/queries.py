"""Selects over projects and their members."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.people.models import Person
from app.projects.models import Member, Project


def projects_of(session: Session, person: Person) -> Sequence[tuple[Project, Member]]:
    """Every project that the person takes part in, newest first, with their place in it."""
    theirs = (
        select(Project, Member)
        .join(Member, Member.project_id == Project.id)
        .where(Member.person_id == person.id, Member.left_at.is_(None))
    )
    return [(project, member) for project, member in session.execute(theirs.order_by(Project.created_at.desc()))]


def may_start(session: Session, person: Person) -> bool:
    """Whoever looks after the installation or leads a project may start another."""
    leads = select(Member.id).where(Member.person_id == person.id, Member.role == "lead", Member.left_at.is_(None))
    return person.is_admin or session.scalar(leads.limit(1)) is not None


def members_of(session: Session, project: Project) -> Sequence[Member]:
    """Everybody who takes part, by name; outsiders whose grades were brought in too."""
    return session.scalars(
        select(Member).where(Member.project_id == project.id, Member.left_at.is_(None)).order_by(Member.name)
    ).all()
