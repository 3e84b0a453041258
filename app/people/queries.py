"""Selects over accounts."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import now
from app.people.models import Person, SignIn


def open_sign_ins(session: Session, person: Person, *, hours: int, idle: timedelta) -> Sequence[SignIn]:
    """Those that still let the person in, newest first."""
    theirs = select(SignIn).where(SignIn.person_id == person.id, SignIn.ended_at.is_(None))
    alive = theirs.where(SignIn.created_at > now() - timedelta(hours=hours), SignIn.seen_at > now() - idle)
    return session.scalars(alive.order_by(SignIn.created_at.desc())).all()


def find_person(session: Session, email: str) -> Person | None:
    return session.scalar(select(Person).where(Person.email == email))


def everybody(session: Session) -> Sequence[Person]:
    """Every account of the installation, by name."""
    # The databases disagree about the order of names.
    return sorted(session.scalars(select(Person)), key=lambda person: (person.name.casefold(), person.email))
