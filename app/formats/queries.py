"""Queries: TSV, CSV, JSON Lines, TREC topics in SGML or XML, and `id:query` lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO

from app.formats import jsonl, topics_sgml, topics_xml
from app.formats.errors import FormatError, OnProblem, quoted, refuse, report, shown
from app.formats.ids import fault_of_qid
from app.formats.languages import LANG_KEYS, language
from app.formats.opening import read_lines, rewindable
from app.formats.sniffing import Recognised, recognise_stream
from app.formats.tables import Row, place_of, read_rows, wrong_width
from app.words import plural

FORMATS = ("tsv", "csv", "jsonl", "trec", "xml", "colon")

ID_KEYS = ("qid", "id", "_id", "query_id", "topic_id")
TEXT_KEYS = ("text", "title", "query")
DESCRIPTION_KEYS = ("description", "desc")
QUESTION_KEYS = ("question",)
NARRATIVE_KEYS = ("narrative", "narr")
SLICE_KEYS = ("slice", "segment", "stratum")
EXAMPLE = '{"id": "q1", "text": "…"}'
_ROLES = ("qid", "text", "description", "narrative", "slice", "lang")


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class Query:
    qid: str
    text: str
    description: str
    narrative: str
    line: int = field(default=0, compare=False)
    slice: str = ""
    """The part of the traffic that it stands for."""
    lang: str = ""
    """A language tag such as pt-BR; empty where none is known."""


def read_queries(
    stream: BinaryIO,
    name: str,
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    has_header: bool | None = None,
    on_problem: OnProblem | None = None,
) -> Iterator[Query]:
    """Queries in the file's order; format, and whether there is a heading, are recognised where they are not given.

    A query without text, and a qid that comes twice, are refused, the latter with both line numbers. Memory: the qids.
    """
    lines: dict[str, int] = {}
    with rewindable(stream) as file:
        seen = recognise_stream(file, name, "queries", format=format, encoding=encoding, has_header=has_header)
        for query in _read(file, name, seen, encoding, on_problem):
            problem = _fault(query, name, lines)
            if problem is None:
                lines[query.qid] = query.line
                yield query
            else:
                report(problem, on_problem)
    if not lines and on_problem is None:
        refuse(name, "the file holds no queries", "Give a line for each query: its id, a tab and its text.")


def _read(file: BinaryIO, name: str, seen: Recognised, encoding: str, on_problem: OnProblem | None) -> Iterator[Query]:
    if seen.format == "jsonl":
        return _from_json(file, name, encoding, on_problem)
    if seen.format == "colon":
        return _from_colon_lines(file, name, encoding, on_problem)
    if seen.format == "trec":
        return _from_topics(topics_sgml.read_topics(file, name, encoding=encoding, on_problem=on_problem))
    if seen.format == "xml":
        return _from_topics(topics_xml.read_topics(file, name, encoding=encoding))
    if seen.format in {"tsv", "csv"} and seen.delimiter is not None:
        rows = read_rows(file, name, delimiter=seen.delimiter, encoding=encoding, on_problem=on_problem)
        return _from_rows(rows, name, seen, on_problem)
    reason = f"{quoted(seen.format)} is no format of queries"
    raise FormatError(name, None, reason, None, f"Choose one of {', '.join(FORMATS)}.")


def _fault(query: Query, name: str, lines: dict[str, int]) -> FormatError | None:
    if fault := fault_of_qid(query.qid):
        way_out = "Give the query an id of one word."
        return FormatError(name, query.line, f"the query id {quoted(query.qid)} {fault}", None, way_out)
    if not query.text.strip():
        way_out = "Give it the words that a person would type."
        return FormatError(name, query.line, f"the query {quoted(query.qid)} has no text", None, way_out)
    if query.qid in lines:
        reason = f"the query {quoted(query.qid)} has been given already on line {lines[query.qid]}"
        return FormatError(name, query.line, reason, None, "Keep one of the two.")
    return None


def _from_json(file: BinaryIO, name: str, encoding: str, on_problem: OnProblem | None) -> Iterator[Query]:
    objects = jsonl.read_objects(file, name, example=EXAMPLE, encoding=encoding, on_problem=on_problem)
    for number, line, found in objects:
        try:
            query = _query_of(found, number)
        except ValueError as error:
            report(jsonl.line_problem(name, number, line, str(error), EXAMPLE), on_problem)
            continue
        yield query


def _query_of(found: dict[str, Any], number: int) -> Query:
    """A question is the description where there is a text beside it, else the text itself."""
    text, description, narrative, question, slice_, lang = (
        jsonl.word(found, keys)
        for keys in (TEXT_KEYS, DESCRIPTION_KEYS, NARRATIVE_KEYS, QUESTION_KEYS, SLICE_KEYS, LANG_KEYS)
    )
    if not text:
        text, question = question, ""
    qid = jsonl.id_word(found, ID_KEYS)
    return Query(qid, text, description or question, narrative, number, slice_.strip(), language(lang))


def _from_topics(topics: Iterable[topics_sgml.Fields]) -> Iterator[Query]:
    for number, fields in topics:
        title = " ".join(fields.get("title", "").split("\n"))
        yield Query(fields.get("num", ""), title, fields.get("desc", ""), fields.get("narr", ""), number)


def _from_colon_lines(file: BinaryIO, name: str, encoding: str, on_problem: OnProblem | None) -> Iterator[Query]:
    for number, line in read_lines(file, name, encoding=encoding, on_problem=on_problem):
        if not line.strip():
            continue
        qid, colon, text = line.decode().partition(":")
        if colon:
            yield Query(qid.strip(" \t"), text.strip(), "", "", number)
        else:
            problem = FormatError(name, number, "the line has no colon", shown(line), "Write each line as id:query.")
            report(problem, on_problem)


def _from_rows(rows: Iterator[Row], name: str, seen: Recognised, on_problem: OnProblem | None) -> Iterator[Query]:
    first = next(rows, None)
    if first is None:
        return
    places = _places(first, name, seen) if seen.has_header else [0, 1, None, None, None, None]
    width = len(first[1]) if seen.has_header else 2
    for number, cells in rows if seen.has_header else chain([first], rows):
        if len(cells) != width:
            report(_wrong_row(name, number, cells, width), on_problem)
            continue
        qid, text, description, narrative, slice_, lang = ("" if place is None else cells[place] for place in places)
        yield Query(qid.strip(" \t"), text, description, narrative, number, slice_.strip(), language(lang))


def _places(header: Row, name: str, seen: Recognised) -> list[int | None]:
    columns = [column.strip() for column in header[1]]
    if not {"qid", "text"} <= seen.roles.keys():
        reason = "the heading names no column for the query's id and its text"
        raise FormatError(name, header[0], reason, shown(" | ".join(columns)), "Call them qid and text.")
    return [place_of(columns, seen.roles[role], name) if role in seen.roles else None for role in _ROLES]


def _wrong_row(name: str, number: int, cells: list[str], width: int) -> FormatError:
    if len(cells) > width == 2:
        reason = f"the line has {plural(len(cells), 'column')} and no heading says what they are"
        way_out = "Put a heading above, such as qid, text, description, narrative."
        return FormatError(name, number, reason, shown(" | ".join(cells)), way_out)
    return wrong_width(name, number, cells, width)
