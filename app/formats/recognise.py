"""What an import page shows before anything is written: what was recognised, the first rows, counts and problems."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from app.formats.assignments import read_assignments
from app.formats.documents import read_documents
from app.formats.errors import FormatError
from app.formats.grades import read_grades
from app.formats.opening import BLOCK, read_chunks, rewindable
from app.formats.pairs import read_pairs
from app.formats.qrels import read_qrels
from app.formats.queries import read_queries
from app.formats.runs import read_rankings, read_runs
from app.formats.sniffing import KINDS, Recognised, recognise, recognise_stream
from app.words import plural

__all__ = ["KINDS", "Preview", "Recognised", "preview", "recognise"]

MOST_PROBLEMS = 20
LONGEST_CELL = 500

_SHOWN = {
    "queries": ("qid", "text", "description", "narrative", "slice", "lang"),
    "documents": ("docno", "title", "text", "url", "html", "lang", "fields"),
    "runs": ("qid", "docno", "rank", "score", "tag"),
    "qrels": ("qid", "iteration", "docno", "grade"),
    "pairs": ("qid", "docno"),
    "grades": ("labeller", "qid", "docno", "grade"),
    "assignments": ("labeller", "qid", "docno"),
}
_SELDOM = {"html", "lang", "fields"}
"""Columns that are shown where any of the rows has something in them."""
_READERS = {
    "queries": read_queries,
    "documents": read_documents,
    "qrels": read_qrels,
    "pairs": read_pairs,
    "grades": read_grades,
    "assignments": read_assignments,
}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_WITH_REPEATS = ("qrels", "pairs", "grades", "assignments")


@dataclass(frozen=True, slots=True)
class Preview:
    """`columns` and `rows`: the first rows as they were understood, long texts shortened. `count`: queries, documents,
    lines of a run, judgments, pairs or grades. `histogram`: grades; for runs the depths of the rankings, for pairs the
    sizes of the queries' lists. `problems`: at most 20, and then the rest was not read. `size`: bytes as uploaded.
    """

    recognised: Recognised
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    histogram: dict[str, int]
    problems: tuple[FormatError, ...]
    notes: tuple[str, ...]
    sha256: str
    size: int


def preview(stream: BinaryIO, name: str, kind: str, rows: int = 10, **chosen: Any) -> Preview:
    """Read the whole file and show what it is, whatever is wrong with it; never raises FormatError.

    `chosen` are the options of the kind's reader (format, layout, encoding, delimiter, has_header, qid, docno,
    labeller, grade, people, tag), where the lead overrules what was recognised; None overrules nothing.
    """
    chosen = {option: value for option, value in chosen.items() if value is not None}
    with rewindable(stream) as file:
        start = file.tell()
        sha256, size = _digest(file)
        file.seek(start)
        tally = _Tally(name, kind, rows)
        recognised = _recognised(file, name, kind, chosen, tally)
        file.seek(start)
        try:
            if recognised.format != "unknown":
                tally.read(file, {"encoding": recognised.encoding, **chosen})
                tally.count_comments(file, start, recognised.encoding)
        except _EnoughError:
            tally.notes.append(f"stopped after {MOST_PROBLEMS} problems: the rest was not read")
        except FormatError as problem:
            tally.problems.append(problem)
    return tally.preview(recognised, sha256, size)


class _EnoughError(Exception):
    """There are as many problems as are shown."""


class _Tally:
    def __init__(self, name: str, kind: str, rows: int) -> None:
        self.name = name
        self.kind = kind
        self.wanted = rows
        self.rows: list[tuple[str, ...]] = []
        self.count = 0
        self.repeats = 0
        self.histogram: Counter[str] = Counter()
        self.problems: list[FormatError] = []
        self.notes: list[str] = []

    def read(self, file: BinaryIO, options: dict[str, Any]) -> None:
        if self.kind == "runs":
            self._read_run(file, options)
            return
        if self.kind in _WITH_REPEATS:
            options["on_repeat"] = self._take_repeat
        if self.kind == "grades":
            options["on_note"] = self.notes.append
        reader: Any = _READERS[self.kind]
        for row in reader(file, self.name, on_problem=self._take_problem, **options):
            self._take(row)

    def count_comments(self, file: BinaryIO, start: int, encoding: str) -> None:
        """Said aloud, since a query whose id begins with # would vanish among them."""
        if self.kind not in {"runs", "qrels"}:
            return
        file.seek(start)
        chunks = read_chunks(file, self.name, encoding=encoding, on_problem=_pass_over)
        comments = sum(line.lstrip().startswith(b"#") for _, lines in chunks for line in lines)
        if comments:
            self.notes.append(f"{plural(comments, 'comment line')} passed over")

    def preview(self, recognised: Recognised, sha256: str, size: int) -> Preview:
        if self.repeats:
            self.notes.append(f"{plural(self.repeats, 'repeated line')} passed over")
        if not self.count and not self.problems:
            self.problems.append(
                FormatError(self.name, None, f"there are no {self.kind} in it", None, "Choose another file.")
            )
        if self.kind == "pairs":
            self.histogram = Counter(str(size) for size in self.histogram.values())
        columns, rows = _without_empty(_SHOWN[self.kind], self.rows)
        return Preview(
            recognised,
            columns,
            rows,
            self.count,
            dict(sorted(self.histogram.items(), key=_by_number)),
            tuple(self.problems),
            tuple(self.notes),
            sha256,
            size,
        )

    def _read_run(self, file: BinaryIO, options: dict[str, Any]) -> None:
        start = file.tell()
        for line in islice(read_runs(file, self.name, on_problem=_pass_over, **options), self.wanted):
            self.rows.append(_cells(line, _SHOWN["runs"]))
        file.seek(start)
        rankings = 0
        for ranking in read_rankings(file, self.name, on_problem=self._take_problem, **options):
            rankings += 1
            self.count += len(ranking.docnos)
            self.histogram[str(len(ranking.docnos))] += 1
        self.notes.append(f"{plural(rankings, 'ranking')}")

    def _take(self, row: Any) -> None:
        self.count += 1
        if len(self.rows) < self.wanted:
            self.rows.append(_cells(row, _SHOWN[self.kind]))
        if self.kind in {"qrels", "grades"}:
            self.histogram[str(row.grade)] += 1
        elif self.kind == "pairs":
            self.histogram[row.qid] += 1
        elif self.kind == "assignments":
            self.histogram[row.labeller] += 1

    def _take_problem(self, problem: FormatError) -> None:
        self.problems.append(problem)
        if len(self.problems) == MOST_PROBLEMS:
            raise _EnoughError

    def _take_repeat(self, _line: int, _first: int) -> None:
        self.repeats += 1


def _recognised(file: BinaryIO, name: str, kind: str, chosen: dict[str, Any], tally: _Tally) -> Recognised:
    known: dict[str, Any] = {
        key: chosen[key] for key in ("encoding", "has_header", "delimiter", "people") if key in chosen
    }
    known["format"] = chosen.get("format") or chosen.get("layout")
    known["roles"] = {key: chosen[key] for key in ("qid", "docno", "labeller", "grade") if chosen.get(key)}
    try:
        return recognise_stream(file, name, kind, **known)
    except FormatError as problem:
        tally.problems.append(problem)
        return Recognised("unknown", chosen.get("encoding") or "utf-8", False, (), None)


def _digest(file: BinaryIO) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := file.read(BLOCK):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size


def _cells(row: Any, columns: Iterable[str]) -> tuple[str, ...]:
    texts = (_in_words(getattr(row, column)) for column in columns)
    return tuple(text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]} …" for text in texts)


def _in_words(value: Any) -> str:
    return "; ".join(f"{name}: {each}" for name, each in value.items()) if isinstance(value, dict) else str(value)


def _without_empty(
    columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    kept = [at for at, name in enumerate(columns) if name not in _SELDOM or any(row[at] for row in rows)]
    return tuple(columns[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows)


def _by_number(item: tuple[str, int]) -> tuple[float, str]:
    return (int(item[0]) if _WHOLE.fullmatch(item[0]) else math.inf), item[0]


def _pass_over(problem: FormatError) -> None:
    """Another reading of the file reports it."""
