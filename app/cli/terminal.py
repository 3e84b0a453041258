"""What a command says: to a person in lines that a terminal can't be misled by, to a program as JSON."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO

from app.cli.refusal import BAD_INPUT, RULE_SAYS_NO, Refusal


def tell(answer: Any, *, as_json: bool, lines: Sequence[str]) -> None:
    """The answer for a program, or in lines for a person."""
    with answering():
        if as_json:
            print(as_text(answer))
        else:
            say(*lines)


@contextmanager
def answering() -> Iterator[None]:
    """Who reads the answer may stop before its end, as `head` does: the exit status stays what the answer makes it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _write_no_more()
    except UnicodeEncodeError as error:
        sentence = f"The answer holds signs that {error.encoding} has no place for."
        raise Refusal(sentence, "Take --json, or set PYTHONIOENCODING=utf-8.") from error
    except OSError as error:
        _write_no_more()
        raise Refusal(f"The answer can't be written: {error.strerror}.", "Make room, or send it elsewhere.") from error


def _write_no_more() -> None:
    """What is still to be written, by Python when it ends too, goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(*lines: str, on: TextIO | None = None) -> None:
    """A sign that the stream's encoding has no place for is written as its escape."""
    encoding = (on or sys.stdout).encoding
    for line in lines:
        print(printable(line).encode(encoding, "backslashreplace").decode(encoding), file=on)


def as_text(answer: Any) -> str:
    """As JSON, in the signs that standard output can take; the escapes of all others are JSON's own."""
    text = escaped(json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False))
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return json.dumps(answer, indent=2)
    return text


def note(line: str) -> None:
    """Beside what goes to standard output: a pipe gets the figures, the person reads this."""
    say(f"adjudge: {line}", on=sys.stderr)


def report(refusal: Refusal) -> NoReturn:
    """Says it on standard error and ends the command."""
    note(f"{refusal.sentence} {refusal.way_out}".rstrip())
    for condition in refusal.details.get("failing", []):
        say(f"  not met: {condition['name']}: {condition['sentence']}", on=sys.stderr)
    for problem in refusal.details.get("problems", [])[1:]:  # The sentence tells of the first.
        place = f"line {problem['line']}: " if problem["line"] else ""
        say(f"  {place}{problem['reason']}. {problem['way_out']}".rstrip(), on=sys.stderr)
    raise SystemExit(RULE_SAYS_NO if refusal.status in {403, 409} else BAD_INPUT)


def condition_line(one: Mapping[str, Any]) -> str:
    """What the gate asks, and what it found."""
    met = {True: "met", False: "not met", None: "can't be told"}[one["is_met"]]
    return f"  {met}: {one['name']}: asked {one['asked']}, found {one['found']}"


def printable(text: str) -> str:
    """What others wrote could move the cursor, name a window or turn the reading order: such signs become escapes."""
    return "".join(sign.encode("unicode_escape").decode("ascii") if misleads(sign) else sign for sign in text)


def escaped(text: str) -> str:
    """The same for JSON, whose own escapes these are; the new lines are its layout."""
    return "".join(json.dumps(sign)[1:-1] if misleads(sign) and sign != "\n" else sign for sign in text)


def misleads(sign: str) -> bool:
    return unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(sign) in TURNING


TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""What Unicode's reading order gives the signs that turn it."""
