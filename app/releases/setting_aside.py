"""Labellers who were declared machines when their grades counted already: without the declaration they still would."""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.judging.models import Assignment, Grade
from app.judging.queries import OF_ASSIGNMENT
from app.projects.models import Member, Project
from app.record.queries import moments_of


def grades_set_aside(session: Session, project: Project) -> int:
    """How many pairs such labellers had graded when it was said. A program whose grades came in as a program's counts
    nowhere.
    """
    machines = set(session.scalars(select(Member.id).where(Member.project_id == project.id, Member.is_machine)))
    declared = moments_of(session, project.id, "member declared", "member") if machines else {}
    return sum(graded_before(session, project, each, declared[each][-1]) for each in machines & declared.keys())


def graded_before(session: Session, project: Project, member_id: str, moment: datetime) -> int:
    graded = (
        select(func.count(Assignment.id.distinct()))
        .join(Grade, OF_ASSIGNMENT)
        .where(Assignment.project_id == project.id, Assignment.labeller_id == member_id, Grade.given_at < moment)
    )
    return session.scalar(graded) or 0
