"""Pair lists: a query and a document a line, as CSV, TSV or with blanks between."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, OnRepeat, quoted, refuse, report, shown
from app.formats.opening import rewindable
from app.formats.sniffing import Recognised, recognise_stream
from app.formats.tables import Row, place_of, read_rows, wrong_width
from app.words import plural

_WAY_OUT = "Give a line for each pair: the query's id, a comma or tab, the document's id."


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class PairLine:
    """Both as the file writes them, without blanks around; `qid` may be a query's text, for the caller to look up."""

    qid: str
    docno: str
    line: int = field(default=0, compare=False)


def read_pairs(
    stream: BinaryIO,
    name: str,
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    has_header: bool | None = None,
    qid: str | None = None,
    docno: str | None = None,
    on_problem: OnProblem | None = None,
    on_repeat: OnRepeat | None = None,
) -> Iterator[PairLine]:
    """Pairs in the file's order, each once; one that comes again is told to `on_repeat`.

    `qid` and `docno` name columns of the heading where the usual names are not used. Memory: the pairs read so far.
    """
    roles = {role: column for role, column in (("qid", qid), ("docno", docno)) if column is not None}
    earlier: dict[tuple[str, str], int] = {}
    with rewindable(stream) as file:
        seen = recognise_stream(
            file, name, "pairs", encoding=encoding, delimiter=delimiter, has_header=has_header, roles=roles
        )
        rows = read_rows(file, name, delimiter=seen.delimiter or ",", encoding=encoding, on_problem=on_problem)
        for pair in _pairs(rows, name, seen, on_problem):
            first = earlier.setdefault((pair.qid, pair.docno), pair.line)
            if first == pair.line:
                yield pair
            elif on_repeat is not None:
                on_repeat(pair.line, first)
    if not earlier and on_problem is None:
        refuse(name, "the file holds no pairs", _WAY_OUT)


def _pairs(rows: Iterator[Row], name: str, seen: Recognised, on_problem: OnProblem | None) -> Iterator[PairLine]:
    first = next(rows, None)
    if first is None:
        return
    if not seen.has_header and len(first[1]) != 2:
        reason = f"the line has {plural(len(first[1]), 'column')} and no heading says which are query and document"
        raise FormatError(
            name, first[0], reason, shown(" | ".join(first[1])), "Put a heading above, such as qid,docno."
        )
    places = _places(first[1], name, seen) if seen.has_header else (0, 1)
    width = len(first[1])
    for number, cells in rows if seen.has_header else chain([first], rows):
        if len(cells) != width:
            report(wrong_width(name, number, cells, width), on_problem)
            continue
        qid, docno = (cells[place].strip(" \t") for place in places)
        if qid and docno:
            yield PairLine(qid, docno, number)
        else:
            what = "document" if qid else "query"
            report(FormatError(name, number, f"the {what} is empty", shown(" | ".join(cells)), _WAY_OUT), on_problem)


def _places(columns: list[str], name: str, seen: Recognised) -> tuple[int, int]:
    headings = [column.strip() for column in columns]
    missing = [role for role in ("qid", "docno") if role not in seen.roles]
    if missing:
        reason = f"the heading has no column that is known as {quoted(missing[0])}"
        raise FormatError(
            name, 1, reason, shown(" | ".join(columns)), "Call the columns qid and docno, or say which they are."
        )
    return place_of(headings, seen.roles["qid"], name), place_of(headings, seen.roles["docno"], name)
