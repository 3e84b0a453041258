"""Gold pairs, for scripts of leads who don't judge."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from app.db import SessionDep
from app.judging.gold import find_gold, gold_in, set_gold, withdraw_gold
from app.judging.guards import SeeingLead
from app.judging.models import Gold
from app.projects.api import Shape
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")


class GoldIn(Shape):
    """A pair of some pool, the level that it has under the newest rubric, and why."""

    qid: str
    docno: str
    level: int
    why: str


class GoldOut(BaseModel):
    id: str
    family: int
    qid: str
    docno: str
    level: int
    why: str
    set_at: datetime


@router.get("/gold")
def list_gold(session: SessionDep, seat: SeeingLead) -> list[GoldOut]:
    """Those that were not withdrawn, by family, newest first."""
    return [gold_out(gold, qid, docno) for gold, qid, docno in gold_in(session, seat.project)]


@router.post("/gold", status_code=201)
def set_new_gold(session: SessionDep, seat: SeeingLead, wanted: GoldIn) -> GoldOut:
    gold = set_gold(session, seat, qid=wanted.qid, docno=wanted.docno, level=wanted.level, why=wanted.why)
    return gold_out(gold, wanted.qid, wanted.docno)


@router.delete("/gold/{gold_id}", status_code=204)
def withdraw(session: SessionDep, seat: SeeingLead, gold_id: str) -> None:
    """It is asked of nobody any more; what was answered stays."""
    withdraw_gold(session, find_gold(session, seat.project, gold_id))


def gold_out(gold: Gold, qid: str, docno: str) -> GoldOut:
    return GoldOut(
        id=gold.id, family=gold.family, qid=qid, docno=docno, level=gold.level, why=gold.why, set_at=gold.set_at
    )
