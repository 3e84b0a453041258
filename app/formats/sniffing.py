"""What a file seems to be, from its first 256 KiB. Readers use it where the caller does not say, pages show it."""

import codecs
import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from app.formats.documents import EXAMPLE
from app.formats.errors import FormatError, refuse, shown
from app.formats.languages import LANG_KEYS
from app.formats.opening import BLOCK, first_bytes, known_encoding, refuse_other_files, unpacked_head
from app.formats.tables import DELIMITERS, DOCNO, GRADE, LABELLER, QID, column_of, named_delimiter, plain_heading

KINDS = ("queries", "documents", "runs", "qrels", "pairs", "grades", "assignments")
TABLES = ("queries", "pairs", "grades", "assignments")
NUMBER = ("id", "number", "num", "topic_number")
TEXT = ("text", "title", "query", "name", "question")
ROWS_LOOKED_AT = 200
FEW_WORDS = 3
"""So many words in the place of grades are a way to say that there is none; more are somebody's remarks."""

_COLUMNS = {
    "runs": ("qid", "Q0", "docno", "rank", "score", "tag"),
    "qrels": ("qid", "iteration", "docno", "grade"),
    "documents": ("docno", "title", "text", "url"),
}
_NO_PERSON = re.compile(
    r"final|consensus|adjudicat|gold|mean|median|average|majority|rank|score|position|year|price|count"
    r"|resol|agreed\b|decision|decided|label\b|click|ctr\b|views?\b|impressions?\b|weight"
    r"|note|comment|reason|rationale|$"
)
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_XML = re.compile(r"<\?xml|<!DOCTYPE", re.IGNORECASE)
_TOP = re.compile(r"^\s*<top>", re.IGNORECASE | re.MULTILINE)
_FIELD = re.compile(r"^\s*<([a-z][a-z0-9_-]*)>", re.IGNORECASE | re.MULTILINE)
_TAKEN_FIELDS = {"top", "num", "title", "desc", "narr"}
_GRADE_LIKE = re.compile(r"[+-]?[0-9]{1,3}(\.0*)?")
"""2, or 2.0 where a spreadsheet has been at work: it writes a whole column so in which one cell is blank."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is read as. `roles` says which column is the qid, docno, labeller and grade; `people` are the columns
    of a wide file that hold one person's grades each. `delimiter` is None where the format has none.
    """

    format: str
    encoding: str
    has_header: bool
    columns: tuple[str, ...]
    delimiter: str | None
    notes: tuple[str, ...] = ()
    roles: dict[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()


def recognise(
    head: bytes,
    name: str,
    kind: str,
    *,
    format: str | None = None,
    encoding: str | None = None,
    has_header: bool | None = None,
    delimiter: str | None = None,
    roles: dict[str, str] | None = None,
    people: Sequence[str] | None = None,
) -> Recognised:
    """What the first bytes look like, where the caller has not chosen. FormatError where they are nothing known."""
    if kind not in KINDS:
        raise ValueError(f"no kind of file is called {kind}")
    plain = unpacked_head(head)
    seen_encoding, notes = _encoding(plain, is_whole=len(head) < BLOCK and plain is head)
    refuse_other_files(plain, name, encoding or seen_encoding)
    if encoding is not None:
        notes = [f"read as {encoding}, as chosen"] if encoding != seen_encoding else notes
    if plain is not head:
        notes.append("packed with gzip")
    known = known_encoding(encoding or "") or seen_encoding  # The reader refuses an encoding that nobody knows.
    text = plain.decode(known, "replace").removeprefix("\ufeff")
    first, _, rest = text.partition("\n")
    named = named_delimiter(first) if kind in TABLES else None
    if named is not None:
        text, delimiter = rest, delimiter or named
        notes.append("the first line names the delimiter")
    look = _Look(text, name, kind, format, has_header, delimiter, roles or {}, people)
    return look.recognised(encoding or seen_encoding, notes)


def recognise_stream(stream: BinaryIO, name: str, kind: str, **chosen: object) -> Recognised:
    """As `recognise`, for a stream that can go back; it stands afterwards where it stood before."""
    start = stream.tell()
    head = first_bytes(stream)
    stream.seek(start)
    return recognise(head, name, kind, **chosen)  # type: ignore[arg-type]  # Passed on as they came.


def _encoding(head: bytes, *, is_whole: bool) -> tuple[str, list[str]]:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", ["in UTF-16"]
    declared = _DECLARED.match(head)
    if declared and (named := known_encoding(declared[1].decode())) not in {None, "utf-8", "utf-16"}:
        return str(named), [f"in {named}, as its XML declaration says"]
    notes = ["begins with a byte order mark, which is left out"] if head.startswith(codecs.BOM_UTF8) else []
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=is_whole)
    except UnicodeDecodeError:
        return "windows-1252", ["not UTF-8; read as windows-1252, which is a guess: check the letters with accents"]
    return "utf-8", notes


_DOCUMENT = re.compile(r'\s*\{(?=[^\n]*"title"\s*:)(?=[^\n]*"text"\s*:)')


@dataclass(frozen=True, slots=True)
class _Look:
    text: str
    name: str
    kind: str
    format: str | None
    has_header: bool | None
    delimiter: str | None
    roles: dict[str, str]
    people: Sequence[str] | None

    def recognised(self, encoding: str, notes: list[str]) -> Recognised:
        if self.kind in {"runs", "qrels"}:
            return Recognised("trec", encoding, False, _COLUMNS[self.kind], " ", tuple(notes))
        if self.kind == "documents":
            self._refuse_other_documents()
            return Recognised("jsonl", encoding, False, _COLUMNS["documents"], None, tuple(notes))
        if self.kind == "queries":
            return self._queries(encoding, notes)
        return self._table(self.kind, self.delimiter or _delimiter(self.text), encoding, notes)

    def _refuse_other_documents(self) -> None:
        start = self.text.lstrip()
        if start and not start.startswith("{"):
            what = "markup" if start.startswith("<") else "a JSON list" if start.startswith("[") else "no JSON"
            reason = f"documents are read from JSON Lines, and this looks like {what}"
            way_out = f"Give one object a line, such as {EXAMPLE}."
            raise FormatError(self.name, 1, reason, shown(start.partition("\n")[0]), way_out)

    def _queries(self, encoding: str, notes: list[str]) -> Recognised:
        named = {None: None, "\t": "tsv"}.get(self.delimiter, "csv")
        format_ = self.format or named or _format_of_queries(self.text, self.name)
        if format_ in {"tsv", "csv"}:
            delimiter = "\t" if format_ == "tsv" else self.delimiter or _csv_delimiter(self.text)
            return self._table(format_, delimiter, encoding, notes)
        if format_ == "trec":
            fields = dict.fromkeys(field.lower() for field in _FIELD.findall(self.text))
            notes += left_out([field for field in fields if field not in _TAKEN_FIELDS])
        if format_ == "jsonl" and _DOCUMENT.match(self.text):
            notes.append("title and text in one line, as documents have them: are these queries?")
        columns = ("qid", "text") if format_ == "colon" else ("qid", "text", "description", "narrative")
        return Recognised(format_, encoding, False, columns, ":" if format_ == "colon" else None, tuple(notes))

    def _table(self, format_: str, delimiter: str, encoding: str, notes: list[str]) -> Recognised:
        rows = rows_of(self.text, delimiter)
        columns = tuple(cell.strip() for cell in rows[0]) if rows else ()
        roles = self._roles(columns)
        needed = {"qid", "text"} if self.kind == "queries" else {"qid", "docno"}
        has_header = bool(rows) and (needed <= roles.keys() if self.has_header is None else self.has_header)
        if not has_header:
            columns, roles = _unnamed(len(columns), self.kind), {}
        people: tuple[str, ...] = ()
        if self.kind == "grades":
            format_ = self.format or ("long" if {"labeller", "grade"} <= roles.keys() else "wide")
            if format_ == "wide":
                people = tuple(self.people) if self.people is not None else _people(columns, roles, rows[1:])
            notes += _notes_of_grades(format_, columns, roles, people)
        elif has_header:
            notes += left_out([column for column in columns if column not in roles.values()])
        return Recognised(format_, encoding, has_header, columns, delimiter, tuple(notes), roles, people)

    def _roles(self, columns: Sequence[str]) -> dict[str, str]:
        known = (
            {"qid": (*QID[:2], *NUMBER, *QID[2:]), "text": TEXT}
            if self.kind == "queries"
            else {"qid": QID, "docno": DOCNO}
        )
        if self.kind == "grades":
            known |= {"labeller": LABELLER, "grade": GRADE}
        if self.kind == "assignments":
            known |= {"labeller": LABELLER}
        if self.kind == "queries":
            known |= {"description": ("description", "desc", "question"), "narrative": ("narrative", "narr")}
            known |= {"slice": ("slice", "segment", "stratum"), "lang": LANG_KEYS}
        roles = dict(self.roles)
        for role, names in known.items():
            free = [column for column in columns if column not in roles.values()]
            column = column_of(free, names)
            if role not in roles and column is not None:
                roles[role] = column
        return roles


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    """The first rows, as far as they can be read; the last may be cut off by the end of the head."""
    lines = (f"{line}\n" for line in text.split("\n") if line.strip())
    if delimiter == " ":
        return [line.split() for line in islice(lines, ROWS_LOOKED_AT)]
    if delimiter == "\t":
        return [line.rstrip("\r\n").split("\t") for line in islice(lines, ROWS_LOOKED_AT)]
    rows: list[list[str]] = []
    with suppress(csv.Error):  # The reader itself will say where.
        rows.extend(row for row in islice(csv.reader(lines, delimiter=delimiter), ROWS_LOOKED_AT) if any(row))
    return rows


def _format_of_queries(text: str, name: str) -> str:
    start = text.lstrip()
    first = start.partition("\n")[0]
    if not start:
        refuse(name, "the file holds no queries", "Give a line for each query: its id, a tab and its text.")
    if start.startswith(("{", "[")):
        return "jsonl"
    if not _XML.match(start) and _TOP.search(start):
        return "trec"
    if start.startswith("<"):
        return "xml"
    if "\t" in first:
        return "tsv"
    lines = [line for line in start.split("\n")[:ROWS_LOOKED_AT] if line.strip()]
    if all(re.match(r"[^\s:,;]+:", line) for line in lines[: max(1, len(lines) - 1)]):
        return "colon"
    if "," in first or ";" in first:
        return "csv"
    way_out = "Give TSV (id, tab, text), CSV with a heading, JSON Lines, TREC topics or id:query lines."
    raise FormatError(name, 1, "the queries are in no format that Adjudge knows", shown(first), way_out)


def _delimiter(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    if "\t" in first:
        return "\t"
    for delimiter in (",", ";"):
        widths = {len(row) for row in rows_of(text, delimiter)[:20]}
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    words = {len(row) for row in rows_of(text, " ")[:20]}
    if len(words) == 1 and words.pop() > 1:
        return " "
    return max(DELIMITERS, key=first.count)


def _csv_delimiter(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return ";" if first.count(";") > first.count(",") else ","


def _unnamed(width: int, kind: str) -> tuple[str, ...]:
    known = ("qid", "text") if kind == "queries" else ("qid", "docno")
    return tuple(known[i] if i < len(known) else f"column {i + 1}" for i in range(width))


def _people(columns: Sequence[str], roles: dict[str, str], rows: list[list[str]]) -> tuple[str, ...]:
    """Columns that hold grades, and a word in their place now and then, or one of few: which words are grades, the
    caller may know.

    One without a grade so far counts too: a person who began late is better asked about than left out unsaid.
    """
    people = []
    for place, column in enumerate(columns):
        cells = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
        words = [cell for cell in cells if _GRADE_LIKE.fullmatch(cell) is None]
        is_graded = 2 * len(words) <= len(cells) or (len(words) < len(cells) and len(set(words)) <= FEW_WORDS)
        if is_graded and may_be_person(column, roles):
            people.append(column)
    return tuple(people)


def may_be_person(column: str, roles: dict[str, str]) -> bool:
    """Whether the heading is free, and does not say that the column is a summary or a remark."""
    heading = plain_heading(column)
    return column not in roles.values() and heading not in GRADE and not _NO_PERSON.match(heading)


def _notes_of_grades(format_: str, columns: Sequence[str], roles: dict[str, str], people: Sequence[str]) -> list[str]:
    if not {"qid", "docno"} <= roles.keys():
        return ["no heading that names the query's and the document's column"]
    needed = ("qid", "docno", "labeller", "grade") if format_ == "long" else ("qid", "docno")
    used = [*(roles[role] for role in needed if role in roles), *people]
    notes = [f"query from {roles['qid']}, document from {roles['docno']}"]
    if format_ == "wide":
        notes.append(f"people: {', '.join(people)}" if people else "no column looks like one person's grades")
    return notes + left_out([column for column in columns if column not in used])


def left_out(names: Sequence[str]) -> list[str]:
    called = [name or "a column without a heading" for name in names[:20]]
    return [f"left out: {', '.join(called)}{' …' if len(names) > 20 else ''}"] if names else []
