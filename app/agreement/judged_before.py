"""Queries that were judged twice before, under an earlier family, and what the gate says of that family.

The next rubric is mended on what its labellers said of them, so that they can't test it as fresh queries do. A query
under another id that asks the same is the same. Agreement rounds take none of them (`app/judging/choosing.py`); main
rounds do, and those of a set are judged whole. Grades from outside may be of them, since the same people may have
judged them again elsewhere. Previews, the agreement page and releases say so, and what the gate answers without those
of families that it does not pass, or has failed before.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.agreement.answered_before import has_ever_failed
from app.agreement.gate import GateResult, gate_of, gate_over
from app.agreement.queries import Asked
from app.corpora.queries import same_questions
from app.judging.models import Round
from app.measures import Undefined
from app.measures.evidence import Answer
from app.projects.models import Project
from app.rubrics.models import Rubric
from app.rubrics.queries import versions_of
from app.words import plural, three


@dataclass(frozen=True, slots=True)
class JudgedBefore:
    """An earlier family, and how many of the queries that it judged twice count again in a later one's gate."""

    gate: GateResult
    """The earlier family's."""
    failed: bool
    """Whether that answers `failed`, or passes and has not done so from the first: then too it has shown a failure."""
    again: int
    again_by_import: int
    """Of those, in how many a grade that was brought in counts."""
    queries: int
    """Of the later gate, whether or not they were judged before."""

    @property
    def family(self) -> int:
        return self.gate.rubric.family

    @property
    def sentence(self) -> str:
        return sentence_about(self.again, self.queries, self.gate)


@dataclass(frozen=True, slots=True)
class OnFresh:
    """The gate's answer without the queries that were judged twice under an earlier family that it does not pass, or
    passed only in the end: a rubric is mended on what a failure showed, whatever became of it.
    """

    answer: Answer
    kappa: float | Undefined
    pairs: int
    queries: int


def answered_on_fresh(
    session: Session, project: Project, gate: GateResult, gates: Mapping[int, GateResult]
) -> OnFresh | None:
    """None where no such query counts in `gate`, or it does not pass anyway; `gates` has all of the project's."""
    earlier = [each for family, each in gates.items() if family < gate.rubric.family]
    mended = [each for each in earlier if has_ever_failed(session, project, each)] if gate.is_passed else []
    if not mended:
        return None
    firsts = same_questions(session, project.id)
    asked = {firsts[qid] for each in mended for qid in judged_twice(each)}
    stale = {id_ for id_, qid in zip(gate.query_ids, gate.qids, strict=True) if firsts[qid] in asked}
    if not stale:
        return None
    everything = gate.answers.asked
    is_fresh = [query_id not in stale for query_id in everything.query_id]
    asked_fresh = Asked._make(list(compress(each, is_fresh)) for each in everything)
    fresh = gate_over(session, project, gate.rubric, asked_fresh, gate.policy)
    found = fresh.evidence.agreement
    return OnFresh(fresh.answer.answer, found.kappa, found.pairs, found.queries)


def judged_before(
    session: Session, project: Project, gate: GateResult, gates: Mapping[int, GateResult]
) -> tuple[JudgedBefore, ...]:
    """Every family before that of `gate`, oldest first; `gates` has all of the project's."""
    earlier = [each for family, each in sorted(gates.items()) if family < gate.rubric.family]
    if not earlier:  # Most projects: the texts of all queries need not be compared.
        return ()
    firsts = same_questions(session, project.id)
    queries, by_import = judged_twice(gate), judged_twice(gate, is_imported(session, project, gate))
    found = list[JudgedBefore]()
    for each in earlier:
        asked = {firsts[qid] for qid in judged_twice(each)}
        again, again_by_import = (sum(firsts[qid] in asked for qid in qids) for qids in (queries, by_import))
        failed = each.answer.answer == "failed" or (each.is_passed and has_ever_failed(session, project, each))
        found.append(JudgedBefore(each, failed, again, again_by_import, len(queries)))
    return tuple(found)


def judged_twice(gate: GateResult, is_wanted: NDArray[np.bool_] | slice = slice(None)) -> set[str]:
    """qids of all couples that count, or of those (n,) which are wanted."""
    return {gate.qids[place] for place in np.unique(gate.doubles.query[is_wanted]).tolist()}


def count_imported(session: Session, project: Project, gate: GateResult) -> int:
    """Pairs of the gate of which a grade that counts was brought in."""
    first, _ = gate.answers.couples
    return len(np.unique(gate.answers.pair[first[is_imported(session, project, gate)]]))


def is_imported(session: Session, project: Project, gate: GateResult) -> NDArray[np.bool_]:
    """Whether a grade of the couple was brought in, (n,)."""
    imported = session.scalars(select(Round.number).where(Round.project_id == project.id, Round.kind == "imported"))
    rounds = np.asarray(gate.answers.asked.round_number, dtype=np.int64)[gate.answers.places]
    is_from_outside = np.isin(rounds, imported.all())
    first, second = gate.answers.couples
    return is_from_outside[first] | is_from_outside[second]


def told_of_queries(session: Session, project: Project, rubric: Rubric, qids: Collection[str]) -> list[str]:
    """For whoever brings in grades of these queries under `rubric`: a sentence about each earlier family that judged
    some of them twice.
    """
    families = sorted({each.family for each in versions_of(session, project.id) if each.family < rubric.family})
    if not families:
        return []
    firsts = same_questions(session, project.id)
    asked = [firsts.get(qid, qid) for qid in qids]
    gates = [gate_of(session, project, family) for family in families]
    before = [({firsts[qid] for qid in judged_twice(gate)}, gate) for gate in gates]
    again = [(sum(qid in judged for qid in asked), gate) for judged, gate in before]
    return [sentence_about(number, len(qids), gate) for number, gate in again if number]


def sentence_about(again: int, queries: int, gate: GateResult) -> str:
    judged = f"{plural(queries, 'query', 'queries')} {'was' if again == 1 else 'were'} judged twice before"
    kappa = three(gate.evidence.agreement.kappa)
    return (
        f"{again:,} of {judged}, under family {gate.rubric.family}, where the gate answers {gate.answer.answer} "
        f"(kappa {kappa})."
    )
