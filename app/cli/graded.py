"""A file of named people's grades, as what agreement is computed of, with what had to be left out and why."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final, Literal, get_args

from app.cli.files import opened
from app.cli.refusal import Refusal
from app.formats.errors import FormatError, quoted
from app.formats.grades import NamedGrade, read_grades
from app.measures.doubles import Doubles
from app.measures.evidence import NOT_GRADED
from app.measures.ranking import as_bytes

Left = Literal["single", "ungraded", "unjudgeable_both", "unjudgeable_one", "unjudgeable_beside"]
Pair = tuple[str, str]
"""qid and docno."""


@dataclass(frozen=True, eq=False)
class Graded:
    """`people`, `qids` and `levels` name the numbers in `doubles`. `left_out` counts pairs, each once: of a query that
    one person alone has graded, `ungraded` by two though others graded that query too, or unjudgeable for both or for
    one of two; and, beside these, pairs that two graded and somebody else could not judge. Whole queries are dealt, so
    that whoever answered anything of a query was asked about all of it: `by` counts what they said of the pairs that
    were left out, a name and `unjudgeable` or `not graded`. `notes` say how the file was read, and `repeated` counts
    grades that came again.
    """

    people: tuple[str, ...]
    qids: tuple[str, ...]
    levels: tuple[str, ...]
    doubles: Doubles
    left_out: Mapping[Left, int]
    by: tuple[tuple[str, str, int], ...]
    notes: tuple[str, ...] = ()
    repeated: int = 0


def read_graded(path: Path, levels: Sequence[str], unjudgeable: Sequence[str], **chosen: Any) -> Graded:
    """FormatError with its line for a grade that is no level. `chosen` are options of `read_grades`."""
    places = places_of(levels, unjudgeable)
    answers: dict[Pair, dict[str, int | None]] = {}
    blank: dict[str, dict[str, None]] = {}
    """Who left a pair of the query without a grade."""

    def keep_blank(qid: str, docno: str, labeller: str | None) -> None:
        answers.setdefault((qid, docno), {})
        if labeller is not None:
            blank.setdefault(qid, {})[labeller] = None

    notes: list[str] = []
    repeated: list[int] = []
    telling: dict[str, Any] = {
        "is_grade": lambda cell: spelled(cell) in places,
        "on_recognised": lambda seen: notes.extend(seen.notes),
        "on_blank": keep_blank,
        "on_note": notes.append,
        "on_repeat": lambda line, _: repeated.append(line),
    }
    with opened(path) as stream:
        for given in read_grades(stream, str(path), **chosen, **telling):
            answers.setdefault((given.qid, given.docno), {})[given.labeller] = place_of(given, places, str(path))
    return replace(gather(answers, levels, blank), notes=tuple(notes), repeated=len(repeated))


def places_of(levels: Sequence[str], unjudgeable: Sequence[str]) -> dict[str | float, int | None]:
    """A grade as a file writes it, or its number → its place on the scale; None where it says unjudgeable."""
    if len(levels) < 2:
        raise Refusal("Agreement needs a scale of at least two levels.", "Name them, lowest first: --levels 0,1,2,3.")
    if "" in levels:
        raise Refusal("There is a level without a name.", "Name them with a comma between each two: --levels 0,1,2,3.")
    numbers = [level for level in map(spelled, levels) if isinstance(level, float)]
    if len(numbers) == len(levels) and numbers != sorted(numbers):
        raise Refusal(f"The levels {', '.join(levels)} do not rise.", "Name them lowest first: --levels 0,1,2,3.")
    places: dict[str | float, int | None] = {}
    for text, place in [*((level, at) for at, level in enumerate(levels)), *((word, None) for word in unjudgeable)]:
        if spelled(text) in places:
            raise Refusal(f'"{text}" is named twice.', "Name each level, and each word for unjudgeable, once.")
        places[spelled(text)] = place
    return places


def place_of(given: NamedGrade, places: Mapping[str | float, int | None], name: str) -> int | None:
    try:
        return places[spelled(given.grade)]
    except KeyError:
        raise FormatError(
            name,
            given.line,
            f"{quoted(given.grade)}, given by {quoted(given.labeller)}, is none of the levels",
            None,
            "Correct it, name it among the --levels, or say --unjudgeable where it means that.",
        ) from None


def spelled(grade: str) -> str | float:
    """Numbers are equal however they are written: spreadsheets make 2.0 of 2. A word that Python would take for a
    number, nan or infinity, is a word.
    """
    word = grade.strip()
    number = float(word) if NUMBER.fullmatch(word) else math.inf
    return number if math.isfinite(number) else word


NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def gather(
    answers: Mapping[Pair, Mapping[str, int | None]], levels: Sequence[str], blank: Mapping[str, Iterable[str]]
) -> Graded:
    """`blank` names those who were asked about a query besides those who answered."""
    people = tuple(sorted({person for given in answers.values() for person in given}, key=as_bytes))
    qids = tuple(sorted({qid for qid, _ in answers}, key=as_bytes))
    person, query = ({name: at for at, name in enumerate(names)} for names in (people, qids))
    rows: list[tuple[int, int, int, int, int, int]] = []
    asked: dict[str, dict[str, None]] = {qid: dict.fromkeys(blank.get(qid, ())) for qid in qids}
    for (qid, _), given in answers.items():
        asked[qid] |= dict.fromkeys(given)
    left: dict[Left, int] = dict.fromkeys(get_args(Left), 0)
    by: Counter[tuple[str, str]] = Counter()
    for pair, ((qid, _), given) in enumerate(answers.items()):
        graded = [(person[name], level) for name, level in given.items() if level is not None]
        rows += [(pair, query[qid], a, b, at, other) for (a, at), (b, other) in combinations(sorted(graded), 2)]
        kind = left_as(len(graded), len(given), len(asked[qid]))
        if kind is not None:
            left[kind] += 1
            without = [name for name in asked[qid] if given.get(name) is None]
            by.update((name, "unjudgeable" if name in given else NOT_GRADED) for name in without)
    return Graded(
        people=people,
        qids=qids,
        levels=tuple(levels),
        doubles=Doubles.of(rows, levels=len(levels), labellers=len(people)),
        left_out=left,
        by=tuple((*who, times) for who, times in sorted(by.items())),
    )


def left_as(graded: int, answered: int, asked: int) -> Left | None:
    """None where two or more gave it a level and nobody could not judge it."""
    if answered < 2:
        return "single" if answered == asked == 1 else "ungraded"
    if graded > 1:
        return "unjudgeable_beside" if graded < answered else None
    return "unjudgeable_one" if graded else "unjudgeable_both"
