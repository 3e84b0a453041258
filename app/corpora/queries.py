"""Selects over queries, documents and uploads."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, defer

from app.corpora.models import KEPT_FOR, Document, Query, Upload
from app.db import now
from app.projects.models import Project

PAGE = 50
RECENT = 10
LAST = "\U0010ffff"
"""Sorts after whatever can follow the beginning of an id."""


def count_queries(session: Session, project: Project) -> int:
    return session.execute(select(func.count()).where(Query.project_id == project.id)).scalar_one()


def count_documents(session: Session, project: Project) -> int:
    """Placeholders, whose text is not in hand, among them."""
    return session.execute(select(func.count()).where(Document.project_id == project.id)).scalar_one()


def count_placeholders(session: Session, project: Project) -> int:
    placeholders = select(func.count()).where(Document.project_id == project.id, Document.is_placeholder)
    return session.execute(placeholders).scalar_one()


def count_queries_without_text(session: Session, project: Project) -> int:
    return session.execute(select(func.count()).where(Query.project_id == project.id, Query.text == "")).scalar_one()


def words_of_queries(session: Session, project_id: str) -> Mapping[str, str]:
    """Outside id → what was asked; the id itself where no text was brought in."""
    rows = session.execute(select(Query.qid, Query.text).where(Query.project_id == project_id))
    return {qid: text or qid for qid, text in rows}


def same_questions(session: Session, project_id: str) -> Mapping[str, str]:
    """Outside id → the first id, by bytes, under which the same is asked: the same letters and figures in text,
    description and narrative, whatever stands between them. A query without a text is like no other.
    """
    asked = select(Query.qid, Query.text, Query.description, Query.narrative)
    rows = session.execute(asked.where(Query.project_id == project_id).order_by(Query.qid)).all()
    firsts: dict[tuple[str, ...], str] = {}
    return {qid: firsts.setdefault(tuple(map(letters_of, texts)), qid) if texts[0] else qid for qid, *texts in rows}


def letters_of(text: str) -> str:
    """Without capitals, blanks and signs; a text of nothing but signs is itself."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain)) or plain


def count_by_id_only(session: Session, project: Project) -> Counter[str]:
    """By kind, how many are known by their outside id and have no text: nobody can judge them here yet."""
    return Counter(queries=count_queries_without_text(session, project), documents=count_placeholders(session, project))


def queries_page(session: Session, project: Project, *, after: str, find: str) -> tuple[Sequence[Query], bool]:
    """Up to fifty queries by the bytes of their qids, and whether more follow. `find` is the beginning of a qid, or a
    part of the text.
    """
    rows = select(Query).where(Query.project_id == project.id, Query.qid > after).order_by(Query.qid)
    if find:
        begins = (Query.qid >= find) & (Query.qid < find + LAST)
        rows = rows.where(or_(begins, Query.text.icontains(find, autoescape=True)))
    found = session.scalars(rows.limit(PAGE + 1)).all()
    return found[:PAGE], len(found) > PAGE


def documents_page(session: Session, project: Project, *, after: str, find: str) -> tuple[Sequence[Document], bool]:
    """Up to fifty documents, without their texts, by the bytes of their docnos, and whether more follow. `find` is the
    beginning of a docno: a corpus is too large to look into every text.
    """
    rows = select(Document).options(defer(Document.text), defer(Document.html)).where(Document.project_id == project.id)
    rows = rows.where(Document.docno > after).order_by(Document.docno)
    if find:
        rows = rows.where(Document.docno >= find, Document.docno < find + LAST)
    found = session.scalars(rows.limit(PAGE + 1)).all()
    return found[:PAGE], len(found) > PAGE


def waiting_uploads(session: Session, project: Project) -> Sequence[Upload]:
    """Files of the last day that nobody has decided about, the newest first: older ones are swept away."""
    rows = select(Upload).where(
        Upload.project_id == project.id, Upload.state == "previewed", Upload.uploaded_at > now() - KEPT_FOR
    )
    return session.scalars(rows.order_by(Upload.uploaded_at.desc())).all()


def recent_imports(session: Session, project: Project) -> Sequence[Upload]:
    rows = select(Upload).where(Upload.project_id == project.id, Upload.state == "done")
    return session.scalars(rows.order_by(Upload.ended_at.desc()).limit(RECENT)).all()
