"""What the record keeps of grades: a seal over every word of a grade and of what it was asked about."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from app.record.keeping import moment_of, seal

OF_THE_GRADE = (
    "id",
    "assignment_id",
    "revision",
    "level",
    "reason",
    "rationale",
    "text_hash",
    "rubric_id",
    "key",
    "origin",
    "active_ms",
)
"""Columns, beside the time when it was given."""


def seal_of(project_id: str, asked: tuple[str, str, str], grade: Mapping[str, Any]) -> str:
    """`asked`: the assignment's round, pair and labeller, since a grade would mean another thing under another."""
    return seal(project_id, *asked, *(grade[column] for column in OF_THE_GRADE), moment_of(grade["given_at"]))


def seal_of_all(seals: Iterable[str]) -> str:
    """Of grades that came in together, in whatever order they are read."""
    return hashlib.sha256("".join(sorted(seals)).encode()).hexdigest()
