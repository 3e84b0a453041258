"""Assignments: who is asked for which pair, a pair a line under a heading, as CSV, TSV or with blanks between."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, OnRepeat, refuse, report, shown
from app.formats.opening import rewindable
from app.formats.sniffing import Recognised, recognise_stream
from app.formats.tables import Row, places_of, read_rows, wrong_width

_WORDS = {"qid": "query", "docno": "document", "labeller": "labeller"}
_WAY_OUT = "Give a heading with qid, docno and labeller, and a line for each pair that somebody is asked for."


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class AssignmentLine:
    """As the file writes it, without blanks around."""

    qid: str
    docno: str
    labeller: str
    line: int = field(default=0, compare=False)


def read_assignments(
    stream: BinaryIO,
    name: str,
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    qid: str | None = None,
    docno: str | None = None,
    labeller: str | None = None,
    on_problem: OnProblem | None = None,
    on_repeat: OnRepeat | None = None,
) -> Iterator[AssignmentLine]:
    """In the file's order, each once; one that comes again is told to `on_repeat`. Other columns are passed over.

    `qid`, `docno` and `labeller` name columns where the usual names are not used. Memory: what was read so far.
    """
    chosen = {"qid": qid, "docno": docno, "labeller": labeller}
    roles = {role: column for role, column in chosen.items() if column is not None}
    earlier: dict[AssignmentLine, int] = {}
    with rewindable(stream) as file:
        seen = recognise_stream(file, name, "assignments", encoding=encoding, delimiter=delimiter, roles=roles)
        rows = read_rows(file, name, delimiter=seen.delimiter or ",", encoding=encoding, on_problem=on_problem)
        for asked in _assignments(rows, name, seen, on_problem):
            first = earlier.setdefault(asked, asked.line)
            if first == asked.line:
                yield asked
            elif on_repeat is not None:
                on_repeat(asked.line, first)
    if not earlier and on_problem is None:
        refuse(name, "the file holds no assignments", _WAY_OUT)


def _assignments(
    rows: Iterator[Row], name: str, seen: Recognised, on_problem: OnProblem | None
) -> Iterator[AssignmentLine]:
    line, heading = next(rows, (1, []))
    columns = [cell.strip() for cell in heading]
    places = places_of(columns, _WORDS, seen.roles, name, line=line, way_out=_WAY_OUT)
    for number, cells in rows:
        if len(cells) != len(columns):
            report(wrong_width(name, number, cells, len(columns)), on_problem)
            continue
        words = [cells[place].strip(" \t") for place in places]
        empty = next((what for what, word in zip(_WORDS.values(), words, strict=True) if not word), None)
        if empty is None:
            yield AssignmentLine(words[0], words[1], words[2], number)
        else:
            problem = FormatError(name, number, f"the {empty} is empty", shown(" | ".join(cells)), "Fill it in.")
            report(problem, on_problem)
