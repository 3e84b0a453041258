"""Documents' other fields, of which labellers see those that the lead chose."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from app.corpora.models import Document, hash_with_fields
from app.projects.models import Project

BATCH = 1000
SAMPLE = 500
"""Documents of which a lead sees what fields there are."""
CHANGE = (
    update(Document)
    .where(Document.project_id == bindparam("of_project"), Document.id == bindparam("of_document"))
    .values({name: bindparam(f"new_{name}") for name in ("shown_fields", "source_hash", "text_hash")})
)


def chosen_of(project: Project, fields: Mapping[str, str]) -> list[list[str]]:
    """Name and value of those that the project shows, in its order."""
    return [[name, fields[name]] for name in project.shown_fields if name in fields]


def shown_beside(source_hash: str, shown_fields: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The columns of a document that follow from what is shown beside it."""
    return {
        "shown_fields": shown_fields,
        "source_hash": source_hash if shown_fields else None,
        "text_hash": hash_with_fields(source_hash, shown_fields),
    }


def show_anew(session: Session, project: Project) -> Counter[str]:
    """Has every document show what the project chose by now, and counts those that have each field. Where that changes
    what is shown, the text's hash changes with it.
    """
    having: Counter[str] = Counter()
    for batch in every_document(session, project):
        changes = []
        for row in batch:
            chosen = chosen_of(project, row.fields)
            having.update(name for name, _ in chosen)
            if chosen != row.shown_fields:
                new = shown_beside(row.source_hash or row.text_hash, chosen)
                named = {f"new_{name}": value for name, value in new.items()}
                changes.append({"of_project": project.id, "of_document": row.id, **named})
        if changes:
            session.connection().execute(CHANGE, changes)
    return having


def fields_seen(session: Session, project: Project) -> dict[str, str]:
    """Fields of the first documents by name, each with a value."""
    rows = select(Document.fields).where(Document.project_id == project.id).order_by(Document.docno).limit(SAMPLE)
    seen: dict[str, str] = {}
    for fields in session.scalars(rows):
        seen = fields | seen
    return dict(sorted(seen.items()))


def every_document(session: Session, project: Project) -> Iterator[Sequence[Any]]:
    """Rows of id, fields, shown_fields, source_hash and text_hash, some at a time."""
    kept = (Document.id, Document.fields, Document.shown_fields, Document.source_hash, Document.text_hash)
    after = ""
    while True:
        rows = select(*kept).where(Document.project_id == project.id, Document.id > after)
        batch = session.execute(rows.order_by(Document.id).limit(BATCH)).all()
        if not batch:
            return
        yield batch
        after = batch[-1].id
