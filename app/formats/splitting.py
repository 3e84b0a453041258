"""Plain lines of runs and qrels, taken apart by a compiled core where this machine has made one (tools/core.py), and by
numpy where it has none.

Plain means for both: all words there, one tag, whole ranks and grades, finite scores, no comment. The core also takes
blanks as they come; numpy wants exactly one between two words.
"""

import ctypes
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.compiled import load, places_of
from app.formats.ids import LONGEST_ID
from app.formats.run_columns import SCORE

SHORTEST_RUN_LINE = len("1 0 a 1 2 t\n")
SHORTEST_QRELS_LINE = len("1 0 a 1\n")
LONGEST_NUMBER = 40

Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Offsets = NDArray[np.uint32]


class NotPlain(Exception):
    """The file wants a careful reading."""


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """The lines of a text: `at` and `width` say where each docno stands, `number` is its score or grade.

    Lines with the same qid side by side are a group: group i has the lines start[i] to start[i + 1], and begins at
    begin[i] in the text; begin[-1] is where the last line ends.
    """

    qids: list[str]
    start: Places
    begin: Places
    at: Offsets
    width: Offsets
    number: Numbers
    tag: bytes = b""


def split_run(text: bytes, size: int, tag: bytes) -> Lines:
    """The first `size` bytes, which are whole lines `qid Q0 docno rank score tag`. An empty tag is yet to be found; any
    other tag than the first is NotPlain.
    """
    return _split_run_in_numpy(text, size, tag) if CORE is None else _split_run_in_core(CORE, text, size, tag)


def split_qrels(text: bytes, size: int) -> Lines:
    """The first `size` bytes, which are whole lines `qid iteration docno grade`."""
    return _split_qrels_in_numpy(text, size) if CORE is None else _split_qrels_in_core(CORE, text, size)


CORE: Final = load(Path(__file__).with_name("_splitting.c"), "split_run", "split_qrels")
"""None where this machine has made none, or one of another version of its source."""


class _Room:
    """Room for what the core finds in a text of at most so many lines."""

    def __init__(self, lines: int) -> None:
        self.at = np.empty(lines, dtype=np.uint32)
        self.width = np.empty(lines, dtype=np.uint32)
        self.number = np.empty(lines, dtype=np.float64)
        self.start = np.empty(lines + 1, dtype=np.int64)
        self.begin = np.empty(lines + 1, dtype=np.int64)
        self.qid_at = np.empty(lines, dtype=np.uint32)
        self.qid_width = np.empty(lines, dtype=np.uint32)
        self.groups = ctypes.c_int64(0)

    def lines(self, text: bytes, size: int, count: int, tag: bytes = b"") -> Lines:
        if count < 0:
            raise NotPlain
        groups = self.groups.value
        self.start[groups], self.begin[groups] = count, size
        places = zip(self.qid_at[:groups].tolist(), self.qid_width[:groups].tolist(), strict=True)
        return Lines(
            qids=[text[at : at + width].decode() for at, width in places],
            start=self.start[: groups + 1],
            begin=self.begin[: groups + 1],
            at=self.at[:count],
            width=self.width[:count],
            number=self.number[:count],
            tag=tag,
        )


def _split_run_in_core(core: ctypes.CDLL, text: bytes, size: int, tag: bytes) -> Lines:
    lines = size // SHORTEST_RUN_LINE + 1
    room = _Room(lines)
    hard_row, hard_at, hard_width = (np.empty(lines, dtype=kind) for kind in (np.int64, np.uint32, np.uint32))
    hards = ctypes.c_int64(0)
    own_tag, tag_width = ctypes.create_string_buffer(tag, LONGEST_ID), ctypes.c_uint32(len(tag))
    count = core.split_run(
        text,
        ctypes.c_int64(size),
        *places_of(room.at, room.width, room.number, room.start, room.begin, room.qid_at, room.qid_width),
        ctypes.byref(room.groups),
        *places_of(hard_row, hard_at, hard_width),
        ctypes.byref(hards),
        own_tag,
        ctypes.byref(tag_width),
    )
    hard = (array[: hards.value].tolist() for array in (hard_row, hard_at, hard_width))
    for row, at, width in zip(*hard, strict=True):
        room.number[row] = _hard_score(text[at : at + width])
    return room.lines(text, size, count, own_tag.raw[: tag_width.value])


def _split_qrels_in_core(core: ctypes.CDLL, text: bytes, size: int) -> Lines:
    room = _Room(size // SHORTEST_QRELS_LINE + 1)
    count = core.split_qrels(
        text,
        ctypes.c_int64(size),
        *places_of(room.at, room.width, room.number, room.start, room.begin, room.qid_at, room.qid_width),
        ctypes.byref(room.groups),
    )
    return room.lines(text, size, count)


def _hard_score(word: bytes) -> float:
    """A score of many digits or with a large exponent, which the core leaves to Python."""
    if not SCORE.fullmatch(word) or not math.isfinite(float(word)):
        raise NotPlain
    return float(word)


def _split_run_in_numpy(text: bytes, size: int, tag: bytes) -> Lines:
    letters, at, width = _words(text, size, 6)
    tag = tag or b"".join(text[begin : begin + wide] for begin, wide in zip(at[:1, 5], width[:1, 5], strict=True))
    tags = _spelled(letters, at[:, 5], width[:, 5], longest=LONGEST_ID)
    if (width[:, 5] != len(tag)).any() or (tags != np.frombuffer(tag, dtype=np.uint8)[: tags.shape[1]]).any():
        raise NotPlain
    _numbers(letters, at[:, 3], width[:, 3], allowed=b"0123456789+-")
    short = at[width[:, 2] == len(b"Q0"), 2]
    if ((letters[short] == ord("Q")) & (letters[short + 1] == ord("0"))).any():
        raise NotPlain
    score = _numbers(letters, at[:, 4], width[:, 4], allowed=b"0123456789+-.eE")
    return _grouped(text, size, letters, at, width, score, tag)


def _split_qrels_in_numpy(text: bytes, size: int) -> Lines:
    letters, at, width = _words(text, size, 4)
    if width[:, 3].max(initial=0) > 9:
        raise NotPlain
    grade = _numbers(letters, at[:, 3], width[:, 3], allowed=b"0123456789+-")
    return _grouped(text, size, letters, at, width, grade)


def _words(text: bytes, size: int, words: int) -> tuple[NDArray[np.uint8], Offsets, Offsets]:
    """The letters, and where each of a line's words begins and how wide it is: (lines, words)."""
    letters = np.frombuffer(text, dtype=np.uint8, count=size)
    ends = np.flatnonzero(letters <= ord(" ")).astype(np.uint32)
    if len(ends) % words:
        raise NotPlain
    begins = np.concatenate([np.zeros(min(1, len(ends)), dtype=np.uint32), ends[:-1] + 1])
    at, end = begins.reshape(-1, words), ends.reshape(-1, words)
    signs = letters[end]
    is_blank = (signs[:, :-1] == ord(" ")) | (signs[:, :-1] == ord("\t"))
    width = end - at
    if not is_blank.all() or (signs[:, -1] != ord("\n")).any() or not width.all():
        raise NotPlain
    if width[:, [0, 2]].max(initial=0) > LONGEST_ID:
        raise NotPlain
    return letters, at, width


def _spelled(letters: NDArray[np.uint8], at: Offsets, width: Offsets, *, longest: int) -> NDArray[np.uint8]:
    """Words as rows of letters, with zeros behind the shorter ones."""
    widest = int(width.max(initial=0))
    if widest > longest:
        raise NotPlain
    place = np.arange(widest, dtype=np.uint32)
    spelled = letters.take(at[:, None] + place, mode="clip")
    spelled[place >= width[:, None]] = 0
    return spelled


def _numbers(letters: NDArray[np.uint8], at: Offsets, width: Offsets, *, allowed: bytes) -> Numbers:
    spelled = _spelled(letters, at, width, longest=LONGEST_NUMBER)
    is_allowed = np.zeros(256, dtype=np.bool_)
    is_allowed[np.frombuffer(allowed + b"\0", dtype=np.uint8)] = True
    if not is_allowed[spelled].all():
        raise NotPlain
    try:
        numbers = spelled.view(f"S{max(1, spelled.shape[1])}").ravel().astype(np.float64)
    except ValueError:
        raise NotPlain from None
    if not np.isfinite(numbers).all():
        raise NotPlain
    return numbers


def _grouped(
    text: bytes,
    size: int,
    letters: NDArray[np.uint8],
    at: Offsets,
    width: Offsets,
    number: Numbers,
    tag: bytes = b"",
) -> Lines:
    qids = _spelled(letters, at[:, 0], width[:, 0], longest=LONGEST_ID)
    is_new = np.ones(len(at), dtype=np.bool_)
    is_new[1:] = (qids[1:] != qids[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    places = zip(at[first, 0].tolist(), width[first, 0].tolist(), strict=True)
    words = [text[begin : begin + wide] for begin, wide in places]
    if any(word.startswith((b"#", b"\xef\xbb\xbf")) for word in words):
        raise NotPlain
    return Lines(
        qids=[word.decode() for word in words],
        start=np.append(first, len(at)),
        begin=np.append(at[first, 0].astype(np.int64), size),
        at=np.ascontiguousarray(at[:, 2]),
        width=np.ascontiguousarray(width[:, 2]),
        number=number,
        tag=tag,
    )
