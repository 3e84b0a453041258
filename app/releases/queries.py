"""Selects over releases and their judgments."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.orm import Session

from app.errors import NotThere
from app.formats.qrels import Judgment as QrelsLine
from app.projects.models import Project
from app.releases.models import Judgment, Release

JUDGMENTS_A_BATCH = 5000


def releases_of(session: Session, project: Project) -> Sequence[Release]:
    """Newest first."""
    return session.scalars(
        select(Release).where(Release.project_id == project.id).order_by(Release.number.desc())
    ).all()


def release_in(session: Session, project: Project, release_id: str) -> Release:
    release = session.get(Release, (project.id, release_id))
    if release is None:
        raise NotThere
    return release


def newest_of(session: Session, project: Project, kind: str) -> Release | None:
    """`kind` is judged or reference."""
    return session.scalar(
        select(Release)
        .where(Release.project_id == project.id, Release.kind == kind)
        .order_by(Release.number.desc())
        .limit(1)
    )


def next_number(session: Session, project: Project) -> int:
    newest = session.scalar(select(func.max(Release.number)).where(Release.project_id == project.id))
    return (newest or 0) + 1


def number_of(session: Session, project: Project, name: str) -> int | None:
    """Of the release that is called so. Who freezes another holds the project's lock: a constraint can't say it, since
    releases from before the rule are never changed.
    """
    named = select(Release.number).where(Release.project_id == project.id, Release.name == name)
    return session.scalar(named.order_by(Release.number).limit(1))


def qrels_of(session: Session, release: Release) -> dict[str, dict[str, int]]:
    """Every judgment: qid to docno to grade, the qids in the order of their bytes."""
    qrels: dict[str, dict[str, int]] = {}
    rows = (
        select(Judgment.qid, Judgment.docno, Judgment.grade)
        .where(Judgment.project_id == release.project_id, Judgment.release_id == release.id)
        .order_by(Judgment.qid)
    )
    for qid, docno, grade in session.execute(rows, execution_options={"yield_per": JUDGMENTS_A_BATCH}):
        qrels.setdefault(qid, {})[docno] = grade
    return qrels


def judgments_of(session: Session, release: Release, qid: str) -> dict[str, int]:
    """One query's: docno to grade."""
    rows = select(Judgment.docno, Judgment.grade).where(
        Judgment.project_id == release.project_id, Judgment.release_id == release.id, Judgment.qid == qid
    )
    return {docno: grade for docno, grade in session.execute(rows)}  # noqa: C416 - mypy does not take rows for tuples.


def each_judgment(
    open_session: Callable[[], AbstractContextManager[Session]], *, project_id: str, release_id: str
) -> Iterator[QrelsLine]:
    """In the order of qid bytes, then docno bytes. Each batch has a session of its own: a release never changes, and a
    client that reads slowly holds no connection.
    """
    last: tuple[str, str] | None = None
    while True:
        with open_session() as session:
            rows = session.execute(batch_after(last, project_id, release_id)).all()
        for qid, docno, grade in rows:
            yield QrelsLine(qid, docno, grade)
        if len(rows) < JUDGMENTS_A_BATCH:
            return
        last = (rows[-1].qid, rows[-1].docno)


def batch_after(last: tuple[str, str] | None, project_id: str, release_id: str) -> Select[str, str, int]:
    rows = (
        select(Judgment.qid, Judgment.docno, Judgment.grade)
        .where(Judgment.project_id == project_id, Judgment.release_id == release_id)
        .order_by(Judgment.qid, Judgment.docno)
        .limit(JUDGMENTS_A_BATCH)
    )
    return rows if last is None else rows.where(tuple_(Judgment.qid, Judgment.docno) > last)
