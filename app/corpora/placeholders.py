"""Queries and documents by their outside ids; those that are not here yet can be made known by id alone.

Pair lists and grades name documents whose text may come later, or never. Such a row is a placeholder: it can hold
imported grades, and can't be judged here before an import brings its text.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.models import NO_TEXT, Document, Query
from app.db import insert_rows, new_id, now
from app.errors import RuleError
from app.formats.errors import quoted
from app.formats.ids import fault_of_id, fault_of_qid
from app.projects.models import Project

BATCH = 1000
FAULTS: Final[Mapping[str, Callable[[str], str | None]]] = {"query": fault_of_qid, "document": fault_of_id}
"""Why an id can't stand in a qrels file, by what it is of."""


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
        for qid in _missing("query", wanted, found)
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
        for docno in _missing("document", wanted, found)
    ]
    insert_rows(session, Document, rows)
    return found | {str(row["docno"]): str(row["id"]) for row in rows}, len(rows)


def _missing(word: str, wanted: Iterable[str], found: Mapping[str, str]) -> list[str]:
    """Those that are not here. RuleError where no qrels file could hold one: no release could be frozen with it."""
    missing = [each for each in wanted if each not in found]
    for each in missing:
        if fault := FAULTS[word](each):
            raise RuleError(f"The {word} id {quoted(each)} {fault}.", "Give it another id in the file that names it.")
    return missing


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
