"""From a binary stream to numbered lines: unpacked, bounded, in UTF-8, without byte order mark.

Every reader stands on this. Memory is one block and one line, whatever the size of the file.
"""

import codecs
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from app.formats.errors import FormatError, OnProblem, quoted, refuse, report, shown

BLOCK = 1 << 18
LONGEST_LINE = 4 << 20
MOST_BYTES = 4 << 30
MOST_LINES = 100_000_000
MOST_RATIO = 50
RATIO_COUNTS_FROM = 1 << 20
KEPT_IN_MEMORY = 16 << 20

ENCODINGS = (
    "utf-8",
    "utf-16",
    "windows-1252",
    "latin-1",
    "iso-8859-15",
    "windows-1250",
    "windows-1251",
    "shift_jis",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
)

_BOM = codecs.BOM_UTF8
SAMPLE, FEW_NULS = 4096, 8
"""A text holds no NUL; with more than so many at its beginning, and one byte in fifty, it is no text with a fault."""
_OTHER_FILES = (
    (
        b"PK\x03\x04",
        "a zip archive (or an Excel workbook)",
        "Unpack it, or save the sheet as CSV, and give the file itself.",
    ),
    (b"BZh", "a bzip2 file", "Unpack it, or pack it with gzip."),
    (b"\xfd7zXZ\x00", "an xz file", "Unpack it, or pack it with gzip."),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "Unpack it, or pack it with gzip."),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it and give the file itself."),
    (b"%PDF-", "a PDF document", "Give the text file that it was made from."),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file", "Save it as CSV."),
    (b"SQLite format 3\x00", "an SQLite database", "Export the table as CSV."),
)

Chunk = tuple[int, list[bytes]]
"""The number of the first line, and whole lines without their line feed (a carriage return may end them)."""


def read_chunks(
    stream: BinaryIO,
    name: str,
    *,
    encoding: str = "utf-8",
    on_problem: OnProblem | None = None,
    most_bytes: int = MOST_BYTES,
) -> Iterator[Chunk]:
    """All lines, in chunks of about 256 KiB, as UTF-8 that is known to decode.

    With `on_problem` a line that can't be decoded, or that holds a NUL, is reported and stands as an empty line.
    """
    known = known_encoding(encoding)
    if known is None:
        refuse(name, f"{quoted(encoding)} is no encoding that Adjudge reads", f"Choose one of {', '.join(ENCODINGS)}.")
    number = 1
    for lines in _whole_lines(_text_blocks(stream, name, known, most_bytes), name):
        if number == 1:
            lines[0] = lines[0].removeprefix(_BOM)
        yield number, _vetted(lines, number, name, "utf-8" if known == "utf-16" else known, on_problem)
        number += len(lines)
        if number > MOST_LINES:
            refuse(name, f"the file has more than {MOST_LINES:,} lines", "Split it.")


def plain_blocks(stream: BinaryIO, name: str, size: int) -> Iterator[bytes]:
    """What the file holds, unpacked and bounded, in blocks of about `size` without byte order mark; not yet decoded."""
    bom = _BOM
    for block in _text_blocks(stream, name, "utf-8", MOST_BYTES, size):
        yield block.removeprefix(bom)
        bom = b""


def read_lines(
    stream: BinaryIO, name: str, *, encoding: str = "utf-8", on_problem: OnProblem | None = None
) -> Iterator[tuple[int, bytes]]:
    """Every line with its number, without its line end; blank lines too. A carriage return inside a line is refused."""
    for first, lines in read_chunks(stream, name, encoding=encoding, on_problem=on_problem):
        if b"\r" in b"".join(lines):
            yield from _without_returns(first, lines, name, on_problem)
        else:
            yield from enumerate(lines, first)


def _without_returns(
    first: int, lines: list[bytes], name: str, on_problem: OnProblem | None
) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(lines, first):
        line = raw.removesuffix(b"\r")
        if b"\r" in line:
            report(lone_return(name, number, line), on_problem)
        else:
            yield number, line


def known_encoding(word: str) -> str | None:
    """The one of `ENCODINGS` that a word means, whatever its spelling (ISO-8859-1, cp1252); None for any other."""
    try:
        meant = codecs.lookup(word).name
    except (LookupError, ValueError):
        return None
    return next((encoding for encoding in ENCODINGS if codecs.lookup(encoding).name == meant), None)


def lone_return(name: str, number: int, line: bytes) -> FormatError:
    """The fault of a file whose lines end in a bare carriage return: all of it would look like one line."""
    reason = "a carriage return stands inside the line, as in files with old Mac line ends"
    return FormatError(name, number, reason, shown(line), "Save the file with line feeds (Unix or Windows line ends).")


def first_bytes(stream: BinaryIO, size: int = BLOCK) -> bytes:
    """Up to `size` bytes from a stream that may give fewer than asked."""
    head = b""
    while len(head) < size and (more := stream.read(size - len(head))):
        head += more
    return head


@contextmanager
def rewindable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream itself where it can be read again from here, else a copy in a temporary file."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY) as copy:
        while block := stream.read(BLOCK):
            copy.write(block)
        copy.seek(0)
        yield copy  # type: ignore[misc]  # It has read, seek and tell; its type says BinaryIO only from Python 3.12 on.


def unpacked_head(head: bytes) -> bytes:
    """The beginning of what a gzip head holds; any other head as it is."""
    if not head.startswith(b"\x1f\x8b"):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, BLOCK)
    except zlib.error:
        return b""


def _text_blocks(stream: BinaryIO, name: str, encoding: str, most_bytes: int, size: int = BLOCK) -> Iterator[bytes]:
    blocks = _bounded(_unpacked(stream, name, size), name, most_bytes)
    first = next(blocks, b"")
    refuse_other_files(first, name, encoding)
    return _from_utf16(chain([first], blocks), name) if encoding == "utf-16" else chain([first], blocks)


def _unpacked(stream: BinaryIO, name: str, size: int) -> Iterator[bytes]:
    first = first_bytes(stream)
    blocks = chain([first] if first else [], iter(lambda: stream.read(size), b""))
    return _gunzipped(blocks, name) if first.startswith(b"\x1f\x8b") else blocks


def _gunzipped(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(31)
    taken = given = 0
    for block in blocks:
        rest = block
        taken += len(block)
        while rest:
            if unpacker.eof:
                unpacker = zlib.decompressobj(31)
            try:
                out = unpacker.decompress(rest, BLOCK)
            except zlib.error:
                refuse(name, "the gzip file is damaged", "Pack it again, or give it unpacked.")
            rest = unpacker.unused_data.lstrip(b"\0") if unpacker.eof else unpacker.unconsumed_tail
            given += len(out)
            if given > RATIO_COUNTS_FROM and given > MOST_RATIO * (taken - len(rest)):
                refuse(name, f"the gzip file grows more than {MOST_RATIO}-fold when unpacked", "Give it unpacked.")
            yield out
    if not unpacker.eof:
        refuse(name, "the gzip file is cut off", "Copy or pack it again.")


def _bounded(blocks: Iterator[bytes], name: str, most_bytes: int) -> Iterator[bytes]:
    given = 0
    for block in blocks:
        given += len(block)
        if given > most_bytes:
            refuse(name, f"the file is larger than {most_bytes:,} bytes", "Split it.")
        yield block


def refuse_other_files(head: bytes, name: str, encoding: str) -> None:
    for magic, what, way_out in _OTHER_FILES:
        if head.startswith(magic):
            refuse(name, f"this is {what}, not a text file", way_out)
    if encoding != "utf-16" and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        refuse(name, "the file is in UTF-16", "Save it as UTF-8, or choose the encoding utf-16.")
    if encoding != "utf-16" and head[:SAMPLE].count(0) > max(FEW_NULS, len(head[:SAMPLE]) / 50):
        refuse(name, "this is a program’s own file, not a text file", "Save or export it as text, in UTF-8.")


def _from_utf16(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    seen = 1
    for block in chain(blocks, [b""]):
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeError:
            way_out = "Choose the encoding that the file has."
            raise FormatError(name, seen, "from here on the file is not UTF-16", None, way_out) from None
        seen += text.count("\n")
        yield text.encode()


def _whole_lines(blocks: Iterator[bytes], name: str) -> Iterator[list[bytes]]:
    rest = b""
    number = 1
    for block in blocks:
        head, feed, tail = block.rpartition(b"\n")
        if not feed:
            rest += block
            _refuse_long_line(rest, number, name)
            continue
        lines = (rest + head).split(b"\n")
        _refuse_long_line(lines[0], number, name)
        yield lines
        number += len(lines)
        rest = tail
    if rest:
        yield [rest]


def _refuse_long_line(line: bytes, number: int, name: str) -> None:
    if len(line) > LONGEST_LINE:
        reason = f"the line is longer than {LONGEST_LINE >> 20} MiB"
        raise FormatError(name, number, reason, shown(line), "Shorten it; is this the right kind of file?")


def _vetted(lines: list[bytes], first: int, name: str, encoding: str, on_problem: OnProblem | None) -> list[bytes]:
    body = b"\n".join(lines)
    if body.isascii() and b"\0" not in body:
        return lines
    if b"\0" not in body and b"\n" + _BOM not in body and not body.startswith(_BOM):
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            pass  # The lines are looked at one by one, to name the faulty ones.
        else:
            return lines if encoding == "utf-8" else text.encode().split(b"\n")
    return [_vetted_line(line, number, name, encoding, on_problem) for number, line in enumerate(lines, first)]


def _vetted_line(line: bytes, number: int, name: str, encoding: str, on_problem: OnProblem | None) -> bytes:
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"the byte {line[error.start]:#04x} at position {error.start + 1} is not {encoding.upper()}"
        way_out = "Save the file as UTF-8, or choose the encoding that it has (often windows-1252 or latin-1)."
        report(FormatError(name, number, reason, shown(line), way_out), on_problem)
        return b""
    if "\0" in text:
        way_out = "Take the NUL bytes out; is this a text file at all?"
        report(FormatError(name, number, "the line holds a NUL byte", shown(line), way_out), on_problem)
        return b""
    if text.startswith("\ufeff"):
        reason = "a byte order mark stands at the start of the line, as where two files were put together"
        report(FormatError(name, number, reason, shown(line), "Take it out."), on_problem)
        return b""
    return text.encode()
