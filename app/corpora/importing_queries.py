"""Queries from files: new ones come in, the same stay, and another text is taken while nothing is drawn on the old.

What a file does not say stays as it is: a list of ids and texts leaves descriptions and narratives alone.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from app.corpora.choices import HAS_HEADER, Choice
from app.corpora.kinds import Findings, Incoming, Kind, batches
from app.corpora.models import Query
from app.corpora.queries import count_queries
from app.corpora.sealing import seals_of_queries
from app.db import insert_rows, new_id, now
from app.formats.queries import FORMATS, read_queries
from app.formats.queries import Query as Given
from app.projects.models import Project

FindFrozen = Callable[[Session, Project, Sequence[str]], set[str]]
"""Which of the queries with these ids have been drawn on, so that their text must stay as it is."""

BATCH = 1000
FORMAT = Choice("format", "Format", options=tuple((name, name) for name in FORMATS), reads_as="format")
CHANGE = (
    update(Query)
    .where(Query.project_id == bindparam("of_project"), Query.id == bindparam("of_query"))
    .values(
        text=bindparam("new_text"),
        description=bindparam("new_description"),
        narrative=bindparam("new_narrative"),
        slice=bindparam("new_slice"),
        lang=bindparam("new_lang"),
    )
)


def queries_kind(find_frozen: FindFrozen) -> Kind:
    """Queries as a kind of file. `find_frozen` comes from the slice that draws pools, which stands above this one."""
    return Kind(
        name="queries",
        one="query",
        many="queries",
        about="What people ask, one query a line: its id, a tab and its text. CSV with a heading, JSON Lines, TREC "
        "topics (SGML or XML) with description and narrative, and lines like id:query are read as well. A column or "
        "key “slice” names the part of the traffic that a query stands for, “lang” its language (en, pt-BR).",
        example="q1\tbluetooth speaker\nq2\tsurround sound speakers",
        choices=lambda _session, _project: (FORMAT, HAS_HEADER),
        bring_in=partial(bring_in_queries, find_frozen=find_frozen),
        count=count_queries,
        at="/corpus/queries",
        missing="No queries yet. Begin with what people ask.",
        then=(("/imports/documents", "Bring in documents"), ("/corpus", "See the corpus")),
    )


def bring_in_queries(session: Session, incoming: Incoming, *, writes: bool, find_frozen: FindFrozen) -> Findings:
    findings = Findings()
    with incoming.opened() as file:
        for batch in batches(read_queries(file, incoming.name, **incoming.reading), BATCH):
            known = known_queries(session, incoming.project, batch)
            new = [given for given in batch if given.qid not in known]
            changed = [given for given in batch if given.qid in known and not is_same(known[given.qid], given)]
            findings.new += len(new)
            findings.changed += len(changed)
            findings.same += len(batch) - len(new) - len(changed)
            reworded = [given for given in changed if not says_the_same(known[given.qid], given)]
            refuse_frozen(session, incoming, findings, known, reworded, find_frozen)
            if writes and not findings.problems:
                write(session, incoming.project, new, [(known[given.qid], given) for given in changed])
    if writes and not findings.problems:
        findings.seals = seals_of_queries(session, incoming.project.id)
    return findings


def known_queries(session: Session, project: Project, batch: Sequence[Given]) -> dict[str, Any]:
    """Rows of id, qid, text, description, narrative, slice and lang by qid."""
    said = (Query.text, Query.description, Query.narrative, Query.slice, Query.lang)
    rows = select(Query.id, Query.qid, *said).where(
        Query.project_id == project.id, Query.qid.in_([given.qid for given in batch])
    )
    return {row.qid: row for row in session.execute(rows)}


def is_same(row: Any, given: Given) -> bool:
    return says_the_same(row, given) and given.slice in {"", row.slice} and given.lang in {"", row.lang}


def says_the_same(row: Any, given: Given) -> bool:
    """To whoever judges: slice and language are no part of what they read."""
    return (
        given.text == row.text and given.description in {"", row.description} and given.narrative in {"", row.narrative}
    )


def refuse_frozen(
    session: Session,
    incoming: Incoming,
    findings: Findings,
    known: dict[str, Any],
    changed: Sequence[Given],
    find_frozen: FindFrozen,
) -> None:
    """A query in a pool has perhaps been judged as it stands; only one that had no text yet may be given one."""
    asked = [known[given.qid].id for given in changed if known[given.qid].text]
    frozen = find_frozen(session, incoming.project, asked) if asked else set()
    for given in changed:
        if known[given.qid].id in frozen:
            reason = f'the query "{given.qid}" is in a pool with another text, description or narrative'
            way_out = "Keep its text as it is here, or give the new wording a new id."
            findings.report(incoming.problem(given.line, reason, known[given.qid].text, way_out))


def write(session: Session, project: Project, new: Sequence[Given], changed: Sequence[tuple[Any, Given]]) -> None:
    moment = now()
    rows = [
        {
            "project_id": project.id,
            "id": new_id(),
            "qid": given.qid,
            "text": given.text,
            "description": given.description,
            "narrative": given.narrative,
            "slice": given.slice,
            "lang": given.lang,
            "imported_at": moment,
        }
        for given in new
    ]
    insert_rows(session, Query, rows)
    if changed:
        changes = [
            {
                "of_project": project.id,
                "of_query": row.id,
                "new_text": given.text,
                "new_description": given.description or row.description,
                "new_narrative": given.narrative or row.narrative,
                "new_slice": given.slice or row.slice,
                "new_lang": given.lang or row.lang,
            }
            for row, given in changed
        ]
        session.connection().execute(CHANGE, changes)
