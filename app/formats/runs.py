"""Runs: six columns `qid Q0 docno rank score tag`, line by line or as whole rankings."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, quoted, refuse, report
from app.formats.opening import read_chunks, rewindable
from app.formats.run_columns import WAY_OUT, Columns, read_columns


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class RunLine:
    qid: str
    docno: str
    rank: str
    score: float
    tag: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query's documents and their scores, in the order of the file: neither rank nor score has sorted them."""

    qid: str
    docnos: tuple[str, ...]
    scores: "array[float]"
    tag: str
    line: int = field(default=0, compare=False)


def read_runs(
    stream: BinaryIO,
    name: str,
    *,
    tag: str | None = None,
    encoding: str = "utf-8",
    on_problem: OnProblem | None = None,
) -> Iterator[RunLine]:
    """Every line as it stands: neither a document that comes twice nor a second tag is looked for.

    Blank lines, and lines that begin with `#` after any blanks, are passed over; words after the tag are left out.
    With `tag`, it stands for the file's own, and lines of five columns, which have none, are read.
    """
    is_empty = True
    for columns in read_columns(stream, name, tag, encoding, on_problem):
        is_empty = False
        for number, qid, docno, rank, score, own_tag in zip(*columns, strict=True):
            yield RunLine(qid.decode(), docno.decode(), rank.decode(), score, own_tag.decode(), number)
    if is_empty and on_problem is None:
        refuse(name, "the file holds no rankings", WAY_OUT)


def read_rankings(
    stream: BinaryIO,
    name: str,
    *,
    tag: str | None = None,
    encoding: str = "utf-8",
    on_problem: OnProblem | None = None,
) -> Iterator[Ranking]:
    """Each query's ranking once and whole, as soon as its last line has been read.

    The file is read twice (a stream that can't go back is copied to a temporary file): first to see which queries come
    back after others, so that only those are held. Memory: one ranking, and about 40 bytes a line of the queries that
    come back. A document that comes twice for a query, and a second tag, are refused with both line numbers; `tag`
    overrules the file's tags and lets lines of five columns in, as in `read_runs`.
    """
    with rewindable(stream) as file:
        start = file.tell() if file.seekable() else 0
        groups = _groups_of_split_queries(file, name, encoding)
        file.seek(start)
        is_empty = True
        chunks = _of_one_tag(read_columns(file, name, tag, encoding, on_problem), name, on_problem)
        for gathered in _gathered(chunks, groups):
            is_empty = False
            yield _ranking(gathered, name, on_problem)
    if is_empty and on_problem is None:
        refuse(name, "the file holds no rankings", WAY_OUT)


class _Gathered:
    """A query's lines so far: docnos each ended by a line feed, so that millions of them cost bytes and not objects."""

    __slots__ = ("docnos", "lines", "qid", "scores", "tag")

    def __init__(self, qid: bytes, tag: bytes) -> None:
        self.qid = qid
        self.tag = tag
        self.docnos = bytearray()
        self.scores = array("d")
        self.lines = array("I")

    def take(self, columns: Columns, start: int, end: int) -> None:
        self.docnos += b"\n".join(columns.docnos[start:end]) + b"\n"
        self.scores.extend(columns.scores[start:end])
        self.lines.extend(columns.numbers[start:end])


def _gathered(chunks: Iterator[Columns], groups: dict[bytes, int]) -> Iterator[_Gathered]:
    held: dict[bytes, _Gathered] = {}
    current: _Gathered | None = None
    for columns in chunks:
        end = 0
        for qid, same in groupby(columns.qids):
            start, end = end, end + sum(1 for _ in same)
            if current is None or current.qid != qid:
                if current is not None and _is_complete(current.qid, groups):
                    held.pop(current.qid, None)
                    yield current
                current = held.get(qid) or _Gathered(qid, columns.tags[start])
                if qid in groups:
                    held[qid] = current
            current.take(columns, start, end)
    if current is not None:
        held[current.qid] = current
    yield from held.values()


def _is_complete(qid: bytes, groups: dict[bytes, int]) -> bool:
    """Whether the group of lines that has just ended was the query's last."""
    if qid not in groups:
        return True
    groups[qid] -= 1
    return groups[qid] == 0


def _groups_of_split_queries(stream: BinaryIO, name: str, encoding: str) -> dict[bytes, int]:
    """How many groups of lines each query has that stands in more than one."""
    seen: set[bytes] = set()
    groups: dict[bytes, int] = {}
    last = b""
    for _, lines in read_chunks(stream, name, encoding=encoding, on_problem=_pass_over):
        for qid, _same in groupby([words[0] for line in lines if (words := line.split(None, 1))]):
            if qid == last or qid.startswith(b"#"):
                continue
            if qid in seen:
                groups[qid] = groups.get(qid, 1) + 1
            seen.add(qid)
            last = qid
    return groups


def _pass_over(problem: FormatError) -> None:
    """The second reading reports it."""


def _ranking(gathered: _Gathered, name: str, on_problem: OnProblem | None) -> Ranking:
    docnos = tuple(gathered.docnos[:-1].decode().split("\n"))
    scores = gathered.scores
    if len(set(docnos)) != len(docnos):
        kept = _without_repeats(gathered, docnos, name, on_problem)
        docnos, scores = tuple(docnos[i] for i in kept), array("d", [scores[i] for i in kept])
    return Ranking(gathered.qid.decode(), docnos, scores, gathered.tag.decode(), gathered.lines[0])


def _without_repeats(
    gathered: _Gathered, docnos: tuple[str, ...], name: str, on_problem: OnProblem | None
) -> list[int]:
    first: dict[str, int] = {}
    for place, docno in enumerate(docnos):
        if first.setdefault(docno, place) != place:
            reason = (
                f"the document {quoted(docno)} has been ranked for query {quoted(gathered.qid.decode())} "
                f"already on line {gathered.lines[first[docno]]}"
            )
            report(FormatError(name, gathered.lines[place], reason, None, "Keep one of the two."), on_problem)
    return list(first.values())


def _of_one_tag(chunks: Iterator[Columns], name: str, on_problem: OnProblem | None) -> Iterator[Columns]:
    """The chunks as they come; a run is one system's output, so its second tag is a problem, told once."""
    first: tuple[bytes, int] | None = None
    is_told = False
    for columns in chunks:
        first = first or (columns.tags[0], columns.numbers[0])
        if not is_told and set(columns.tags) != {first[0]}:
            is_told = True
            report(_second_tag(columns, first, name), on_problem)
        yield columns


def _second_tag(columns: Columns, first: tuple[bytes, int], name: str) -> FormatError:
    place = next(i for i, tag in enumerate(columns.tags) if tag != first[0])
    here, there = quoted(columns.tags[place].decode()), quoted(first[0].decode())
    reason = f"the tag is {here} here and {there} on line {first[1]}"
    way_out = "Give one file for each system. On import, a name of your own overrules the tags in the file."
    return FormatError(name, columns.numbers[place], reason, None, way_out)
