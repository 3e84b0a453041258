"""Hidden checks of a labeller's work: pairs shown again, and pairs whose level is known. They come as any other pair,
unmarked, and count nowhere but on the page about labellers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import and_, bindparam, false, func, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import insert_rows, new_id
from app.judging.choosing import PooledPair, by_query, part_out
from app.judging.lots import lot
from app.judging.models import Assignment, Deal, Gold, Purpose, Round
from app.judging.seating import next_place
from app.pools.models import Pair
from app.projects.models import Member


@dataclass(frozen=True)
class Stop:
    """Pairs of one query, as a labeller comes to them: in this order, one after the other."""

    pairs: Sequence[PooledPair]
    seat: int
    purpose: Purpose = "judging"

    @property
    def query_id(self) -> str:
        return self.pairs[0].query_id

    @property
    def qid(self) -> str:
        return self.pairs[0].qid


@dataclass(frozen=True)
class GoldPair:
    """A pair and the level that it is known to have."""

    level: int
    pair: PooledPair


# Which


def with_repeats(stops: Sequence[Stop], *, share: float, labeller: str, seed: int) -> list[Stop]:
    """The stops with the share `share` of their pairs shown again, each with at least one other query in between."""
    early = {stop.qid: len(stop.pairs) for stop in stops[:-1]}
    number = min(round(share * sum(len(stop.pairs) for stop in stops)), sum(early.values()))
    if number == 0:
        return list(stops)
    again = part_out(number, early, seed=seed)
    after: dict[int, list[Stop]] = {}
    for at, stop in enumerate(stops[:-1]):
        if again[stop.qid]:
            drawn = in_lots(stop.pairs, again[stop.qid], labeller=labeller, seed=seed)
            later = range(at + 1, len(stops))
            place = int.from_bytes(lot(seed, "place of repeats", labeller, stop.qid)) % len(later)
            after.setdefault(later[place], []).append(replace(stop, pairs=drawn, purpose="repeat"))
    return [each for at, stop in enumerate(stops) for each in (stop, *after.get(at, ()))]


def in_lots(pairs: Iterable[PooledPair], number: int, *, labeller: str, seed: int) -> list[PooledPair]:
    return sorted(pairs, key=lambda pair: lot(seed, "repeat", labeller, pair.qid, pair.docno))[:number]


def draw_quiz(gold: Sequence[GoldPair], number: int, *, labeller: str, seed: int) -> list[PooledPair]:
    """`number` of them, as many of each level as of any other, as far as there are."""
    levels: dict[int, list[GoldPair]] = {}
    for each in sorted(gold, key=lambda each: lot(seed, "quiz", labeller, each.pair.qid, each.pair.docno)):
        levels.setdefault(each.level, []).append(each)
    in_turns = sorted(
        ((turn, level, each) for level, found in levels.items() for turn, each in enumerate(found)),
        key=lambda each: each[:2],
    )
    return [each.pair for _, _, each in in_turns[:number]]


def quiz_stops(pairs: Iterable[PooledPair]) -> list[Stop]:
    """One stop a query; it fills no seat."""
    return [Stop(found, seat=1, purpose="gold") for found in by_query(pairs).values()]


def gold_of(session: Session, project_id: str, family: int) -> list[GoldPair]:
    """What is set as gold in the rubric family, with its texts in hand."""
    rows = session.execute(GOLD, {"project": project_id, "family": family})
    return [GoldPair(row[0], PooledPair(*row[1:])) for row in rows]


# Dealing them


def write_stops(session: Session, round_: Round, member_id: str, stops: Sequence[Stop]) -> None:
    """Behind everything that the member has in the round."""
    places = count(next_place(session, Assignment, round_, member_id))
    deals: list[dict[str, Any]] = []
    assignments: list[dict[str, Any]] = []
    for place, stop in enumerate(stops, next_place(session, Deal, round_, member_id)):
        dealt = deal_row(round_, stop.query_id, member_id, seat=stop.seat, place=place, purpose=stop.purpose)
        deals.append(dealt)
        assignments += [assigned(dealt, pair.id, place=next(places)) for pair in stop.pairs]
    if deals:
        insert_rows(session, Deal, deals)
        insert_rows(session, Assignment, assignments)


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


def assigned(dealt: Mapping[str, Any], pair_id: str, *, place: int) -> dict[str, Any]:
    return {
        "project_id": dealt["project_id"],
        "id": new_id(),
        "round_id": dealt["round_id"],
        "deal_id": dealt["id"],
        "pair_id": pair_id,
        "labeller_id": dealt["labeller_id"],
        "place": place,
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
    again = by_query(in_lots(graded, number, labeller=member.name, seed=round_.seed))
    return [Stop(pairs, seat=1, purpose="repeat") for pairs in again.values()]


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
