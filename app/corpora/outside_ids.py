"""Queries and documents as a file names them: queries by their texts too, and what the project does not have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.kinds import Findings, Incoming
from app.corpora.models import Query
from app.corpora.placeholders import FAULTS, find_documents, find_queries
from app.formats.errors import quoted
from app.projects.models import Project
from app.words import plural

MOST_NAMED = 5


@dataclass
class NamedQueries:
    """The project's queries, by qid or by text: some files name a query by what it asks."""

    texts: Mapping[str, str]
    """By qid; empty where no text was brought in."""
    qids: dict[str, list[str]] = field(default_factory=dict)
    """By text as it is compared, in the order of their bytes."""
    seen: dict[str, str | None] = field(default_factory=dict)
    """What each word that is no qid stands for; None where that can't be told."""

    @classmethod
    def of(cls, session: Session, project: Project) -> Self:
        rows = select(Query.qid, Query.text).where(Query.project_id == project.id).order_by(Query.qid)
        named = cls(dict(session.execute(rows).all()))
        for qid, text in named.texts.items():
            if text:
                named.qids.setdefault(as_compared(text), []).append(qid)
        return named

    def qid_of(self, incoming: Incoming, findings: Findings, word: str, line: int) -> str | None:
        """The query that the word stands for, or the word itself where it is nobody's id or text. None where several
        have that text, which is reported once.
        """
        if word in self.texts:
            return word
        if word not in self.seen:
            qids = self.qids.get(as_compared(word), [word])
            self.seen[word] = qids[0] if len(qids) == 1 else None
            if len(qids) > 1:
                some = ", ".join(qids[:MOST_NAMED]) + (" …" if len(qids) > MOST_NAMED else "")
                have = plural(len(qids), "query has", "queries have")
                reason = f"{have} the text {quoted(word)}: {some}"
                findings.report(incoming.problem(line, reason, word, "Name the query by its id."))
        return self.seen[word]

    def tell(self, findings: Findings) -> None:
        found = {qid for qid in self.seen.values() if qid in self.texts}
        if found:
            words = plural(len(found), "query was found by its text", "queries were found by their texts")
            findings.notes.append(f"{words}.")


def as_compared(text: str) -> str:
    """Without capitals, and each run of blanks as one. Signs count, unlike where two queries are held to ask the same:
    nobody's grades of "size 45" are of "size 4.5".
    """
    return " ".join(text.casefold().split())


def first_lines(named: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Each id's lowest line."""
    lines: dict[str, int] = {}
    for each, line in named:
        lines[each] = min(line, lines.get(each, line))
    return lines


def makes_placeholders(incoming: Incoming) -> bool:
    return bool(incoming.chosen.get("placeholders") == "make")


def report_unknown(
    session: Session,
    incoming: Incoming,
    findings: Findings,
    word: str,
    lines: Mapping[str, int],
    *,
    way_out: str,
    makes: bool,
) -> int:
    """How many of these ids, each with its line, the project does not have. Each is a problem; where placeholders are
    made, only one that no qrels file can hold. `word` is "query" or "document".
    """
    find = find_queries if word == "query" else find_documents
    known = find(session, incoming.project, lines)
    missing = sorted((line, each) for each, line in lines.items() if each not in known)
    for line, each in missing:
        if not makes:
            findings.report(incoming.problem(line, f"there is no {word} {quoted(each)}", each, way_out))
        elif fault := FAULTS[word](each):
            findings.report(incoming.problem(line, f"the {word} id {quoted(each)} {fault}", each, OTHER_ID[word]))
    return len(missing)


OTHER_ID = {
    "query": "Bring in the queries first, if these are their texts, or give the query another id.",
    "document": "Give the document another id, here and in the corpus.",
}
