"""Sharing a round out anew, for scripts: to another labeller, a late one or an expert, and over more queries."""

from fastapi import APIRouter
from pydantic import BaseModel

from app.db import SessionDep
from app.judging.dealing import widen
from app.judging.experts import give_to_expert
from app.judging.guards import GateAnswer, refuse_while_judging
from app.judging.queries import find_round
from app.judging.reassigning import find_deal, pass_on, qualify
from app.judging.round_api import Queries, RoundProgressOut, round_progress_out
from app.projects.api import Shape
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["judging"], prefix="/projects/{project_id}")


class LabellerIn(Shape):
    """The id of a member."""

    labeller: str


class QualificationIn(LabellerIn):
    """`queries`: how many; without it as many as a release asks for."""

    queries: int | None = None


class QualificationOut(BaseModel):
    qids: list[str]


@router.post("/deals/{deal_id}/labeller")
def pass_query_on(session: SessionDep, seat: LeadSeat, deal_id: str, wanted: LabellerIn) -> RoundProgressOut:
    """Gives what is ungraded at this place, or the whole of a free one, to another labeller."""
    deal = pass_on(session, find_deal(session, seat.project, deal_id), to=wanted.labeller)
    return round_progress_out(session, find_round(session, seat.project, deal.round_id))


@router.post("/rounds/{round_id}/qualifications", status_code=201)
def qualify_labeller(
    session: SessionDep, seat: LeadSeat, gate: GateAnswer, round_id: str, wanted: QualificationIn
) -> QualificationOut:
    """Deals a labeller who joined late queries that two people have judged already."""
    round_ = find_round(session, seat.project, round_id)
    qids = qualify(session, round_, labeller=wanted.labeller, queries=wanted.queries, gate_answer=gate)
    return QualificationOut(qids=qids)


class ExpertOut(BaseModel):
    pairs: int


@router.post("/rounds/{round_id}/experts", status_code=201)
def give_expert_pairs(session: SessionDep, seat: LeadSeat, round_id: str, wanted: LabellerIn) -> ExpertOut:
    """Deals a labeller every pair of the round of which all who were asked said that it needs expertise."""
    round_ = find_round(session, seat.project, round_id)
    refuse_while_judging(session, seat)
    return ExpertOut(pairs=give_to_expert(session, round_, labeller=wanted.labeller))


class QueriesIn(Shape):
    """How many to draw, or the qids."""

    queries: Queries


@router.post("/rounds/{round_id}/queries")
def widen_round(
    session: SessionDep, seat: LeadSeat, gate: GateAnswer, round_id: str, wanted: QueriesIn
) -> RoundProgressOut:
    """Adds fresh queries to an open agreement round, while there is not enough evidence."""
    round_ = find_round(session, seat.project, round_id)
    widen(session, seat, round_, queries=wanted.queries, gate_answer=gate)
    return round_progress_out(session, round_)
