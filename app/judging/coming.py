"""What comes after a grade, in one statement: the pair that is due, and the first that the browser does not hold.
This is the path of every grade.
"""

from typing import NamedTuple

from sqlalchemy import and_, bindparam, case, func, literal, select, true, union_all
from sqlalchemy.orm import Session

from app.corpora.models import Document
from app.judging.desk import AHEAD_IDS, COLUMNS, IS_OWN, PLACE, SHOWN, Place, Shown, due
from app.judging.models import Assignment
from app.prepared import Prepared
from app.projects.guards import Sitting


class Coming(NamedTuple):
    """What comes after a grade, each with its place in the round that was graded in."""

    due: tuple[Shown, Place] | None
    """The pair that is due, of whichever round; its text is empty where the browser holds it. None: all is graded."""
    ahead: tuple[Shown, Place] | None
    """The first pair that the browser does not hold."""


def coming(session: Session, seat: Sitting, round_id: str, *, in_hand: tuple[str, str], skip: int | None) -> Coming:
    """What a browser at the desk goes on with. `in_hand` are id and text hash of the pair that it would show next:
    where that is the one that is due, its text stays in the database. `skip` open pairs of the round are in its memory;
    None, and it wants no other.
    """
    asked = {
        "project": seat.project.id,
        "labeller": seat.member.id,
        "round": round_id,
        "hand": in_hand[0],
        "hand_hash": in_hand[1],
        "skip": skip or 0,
        "limit": 0 if skip is None else 1,
    }
    found = {is_due: (Shown._make(row[:-4]), Place._make(row[-4:])) for is_due, *row in COMING.rows(session, asked)}
    return Coming(found.get(1), found.get(0))


COMES = union_all(
    select(literal(1).label("is_due"), due().scalar_subquery().label("id")),
    select(literal(0), AHEAD_IDS.scalar_subquery()),
).subquery()
IS_HELD = and_(COMES.c.is_due == 1, Assignment.id == bindparam("hand"), Document.text_hash == bindparam("hand_hash"))


def is_long(column: object) -> bool:
    """Whether it holds what a browser with the pair in its memory needs no second time."""
    return column is Document.text or column is Document.html


IN_ROUND = (
    select(func.count().label("pairs"), func.count().filter(Assignment.revision > 0).label("graded"))
    .where(IS_OWN, Assignment.round_id == bindparam("round"))
    .cte("in_round")
    .prefix_with("MATERIALIZED", dialect="postgresql")
)
COMING = Prepared(
    SHOWN.with_only_columns(
        COMES.c.is_due,
        *(case((IS_HELD, ""), else_=column) if is_long(column) else column for column in COLUMNS),
        *PLACE[:2],
        IN_ROUND.c.pairs,
        IN_ROUND.c.graded,
    )
    .join(COMES, COMES.c.id == Assignment.id)
    .join(IN_ROUND, true())
)
"""Both pairs at once, and what is counted in the round only once."""
