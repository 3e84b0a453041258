"""Selects over runs and their rankings."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from app.corpora.models import Query
from app.measures import matching
from app.projects.models import Project
from app.runs.models import Ranking, Run

UNPACKED_AT_A_TIME = 200
QIDS_AT_A_TIME = 1000


def count_runs(session: Session, project: Project) -> int:
    return session.execute(select(func.count()).where(Run.project_id == project.id)).scalar_one()


def runs_of(session: Session, project: Project) -> Sequence[Run]:
    """Every run, by the bytes of its name."""
    runs = session.scalars(select(Run).where(Run.project_id == project.id))
    return sorted(runs, key=lambda run: run.name.encode())


def rankings_of(
    session: Session, run: Run, qids: Sequence[str] | None = None
) -> Iterator[tuple[str, list[str], NDArray[np.float64]]]:
    """qid, docnos and scores of each ranking, or of those that answer `qids`, by the bytes of the qid.

    Docnos and scores stand in the order of the run's file, which neither rank nor score has sorted. A few hundred
    rankings are in memory at a time, packed, and one unpacked.
    """
    rankings = select(Ranking).where(Ranking.project_id == run.project_id, Ranking.run_id == run.id)
    rankings = rankings.order_by(Ranking.qid).execution_options(yield_per=UNPACKED_AT_A_TIME)
    if qids is None:
        yield from _unpacked(session, rankings)
        return
    wanted = sorted(set(qids), key=str.encode)
    for start in range(0, len(wanted), QIDS_AT_A_TIME):
        yield from _unpacked(session, rankings.where(Ranking.qid.in_(wanted[start : start + QIDS_AT_A_TIME])))


def rankings_by_qid(session: Session, run: Run, qids: Iterable[str]) -> dict[str, matching.Ranking]:
    """Docnos and scores, of those `qids` that the run holds."""
    return {qid: (docnos, scores) for qid, docnos, scores in rankings_of(session, run, list(qids))}


@dataclass(frozen=True)
class RunFigures:
    """A run and the sizes of its rankings; `answered` is how many of the project's queries it has a ranking for."""

    run: Run
    shallowest: int
    median: float
    deepest: int
    answered: int


def figures_of_runs(session: Session, project: Project) -> list[RunFigures]:
    """Every run with its figures, by the bytes of its name."""
    depths: dict[str, list[int]] = {}
    for run_id, returned in session.execute(
        select(Ranking.run_id, Ranking.returned).where(Ranking.project_id == project.id)
    ):
        depths.setdefault(run_id, []).append(returned)
    answered = answered_queries(session, project)
    return [
        RunFigures(
            run, min(depths[run.id]), statistics.median(depths[run.id]), max(depths[run.id]), answered.get(run.id, 0)
        )
        for run in runs_of(session, project)
    ]


def answered_queries(session: Session, project: Project) -> dict[str, int]:
    """By run's id, how many of the project's queries it answers; a run that answers none is missing."""
    answered = (
        select(Ranking.run_id, func.count())
        .join(Query, and_(Query.project_id == Ranking.project_id, Query.qid == Ranking.qid))
        .where(Ranking.project_id == project.id)
        .group_by(Ranking.run_id)
    )
    return dict(session.execute(answered).all())


def _unpacked(session: Session, rankings: Select[Ranking]) -> Iterator[tuple[str, list[str], NDArray[np.float64]]]:
    for ranking in session.scalars(rankings):
        yield ranking.qid, ranking.docnos(), ranking.scores()
        session.expunge(ranking)
