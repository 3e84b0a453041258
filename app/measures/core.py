"""The compiled core of matching, where this machine has made one: tools/core.py does, from _matching.c beside this."""

import ctypes
import os
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.compiled import load, places_of

BY_DOCNO: Final = 0
BY_DOCNO_32_BITS: Final = 1
BY_POSITION: Final = 2
_NO_MEMORY: Final = -2

CORE: Final = load(Path(__file__).with_name("_matching.c"), "size_tables", "fill_tables", "match")


class Found:
    """Room for what is found in so many rankings: at most so many documents.

    `columns` are the judgment, the rank, and the first rank and size of the group of equal scores; ends[i] is how many
    were found up to and with ranking i.
    """

    def __init__(self, rankings: int, most: int) -> None:
        self.columns = np.empty((4, most), dtype=np.int64)
        self.ends = np.zeros(rankings, dtype=np.int64)


class Tables:
    """Judgments in hash tables, one for each query; `repeated` is one whose document is judged twice, or -1.

    The hashes' seed is drawn anew, so that no file can be made whose docnos all fall into one place.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        text: bytes,
        at: NDArray[np.int64],
        width: NDArray[np.int64],
        first: NDArray[np.int64],
    ) -> None:
        self.library = library
        self.seed = ctypes.c_uint64(int.from_bytes(os.urandom(8), "little"))
        self.judgments = (text, *places_of(at, width))
        self.kept = (at, width)  # The addresses hold for as long as the arrays are kept.
        queries = ctypes.c_int64(len(first) - 1)
        self.start = np.empty(len(first), dtype=np.int64)
        size = library.size_tables(queries, *places_of(first, self.start))
        self.table = np.zeros(size, dtype=np.uint32)
        self.repeated = int(
            library.fill_tables(*self.judgments, queries, *places_of(first, self.start, self.table), self.seed)
        )

    def find(
        self,
        text: bytes,
        at: NDArray[np.uint32],
        width: NDArray[np.uint32],
        score: NDArray[np.float64],
        start: NDArray[np.int64],
        code: NDArray[np.int64],
        rule: int,
        found: Found,
    ) -> int:
        """Fills `found`; answers the row of a document that stands in its ranking for the second time, or -1."""
        answer = self.library.match(
            text,
            *places_of(at, width, score),
            ctypes.c_int64(len(code)),
            *places_of(start, code),
            *self.judgments,
            *places_of(self.start, self.table),
            self.seed,
            rule,
            *places_of(*found.columns, found.ends),
        )
        if answer == _NO_MEMORY:
            raise MemoryError
        return int(answer)
