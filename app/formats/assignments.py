"""Assignments: who is asked for which pair, a pair a line under a heading, as CSV, TSV or with blanks between."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, OnRepeat, quoted, refuse, report, shown
from app.formats.opening import rewindable
from app.formats.sniffing import recognise_stream
from app.formats.tables import place_of, read_rows, wrong_width

_ROLES = ("qid", "docno", "labeller")
_WORDS = {"qid": "query", "docno": "document", "labeller": "labeller"}
_WAY_OUT = "Give a heading with qid, docno and labeller, and a line for each pair that somebody is asked for."


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class AssignmentLine:
    """As the file writes it, without blanks around."""

    labeller: str
    qid: str
    docno: str
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
        columns = [cell.strip() for cell in next(rows, (1, []))[1]]
        places = _places(columns, seen.roles, name)
        for number, cells in rows:
            if len(cells) != len(columns):
                report(wrong_width(name, number, cells, len(columns)), on_problem)
                continue
            words = [cells[place].strip(" \t") for place in places]
            empty = next((_WORDS[role] for role, word in zip(_ROLES, words, strict=True) if not word), None)
            if empty:
                problem = FormatError(name, number, f"the {empty} is empty", shown(" | ".join(cells)), "Fill it in.")
                report(problem, on_problem)
                continue
            asked = AssignmentLine(words[2], words[0], words[1], number)
            first = earlier.setdefault(asked, number)
            if first == number:
                yield asked
            elif on_repeat is not None:
                on_repeat(number, first)
    if not earlier and on_problem is None:
        refuse(name, "the file holds no assignments", _WAY_OUT)


def _places(columns: list[str], roles: Mapping[str, str], name: str) -> list[int]:
    """Of query, document and labeller among the columns."""
    for role in _ROLES:
        if role not in roles:
            reason = f"the first line has no heading that is known as {quoted(role)}"
            raise FormatError(name, 1, reason, shown(" | ".join(columns)), _WAY_OUT)
    return [place_of(columns, roles[role], name) for role in _ROLES]
