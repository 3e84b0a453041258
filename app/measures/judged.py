"""Judgments as arrays, and where in them a document stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.measures import core
from app.measures.conventions import Discount, Gain
from app.measures.gains import discounts, gain_of
from app.measures.kappa import reals
from app.measures.ranking import as_bytes
from app.measures.undefined import MeasureError

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Judgments = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Judged:
    """Judged queries in their order: those of query q are the judgments start[q] to start[q + 1].

    The document of judgment j is text[at[j] : at[j] + width[j]], and its grade is grade[j], which is finite. No
    document is judged twice for a query.
    """

    qids: Sequence[str]
    start: Places
    text: bytes
    at: Places
    width: Places
    grade: Numbers
    _gains: dict[Gain, Numbers] = field(default_factory=dict, init=False, repr=False)
    _ideals: dict[tuple[Gain, Discount, int | None], Numbers] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        faulty = np.flatnonzero(~np.isfinite(self.grade))
        if len(faulty):
            raise MeasureError(f"{self.name(faulty[0])}: Grade {self.grade[faulty[0]]} is not a finite number.")

    @classmethod
    def of(cls, qrels: Mapping[str, Judgments]) -> "Judged":
        ids = [[as_bytes(docno) for docno in judgments] for judgments in qrels.values()]
        width = np.array([len(docno) for own in ids for docno in own], dtype=np.int64)
        return cls(
            qids=tuple(qrels),
            start=starts(map(len, ids)),
            text=b"".join(docno for own in ids for docno in own),
            at=np.cumsum(width) - width,
            width=width,
            grade=reals("Grades", [grade for judgments in qrels.values() for grade in judgments.values()]),
        )

    @cached_property
    def number(self) -> dict[str, int]:
        """Each qid's place."""
        return {qid: q for q, qid in enumerate(self.qids)}

    @cached_property
    def query(self) -> Places:
        """The query of each judgment."""
        return np.repeat(np.arange(len(self.qids)), np.diff(self.start))

    @cached_property
    def by_grade(self) -> Places:
        """The judgments by query, the highest grade first."""
        return np.lexsort((-self.grade, self.query))

    @cached_property
    def tables(self) -> core.Tables:
        """For the compiled core, where there is one."""
        assert core.CORE is not None
        tables = core.Tables(core.CORE, self.text, self.at, self.width, self.start)
        if tables.repeated >= 0:
            raise MeasureError(f"{self.name(tables.repeated)} is judged twice.")
        return tables

    def refuse_repeats(self) -> None:
        """MeasureError where a document is judged twice for a query, which nothing else here looks for."""
        if core.CORE is not None:
            _ = self.tables
            return
        for q in range(len(self.qids)):
            docnos = self.docnos(q)
            if len(set(docnos)) < len(docnos):
                later = next(at for at, docno in enumerate(docnos) if docno in docnos[:at])
                raise MeasureError(f"{self.name(int(self.start[q]) + later)} is judged twice.")

    def docno(self, judgment: int) -> bytes:
        return self.text[self.at[judgment] : self.at[judgment] + self.width[judgment]]

    def docnos(self, q: int) -> list[bytes]:
        return [self.docno(judgment) for judgment in range(self.start[q], self.start[q + 1])]

    def grades(self, qid: str) -> dict[str, float]:
        """A judged query's grades by docno."""
        q = self.number[qid]
        docnos = [docno.decode(errors="surrogateescape") for docno in self.docnos(q)]
        return dict(zip(docnos, map(_whole, self.grade[self.start[q] : self.start[q + 1]].tolist()), strict=True))

    def qrels(self) -> dict[str, dict[str, float]]:
        """All grades, by qid and docno."""
        return {qid: self.grades(qid) for qid in self.qids}

    def name(self, judgment: int) -> str:
        """The judgment's query and document, as a message begins."""
        q = int(np.searchsorted(self.start, judgment, side="right")) - 1
        return f"{of_query(self.qids[q])}Document {self.docno(judgment).decode(errors='surrogateescape')}"

    def gains(self, gain: Gain) -> Numbers:
        """The worth of each judgment. MeasureError names the first that the gain can't express."""
        if gain not in self._gains:
            levels, level = np.unique(self.grade, return_inverse=True)
            self._gains[gain] = np.array([self._gain_of(grade, gain) for grade in levels])[level]
        return self._gains[gain]

    def ideal(self, gain: Gain, discount: Discount, k: int | None) -> Numbers:
        """The DCG of each query's best list, over all that was judged for it."""
        key = (gain, discount, k)
        if key not in self._ideals:
            rank = np.arange(len(self.grade)) - self.start[self.query] + 1
            self._ideals[key] = discounted(
                self.query, rank, self.gains(gain)[self.by_grade], len(self.qids), discount, k
            )
        return self._ideals[key]

    def _gain_of(self, grade: float, gain: Gain) -> float:
        try:
            return gain_of(_whole(grade), gain)
        except MeasureError as error:
            judgment = int(np.flatnonzero(self.grade == grade)[0])
            raise MeasureError(f"{self.name(judgment)}: {error}") from error


def discounted(query: Places, rank: Places, gain: Numbers, queries: int, discount: Discount, k: int | None) -> Numbers:
    """DCG@k of each of `queries`, from gains that stand at ranks, in the order of the ranks."""
    counted = rank <= (k or len(rank))
    weight = np.array(discounts(int(rank.max(initial=0, where=counted)), discount))
    worth = gain[counted] * weight[rank[counted] - 1]
    return np.bincount(query[counted], worth, minlength=queries).astype(np.float64)


def starts(sizes: Iterable[int]) -> Places:
    """Where each of some things of these sizes begins, and where the last one ends."""
    return np.cumsum([0, *sizes])


def of_query(qid: str) -> str:
    """How a message about a query begins; a query that stands alone has no id to name."""
    return f"Query {qid}: " if qid else ""


def _whole(grade: float) -> float:
    """A grade as people write it: 9 and not 9.0."""
    return int(grade) if float(grade).is_integer() else float(grade)
