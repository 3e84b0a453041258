"""Selects over pools and their pairs."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.pools.models import Pair
from app.projects.models import Project


def find_pooled_queries(session: Session, project: Project, query_ids: Sequence[str]) -> set[str]:
    """Which of these queries have pairs: they have been drawn on, and perhaps judged, as they stand."""
    pooled = select(Pair.query_id).where(Pair.project_id == project.id, Pair.query_id.in_(query_ids))
    return set(session.scalars(pooled.distinct()))
