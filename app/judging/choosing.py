"""Which queries of a pool a round takes."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.corpora.queries import same_questions
from app.errors import FieldError, RuleError
from app.judging.lots import lot
from app.judging.models import Deal, Round
from app.measures.policies import Policy, over
from app.pools.models import Pair, Pool, PoolPair
from app.projects.models import Project
from app.projects.queries import MACHINES
from app.rubrics.models import Rubric

IS_PLACEHOLDER = or_(Document.is_placeholder, Query.text == "")
POOLED = (
    select(Pair.id, Query.qid, Query.id, Document.docno, IS_PLACEHOLDER, Query.slice)
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .where(Pair.project_id == bindparam("project"))
)
"""Rows of PooledPair."""
AGREEMENT_QUERIES = 33
"""The gate wants thirty; a few more allow for queries that fall out."""


@dataclass(frozen=True)
class PooledPair:
    """A pair of a pool, as dealing looks at it."""

    id: str
    qid: str
    query_id: str
    docno: str
    is_placeholder: bool
    """Whether the text of query or document is missing, so that nobody can judge it."""
    slice: str = ""
    """The query's."""


Pooled = dict[str, list[PooledPair]]
"""The pairs of each query, by qid."""


def pairs_of(session: Session, pool: Pool) -> Pooled:
    """The pool's pairs by qid, queries and pairs in the order of their outside ids."""
    is_in = and_(PoolPair.project_id == Pair.project_id, PoolPair.pair_id == Pair.id, PoolPair.pool_id == pool.id)
    rows = session.execute(
        POOLED.join(PoolPair, is_in).order_by(Query.qid, Document.docno), {"project": pool.project_id}
    )
    return by_query(PooledPair(*row) for row in rows)


def by_query(pairs: Iterable[PooledPair]) -> Pooled:
    """In their order."""
    pooled: Pooled = {}
    for pair in pairs:
        pooled.setdefault(pair.qid, []).append(pair)
    return pooled


def sizes(pooled: Pooled) -> dict[str, int]:
    return {qid: len(pairs) for qid, pairs in pooled.items()}


@dataclass(frozen=True)
class Outlook:
    """What a pool still holds for rounds under the newest rubric."""

    queries: int
    pairs: int
    fresh: int
    """Queries that an agreement round may take."""
    fresh_pairs: int
    left: int
    """Queries that a main round would take."""
    dealt: int
    """Queries that rounds of the rubric's family hold."""
    chosen: Policy
    """The project's."""
    placeholders: int
    """Pairs that can't be judged, since the text of the query or of the document is missing."""

    def policy_after(self, queries: int = 0) -> Policy:
        """What the gate is asked by when so many queries more are dealt."""
        return over(self.chosen, self.dealt + queries)

    @property
    def needed(self) -> int:
        """Queries of an agreement round that has as many queries, and as many pairs, as the project's policy asks for,
        if they have as many pairs as the fresh ones have on average.
        """
        policy = self.policy_after()
        by_pairs = math.ceil(policy.min_pairs * self.fresh / self.fresh_pairs) if self.fresh else 0
        return max(policy.min_queries, by_pairs)

    @property
    def rounds(self) -> int:
        """For how many such rounds the fresh ones suffice."""
        return self.fresh // self.needed

    @property
    def pairs_a_query(self) -> int:
        """About how many; 0 for an empty pool."""
        return round(self.pairs / self.queries) if self.queries else 0


def outlook(session: Session, rubric: Rubric, pool: Pool) -> Outlook:
    rows = session.execute(
        select(Query.qid, func.count(), func.sum(case((IS_PLACEHOLDER, 1), else_=0)))
        .select_from(PoolPair)
        .join(Pair, and_(Pair.project_id == PoolPair.project_id, Pair.id == PoolPair.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(PoolPair.project_id == pool.project_id, PoolPair.pool_id == pool.id)
        .group_by(Query.qid)
    ).all()
    qids = [qid for qid, _, _ in rows]
    dealt = dealt_queries(session, rubric)
    stale = stale_queries(session, rubric, dealt)
    fresh = [pairs for qid, pairs, _ in rows if qid not in stale]
    return Outlook(
        queries=len(qids),
        pairs=sum(pairs for _, pairs, _ in rows),
        fresh=len(fresh),
        fresh_pairs=sum(fresh),
        left=sum(qid not in dealt for qid in qids),
        placeholders=sum(missing for _, _, missing in rows),
        dealt=len(dealt),
        chosen=session.get_one(Project, rubric.project_id).gate_policy,
    )


def fresh_queries(session: Session, rubric: Rubric, qids: Iterable[str]) -> list[str]:
    """Queries that can still test the rubric."""
    stale = stale_queries(session, rubric, dealt_queries(session, rubric))
    return [qid for qid in qids if qid not in stale]


def stale_queries(session: Session, rubric: Rubric, dealt: set[str]) -> set[str]:
    """qids `dealt` in some round of the rubric's family, or judged twice here under an earlier one, since that is what
    the next rubric was mended on; and others under which the same is asked.
    """
    firsts = same_questions(session, rubric.project_id)
    used = {firsts[qid] for qid in dealt | twice_dealt(session, rubric.project_id)}
    return {qid for qid, first in firsts.items() if first in used}


def remaining(session: Session, rubric: Rubric, pooled: Pooled) -> Pooled:
    """What no round of the family has had; RuleError where that is nothing."""
    dealt = dealt_queries(session, rubric)
    left = {qid: pairs for qid, pairs in pooled.items() if qid not in dealt}
    if not left:
        raise RuleError(
            "Every query of this pool was dealt already under this rubric, or came in with grades.",
            "Look at its rounds, draw a pool with further queries, or publish the next rubric and judge them whole.",
            conditions=["queries"],
        )
    return left


def dealt_queries(session: Session, rubric: Rubric) -> set[str]:
    """qids that some round of the rubric's family holds, but for what only programs were given."""
    return set(
        session.scalars(
            select(Query.qid)
            .join(Deal, and_(Deal.project_id == Query.project_id, Deal.query_id == Query.id))
            .join(Round, and_(Round.project_id == Deal.project_id, Round.id == Deal.round_id))
            .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
            .where(Query.project_id == rubric.project_id, Rubric.family == rubric.family, Deal.purpose == "judging")
            .where(or_(Deal.labeller_id.is_(None), Deal.labeller_id.not_in(MACHINES))),
            {"project": rubric.project_id},
        )
    )


def twice_dealt(session: Session, project_id: str) -> set[str]:
    """qids that two labellers were given here, under whatever rubric."""
    return set(
        session.scalars(
            select(Query.qid)
            .join(Deal, and_(Deal.project_id == Query.project_id, Deal.query_id == Query.id))
            .join(Round, and_(Round.project_id == Deal.project_id, Round.id == Deal.round_id))
            .where(Query.project_id == project_id, Round.kind != "imported", Deal.seat == 2, Deal.purpose == "judging")
        )
    )


def choose(pooled: Pooled, fresh: Sequence[str], queries: int | Sequence[str] | None, *, seed: int) -> Pooled:
    """The queries of an agreement round."""
    if queries is None or isinstance(queries, int):
        chosen = draw_queries(fresh, AGREEMENT_QUERIES if queries is None else queries, seed=seed)
    else:
        chosen = check_queries(pooled, fresh, queries)
    return {qid: pooled[qid] for qid in chosen}


def draw_queries(fresh: Sequence[str], number: int, *, seed: int) -> list[str]:
    """`number` of `fresh` by lot; all of them where there are fewer."""
    if number < 1:
        raise FieldError("queries", "An agreement round has at least one query.", "Thirty or more give evidence.")
    if not fresh:
        raise RuleError(
            "This pool has no fresh query left: all were dealt under this rubric, or judged twice before.",
            "Import more queries and draw a new pool.",
            conditions=["queries"],
        )
    return sorted(fresh, key=lambda qid: lot(seed, "query", qid))[:number]


def read_qids(session: Session, project: Project, text: str) -> list[str]:
    """The ids in a text that somebody typed, parted by blanks, line ends, commas or semicolons. One that holds a comma
    itself is left whole where the project knows it so.
    """
    known = set(session.scalars(select(Query.qid).where(Query.project_id == project.id)))
    words = [[word] if word in known else re.split("[,;]", word) for word in text.split()]
    return [qid for parts in words for qid in parts if qid]


def check_queries(pooled: Pooled, fresh: Sequence[str], qids: Sequence[str]) -> list[str]:
    chosen = list(dict.fromkeys(qids))
    if not chosen:
        raise FieldError("queries", "No query is chosen.", "Choose queries, or a number to be drawn.")
    refuse_chosen([qid for qid in chosen if qid not in pooled], "not in this pool")
    still = set(fresh)
    refuse_chosen(
        [qid for qid in chosen if qid not in still],
        "not fresh any more: dealt, or judged twice, before, under this id or another",
    )
    return chosen


def refuse_chosen(qids: Sequence[str], why: str) -> None:
    if qids:
        named = ", ".join(qids[:10]) + (" …" if len(qids) > 10 else "")
        raise FieldError("queries", f"Chosen, but {why}: {named}.", "Take them out, or let the queries be drawn.")


def draw_overlap(pooled: Pooled, overlap: float, *, seed: int) -> list[str]:
    """Queries that a second labeller judges too, drawn within slices: the share of `overlap` of each, as near as whole
    queries come, and at least one of all where it is not 0.
    """
    slices = by_slice(pooled)
    number = max(1, round(overlap * len(pooled))) if overlap > 0 else 0
    shares = part_out(number, {name: len(qids) for name, qids in slices.items()}, seed=seed)
    return [
        qid
        for name, qids in slices.items()
        for qid in sorted(qids, key=lambda qid: lot(seed, "overlap", qid))[: shares[name]]
    ]


def by_slice(pooled: Pooled) -> dict[str, list[str]]:
    """qids by slice; those without one are a slice of their own."""
    slices: dict[str, list[str]] = {}
    for qid, pairs in pooled.items():
        slices.setdefault(pairs[0].slice, []).append(qid)
    return dict(sorted(slices.items()))


def part_out(number: int, sizes: Mapping[str, int], *, seed: int) -> dict[str, int]:
    """`number` parted among slices by size: whole parts first, then the largest remainders, equal ones by lot."""
    total = sum(sizes.values())
    shares = {name: number * size // total for name, size in sizes.items()}
    rest = sorted(sizes, key=lambda name: (-(number * sizes[name] % total), lot(seed, "slice", name)))
    for name in rest[: number - sum(shares.values())]:
        shares[name] += 1
    return shares
