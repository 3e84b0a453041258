"""Drawing a pool: the union of the runs' top documents, seen before it is drawn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.corpora.placeholders import find_queries, know_documents
from app.corpora.sealing import seals_of_documents
from app.db import insert_rows, new_id
from app.errors import FieldError, RuleError
from app.measures.pooling import (
    Cost,
    Overlap,
    PoolSize,
    cost,
    depth_pool,
    overlap,
    pool_size,
    top,
    unique_contributions,
)
from app.pools.models import Pair, Pool, PoolPair
from app.pools.queries import docnos_by_qid, pools_drawn_from
from app.pools.sealing import seals_of_pairs
from app.projects.models import Project
from app.projects.queries import lock_project
from app.record.keeping import record
from app.record.sealing import seals_of
from app.runs.models import Run
from app.runs.queries import rankings_of, runs_of
from app.words import plural

DEPTH, DEEPEST = 20, 1000
BATCH = 500
SECONDS, RATE, LABELLERS = 25.0, 60.0, 2
"""What judging costs unless somebody knows better: seconds a pair, money an hour, labellers a pair."""

Rankings = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class PoolLook:
    """A pool as it would be drawn. `pooled` is qid → docnos in the order of their bytes."""

    depth: int
    runs: Sequence[Run]
    pooled: Mapping[str, Sequence[str]]
    size: PoolSize
    overlap: Overlap
    unique: Mapping[str, int]
    cost: Cost
    without_text: int
    """Documents of the pool whose text is not in the corpus: they can't be judged here."""
    unanswered: int
    """Queries of the project for which no run returned anything."""


def look_at_pool(
    session: Session,
    project: Project,
    *,
    depth: int = DEPTH,
    run_ids: Sequence[str] = (),
    seconds: float = SECONDS,
    rate: float = RATE,
    labellers: int = LABELLERS,
) -> PoolLook:
    """What drawing would give, from all runs or those named. RuleError without queries or runs."""
    if not 1 <= depth <= DEEPEST:
        raise FieldError("depth", f"A depth is between 1 and {DEEPEST:,}.", "20 is usual.")
    if not 0 < seconds <= 3600:
        raise FieldError("seconds", "A pair takes more than 0 and at most 3,600 seconds.", f"{SECONDS:g} are usual.")
    if not 0 <= rate <= 10_000:
        raise FieldError("rate", "An hour costs 0 to 10,000.", f"{RATE:g} is usual.")
    if not 1 <= labellers <= 10:
        raise FieldError("labellers", "A pair is judged by 1 to 10 labellers.", f"{LABELLERS} are usual.")
    runs = chosen_runs(session, project, run_ids)
    qids = list(session.scalars(select(Query.qid).where(Query.project_id == project.id).order_by(Query.qid)))
    if not qids:
        raise RuleError("There are no queries yet.", "Bring in the queries first: a pool is drawn for them.")
    rankings = tops(session, runs, qids, depth)
    pooled = depth_pool(rankings, depth)
    size = pool_size(pooled)
    return PoolLook(
        depth,
        runs,
        pooled,
        size,
        overlap(rankings, depth),
        unique_contributions(rankings, depth),
        cost(size.pairs, labellers, seconds, rate),
        count_without_text(session, project, pooled.values()),
        len(qids) - len(pooled),
    )


def chosen_runs(session: Session, project: Project, run_ids: Sequence[str]) -> Sequence[Run]:
    runs = [run for run in runs_of(session, project) if not run_ids or run.id in run_ids]
    if not runs:
        raise RuleError("There are no runs to draw from.", "Bring in the systems' runs, or a list of pairs instead.")
    if run_ids and len(runs) < len(set(run_ids)):
        raise FieldError("runs", "One of the runs named is not there.", "Choose among the project's runs.")
    return runs


def tops(session: Session, runs: Sequence[Run], qids: Sequence[str], depth: int) -> Rankings:
    """Run name → qid → the run's first `depth` documents by score, ties as trec_eval has them."""
    return {
        run.name: {qid: top((docnos, scores), depth) for qid, docnos, scores in rankings_of(session, run, qids=qids)}
        for run in runs
    }


def count_without_text(session: Session, project: Project, pooled: Iterable[Sequence[str]]) -> int:
    docnos = {docno for each in pooled for docno in each}
    with_text = 0
    for batch in in_batches(sorted(docnos)):
        found = select(func.count()).where(
            Document.project_id == project.id, Document.docno.in_(batch), Document.is_placeholder.is_(False)
        )
        with_text += session.execute(found).scalar_one()
    return len(docnos) - with_text


def draw_pool(
    session: Session,
    project: Project,
    person_id: str,
    *,
    depth: int = DEPTH,
    run_ids: Sequence[str] = (),
    allow_placeholders: bool = False,
) -> Pool:
    """Draws it; an equal pool that was drawn before is the same pool. RuleError where documents have no text and
    placeholders are not allowed.
    """
    lock_project(session, project)
    look = look_at_pool(session, project, depth=depth, run_ids=run_ids)
    if look.without_text and not allow_placeholders:
        raise RuleError(
            f"{plural(look.without_text, 'document of this pool has', 'documents of this pool have')} no text in the "
            "corpus, so that nobody could judge it.",
            "Bring in their texts, or draw with placeholders, which no round takes until their text is there.",
            without_text=look.without_text,
        )
    names = [run.name for run in look.runs]
    for pool in pools_drawn_from(session, project, names, depth=depth):
        if docnos_by_qid(session, pool) == {qid: list(docnos) for qid, docnos in look.pooled.items()}:
            return pool
    return make_pool(session, project, person_id, look.pooled, source="runs", depth=depth, run_names=names)


def make_pool(
    session: Session,
    project: Project,
    person_id: str,
    pooled: Mapping[str, Sequence[str]],
    *,
    source: str,
    depth: int | None = None,
    run_names: Sequence[str] = (),
) -> Pool:
    """A pool of these pairs (qid → docnos): a pair that an earlier pool has is the same pair, an unknown document
    becomes a placeholder. Every qid is the project's.
    """
    lock_project(session, project)  # Two draws at once must not take the same number, nor make the same pair twice.
    last = session.scalar(select(func.max(Pool.number)).where(Pool.project_id == project.id)) or 0
    pool = Pool(
        project_id=project.id,
        number=last + 1,
        source=source,
        depth=depth,
        run_names=sorted(run_names),
        drawn_by_id=person_id,
    )
    session.add(pool)
    session.flush()
    query_ids = find_queries(session, project, pooled)
    named = (docno for docnos in pooled.values() for docno in docnos)
    document_ids, placeholders = know_documents(session, project, named)
    for qid, docnos in pooled.items():
        pair_ids = pairs_for(session, project, query_ids[qid], [document_ids[docno] for docno in docnos])
        rows = [{"project_id": project.id, "pool_id": pool.id, "pair_id": pair_id} for pair_id in pair_ids]
        insert_rows(session, PoolPair, rows)
    pairs = sum(len(docnos) for docnos in pooled.values())
    drawn = {"number": pool.number, "source": source, "depth": depth, "queries": len(pooled), "pairs": pairs}
    seals = seals_of(session, pool) | seals_of_pairs(session, project.id, pool.id)
    if placeholders:
        seals |= seals_of_documents(session, project.id)
    record(session, project.id, "pool drawn", pool=pool.id, **drawn, seals=seals)
    return pool


def pairs_for(session: Session, project: Project, query_id: str, document_ids: Sequence[str]) -> list[str]:
    """The ids of the query's pairs with these documents, made where they are new."""
    known: dict[str, str] = {}
    for batch in in_batches(document_ids):
        rows = select(Pair.document_id, Pair.id).where(
            Pair.project_id == project.id, Pair.query_id == query_id, Pair.document_id.in_(batch)
        )
        known |= dict(session.execute(rows).all())
    new = [
        {"project_id": project.id, "id": new_id(), "query_id": query_id, "document_id": document_id}
        for document_id in document_ids
        if document_id not in known
    ]
    insert_rows(session, Pair, new)
    known |= {row["document_id"]: row["id"] for row in new}
    return [known[document_id] for document_id in document_ids]


def in_batches(values: Sequence[str]) -> Iterable[Sequence[str]]:
    """A statement takes only so many parameters."""
    return (values[start : start + BATCH] for start in range(0, len(values), BATCH))
