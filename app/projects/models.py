"""Projects, who takes part in them, and how they get in: by invitation in the browser, by token from a script."""

from datetime import datetime
from typing import Literal

from sqlalchemy import JSON, CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import ID_LENGTH, Base, Identified, new_id, now
from app.errors import Gone, RuleError
from app.measures.conventions import Gain as OwnGain
from app.measures.policies import POLICIES, Policy, small_set
from app.people.models import HASH_LENGTH
from app.record.sealing import UNSEALED

Role = Literal["lead", "labeller", "reader"]
ROLES: tuple[Role, ...] = ("lead", "labeller", "reader")
Right = Literal["read", "write", "start"]
Gain = Literal["exponential", "linear", "table"]
PolicyName = Literal["strict", "standard", "exploratory"]


class Project(Identified, Base):
    """One judged set in the making. What a score would mean is settled here, before there is one to like or dislike."""

    __tablename__ = "project"
    name: Mapped[str]
    gain: Mapped[str]
    """exponential, linear or table."""
    gain_table: Mapped[list[float] | None] = mapped_column(JSON(none_as_null=True))
    """Gain of level 0, 1, 2 …; only where gain is table."""
    gain_reason: Mapped[str]
    policy: Mapped[str] = mapped_column(default="standard")
    is_small_set: Mapped[bool] = mapped_column(default=False)
    primary_stands: Mapped[bool] = mapped_column(default=False)
    """Whether, where labellers are one level apart, the query's primary labeller's level is the judgment."""
    policy_frozen_at: Mapped[datetime | None]
    shown_fields: Mapped[list[str]] = mapped_column(JSON, default=list)
    """Which of the documents' other fields the desk shows, in this order."""
    picture_field: Mapped[str] = mapped_column(default="")
    """The one of them that holds a picture's address; empty where none does."""
    picture_hosts: Mapped[list[str]] = mapped_column(JSON, default=list)
    """Whose pictures may be loaded at the desk; nobody's unless named here."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    __table_args__ = (
        CheckConstraint("gain IN ('exponential', 'linear', 'table')", name="gain"),
        CheckConstraint("(gain = 'table') = (gain_table IS NOT NULL)", name="gain_table"),
        CheckConstraint("policy IN ('strict', 'standard', 'exploratory')", name="policy"),
    )

    @property
    def gate_policy(self) -> Policy:
        """The policy that was chosen, in its variant for small sets if the project says so."""
        policy = POLICIES[self.policy]
        return small_set(policy) if self.is_small_set else policy

    @property
    def own_gain(self) -> OwnGain:
        """The gain as a convention takes it."""
        if self.gain == "table":
            return tuple(self.gain_table or ())
        return "linear" if self.gain == "linear" else "exponential"


class Owned:
    """A row of one project. The project leads every key, so that a database can be spread by project."""

    project_id: Mapped[str] = mapped_column(String(ID_LENGTH), ForeignKey("project.id"), primary_key=True)
    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True, default=new_id)


def belongs(column: str, table: str) -> ForeignKeyConstraint:
    """`column` names a row of `table` in the same project."""
    return ForeignKeyConstraint(["project_id", column], [f"{table}.project_id", f"{table}.id"])


class Member(Owned, Base):
    """Who takes part, under which name and in which role. A member without a person is somebody outside, whose grades
    were brought in.
    """

    __tablename__ = "member"
    person_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"), index=True)
    name: Mapped[str] = mapped_column(info=UNSEALED)
    role: Mapped[str]
    is_machine: Mapped[bool] = mapped_column(default=False)
    """Whether a program gave the grades of somebody outside: they count in no kappa, gate or release."""
    joined_at: Mapped[datetime] = mapped_column(default=now)
    left_at: Mapped[datetime | None]
    saw_until: Mapped[datetime | None]
    """Until when a labeller held a role that sees what was found, lead or reader; None for one who never did."""
    __table_args__ = (
        UniqueConstraint("project_id", "person_id"),
        UniqueConstraint("project_id", "name"),
        CheckConstraint("role IN ('lead', 'labeller', 'reader')", name="role"),
        CheckConstraint("person_id IS NOT NULL OR role = 'labeller'", name="outsider"),
        CheckConstraint("person_id IS NULL OR NOT is_machine", name="machine"),
    )

    def take_role(self, role: str) -> None:
        """What the role before let them see can't be unseen: until when they could is kept."""
        if role == "labeller" and self.role in ("lead", "reader"):
            self.saw_until = self.left_at or now()
        self.role = role


class Invitation(Owned, Base):
    """A link that makes whoever holds it a member, once, until it expires or is withdrawn."""

    __tablename__ = "invitation"
    secret_hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    role: Mapped[str]
    note: Mapped[str]
    """Whom the lead meant it for, in the lead's words."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    token_id: Mapped[str | None] = mapped_column(ForeignKey("token.id"))
    """The token that made it, and that it ends with; none where it was made in a browser."""
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("role IN ('lead', 'labeller', 'reader')", name="role"),)

    def check_open(self) -> None:
        """Gone, with the reason, unless whoever holds the link may still use it."""
        if self.used_at is not None:
            raise Gone("This invitation was used already.", "If it was you, sign in; else ask the lead for another.")
        if self.withdrawn_at is not None:
            raise Gone("This invitation was withdrawn.", "Ask the lead of the project for another.")
        if self.expires_at <= now():
            raise Gone("This invitation has expired.", "Ask the lead of the project for another.")

    def withdraw(self) -> None:
        if self.used_at is not None:
            raise RuleError("This invitation was used already.", "Change the role of who used it, or let them go.")
        self.withdrawn_at = self.withdrawn_at or now()


class Token(Identified, Base):
    """A key for scripts: one person's, for one project and one right. A `start` token can only start a project."""

    __tablename__ = "token"
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    project_id: Mapped[str | None] = mapped_column(ForeignKey("project.id"))
    right: Mapped[str]
    name: Mapped[str]
    prefix: Mapped[str]
    """The first letters, shown so that people can tell their tokens apart."""
    secret_hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("\"right\" IN ('read', 'write', 'start')", name="right"),
        CheckConstraint("(\"right\" = 'start') = (project_id IS NULL)", name="scope"),
        Index("ix_token_person_id", "person_id"),
    )

    def revoke(self) -> None:
        self.revoked_at = self.revoked_at or now()
