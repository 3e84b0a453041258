"""The rubric as its form was typed, and the changes that the form's buttons make to it before anything is saved."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from starlette.datastructures import FormData

from app.errors import FieldError
from app.reading import take_one, whole_number
from app.rubrics.texts import LEFT_OUT, Example, LevelText, Refusal, RubricText

LEVEL_FIELDS = ("name", "question", "not_this")
EXAMPLE_FIELDS = ("example_of", "example_query", "example_document", "example_why")
REFUSAL_FIELDS = ("reason", "reason_when", "reason_leads_to")
ExampleKind = Literal["examples", "counter_examples"]
BLANK = Example()


def typed_text(form: FormData) -> RubricText:
    """Levels, their examples and the reasons are repeated fields, as many as the lead wrote."""
    examples = typed_examples(form)
    levels = tuple(
        LevelText(number, name, question, examples[number, "examples"], examples[number, "counter_examples"], not_this)
        for number, (name, question, not_this) in enumerate(rows_of(form, LEVEL_FIELDS))
    )
    refusals = {reason: Refusal(when, leads_to or LEFT_OUT) for reason, when, leads_to in rows_of(form, REFUSAL_FIELDS)}
    threshold = whole_number(str(take_one(form, "threshold") or "1"), "threshold")
    return RubricText(
        levels,
        str(take_one(form, "instructions") or ""),
        str(take_one(form, "unjudgeable") or ""),
        1 if threshold is None else threshold,
        refusals,
    )


def typed_examples(form: FormData) -> defaultdict[tuple[int, str], tuple[Example, ...]]:
    """By level and kind; `example_of` says of each where it belongs, like `2 counter_examples`."""
    found: defaultdict[tuple[int, str], tuple[Example, ...]] = defaultdict(tuple)
    for place, *words in rows_of(form, EXAMPLE_FIELDS):
        number, _, kind = place.partition(" ")
        found[whole_number(number, "levels") or 0, kind] += (Example(*words),)
    return found


def rows_of(form: FormData, fields: Sequence[str]) -> list[tuple[str, ...]]:
    columns = [[str(value) for value in form.getlist(field)] for field in fields]
    if len({len(column) for column in columns}) != 1:
        raise FieldError("levels", "Each level has all its fields.", "Use the page's own form.")
    return list(zip(*columns, strict=True))


# Buttons


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
