"""Runs and qrels as arrays, for millions of lines at once.

`plain_…` reads files whose lines are all as expected and gives up with `NotPlain` at anything else. `careful_…` reads
whatever can be read, or says what is wrong on which line. Ask plainly first, and carefully from the start of the file
where that is given up.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.formats.opening import plain_blocks
from app.formats.qrels import read_qrels
from app.formats.runs import read_rankings
from app.formats.splitting import Lines, NotPlain, Numbers, Places, split_qrels, split_run

BLOCK = 2 << 20
LARGEST_BLOCK = 1 << 30
RANKINGS_A_PIECE = 100

__all__ = ["NotPlain", "QrelsRows", "RunRows", "careful_qrels", "careful_run", "plain_qrels", "plain_run"]


class RunRows(NamedTuple):
    """Whole rankings: that of qids[i] has the rows start[i] to start[i + 1], in the order of the file.

    Row r is the document text[at[r] : at[r] + width[r]] with its score. All are of one tag.
    """

    qids: Sequence[str]
    start: Places
    text: bytes
    at: NDArray[np.uint32]
    width: NDArray[np.uint32]
    score: Numbers
    tag: str


class QrelsRows(NamedTuple):
    """As `RunRows`, with a grade for each document, and the whole file at once. `repeated` lines said again what an
    earlier one had said, and were passed over.
    """

    qids: Sequence[str]
    start: Places
    text: bytes
    at: Places
    width: Places
    grade: Numbers
    repeated: int = 0


def plain_run(stream: BinaryIO, name: str) -> Iterator[RunRows]:
    """In pieces of about 2 MiB. NotPlain also where a query comes back after others; a document that stands twice in a
    ranking is not looked for.
    """
    tag = b""
    seen: set[str] = set()
    rest = b""
    for block in chain(plain_blocks(stream, name, BLOCK), [b""]):
        text = _ended(rest + block) if not block else rest + block
        lines = split_run(text, _end_of_lines(text), tag)
        piece, rest = _whole_rankings(lines, text, is_last=not block)
        tag = lines.tag
        known = len(seen)
        seen.update(piece.qids)
        if len(seen) < known + len(piece.qids):
            raise NotPlain
        if piece.qids:
            yield piece
    if not seen:
        raise NotPlain


def careful_run(stream: BinaryIO, name: str, *, encoding: str = "utf-8") -> Iterator[RunRows]:
    """FormatError with file, line and reason, as `read_rankings` has them."""
    all_rankings = read_rankings(stream, name, encoding=encoding)
    while rankings := list(islice(all_rankings, RANKINGS_A_PIECE)):
        ids = [[docno.encode() for docno in ranking.docnos] for ranking in rankings]
        width = np.array([len(docno) for own in ids for docno in own], dtype=np.uint32)
        yield RunRows(
            qids=tuple(ranking.qid for ranking in rankings),
            start=np.cumsum([0, *map(len, ids)]),
            text=b"".join(chain.from_iterable(ids)),
            at=(np.cumsum(width) - width).astype(np.uint32),
            width=width,
            score=np.concatenate([np.frombuffer(ranking.scores) for ranking in rankings]),
            tag=rankings[0].tag,
        )


def plain_qrels(stream: BinaryIO, name: str) -> QrelsRows:
    """NotPlain where it can't be read so; a pair that comes twice is not looked for."""
    text = _ended(b"".join(plain_blocks(stream, name, BLOCK)))
    lines = split_qrels(text, _end_of_lines(text))
    if not len(lines.at):
        raise NotPlain
    number = {qid: q for q, qid in enumerate(dict.fromkeys(lines.qids))}
    query = np.repeat([number[qid] for qid in lines.qids], np.diff(lines.start))
    by_query = np.argsort(query, kind="stable")
    return QrelsRows(
        qids=tuple(number),
        start=np.cumsum(np.bincount(query + 1)),
        text=text,
        at=lines.at[by_query].astype(np.int64),
        width=lines.width[by_query].astype(np.int64),
        grade=lines.number[by_query],
    )


def careful_qrels(stream: BinaryIO, name: str, *, encoding: str = "utf-8") -> QrelsRows:
    """Grades may have fractions. FormatError with file, line and reason, as `read_qrels` has them."""
    pairs: dict[str, list[tuple[bytes, float]]] = {}
    repeated: list[int] = []

    def count(line: int, _: int) -> None:
        repeated.append(line)

    for judgment in read_qrels(stream, name, encoding=encoding, has_fractions=True, on_repeat=count):
        pairs.setdefault(judgment.qid, []).append((judgment.docno.encode(), judgment.grade))
    width = np.array([len(docno) for own in pairs.values() for docno, _ in own], dtype=np.int64)
    return QrelsRows(
        qids=tuple(pairs),
        start=np.cumsum([0, *map(len, pairs.values())]),
        text=b"".join(docno for own in pairs.values() for docno, _ in own),
        at=np.cumsum(width) - width,
        width=width,
        grade=np.array([grade for own in pairs.values() for _, grade in own], dtype=np.float64),
        repeated=len(repeated),
    )


def _whole_rankings(lines: Lines, text: bytes, *, is_last: bool) -> tuple[RunRows, bytes]:
    """The rankings that are whole, and the text of the last one, which may go on in the next block."""
    whole = len(lines.qids) if is_last or not lines.qids else len(lines.qids) - 1
    used = int(lines.start[whole])
    rest = b"" if is_last else text[int(lines.begin[whole]) :]
    rows = (lines.at[:used], lines.width[:used], lines.number[:used])
    return RunRows(tuple(lines.qids[:whole]), lines.start[: whole + 1], text, *rows, lines.tag.decode()), rest


def _ended(text: bytes) -> bytes:
    """The last line of a file may lack its line feed."""
    return text if not text or text.endswith(b"\n") else text + b"\n"


def _end_of_lines(text: bytes) -> int:
    """Where the last whole line ends, all before being UTF-8."""
    if len(text) > LARGEST_BLOCK:
        raise NotPlain
    end = text.rfind(b"\n") + 1
    if not text.isascii():
        try:
            text[:end].decode()
        except UnicodeDecodeError:
            raise NotPlain from None
    return end
