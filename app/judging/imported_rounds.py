"""A round of grades that were given elsewhere: dealt and graded as if here, and closed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query
from app.corpora.placeholders import know_queries
from app.corpora.sealing import seals_of_queries
from app.db import insert_rows, new_id, now
from app.formats.grades import NamedGrade
from app.judging.checks import assigned, deal_row
from app.judging.dealing import freeze_policy, next_number
from app.judging.models import Assignment, Deal, Grade, Round
from app.judging.sealing import seal_of, seal_of_all, seals_of_rows
from app.pools.drawing import make_pool
from app.pools.models import Pair, Pool, PoolPair
from app.projects.models import Member, Project
from app.projects.queries import lock_project
from app.record.keeping import record
from app.record.sealing import seals_of
from app.rubrics.models import Rubric

WHY = "other"
"""The reason of a pair that a file says could not be judged, and not why."""


@dataclass
class Sheaf:
    """What of a file is to be written: the grades that are not here yet."""

    rubric: Rubric
    grades: list[tuple[NamedGrade, int | None]] = field(default_factory=list)
    """Each with the level it is; None: the pair could not be judged."""
    machines: set[str] = field(default_factory=set)
    """Names of programs."""

    @property
    def names(self) -> list[str]:
        """In the order of the file: the first that graded a query is its primary."""
        return list(dict.fromkeys(given.labeller for given, _ in self.grades))

    @property
    def pooled(self) -> dict[str, list[str]]:
        """docnos by qid."""
        pooled: dict[str, dict[str, None]] = {}
        for given, _ in self.grades:
            pooled.setdefault(given.qid, {})[given.docno] = None
        return {qid: list(docnos) for qid, docnos in pooled.items()}

    @property
    def by_person(self) -> dict[str, dict[str, list[tuple[NamedGrade, int | None]]]]:
        """Grades by name and qid."""
        people: dict[str, dict[str, list[tuple[NamedGrade, int | None]]]] = {}
        for given, level in self.grades:
            people.setdefault(given.labeller, {}).setdefault(given.qid, []).append((given, level))
        return people

    @property
    def lone(self) -> int:
        """Pairs with one person's grade, of queries that two people or more graded."""
        given = [(each.qid, each.docno, each.labeller) for each, _ in self.grades if each.labeller not in self.machines]
        people = Counter(qid for qid, _ in {(qid, name) for qid, _, name in given})
        graded = Counter((qid, docno) for qid, docno, _ in given)
        return sum(number == 1 and people[qid] > 1 for (qid, _), number in graded.items())

    @property
    def overlap(self) -> float:
        """The share of queries that two or more people graded."""
        people = Counter(qid for queries in self.by_person.values() for qid in queries)
        return sum(number > 1 for number in people.values()) / len(people)


class PlacedPair(NamedTuple):
    """A pair with what a grade of it refers to."""

    id: str
    query_id: str
    text_hash: str


@dataclass
class Rows:
    """What is written at once."""

    deals: list[dict[str, Any]] = field(default_factory=list)
    assignments: list[dict[str, Any]] = field(default_factory=list)
    grades: list[dict[str, Any]] = field(default_factory=list)

    def seals(self, round_: Round) -> Iterator[str]:
        for asked, grade in zip(self.assignments, self.grades, strict=True):
            yield seal_of(round_.project_id, (round_.id, asked["pair_id"], asked["labeller_id"]), grade)

    def plan(self) -> str:
        return seal_of_all(seals_of_rows(self.deals, self.assignments).values())


def make_imported_round(session: Session, project: Project, person_id: str, sheaf: Sheaf) -> Round:
    """Queries and documents that are not here become placeholders, names that are not here members without account."""
    pooled, moment = sheaf.pooled, now()
    know_queries(session, project, pooled)
    pool = make_pool(session, project, person_id, pooled, source="grades")
    round_ = Round(
        project_id=project.id,
        number=next_number(session, project),
        kind="imported",
        rubric_id=sheaf.rubric.id,
        pool_id=pool.id,
        seed=0,
        overlap=sheaf.overlap,
        opened_at=moment,
        opened_by_id=person_id,
        closed_at=moment,
    )
    session.add(round_)
    session.flush()
    new = make_members(session, project, sheaf)
    members = members_by_name(session, project)
    rows = rows_of(round_, sheaf, members, placed_pairs(session, pool), moment=moment)
    insert_rows(session, Deal, rows.deals)
    insert_rows(session, Assignment, rows.assignments)
    insert_rows(session, Grade, rows.grades)
    project = lock_project(session, project)
    freeze_policy(project)
    given = {"number": round_.number, "grades": len(rows.grades), "labellers": sorted(members[n] for n in sheaf.names)}
    seals = seals_of(session, round_, project, *new) | seals_of_queries(session, project.id)
    given |= {"seal": seal_of_all(rows.seals(round_)), "plan": rows.plan(), "seals": seals}
    record(session, project.id, "round imported", round=round_.id, **given)
    return round_


def members_by_name(session: Session, project: Project) -> dict[str, str]:
    """Ids of members, those who left included: a name is one person for good."""
    return dict(session.execute(select(Member.name, Member.id).where(Member.project_id == project.id)).all())


def people_by_name(session: Session, project: Project) -> set[str]:
    """Names of those with an account."""
    named = select(Member.name).where(Member.project_id == project.id, Member.person_id.is_not(None))
    return set(session.scalars(named))


def make_members(session: Session, project: Project, sheaf: Sheaf) -> list[Member]:
    """Those who are new. Who is known already stays what they were declared, a person or a program."""
    known = members_by_name(session, project)
    new = [
        Member(project_id=project.id, name=name, role="labeller", is_machine=name in sheaf.machines)
        for name in sheaf.names
        if name not in known
    ]
    session.add_all(new)
    session.flush()
    return new


def placed_pairs(session: Session, pool: Pool) -> dict[tuple[str, str], PlacedPair]:
    """The pool's pairs by qid and docno."""
    rows = session.execute(
        select(Query.qid, Document.docno, Pair.id, Query.id, Document.text_hash)
        .select_from(PoolPair)
        .join(Pair, and_(Pair.project_id == PoolPair.project_id, Pair.id == PoolPair.pair_id))
        .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(PoolPair.project_id == pool.project_id, PoolPair.pool_id == pool.id)
    )
    return {(qid, docno): PlacedPair(*rest) for qid, docno, *rest in rows}


def rows_of(
    round_: Round,
    sheaf: Sheaf,
    members: Mapping[str, str],
    pairs: Mapping[tuple[str, str], PlacedPair],
    *,
    moment: datetime,
) -> Rows:
    rows, seats = Rows(), Counter[str]()
    for name, queries in sheaf.by_person.items():
        number = 0
        for place, (qid, graded) in enumerate(queries.items()):
            seats[qid] += 1
            query_id = pairs[qid, graded[0][0].docno].query_id
            dealt = deal_row(round_, query_id, members[name], seat=seats[qid], place=place)
            rows.deals.append(dealt)
            first = number
            for given, level in graded:
                pair = pairs[qid, given.docno]
                asked = assigned(dealt, pair.id, place=number, stop=first) | {"revision": 1}
                number += 1
                rows.assignments.append(asked)
                rows.grades.append(grade_row(round_, asked, pair, level=level, moment=moment))
    return rows


def grade_row(
    round_: Round, asked: Mapping[str, Any], pair: PlacedPair, *, level: int | None, moment: datetime
) -> dict[str, Any]:
    return {
        "project_id": round_.project_id,
        "id": new_id(),
        "assignment_id": asked["id"],
        "revision": 1,
        "level": level,
        "reason": WHY if level is None else None,
        "rationale": "",
        "text_hash": pair.text_hash,
        "rubric_id": round_.rubric_id,
        "key": f"import-{asked['id']}",
        "origin": "import",
        "active_ms": None,
        "given_at": moment,
    }
