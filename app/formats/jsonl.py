"""One JSON object a line, with numbers kept as they are written and nothing decided silently."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from app.formats.errors import FormatError, OnProblem, quoted, report, shown
from app.formats.ids import is_writable
from app.formats.opening import read_lines


class Written(str):
    """A JSON number as the file spells it, so that no id is ever rounded."""

    __slots__ = ()


def read_objects(
    stream: BinaryIO, name: str, *, example: str, encoding: str = "utf-8", on_problem: OnProblem | None = None
) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Line number, line and object. Blank lines are passed over; NaN and a key given twice are refused, with the
    `example` of an object.
    """
    for number, line in read_lines(stream, name, encoding=encoding, on_problem=on_problem):
        if not line.strip():
            continue
        try:
            yield number, line, _object(line)
        except ValueError as error:
            report(_problem(name, number, line, str(error), example), on_problem)
        except RecursionError:
            report(_problem(name, number, line, "it is nested too deeply", example), on_problem)


def word(found: dict[str, Any], keys: Sequence[str], *, is_needed: bool = False) -> str:
    """The text under the first of `keys` that is there; "" where none is, or where it is null.

    Raises ValueError with a reason where it is neither text nor a number, or is needed and missing.
    """
    present = [key for key in keys if found.get(key) is not None]
    if not present:
        if is_needed:
            raise ValueError(f"the object has none of the keys {', '.join(keys)}")
        return ""
    value = found[present[0]]
    if not isinstance(value, str):
        raise ValueError(f"the value of {quoted(present[0])} is not a text")  # noqa: TRY004  # One kind for the reader to report.
    if not is_storable(value):
        raise ValueError(f"the value of {quoted(present[0])} holds a NUL character or half a surrogate pair")
    return str(value)


def is_storable(word: str) -> bool:
    """No database keeps a NUL character or half a surrogate pair."""
    return "\0" not in word and is_writable(word)


def id_word(found: dict[str, Any], keys: Sequence[str]) -> str:
    """As `word`, for ids: whole numbers are taken as they are written, others and rival keys are refused."""
    value = word(found, keys, is_needed=True)
    present = [key for key in keys if found.get(key) is not None]
    if any(found[key] != value for key in present):
        raise ValueError(f"the object has several ids that differ: {', '.join(present)}")
    if isinstance(found[present[0]], Written) and not value.lstrip("-").isdigit():
        raise ValueError(f"the id {value} is a number with a fraction or exponent, not a text")
    return value


def line_problem(name: str, number: int, line: bytes, reason: str, example: str) -> FormatError:
    return FormatError(name, number, reason, shown(line), way_out(example))


def way_out(example: str) -> str:
    return f"Give objects such as {example}, one a line."


def _object(line: bytes) -> dict[str, Any]:
    found = _DECODER.decode(line.decode())
    if not isinstance(found, dict):
        raise ValueError("it is not an object")  # noqa: TRY004  # One kind for the reader to report.
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {quoted(next(key for key in keys if keys.count(key) > 1))} stands twice in it")
    return found


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(
    parse_int=Written, parse_float=Written, parse_constant=_refuse_constant, object_pairs_hook=_pairs
)


def _problem(name: str, number: int, line: bytes, error: str, example: str) -> FormatError:
    if line.lstrip().startswith(b"["):
        unpack = "Give the list's objects one a line, without brackets and commas around them."
        return FormatError(name, number, "the file is a JSON list, not one object a line", shown(line), unpack)
    return line_problem(name, number, line, f"the line can't be read as a JSON object: {error}", example)
