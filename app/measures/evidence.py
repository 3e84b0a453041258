"""What the gate is asked about, and what it answers."""

from dataclasses import dataclass
from typing import Final, Literal

from app.measures.agreement import Agreement, VersusRest

Answer = Literal["undefined", "not enough evidence", "failed", "passed"]
NOT_GRADED: Final = "not graded"
"""What somebody said of a pair who was asked and gave no answer."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the gate is asked about. Pairs are counted once each: `unjudgeable_both` and `unjudgeable_one` by how many
    of their two labellers could not judge them, `ungraded` where a labeller has not answered, `other_text` where their
    labellers read different texts, so that their levels say nothing about each other. `unjudgeable_beside` counts those
    among the pairs of `agreement` that somebody else could not judge: a third labeller hides nobody's refusals.

    `labellers` and `levels` name them for the sentences, by index; without names they are numbered.
    """

    agreement: Agreement
    unjudgeable_both: int = 0
    unjudgeable_one: int = 0
    unjudgeable_beside: int = 0
    ungraded: int = 0
    other_text: int = 0
    labellers: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """Pairs that both of their labellers have answered, with a level or as unjudgeable."""
        return self.agreement.pairs + self.unjudgeable_both + self.unjudgeable_one

    @property
    def offered(self) -> int:
        return self.answered + self.ungraded + self.other_text

    @property
    def levels_used(self) -> dict[int, int]:
        """Labeller → how many different levels that labeller used over all of their doubly judged pairs."""
        return {one.labeller: one.levels_used for one in self.agreement.versus_rest}

    def labeller(self, index: int) -> str:
        return self.labellers[index] if index < len(self.labellers) else f"labeller {index + 1}"

    def level(self, index: int) -> str:
        return self.levels[index] if index < len(self.levels) else str(index)


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that the policy asks. `is_met` None: it can't be told. `margin` above 0 is by how much it is met,
    below 0 by how much it is missed, in the condition's own unit; None where there is no figure.
    """

    name: str
    is_met: bool | None
    asked: str
    found: str
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """`more_queries`: about how many further queries would settle it; only beside `not enough evidence`."""

    answer: Answer
    conditions: tuple[Condition, ...]
    sentence: str
    more_queries: int | None = None


@dataclass(frozen=True, slots=True)
class Contribution:
    """One labeller's part in a release: pairs that they graded, and how they agree with the rest, if they share any."""

    name: str
    graded: int
    versus_rest: VersusRest | None
