"""Decisions of a third person on pairs whose labellers differ."""

from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base, now
from app.projects.models import Owned, belongs


class Decision(Owned, Base):
    """One step of an adjudication: first a blind grade, then a decision with its reason, perhaps taken back. Only ever
    added to; the newest revision of a pair and family counts.
    """

    __tablename__ = "decision"
    pair_id: Mapped[str]
    family: Mapped[int]
    revision: Mapped[int]
    step: Mapped[str]
    """blind (graded before the labellers' rationales were seen), decided, or undone."""
    adjudicator_id: Mapped[str]
    level: Mapped[int | None]
    """None: no judgment can be given; then `reason` says why. Also None when undone."""
    reason: Mapped[str] = mapped_column(default="")
    decided_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        belongs("pair_id", "pair"),
        belongs("adjudicator_id", "member"),
        UniqueConstraint("project_id", "pair_id", "family", "revision"),
        CheckConstraint("step IN ('blind', 'decided', 'undone')", name="step"),
        CheckConstraint("step <> 'decided' OR reason <> ''", name="reason"),
    )
