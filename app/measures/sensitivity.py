"""How far one grade can move a score: the regrading of a single document that changes it most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.measures.conventions import Convention
from app.measures.judged import Judgments
from app.measures.trials import Trials
from app.measures.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Regrading:
    """A document's grade as it is (None: not judged) and as it would be, and by how much the value changes."""

    docno: str
    grade: float | None
    regraded: float
    change: float


def sensitivity(
    docnos: Sequence[str], scores: ArrayLike, judgments: Judgments, convention: Convention, *, levels: Sequence[float]
) -> Regrading | Undefined:
    """Over every document that is judged or stands within the cut-off, and every other level; the ideal moves along.

    Of equal changes the document that stands first in the judgments, then in the ranking. Undefined where the query has
    no value as it is, or no regrading has one.
    """
    trials = Trials(docnos, scores, judgments, convention, levels)
    now = trials.value(trials.grades)
    if isinstance(now, Undefined):
        return now
    place, level = (column.ravel() for column in np.indices((len(trials.grades), len(levels))))
    regraded = np.array(levels, dtype=np.float64)[level]
    gradings = np.tile(trials.grades, (len(place), 1))
    gradings[np.arange(len(place)), place] = regraded
    change = np.where(regraded == trials.grades[place], np.nan, trials.values(gradings) - now)
    if np.isnan(change).all():
        return Undefined("no regrading of one document gives the query a value")
    most = int(np.nanargmax(np.abs(change)))
    docno = trials.docnos[place[most]]
    return Regrading(docno, judgments.get(docno), float(regraded[most]), float(change[most]))
