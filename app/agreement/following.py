"""The gate for pages that stay open while people judge: they ask again and again, and must cost the desk nothing.

An answer is worth renewing when a five-hundredth of what is asked has been graded since, a round is whole, opened or
closed, or a decision was taken. Whoever asks before that is told so, and of several who ask then only one has it made.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Final, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, gate_of
from app.agreement.models import Decision
from app.agreement.queries import labellers_of, marks_of_family
from app.projects.models import Project
from app.rubrics.queries import required_rubric

RENEWALS: Final = 500
MOST_FOLLOWED: Final = 20
Family = tuple[str, int]
"""A project's id, and the family's number."""


class State(NamedTuple):
    """How far a family is, quickly told."""

    asked: int
    pressed: int
    steps: int
    """Of adjudication."""
    rounds: int
    open_rounds: int
    whole_rounds: int

    @property
    def is_live(self) -> bool:
        return self.open_rounds > 0

    @property
    def version(self) -> str:
        """Another one whenever the answer is worth renewing."""
        pressed = self.pressed // max(1, self.asked // RENEWALS)
        return "-".join(map(str, self._replace(pressed=pressed)))


def state_of_family(session: Session, project_id: str, family: int) -> State:
    marks = marks_of_family(session, project_id, family)
    decided = select(func.count()).where(Decision.project_id == project_id, Decision.family == family)
    return State(
        asked=sum(mark.asked for mark in marks),
        pressed=sum(mark.pressed for mark in marks),
        steps=session.scalar(decided) or 0,
        rounds=len(marks),
        open_rounds=sum(mark.is_open for mark in marks),
        whole_rounds=sum(mark.is_whole for mark in marks),
    )


class Following:
    """The newest answer of each family that is followed, and what it was given for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: OrderedDict[Family, tuple[Hashable, GateResult]] = OrderedDict()
        self._in_the_making: set[Family] = set()

    def ask(self, session: Session, project: Project, family: int, state: State) -> GateResult | None:
        """The gate as it is in this state, or was when somebody asked in the same one; None while it is being made for
        somebody else: to wait for it would keep a place from the desk.
        """
        which, given_for = (project.id, family), what_for(session, project, state)
        with self._lock:
            made = self._made.get(which)
            if made is not None and made[0] == given_for:
                return made[1]
            if which in self._in_the_making:
                return None
            self._in_the_making.add(which)
        try:
            gate = gate_of(session, project, family)
            self._keep(which, given_for, gate)
        finally:
            with self._lock:
                self._in_the_making.remove(which)
        return gate

    def _keep(self, which: Family, given_for: Hashable, gate: GateResult) -> None:
        with self._lock:
            self._made[which] = given_for, gate
            self._made.move_to_end(which)
            while len(self._made) > MOST_FOLLOWED:
                self._made.popitem(last=False)


def what_for(session: Session, project: Project, state: State) -> Hashable:
    """All that an answer says besides what was graded is in it: the policy, the names, the words of the levels."""
    names = tuple(labellers_of(session, project.id).items())
    return state.version, project.gate_policy, names, required_rubric(session, project.id).id


FOLLOWING: Final = Following()
