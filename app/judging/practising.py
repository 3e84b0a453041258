"""Practice before the first grade of a round: the rubric's own examples, to be told apart and explained."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from app.judging.desk import LevelShown


class Practice(NamedTuple):
    """One of the rubric's examples or counter-examples, without its level in sight."""

    text: str
    level: LevelShown
    is_example: bool
    """False: the rubric gives it as what the level is not."""


def practice_of(levels: Sequence[LevelShown]) -> list[Practice]:
    """Every example and counter-example, in an order that follows no level and is the same for everybody."""
    examples = [Practice(level.example, level, is_example=True) for level in levels if level.example]
    counter = [Practice(level.counter_example, level, is_example=False) for level in levels if level.counter_example]
    return sorted([*examples, *counter], key=lambda each: hashlib.sha256(each.text.encode()).digest())
