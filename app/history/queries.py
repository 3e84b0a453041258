"""Selects over a project's record, and over the names of what its acts are about."""

from collections.abc import Iterable, Sequence

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.judging.guards import still_judged
from app.people.models import Person
from app.pools.models import Pair
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.record.models import COMMAND, Act, Verb

OF_WHAT_IS_HIDDEN: tuple[Verb, ...] = (
    "grade given",
    "pair graded blind",
    "pair decided",
    "decision undone",
    "waiver signed",
    "release frozen",
    "gold set",
    "gold withdrawn",
    "checks dealt",
    "checks dropped",
)
"""What would tell whoever still gives grades something of others', or the level of a pair that may be a check."""


def acts_shown(
    session: Session, seat: Seat, *, who: str = "", verb: str = "", before: int = 0, limit: int = 50
) -> Sequence[Act]:
    """Newest first, from the act under `before` on. A lead who still judges sees none of what is hidden."""
    shown = select(Act).where(Act.chain_id == seat.project.id).order_by(Act.number.desc()).limit(limit)
    if still_judged(session, seat):
        shown = shown.where(Act.verb.not_in(OF_WHAT_IS_HIDDEN))
    if who:
        shown = shown.where(Act.who == who)
    if verb:
        shown = shown.where(Act.verb == verb)
    if before:
        shown = shown.where(Act.number < before)
    return session.scalars(shown).all()


def verbs_in(session: Session, seat: Seat) -> list[str]:
    """Those that a filter can ask for."""
    found = set(session.scalars(select(Act.verb).where(Act.chain_id == seat.project.id).distinct()))
    return sorted(found - set(OF_WHAT_IS_HIDDEN) if still_judged(session, seat) else found)


def names_of_actors(session: Session, project: Project) -> dict[str, str]:
    """Whoever did something in the project, by what stands under `who`: as the project calls them, those who left
    included.
    """
    actors = set(session.scalars(select(Act.who).where(Act.chain_id == project.id).distinct()))
    members = names_of_people(session, project)
    others = session.execute(select(Person.id, Person.name).where(Person.id.in_(actors - members.keys())))
    outside = {person_id: f"{name}, who looks after the installation" for person_id, name in others}
    named = {COMMAND: "a command on the server"} | members | outside
    return {who: named.get(who, "somebody") for who in actors}


def names_of_people(session: Session, project: Project) -> dict[str, str]:
    """Members with an account, by person."""
    rows = select(Member.person_id, Member.name).where(Member.project_id == project.id, Member.person_id.is_not(None))
    return {str(person_id): name for person_id, name in session.execute(rows)}


def names_of_members(session: Session, project: Project) -> dict[str, str]:
    rows = select(Member.id, Member.name).where(Member.project_id == project.id)
    return {member_id: name for member_id, name in session.execute(rows)}  # noqa: C416 - mypy takes no rows for tuples.


def names_of_pairs(session: Session, project: Project, ids: Iterable[str]) -> dict[str, str]:
    rows = (
        select(Pair.id, Query.qid, Document.docno)
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Pair.project_id == project.id, Pair.id.in_(set(ids)))
    )
    return {pair_id: f"query {qid}, document {docno}" for pair_id, qid, docno in session.execute(rows)}


def names_of_queries(session: Session, project: Project, ids: Iterable[str]) -> dict[str, str]:
    rows = select(Query.id, Query.qid).where(Query.project_id == project.id, Query.id.in_(set(ids)))
    return {query_id: f"query {qid}" for query_id, qid in session.execute(rows)}
