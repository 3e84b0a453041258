"""The gate for pages that stay open while people judge: they ask again and again, and hardly cost the desk anything.

An answer is made once for all who ask, and what took long to make is not made anew for two hundred times as long. So
following a judged set takes half a hundredth of a processor, whatever its size.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from time import monotonic, thread_time
from typing import Final, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, gate_of
from app.agreement.models import Decision
from app.agreement.queries import labellers_of, marks_of_family
from app.projects.models import Project
from app.rubrics.queries import required_rubric

MOST_FOLLOWED: Final = 20
SHARE: Final = 0.005
QUICK_SECONDS: Final = 0.1
"""What takes less is made whenever somebody asks."""
Family = tuple[str, int]
"""A project's id, and the family's number."""


class State(NamedTuple):
    """Changes whenever something is asked, graded, decided, opened or closed in a family, and is quickly told."""

    asked: int
    pressed: int
    steps: int
    """Of adjudication."""
    rounds: int
    open_rounds: int

    @property
    def is_live(self) -> bool:
        return self.open_rounds > 0

    @property
    def version(self) -> str:
        return "-".join(map(str, self))

    def is_later_than(self, version: str) -> bool:
        """Than another state's: grades are never taken back."""
        told = version.split("-")
        return version != self.version and not (
            len(told) == len(self) and told[1].isdecimal() and int(told[1]) > self.pressed
        )


def state_of_family(session: Session, project_id: str, family: int) -> State:
    marks = marks_of_family(session, project_id, family)
    decided = select(func.count()).where(Decision.project_id == project_id, Decision.family == family)
    return State(
        asked=sum(mark.asked for mark in marks),
        pressed=sum(mark.pressed for mark in marks),
        steps=session.scalar(decided) or 0,
        rounds=len(marks),
        open_rounds=sum(mark.is_open for mark in marks),
    )


class Made(NamedTuple):
    """An answer, what it was made for, and until when (monotonic seconds) it will do."""

    given_for: Hashable
    state: State
    gate: GateResult
    rests_until: float


class Following:
    """The newest answer of each family that is followed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: OrderedDict[Family, Made] = OrderedDict()
        self._in_the_making: set[Family] = set()

    def ask(
        self, session: Session, project: Project, family: int, state: State, *, seen: str
    ) -> tuple[State, GateResult] | None:
        """The gate in this state, or in the one that will do for now; None where that is none later than `seen`, and
        while it is being made for somebody else: to wait for it would keep a place from the desk.
        """
        which, given_for = (project.id, family), what_for(session, project, state)
        with self._lock:
            made = self._made.get(which)
            if made is not None and (made.given_for == given_for or monotonic() < made.rests_until):
                return (made.state, made.gate) if made.state.is_later_than(seen) else None
            if which in self._in_the_making:
                return None
            self._in_the_making.add(which)
        try:
            gate = self._make(session, project, family, state, given_for)
        finally:
            with self._lock:
                self._in_the_making.remove(which)
        return state, gate

    def _make(self, session: Session, project: Project, family: int, state: State, given_for: Hashable) -> GateResult:
        started = thread_time()
        gate = gate_of(session, project, family)
        took = thread_time() - started
        rests_until = monotonic() + (took / SHARE if took > QUICK_SECONDS else 0)
        with self._lock:
            self._made[project.id, family] = Made(given_for, state, gate, rests_until)
            self._made.move_to_end((project.id, family))
            while len(self._made) > MOST_FOLLOWED:
                self._made.popitem(last=False)
        return gate


def what_for(session: Session, project: Project, state: State) -> Hashable:
    """All that an answer says besides what was graded is in it: the policy, the names, the words of the levels."""
    names = tuple(labellers_of(session, project.id).items())
    return state.version, project.gate_policy, names, required_rubric(session, project.id).id


FOLLOWING: Final = Following()
