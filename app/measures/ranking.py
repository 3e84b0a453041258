"""The order of a ranking, from scores and a rule for ties."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.conventions import Ties
from app.measures.kappa import reals
from app.measures.undefined import MeasureError
from app.words import plural


def order(docnos: Sequence[str] | Sequence[bytes], scores: ArrayLike, ties: Ties) -> NDArray[np.intp]:
    """The permutation that puts a ranking in order: highest score first.

    Equal scores: by document id, descending by its bytes, for every rule but `position`, which keeps the given order.
    `docno32` compares scores as 32-bit numbers. `average` and `optimistic` deal with ties when scoring.
    """
    values = comparable(scores, ties)
    if len(values) != len(docnos):
        raise MeasureError(f"A ranking of {plural(len(docnos), 'document')} came with {plural(len(values), 'score')}.")
    by_score = np.argsort(-values, kind="stable")
    if ties == "position":
        return by_score
    for start, stop in tied(values[by_score]):
        by_score[start:stop] = sorted(by_score[start:stop], key=lambda at: as_bytes(docnos[at]), reverse=True)
    return by_score


def comparable(scores: ArrayLike, ties: Ties) -> NDArray[np.float64] | NDArray[np.float32]:
    """The scores as they are compared; scores that are no number have no place in an order and are refused."""
    values = reals("Scores", scores)
    if np.isnan(values).any():
        raise MeasureError("A score that is not a number (NaN) has no place in a ranking.")
    if ties != "docno32":
        return values
    with np.errstate(over="ignore"):  # Beyond the 32-bit range scores are infinite there too, and tie.
        return values.astype(np.float32)


def tied(ordered: NDArray[np.float64] | NDArray[np.float32]) -> list[tuple[int, int]]:
    """Where two or more equal values stand together: start and stop of each group."""
    edges = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), len(ordered)]
    return [(start, stop) for start, stop in pairwise(edges) if stop - start > 1]


def as_bytes(docno: str | bytes) -> bytes:
    """The id as it stood in its file: bytes that were not UTF-8 come back as they were."""
    return docno if isinstance(docno, bytes) else docno.encode("utf-8", "surrogateescape")
