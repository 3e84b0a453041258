"""What makes a rubric hard to apply alike: words that compare documents instead of saying what one lets a person do.

Each finding names the level and the words, says why, and shows a way out. It reads English; in other languages it finds
only what is missing and what is said twice.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from app.rubrics.lint_words import (
    COMPARATIVE,
    EVALUATIVE,
    FILLERS,
    HARMLESS_PHRASES,
    KNOWN_LETTERS,
    NO_SUPERLATIVE,
    TERMS,
    THAN,
)
from app.rubrics.texts import LevelText, RubricText, parts_of

WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
HARMLESS = re.compile(rf"\b(?:{'|'.join(HARMLESS_PHRASES)})\b", re.IGNORECASE)
COMPARED = re.compile(r"\b([^\W\d_]+er) than\b", re.IGNORECASE)
LETTERS = re.compile(r"\b[A-Z]{2,6}s?\b")
TERM = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, TERMS), key=len, reverse=True))})(?![\w-])")
EXPLAINED_BY = r"[”\"’']?\s*(?:\([^)]|:|=|–|—|,? (?:is|are|means?|mean|that is|i\.e\.|stands? for|here)\b)"
"""What follows a word where it is explained."""

Kind = Literal["comparative", "evaluative", "same", "example", "neighbour", "unexplained"]


@dataclass(frozen=True)
class Finding:
    """One thing a lead should look at. `blocks` ones need a written reason before publishing."""

    level: int | None
    kind: Kind
    words: tuple[str, ...]
    sentence: str
    way_out: str

    @property
    def blocks(self) -> bool:
        return self.kind == "comparative"


def find_faults(text: RubricText) -> list[Finding]:
    """Everything worth a warning, lowest level first."""
    return [
        *(finding for level in text.levels for finding in faults_of(level)),
        *levels_that_say_the_same(text.levels),
        *neighbours_without_a_line(text.levels),
        *words_without_an_explanation(text),
    ]


def faults_of(level: LevelText) -> Iterator[Finding]:
    said = f"{level.name}. {level.question}"
    compared = comparisons_in(said)
    if compared:
        yield Finding(
            level.number,
            "comparative",
            compared,
            f"Level {level.number} compares documents ({quoted(compared)}): what else was returned would change its "
            "meaning, and two people see it differently.",
            "Ask what the person can do with this one document.",
        )
    valued = words_in(said, lambda word: word in EVALUATIVE)
    if valued:
        yield Finding(
            level.number,
            "evaluative",
            valued,
            f"Level {level.number} judges instead of asking ({quoted(valued)}): everybody draws that line elsewhere.",
            "Name what must stand in the document, or what the person can do afterwards.",
        )
    missing = [
        name
        for name, given in (("example", level.examples), ("counter-example", level.counter_examples))
        if all(each.is_empty for each in given)
    ]
    if missing:
        yield Finding(
            level.number,
            "example",
            (),
            f"Level {level.number} has no {' and no '.join(missing)}.",
            "Describe a query, a document, and why it belongs here; or why one that looks like it does not.",
        )


def comparisons_in(said: str) -> tuple[str, ...]:
    harmless = HARMLESS.sub(" , ", said)
    before_than = [word for word in COMPARED.findall(harmless) if word.casefold() not in THAN]
    found = [*words_in(harmless, is_comparative), *(word.casefold() for word in before_than)]
    return tuple(dict.fromkeys(found))


def is_comparative(word: str) -> bool:
    """Also the first half of a word like `best-matching`."""
    return word in COMPARATIVE or word.partition("-")[0] in COMPARATIVE or is_superlative(word)


def is_superlative(word: str) -> bool:
    return len(word) > 5 and word.endswith("est") and word not in NO_SUPERLATIVE


def levels_that_say_the_same(levels: Sequence[LevelText]) -> Iterator[Finding]:
    """In their words, or in all words but those that say nothing."""
    yield from repeated(levels, asked_in, "ask the same question", "Ask in each what the other does not.")
    yield from repeated(levels, named_in, "have the same name", "Give each a name of its own.")


def repeated(
    levels: Sequence[LevelText], said_in: Callable[[LevelText], frozenset[str]], what: str, way_out: str
) -> Iterator[Finding]:
    seen: dict[frozenset[str], int] = {}
    for level in levels:
        said = said_in(level)
        if said in seen:
            yield Finding(level.number, "same", (), f"Levels {seen[said]} and {level.number} {what}.", way_out)
        if said:
            seen.setdefault(said, level.number)


def asked_in(level: LevelText) -> frozenset[str]:
    words = re.findall(r"\w+", level.question.casefold())
    return frozenset(word for word in words if word not in FILLERS) or frozenset(words)


def named_in(level: LevelText) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", level.name.casefold()))


def neighbours_without_a_line(levels: Sequence[LevelText]) -> Iterator[Finding]:
    """Between levels that count as something; of two levels, between those."""
    for lower, upper in pairwise(levels if len(levels) == 2 else levels[1:]):
        if not lower.not_this.strip() and not upper.not_this.strip():
            yield Finding(
                upper.number,
                "neighbour",
                (),
                f"No sentence says what separates level {lower.number} from level {upper.number}.",
                "Write one: not this but that.",
            )


def words_without_an_explanation(text: RubricText) -> Iterator[Finding]:
    """Each word once, at the first level that uses it."""
    everything = "\n".join(parts_of(text).values())
    told: set[str] = set()
    for level in text.levels:
        used = terms_in(f"{level.name}. {level.question} {level.not_this}")
        words = tuple(word for word in used if word not in told and not is_explained(word, everything))
        told.update(words)
        if words:
            yield Finding(
                level.number,
                "unexplained",
                words,
                f"Level {level.number} uses {quoted(words)}, and nothing in the rubric says what is meant: two people "
                "may take it differently.",
                f"Write in the instructions: “{words[0]}” means …",
            )


def terms_in(said: str) -> tuple[str, ...]:
    letters = [word for word in LETTERS.findall(said) if word.rstrip("s") not in KNOWN_LETTERS]
    return tuple(dict.fromkeys([*TERM.findall(said.casefold()), *letters]))


def is_explained(word: str, everything: str) -> bool:
    """Whether the word is followed by what it means, or stands in brackets behind it."""
    plain = re.escape(word)
    singular = re.escape(word.removesuffix("s"))
    explained = rf"\b(?:{plain}|{singular}){EXPLAINED_BY}|\w\s*\({plain}\)"
    return re.search(explained, everything, re.IGNORECASE) is not None


def words_in(said: str, is_wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """The wanted words, once each, in order; of phrases that are harmless none."""
    words = (word.casefold() for word in WORD.findall(HARMLESS.sub(" , ", said)))
    return tuple(dict.fromkeys(word for word in words if is_wanted(word)))


def quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
