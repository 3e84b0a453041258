"""Documents from files: new ones come in, the same stay, changed ones get a new text and with it a new `text_hash`.

A grade is tied to the hash of the text that was shown, so that those given before a change are known for what they are.
A document that was known by its docno only gets its text here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, false, select, update
from sqlalchemy.orm import Session

from app.corpora.choices import Choice
from app.corpora.kinds import Findings, Incoming, Kind, batches
from app.corpora.markup import cleaned, looks_like_html, text_of
from app.corpora.models import Document, shown_hash
from app.corpora.queries import count_documents
from app.corpora.sealing import seals_of_documents
from app.corpora.shown_fields import chosen_of, shown_beside
from app.db import insert_rows, new_id, now
from app.formats.documents import LONGEST_FIELD, read_documents
from app.formats.documents import Document as Given
from app.projects.models import Project
from app.words import plural

BATCH = 500
MOST_NAMED = 10
MARKUP = Choice(
    "markup", "The text is", options=(("plain", "plain text"), ("html", "HTML")), reads_as="markup", comes_first=True
)
READ = ("title", "text", "url", "html", "lang", "fields", "shown_fields", "source_hash", "text_hash")
"""Columns that a file says, or that follow from it."""
CHANGE = (
    update(Document)
    .where(Document.project_id == bindparam("of_project"), Document.id == bindparam("of_document"))
    .values({name: bindparam(f"new_{name}") for name in READ} | {"is_placeholder": false()})
)
Read = dict[str, Any]
"""The READ columns of a document, and its docno."""


@dataclass
class Noticed:
    """What there is to say about a file's documents, beside how many they are."""

    reworded: int = 0
    """Documents with another text than the one that is here."""
    tagged: int = 0
    """Texts that look like HTML and are not shown as such."""
    passed_over: set[str] = field(default_factory=set)
    """Names of fields that can't be shown in a line."""

    def look_at(self, batch: Sequence[Given]) -> None:
        self.tagged += sum(not given.html and looks_like_html(given.text) for given in batch)
        self.passed_over.update(*(given.passed_over for given in batch))


def bring_in_documents(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
    findings, noticed = Findings(more={"filled": 0}), Noticed()
    with incoming.opened() as file:
        for batch in batches(read_documents(file, incoming.name, **incoming.reading), BATCH):
            noticed.look_at(batch)
            read = list(all_read(incoming, findings, batch))
            known = known_documents(session, incoming.project, batch)
            new = [row for row in read if row["docno"] not in known]
            changed = [(known[row["docno"]], row) for row in read if row["docno"] in known]
            changed = [(here, row) for here, row in changed if has_changed(here, row)]
            findings.new += len(new)
            findings.changed += len(changed)
            findings.same += len(read) - len(new) - len(changed)
            findings.more["filled"] += sum(here.is_placeholder for here, _ in changed)
            noticed.reworded += sum(is_reworded(here, row) for here, row in changed)
            if writes and not findings.problems:
                add(session, incoming.project, new)
                change(session, incoming.project, changed)
    if writes and not findings.problems:
        findings.seals = seals_of_documents(session, incoming.project.id)
    note(findings, noticed)
    return findings


def all_read(incoming: Incoming, findings: Findings, batch: Iterable[Given]) -> Iterator[Read]:
    """What can't be taken is reported."""
    for given in batch:
        try:
            html = cleaned(given.html) if given.html else ""
        except ValueError as error:
            reason, way_out = f'the HTML of the document "{given.docno}" {error}', "Give its text in the HTML's place."
            findings.report(incoming.problem(given.line, reason, way_out=way_out))
            continue
        text = given.text or text_of(html)
        source_hash = shown_hash(given.title, text, given.url, html)
        yield {
            "docno": given.docno,
            "title": given.title,
            "text": text,
            "url": given.url,
            "html": html,
            "lang": given.lang,
            "fields": given.fields,
            **shown_beside(source_hash, chosen_of(incoming.project, given.fields)),
        }


def known_documents(session: Session, project: Project, batch: Sequence[Given]) -> dict[str, Any]:
    """Rows of id, docno, text_hash, lang, fields and is_placeholder by docno."""
    kept = (Document.text_hash, Document.lang, Document.fields, Document.is_placeholder)
    rows = select(Document.id, Document.docno, *kept).where(
        Document.project_id == project.id, Document.docno.in_([given.docno for given in batch])
    )
    return {row.docno: row for row in session.execute(rows)}


def has_changed(here: Any, row: Read) -> bool:
    kept = (here.text_hash, here.lang, here.fields)
    return here.is_placeholder or kept != (row["text_hash"], row["lang"], row["fields"])


def is_reworded(here: Any, row: Read) -> bool:
    """Whether labellers see something else, where they could see anything."""
    return not here.is_placeholder and here.text_hash != row["text_hash"]


def add(session: Session, project: Project, new: Iterable[Read]) -> None:
    own = {"project_id": project.id, "is_placeholder": False, "imported_at": now()}
    insert_rows(session, Document, [{**own, "id": new_id(), **row} for row in new])


def change(session: Session, project: Project, changed: Iterable[tuple[Any, Read]]) -> None:
    changes = [
        {"of_project": project.id, "of_document": here.id, **{f"new_{name}": row[name] for name in READ}}
        for here, row in changed
    ]
    if changes:
        session.connection().execute(CHANGE, changes)


def note(findings: Findings, noticed: Noticed) -> None:
    filled = findings.more["filled"]
    if filled:
        findings.notes.append(
            f"{plural(filled, 'document')} known by id only until now: the text comes with this file."
        )
    if noticed.reworded:
        number = plural(noticed.reworded, "document")
        findings.notes.append(
            f"{number} with another text than here. Grades given on the old text stay, flagged as such."
        )
    if noticed.tagged:
        which = "1 text looks" if noticed.tagged == 1 else f"{noticed.tagged:,} texts look"
        findings.notes.append(f"{which} like HTML, and will be shown with all tags. Choose that the text is HTML.")
    if noticed.passed_over:
        names = ", ".join(sorted(noticed.passed_over)[:MOST_NAMED])
        findings.notes.append(f"Not kept, being objects or longer than {LONGEST_FIELD:,} characters: {names}.")


DOCUMENTS = Kind(
    name="documents",
    one="document",
    many="documents",
    about="What is judged: one JSON object a line with id, title, text and url; title and url may be missing. A key "
    "“html” holds a page, which is shown without scripts in the text's place; “lang” its language (en, pt-BR). "
    "Other keys, such as a price, are kept, and shown at the desk where you choose so.",
    example='{"id": "d1", "title": "Red shoes", "text": "Shoes for weddings …", "url": "https://shop.example/d1"}',
    choices=lambda _session, _project: (MARKUP,),
    bring_in=bring_in_documents,
    count=count_documents,
    at="/corpus/documents",
    missing="No documents yet. Labellers need their text.",
    then=(
        ("/imports/runs", "Bring in runs"),
        ("/showing", "Choose what the desk shows"),
        ("/corpus", "See the corpus"),
    ),
)
