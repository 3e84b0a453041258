"""The columns of a run. Millions of lines go through here, so they are taken apart a chunk at a time, and one at a time
only where a chunk holds anything unusual.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from app.formats.errors import FormatError, OnProblem, quoted, report, shown
from app.formats.ids import LONGEST_ID
from app.formats.opening import lone_return, read_chunks
from app.words import plural

SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_RANK = re.compile(rb"[+-]?[0-9]+(\.0*)?")
WAY_OUT = "Write each line as: query Q0 document rank score tag."


class Columns(NamedTuple):
    numbers: list[int]
    qids: list[bytes]
    docnos: list[bytes]
    ranks: list[bytes]
    scores: list[float]
    tags: list[bytes]


def read_columns(
    stream: BinaryIO, name: str, tag: str | None, encoding: str, on_problem: OnProblem | None
) -> Iterator[Columns]:
    own = None if tag is None else tag.encode()
    for first, lines in read_chunks(stream, name, encoding=encoding, on_problem=on_problem):
        columns = _usual_columns(first, lines, own) or _columns_by_line(first, lines, name, own, on_problem)
        if columns is not None:
            yield columns


def _usual_columns(first: int, lines: list[bytes], tag: bytes | None) -> Columns | None:
    """The chunk's columns where every line has six plain ones, else None."""
    rows = [line.split() for line in lines]
    if set(map(len, rows)) != {6}:
        return None
    qids, _, docnos, ranks, scores, tags = map(list, zip(*rows, strict=True))
    if not _are_plain(lines, qids, docnos, ranks, scores):
        return None
    try:
        numbers = list(map(float, scores))
    except ValueError:
        return None
    if not math.isfinite(max(numbers)) or not math.isfinite(min(numbers)):
        return None
    lines_of = list(range(first, first + len(rows)))
    return Columns(lines_of, qids, docnos, ranks, numbers, tags if tag is None else [tag] * len(rows))


def _are_plain(
    lines: list[bytes], qids: list[bytes], docnos: list[bytes], ranks: list[bytes], scores: list[bytes]
) -> bool:
    """Whether no line needs a look of its own: no comment, no lone return, no long id, no Q0 for a document, and only
    digits where due.
    """
    return (
        not b"".join(ranks).translate(None, b"0123456789")
        and not b"".join(scores).translate(None, b"0123456789+-.eE")
        and not any(qid.startswith(b"#") for qid in set(qids))
        and b"Q0" not in docnos
        and len(max(qids, key=len)) <= LONGEST_ID
        and len(max(docnos, key=len)) <= LONGEST_ID
        and not (b"\r" in b"\n".join(lines) and any(b"\r" in line[:-1] for line in lines))
    )


def _columns_by_line(
    first: int, lines: list[bytes], name: str, tag: bytes | None, on_problem: OnProblem | None
) -> Columns | None:
    rows: list[tuple[Any, ...]] = []
    for number, line in enumerate(lines, first):
        words = line.split()
        if not words or words[0].startswith(b"#"):
            continue
        problem = _fault(name, number, line, words, tag)
        if problem is not None:
            report(problem, on_problem)
            continue
        row = (number, words[0], words[2], words[3], float(words[4]), tag if tag is not None else words[5])
        rows.append(row)
    return Columns(*map(list, zip(*rows, strict=True))) if rows else None


def _fault(name: str, number: int, line: bytes, words: list[bytes], tag: bytes | None) -> FormatError | None:
    if b"\r" in line[:-1]:
        return lone_return(name, number, line)
    if len(words) < 5 or (len(words) == 5 and tag is None):
        reason = f"the line has {plural(len(words), 'column')} where a run has six"
        way_out = (
            "The tag may be missing: add it. On import, a name of your own does as well."
            if len(words) == 5
            else WAY_OUT
        )
        return FormatError(name, number, reason, shown(line), way_out)
    if words[2] == b"Q0" != words[1]:
        reason = "the third column, where the document stands, is Q0, which is written in the second"
        return FormatError(name, number, reason, shown(line), WAY_OUT)
    if not _RANK.fullmatch(words[3]):
        reason = f"the rank {quoted(words[3].decode())} is not a whole number"
        reason += ": a column may be missing, or an id may hold a blank"
        return FormatError(name, number, reason, shown(line), WAY_OUT)
    if max(len(words[0]), len(words[2])) > LONGEST_ID:
        return FormatError(name, number, f"an id is longer than {LONGEST_ID:,} bytes", shown(line), WAY_OUT)
    return _fault_of_score(name, number, line, words[4])


def _fault_of_score(name: str, number: int, line: bytes, score: bytes) -> FormatError | None:
    if SCORE.fullmatch(score):
        if math.isfinite(float(score)):
            return None
        reason, way_out = f"the score {quoted(score.decode())} is too large for a number", "Give a smaller number."
    elif score.lower().lstrip(b"+-") in {b"nan", b"inf", b"infinity"}:
        reason, way_out = (
            f"the score {quoted(score.decode())} is not a finite number",
            "Leave the line out, or give it a score.",
        )
    elif SCORE.fullmatch(score.replace(b",", b".", 1)):
        reason, way_out = f"the score {quoted(score.decode())} has a decimal comma", "Write a point, as in 12.5."
    else:
        reason, way_out = f"the score {quoted(score.decode())} is not a number", "Give a number such as 12.5."
    return FormatError(name, number, reason, shown(line), way_out)
