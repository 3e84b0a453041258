"""Qrels and runs from plain files: plainly where that goes, and carefully where it does not."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

from app.cli.files import opened
from app.cli.refusal import Refusal
from app.formats.errors import FormatError, quoted
from app.formats.qrels import read_qrels
from app.formats.rows import NotPlain, QrelsRows, RunRows, careful_qrels, careful_run, plain_qrels, plain_run
from app.measures.conventions import Convention, Gain, Ties
from app.measures.gains import gain_of
from app.measures.judged import Judged
from app.measures.matching import Matched, Ranking, Rows, match
from app.measures.undefined import MeasureError
from app.measures.worth import reads_gain

Read = TypeVar("Read")
Found = TypeVar("Found")


def read_judged(path: Path, encoding: str, conventions: Iterable[Convention]) -> tuple[Judged, int]:
    """The judgments, and how many lines said again what an earlier one had said. FormatError, with its line, for a
    grade to which one of the conventions gives no gain.
    """

    def judged(rows: QrelsRows) -> tuple[Judged, int]:
        found = Judged(*rows[:6])
        found.refuse_repeats()
        return found, rows.repeated

    found, repeated = _read(path, encoding, plain_qrels, careful_qrels, judged)
    for convention in filter(reads_gain, conventions):
        try:
            found.gains(convention.gain)
        except MeasureError:
            refuse_grade(path, encoding, convention.gain)
            raise
    return found, repeated


def refuse_grade(path: Path, encoding: str, gain: Gain) -> None:
    """FormatError for the first grade in the file that the gain can't express."""
    with opened(path) as stream:
        for judgment in read_qrels(stream, str(path), encoding=encoding, has_fractions=True):
            try:
                gain_of(judgment.grade, gain)
            except MeasureError as error:
                reason = f"document {quoted(judgment.docno)} of query {quoted(judgment.qid)}: {error}".rstrip(".")
                way_out = "Correct it, or choose another --gain."
                raise FormatError(str(path), judgment.line, reason, None, way_out) from None


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


def read_rankings(path: Path, encoding: str) -> tuple[dict[str, Ranking], str]:
    """The whole run by qid, and its tag."""

    def rankings(pieces: Iterator[RunRows]) -> tuple[dict[str, Ranking], str]:
        found: dict[str, Ranking] = {}
        tag = ""
        for piece in pieces:
            for i, qid in enumerate(piece.qids):
                found[qid] = _ranking(piece, i)
                if len(set(found[qid][0])) < len(found[qid][0]):
                    raise NotPlain
            tag = piece.tag
        return found, tag

    return _read(path, encoding, plain_run, careful_run, rankings)


def read_ranking(path: Path, encoding: str, qid: str) -> Ranking | None:
    """One query's documents and scores as they stand in the run; None where it does not hold the query."""

    def ranking(pieces: Iterator[RunRows]) -> Ranking | None:
        found = None
        for piece in pieces:  # To the end: a query that comes back can't be read plainly.
            if qid in piece.qids:
                found = _ranking(piece, piece.qids.index(qid))
        return found

    return _read(path, encoding, plain_run, careful_run, ranking)


def names_of(paths: Sequence[Path], tags: Sequence[str]) -> list[str]:
    """Each run's tag, or its path where that name is another's too. A Refusal where one file is named twice."""
    for path, times in Counter(path.resolve() for path in paths).items():
        if times > 1:
            raise Refusal(f"The run {path.name} is named twice.", "Name each run once.")
    called = {str(path) for path in paths}
    names = [str(path) if tag in called else tag for path, tag in zip(paths, tags, strict=True)]
    while len(set(names)) < len(names):  # A path may be what another run is called.
        bearers = Counter(names)
        names = [str(path) if bearers[name] > 1 else name for path, name in zip(paths, names, strict=True)]
    return names


def _ranking(piece: RunRows, i: int) -> tuple[list[str], list[float]]:
    own = slice(int(piece.start[i]), int(piece.start[i + 1]))
    places = zip(piece.at[own].tolist(), piece.width[own].tolist(), strict=True)
    return [piece.text[at : at + width].decode() for at, width in places], piece.score[own].tolist()


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
