"""What there is to do next about the agreement of a family, which depends on its rounds and its pool as well."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, current_family
from app.agreement.queries import marks_of_family
from app.agreement.reading import confusion
from app.corpora.queries import count_queries
from app.judging.choosing import Outlook, outlook
from app.pools.queries import pools_of
from app.projects.models import Project
from app.words import plural


class Way(NamedTuple):
    """Something to do, and where: an address under the project's."""

    words: str
    link: str


def ways_on(session: Session, project: Project, gate: GateResult, *, undecided: int) -> list[Way]:
    """What to do next, and after it what else there is. `undecided` pairs differ and wait for a third person."""
    if gate.rubric.family != current_family(session, project.id):
        return [Way("To the newest rubric’s agreement", "/agreement")]
    open_rounds = [mark for mark in marks_of_family(session, project.id, gate.rubric.family) if mark.is_open]
    adjudication = [Way(f"Adjudicate {plural(undecided, 'pair')}", "/adjudication")] if undecided else []
    if open_rounds:
        oldest = open_rounds[0]
        return [way_on_with(oldest.number, oldest.round_id, is_whole=oldest.is_whole), *adjudication]
    left = outlook_of(session, project, gate)
    if gate.is_passed:
        main = [Way("Start the main round", "/rounds")] if left and left.left else []
        return [*main, *adjudication, Way("Go on to the release", "/releases")]
    if gate.answer.answer == "failed":
        return [*ways_to_mend(gate)]
    evidence = way_to_evidence(gate, left, queries=count_queries(session, project))
    return [*ways_to_mend(gate), evidence] if is_below_the_line(gate) else [evidence]


def way_on_with(number: int, round_id: str, *, is_whole: bool) -> Way:
    """An open round is closed once everything is graded, and followed until then."""
    return Way(f"{'Close' if is_whole else 'Follow'} round {number}", f"/rounds/{round_id}")


def outlook_of(session: Session, project: Project, gate: GateResult) -> Outlook | None:
    """Of the newest pool that rounds are dealt from; None where there is none."""
    pool = next((pool for pool, _ in pools_of(session, project.id) if pool.source != "grades"), None)
    return None if pool is None else outlook(session, gate.rubric, pool)


def is_below_the_line(gate: GateResult) -> bool:
    """Nothing is missing but a decision, and more of the same would most likely fail."""
    kappa, minimums = gate.evidence.agreement.kappa, [gate.condition(name) for name in ("queries", "pairs", "levels")]
    return all(each.is_met for each in minimums) and isinstance(kappa, float) and kappa < gate.policy.line


def ways_to_mend(gate: GateResult) -> Iterator[Way]:
    """What was missed says what to read: the levels that are confused, refusals, single labellers."""
    is_line_met = gate.condition("line").is_met
    if not is_line_met:
        yield way_to_the_confused(gate)
    if gate.condition("unjudgeable to one").is_met is False:
        yield Way("Read the pairs that only one could judge", "/agreement/pairs?left_out=one")
    elif gate.condition("unjudgeable").is_met is False:
        yield Way("Read the pairs that nobody could judge", "/agreement/pairs?left_out=both")
    if is_line_met and gate.condition("labellers").is_met is False:
        yield Way("See each labeller", "/labellers")
    yield Way("Write the next rubric", "/rubric/draft")


def way_to_the_confused(gate: GateResult) -> Way:
    found = confusion(gate)
    cell = "apart=1"
    if found.lower is not None and found.higher is not None:
        first, second = (found.lower, found.higher) if found.there >= found.back else (found.higher, found.lower)
        cell = f"first={gate.levels[first].number}&second={gate.levels[second].number}"
    return Way("Read the pairs that are confused most", f"/agreement/pairs?{cell}")


def way_to_evidence(gate: GateResult, left: Outlook | None, *, queries: int) -> Way:
    """`queries` is how many the corpus holds; a new pool takes in those that the newest one lacks."""
    if left is None or (not left.fresh and queries > left.queries):
        return Way("Draw a new pool" if left else "Draw a pool", "/pool")
    if not left.fresh:
        return Way("Bring in more queries", "/imports/queries")
    more = gate.answer.more_queries
    if more is None:
        return Way("Open an agreement round", "/rounds")
    if more > left.fresh:
        return Way(f"Judge the {plural(left.fresh, 'fresh query', 'fresh queries')} that are left", "/rounds")
    return Way(f"Judge {plural(more, 'more query', 'more queries')}", "/rounds")
