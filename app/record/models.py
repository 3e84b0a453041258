"""The record: every act that changed something, each chained to the one before it by its hash."""

from datetime import datetime
from typing import Literal

from sqlalchemy import CheckConstraint, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db import ID_LENGTH, Base

INSTALLATION = "installation"
"""The chain of what belongs to no project: accounts, sign-ins, tokens that start projects."""
COMMAND = "command"
"""Who acts where nobody signed in: whoever runs commands on the machine itself."""
HASH_LENGTH = 64
FIRST = "0" * HASH_LENGTH
"""What stands for the hash before the first act."""

Verb = Literal[
    "account made",
    "account renamed",
    "account disabled",
    "account enabled",
    "password changed",
    "signed in",
    "signed out",
    "project started",
    "project changed",
    "invitation made",
    "invitation withdrawn",
    "member joined",
    "member renamed",
    "member declared",
    "member left",
    "role changed",
    "token made",
    "token revoked",
    "gain chosen",
    "rubric drafted",
    "rubric published",
    "file brought in",
    "showing chosen",
    "pool drawn",
    "round opened",
    "round imported",
    "round closed",
    "round reopened",
    "round widened",
    "gold set",
    "gold withdrawn",
    "queries added",
    "query taken",
    "query returned",
    "query passed on",
    "checks dealt",
    "checks dropped",
    "question asked",
    "ruling given",
    "grade given",
    "pair graded blind",
    "pair decided",
    "decision undone",
    "waiver signed",
    "release frozen",
]


class Chain(Base):
    """One project's record, or the installation's: how many acts it holds and the hash of the newest, so that a tail
    that was cut off is missed. Triggers let it only grow.
    """

    __tablename__ = "chain"
    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    """The project's, or INSTALLATION. The record stands beneath projects, so nothing refers to their table."""
    acts: Mapped[int] = mapped_column(default=0)
    head: Mapped[str] = mapped_column(String(HASH_LENGTH), default=FIRST)
    __table_args__ = (CheckConstraint("acts >= 0", name="acts"),)


class Act(Base):
    """Who did what. Never changed and never deleted: triggers on both databases refuse it, and the hashes tell.

    It can't be erased either, so it holds ids, numbers, hashes and words of ours: no name, no address, no secret.
    """

    __tablename__ = "act"
    chain_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1, without a gap."""
    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(String(ID_LENGTH))
    """A person's id, or COMMAND."""
    token_id: Mapped[str | None] = mapped_column(String(ID_LENGTH))
    """The token with which a script acted for that person."""
    verb: Mapped[str]
    facts: Mapped[str]
    """Canonical JSON: what was acted on, and what matters about it."""
    hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """SHA-256 of the hash before it and of everything above."""
    __table_args__ = (
        CheckConstraint("number >= 1", name="number"),
        Index("ix_act_chain_id_verb", "chain_id", "verb", "number"),
    )
