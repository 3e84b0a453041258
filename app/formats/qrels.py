"""Qrels, read and written: `qid iteration docno grade`, as trec_eval 10 reads them but with nothing guessed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, OnRepeat, quoted, refuse, report, shown
from app.formats.ids import LONGEST_ID, fault_of_id, fault_of_qid
from app.formats.opening import read_lines
from app.words import plural

LARGEST_GRADE = 2**31 - 1
LONGEST_GRADE = 25
"""Characters: every fraction that a 64-bit number can hold is written in fewer."""
LINES_A_BATCH = 2000

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_DECIMAL = re.compile(rb"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?")
_NO_COMMENT = "Begin the line with # itself where it is a comment; rename the query where it is none."
_WAY_OUT = "Write each line as: query 0 document grade."


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class Judgment:
    qid: str
    docno: str
    grade: float
    iteration: str = "0"
    line: int = field(default=0, compare=False)


def read_qrels(
    stream: BinaryIO,
    name: str,
    *,
    encoding: str = "utf-8",
    has_fractions: bool = False,
    on_problem: OnProblem | None = None,
    on_repeat: OnRepeat | None = None,
) -> Iterator[Judgment]:
    """Judgments in the file's order, each pair once; grades are whole numbers, unless the file may have fractions.

    Blank lines, and lines whose very first byte is `#`, are passed over. A pair that comes again with the same grade is
    passed over and told to `on_repeat`; with another grade it is refused with both line numbers.
    Memory: about 250 bytes for each judgment, to know what comes again.
    """
    earlier: dict[str, dict[str, Judgment]] = {}
    for number, line in read_lines(stream, name, encoding=encoding, on_problem=on_problem):
        if line.startswith(b"#") or not (words := line.split()):
            continue
        problem = _fault(name, number, line, words, has_fractions=has_fractions)
        if problem is not None:
            report(problem, on_problem)
            continue
        judgment = Judgment(words[0].decode(), words[2].decode(), _number(words[3]), words[1].decode(), number)
        first = earlier.setdefault(judgment.qid, {}).setdefault(judgment.docno, judgment)
        if first is judgment:
            yield judgment
        elif first.grade != judgment.grade:
            report(_conflict(name, line, first, judgment), on_problem)
        elif on_repeat is not None:
            on_repeat(number, first.line)
    if not earlier and on_problem is None:
        refuse(name, "the file holds no judgments", _WAY_OUT)


def write_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """`qid 0 docno grade` with line feeds, in batches of bytes.

    The caller gives them in the order of qid bytes, then docno bytes, each pair once: ValueError where it doesn't,
    because equal judged sets must give equal bytes. FormatError where an id can't stand in a qrels file.
    """
    batch: list[bytes] = []
    last = (b"", b"")
    for judgment in judgments:
        fault = fault_of_qid(judgment.qid) or fault_of_id(judgment.docno)
        if fault:
            reason = f"the pair {quoted(judgment.qid)}, {quoted(judgment.docno)} can't be written: an id {fault}"
            refuse("qrels", reason, "Import the query or document under another id.")
        key = (judgment.qid.encode(), judgment.docno.encode())
        if key <= last:
            raise ValueError(f"judgments out of order: {key} after {last}")
        last = key
        batch.append(b"%b 0 %b %d\n" % (*key, judgment.grade))
        if len(batch) == LINES_A_BATCH:
            yield b"".join(batch)
            batch.clear()
    if batch:
        yield b"".join(batch)


def _number(grade: bytes) -> float:
    return int(grade) if _WHOLE.fullmatch(grade) else float(grade)


def _fault(name: str, number: int, line: bytes, words: list[bytes], *, has_fractions: bool) -> FormatError | None:
    if len(words) != 4:
        return _wrong_columns(name, number, line, words)
    if not (_DECIMAL if has_fractions else _WHOLE).fullmatch(words[3]):
        return _wrong_grade(name, number, line, words[3])
    if len(words[3]) > LONGEST_GRADE or abs(_number(words[3])) > LARGEST_GRADE:
        return FormatError(name, number, f"the grade {quoted(words[3].decode())} is too large", shown(line), _WAY_OUT)
    if words[0].startswith(b"#"):
        return FormatError(name, number, f"the query's id {fault_of_qid(words[0].decode())}", shown(line), _NO_COMMENT)
    if max(len(words[0]), len(words[2])) > LONGEST_ID:
        return FormatError(name, number, f"an id is longer than {LONGEST_ID:,} bytes", shown(line), _WAY_OUT)
    return None


def _wrong_columns(name: str, number: int, line: bytes, words: list[bytes]) -> FormatError:
    reason = f"the line has {plural(len(words), 'column')} where qrels have four"
    way_out = _WAY_OUT
    if len(words) == 5 and all(_DECIMAL.fullmatch(word) for word in words[2:]):
        reason += "; it looks like a prels file, whose last column is the probability that a document was drawn"
        way_out = "Ask whoever made the file for qrels: grades of such a sample can't be averaged as they stand."
    elif len(words) == 3:
        way_out = f"The second column (iteration) may be missing. {_WAY_OUT}"
    return FormatError(name, number, reason, shown(line), way_out)


def _wrong_grade(name: str, number: int, line: bytes, grade: bytes) -> FormatError:
    if _DECIMAL.fullmatch(grade):
        reason = f"the grade {quoted(grade.decode())} is not a whole number"
        return FormatError(name, number, reason, shown(line), "Decide how to round, and give whole numbers.")
    reason = f"the grade {quoted(grade.decode())} is not a number"
    is_heading = number == 1 and grade.isalpha() and grade.lower() not in (b"nan", b"inf", b"infinity")
    way_out = "Take the heading out." if is_heading else "Give a whole number such as 2, in the fourth column."
    return FormatError(name, number, reason, shown(line), way_out)


def _conflict(name: str, line: bytes, first: Judgment, second: Judgment) -> FormatError:
    pair = f"{quoted(second.qid)}, {quoted(second.docno)}"
    reason = f"the pair {pair} has grade {second.grade} here and {first.grade} on line {first.line}"
    way_out = "Keep one of the two."
    if first.iteration != second.iteration:
        reason += f", with {quoted(second.iteration)} and {quoted(first.iteration)} in the second column"
        way_out = "If the second column is a subtopic, keep one subtopic, or give each pair one grade."
    return FormatError(name, second.line, reason, shown(line), way_out)
