"""What the buttons of a rubric's form change before anything is saved: levels come, go and move; examples are added."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from app.reading import whole_number
from app.rubrics.texts import Example, LevelText, RubricText

ExampleKind = Literal["examples", "counter_examples"]
BLANK = Example()


def changed(text: RubricText, what: str) -> RubricText | None:
    """The text after the button `what` was pressed, like `up 2`; None where it is no button that changes the text."""
    name, _, at = what.partition(" ")
    if name not in CHANGES:
        return None
    number = whole_number(at, "levels") or 0
    return CHANGES[name](text, number) if 0 <= number < len(text.levels) else text


def add_level(text: RubricText, _: int) -> RubricText:
    return with_levels(text, [*text.levels, LevelText(0, "", "")])


def remove_level(text: RubricText, number: int) -> RubricText:
    return with_levels(text, [level for level in text.levels if level.number != number])


def raise_level(text: RubricText, number: int) -> RubricText:
    """Changes places with the level above."""
    levels = list(text.levels)
    if number + 1 < len(levels):
        levels[number], levels[number + 1] = levels[number + 1], levels[number]
    return with_levels(text, levels)


def lower_level(text: RubricText, number: int) -> RubricText:
    return raise_level(text, number - 1) if number else text


def with_example(text: RubricText, number: int, kind: ExampleKind, example: Example) -> RubricText:
    """One more at that level."""
    level = text.levels[number]
    more = (*level.examples, example) if kind == "examples" else (*level.counter_examples, example)
    levels = list(text.levels)
    levels[number] = replace(level, examples=more) if kind == "examples" else replace(level, counter_examples=more)
    return replace(text, levels=tuple(levels))


def with_levels(text: RubricText, levels: Sequence[LevelText]) -> RubricText:
    numbered = tuple(replace(level, number=number) for number, level in enumerate(levels))
    return replace(text, levels=numbered, threshold=max(1, min(text.threshold, len(levels) - 1)))


CHANGES: Mapping[str, Callable[[RubricText, int], RubricText]] = {
    "add": add_level,
    "remove": remove_level,
    "up": raise_level,
    "down": lower_level,
    "example": lambda text, number: with_example(text, number, "examples", BLANK),
    "counter-example": lambda text, number: with_example(text, number, "counter_examples", BLANK),
}
