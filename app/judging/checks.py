"""Hidden checks of a labeller's work: pairs shown again, and pairs whose level is known. They come as any other pair,
unmarked, and count nowhere but on the page about labellers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, false, func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import insert_rows, new_id
from app.judging.choosing import PooledPair, by_query
from app.judging.mixing import Chance, GoldPair, Stop
from app.judging.models import Assignment, Deal, Gold, Purpose, Round
from app.judging.queries import OF_FAMILY
from app.judging.sealing import DealSeals, seals_of_rows, told_of_new
from app.judging.seating import next_place, queries_met
from app.pools.models import Pair
from app.projects.models import Member
from app.record.keeping import record


def gold_of(session: Session, project_id: str, family: int) -> list[GoldPair]:
    """What is set as gold in the rubric family, with its texts in hand."""
    rows = session.execute(GOLD, {"project": project_id, "family": family})
    return [GoldPair(row[0], PooledPair(*row[1:])) for row in rows]


def pairs_met(session: Session, project_id: str, family: int, member_id: str) -> set[str]:
    """Ids of the pairs that the member was asked in the rubric family, as checks or not."""
    return set(session.scalars(MET, {"project": project_id, "family": family, "member": member_id}))


# Dealing them


def write_stops(session: Session, round_: Round, member_id: str, stops: Sequence[Stop]) -> DealSeals:
    """Behind everything that the member has in the round. Seals of what is dealt, for the act that deals it."""
    met = queries_met(session, round_, member_id)
    place = next_place(session, Assignment, round_, member_id)
    deal_place = next_place(session, Deal, round_, member_id)
    deals: dict[tuple[str, Purpose], dict[str, Any]] = {}
    assignments: list[dict[str, Any]] = []
    for stop in stops:
        first = place + len(assignments)
        for pair in stop.pairs:
            purpose, at = stop.purpose_of(pair), deal_place + len(deals)
            if (pair.query_id, purpose) not in deals:
                dealt = deal_row(round_, pair.query_id, member_id, seat=stop.seat, place=at, purpose=purpose)
                deals[pair.query_id, purpose] = dealt
            dealt = deals[pair.query_id, purpose]
            comes = assigned(dealt, pair.id, place=place + len(assignments), stop=first)
            assignments.append(comes | {"is_returning": pair.query_id in met})
        met.update(pair.query_id for pair in stop.pairs)
    if deals:
        insert_rows(session, Deal, list(deals.values()))
        insert_rows(session, Assignment, assignments)
    return seals_of_rows(deals.values(), assignments)


def deal_checks(session: Session, round_: Round, member: Member, stops: Sequence[Stop]) -> None:
    """Hidden checks alone, for somebody who claims queries."""
    if stops:
        told = {"round": round_.id, "number": round_.number, "member": member.id}
        told |= {"pairs": sum(len(stop.pairs) for stop in stops)}
        record(
            session,
            round_.project_id,
            "checks dealt",
            **told,
            **told_of_new(write_stops(session, round_, member.id, stops)),
        )


def deal_row(
    round_: Round, query_id: str, labeller_id: str | None, *, seat: int, place: int, purpose: Purpose = "judging"
) -> dict[str, Any]:
    return {
        "project_id": round_.project_id,
        "id": new_id(),
        "round_id": round_.id,
        "query_id": query_id,
        "labeller_id": labeller_id,
        "seat": seat,
        "place": place,
        "purpose": purpose,
    }


def assigned(dealt: Mapping[str, Any], pair_id: str, *, place: int, stop: int) -> dict[str, Any]:
    return {
        "project_id": dealt["project_id"],
        "id": new_id(),
        "round_id": dealt["round_id"],
        "deal_id": dealt["id"],
        "pair_id": pair_id,
        "labeller_id": dealt["labeller_id"],
        "place": place,
        "stop": stop,
        "is_returning": False,
        "revision": 0,
        "set_aside": 0,
        "purpose": dealt["purpose"],
    }


def repeats_so_far(session: Session, round_: Round, member: Member, *, besides: Deal) -> list[Stop]:
    """For a labeller who has just claimed `besides`: what they graded before and get again behind it."""
    which = {"project": round_.project_id, "round": round_.id, "member": member.id, "query": besides.query_id}
    asked, repeated = session.execute(ASKED_SO_FAR, which).one()
    number = round(round_.repeats * asked) - repeated
    if number < 1:
        return []
    graded = [PooledPair(*row) for row in session.execute(GRADED_ONCE, which)]
    again = Chance(member.name, round_.seed).shuffled("repeat", graded)[:number]
    checks = {pair.id for pair in again}
    return [Stop(pairs, seat=1, checks=checks) for pairs in by_query(again).values()]


OF_PAIR = and_(Pair.project_id == Query.project_id, Pair.query_id == Query.id)
OF_DOCUMENT = and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id)
PAIR = (Pair.id, Query.qid, Query.id, Document.docno, false())
GOLD = (
    select(Gold.level, *PAIR)
    .join(Pair, and_(Pair.project_id == Gold.project_id, Pair.id == Gold.pair_id))
    .join(Query, OF_PAIR)
    .join(Document, OF_DOCUMENT)
    .where(
        Gold.project_id == bindparam("project"),
        Gold.family == bindparam("family"),
        Gold.withdrawn_at.is_(None),
        Document.is_placeholder.is_(False),
        Query.text != "",
    )
)
MET = select(Assignment.pair_id).where(
    Assignment.project_id == bindparam("project"),
    Assignment.round_id.in_(OF_FAMILY),
    Assignment.labeller_id == bindparam("member"),
)
IN_ROUND = (
    Assignment.project_id == bindparam("project"),
    Assignment.round_id == bindparam("round"),
    Assignment.labeller_id == bindparam("member"),
)
ASKED_SO_FAR = select(
    func.count().filter(Assignment.purpose == "judging"), func.count().filter(Assignment.purpose == "repeat")
).where(*IN_ROUND)
REPEATED = select(Deal.query_id).where(
    Deal.project_id == bindparam("project"),
    Deal.round_id == bindparam("round"),
    Deal.labeller_id == bindparam("member"),
    Deal.purpose == "repeat",
)
GRADED_ONCE = (
    select(*PAIR)
    .select_from(Assignment)
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, OF_PAIR)
    .join(Document, OF_DOCUMENT)
    .where(
        *IN_ROUND,
        Assignment.purpose == "judging",
        Assignment.revision > 0,
        Pair.query_id != bindparam("query"),
        Pair.query_id.not_in(REPEATED),
    )
)
