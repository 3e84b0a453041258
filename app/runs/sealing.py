"""The seal of a run's rankings."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.record.sealing import Seals, seal_of_rows, stream
from app.runs.models import Ranking


def seals_of_rankings(session: Session, project_id: str, run_id: str) -> Seals:
    rows = (
        select(Ranking.qid, Ranking.returned, Ranking.packed_docnos, Ranking.packed_scores)
        .where(Ranking.project_id == project_id, Ranking.run_id == run_id)
        .order_by(Ranking.qid)
    )
    return {"ranking": {run_id: seal_of_rows(stream(session, rows))}}
