"""Rubrics: numbered versions of a scale. A published version is frozen by the database itself."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base, now
from app.people.models import HASH_LENGTH
from app.projects.models import Owned, belongs

HIGHEST_LEVEL = 9
"""Each level has a digit as its key."""
UNCLEAR = "query unclear"
"""The pair is for a lead, who can see to it."""
EXPERTISE = "needs expertise"
"""Whoever says so steps aside: the pair is for another labeller."""
REASONS = ("wrong language", "broken", EXPERTISE, UNCLEAR, "other")
"""Why a document can't be judged."""
OUTCOMES = ("left out", "level 0")
"""What becomes of a pair that nobody could judge: no judgment, or one at level 0."""


class Rubric(Owned, Base):
    """A version of the scale: a draft until `published_at`, then unchangeable."""

    __tablename__ = "rubric"
    number: Mapped[int]
    family: Mapped[int]
    """The number of the version that began the family: versions that differ only in wording share it."""
    instructions: Mapped[str] = mapped_column(default="")
    unjudgeable: Mapped[str] = mapped_column(default="")
    """When to say that a document can't be judged."""
    refusals: Mapped[dict[str, dict[str, str]]] = mapped_column(JSON, default=dict)
    """Of each reason of REASONS that the rubric says more about: `when` it holds, and what it `leads_to`."""
    threshold: Mapped[int] = mapped_column(default=1)
    """The lowest level that counts as relevant for the binary measures."""
    comparative_reason: Mapped[str] = mapped_column(default="")
    """Why the lead published although a level compares documents."""
    text_hash: Mapped[str | None] = mapped_column(String(HASH_LENGTH))
    created_at: Mapped[datetime] = mapped_column(default=now)
    saved_at: Mapped[datetime] = mapped_column(default=now)
    published_at: Mapped[datetime | None]
    published_by_id: Mapped[str | None] = mapped_column(ForeignKey("person.id"))
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        CheckConstraint("(published_at IS NULL) = (text_hash IS NULL)", name="frozen"),
    )

    @property
    def is_minor(self) -> bool:
        """Whether it only rewords the version before it."""
        return self.family != self.number


class Level(Owned, Base):
    """One level: a question about what the user can do with the document."""

    __tablename__ = "level"
    rubric_id: Mapped[str]
    number: Mapped[int]
    name: Mapped[str]
    question: Mapped[str]
    examples: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    """Each a `query`, a `document` and `why` it belongs here; so too the counter-examples, which do not."""
    counter_examples: Mapped[list[dict[str, str]]] = mapped_column(JSON, default=list)
    not_this: Mapped[str] = mapped_column(default="")
    """What separates it from its neighbour: not this but that."""
    __table_args__ = (
        belongs("rubric_id", "rubric"),
        UniqueConstraint("project_id", "rubric_id", "number"),
        CheckConstraint("number >= 0", name="number"),
    )


class Ruling(Owned, Base):
    """How a lead reads the rubric where somebody asked: for everybody who judges by it, without who asked or of which
    grade they thought.
    """

    __tablename__ = "ruling"
    rubric_id: Mapped[str]
    text: Mapped[str]
    given_at: Mapped[datetime] = mapped_column(default=now)
    given_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    __table_args__ = (belongs("rubric_id", "rubric"), Index("ix_ruling_rubric", "project_id", "rubric_id"))
