"""What changed between two versions of a rubric: part by part, word by word."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from app.rubrics.texts import RubricText, parts_of

WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of one part, and which of the two versions has them."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the rubric that reads differently: `part` is its name on the page."""

    part: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """`same` counts the parts that read alike in both."""

    changes: tuple[Change, ...]
    same: int
    unchanged_levels: tuple[int, ...]
    """Numbers of the levels of which no word changed."""


def difference(old: RubricText, new: RubricText) -> Difference:
    before, after = parts_of(old), parts_of(new)
    changes = tuple(changes_of(before, after))
    kept = sum(after.get(part) == words for part, words in before.items())
    return Difference(changes, kept, tuple(sorted(unchanged_levels(old, new))))


def unchanged_levels(old: RubricText, new: RubricText) -> set[int]:
    """Levels that stand in both under the same number and in the same words: name, question, examples and line."""
    return {level.number for level in set(old.levels) & set(new.levels)}


def changes_of(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """In the order of the newer version, then what only the older one had."""
    for part in [*after, *(part for part in before if part not in after)]:
        old, new = before.get(part, ""), after.get(part, "")
        if old != new:
            yield Change(part, tuple(pieces_of(WORDS.findall(old), WORDS.findall(new))))


def pieces_of(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    """What was taken out stands before what came in its place."""
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(new[new_start:new_end]))
            continue
        if end > start:
            yield Piece("removed", "".join(old[start:end]))
        if new_end > new_start:
            yield Piece("added", "".join(new[new_start:new_end]))
