"""Runs and their rankings: one compressed row for each run and query."""

import zlib
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import CheckConstraint, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import ID_LENGTH, Base, Bytewise, now
from app.people.models import HASH_LENGTH
from app.projects.models import Owned, belongs


class Run(Owned, Base):
    """One system's output. `name` is what its file calls it, or what the lead chose."""

    __tablename__ = "run"
    name: Mapped[str]
    sha256: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """Of the file as it came."""
    rankings: Mapped[int]
    lines: Mapped[int]
    imported_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (UniqueConstraint("project_id", "name"),)


class Ranking(Base):
    """A run's documents for one query in the file's order, with their scores. Its query need not be in the project:
    runs often answer more queries than are judged.
    """

    __tablename__ = "ranking"
    project_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    run_id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    qid: Mapped[str] = mapped_column(Bytewise, primary_key=True)
    returned: Mapped[int]
    packed_docnos: Mapped[bytes] = mapped_column(LargeBinary)
    packed_scores: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (belongs("run_id", "run"), CheckConstraint("returned > 0", name="returned"))

    def docnos(self) -> list[str]:
        return zlib.decompress(self.packed_docnos).decode().split("\n")

    def scores(self) -> NDArray[np.float64]:
        return np.frombuffer(zlib.decompress(self.packed_scores), dtype="<f8").astype(np.float64)


def pack(docnos: Sequence[str], scores: Sequence[float] | NDArray[np.float64]) -> tuple[bytes, bytes]:
    """Both columns of a ranking. A docno holds no white space (the run format splits at it), so a newline parts them;
    scores are little-endian 64-bit floats on every machine.
    """
    return zlib.compress("\n".join(docnos).encode(), 6), zlib.compress(np.asarray(scores, dtype="<f8").tobytes(), 6)
