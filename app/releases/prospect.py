"""What a release would be if it were frozen now, and the conditions that it must meet."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import decisions_of
from app.agreement.answered_before import EarlierAnswers, earlier_answers
from app.agreement.gate import GateResult, gate_by, gate_of, gates_by_family
from app.agreement.judged_before import JudgedBefore, OnFresh, answered_on_fresh, judged_before
from app.agreement.queries import names_of
from app.judging.models import Round
from app.judging.queries import progress_of_family
from app.measures.agreement import VersusRest
from app.measures.evidence import Condition as Measured
from app.measures.evidence import Contribution
from app.measures.gate import ask_gate, qualify
from app.measures.policies import over
from app.projects.models import Project
from app.releases.carrying import Earlier, carried, count_carried, earlier_families
from app.releases.setting_aside import grades_set_aside
from app.releases.settling import UNRESOLVED, Tally, tally_of
from app.rubrics.queries import published_rubric
from app.rubrics.writing import text_of
from app.words import plural

WAIVABLE = ("gate", "labellers")
"""Conditions that a lead may release without, by a waiver. Without the others there is nothing to release."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that must hold before a release: what is found, in a sentence, and where to see to it."""

    name: str
    """rubric, rounds, gate, labellers or judgments."""
    is_met: bool
    sentence: str
    link: str
    """An address under the project's."""

    def as_details(self) -> dict[str, Any]:
        return {"name": self.name, "sentence": self.sentence, "link": self.link}


@dataclass(frozen=True)
class Prospect:
    """Everything of the newest family that a release rests on."""

    gate: GateResult
    decisions: dict[str, int | None]
    """Pair id to the adjudicated level; None where no judgment can be given."""
    zero_reasons: frozenset[str]
    """For which a pair that nobody could judge is at level 0, as the rubric says."""
    tally: Tally
    labellers: tuple[tuple[str, str], ...]
    """Member id and name of everybody whose grades count here, in the order of the names' bytes."""
    is_reworded: bool
    """Whether rounds of the family were judged under several of its versions."""
    open_rounds: tuple[Round, ...]
    """Rounds that still take grades, oldest first: of the family, and of those whose judgments are carried."""
    earlier: tuple[tuple[Earlier, Counter[int]], ...]
    """Families before it that judgments can be carried forward from, and how many of each level."""
    is_carrying: bool
    """Whether they are: in `tally` and in the release."""
    before: tuple[JudgedBefore, ...]
    """Every family before it, oldest first, and what it judged twice that counts again."""
    on_fresh: OnFresh | None
    """The gate's answer without those of families that it does not pass; None where none of them counts."""
    answers: EarlierAnswers
    """What the gate of the newest family answered before."""
    set_aside: int
    """Grades of labellers who were declared machines after they had given them: without that they would count."""

    @property
    def is_judged_before(self) -> bool:
        """Whether queries of earlier families count by grades that were brought in, or bring the gate to pass."""
        is_needed = self.on_fresh is not None and self.on_fresh.answer != "passed"
        return is_needed or any(each.again_by_import for each in self.before)

    @property
    def has_passed_over(self) -> bool:
        """Whether it passes over more pairs than the policy lets one of two people refuse."""
        most = self.gate.policy.max_unjudgeable_by_one * self.gate.evidence.offered
        return self.gate.is_passed and self.gate.left_out.passed_over > most

    @property
    def family(self) -> int:
        return self.gate.rubric.family

    @property
    def carriable(self) -> int:
        return sum(levels.total() for _, levels in self.earlier)

    @property
    def carried_from(self) -> tuple[Earlier, ...]:
        return tuple(earlier for earlier, _ in self.earlier) if self.is_carrying else ()


def look_ahead(session: Session, project: Project, *, is_carrying: bool = False) -> Prospect | None:
    """None where no rubric is published yet, so that there can't be a grade. With `is_carrying` the release takes in
    what earlier families judged by levels that have not changed.
    """
    rubric = published_rubric(session, project.id)
    if rubric is None:
        return None
    gate = gate_of(session, project, rubric.family)
    gates = gates_by_family(session, project, gate)
    decided = decisions_of(session, project.id, rubric.family)
    decisions = {pair_id: decision.level for pair_id, decision in decided.items()}
    counts = ((each, count_carried(session, project, each)) for each in earlier_families(session, rubric))
    earlier = tuple((each, levels) for each, levels in counts if levels)
    carried_from = [each for each, _ in earlier] if is_carrying else []
    zero_reasons = text_of(session, rubric).zero_reasons
    tally = tally_of(session, project, family=rubric.family, decisions=decisions, zero_reasons=zero_reasons)
    for each in carried_from:
        tally.carry(carried(session, project, each))
    gate = gate_by(gate, over(gate.policy, len(tally.queries)))  # What is carried may make a small set a large one.
    everybody = tally.contributions.keys() | {labeller.id for labeller in gate.labellers}
    own_rounds = progress_of_family(session, project, rubric.family)
    earlier_rounds = [each for one in carried_from for each in progress_of_family(session, project, one.family)]
    is_open = (each.round for each in (*own_rounds, *earlier_rounds) if each.is_open)
    open_rounds = tuple(sorted(is_open, key=lambda each: each.number))
    return Prospect(
        gate=gate,
        decisions=decisions,
        zero_reasons=zero_reasons,
        tally=tally,
        labellers=tuple(names_of(session, project.id, everybody).items()),
        is_reworded=len({each.round.rubric_id for each in own_rounds}) > 1,
        open_rounds=open_rounds,
        earlier=earlier,
        is_carrying=is_carrying,
        before=judged_before(session, project, gate, gates),
        on_fresh=answered_on_fresh(session, project, gate, gates),
        answers=earlier_answers(session, project, gate),
        set_aside=grades_set_aside(session, project),
    )


def without_names(prospect: Prospect) -> Prospect:
    """The same for whoever may not know who the labellers are: they are numbered, as in a manifest."""
    names = pseudonyms(prospect)
    gate = prospect.gate
    evidence = replace(gate.evidence, labellers=tuple(names[labeller.id] for labeller in gate.labellers))
    unnamed = replace(gate, evidence=evidence, answer=ask_gate(evidence, gate.policy))
    return replace(prospect, gate=unnamed, labellers=tuple(names.items()))


def pseudonyms(prospect: Prospect) -> dict[str, str]:
    """Member id to labeller-1, labeller-2 and so on, in the order of the names' bytes."""
    return {member_id: f"labeller-{place}" for place, (member_id, _) in enumerate(prospect.labellers, start=1)}


def qualify_labeller(gate: GateResult, tally: Tally, member_id: str, *, name: str) -> tuple[Measured, ...]:
    """What is asked of a labeller whose levels stand behind judgments; nothing of anybody else."""
    judgments = tally.contributions[member_id]
    if judgments == 0:
        return ()
    return qualify([Contribution(name, judgments, versus_rest(gate, member_id))], gate.policy)


def versus_rest(gate: GateResult, member_id: str) -> VersusRest | None:
    of = {gate.labellers[one.labeller].id: one for one in gate.evidence.agreement.versus_rest}
    return of.get(member_id)


def conditions_of(prospect: Prospect | None) -> tuple[Condition, ...]:
    if prospect is None:
        sentence = "No rubric is published, so that nothing can be judged."
        return (Condition("rubric", is_met=False, sentence=sentence, link="/rubric"),)
    return (
        rubric_condition(prospect),
        rounds_condition(prospect),
        gate_condition(prospect),
        labellers_condition(prospect),
        judgments_condition(prospect),
    )


def rubric_condition(prospect: Prospect) -> Condition:
    return Condition(
        "rubric", is_met=True, sentence=f"Rubric {prospect.gate.rubric.number} is published and frozen.", link="/rubric"
    )


def rounds_condition(prospect: Prospect) -> Condition:
    """A grade that is given after a release would make it differ from the record of what was judged."""
    rounds = prospect.open_rounds
    if not rounds:
        return Condition("rounds", is_met=True, sentence="Every round under this rubric is closed.", link="/rounds")
    named = " and ".join(str(round_.number) for round_ in rounds)
    sentence = f"{'Round' if len(rounds) == 1 else 'Rounds'} {named} {'is' if len(rounds) == 1 else 'are'} still open, "
    sentence += "so that grades could change after the release."
    link = f"/rounds/{rounds[0].id}" if len(rounds) == 1 else "/rounds"
    return Condition("rounds", is_met=False, sentence=sentence, link=link)


def gate_condition(prospect: Prospect) -> Condition:
    return Condition("gate", is_met=prospect.gate.is_passed, sentence=prospect.gate.answer.sentence, link="/agreement")


def labellers_condition(prospect: Prospect) -> Condition:
    asked = [
        each
        for member_id, name in prospect.labellers
        for each in qualify_labeller(prospect.gate, prospect.tally, member_id, name=name)
    ]
    missed = [each for each in asked if not each.is_met]
    if missed:
        found = "; ".join(f"{each.name}: {each.found}, asked: {each.asked}" for each in missed)
        sentence = f"Not every labeller is qualified ({found})."
    elif asked:
        people = plural(len(prospect.tally.contributions), "labeller is", "labellers are")
        sentence = f"{people} qualified: enough pairs shared with others, and nobody under the policy's floor."
    else:
        sentence = "Nobody's grades are in it yet."
    is_met = bool(asked) and not missed
    return Condition("labellers", is_met=is_met, sentence=sentence, link="/agreement#labellers")


def judgments_condition(prospect: Prospect) -> Condition:
    """What is unresolved is left out and counted: it blocks only where nothing else remains."""
    tally = prospect.tally
    left_out = tally.left_out.total()
    sentence = f"{plural(tally.judgments, 'pair has', 'pairs have')} a judgment"
    sentence += f"; {plural(left_out, 'is', 'are')} left out and counted." if left_out else ", and none is left out."
    link = "/adjudication" if tally.left_out[UNRESOLVED] else "/rounds"
    return Condition("judgments", is_met=tally.judgments > 0, sentence=sentence, link=link)
