"""What the record keeps of grades and of who was dealt what: a seal over every word of a grade and of what it was asked
about, and one over each deal with all that is asked in it.

A round's plan is sealed whole when it opens. Whatever changes it later tells of each deal how it was before and how it
is then, so that a plan can be followed back to how it opened, and what nobody told is found wherever it was done.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.judging.models import Assignment, Deal, Round
from app.record.keeping import moment_of, seal
from app.record.sealing import is_time, moment, plain, sealed_columns, stream, unread

OF_THE_GRADE = (
    "id",
    "assignment_id",
    "revision",
    "level",
    "reason",
    "rationale",
    "text_hash",
    "rubric_id",
    "key",
    "origin",
    "active_ms",
)
"""Columns, beside the time when it was given."""


def seal_of(project_id: str, asked: tuple[str, str, str], grade: Mapping[str, Any]) -> str:
    """`asked`: the assignment's round, pair and labeller, since a grade would mean another thing under another."""
    return seal(project_id, *asked, *(grade[column] for column in OF_THE_GRADE), moment_of(grade["given_at"]))


def seal_of_all(seals: Iterable[str]) -> str:
    """Of grades that came in together, in whatever order they are read."""
    return hashlib.sha256("".join(sorted(seals)).encode()).hexdigest()


# Who was dealt what

DealSeals = dict[str, str]
"""By deal."""
OF_THE_DEAL, OF_WHAT_IS_ASKED = (tuple(column.name for column in sealed_columns(each)) for each in (Deal, Assignment))


def seal_of_deal(deal: Sequence[Any] | None, asked: Iterable[Sequence[Any]]) -> str:
    """Of the deal, and of what is asked in it, in whatever order; each as its columns above. None: it is not there."""
    whose = None if deal is None else [plain(value) for value in deal]
    return seal("deal", whose, sorted(map(list, asked), key=itemgetter(OF_WHAT_IS_ASKED.index("id"))))


def seals_of_rows(deals: Iterable[Mapping[str, Any]], assignments: Iterable[Mapping[str, Any]]) -> DealSeals:
    """Of rows that are about to be stored."""
    asked = defaultdict(list)
    for row in assignments:
        asked[row["deal_id"]].append([row[name] for name in OF_WHAT_IS_ASKED])
    return {row["id"]: seal_of_deal([row.get(name) for name in OF_THE_DEAL], asked[row["id"]]) for row in deals}


def seals_of_deals(session: Session, round_: Round, deal_ids: Collection[str]) -> DealSeals:
    """As they are by now, of those that are there. Whoever holds the round's lock knows that nobody changes them."""
    session.flush()
    deals = DEALS.where(Deal.project_id == round_.project_id, Deal.id.in_(deal_ids))
    asked = ASKED.where(Assignment.project_id == round_.project_id, Assignment.deal_id.in_(deal_ids))
    return {deal_id: seal for _, deal_id, seal in stored_deals(session.execute(deals), session.execute(asked))}


def every_deal(session: Session, project_id: str) -> Iterator[tuple[str, str, str]]:
    """Round, deal, and its seal as it is now; also where only something that is asked in it is left."""
    deals, asked = DEALS.where(Deal.project_id == project_id), ASKED.where(Assignment.project_id == project_id)
    return stored_deals(session.execute(deals), stream(session, asked))


def stored_deals(deals: Iterable[Sequence[Any]], asked: Iterable[Sequence[Any]]) -> Iterator[tuple[str, str, str]]:
    """`asked` in the order of the deals: those of one at a time are in memory."""
    found = {row[OF_THE_DEAL.index("id")]: row for row in map(read_deal, deals)}
    rounds = {deal_id: row[OF_THE_DEAL.index("round_id")] for deal_id, row in found.items()}
    for deal_id, group in groupby(asked, key=itemgetter(OF_WHAT_IS_ASKED.index("deal_id"))):
        rows = list(group)
        round_id = rounds.get(deal_id, rows[0][OF_WHAT_IS_ASKED.index("round_id")])
        yield round_id, deal_id, seal_of_deal(found.pop(deal_id, None), rows)
    for deal_id, row in found.items():
        yield rounds[deal_id], deal_id, seal_of_deal(row, ())


def read_deal(row: Iterable[Any]) -> list[Any]:
    columns = sealed_columns(Deal)
    return [moment(value) if is_time(column) else value for column, value in zip(columns, row, strict=True)]


def told_of_new(seals: DealSeals) -> dict[str, object]:
    """Facts of an act that dealt more in a round that is open. One hash of all: who judges knows what a deal of theirs
    holds but for the checks among it, and could try them against a hash of its own.
    """
    return {"deals": sorted(seals), "plan": seal_of_all(seals.values())}


def told_of_moved(before: DealSeals, after: DealSeals) -> dict[str, object]:
    """Facts of an act that changed deals; None stands for one that is not there."""
    moved = {each: (before.get(each), after.get(each)) for each in before.keys() | after.keys()}
    return {"moved": {each: seals for each, seals in moved.items() if seals[0] != seals[1]}}


def changed_untold(seals: DealSeals, acts: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[int]:
    """Numbers of the acts after which a round's plan was changed by none. `seals` of how it is; `acts` that dealt in it
    in their order: each is taken back, the newest first.
    """
    left = dict(seals)
    for number, facts in reversed(acts):
        moved = facts.get("moved", {})
        is_as_told = {each: left.pop(each, None) for each in moved} == {
            each: after for each, (_, after) in moved.items()
        }
        left |= {each: before for each, (before, _) in moved.items() if before is not None}
        if "plan" in facts:
            dealt = facts.get("deals", list(left))  # The first is of all that no later one dealt.
            is_as_told = is_as_told and seal_of_all(left.pop(each, "") for each in dealt) == facts["plan"]
        if not is_as_told:
            yield number


DEALS: Select[*tuple[Any, ...]] = select(*map(unread, sealed_columns(Deal)))
ASKED: Select[*tuple[Any, ...]] = select(*sealed_columns(Assignment)).order_by(Assignment.deal_id)
