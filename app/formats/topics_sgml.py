"""TREC topics in the loose SGML of the field: `<top>`, `<num>`, `<title>`, `<desc>`, `<narr>`, closed or not."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, quoted, report
from app.formats.opening import LONGEST_LINE, read_lines

Fields = tuple[int, dict[str, str]]
"""The line of `<top>`, and texts by field name: num, title, desc, narr and whatever else the topic has."""

KNOWN_FIELDS = (
    "num", "title", "desc", "narr", "head", "dom", "smry", "con", "fac", "def", "nat", "time", "price", "docid", "url",
    "querytime", "querytweettime",
)  # fmt: skip

# A known tag counts wherever it stands; any other only at the start of a line, since texts hold signs such as <5.
_TAG = re.compile(rf"<(/?)({'|'.join(KNOWN_FIELDS)}|top)>|^\s*<(/?)([a-z][a-z0-9_-]*)>", re.IGNORECASE)
_LABELS = {
    "num": re.compile(r"\s*number\s*:", re.IGNORECASE),
    "title": re.compile(r"\s*(topic|title)\s*:", re.IGNORECASE),
    "desc": re.compile(r"\s*description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\s*narrative\s*:", re.IGNORECASE),
}
_WAY_OUT = "Begin each topic with <top> and end it with </top>."


def read_topics(
    stream: BinaryIO, name: str, *, encoding: str = "utf-8", on_problem: OnProblem | None = None
) -> Iterator[Fields]:
    """Topics in the file's order, one in memory at a time (4 MiB at most). Entities such as `&amp;` stay as written.

    A topic that the next `<top>` ends is whole; one that the file's end ends is whole only where none has been closed.
    """
    topic: _Topic | None = None
    are_closed = False
    number = 1
    for number, line in read_lines(stream, name, encoding=encoding, on_problem=on_problem):
        if b"<" not in line:
            if topic is not None:
                topic.add(f"{line.decode()}\n")
            continue
        for closes, tag, text in _pieces(line.decode()):
            if tag == "top":
                yield from _finished(topic, on_problem)
                topic = None if closes else _Topic(name, number)
                are_closed = are_closed or closes
            elif topic is not None:
                topic.take(closes, tag, text)
    if topic is not None and are_closed:
        reason = f"the topic that begins here is not closed before the end of the file, on line {number}"
        problem = topic.problem(reason, "Is the file cut off? Copy it again, or add </top>.")
        report(problem, on_problem)
    else:
        yield from _finished(topic, on_problem)


class _Topic:
    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.repeated: str | None = None
        self._size = 0
        self._texts: dict[str, list[str]] = {}
        self._field: str | None = None

    def take(self, closes: bool, tag: str, text: str) -> None:  # noqa: FBT001  # Whether the tag has a slash.
        if tag:
            self._begin(None if closes else tag)
        self.add(text)

    def add(self, text: str) -> None:
        if self._field is None:
            return
        self._texts[self._field].append(text)
        self._size += len(text)
        if self._size > LONGEST_LINE:
            raise self.problem(f"the topic that begins here is larger than {LONGEST_LINE >> 20} MiB", _WAY_OUT)

    def problem(self, reason: str, way_out: str) -> FormatError:
        return FormatError(self.name, self.line, reason, None, way_out)

    def fields(self) -> dict[str, str]:
        return {field: _tidy(field, "".join(texts)) for field, texts in self._texts.items()}

    def _begin(self, field: str | None) -> None:
        if field in _LABELS and field in self._texts:
            self.repeated = field
        if field is not None:
            self._texts.setdefault(field, [])
        self._field = field


def _pieces(line: str) -> Iterator[tuple[bool, str, str]]:
    """The line cut at its tags: whether the tag closes, the tag ("" before the first), the text after it."""
    closes, tag, start = False, "", 0
    for match in _TAG.finditer(line):
        if tag or match.start() > start:
            yield closes, tag, line[start : match.start()]
        closes = bool(match[1] or match[3])
        tag = (match[2] or match[4]).lower()
        start = match.end()
    yield closes, tag, line[start:] + "\n"


def _finished(topic: _Topic | None, on_problem: OnProblem | None) -> Iterator[Fields]:
    if topic is None:
        return
    fields = topic.fields()
    number = fields.get("num", "")
    if topic.repeated is not None:
        problem = topic.problem(f"the topic that begins here has <{topic.repeated}> twice", f"Keep one. {_WAY_OUT}")
    elif not number:
        problem = topic.problem("the topic that begins here has no <num>", "Give it one.")
    elif len(number.split()) > 1:
        reason = f"the number of the topic that begins here is more than one word: {quoted(number)}"
        problem = topic.problem(reason, "Write <num> Number: 301, and a line end.")
    else:
        yield topic.line, fields
        return
    report(problem, on_problem)


def _tidy(field: str, text: str) -> str:
    if field in _LABELS:
        text = _LABELS[field].sub("", text, count=1) if _LABELS[field].match(text) else text
    return tidy_lines(text)


def tidy_lines(text: str) -> str:
    """Without the blanks around each line and the empty lines around the whole: what layout put there."""
    return "\n".join(line.strip() for line in text.split("\n")).strip("\n")
