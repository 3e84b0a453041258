"""Pools: what is to be judged, drawn from runs or handed in as a list of pairs."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import ID_LENGTH, Base, now
from app.projects.models import Owned, belongs


class Pair(Owned, Base):
    """One query and one document: what is judged. It exists once in a project, whatever pools it is in."""

    __tablename__ = "pair"
    query_id: Mapped[str]
    document_id: Mapped[str]
    __table_args__ = (
        belongs("query_id", "query"),
        belongs("document_id", "document"),
        UniqueConstraint("project_id", "query_id", "document_id"),
    )


class Pool(Owned, Base):
    """A drawn set of pairs."""

    __tablename__ = "pool"
    number: Mapped[int]
    source: Mapped[str]
    """runs (the union of their top `depth`), pairs (a list) or grades (an imported round's own pairs)."""
    depth: Mapped[int | None]
    run_names: Mapped[list[Any]] = mapped_column(JSON)
    drawn_at: Mapped[datetime] = mapped_column(default=now)
    drawn_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        CheckConstraint("source IN ('runs', 'pairs', 'grades')", name="source"),
        CheckConstraint("(source = 'runs') = (depth IS NOT NULL)", name="depth"),
    )


class PoolPair(Base):
    """That a pair is in a pool."""

    __tablename__ = "pool_pair"
    project_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    pool_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    pair_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    __table_args__ = (belongs("pool_id", "pool"), belongs("pair_id", "pair"))
