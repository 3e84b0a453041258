"""Releases: frozen judged sets. Triggers on both databases refuse every later change."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import ID_LENGTH, Base, Bytewise, now
from app.people.models import HASH_LENGTH
from app.projects.models import Owned, belongs

SOURCES = ("agreed", "adjudicated", "primary", "single", "imported", "carried", "reference")


class Release(Owned, Base):
    """A judged set, frozen; `reference` marks qrels that came from elsewhere and were never judged here."""

    __tablename__ = "release"
    number: Mapped[int]
    kind: Mapped[str]
    """judged or reference."""
    name: Mapped[str]
    is_gated: Mapped[bool]
    waiver_reason: Mapped[str | None]
    sha256: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """Of the manifest, which itself names the hash of the judgments: clocks and row ids are in neither."""
    manifest: Mapped[str]
    """Canonical JSON: all that is exported but the head of the record."""
    frozen_at: Mapped[datetime] = mapped_column(default=now)
    frozen_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    record_number: Mapped[int]
    """The newest act of the project's record when it was frozen, and its hash."""
    record_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        CheckConstraint("kind IN ('judged', 'reference')", name="kind"),
        CheckConstraint("kind = 'judged' OR NOT is_gated", name="reference_is_ungated"),
        CheckConstraint("is_gated OR kind = 'reference' OR waiver_reason IS NOT NULL", name="waiver"),
    )


class Judgment(Base):
    """One pair's final grade in a release, and where it comes from."""

    __tablename__ = "judgment"
    project_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    release_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    qid: Mapped[str] = mapped_column(Bytewise, primary_key=True)
    docno: Mapped[str] = mapped_column(Bytewise, primary_key=True)
    grade: Mapped[int]
    source: Mapped[str]
    text_hash: Mapped[str | None] = mapped_column(String(HASH_LENGTH))
    """Of the text that was graded; none for reference qrels."""
    __table_args__ = (
        belongs("release_id", "release"),
        CheckConstraint(f"source IN {SOURCES}", name="source"),
    )
