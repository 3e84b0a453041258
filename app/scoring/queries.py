"""Selects over runs, and over what is known of the queries and documents that scores speak of."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.errors import NotThere
from app.projects.models import Project
from app.releases.models import Judgment, Release
from app.runs.models import Run


def run_in(session: Session, project: Project, run_id: str) -> Run:
    run = session.get(Run, (project.id, run_id))
    if run is None:
        raise NotThere
    return run


def run_called(session: Session, project: Project, word: str) -> Run:
    """By name, as people call it, or by id."""
    named = session.scalar(select(Run).where(Run.project_id == project.id, Run.name == word))
    return named or run_in(session, project, word)


def query_texts(session: Session, release: Release) -> dict[str, str]:
    """qid to text, of the release's queries that the corpus holds."""
    judged = select(Judgment.qid).where(Judgment.project_id == release.project_id, Judgment.release_id == release.id)
    rows = select(Query.qid, Query.text).where(Query.project_id == release.project_id, Query.qid.in_(judged))
    return {qid: text for qid, text in session.execute(rows)}  # noqa: C416 - mypy does not take rows for tuples.


def titles_of(session: Session, project: Project, docnos: Collection[str]) -> dict[str, str]:
    """docno to title, of those that the corpus holds and that have one."""
    rows = select(Document.docno, Document.title).where(
        Document.project_id == project.id, Document.docno.in_(docnos), Document.title != ""
    )
    return {docno: title for docno, title in session.execute(rows)}  # noqa: C416 - as above.
