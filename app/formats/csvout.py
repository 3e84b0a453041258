"""CSV as Adjudge writes it: exact for machines, or made harmless for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

ROWS_A_BATCH = 2000
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, for_spreadsheets: bool = False
) -> Iterator[bytes]:
    """UTF-8 with line feeds, a heading first, in batches of bytes; None is an empty cell.

    `for_spreadsheets` puts an apostrophe before a text that a spreadsheet would take for a formula (it begins with
    = + - @ tab or return; numbers stay numbers), and a byte order mark before all, without which Excel misreads
    letters. Such a file is for reading, not for importing.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if for_spreadsheets:
        text.write("\ufeff")
    writer.writerow(_cells(columns, for_spreadsheets))
    for number, row in enumerate(rows, 1):
        writer.writerow(_cells(row, for_spreadsheets))
        if number % ROWS_A_BATCH == 0:
            yield _emptied(text)
    yield _emptied(text)


def _cells(row: Sequence[object], for_spreadsheets: bool) -> list[object]:  # noqa: FBT001  # As the public one has it.
    return [_harmless(cell) for cell in row] if for_spreadsheets else list(row)


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_A_FORMULA) else cell


def _emptied(text: io.StringIO) -> bytes:
    written = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return written
