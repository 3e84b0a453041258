"""Places at a query: filling a free one, and vacating one whose labeller does not go on.

How many people are asked about a pair is settled when a round opens, one assignment for each. Filling and vacating only
move assignments from one to another, so that no pair ever has a labeller more than was asked, whoever comes at once.
All of it happens under the round's lock.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, delete, func, insert, select, update
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import new_id, now
from app.judging.grading import require_open
from app.judging.lots import in_order_shown
from app.judging.models import IS_JUDGING, Assignment, Deal, Returned, Round
from app.judging.sealing import seals_of_deals, told_of_moved
from app.pools.models import Pair
from app.projects.models import Member
from app.record.keeping import record


def lock_places(session: Session, round_: Round) -> None:
    """Whoever fills or vacates places in the round does it one after the other. Grades go on meanwhile."""
    session.refresh(round_, with_for_update={"key_share": True})
    require_open(round_.closed_at)


def fill(session: Session, round_: Round, deal: Deal, member: Member, *, claimed_at: datetime | None = None) -> Deal:
    """Gives the pairs of a free deal to the member, in an order of their own and after all that they have; pairs of it
    that the member has in this round already stay free. The answer is the deal that holds them: one for each query.
    """
    free = free_pairs(session, deal, besides=member)
    is_returning = deal.query_id in queries_met(session, round_, member.id)
    own = deal_of(session, round_, deal.query_id, member)
    before = seals_of_deals(session, round_, [each.id for each in (deal, own) if each is not None])
    if own is None:
        own = deal if len(free) == count_free(session, deal) else another(session, deal)
        own.labeller_id, own.place = member.id, next_place(session, Deal, round_, member.id)
    own.claimed_at = claimed_at
    session.flush()
    place = next_place(session, Assignment, round_, member.id)
    comes = {"labeller_id": member.id, "deal_id": own.id, "stop": place, "is_returning": is_returning, "set_aside": 0}
    for at, pair in enumerate(in_order_shown(free, member.name, seed=round_.seed), place):
        session.execute(
            update(Assignment)
            .where(Assignment.project_id == round_.project_id, Assignment.id == pair.id)
            .values(place=at, **comes)
        )
    drop_empty(session, deal)
    moved = told_of_moved(before, seals_of_deals(session, round_, {deal.id, own.id}))
    taken = {"round": round_.id, "number": round_.number, "query": deal.query_id, "member": member.id}
    record(session, round_.project_id, "query taken", **taken, **moved, pairs=len(free))
    return own


def vacate(session: Session, deal: Deal, *, waits: bool = True) -> Deal | None:
    """Frees what the deal's labeller has not graded, as a deal of its own where something was; None where all is
    graded. Where it shall not wait for a grade under way, a deal with one is left alone.
    """
    round_ = session.get_one(Round, (deal.project_id, deal.round_id))
    if deal.purpose != "judging":
        drop_checks(session, round_, deal.labeller_id)
        return None
    left = ungraded(session, deal, waits=waits)
    if not left:
        return None
    before = seals_of_deals(session, round_, [deal.id])
    is_whole = session.scalar(of_deal(deal).where(Assignment.revision > 0)) == 0
    rest = deal if is_whole else another(session, deal)
    note_returned(session, deal, left)
    freed = {"round": deal.round_id, "query": deal.query_id, "member": deal.labeller_id, "pairs": len(left)}
    session.execute(
        update(Assignment)
        .where(Assignment.project_id == deal.project_id, Assignment.id.in_(left))
        .values(labeller_id=None, deal_id=rest.id, set_aside=0)
    )
    rest.labeller_id = rest.claimed_at = None
    moved = told_of_moved(before, seals_of_deals(session, round_, {deal.id, rest.id}))
    record(session, deal.project_id, "query returned", **freed, **moved)
    return rest


def drop_checks(session: Session, round_: Round, labeller_id: str | None) -> None:
    """Takes back the hidden checks that a labeller who does not go on has not met: nobody else has a use for them."""
    of_labeller = (Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.labeller_id == labeller_id)
    deals = session.scalars(select(Deal).where(*of_labeller, Deal.purpose != "judging")).all()
    deal_ids = [deal.id for deal in deals]
    before = seals_of_deals(session, round_, deal_ids)
    unmet = (Assignment.project_id == round_.project_id, Assignment.deal_id.in_(deal_ids), Assignment.revision == 0)
    dropped = len(session.scalars(delete(Assignment).where(*unmet).returning(Assignment.id)).all())
    if not dropped:
        return
    for deal in deals:
        drop_empty(session, deal)
    told = {"round": round_.id, "number": round_.number, "member": labeller_id, "pairs": dropped}
    moved = told_of_moved(before, seals_of_deals(session, round_, deal_ids))
    record(session, round_.project_id, "checks dropped", **told, **moved)


def ungraded(session: Session, deal: Deal, *, waits: bool) -> list[str]:
    """Ids of the deal's assignments without a grade, held until the transaction ends: each grade holds its own."""
    left = select(Assignment.id).where(
        Assignment.project_id == deal.project_id, Assignment.deal_id == deal.id, Assignment.revision == 0
    )
    if waits:
        return list(session.scalars(left.with_for_update()))
    held = list(session.scalars(left.with_for_update(skip_locked=True)))
    return held if len(held) == len(session.scalars(left).all()) else []


def note_returned(session: Session, deal: Deal, assignment_ids: Sequence[str]) -> None:
    """A labeller may lose a pair twice, and is noted once."""
    of_labeller = (Returned.project_id == deal.project_id, Returned.labeller_id == deal.labeller_id)
    noted = set(session.scalars(select(Returned.assignment_id).where(*of_labeller)))
    row = {"project_id": deal.project_id, "labeller_id": deal.labeller_id, "returned_at": now()}
    rows = [{**row, "id": new_id(), "assignment_id": each} for each in assignment_ids if each not in noted]
    if rows:
        session.execute(insert(Returned), rows)


def another(session: Session, deal: Deal) -> Deal:
    """A free deal of the same query and seat."""
    made = Deal(
        project_id=deal.project_id,
        round_id=deal.round_id,
        query_id=deal.query_id,
        seat=deal.seat,
        place=deal.place,
    )
    session.add(made)
    session.flush()
    return made


def drop_empty(session: Session, deal: Deal) -> None:
    if count_pairs(session, deal) == 0:
        session.execute(delete(Deal).where(Deal.project_id == deal.project_id, Deal.id == deal.id))


# What is asked


def deal_of(session: Session, round_: Round, query_id: str, member: Member) -> Deal | None:
    """The member's deal of the query in this round."""
    return session.scalar(
        select(Deal).where(
            Deal.project_id == round_.project_id,
            Deal.round_id == round_.id,
            Deal.query_id == query_id,
            Deal.labeller_id == member.id,
            Deal.purpose == "judging",
        )
    )


def free_pairs(session: Session, deal: Deal, *, besides: Member) -> Sequence[Any]:
    """Assignments of a free deal whose pair was not asked of `besides` in this round: id, qid and docno."""
    theirs = select(Assignment.pair_id).where(
        Assignment.project_id == deal.project_id,
        Assignment.round_id == deal.round_id,
        Assignment.labeller_id == besides.id,
        IS_JUDGING,
    )
    return session.execute(
        select(Assignment.id, Query.qid, Document.docno)
        .select_from(Assignment)
        .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(
            Assignment.project_id == deal.project_id,
            Assignment.deal_id == deal.id,
            Assignment.labeller_id.is_(None),
            Assignment.pair_id.not_in(theirs),
        )
    ).all()


def of_deal(deal: Deal) -> Select[int]:
    return (
        select(func.count())
        .select_from(Assignment)
        .where(Assignment.project_id == deal.project_id, Assignment.deal_id == deal.id)
    )


def count_pairs(session: Session, deal: Deal) -> int:
    return session.scalar(of_deal(deal)) or 0


def count_free(session: Session, deal: Deal) -> int:
    return session.scalar(of_deal(deal).where(Assignment.labeller_id.is_(None))) or 0


def queries_met(session: Session, round_: Round, member_id: str) -> set[str]:
    """Ids of the queries of which the member has pairs in the round, checks among them."""
    theirs = select(Deal.query_id).where(
        Deal.project_id == round_.project_id, Deal.round_id == round_.id, Deal.labeller_id == member_id
    )
    return set(session.scalars(theirs))


def next_place(session: Session, table: type[Deal] | type[Assignment], round_: Round, member_id: str) -> int:
    """Behind everything that the member has in the round."""
    last = session.scalar(
        select(func.max(table.place)).where(
            table.project_id == round_.project_id, table.round_id == round_.id, table.labeller_id == member_id
        )
    )
    return 0 if last is None else last + 1
