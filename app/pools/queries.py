"""Selects over pools."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.errors import NotThere, RuleError
from app.pools.models import Pair, Pool, PoolPair
from app.projects.models import Project


def pools_of(session: Session, project_id: str) -> Sequence[tuple[Pool, int]]:
    """Every pool with its number of pairs, newest first."""
    pairs = (
        select(func.count())
        .where(PoolPair.project_id == Pool.project_id, PoolPair.pool_id == Pool.id)
        .scalar_subquery()
    )
    found = select(Pool, pairs).where(Pool.project_id == project_id).order_by(Pool.number.desc())
    return [(pool, number) for pool, number in session.execute(found)]


def newest_pool(session: Session, project_id: str) -> Pool | None:
    """The newest pool that is there to be judged; the pairs of imported grades are judged already."""
    drawn = select(Pool).where(Pool.project_id == project_id, Pool.source != "grades")
    return session.scalar(drawn.order_by(Pool.number.desc()).limit(1))


def required_pool(session: Session, project_id: str, pool_id: str | None = None) -> Pool:
    """That pool, or the newest; NotThere where it is not the project's, RuleError where there is none."""
    if pool_id is not None:
        pool = session.get(Pool, (project_id, pool_id))
        if pool is None:
            raise NotThere
        return pool
    pool = newest_pool(session, project_id)
    if pool is None:
        raise RuleError("No pool is drawn yet.", "Draw one from the runs, or bring in a list of pairs.")
    return pool


def pairs_by_query(session: Session, pool: Pool) -> dict[str, list[str]]:
    """Query ids of the pool in the order of their qid's bytes, each with its pair ids by docno's bytes."""
    rows = (
        select(Pair.query_id, Pair.id)
        .join(PoolPair, (PoolPair.project_id == Pair.project_id) & (PoolPair.pair_id == Pair.id))
        .join(Query, (Query.project_id == Pair.project_id) & (Query.id == Pair.query_id))
        .join(Document, (Document.project_id == Pair.project_id) & (Document.id == Pair.document_id))
        .where(PoolPair.project_id == pool.project_id, PoolPair.pool_id == pool.id)
        .order_by(Query.qid, Document.docno)
    )
    grouped: dict[str, list[str]] = {}
    for query_id, pair_id in session.execute(rows):
        grouped.setdefault(query_id, []).append(pair_id)
    return grouped


def pools_drawn_from(session: Session, project: Project, run_names: Sequence[str], *, depth: int) -> list[Pool]:
    """Pools that the same runs gave at the same depth; with queries that came meanwhile they may differ."""
    drawn = select(Pool).where(Pool.project_id == project.id, Pool.source == "runs", Pool.depth == depth)
    return [pool for pool in session.scalars(drawn) if pool.run_names == sorted(run_names)]


def docnos_by_qid(session: Session, pool: Pool) -> dict[str, list[str]]:
    """The pool's content, queries and documents in the order of their ids' bytes."""
    rows = (
        select(Query.qid, Document.docno)
        .select_from(PoolPair)
        .join(Pair, (Pair.project_id == PoolPair.project_id) & (Pair.id == PoolPair.pair_id))
        .join(Query, (Query.project_id == Pair.project_id) & (Query.id == Pair.query_id))
        .join(Document, (Document.project_id == Pair.project_id) & (Document.id == Pair.document_id))
        .where(PoolPair.project_id == pool.project_id, PoolPair.pool_id == pool.id)
        .order_by(Query.qid, Document.docno)
    )
    grouped: dict[str, list[str]] = {}
    for qid, docno in session.execute(rows):
        grouped.setdefault(qid, []).append(docno)
    return grouped


def find_pooled_queries(session: Session, project: Project, query_ids: Sequence[str]) -> set[str]:
    """Which of these queries have pairs: they have been drawn on, and perhaps judged, as they stand."""
    pooled = select(Pair.query_id).where(Pair.project_id == project.id, Pair.query_id.in_(query_ids))
    return set(session.scalars(pooled.distinct()))


def count_pairs(session: Session, project: Project) -> int:
    return session.scalar(select(func.count()).where(Pair.project_id == project.id)) or 0
