"""Agreement for scripts: every number in full, and where there is none a null beside its reason."""

from fastapi import APIRouter

from app.agreement.adjudication_queries import decisions_of
from app.agreement.answered_before import AnsweredBefore, AtFirst, earlier_answers
from app.agreement.gate import GateResult, gate_asked, gates_by_family
from app.agreement.guards import OneFamily
from app.agreement.judged_before import JudgedBefore, judged_before
from app.agreement.leaning import agreement_by_level, leans, leans_of_couples
from app.agreement.reading import RoundKappa, beside_kappa, differing, kappa_by_query, kappa_by_round
from app.agreement.sheets import (
    AgreementOut,
    AnsweredBeforeOut,
    AsFirstGivenOut,
    ConditionOut,
    CoupleOut,
    FiguresOut,
    JudgedBeforeOut,
    LabellerOut,
    LeftOutByOut,
    LeftOutOut,
    LevelAgreementOut,
    LevelOut,
    OneSidedOut,
    PolicyOut,
    QueryOut,
    RoundOut,
    told,
)
from app.db import SessionDep
from app.judging.guards import SeeingLead
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["agreement"], prefix="/projects/{project_id}")


@router.get("/agreement")
def show_agreement(session: SessionDep, seat: SeeingLead, family: OneFamily) -> AgreementOut:
    """The gate's answer for the newest rubric's family, or an earlier one's, with all that it rests on."""
    gate = gate_asked(session, seat.project, family)
    differ = differing(gate, seat.project, decisions_of(session, seat.project.id, gate.rubric.family))
    found = gate.evidence.agreement
    gates = gates_by_family(session, seat.project, gate)
    earlier = earlier_answers(session, seat.project, gate)
    return AgreementOut(
        **told(kappa=found.kappa, low=found.low, high=found.high, exact=found.exact, within_one=found.within_one),
        figures=FiguresOut(**told(**beside_kappa(gate))),
        rubric=gate.rubric.number,
        family=gate.rubric.family,
        policy=PolicyOut.model_validate(gate.policy, from_attributes=True),
        answer=gate.answer.answer,
        sentence=gate.answer.sentence,
        more_queries=gate.answer.more_queries,
        conditions=[ConditionOut.model_validate(each, from_attributes=True) for each in gate.answer.conditions],
        levels=[LevelOut.model_validate(each, from_attributes=True) for each in gate.levels],
        pairs=found.pairs,
        queries=found.queries,
        confidence=found.confidence,
        table=found.table.tolist(),
        left_out=left_out_out(gate),
        labellers=labellers_out(gate),
        couples=couples_out(gate),
        by_level=by_level_out(gate),
        by_query=queries_out(gate),
        rounds=[round_out(one) for one in kappa_by_round(session, seat.project, gates)],
        judged_before=[before_out(each) for each in judged_before(session, seat.project, gate, gates)],
        answers_before=[answered_out(each) for each in earlier.moments],
        as_first_given=at_first_out(earlier.at_first),
        differing=differ.pairs,
        by_primary=differ.by_one,
        undecided=differ.undecided,
    )


def left_out_out(gate: GateResult) -> LeftOutOut:
    counts = gate.left_out
    return LeftOutOut(
        unjudgeable_both=counts.unjudgeable_both,
        unjudgeable_one=counts.unjudgeable_one,
        unjudgeable_beside=counts.unjudgeable_beside,
        ungraded=counts.ungraded,
        other_text=counts.other_text,
        by=[LeftOutByOut(labeller=name, answer=answer, pairs=pairs) for name, answer, pairs in counts.by],
    )


def labellers_out(gate: GateResult) -> list[LabellerOut]:
    return [
        LabellerOut(
            name=gate.labellers[one.labeller].name,
            pairs=one.pairs,
            queries=one.queries,
            mean_grade=one.mean_level,
            levels_used=one.levels_used,
            one_sided=OneSidedOut.model_validate(lean.one_sided, from_attributes=True) if lean.one_sided else None,
            **told(kappa=one.kappa, low=one.low, high=one.high, shift=lean.shift),
        )
        for one, lean in zip(gate.evidence.agreement.versus_rest, leans(gate), strict=True)
    ]


def couples_out(gate: GateResult) -> list[CoupleOut]:
    return [
        CoupleOut(
            labellers=(gate.labellers[one.a].name, gate.labellers[one.b].name),
            pairs=one.pairs,
            table=one.table.tolist(),
            **told(kappa=one.kappa, shift=lean.shift, p=lean.p),
        )
        for one, lean in zip(gate.evidence.agreement.couples, leans_of_couples(gate), strict=True)
    ]


def queries_out(gate: GateResult) -> list[QueryOut]:
    return [
        QueryOut(qid=one.qid, pairs=one.pairs, **told(kappa=one.kappa, exact=one.exact)) for one in kappa_by_query(gate)
    ]


def by_level_out(gate: GateResult) -> list[LevelAgreementOut]:
    return [
        LevelAgreementOut(number=one.number, given=one.given, **told(specific=one.specific))
        for one in agreement_by_level(gate)
    ]


def round_out(one: RoundKappa) -> RoundOut:
    return RoundOut(
        number=one.number,
        kind=one.kind,
        rubric=one.rubric_number,
        family=one.family,
        pairs=one.pairs,
        queries=one.queries,
        **told(kappa=one.kappa, low=one.low, high=one.high),
    )


def before_out(before: JudgedBefore) -> JudgedBeforeOut:
    found = before.gate.evidence.agreement
    return JudgedBeforeOut(
        family=before.family,
        answer=before.gate.answer.answer,
        has_failed=before.failed,
        sentence=before.sentence,
        pairs=found.pairs,
        queries=found.queries,
        again=before.again,
        again_by_import=before.again_by_import,
        **told(kappa=found.kappa),
    )


def answered_out(answered: AnsweredBefore) -> AnsweredBeforeOut:
    return AnsweredBeforeOut(
        round=answered.round,
        step=answered.step,
        answer=answered.answer,
        pairs=answered.pairs,
        queries=answered.queries,
        **told(kappa=answered.kappa),
    )


def at_first_out(at_first: AtFirst | None) -> AsFirstGivenOut | None:
    if at_first is None:
        return None
    return AsFirstGivenOut(answer=at_first.answer, changed=at_first.changed, **told(kappa=at_first.kappa))
