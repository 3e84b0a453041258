"""What changed between two versions of a rubric: part by part, word by word."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Literal

from app.rubrics.texts import RubricText, parts_of

WORDS = re.compile(r"\S+|\s+")


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
    """What was taken out stands before what came in its place. Blanks between two changes belong to both, so that a
    phrase is told as a phrase.
    """
    blocks = [
        (tag == "equal", "".join(old[start:end]), "".join(new[new_start:new_end]))
        for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    ]
    inner = range(1, len(blocks) - 1)
    kept = [is_same and not (at in inner and was.isspace()) for at, (is_same, was, _) in enumerate(blocks)]
    for is_kept, group in groupby(zip(kept, blocks, strict=True), key=itemgetter(0)):
        texts = [(was, now) for _, (_, was, now) in group]
        removed, added = ("".join(each) for each in zip(*texts, strict=True))
        if is_kept:
            yield Piece("same", added)
            continue
        if removed:
            yield Piece("removed", removed)
        if added:
            yield Piece("added", added)
