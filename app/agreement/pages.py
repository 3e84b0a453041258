"""The agreement of a rubric family: the gate's answer and everything it rests on, and the pairs behind a number."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import decisions_of
from app.agreement.answered_before import earlier_answers
from app.agreement.answers import LeftOutAs
from app.agreement.following import FOLLOWING, State, state_of_family
from app.agreement.gate import GateResult, current_family, gate_of, gates_by_family
from app.agreement.going_on import ways_on
from app.agreement.guards import OneFamily
from app.agreement.judged_before import judged_before
from app.agreement.leaning import agreement_by_level, differs_most, leans, leans_of_couples
from app.agreement.moving import couples_by_size, second_leg_of
from app.agreement.queries import rationales_of, texts_of
from app.agreement.reading import (
    Couple,
    confusion,
    couples_apart,
    couples_in_cell,
    couples_left_out,
    couples_of_query,
    differing,
    exact_figures,
    kappa_by_query,
    kappa_by_round,
)
from app.corpora.queries import words_of_queries
from app.db import SessionDep
from app.errors import InputError, NotThere, RuleError
from app.judging.guards import SeeingLead
from app.measures.policy_curves import curves_of
from app.projects.guards import Seat
from app.reading import CheckedRoute
from app.rubrics.models import Rubric
from app.rubrics.queries import versions_of
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}")
PAIRS_A_PAGE = 25


@router.get("/agreement")
def show_agreement(request: Request, session: SessionDep, seat: SeeingLead, family: OneFamily) -> Response:
    newest = current_family(session, seat.project.id)
    if newest is None:
        return page(request, "agreement/none.html", seat=seat)
    state = state_of_family(session, seat.project.id, family or newest)
    gate = gate_of(session, seat.project, family or newest)
    gates = gates_by_family(session, seat.project, gate)
    earlier = earlier_answers(session, seat.project, gate)
    return page(
        request,
        "agreement/agreement.html",
        seat=seat,
        **told(session, seat, gate, state, newest=newest),
        figures=exact_figures(gate),
        levels=agreement_by_level(gate),
        leans=leans(gate),
        couples=leans_of_couples(gate),
        differs_most=differs_most(gate),
        queries=kappa_by_query(gate),
        words=words_of_queries(session, seat.project.id),
        rounds=kappa_by_round(session, seat.project, gates),
        before=[each for each in judged_before(session, seat.project, gate, gates) if each.again],
        earlier=earlier,
        is_late=gate.is_passed and (earlier.has_failed or earlier.is_corrected),
        others=other_families(session, seat.project.id, gate),
        curves=curves_of(gate.policy.name),
    )


@router.get("/agreement/answer")
def show_answer(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    family: OneFamily,
    seen: str = "",
) -> Response:
    """The gate's answer alone, for a page that stays open while people judge; 204 while there is none later than the
    state that the page has `seen`.
    """
    newest = current_family(session, seat.project.id)
    if newest is None:
        raise NotThere
    state = state_of_family(session, seat.project.id, family or newest)
    if state.version == seen:
        return Response(status_code=204)
    answer = FOLLOWING.ask(session, seat.project, family or newest, state, seen=seen)
    if answer is None:
        return Response(status_code=204)
    then, gate = answer
    return page(request, "agreement/_answer.html", seat=seat, **told(session, seat, gate, then, newest=newest))


def other_families(session: Session, project_id: str, gate: GateResult) -> list[Rubric]:
    """The newest rubric of each other family, newest first: grades of several are never mixed, and none is lost."""
    newest: dict[int, Rubric] = {}
    for rubric in versions_of(session, project_id):
        newest.setdefault(rubric.family, rubric)
    return [rubric for family, rubric in newest.items() if family != gate.rubric.family]


def told(session: Session, seat: Seat, gate: GateResult, state: State, *, newest: int) -> dict[str, Any]:
    """What the gate's answer is told with. `state` was read before the gate was asked, so that a grade which came
    between is told by the next answer.
    """
    differ = differing(gate, seat.project, decisions_of(session, seat.project.id, gate.rubric.family))
    return {
        "gate": gate,
        "found": gate.evidence.agreement,
        "newest_family": newest,
        "state": state,
        "confusion": confusion(gate),
        "differ": differ,
        "ways": ways_on(session, seat.project, gate, undecided=differ.undecided),
    }


@router.get("/agreement/runs")
def show_runs(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    family: OneFamily,
    couple: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Does it move the verdict? Every run under each of two labellers' grades."""
    newest = current_family(session, seat.project.id)
    if newest is None:
        return page(request, "agreement/none.html", seat=seat)
    gate = gate_of(session, seat.project, family or newest)
    couples, leg, refusal = couples_by_size(gate), None, None
    if couples:
        try:
            leg = second_leg_of(session, seat.project, gate, place=couple)
        except RuleError as error:
            refusal = error
    return page(
        request,
        "agreement/runs.html",
        seat=seat,
        gate=gate,
        newest_family=newest,
        couples=[name for name, _ in couples],
        place=couple,
        leg=leg,
        refusal=refusal,
        words=words_of_queries(session, seat.project.id),
    )


@router.get("/agreement/pairs")
def show_pairs(
    request: Request,
    session: SessionDep,
    seat: SeeingLead,
    family: OneFamily,
    first: Annotated[int | None, Query(ge=0)] = None,
    second: Annotated[int | None, Query(ge=0)] = None,
    apart: Annotated[int | None, Query(ge=1)] = None,
    left_out: LeftOutAs | None = None,
    qid: str = "",
    start: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """The pairs of a cell or a query, those so many levels `apart`, or those left out, a page at a time."""
    newest = current_family(session, seat.project.id)
    if newest is None:
        raise NotThere
    gate = gate_of(session, seat.project, family or newest)
    couples = chosen_couples(gate, first=first, second=second, apart=apart, left_out=left_out, qid=qid)
    shown = couples[start : start + PAIRS_A_PAGE]
    grade_ids = [grade.grade_id for couple in shown for grade in (couple.first, couple.second) if grade.grade_id]
    return page(
        request,
        "agreement/pairs.html",
        seat=seat,
        gate=gate,
        asked={
            "first": first,
            "second": second,
            "apart": apart,
            "left_out": left_out,
            "qid": qid or None,
            "family": family,
        },
        couples=shown,
        total=len(couples),
        start=start,
        size=PAIRS_A_PAGE,
        texts=texts_of(session, seat.project.id, [couple.first.pair_id for couple in shown]),
        rationales=rationales_of(session, seat.project.id, grade_ids),
    )


def chosen_couples(
    gate: GateResult, *, first: int | None, second: int | None, apart: int | None, left_out: LeftOutAs | None, qid: str
) -> list[Couple]:
    if qid:
        return couples_of_query(gate, qid)
    if left_out is not None:
        return couples_left_out(gate, left_out)
    if apart is not None:
        return couples_apart(gate, apart)
    if first is None or second is None:
        raise InputError(
            "Which pairs? An address names two levels, a distance, or why they were left out.",
            "Choose a cell of the confusion matrix.",
        )
    return couples_in_cell(gate, first=first, second=second)
