"""The agreement as the API tells it: every number in full, and where there is none a null beside its reason."""

from typing import Any, Literal

from pydantic import BaseModel

from app.measures.undefined import Undefined

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
    `again_by_import` by grades that were brought in. `has_failed` also where it passes by now, and did not from the
    first.
    """

    family: int
    answer: Answer
    has_failed: bool
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


class AnsweredBeforeOut(Numbers):
    """What stood before the round was opened, widened or reassigned, or once it had been closed."""

    round: int
    step: Literal["opened", "widened", "reassigned", "closed"]
    answer: Answer
    kappa: float | None
    pairs: int
    queries: int


class AsFirstGivenOut(Numbers):
    """The gate over the grades as they were first given; `changed` are followed by another level or reason."""

    answer: Answer
    kappa: float | None
    changed: int


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
    answers_before: list[AnsweredBeforeOut]
    """The same family's, oldest first: one for each moment at which other grades stood than now."""
    as_first_given: AsFirstGivenOut | None
    """Null where nobody went back to a grade."""
    differing: int
    by_primary: int
    """Differing by one level, where the primary labeller stands."""
    undecided: int


def told(**numbers: float | Undefined) -> dict[str, Any]:
    """The numbers as JSON has them, and the reasons for those that do not exist."""
    missing = {name: number.reason for name, number in numbers.items() if isinstance(number, Undefined)}
    return {"undefined": missing} | {name: None if name in missing else number for name, number in numbers.items()}
