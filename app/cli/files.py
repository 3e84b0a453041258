"""What the commands on plain files share: their arguments and options, reading, and faults told with file and line."""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Annotated

import typer

from app.cli.calls import Refusal
from app.formats.csvout import write_csv

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
    """The file's bytes; a Refusal where it can't be read."""
    try:
        with path.open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise Refusal(f"There is no file {path}.", "Check its name.") from None
    except OSError as error:
        raise Refusal(f"{path} can't be read: {error.strerror}.", "Check its name and who may read it.") from None


def sha256_of(path: Path) -> str:
    """Of the file's bytes as they are, packed or not."""
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def listed(text: str) -> list[str]:
    """What an option lists with commas between."""
    return [part.strip() for part in text.split(",") if part.strip()]


def one_form(*, as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise Refusal("--json and --csv can't both be had.", "Choose one of them.")


def print_csv(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """None is an empty cell; a number is written in full."""
    for batch in write_csv(heading, rows):
        sys.stdout.write(batch.decode())
