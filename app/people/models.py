"""Accounts and sign-ins of an installation."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.db import Base, Identified, now

HASH_LENGTH = 64
"""Hexadecimal digits of a SHA-256."""


class Person(Identified, Base):
    """Somebody with an account. `email` is held in lower case."""

    __tablename__ = "person"
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    password_hash: Mapped[str]
    is_admin: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    disabled_at: Mapped[datetime | None]


class SignIn(Identified, Base):
    """One browser's session: only the hash of its secret is held."""

    __tablename__ = "sign_in"
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"), index=True)
    secret_hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    browser: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)
    password_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]
    person: Mapped[Person] = relationship(lazy="joined", innerjoin=True)

    def end(self) -> None:
        self.ended_at = self.ended_at or now()


class Attempt(Identified, Base):
    """One wrong password, counted per account and per address; old ones are swept away."""

    __tablename__ = "attempt"
    about: Mapped[str]
    """`account:<hash>`, `address:<address>` or `all`: what the attempt counts against."""
    at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (Index("ix_attempt_about_at", "about", "at"),)


class SetUpCode(Base):
    """The one-time code that makes the first lead; a new start replaces it, its use ends it for good."""

    __tablename__ = "set_up_code"
    only: Mapped[int] = mapped_column(primary_key=True, default=1)
    secret_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    used_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint('"only" = 1', name="one_row"),)
