"""The queue of pairs that a third person decides: first what can move a score most."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import (
    DifferingPair,
    audit_sample,
    disputed_pairs,
    parties_of,
    standing,
    steps_of,
)
from app.agreement.models import Decision
from app.errors import RuleError
from app.measures.conventions import Gain
from app.measures.gains import discount_at
from app.measures.pooling import swap_sensitivity
from app.measures.ranking import as_bytes, order
from app.measures.undefined import MeasureError
from app.projects.guards import Seat
from app.projects.models import Project
from app.runs.queries import rankings_of, runs_of

State = Literal["waiting", "begun", "decided"]


@dataclass(frozen=True, slots=True)
class Queued:
    """A differing pair in the queue. `begun`: somebody graded it blind and has not decided yet."""

    pair: DifferingPair
    state: State
    revision: int
    begun_by: str | None
    """Member id of whoever graded it blind last, while it is `begun`."""
    is_overruled: bool
    """Whether an audit found another level than its labellers agree on."""
    moves: float
    """What its decision can move a DCG by; 0 where no run returns the document."""

    @property
    def is_open(self) -> bool:
        return self.state != "decided"


@dataclass(frozen=True, slots=True)
class Queue:
    """Every pair of a family that is for a third person, as one member finds it."""

    pairs: tuple[Queued, ...]
    member_id: str

    @property
    def decided(self) -> int:
        return sum(not queued.is_open for queued in self.pairs)

    @property
    def audited(self) -> int:
        """How many of them are agreed pairs, to be audited."""
        return sum(queued.pair.is_audit for queued in self.pairs)

    @property
    def audited_so_far(self) -> int:
        return sum(queued.pair.is_audit and not queued.is_open for queued in self.pairs)

    @property
    def overruled(self) -> int:
        """How many audits found another level; they change no judgment."""
        return sum(queued.is_overruled for queued in self.pairs)

    @property
    def own(self) -> int:
        """Open pairs that the member graded, so that others must decide them."""
        return sum(queued.is_open and queued.pair.own > 0 for queued in self.pairs)

    @property
    def placeholders(self) -> int:
        """Open pairs that wait for a text to be brought in."""
        return sum(queued.is_open and queued.pair.is_placeholder for queued in self.pairs)

    @property
    def open(self) -> tuple[Queued, ...]:
        """What the member may decide, in order; what another lead has begun comes last."""
        mine = [each for each in self.pairs if each.is_open and not each.pair.own and not each.pair.is_placeholder]
        return tuple(sorted(mine, key=lambda queued: queued.begun_by not in (None, self.member_id)))

    def after(self, pair_id: str | None) -> Queued | None:
        """The open pair that follows `pair_id`, or the first; None where nothing else is left."""
        places = {queued.pair.pair_id: at for at, queued in enumerate(self.open)}
        start = places.get(pair_id or "", -1) + 1
        others = [queued for queued in self.open[start:] + self.open[:start] if queued.pair.pair_id != pair_id]
        return others[0] if others else None


def queue_of(session: Session, seat: Seat, family: int) -> Queue:
    """Ordered by |difference in gain| x the best discount that any run gives the document, then qid and docno bytes.

    A labeller who could not judge the pair stands for a gain of 0, as an unjudged document does.
    """
    pairs = pairs_to_decide(session, seat, family)
    best = best_discounts(session, seat.project, pairs)
    steps = steps_of(session, seat.project.id, family)
    parties = parties_of(session, seat.project.id, family)
    gain = seat.project.own_gain
    queued = [
        to_queued(
            pair,
            steps.get(pair.pair_id, ()),
            parties[pair.pair_id],
            moves=moved_by(pair, gain, best.get((pair.qid, pair.docno), 0.0)),
        )
        for pair in pairs
    ]
    widest = {pair.pair_id: moved_by(pair, gain, 1.0) for pair in pairs}
    return Queue(
        tuple(
            sorted(
                queued,
                key=lambda each: (
                    -each.moves,
                    -widest[each.pair.pair_id],
                    as_bytes(each.pair.qid),
                    as_bytes(each.pair.docno),
                ),
            )
        ),
        seat.member.id,
    )


def pairs_to_decide(session: Session, seat: Seat, family: int) -> list[DifferingPair]:
    return [
        *disputed_pairs(session, seat.project, family, member_id=seat.member.id),
        *audit_sample(session, seat.project.id, family, member_id=seat.member.id),
    ]


def count_decided(session: Session, seat: Seat, family: int) -> tuple[int, int]:
    """How many of the queue's pairs are decided, and of how many: without the runs' rankings, which only its order
    needs.
    """
    pairs, steps = pairs_to_decide(session, seat, family), steps_of(session, seat.project.id, family)
    parties = parties_of(session, seat.project.id, family)
    decided = (standing(steps.get(pair.pair_id, ()), parties[pair.pair_id]) for pair in pairs)
    return sum(each is not None for each in decided), len(pairs)


def state_of(steps: Sequence[Decision], labellers: Collection[str]) -> State:
    if standing(steps, labellers) is not None:
        return "decided"
    is_begun = bool(steps) and steps[-1].step == "blind" and steps[-1].adjudicator_id not in labellers
    return "begun" if is_begun else "waiting"


def to_queued(pair: DifferingPair, steps: Sequence[Decision], labellers: Collection[str], *, moves: float) -> Queued:
    newest, state = steps[-1] if steps else None, state_of(steps, labellers)
    begun_by = newest.adjudicator_id if newest is not None and state == "begun" else None
    is_overruled = state == "decided" and pair.is_audit and newest is not None and newest.level != pair.lowest
    return Queued(pair, state, newest.revision if newest else 0, begun_by, is_overruled, moves)


def moved_by(pair: DifferingPair, gain: Gain, discount: float) -> float:
    lowest, highest = pair.lowest, pair.highest
    if pair.is_audit:  # As if its labellers were one level apart, or its place in the queue would mark it.
        lowest, highest = max(lowest - 1, 0), max(highest, 1)
    unjudged = 0 if pair.refusals else lowest
    try:
        return max(
            swap_sensitivity(unjudged, highest, gain, discount),
            swap_sensitivity(lowest, highest, gain, discount),
        )
    except MeasureError as error:
        raise RuleError(
            f"The project's gain does not fit the rubric: {error}", "Start a project whose gain does."
        ) from error


def best_discounts(
    session: Session, project: Project, pairs: Iterable[DifferingPair]
) -> Mapping[tuple[str, str], float]:
    """qid and docno → the log2 discount at the best rank of any run; what no run returns is missing."""
    wanted: dict[str, set[str]] = {}
    for pair in pairs:
        wanted.setdefault(pair.qid, set()).add(pair.docno)
    best: dict[tuple[str, str], int] = {}
    for run in runs_of(session, project) if wanted else ():
        for qid, docnos, scores in rankings_of(session, run, list(wanted)):
            for rank, at in enumerate(order(docnos, scores, "docno").tolist(), start=1):
                if docnos[at] in wanted[qid]:
                    key = qid, docnos[at]
                    best[key] = min(rank, best.get(key, rank))
    return {key: discount_at(rank, "log2") for key, rank in best.items()}
