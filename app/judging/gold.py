"""Gold: pairs whose level a lead has settled, to see whether a labeller finds it. They never count in kappa."""

from collections.abc import Sequence

from sqlalchemy import Row, and_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import now
from app.errors import FieldError, NotThere
from app.judging.models import Gold
from app.names import checked_name
from app.pools.models import Pair
from app.projects.guards import Seat
from app.projects.models import Project
from app.record.keeping import record
from app.record.sealing import seals_of
from app.rubrics.queries import levels_of, required_rubric

LONGEST_WHY = 500


def set_gold(session: Session, seat: Seat, *, qid: str, docno: str, level: int | None, why: str) -> Gold:
    """A pair of some pool, with the level that it has under the newest rubric's family, and why."""
    project = seat.project
    rubric = required_rubric(session, project.id)
    pair_id = find_pair(session, project, qid=qid.strip(), docno=docno.strip())
    if level is None or level not in {each.number for each in levels_of(session, rubric)}:
        what = "No level is chosen." if level is None else f"The rubric has no level {level}."
        raise FieldError("level", what, "Give one of the rubric’s levels.")
    gold = Gold(
        project_id=project.id,
        pair_id=pair_id,
        family=rubric.family,
        level=level,
        why=checked_name(why, "why", longest=LONGEST_WHY, way_out="Say why in a sentence: somebody will ask."),
        set_by_id=seat.person.id,
    )
    try:
        with session.begin_nested():
            session.add(gold)
    except IntegrityError as error:
        raise FieldError("docno", "This pair is gold already.", "Withdraw it first to set another level.") from error
    told = {"gold": gold.id, "pair": pair_id, "level": level, "family": rubric.family, "seals": seals_of(session, gold)}
    record(session, project.id, "gold set", **told)
    return gold


def withdraw_gold(session: Session, gold: Gold) -> None:
    """It is asked of nobody any more; what was answered stays."""
    if gold.withdrawn_at is None:
        gold.withdrawn_at = now()
        told = {"gold": gold.id, "pair": gold.pair_id, "seals": seals_of(session, gold)}
        record(session, gold.project_id, "gold withdrawn", **told)


def find_gold(session: Session, project: Project, gold_id: str) -> Gold:
    gold = session.get(Gold, (project.id, gold_id))
    if gold is None:
        raise NotThere
    return gold


def find_pair(session: Session, project: Project, *, qid: str, docno: str) -> str:
    found = session.scalar(
        select(Pair.id)
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Pair.project_id == project.id, Query.qid == qid, Document.docno == docno)
    )
    if found is None:
        raise FieldError("docno", "No pool holds this pair.", "Gold is a pair of a query and a document in some pool.")
    return found


def gold_in(session: Session, project: Project) -> Sequence[Row[Gold, str, str]]:
    """Each that was not withdrawn, with qid and docno, by family, newest first, then by their bytes."""
    return session.execute(
        select(Gold, Query.qid, Document.docno)
        .join(Pair, and_(Pair.project_id == Gold.project_id, Pair.id == Gold.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Gold.project_id == project.id, Gold.withdrawn_at.is_(None))
        .order_by(Gold.family.desc(), Query.qid, Document.docno)
    ).all()
