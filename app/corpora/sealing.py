"""Seals of all queries, and of all documents, of a project: what acts tell that bring some in."""

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.record.sealing import Seals, seal_of_rows, stream, unread

TOLD_BY_HASH = ("project_id", "title", "text", "url", "html")
"""Columns of documents whose change is seen by `text_hash`, or source_hash, or that are the same in all of them."""
OF_DOCUMENTS = [unread(each) for each in Document.__table__.columns if each.key not in TOLD_BY_HASH]
OF_QUERIES = [unread(each) for each in Query.__table__.columns if each.key != "project_id"]


def seals_of_queries(session: Session, project_id: str) -> Seals:
    """Empty where there are none."""
    if not session.scalar(select(exists().where(Query.project_id == project_id))):
        return {}
    rows = select(*OF_QUERIES).where(Query.project_id == project_id).order_by(Query.qid)
    return {"query": {project_id: seal_of_rows(stream(session, rows))}}


def seals_of_documents(session: Session, project_id: str) -> Seals:
    """Of their hashes, which tell of their texts. Empty where there are none."""
    if not session.scalar(select(exists().where(Document.project_id == project_id))):
        return {}
    rows = select(*OF_DOCUMENTS).where(Document.project_id == project_id).order_by(Document.docno)
    return {"document": {project_id: seal_of_rows(stream(session, rows))}}
