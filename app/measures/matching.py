"""A run laid beside the judgments: which judged documents it holds, and at which ranks.

One matching serves every measure. It is the work of a compiled core where there is one (tools/core.py makes it), and of
Python and numpy where there is none; both answer the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures import core
from app.measures.conventions import Ties
from app.measures.judged import Judged, Numbers, Places, of_query, starts
from app.measures.kappa import reals
from app.measures.ranking import as_bytes, comparable, order, tied
from app.measures.undefined import MeasureError
from app.words import plural

Ranking = tuple[Sequence[str], ArrayLike]


class Rows(NamedTuple):
    """Whole rankings: that of qids[i] has the rows start[i] to start[i + 1], in any order.

    Row r is the document text[at[r] : at[r] + width[r]] with its score.
    """

    qids: Sequence[str]
    start: Places
    text: bytes
    at: NDArray[np.uint32]
    width: NDArray[np.uint32]
    score: Numbers


@dataclass(frozen=True, eq=False)
class Matched:
    """What a run holds of what was judged: arrays over the documents found, by query and then by rank.

    `judgment` is the document's place in the judgments, -1 where it has none; `first` and `size` are the first rank and
    the size of the group of equal scores that it stands in. Over the judged queries: `is_held`, whether the run holds
    the query, and `returned`, how many documents it gave. `elsewhere` counts the run's queries that nobody judged.
    """

    judged: Judged
    ties: Ties
    is_held: NDArray[np.bool_]
    returned: Places
    elsewhere: int
    query: Places
    judgment: Places
    rank: Places
    first: Places
    size: Places


def match(judged: Judged, pieces: Iterable[Rows], ties: Ties) -> Matched:
    """The whole run, in pieces of whole rankings. MeasureError where a document stands in a ranking twice, where a
    score is no number, and where run and judgments have no query in common.
    """
    find = _find_in_python if core.CORE is None else _find_in_core
    is_held = np.zeros(len(judged.qids), dtype=np.bool_)
    returned = np.zeros(len(judged.qids), dtype=np.int64)
    elsewhere = 0
    found: list[_Found] = []
    for rows in pieces:
        code = np.array([judged.number.get(qid, -1) for qid in rows.qids], dtype=np.int64)
        comparable(rows.score, ties)
        found.append(find(judged, rows, code, ties))
        own = code[code >= 0]
        is_held[own] = True
        returned[own] = np.diff(rows.start)[code >= 0]
        elsewhere += len(code) - len(own)
    if not is_held.any():
        raise MeasureError("The run and the qrels have no query in common: are their query ids written the same way?")
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    by_query = np.argsort(columns[0], kind="stable")
    return Matched(judged, ties, is_held, returned, elsewhere, *(column[by_query] for column in columns))


def match_lists(judged: Judged, rankings: Mapping[str, Ranking], ties: Ties) -> Matched:
    """As `match`, from docnos and scores by qid."""
    return match(judged, _rows(rankings), ties)


def lay_out(judged: Judged, docnos: Sequence[str], scores: ArrayLike, ties: Ties, *, is_held: bool = True) -> Matched:
    """The ranking of the only query that was judged, whole: with the documents that nobody judged."""
    rows = next(_rows({judged.qids[0]: (docnos, scores)}))
    comparable(rows.score, ties)
    ids = _ids(rows, 0)
    _refuse_repeats(judged.qids[0], ids)
    places = _places(judged, 0, ids, rows.score, ties, is_whole=True)
    found = _found((0, *place) for place in places)
    return Matched(judged, ties, np.array([is_held]), np.array([len(ids)]), 0, *found)


def _rows(rankings: Mapping[str, Ranking]) -> Iterator[Rows]:
    for qid, (docnos, scores) in rankings.items():
        ids = [as_bytes(docno) for docno in docnos]
        score = reals("Scores", scores)
        if len(score) != len(ids):
            raise MeasureError(f"A ranking of {plural(len(ids), 'document')} came with {plural(len(score), 'score')}.")
        width = np.array([len(docno) for docno in ids], dtype=np.uint32)
        at = (np.cumsum(width) - width).astype(np.uint32)
        yield Rows((qid,), starts([len(ids)]), b"".join(ids), at, width, score)


class _Found(NamedTuple):
    query: Places
    judgment: Places
    rank: Places
    first: Places
    size: Places


def _find_in_python(judged: Judged, rows: Rows, code: Places, ties: Ties) -> _Found:
    found: list[tuple[int, int, int, int, int]] = []
    for i, q in enumerate(code.tolist()):
        ids = _ids(rows, i)
        _refuse_repeats(rows.qids[i], ids)
        if q >= 0:
            scores = rows.score[rows.start[i] : rows.start[i + 1]]
            found += [(q, *place) for place in _places(judged, q, ids, scores, ties)]
    return _found(found)


def _found(rows: Iterable[tuple[int, int, int, int, int]]) -> _Found:
    return _Found(*np.array(list(rows), dtype=np.int64).reshape(-1, 5).T)


def _ids(rows: Rows, i: int) -> list[bytes]:
    """The documents of a ranking."""
    own = slice(rows.start[i], rows.start[i + 1])
    ends = (rows.at[own] + rows.width[own]).tolist()
    return [rows.text[at:end] for at, end in zip(rows.at[own].tolist(), ends, strict=True)]


def _places(
    judged: Judged, q: int, ids: Sequence[bytes], scores: Numbers, ties: Ties, *, is_whole: bool = False
) -> Iterator[tuple[int, int, int, int]]:
    """Judgment, rank, and first rank and size of the group of equal scores, of each judged document or of all."""
    judgment = dict(zip(judged.docnos(q), range(judged.start[q], judged.start[q + 1]), strict=True))
    places = order(ids, scores, ties)
    groups = tied(comparable(scores, ties)[places])
    group = {at: (start + 1, stop - start) for start, stop in groups for at in range(start, stop)}
    for at, place in enumerate(places.tolist()):
        if is_whole or ids[place] in judgment:
            yield judgment.get(ids[place], -1), at + 1, *group.get(at, (at + 1, 1))


def _refuse_repeats(qid: str, ids: Sequence[bytes]) -> None:
    if len(set(ids)) < len(ids):
        seen: set[bytes] = set()
        repeated = next(docno for docno in ids if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
        raise _repeated(qid, repeated)


def _repeated(qid: str, docno: bytes) -> MeasureError:
    return MeasureError(
        f"{of_query(qid)}Document {docno.decode(errors='surrogateescape')} stands in the ranking twice."
    )


def _find_in_core(judged: Judged, rows: Rows, code: Places, ties: Ties) -> _Found:
    most = np.minimum(np.diff(rows.start), np.where(code >= 0, np.diff(judged.start)[code], 0))
    found = core.Found(len(code), int(most.sum()))
    repeated = judged.tables.find(rows.text, rows.at, rows.width, rows.score, rows.start, code, _RULES[ties], found)
    if repeated >= 0:
        i = int(np.searchsorted(rows.start, repeated, side="right")) - 1
        raise _repeated(rows.qids[i], rows.text[rows.at[repeated] : rows.at[repeated] + rows.width[repeated]])
    query = np.repeat(code, np.diff(found.ends, prepend=0))
    return _Found(query, *(column[: len(query)] for column in found.columns))


_RULES: Final[Mapping[Ties, int]] = MappingProxyType(
    {
        "docno": core.BY_DOCNO,
        "average": core.BY_DOCNO,
        "optimistic": core.BY_DOCNO,
        "docno32": core.BY_DOCNO_32_BITS,
        "position": core.BY_POSITION,
    }
)
