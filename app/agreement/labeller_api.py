"""How each labeller works, for scripts of leads who don't judge."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from app.agreement.gate import gate_asked
from app.agreement.guards import OneFamily
from app.agreement.watching import Watched, watch
from app.db import SessionDep
from app.judging.guards import SeeingLead
from app.measures.undefined import Undefined
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["agreement"], prefix="/projects/{project_id}")


class TimedOut(BaseModel):
    grade_id: str
    qid: str
    docno: str
    seconds: float
    given_at: datetime


class WatchedOut(BaseModel):
    labeller_id: str
    name: str
    timed: int
    """First grades with a measured time."""
    flagged: list[TimedOut]
    """Times under 1.5 seconds, or far from what is usual for a text of that length; the newest first."""
    shared: int
    """Pairs that others graded too."""
    kappas: list[float | None]
    """Over windows of 200 shared pairs, the oldest first; null where kappa is undefined."""
    has_drifted: bool
    repeated: int
    """Pairs shown again that they gave a level both times."""
    self_kappa: float | None
    """Linear kappa of the two; null where it is undefined."""
    is_unsteady: bool
    """Whether that is under .70."""
    quiz_answered: int
    """Gold pairs; with those at the settled level, and those one level off."""
    quiz_exact: int
    quiz_one_off: int


@router.get("/labellers")
def show_labellers(session: SessionDep, seat: SeeingLead, family: OneFamily) -> list[WatchedOut]:
    """Of the newest rubric's family, or an earlier one's. It is shown, and nothing is deleted for it."""
    return [watched_out(each) for each in watch(session, seat.project, gate_asked(session, seat.project, family))]


def watched_out(watched: Watched) -> WatchedOut:
    return WatchedOut(
        labeller_id=watched.id,
        name=watched.name,
        timed=watched.timed,
        flagged=[TimedOut.model_validate(each, from_attributes=True) for each in watched.flagged],
        shared=watched.shared,
        kappas=[None if isinstance(each, Undefined) else each for each in watched.kappas],
        has_drifted=watched.has_drifted,
        repeated=watched.repeated,
        self_kappa=None if isinstance(watched.self_kappa, Undefined) else watched.self_kappa,
        is_unsteady=watched.is_unsteady,
        quiz_answered=watched.quiz.answered,
        quiz_exact=watched.quiz.exact,
        quiz_one_off=watched.quiz.one_off,
    )
