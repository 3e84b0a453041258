"""What a command says: to a person in lines that a terminal can't be misled by, to a program as JSON."""

import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TextIO


def tell(answer: Any, *, as_json: bool, lines: Sequence[str]) -> None:
    """The answer for a program, or in lines for a person."""
    if as_json:
        print(escaped(json.dumps(answer, ensure_ascii=False, indent=2)))
    else:
        say(*lines)


def say(*lines: str, on: TextIO | None = None) -> None:
    for line in lines:
        print(printable(line), file=on)


def note(line: str) -> None:
    """Beside what goes to standard output: a pipe gets the figures, the person reads this."""
    say(f"adjudge: {line}", on=sys.stderr)


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
