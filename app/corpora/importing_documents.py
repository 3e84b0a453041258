"""Documents from files: new ones come in, the same stay, changed ones get a new text and with it a new `text_hash`.

A grade is tied to the hash of the text that was shown, so that those given before a change are known for what they are.
A document that was known by its docno only gets its text here.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, false, select, update
from sqlalchemy.orm import Session

from app.corpora.kinds import Findings, Incoming, Kind, batches
from app.corpora.models import Document, shown_hash
from app.corpora.queries import count_documents
from app.db import insert_rows, new_id, now
from app.formats.documents import Document as Given
from app.formats.documents import read_documents
from app.projects.models import Project
from app.words import plural

BATCH = 500
CHANGE = (
    update(Document)
    .where(Document.project_id == bindparam("of_project"), Document.id == bindparam("of_document"))
    .values(
        title=bindparam("new_title"),
        text=bindparam("new_text"),
        url=bindparam("new_url"),
        text_hash=bindparam("new_hash"),
        is_placeholder=false(),
    )
)


def bring_in_documents(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
    findings = Findings(more={"filled": 0})
    with incoming.opened() as file:
        for batch in batches(read_documents(file, incoming.name, **incoming.reading), BATCH):
            known = known_documents(session, incoming.project, batch)
            hashed = [(given, shown_hash(given.title, given.text, given.url)) for given in batch]
            new = [(given, digest) for given, digest in hashed if given.docno not in known]
            changed = [
                (known[given.docno], given, digest)
                for given, digest in hashed
                if given.docno in known
                and (known[given.docno].text_hash != digest or known[given.docno].is_placeholder)
            ]
            findings.new += len(new)
            findings.changed += len(changed)
            findings.same += len(batch) - len(new) - len(changed)
            findings.more["filled"] += sum(row.is_placeholder for row, _, _ in changed)
            if writes:
                add(session, incoming.project, new)
                change(session, incoming.project, changed)
    note(findings)
    return findings


def known_documents(session: Session, project: Project, batch: Sequence[Given]) -> dict[str, Any]:
    """Rows of id, docno, text_hash and is_placeholder by docno."""
    rows = select(Document.id, Document.docno, Document.text_hash, Document.is_placeholder).where(
        Document.project_id == project.id, Document.docno.in_([given.docno for given in batch])
    )
    return {row.docno: row for row in session.execute(rows)}


def add(session: Session, project: Project, new: Iterable[tuple[Given, str]]) -> None:
    moment = now()
    rows = [
        {
            "project_id": project.id,
            "id": new_id(),
            "docno": given.docno,
            "title": given.title,
            "text": given.text,
            "url": given.url,
            "is_placeholder": False,
            "text_hash": digest,
            "imported_at": moment,
        }
        for given, digest in new
    ]
    insert_rows(session, Document, rows)


def change(session: Session, project: Project, changed: Iterable[tuple[Any, Given, str]]) -> None:
    changes = [
        {
            "of_project": project.id,
            "of_document": row.id,
            "new_title": given.title,
            "new_text": given.text,
            "new_url": given.url,
            "new_hash": digest,
        }
        for row, given, digest in changed
    ]
    if changes:
        session.connection().execute(CHANGE, changes)


def note(findings: Findings) -> None:
    filled = findings.more["filled"]
    if filled:
        findings.notes.append(
            f"{plural(filled, 'document')} known by id only until now: the text comes with this file."
        )
    if findings.changed > filled:
        number = plural(findings.changed - filled, "document")
        findings.notes.append(
            f"{number} with another text than here. Grades given on the old text stay, flagged as such."
        )


DOCUMENTS = Kind(
    name="documents",
    one="document",
    many="documents",
    about="What is judged: one JSON object a line with id, title, text and url. Title and url may be missing.",
    example='{"id": "d1", "title": "Red shoes", "text": "Shoes for weddings …", "url": "https://shop.example/d1"}',
    bring_in=bring_in_documents,
    count=count_documents,
    at="/corpus/documents",
    missing="No documents yet. Labellers need their text.",
    then=(("/imports/runs", "Bring in runs"), ("/corpus", "See the corpus")),
)
