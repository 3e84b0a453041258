"""The one error of this package: what is wrong with a file, where, and what to do about it."""

from collections.abc import Callable
from typing import NoReturn

LONGEST_SHOWN = 160


class FormatError(Exception):
    """A file can't be read as what it is said to be.

    `line` is the physical line, counted from 1, or None where the fault is of the whole file.
    `text` is the offending line, shortened and with control characters escaped, or None.
    """

    def __init__(self, file: str, line: int | None, reason: str, text: str | None = None, way_out: str = "") -> None:
        super().__init__(file, line, reason, text, way_out)
        self.file = file
        self.line = line
        self.reason = reason
        self.text = text
        self.way_out = way_out

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        sentences = [f"{place}: {self.reason}."]
        if self.text is not None:
            sentences.append(f"The line reads “{self.text}”.")
        if self.way_out:
            sentences.append(self.way_out)
        return " ".join(sentences)


OnProblem = Callable[[FormatError], None]
"""Told of a faulty line instead of the reader stopping there; the reader then goes on with the next line."""

OnRepeat = Callable[[int, int], None]
"""Told that a line (first number) merely repeats an earlier one (second number)."""


def report(problem: FormatError, on_problem: OnProblem | None) -> None:
    """Stop at the problem, or tell of it and let the reader go on."""
    if on_problem is None:
        raise problem
    on_problem(problem)


def refuse(file: str, reason: str, way_out: str) -> NoReturn:
    """Stop for a fault of the whole file."""
    raise FormatError(file, None, reason, None, way_out)


def shown(line: str | bytes) -> str:
    """A line as a message may show it: printable, at most 160 characters, other bytes and controls as escapes."""
    text = line[: 4 * LONGEST_SHOWN].decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
    short = text[:LONGEST_SHOWN].rstrip("\r\n")
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)
    return escaped + (" …" if len(text) > LONGEST_SHOWN else "")


def quoted(word: str) -> str:
    """A word of the file inside a sentence, shortened."""
    return f'"{shown(word[:60])}{"…" if len(word) > 60 else ""}"'
