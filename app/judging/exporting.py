"""Assignments as a file: who is asked for which pair, and whether they have answered. Never what."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Literal

from sqlalchemy import and_, bindparam, case, cast, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.db import Bytewise
from app.formats.csvout import write_csv
from app.judging.models import IS_JUDGING, Assignment, Deal, Round
from app.pools.models import Pair
from app.projects.models import Member

COLUMNS = ("qid", "docno", "labeller", "round", "state")
FETCHED = 2000
Layout = Literal["csv", "tsv", "spreadsheet"]
"""`spreadsheet`: a CSV that is safe to open in one."""
Row = tuple[str, str, str, int, str]
"""As COLUMNS; the labeller is empty and the state `free` where nobody has the place."""


def each_assignment(
    opened: Callable[[], AbstractContextManager[Session]], *, project_id: str, round_id: str
) -> Iterator[Row]:
    """Of a round, in the order of qid bytes, docno bytes and places. It opens its own transaction, since what streams
    outlives the request's.
    """
    which = {"project": project_id, "round": round_id}
    with opened() as session, session.execute(ROWS, which, execution_options={"yield_per": FETCHED}) as rows:
        for qid, docno, labeller, number, state in rows:
            yield qid, docno, labeller or "", number, state


def as_csv(rows: Iterator[Row], *, for_spreadsheets: bool = False) -> Iterator[bytes]:
    return write_csv(COLUMNS, rows, for_spreadsheets=for_spreadsheets)


def as_tsv(rows: Iterator[Row]) -> Iterator[bytes]:
    """Ids and names hold no tab and no line end."""
    yield ("\t".join(COLUMNS) + "\n").encode()
    for row in rows:
        yield ("\t".join(map(str, row)) + "\n").encode()


ROWS = (
    select(
        Query.qid,
        Document.docno,
        Member.name,
        Round.number,
        case((Assignment.labeller_id.is_(None), "free"), (Assignment.revision > 0, "graded"), else_="open"),
    )
    .select_from(Assignment)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Deal, and_(Deal.project_id == Assignment.project_id, Deal.id == Assignment.deal_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(Member, and_(Member.project_id == Assignment.project_id, Member.id == Assignment.labeller_id))
    .where(Assignment.project_id == bindparam("project"), Assignment.round_id == bindparam("round"), IS_JUDGING)
    .order_by(Query.qid, Document.docno, Deal.seat, cast(Member.name, Bytewise))
)
