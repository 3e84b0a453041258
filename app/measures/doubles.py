"""Pairs that two people graded, as arrays."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.measures.given import is_whole
from app.measures.kappa import Counts, distance, whole
from app.measures.undefined import MeasureError

MOST_LABELLERS: Final = 1_000_000


@dataclass(frozen=True, eq=False)
class Doubles:
    """Doubly judged pairs: every array is (n,), and one place in all of them is one pair and the couple that graded it.

    `query` and `pair` are any numbers from 0 on that tell them apart. `a` and `b` are below `labellers`; `level_a` and
    `level_b` are places on the rubric's scale of `levels`, 0 the lowest. A pair that three people graded stands in
    three places under one `pair`, so that its grades count once each; without `pair` each place is a pair of its own.
    """

    query: Counts
    a: Counts
    b: Counts
    level_a: Counts
    level_b: Counts
    levels: int
    labellers: int
    pair: Counts | None = None

    def __post_init__(self) -> None:
        for name in ("query", "a", "b", "level_a", "level_b", *(["pair"] if self.pair is not None else [])):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        sides = (self.query, self.a, self.b, self.level_a, self.level_b, self.pair)
        if len({len(side) for side in sides if side is not None}) > 1:
            raise MeasureError("Each doubly judged pair needs a query, two labellers and two levels.")
        distance(self.levels)
        if not (is_whole(self.labellers, 0) and self.labellers <= MOST_LABELLERS):
            raise MeasureError(f"There are 0 to {MOST_LABELLERS:,} labellers, not {self.labellers}.")
        for what, side, end in (
            ("level", self.level_a, self.levels),
            ("level", self.level_b, self.levels),
            ("labeller", self.a, self.labellers),
            ("labeller", self.b, self.labellers),
            ("query", self.query, np.inf),
            ("pair", self.pair, np.inf),
        ):
            _refuse_outside(what, side, end)
        if (self.a == self.b).any():
            raise MeasureError("A pair graded twice by one person shows nothing about agreement between people.")

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int, int, int]], *, levels: int, labellers: int) -> "Doubles":
        """From rows of pair, query, a, b, level_a, level_b."""
        table = whole("Rows", list(rows) or np.empty((0, 6)), dimensions=2)
        if table.shape[1] != 6:
            raise MeasureError(f"Rows must hold pair, query, a, b, level_a and level_b, not {table.shape[1]} numbers.")
        pair, query, a, b, level_a, level_b = np.ascontiguousarray(table.T)
        return cls(query, a, b, level_a, level_b, levels=levels, labellers=labellers, pair=pair)

    @property
    def pairs(self) -> int:
        """How many different pairs."""
        if self.pair is None:
            return len(self.query)
        ordered = np.sort(self.pair)  # np.unique would hash here, and take twenty times as long.
        return int(np.count_nonzero(np.diff(ordered))) + int(len(ordered) > 0)

    def once_each(self) -> Counts | slice:
        """Where, along the places of side a followed by those of side b, each grade stands for the first time.

        A grade stands there once for every other person who graded its pair; two different levels are refused, and so
        are two people who stand there twice with one pair.
        """
        if self.pair is None:
            return slice(None)
        _, pair = np.unique(self.pair, return_inverse=True)
        key = np.concatenate([pair, pair]) * self.labellers + np.concatenate([self.a, self.b])
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        level = np.concatenate([self.level_a, self.level_b])
        if (level != level[first][place]).any():
            raise MeasureError("A labeller has two different levels for one pair; only the newest grade counts.")
        lower, higher = np.minimum(self.a, self.b), np.maximum(self.a, self.b)
        couples = np.sort((pair * self.labellers + lower) * self.labellers + higher)
        if (couples[1:] == couples[:-1]).any():
            raise MeasureError("Two people stand twice with one pair; a grade of it counts once.")
        return first


def _refuse_outside(what: str, values: Counts | None, end: float) -> None:
    if values is None or not len(values):
        return
    lowest, highest = int(values.min()), int(values.max())
    if lowest < 0 or highest >= end:
        wrong = lowest if lowest < 0 else highest
        raise MeasureError(
            f"There is no {what} {wrong}: they run from 0{f' to {end - 1:.0f}' if end < np.inf else ''}."
        )
