"""One query scored under many gradings at once: what its value would be, had documents other grades."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.measures.conventions import Convention
from app.measures.gains import gain_of
from app.measures.judged import Judged, Judgments, Numbers
from app.measures.kappa import reals
from app.measures.matching import Matched, lay_out
from app.measures.ranking import order
from app.measures.scores import score
from app.measures.undefined import MeasureError, Undefined
from app.measures.worth import reads_gain


def refuse_levels(levels: Sequence[float], convention: Convention) -> None:
    """MeasureError where they are no scale, or the convention's gain can't express one of them."""
    if len(reals("Levels", levels)) < 2 or list(levels) != sorted(set(levels)):
        raise MeasureError("What could be judged needs the rubric's levels: two or more, in rising order.")
    if levels[0] < 0:
        raise MeasureError("What could be judged needs levels from 0 on: a grade below 0 is as good as none.")
    for level in levels if reads_gain(convention) else ():
        gain_of(level, convention.gain)


UNJUDGED = -1.0
"""A grade that gives no gain, is not relevant and is dropped from a condensed list: what no judgment does, too."""
MOST_GRADES = 2_000_000


class Trials:
    """A query's documents whose grades are tried: the judged ones, then those that were returned without a judgment.

    `grades` are as given, UNJUDGED for the latter, which are those within the cut-off, by rank. `levels` are the grades
    that can be tried, the rubric's.
    """

    def __init__(
        self,
        docnos: Sequence[str],
        scores: ArrayLike,
        judgments: Judgments,
        convention: Convention,
        levels: Sequence[float],
    ) -> None:
        refuse_levels(levels, convention)
        if convention.measure in ("judged", "RBP-residual"):
            raise MeasureError(f"{convention.measure} does not read grades, so that no grading can be tried on it.")
        self.convention = convention
        self.laid_out = lay_out(Judged.of({"": judgments}), docnos, scores, convention.ties)
        ranked = [docnos[place] for place in order(docnos, scores, convention.ties)]
        is_open = (self.laid_out.judgment < 0) & (self.laid_out.rank <= (convention.k or len(ranked)))
        self.open = np.flatnonzero(is_open)
        self.docnos = [*judgments, *(ranked[place] for place in self.open)]
        self.grades = np.array([*judgments.values(), *[UNJUDGED] * len(self.open)], dtype=np.float64)
        judgment = self.laid_out.judgment.copy()
        judgment[self.open] = len(judgments) + np.arange(len(self.open))
        self.kept = np.flatnonzero(judgment >= 0)
        self.judgment = judgment[self.kept]

    def values(self, gradings: Numbers) -> Numbers:
        """The value under each row of grades; NaN where it is undefined."""
        at_a_time = max(1, MOST_GRADES // max(1, gradings.shape[1]))
        parts = [self._values(gradings[at : at + at_a_time]) for at in range(0, len(gradings), at_a_time)]
        return np.concatenate(parts) if parts else np.empty(0)

    def value(self, grading: Numbers) -> float | Undefined:
        return score(self._matched(grading[np.newaxis]), self.convention).per_query["0"]

    def _values(self, gradings: Numbers) -> Numbers:
        scored = score(self._matched(gradings), self.convention).per_query.values()
        return np.array([np.nan if isinstance(value, Undefined) else value for value in scored])

    def _matched(self, gradings: Numbers) -> Matched:
        """Each grading as a query of its own, with the same ranking."""
        count, documents = gradings.shape
        nowhere = np.zeros(count * documents, dtype=np.int64)
        judged = Judged(
            qids=[str(at) for at in range(count)],
            start=np.arange(count + 1) * documents,
            text=b"",
            at=nowhere,
            width=nowhere,
            grade=gradings.ravel(),
        )
        trial = np.arange(count)

        def repeated(column: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.tile(column[self.kept], count)

        return replace(
            self.laid_out,
            judged=judged,
            is_held=np.ones(count, dtype=np.bool_),
            returned=np.repeat(self.laid_out.returned, count),
            query=np.repeat(trial, len(self.kept)),
            judgment=np.tile(self.judgment, count) + np.repeat(trial * documents, len(self.kept)),
            rank=repeated(self.laid_out.rank),
            first=repeated(self.laid_out.first),
            size=repeated(self.laid_out.size),
        )
