"""Selects over accounts."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.people.models import Person, SignIn


def open_sign_ins(session: Session, person: Person) -> Sequence[SignIn]:
    """Newest first."""
    theirs = select(SignIn).where(SignIn.person_id == person.id, SignIn.ended_at.is_(None))
    return session.scalars(theirs.order_by(SignIn.created_at.desc())).all()


def find_person(session: Session, email: str) -> Person | None:
    return session.scalar(select(Person).where(Person.email == email))


def everybody(session: Session) -> Sequence[Person]:
    """Every account of the installation, by name."""
    return session.scalars(select(Person).order_by(Person.name, Person.email)).all()
