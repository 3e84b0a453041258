"""Queries and documents by their outside ids; those that are not here yet can be made known by id alone.

Pair lists and grades name documents whose text may come later, or never. Such a row is a placeholder: it can hold
imported grades, and can't be judged here before an import brings its text.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpora.models import NO_TEXT, Document, Query
from app.db import insert_rows, new_id, now
from app.projects.models import Project

BATCH = 1000


def find_queries(session: Session, project: Project, qids: Iterable[str]) -> dict[str, str]:
    """Row ids by qid, of those that the project has."""
    return _find(session, project, Query, qids)


def find_documents(session: Session, project: Project, docnos: Iterable[str]) -> dict[str, str]:
    """Row ids by docno, of those that the project has, placeholders included."""
    return _find(session, project, Document, docnos)


def know_queries(session: Session, project: Project, qids: Iterable[str]) -> dict[str, str]:
    """Row ids by qid, of all of them; the missing ones are made, without text."""
    wanted = list(dict.fromkeys(qids))
    found = find_queries(session, project, wanted)
    moment = now()
    rows = [
        {
            "project_id": project.id,
            "id": new_id(),
            "qid": qid,
            "text": "",
            "description": "",
            "narrative": "",
            "slice": "",
            "lang": "",
            "imported_at": moment,
        }
        for qid in wanted
        if qid not in found
    ]
    insert_rows(session, Query, rows)
    return found | {str(row["qid"]): str(row["id"]) for row in rows}


def know_documents(session: Session, project: Project, docnos: Iterable[str]) -> tuple[dict[str, str], int]:
    """Row ids by docno, of all of them, and how many were missing and are made, as placeholders."""
    wanted = list(dict.fromkeys(docnos))
    found = find_documents(session, project, wanted)
    moment = now()
    rows: list[dict[str, Any]] = [
        {
            "project_id": project.id,
            "id": new_id(),
            "docno": docno,
            "title": "",
            "text": "",
            "url": "",
            "html": "",
            "lang": "",
            "fields": {},
            "shown_fields": [],
            "is_placeholder": True,
            "source_hash": None,
            "text_hash": NO_TEXT,
            "imported_at": moment,
        }
        for docno in wanted
        if docno not in found
    ]
    insert_rows(session, Document, rows)
    return found | {str(row["docno"]): str(row["id"]) for row in rows}, len(rows)


def qids_by_text(session: Session, project: Project) -> dict[str, str]:
    """The qid for each text that exactly one query has: some lists name queries by what they ask."""
    texts = (
        select(Query.text, func.min(Query.qid))
        .where(Query.project_id == project.id, Query.text != "")
        .group_by(Query.text)
        .having(func.count() == 1)
    )
    return dict(session.execute(texts).all())


def _find(
    session: Session, project: Project, model: type[Query] | type[Document], words: Iterable[str]
) -> dict[str, str]:
    outside = Query.qid if model is Query else Document.docno
    found: dict[str, str] = {}
    rest = iter(dict.fromkeys(words))
    while batch := list(islice(rest, BATCH)):
        rows = select(outside, model.id).where(model.project_id == project.id, outside.in_(batch))
        found.update((word, row_id) for word, row_id in session.execute(rows))
    return found
