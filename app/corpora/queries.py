"""Selects over queries, documents and uploads."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.projects.models import Project


def count_queries(session: Session, project: Project) -> int:
    return session.execute(select(func.count()).where(Query.project_id == project.id)).scalar_one()


def count_documents(session: Session, project: Project) -> int:
    """Placeholders, whose text is not in hand, among them."""
    return session.execute(select(func.count()).where(Document.project_id == project.id)).scalar_one()
