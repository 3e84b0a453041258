"""Whether what labellers differ on moves the verdict on the runs, for scripts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from app.agreement.gate import gate_asked
from app.agreement.guards import OneFamily
from app.agreement.moving import second_leg_of
from app.agreement.sheets import Numbers, told
from app.db import SessionDep
from app.judging.guards import SeeingLead
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["agreement"], prefix="/projects/{project_id}")


class ChangeOut(BaseModel):
    qid: str
    change: float


class RunMovesOut(Numbers):
    """What a run's queries change in nDCG from the first labeller's grades to the second's, and its mean recall."""

    run: str
    least: float
    quartiles: tuple[float, float, float]
    greatest: float
    largest: list[ChangeOut]
    recall: float | None


class VerdictOut(BaseModel):
    """`red`: each labeller finds the other run better; `amber`: only one finds a difference; which run is not told."""

    first: str
    second: str
    light: Literal["red", "amber", "none"]


class SecondLegOut(BaseModel):
    """Changes between two labellers, and no score: nothing that is judged here leaves without a release."""

    labellers: tuple[str, str]
    convention: str
    queries: int
    left_out: int
    """Queries without a value for some run."""
    runs: list[RunMovesOut]
    verdicts: list[VerdictOut]


@router.get("/agreement/runs")
def show_runs(
    session: SessionDep,
    seat: SeeingLead,
    family: OneFamily,
    couple: Annotated[int, Query(ge=0)] = 0,
) -> SecondLegOut:
    """Whether what a couple differs on moves the verdict on the runs; couple 0 shares most pairs. 409 without a run."""
    leg = second_leg_of(session, seat.project, gate_asked(session, seat.project, family), place=couple)
    return SecondLegOut(
        labellers=(leg.first, leg.second),
        convention=leg.convention.line,
        queries=leg.queries,
        left_out=leg.left_out,
        runs=[
            RunMovesOut(
                run=run.run,
                least=run.least,
                quartiles=run.quartiles,
                greatest=run.greatest,
                largest=[ChangeOut(qid=qid, change=change) for qid, change in run.largest],
                **told(recall=run.recall),
            )
            for run in leg.runs
        ],
        verdicts=[VerdictOut.model_validate(one, from_attributes=True) for one in leg.verdicts],
    )
