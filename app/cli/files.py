"""What the commands on plain files share: their arguments and options, reading, and faults told with file and line."""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Annotated, BinaryIO, Final

import typer

from app.cli.refusal import Refusal
from app.cli.terminal import answering, printable
from app.formats.csvout import write_csv
from app.formats.opening import BLOCK, MOST_BYTES

QrelsFile = Annotated[Path, typer.Argument(help="Judgments: query 0 document grade; .gz too.", metavar="QRELS")]
RunFiles = Annotated[
    list[Path], typer.Argument(help="Runs: query Q0 document rank score tag; .gz too.", metavar="RUN...")
]
Encoding = Annotated[str, typer.Option(help="The encoding of every file, such as latin-1.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the answer as CSV.")]


@contextmanager
def faults_told() -> Iterator[None]:
    """Bad input ends the command with file, line and reason, and a number that can't be had with why; status 2."""
    from app.formats.errors import FormatError
    from app.measures import MeasureError

    try:
        yield
    except (FormatError, MeasureError) as error:
        raise Refusal(str(error)) from error


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """The file's bytes; a Refusal where it can't be read. A pipe, or `-`, is copied when it is opened first."""
    try:
        with _opened(path) as stream:
            yield stream
    except FileNotFoundError:
        raise Refusal(f"There is no file {path}.", "Check its name.") from None
    except OSError as error:
        raise Refusal(f"{path} can't be read: {error.strerror}.", "Check its name and who may read it.") from None


def _opened(path: Path) -> BufferedReader:
    if path not in _COPIES:
        if str(path) == "-" and sys.stdin is None:
            raise Refusal("There is no standard input to read.", "Name a file, or send something in.")
        source = os.fdopen(os.dup(sys.stdin.fileno()), "rb") if str(path) == "-" else path.open("rb")
        if stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            return source
        with source:
            _COPIES[path] = copied(source)
    _COPIES[path].seek(0)
    return os.fdopen(os.dup(_COPIES[path].fileno()), "rb")


def copied(source: BinaryIO) -> IO[bytes]:
    """A Refusal beyond what any file may hold: a stream may have no end."""
    copy = TemporaryFile()  # noqa: SIM115 - It is read again until the command ends.
    while block := source.read(BLOCK):
        copy.write(block)
        if copy.tell() > MOST_BYTES:
            raise Refusal(f"There are more than {MOST_BYTES >> 30} GiB to read.", "Give less of it.")
    return copy


_COPIES: Final[dict[Path, IO[bytes]]] = {}
"""What can be read only once, and is read again for its hash, or with more care."""


def sha256_of(path: Path) -> str:
    """Of the file's bytes as they are, packed or not."""
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def listed(text: str) -> list[str]:
    """What an option lists with commas between; those in brackets part nothing."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]


def one_form(*, as_json: bool, as_csv: bool, beyond_csv: Mapping[str, bool]) -> None:
    """`beyond_csv`: options whose answer has no place in the table, and whether they were given."""
    if as_json and as_csv:
        raise Refusal("--json and --csv can't both be had.", "Choose one of them.")
    if as_csv and any(beyond_csv.values()):
        option = next(option for option, is_given in beyond_csv.items() if is_given)
        raise Refusal(f"--csv has no place for {option}.", "Take --json, which holds everything, or leave one out.")


def print_csv(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """None is an empty cell; a number is written in full. Only a terminal is kept from signs that would move it."""
    with answering():
        for batch in write_csv(heading, rows):
            text = batch.decode()
            sys.stdout.write("\n".join(map(printable, text.splitlines())) + "\n" if sys.stdout.isatty() else text)
