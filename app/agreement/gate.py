"""The gate, asked over everything that was judged twice in a rubric family.

Evidence is every pair to which two people or more gave a level in rounds of the family: agreement rounds, the overlap
of later ones, imported ones. A pair that three people graded stands in all of its three couples, but counts as one
pair, and each grade once in its labeller's distribution. What was left out is counted, and says who and why.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from sqlalchemy.orm import Session

from app.agreement.answers import KINDS, NONE, Answers, numbered, shared
from app.agreement.blanks import with_blanks
from app.agreement.queries import Asked, imported_rounds, labellers_of, qids_of
from app.agreement.remembering import asked_in_family
from app.errors import NotThere
from app.measures.agreement import agreement
from app.measures.doubles import Doubles
from app.measures.evidence import NOT_GRADED
from app.measures.gate import Condition, Evidence, GateAnswer, Policy, ask_gate
from app.measures.kappa import Counts
from app.measures.policies import over
from app.measures.ranking import as_bytes
from app.projects.models import Project
from app.rubrics.models import Level, Rubric
from app.rubrics.queries import levels_of, published_rubric, required_rubric, versions_of


@dataclass(frozen=True, slots=True)
class Labeller:
    """Somebody who was asked about a pair that others were asked about too; the index in `Doubles` is the place in
    `GateResult.labellers`, which is by name: in a confusion table the earlier name stands in the rows.
    """

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Pairs asked of two people or more that are not in kappa, each counted once: nobody could judge them, only one
    person could, an answer is missing, or the text was changed between their grades; and, of the pairs that are in
    kappa, those that somebody beside the two could not judge.

    `by` counts answers, not pairs: labeller's name and reason (or `NOT_GRADED`) → how many of these pairs.
    """

    unjudgeable_both: int
    unjudgeable_one: int
    unjudgeable_beside: int
    ungraded: int
    other_text: int
    by: tuple[tuple[str, str, int], ...]

    @property
    def passed_over(self) -> int:
        """Pairs that whoever leaves them ungraded, or changes their texts, keeps out of kappa without a refusal."""
        return self.ungraded + self.other_text

    @property
    def pairs(self) -> int:
        return self.unjudgeable_both + self.unjudgeable_one + self.ungraded + self.other_text


@dataclass(frozen=True, eq=False)
class GateResult:
    """The gate's answer with all that it rests on."""

    rubric: Rubric
    """The newest version of the family; all have the same levels."""
    levels: tuple[Level, ...]
    policy: Policy
    evidence: Evidence
    answer: GateAnswer
    doubles: Doubles
    labellers: tuple[Labeller, ...]
    query_ids: tuple[str, ...]
    qids: tuple[str, ...]
    """By index in `Doubles`, in the order of the qids' bytes."""
    answers: Answers
    """Its `couples` are, place by place, those of `doubles`."""
    left_out: LeftOut

    @property
    def is_passed(self) -> bool:
        return self.answer.answer == "passed"

    def condition(self, name: str) -> Condition:
        return next(each for each in self.answer.conditions if each.name == name)


def gate_of(session: Session, project: Project, family: int) -> GateResult:
    """The gate asked now. NotThere where the project has no published rubric of that family."""
    rubric = newest_of_family(session, project.id, family)
    return gate_over(session, project, rubric, asked_in_family(session, project.id, family))


def gate_over(
    session: Session, project: Project, rubric: Rubric, asked: Asked, policy: Policy | None = None
) -> GateResult:
    """The gate asked over these answers, all of them given under the family of `rubric`; by the project's policy, as it
    stands over so many queries, unless another is given.
    """
    levels = tuple(levels_of(session, rubric))
    names = labellers_of(session, project.id)
    answers = shared(with_blanks(asked, imported_rounds(session, project.id), names), names)
    labellers = tuple(Labeller(id_, names[id_]) for id_ in answers.labeller_ids)
    query, query_ids = queries_in_order(answers, qids := qids_of(session, project.id))
    doubles = to_doubles(answers, query, [level.number for level in levels])
    left_out = count_left_out(answers, [labeller.name for labeller in labellers])
    evidence = Evidence(
        agreement(doubles),
        unjudgeable_both=left_out.unjudgeable_both,
        unjudgeable_one=left_out.unjudgeable_one,
        unjudgeable_beside=left_out.unjudgeable_beside,
        ungraded=left_out.ungraded,
        other_text=left_out.other_text,
        labellers=tuple(labeller.name for labeller in labellers),
        levels=tuple(f"{level.number} ({level.name})" for level in levels),
    )
    policy = policy or policy_over(project, asked, names)
    return GateResult(
        rubric=rubric,
        levels=levels,
        policy=policy,
        evidence=evidence,
        answer=ask_gate(evidence, policy),
        doubles=doubles,
        labellers=labellers,
        query_ids=tuple(query_ids),
        qids=tuple(qids[query_id] for query_id in query_ids),
        answers=answers,
        left_out=left_out,
    )


def policy_over(project: Project, asked: Asked, people: Collection[str]) -> Policy:
    """The project's, as it stands over as many queries as were asked of people."""
    policy = project.gate_policy
    if not policy.is_small_set:
        return policy
    return over(policy, len(set(compress(asked.query_id, (each in people for each in asked.labeller_id)))))


def gate_by(gate: GateResult, policy: Policy) -> GateResult:
    """The same evidence held against `policy`."""
    return gate if policy == gate.policy else replace(gate, policy=policy, answer=ask_gate(gate.evidence, policy))


def gates_by_family(session: Session, project: Project, gate: GateResult) -> dict[int, GateResult]:
    """Every family's, the newest family first; that of `gate` is not asked again."""
    families = dict.fromkeys(rubric.family for rubric in versions_of(session, project.id))
    return {family: gate if family == gate.rubric.family else gate_of(session, project, family) for family in families}


def gate_asked(session: Session, project: Project, family: int | None) -> GateResult:
    """The gate of `family`, or of the newest where none is named. RuleError while no rubric is published."""
    newest = required_rubric(session, project.id).family
    return gate_of(session, project, family or newest)


def answer_gate(session: Session, project: Project) -> str | None:
    """The gate's answer in a word or three, for whoever opens a main round; None while no rubric is published."""
    family = current_family(session, project.id)
    return None if family is None else gate_of(session, project, family).answer.answer


def current_family(session: Session, project_id: str) -> int | None:
    """The family that is being worked on: the newest published version's."""
    rubric = published_rubric(session, project_id)
    return None if rubric is None else rubric.family


def newest_of_family(session: Session, project_id: str, family: int) -> Rubric:
    rubric = next((each for each in versions_of(session, project_id) if each.family == family), None)
    if rubric is None:
        raise NotThere(
            f"There is no published rubric of family {family}.", "Publish a rubric; families bear its number."
        )
    return rubric


def queries_in_order(answers: Answers, qids: Mapping[str, str]) -> tuple[Counts, list[str]]:
    """For each answer the place of its query, and the queries' ids: in the order of the qids' bytes."""
    number, found = numbered([answers.asked.query_id[place] for place in answers.places.tolist()])
    ordered = sorted(range(len(found)), key=lambda at: as_bytes(qids[found[at]]))
    place = np.empty(len(found), np.int64)
    place[ordered] = np.arange(len(found))
    return place[number], [found[at] for at in ordered]


def to_doubles(answers: Answers, query: Counts, levels: Sequence[int]) -> Doubles:
    """The couples of `answers`, with places on the scale of `levels`."""
    first, second = answers.couples
    level = np.searchsorted(levels, answers.level)
    return Doubles(
        query=query[first],
        a=answers.labeller[first],
        b=answers.labeller[second],
        level_a=level[first],
        level_b=level[second],
        levels=len(levels),
        labellers=len(answers.labeller_ids),
        pair=answers.pair[first],
    )


def count_left_out(answers: Answers, names: Sequence[str]) -> LeftOut:
    """Which pairs are in no couple, and whose answers are left out of kappa; `names` of its labellers."""
    kinds = Counter(KINDS[kind] for kind in answers.left_out.tolist())
    is_out = (answers.left_out[answers.pair] > 0) & (answers.level == NONE)
    said = (*answers.reasons, NOT_GRADED)  # NONE is the place of the last.
    who, why = answers.labeller[is_out].tolist(), answers.reason[is_out].tolist()
    by = Counter((names[each], said[reason]) for each, reason in zip(who, why, strict=True))
    return LeftOut(
        unjudgeable_both=kinds["both"],
        unjudgeable_one=kinds["one"],
        unjudgeable_beside=kinds["beside"],
        ungraded=kinds["ungraded"],
        other_text=kinds["text"],
        by=tuple((*of_whom, number) for of_whom, number in sorted(by.items())),
    )
