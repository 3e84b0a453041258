"""Qrels and runs from plain files as arrays: plainly where that goes, and carefully where it does not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from app.cli.calls import Refusal
from app.cli.files import opened
from app.formats.rows import NotPlain, QrelsRows, RunRows, careful_qrels, careful_run, plain_qrels, plain_run
from app.measures.conventions import Ties
from app.measures.judged import Judged
from app.measures.matching import Matched, Rows, match
from app.measures.undefined import MeasureError

Read = TypeVar("Read")
Found = TypeVar("Found")


def read_judged(path: Path, encoding: str) -> Judged:
    def judged(rows: QrelsRows) -> Judged:
        found = Judged(*rows)
        found.refuse_repeats()
        return found

    return _read(path, encoding, plain_qrels, careful_qrels, judged)


def read_matched(path: Path, encoding: str, judged: Judged, ties: Ties) -> tuple[Matched, str]:
    """The run laid beside the judgments, and its tag; a piece of the run is in memory at a time."""
    tags: list[str] = []

    def rows(pieces: Iterator[RunRows]) -> Iterator[Rows]:
        for piece in pieces:
            tags.append(piece.tag)
            yield Rows(*piece[:6])

    try:
        matched = _read(path, encoding, plain_run, careful_run, lambda pieces: match(judged, rows(pieces), ties))
    except MeasureError as error:
        raise Refusal(f"{path}: {error}") from error
    return matched, tags[-1]


def read_ranking(path: Path, encoding: str, qid: str) -> tuple[list[str], list[float]]:
    """One query's documents and scores as they stand in the run; none where it does not hold the query."""

    def ranking(pieces: Iterator[RunRows]) -> tuple[list[str], list[float]]:
        piece = next((piece for piece in pieces if qid in piece.qids), None)
        if piece is None:
            return [], []
        i = piece.qids.index(qid)
        own = slice(int(piece.start[i]), int(piece.start[i + 1]))
        places = zip(piece.at[own].tolist(), piece.width[own].tolist(), strict=True)
        return [piece.text[at : at + width].decode() for at, width in places], piece.score[own].tolist()

    return _read(path, encoding, plain_run, careful_run, ranking)


def _read(
    path: Path,
    encoding: str,
    plain: Callable[[BinaryIO, str], Read],
    careful: Callable[..., Read],
    take: Callable[[Read], Found],
) -> Found:
    """What can't be read plainly, or looks wrong so, is read again with care, which copes or names the line."""
    if encoding == "utf-8":
        try:
            with opened(path) as stream:
                return take(plain(stream, str(path)))
        except (NotPlain, MeasureError):
            pass
    with opened(path) as stream:
        return take(careful(stream, str(path), encoding=encoding))
