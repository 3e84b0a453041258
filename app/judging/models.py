"""Rounds, who was dealt which query, and every grade that was ever given."""

from datetime import datetime
from typing import Literal

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base, now
from app.people.models import HASH_LENGTH
from app.projects.models import Owned, belongs
from app.record.sealing import UNSEALED

Purpose = Literal["judging", "repeat", "gold"]
"""Why a pair is asked: to judge it, to see whether the same labeller says the same again, or because its level is
known. The labeller is not told which.
"""
PURPOSES = ("judging", "repeat", "gold")


class Round(Owned, Base):
    """A batch of judging under one rubric."""

    __tablename__ = "round"
    number: Mapped[int]
    kind: Mapped[str]
    rubric_id: Mapped[str]
    pool_id: Mapped[str]
    seed: Mapped[int]
    """Draws the queries, the overlap and each labeller's order; stated on the page and in the manifest."""
    overlap: Mapped[float]
    """The share of queries that two labellers judge."""
    idle_minutes: Mapped[int | None]
    """Of a claimed round: after how long without a grade a claim returns. None: the round is dealt by name."""
    repeats: Mapped[float] = mapped_column(default=0.0)
    """The share of a labeller's pairs that is shown to them again, unmarked."""
    quiz: Mapped[int] = mapped_column(default=0)
    """How many gold pairs everybody judges first, unmarked, as far as there are such that they don't judge anyway."""
    opened_at: Mapped[datetime] = mapped_column(default=now)
    opened_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    closed_at: Mapped[datetime | None]
    __table_args__ = (
        belongs("rubric_id", "rubric"),
        belongs("pool_id", "pool"),
        UniqueConstraint("project_id", "number"),
        CheckConstraint("kind IN ('agreement', 'main', 'repool', 'imported')", name="kind"),
        CheckConstraint("overlap >= 0 AND overlap <= 1", name="overlap"),
        CheckConstraint("idle_minutes IS NULL OR idle_minutes >= 1", name="idle_minutes"),
        CheckConstraint("repeats >= 0 AND repeats <= 1 AND quiz >= 0", name="checks"),
    )

    @property
    def is_claimed(self) -> bool:
        """Whether labellers take whole queries when they ask, and nobody names them before."""
        return self.idle_minutes is not None


class Deal(Owned, Base):
    """A place at a whole query of a round, for one labeller; a free one waits for somebody. Seat 1 is the query's
    primary labeller. What a labeller leaves ungraded is passed on in a deal of its own with the same seat, so that
    every pair is asked of exactly as many people as the round was opened for, whoever they are.
    """

    __tablename__ = "deal"
    round_id: Mapped[str]
    query_id: Mapped[str]
    labeller_id: Mapped[str | None]
    """None: it is free."""
    seat: Mapped[int]
    place: Mapped[int]
    """Where the query stands in this labeller's order, from 0; of a free one, in the order in which they are taken."""
    claimed_at: Mapped[datetime | None]
    """When its labeller took it. None where a lead gave it to them, and where it is free."""
    purpose: Mapped[Purpose] = mapped_column(Text, default="judging")
    __table_args__ = (
        belongs("round_id", "round"),
        belongs("query_id", "query"),
        belongs("labeller_id", "member"),
        UniqueConstraint("project_id", "round_id", "query_id", "labeller_id", "purpose", name="uq_deal_labeller"),
        CheckConstraint("seat >= 1", name="seat"),
        CheckConstraint("claimed_at IS NULL OR labeller_id IS NOT NULL", name="claim"),
        CheckConstraint(f"purpose IN {PURPOSES}", name="purpose"),
    )


class Assignment(Owned, Base):
    """One pair asked of one labeller in one round. `revision` is the number of grades given so far: the newest grade
    is the one with that revision, and 0 means none yet. From the first grade on its labeller stays who they are.
    """

    __tablename__ = "assignment"
    round_id: Mapped[str]
    deal_id: Mapped[str]
    pair_id: Mapped[str]
    labeller_id: Mapped[str | None]
    """None: its deal is free."""
    place: Mapped[int]
    """Where it stands in this labeller's order of the round, from 0."""
    stop: Mapped[int]
    """Pairs of a query that come up together share it: the place of the first of them. A query may have several."""
    is_returning: Mapped[bool] = mapped_column(default=False)
    """Whether an earlier stop of the labeller's has pairs of the query too. Nobody is told of it before it comes up."""
    revision: Mapped[int] = mapped_column(default=0, info=UNSEALED)
    set_aside: Mapped[int] = mapped_column(default=0, info=UNSEALED)
    """How often the labeller chose `later`: those come last in their stop, in turn."""
    purpose: Mapped[Purpose] = mapped_column(Text, default="judging")
    """Its deal's. What is no judging counts in no kappa, no adjudication and no release."""
    __table_args__ = (
        belongs("round_id", "round"),
        belongs("deal_id", "deal"),
        belongs("pair_id", "pair"),
        belongs("labeller_id", "member"),
        UniqueConstraint("project_id", "round_id", "pair_id", "labeller_id", "purpose", name="uq_assignment_labeller"),
        Index("ix_assignment_next", "project_id", "round_id", "labeller_id", "revision", "place", "is_returning"),
        Index("ix_assignment_stop", "project_id", "round_id", "labeller_id", "stop", "revision"),
        Index("ix_assignment_deal", "project_id", "deal_id"),
        Index("ix_assignment_pair", "project_id", "pair_id"),
        CheckConstraint("revision >= 0 AND set_aside >= 0", name="counts"),
        CheckConstraint("revision = 0 OR labeller_id IS NOT NULL", name="graded_by"),
        CheckConstraint(f"purpose IN {PURPOSES}", name="purpose"),
    )


IS_JUDGING = Assignment.purpose == "judging"


class Gold(Owned, Base):
    """A pair whose level a lead has settled in one rubric family, to see whether labellers find it."""

    __tablename__ = "gold"
    pair_id: Mapped[str]
    family: Mapped[int]
    level: Mapped[int]
    why: Mapped[str]
    set_at: Mapped[datetime] = mapped_column(default=now)
    set_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    withdrawn_at: Mapped[datetime | None]
    __table_args__ = (
        belongs("pair_id", "pair"),
        Index(
            "uq_gold_pair",
            "project_id",
            "family",
            "pair_id",
            unique=True,
            sqlite_where=text("withdrawn_at IS NULL"),
            postgresql_where=text("withdrawn_at IS NULL"),
        ),
    )


class Returned(Owned, Base):
    """That a labeller held the assignment, and lost it before they graded it: a grade of theirs that comes late after
    all is kept while a place is free.
    """

    __tablename__ = "returned"
    assignment_id: Mapped[str]
    labeller_id: Mapped[str]
    returned_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        belongs("assignment_id", "assignment"),
        belongs("labeller_id", "member"),
        UniqueConstraint("project_id", "assignment_id", "labeller_id"),
    )


class Grade(Owned, Base):
    """One press. Never changed and never deleted: triggers on both databases refuse it."""

    __tablename__ = "grade"
    assignment_id: Mapped[str]
    revision: Mapped[int]
    """1 for the first grade of the assignment, then one more each time."""
    level: Mapped[int | None]
    reason: Mapped[str | None]
    """Why it can't be judged; then there is no level."""
    rationale: Mapped[str] = mapped_column(default="")
    text_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """Of the document text that was shown when it was graded."""
    rubric_id: Mapped[str]
    key: Mapped[str] = mapped_column(String(64))
    """Idempotency: one per rendering of a pair; the same again replays the answer. It counts within its assignment, so
    that nobody can find out which keys somebody else used.
    """
    origin: Mapped[str]
    """browser, api or import: where the grade came in."""
    active_ms: Mapped[int | None]
    """How long the labeller was at it, without the time when nothing moved; for leads only. None: not measured."""
    given_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (
        belongs("assignment_id", "assignment"),
        belongs("rubric_id", "rubric"),
        UniqueConstraint("project_id", "assignment_id", "revision"),
        UniqueConstraint("project_id", "assignment_id", "key"),
        CheckConstraint("(level IS NULL) <> (reason IS NULL)", name="level_or_reason"),
        CheckConstraint("origin IN ('browser', 'api', 'import')", name="origin"),
        CheckConstraint("revision >= 1", name="revision"),
    )


class Question(Owned, Base):
    """What a labeller asks the leads about a pair. It is set aside with the asking, and comes back."""

    __tablename__ = "question"
    assignment_id: Mapped[str]
    text: Mapped[str]
    asked_at: Mapped[datetime] = mapped_column(default=now)
    ruling_id: Mapped[str | None]
    """The answer."""
    __table_args__ = (
        belongs("assignment_id", "assignment"),
        belongs("ruling_id", "ruling"),
        Index("ix_question_assignment", "project_id", "assignment_id"),
    )
