"""Agreement for scripts: every number in full, and where there is none a null beside its reason."""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel

from app.agreement.adjudication_queries import decisions_of
from app.agreement.gate import GateResult, gate_asked, gates_by_family
from app.agreement.guards import OneFamily
from app.agreement.judged_before import JudgedBefore, judged_before
from app.agreement.leaning import agreement_by_level, leans, leans_of_couples
from app.agreement.reading import RoundKappa, beside_kappa, differing, kappa_by_query, kappa_by_round
from app.db import SessionDep
from app.judging.guards import SeeingLead
from app.measures.undefined import Undefined
from app.reading import CheckedRoute

router = APIRouter(route_class=CheckedRoute, tags=["agreement"], prefix="/projects/{project_id}")
Answer = Literal["undefined", "not enough evidence", "failed", "passed"]


class Numbers(BaseModel):
    """`undefined` says of each number that is null why it does not exist."""

    undefined: dict[str, str]


class ConditionOut(BaseModel):
    name: str
    is_met: bool | None
    """Null where it can't be told."""
    asked: str
    found: str
    margin: float | None
    """Above 0: by how much it is met; below 0: by how much it is missed."""


class PolicyOut(BaseModel):
    name: str
    line: float
    floor: float | None
    min_queries: int
    min_pairs: int
    is_small_set: bool


class LevelOut(BaseModel):
    number: int
    name: str


class LeftOutByOut(BaseModel):
    labeller: str
    answer: str
    pairs: int


class LeftOutOut(BaseModel):
    unjudgeable_both: int
    unjudgeable_one: int
    unjudgeable_beside: int
    """Two graded them, so that they are in kappa, and somebody else could not judge them."""
    ungraded: int
    other_text: int
    """Their labellers read different texts, since the document was changed between their grades."""
    by: list[LeftOutByOut]


class LevelAgreementOut(Numbers):
    """Of the grades that gave the level, `specific` is the share whose other grade gave it too."""

    number: int
    given: int
    specific: float | None


class OneSidedOut(BaseModel):
    """The labeller gives `own` where others give `theirs`, so many `times`; `back` times the other way round."""

    own: int
    theirs: int
    times: int
    back: int


class CoupleOut(Numbers):
    labellers: tuple[str, str]
    pairs: int
    kappa: float | None
    shift: float | None
    """By how many levels the second grades higher on the mean."""
    p: float | None
    """Of using the levels alike (Stuart and Maxwell)."""
    table: list[list[int]]
    """Rows: levels of the first of `labellers`; columns: of the second."""


class LabellerOut(Numbers):
    """One labeller against the rest."""

    name: str
    pairs: int
    queries: int
    kappa: float | None
    low: float | None
    high: float | None
    mean_grade: float
    shift: float | None
    """By how many levels they grade higher than whoever graded the same pairs, on the mean."""
    one_sided: OneSidedOut | None
    levels_used: int


class QueryOut(Numbers):
    qid: str
    pairs: int
    kappa: float | None
    exact: float | None


class RoundOut(Numbers):
    number: int
    kind: str
    rubric: int
    family: int
    pairs: int
    queries: int
    kappa: float | None
    low: float | None
    high: float | None


class JudgedBeforeOut(Numbers):
    """An earlier family: of the `queries` that it judged twice, `again` count once more in this gate, and
    `again_by_import` by grades that were brought in.
    """

    family: int
    answer: Answer
    sentence: str
    kappa: float | None
    pairs: int
    queries: int
    again: int
    again_by_import: int


class FiguresOut(Numbers):
    """What stands beside kappa and never decides."""

    kappa_quadratic: float | None
    kappa_unweighted: float | None
    alpha_ordinal: float | None
    ac2_linear: float | None


class AgreementOut(Numbers):
    """What the agreement page shows. `table` sums the couples' tables: in each the labeller whose name comes first
    stands in the rows.
    """

    rubric: int
    family: int
    policy: PolicyOut
    answer: Answer
    sentence: str
    more_queries: int | None
    conditions: list[ConditionOut]
    levels: list[LevelOut]
    pairs: int
    queries: int
    confidence: float
    kappa: float | None
    low: float | None
    high: float | None
    exact: float | None
    within_one: float | None
    table: list[list[int]]
    figures: FiguresOut
    left_out: LeftOutOut
    labellers: list[LabellerOut]
    couples: list[CoupleOut]
    by_level: list[LevelAgreementOut]
    by_query: list[QueryOut]
    rounds: list[RoundOut]
    judged_before: list[JudgedBeforeOut]
    """Oldest first."""
    differing: int
    by_primary: int
    """Differing by one level, where the primary labeller stands."""
    undecided: int


@router.get("/agreement")
def show_agreement(session: SessionDep, seat: SeeingLead, family: OneFamily) -> AgreementOut:
    """The gate's answer for the newest rubric's family, or an earlier one's, with all that it rests on."""
    gate = gate_asked(session, seat.project, family)
    differ = differing(gate, seat.project, decisions_of(session, seat.project.id, gate.rubric.family))
    found = gate.evidence.agreement
    gates = gates_by_family(session, seat.project, gate)
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
        sentence=before.sentence,
        pairs=found.pairs,
        queries=found.queries,
        again=before.again,
        again_by_import=before.again_by_import,
        **told(kappa=found.kappa),
    )


def told(**numbers: float | Undefined) -> dict[str, Any]:
    """The numbers as JSON has them, and the reasons for those that do not exist."""
    missing = {name: number.reason for name, number in numbers.items() if isinstance(number, Undefined)}
    return {"undefined": missing} | {name: None if name in missing else number for name, number in numbers.items()}
