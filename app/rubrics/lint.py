"""What makes a rubric hard to apply alike: words that compare documents instead of saying what one lets a person do.

The word lists follow the project's method (§1): a level is a question that a second person can check.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

COMPARATIVE = frozenset(
    [
        "best",
        "better",
        "worse",
        "worst",
        "more",
        "most",
        "less",
        "least",
        "fewer",
        "fewest",
        "top",
        "superior",
        "inferior",
    ]
)
EVALUATIVE = frozenset(
    [
        "highly",
        "very",
        "perfect",
        "perfectly",
        "good",
        "bad",
        "great",
        "excellent",
        "poor",
        "useful",
        "useless",
        "helpful",
        "relevant",
        "irrelevant",
        "important",
        "authoritative",
        "quality",
        "ideal",
        "fairly",
        "somewhat",
        "quite",
        "marginally",
    ]
)
# Words that end like a superlative and are none.
NO_SUPERLATIVE = frozenset(
    [
        "test",
        "rest",
        "request",
        "requests",
        "interest",
        "latest",
        "guest",
        "suggest",
        "quest",
        "forest",
        "contest",
        "protest",
        "digest",
        "invest",
        "arrest",
        "honest",
        "harvest",
        "nest",
        "chest",
        "pest",
        "vest",
        "modest",
        "manifest",
        "west",
        "zest",
        "crest",
        "bequest",
        "conquest",
        "attest",
        "detest",
        "ingest",
        "inquest",
        "unrest",
        "midwest",
        "backtest",
        "pretest",
        "retest",
    ]
)
WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")


@dataclass(frozen=True)
class LevelText:
    """One level as it is written; `number` from 0."""

    number: int
    name: str
    question: str
    example: str = ""
    counter_example: str = ""
    not_this: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing a lead should look at. `blocks` ones need a written reason before publishing."""

    level: int | None
    kind: Literal["comparative", "evaluative", "same", "example", "neighbour"]
    words: tuple[str, ...]
    sentence: str
    way_out: str

    @property
    def blocks(self) -> bool:
        return self.kind == "comparative"


def find_faults(levels: Sequence[LevelText]) -> list[Finding]:
    """Everything worth a warning, lowest level first."""
    return [
        *(finding for level in levels for finding in faults_of(level)),
        *levels_that_say_the_same(levels),
        *neighbours_without_a_line(levels),
    ]


def faults_of(level: LevelText) -> Iterator[Finding]:
    text = f"{level.name} {level.question}"
    compared = words_in(text, COMPARATIVE, is_superlative)
    if compared:
        yield Finding(
            level.number,
            "comparative",
            compared,
            f"Level {level.number} compares documents ({quoted(compared)}): what else was returned would change its "
            "meaning, and two people see it differently.",
            "Ask what the person can do with this one document.",
        )
    valued = words_in(text, EVALUATIVE)
    if valued:
        yield Finding(
            level.number,
            "evaluative",
            valued,
            f"Level {level.number} judges instead of asking ({quoted(valued)}): everybody draws that line elsewhere.",
            "Name what must stand in the document, or what the person can do afterwards.",
        )
    if not level.example.strip():
        yield Finding(
            level.number,
            "example",
            (),
            f"Level {level.number} has no example.",
            "Describe a query, a document and why it belongs here.",
        )


def levels_that_say_the_same(levels: Sequence[LevelText]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], int] = {}
    for level in levels:
        said = tuple(word.casefold() for word in WORD.findall(level.question))
        if said in seen:
            yield Finding(
                level.number,
                "same",
                (),
                f"Levels {seen[said]} and {level.number} ask the same question.",
                "Ask in each what the other does not.",
            )
        seen.setdefault(said, level.number)


def neighbours_without_a_line(levels: Sequence[LevelText]) -> Iterator[Finding]:
    for lower, upper in pairwise(levels[1:]):
        if not lower.not_this.strip() and not upper.not_this.strip():
            yield Finding(
                upper.number,
                "neighbour",
                (),
                f"No sentence says what separates level {lower.number} from level {upper.number}.",
                "Write one: not this but that.",
            )


def words_in(text: str, known: frozenset[str], also: Callable[[str], bool] = lambda _: False) -> tuple[str, ...]:
    """The words of `text` that are in `known`, or that `also` says yes to, once each, in order."""
    found: Mapping[str, None] = {
        word: None for word in (each.casefold() for each in WORD.findall(text)) if word in known or also(word)
    }
    return tuple(found)


def is_superlative(word: str) -> bool:
    return len(word) > 5 and word.endswith("est") and word not in NO_SUPERLATIVE


def quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
