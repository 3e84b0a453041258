"""A version of the rubric as it is written: what a lead types, and what a labeller reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.rubrics.models import OUTCOMES

LEFT_OUT, AT_ZERO = OUTCOMES


@dataclass(frozen=True, slots=True)
class Example:
    """A query, a document, and why it belongs to the level; for a counter-example, why it does not."""

    query: str = ""
    document: str = ""
    why: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.query or self.document or self.why)


@dataclass(frozen=True, slots=True)
class LevelText:
    """One level as it is written; `number` from 0."""

    number: int
    name: str
    question: str
    examples: tuple[Example, ...] = ()
    counter_examples: tuple[Example, ...] = ()
    not_this: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """When a document can't be judged for one reason, and what becomes of the pair if nobody could judge it."""

    when: str = ""
    leads_to: str = LEFT_OUT

    @property
    def is_usual(self) -> bool:
        return not self.when and self.leads_to == LEFT_OUT


FIRST_LEVELS = (
    LevelText(0, "Nothing", "Are they exactly where they were before?"),
    LevelText(1, "Context", "Do they learn something about the task, without being able to act on it?"),
    LevelText(2, "A step", "Can they carry out a necessary step, but not the whole task?"),
    LevelText(3, "Complete", "Can they finish the task with this document alone?"),
)
"""Where a first draft starts: what the person can do afterwards, not how the document compares."""


@dataclass(frozen=True)
class RubricText:
    """A version; the levels lowest first, numbered from 0."""

    levels: Sequence[LevelText] = FIRST_LEVELS
    instructions: str = ""
    unjudgeable: str = ""
    threshold: int = 1
    refusals: Mapping[str, Refusal] = field(default_factory=dict)
    """By reason; those that the rubric says nothing of are not in it."""

    @property
    def zero_reasons(self) -> frozenset[str]:
        """Reasons for which a pair that nobody could judge counts as level 0."""
        return frozenset(reason for reason, each in self.refusals.items() if each.leads_to == AT_ZERO)


def parts_of(text: RubricText) -> dict[str, str]:
    """Every word of a version by the name of its part, in the order of the page; empty parts are left out."""
    parts = {
        "Instructions": text.instructions,
        "When it can’t be judged": text.unjudgeable,
        "Binary threshold": str(text.threshold),
    }
    for reason, refusal in sorted(text.refusals.items()):
        parts[f"Can’t be judged, {reason}"] = f"{refusal.when} ({refusal.leads_to})".lstrip()
    for level in text.levels:
        parts |= parts_of_level(level)
    return {name: words for name, words in parts.items() if words}


def parts_of_level(level: LevelText) -> dict[str, str]:
    return {
        f"Level {level.number}, name": level.name,
        f"Level {level.number}, question": level.question,
        f"Level {level.number}, the line to its neighbour": level.not_this,
        **examples_by_name(f"Level {level.number}, example", level.examples),
        **examples_by_name(f"Level {level.number}, counter-example", level.counter_examples),
    }


def examples_by_name(name: str, examples: Sequence[Example]) -> dict[str, str]:
    return {f"{name} {at}": in_one(each) for at, each in enumerate(examples, start=1)}


def in_one(example: Example) -> str:
    """`query → document: why`, as far as they are written."""
    shown = " → ".join(part for part in (example.query, example.document) if part)
    return ": ".join(part for part in (shown, example.why) if part)
