"""Rows of cells: CSV by the csv module, TSV and blank-separated taken literally; and what a heading means."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, quoted, report, shown
from app.formats.opening import lone_return, read_chunks
from app.words import plural

Row = tuple[int, list[str]]
"""The number of the physical line on which the row begins, and its cells."""

DELIMITERS = (",", "\t", ";", " ")

QID = ("qid", "query_id", "queryid", "q_id", "topic_id", "topicid", "topic", "query", "q")
DOCNO = (
    "docno", "docid", "doc_id", "document_id", "documentid", "doc", "document", "corpus_id", "pid", "passage_id",
    "product_id", "entity", "url", "githuburl",
)  # fmt: skip
LABELLER = (
    "labeller", "labeler", "assessor", "rater", "annotator", "judge", "grader", "coder", "reviewer", "worker",
    "labeller_id", "labeler_id", "assessor_id", "rater_id", "annotator_id", "judge_id", "worker_id", "user", "user_id",
)  # fmt: skip
GRADE = ("grade", "rating", "relevance", "rel", "judgment", "judgement", "level", "label", "score")


_SEPARATOR = re.compile(r"""\s*(["']?)sep=(.)\1\s*""", re.IGNORECASE)


def named_delimiter(line: str) -> str | None:
    """The delimiter where the line does nothing but name it, as Excel writes `sep=;` above a table."""
    named = _SEPARATOR.fullmatch(line)
    return named[2] if named else None


def read_rows(
    stream: BinaryIO, name: str, *, delimiter: str, encoding: str = "utf-8", on_problem: OnProblem | None = None
) -> Iterator[Row]:
    """Rows that hold anything, but for a first one that names the delimiter. Only "," and ";" know quotation marks; " "
    stands for any run of blanks and tabs.
    """
    if delimiter not in DELIMITERS:
        raise FormatError(
            name, None, f"{quoted(delimiter)} is no delimiter", None, "Choose comma, tab, semicolon or blank."
        )
    lines = _numbered(stream, name, encoding, on_problem)
    if delimiter in ",;":
        return _csv_rows(lines, name, delimiter, on_problem)
    return _plain_rows(lines, name, delimiter, on_problem)


def column_of(columns: Sequence[str], names: Iterable[str]) -> str | None:
    """The first of `names` that is a heading, as the file spells it; case, `-` and `_` don't count."""
    spelled = {plain_heading(column): column for column in reversed(columns)}
    return next((spelled[name] for name in names if name in spelled), None)


def plain_heading(column: str) -> str:
    return column.strip().casefold().replace("-", "_").replace(" ", "_").lstrip("_")


def place_of(columns: Sequence[str], column: str, name: str) -> int:
    """Where a chosen column stands."""
    if columns.count(column) != 1:
        what = "no column" if column not in columns else "more than one column"
        shown_columns = ", ".join(quoted(c) for c in columns[:30])
        raise FormatError(name, 1, f"{what} is called {quoted(column)}", None, f"The columns are {shown_columns}.")
    return columns.index(column)


def places_of(
    columns: Sequence[str], needed: Iterable[str], roles: Mapping[str, str], name: str, *, line: int, way_out: str
) -> list[int]:
    """Where the column of each needed role stands, under the heading on `line`; `roles` are those that are known."""
    needed = tuple(needed)
    missing = next((role for role in needed if role not in roles), None)
    if missing is not None:
        reason = f"the first line has no heading that is known as {quoted(missing)}"
        raise FormatError(name, line, reason, shown(" | ".join(columns)), way_out)
    return [place_of(columns, roles[role], name) for role in needed]


def wrong_width(name: str, number: int, cells: list[str], width: int) -> FormatError:
    reason = f"the line has {plural(len(cells), 'column')} where {width} are expected"
    way_out = "Check the delimiter, and the quotation marks around cells that hold it."
    return FormatError(name, number, reason, shown(" | ".join(cells)), way_out)


def _numbered(stream: BinaryIO, name: str, encoding: str, on_problem: OnProblem | None) -> Iterator[tuple[int, str]]:
    for first, lines in read_chunks(stream, name, encoding=encoding, on_problem=on_problem):
        for number, line in enumerate(lines, first):
            text = line.decode()
            yield number, "" if number == 1 and named_delimiter(text) else text


def _csv_rows(
    lines: Iterator[tuple[int, str]], name: str, delimiter: str, on_problem: OnProblem | None
) -> Iterator[Row]:
    reader = csv.reader((f"{line}\n" for _, line in lines), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            report(_csv_problem(name, start, reader.line_num, str(error)), on_problem)
            continue
        if any(cells):
            yield start, cells


def _csv_problem(name: str, start: int, end: int, error: str) -> FormatError:
    if "new-line character" in error:
        return lone_return(name, end, b"")
    if "unexpected end" in error or "field limit" in error:
        reason = "a cell that begins on this line is never closed, or is longer than 131,072 characters"
    else:
        reason = "a quotation mark stands inside a cell in a way that CSV does not allow"
    way_out = 'Put quotation marks around the whole cell and double those inside it, as in "a ""b"" c".'
    return FormatError(name, start, reason, None, way_out)


def _plain_rows(
    lines: Iterator[tuple[int, str]], name: str, delimiter: str, on_problem: OnProblem | None
) -> Iterator[Row]:
    for number, raw in lines:
        line = raw.removesuffix("\r")
        if "\r" in line:
            report(lone_return(name, number, line.encode()), on_problem)
        elif delimiter == " ":
            if cells := [cell.decode() for cell in line.encode().split()]:
                yield number, cells
        elif line.strip("\t "):
            yield number, line.split("\t")
