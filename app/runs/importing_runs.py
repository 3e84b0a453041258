"""Runs from files: one run a file, whole. What a run says of queries and documents that are not here is kept."""

import statistics
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.choices import Choice
from app.corpora.kinds import Findings, Incoming, Kind, batches
from app.corpora.models import Document, Query
from app.db import insert_rows, new_id
from app.formats.runs import Ranking as Given
from app.formats.runs import read_rankings
from app.names import is_name
from app.projects.models import Project
from app.record.sealing import seals_of
from app.runs.models import Ranking, Run, pack
from app.runs.queries import count_runs
from app.runs.sealing import seals_of_rankings
from app.words import count, plural

RANKINGS_AT_A_TIME = 200
DOCNOS_AT_A_TIME = 10_000
LONGEST_NAME = 200
NAME = Choice(
    "name",
    "Name of the run",
    "Left empty, it is called as the last column of its file says.",
    takes="line",
    reads_as="tag",
    comes_first=True,
)


def bring_in_run(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
    """The same bytes again are the same run, whatever it is called; the same name with other bytes is refused."""
    same = session.scalar(
        select(Run).where(Run.project_id == incoming.project.id, Run.sha256 == incoming.sha256).limit(1)
    )
    if same is not None:
        return Findings(same=1, notes=[f"This file is here already, as the run “{same.name}”."])
    findings, tally = Findings(new=1), Tally(project_qids(session, incoming.project))
    with incoming.opened() as file:
        rankings = read_rankings(file, incoming.name, **incoming.reading)
        first = next(rankings)
        refuse_name(session, incoming, findings, first.tag)
        run = Run(project_id=incoming.project.id, id=new_id(), name=first.tag, sha256=incoming.sha256)
        run.rankings = run.lines = 0
        if writes and not findings.problems:
            session.add(run)
        for batch in batches(chain([first], rankings), RANKINGS_AT_A_TIME):
            tally.take(batch)
            if writes and not findings.problems:
                insert_rows(session, Ranking, [as_row(run, given) for given in batch])
    run.rankings, run.lines = len(tally.depths), sum(tally.depths)
    if writes and not findings.problems:
        findings.seals = seals_of(session, run) | seals_of_rankings(session, run.project_id, run.id)
    describe(session, incoming.project, findings, tally, run)
    return findings


def refuse_name(session: Session, incoming: Incoming, findings: Findings, name: str) -> None:
    way_out = "Give this one a name of its own."
    if not is_name(name, longest=LONGEST_NAME):
        reason = f"the run's name, its last column, is longer than {LONGEST_NAME} characters or can't be shown"
        findings.report(incoming.problem(None, reason, None, way_out))
    elif session.scalar(select(Run.id).where(Run.project_id == incoming.project.id, Run.name == name)) is not None:
        reason = f'there is a run called "{name}" with other content'
        findings.report(incoming.problem(None, reason, None, way_out))


def as_row(run: Run, given: Given) -> dict[str, object]:
    packed_docnos, packed_scores = pack(given.docnos, given.scores)
    return {
        "project_id": run.project_id,
        "run_id": run.id,
        "qid": given.qid,
        "returned": len(given.docnos),
        "packed_docnos": packed_docnos,
        "packed_scores": packed_scores,
    }


class Tally:
    """What a run's rankings add up to. Eight bytes a line: documents are told apart by 64 bits of a hash, so that a
    number of distinct ones is exact but for a chance of one in a million at millions of documents.
    """

    def __init__(self, qids: set[str]) -> None:
        self.qids = qids
        self.depths: list[int] = []
        self.answered = 0
        self._seen: list[NDArray[np.int64]] = []

    def take(self, rankings: Sequence[Given]) -> None:
        self.depths += [len(ranking.docnos) for ranking in rankings]
        self.answered += sum(ranking.qid in self.qids for ranking in rankings)
        self._seen.append(np.unique(hashes(chain.from_iterable(ranking.docnos for ranking in rankings))))

    def distinct(self) -> NDArray[np.int64]:
        return np.unique(np.concatenate(self._seen))


def hashes(docnos: Iterable[str]) -> NDArray[np.int64]:
    """Python's own hashes: alike only within one process, which is as long as they live."""
    return np.fromiter(map(hash, docnos), dtype=np.int64)


def project_qids(session: Session, project: Project) -> set[str]:
    return set(session.scalars(select(Query.qid).where(Query.project_id == project.id)))


def without_text(session: Session, project: Project, seen: NDArray[np.int64]) -> int:
    """How many of the documents seen are not in the corpus, or only by their docno."""
    docnos = select(Document.docno).where(Document.project_id == project.id, Document.is_placeholder.is_(False))
    for part in session.scalars(docnos.execution_options(yield_per=DOCNOS_AT_A_TIME)).partitions():
        seen = np.setdiff1d(seen, hashes(part), assume_unique=True)
    return int(seen.size)


def describe(session: Session, project: Project, findings: Findings, tally: Tally, run: Run) -> None:
    elsewhere = len(tally.depths) - tally.answered
    strange = without_text(session, project, tally.distinct())
    findings.more = {
        "rankings": run.rankings,
        "lines": run.lines,
        "answered": tally.answered,
        "queries_elsewhere": elsewhere,
        "documents_without_text": strange,
    }
    depth = f"{count(min(tally.depths))} to {count(max(tally.depths))} (median {statistics.median(tally.depths):,g})"
    findings.notes = [
        f"“{run.name}”: {plural(run.rankings, 'ranking')}, {plural(run.lines, 'line')}, depth {depth}.",
        f"It answers {count(tally.answered)} of this project’s {plural(len(tally.qids), 'query', 'queries')}.",
    ]
    if elsewhere:
        findings.notes.append(
            f"{plural(elsewhere, 'ranking')} for queries that are not in this project; they are kept."
        )
    if strange:
        number = plural(strange, "document")
        findings.notes.append(f"{number} in it without text here: bring their text in before they are judged.")


RUNS = Kind(
    name="runs",
    one="run",
    many="runs",
    about="What one system returned: six columns a line, query, Q0, document, rank, score and the system’s name. "
    "The order of the file is kept; a score with its rule for ties decides the order when it counts.",
    example="q1 Q0 d7 1 12.31 bm25\nq1 Q0 d2 2 11.87 bm25",
    choices=lambda _session, _project: (NAME,),
    bring_in=bring_in_run,
    count=count_runs,
    missing="No runs yet. A pool is drawn from what several systems return.",
    at="/runs",
    histogram_of="How deep the rankings are",
    row="line",
    then=(("/imports/runs", "Bring in another run"), ("/runs", "See the runs"), ("/pool", "Look at the pool")),
)
