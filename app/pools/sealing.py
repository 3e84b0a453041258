"""The seal of a pool's pairs: it holds each to the query and the document whose outside ids it stood for."""

from sqlalchemy import Select, and_, bindparam, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.pools.models import Pair, PoolPair
from app.record.sealing import Seals, seal_of_rows, stream


def seals_of_pairs(session: Session, project_id: str, pool_id: str) -> Seals:
    rows = PAIRS.params(project=project_id, pool=pool_id)
    return {"pool_pair": {pool_id: seal_of_rows(stream(session, rows))}}


PAIRS: Select[str, str, str] = (
    select(Query.qid, Document.docno, PoolPair.pair_id)
    .select_from(PoolPair)
    .outerjoin(Pair, and_(Pair.project_id == PoolPair.project_id, Pair.id == PoolPair.pair_id))
    .outerjoin(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .outerjoin(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(PoolPair.project_id == bindparam("project"), PoolPair.pool_id == bindparam("pool"))
    .order_by(Query.qid, Document.docno, PoolPair.pair_id)
)
