"""The gate, asked over everything that was judged twice in a rubric family.

Evidence is every pair to which two people or more gave a level in rounds of the family: agreement rounds, the overlap
of later ones, imported ones. A pair that three people graded stands in all of its three couples, but counts as one
pair, and each grade once in its labeller's distribution. What was left out is counted, and says who and why.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from sqlalchemy.orm import Session

from app.agreement.queries import PairGrade, grades_of_family, names_of, qids_of
from app.corpora.models import NO_TEXT
from app.errors import NotThere
from app.measures.agreement import agreement
from app.measures.doubles import Doubles
from app.measures.gate import Evidence, GateAnswer, Policy, ask_gate
from app.measures.ranking import as_bytes
from app.projects.models import Project
from app.rubrics.models import Level, Rubric
from app.rubrics.queries import levels_of, published_rubric, required_rubric, versions_of

NOT_GRADED = "not graded"
LeftOutAs = Literal["both", "one", "ungraded", "text"]


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
    person could, an answer is missing, or the text was changed between their grades.

    `by` counts answers, not pairs: labeller's name and reason (or `NOT_GRADED`) → how many of these pairs.
    """

    unjudgeable_both: int
    unjudgeable_one: int
    ungraded: int
    other_text: int
    by: tuple[tuple[str, str, int], ...]

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
    pairs: tuple[tuple[PairGrade, ...], ...]
    """By index in `Doubles`, those left out too: what each of two labellers or more says, by their names, or has not
    said yet.
    """
    left_out: LeftOut

    @property
    def is_passed(self) -> bool:
        return self.answer.answer == "passed"


def gate_of(session: Session, project: Project, family: int) -> GateResult:
    """The gate asked now. NotThere where the project has no published rubric of that family."""
    rubric = newest_of_family(session, project.id, family)
    levels = tuple(levels_of(session, rubric))
    grades = grades_of_family(session, project.id, family)
    names = names_of(session, project.id, {grade.labeller_id for grade in grades})
    known = qids_of(session, project.id)
    pairs = shared_pairs(grades, names)
    asked = {grade.labeller_id for pair in pairs for grade in pair}
    labellers = tuple(Labeller(id_, name) for id_, name in names.items() if id_ in asked)
    query_ids = sorted({pair[0].query_id for pair in pairs}, key=lambda query_id: as_bytes(known[query_id]))
    doubles = to_doubles(pairs, levels, labellers, query_ids)
    left_out = count_left_out(pairs, names)
    evidence = Evidence(
        agreement(doubles),
        unjudgeable_both=left_out.unjudgeable_both,
        unjudgeable_one=left_out.unjudgeable_one,
        ungraded=left_out.ungraded,
        other_text=left_out.other_text,
        labellers=tuple(labeller.name for labeller in labellers),
        levels=tuple(f"{level.number} ({level.name})" for level in levels),
    )
    policy = project.gate_policy
    return GateResult(
        rubric=rubric,
        levels=levels,
        policy=policy,
        evidence=evidence,
        answer=ask_gate(evidence, policy),
        doubles=doubles,
        labellers=labellers,
        query_ids=tuple(query_ids),
        qids=tuple(known[query_id] for query_id in query_ids),
        pairs=tuple(pairs),
        left_out=left_out,
    )


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


def shared_pairs(grades: Iterable[PairGrade], names: Mapping[str, str]) -> list[tuple[PairGrade, ...]]:
    """The answers of each pair that was asked of two people or more, in the order of `names`."""
    place = {labeller_id: at for at, labeller_id in enumerate(names)}
    pairs: defaultdict[str, list[PairGrade]] = defaultdict(list)
    for grade in grades:
        pairs[grade.pair_id].append(grade)
    shared = [given for given in pairs.values() if len(given) > 1]
    return [tuple(sorted(given, key=lambda grade: place[grade.labeller_id])) for given in shared]


def to_doubles(
    pairs: Sequence[Sequence[PairGrade]],
    levels: Sequence[Level],
    labellers: Sequence[Labeller],
    query_ids: Sequence[str],
) -> Doubles:
    """Every couple of `couples_of` a pair, as places on the scale and indices of `labellers` and `query_ids`."""
    place = {level.number: at for at, level in enumerate(levels)}
    labeller = {one.id: at for at, one in enumerate(labellers)}
    query = {query_id: at for at, query_id in enumerate(query_ids)}
    rows = [
        (at, query[one.query_id], labeller[one.labeller_id], labeller[other.labeller_id], place[first], place[second])
        for at, grades in enumerate(pairs)
        for one, other in couples_of(grades)
        if (first := one.level) is not None and (second := other.level) is not None
    ]
    return Doubles.of(rows, levels=len(levels), labellers=len(labellers))


def couples_of(grades: Iterable[PairGrade]) -> Iterator[tuple[PairGrade, PairGrade]]:
    """Of one pair's answers any two that are levels, unless they are known to be of different texts: a release leaves
    such a pair out, too.
    """
    levels = [grade for grade in grades if grade.level is not None]
    for one, other in combinations(levels, 2):
        if len({one.text_hash, other.text_hash} - {NO_TEXT}) < 2:
            yield one, other


def count_left_out(pairs: Iterable[Sequence[PairGrade]], names: Mapping[str, str]) -> LeftOut:
    """Which pairs are in no couple, and whose answers kept them out."""
    kinds: Counter[LeftOutAs] = Counter()
    by: Counter[tuple[str, str]] = Counter()
    for grades in pairs:
        kind = left_out_as(grades)
        if kind is not None:
            kinds[kind] += 1
            by.update((names[grade.labeller_id], said) for grade in grades if (said := kept_out(grade)))
    answers = tuple((*who, number) for who, number in sorted(by.items()))
    return LeftOut(kinds["both"], kinds["one"], kinds["ungraded"], kinds["text"], answers)


def left_out_as(grades: Sequence[PairGrade]) -> LeftOutAs | None:
    """`both` could not judge the pair, `one` could not, an answer is `ungraded`, or another `text` was graded; None for
    a pair with a couple that counts.
    """
    judged = unjudgeable = 0
    for grade in grades:
        judged += grade.level is not None
        unjudgeable += grade.reason is not None
    if judged >= 2:
        return None if any(couples_of(grades)) else "text"
    if judged + unjudgeable < 2:
        return "ungraded"
    return "one" if judged else "both"


def kept_out(grade: PairGrade) -> str | None:
    """Why this answer is not a level, if it is none."""
    return grade.reason if grade.is_answered else NOT_GRADED
