"""Practice before the first grade of a round: the rubric's own examples, to be told apart and explained."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.judging.beside import LevelShown


class Practice(NamedTuple):
    """One of the rubric's examples or counter-examples, without its level in sight."""

    example: Mapping[str, str]
    """Its query, document and why."""
    level: LevelShown
    is_example: bool
    """False: the rubric gives it as what the level is not."""


def practice_of(levels: Sequence[LevelShown]) -> list[Practice]:
    """Every example and counter-example that shows something to grade, each query and document once, in an order that
    follows no level and is the same for everybody. What is a level's example is asked as that, though the rubric gives
    it as another's counter-example too.
    """
    examples = [Practice(each, level, is_example=True) for level in levels for each in level.examples]
    counter = [Practice(each, level, is_example=False) for level in levels for each in level.counter_examples]
    told = [each for each in (*examples, *counter) if each.example["query"] or each.example["document"]]
    once = {(each.example["query"], each.example["document"]): each for each in reversed(told)}
    return sorted(once.values(), key=lambda each: hashlib.sha256("\x1f".join(each.example.values()).encode()).digest())
