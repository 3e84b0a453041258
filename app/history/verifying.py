"""Whether everything still is what the record says was done: the chains themselves, and the rows that they seal."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Select, and_, bindparam, select
from sqlalchemy.orm import Session

from app.agreement.adjudicating import VERBS
from app.agreement.adjudicating import seal_of as seal_of_step
from app.agreement.models import Decision
from app.db import read_one_moment
from app.judging.models import Assignment, Grade
from app.judging.sealing import OF_THE_GRADE, seal_of, seal_of_all
from app.projects.models import Project
from app.record.checking import Fault, check_chains
from app.record.keeping import ACTS, as_stored
from app.record.models import INSTALLATION, Act, Chain, Verb
from app.releases.manifest import sha256
from app.releases.models import Release

ROWS_A_FETCH = 2000
Sealed = dict[str, tuple[int, str]]
"""Row id to the number of the act that made the row, and to the seal that the act holds."""


def verify(session: Session) -> list[Fault]:
    """What is wrong, by chain; empty where the record is whole and the tables say what it says. A broken chain can't
    speak for the tables, so its first fault is its only one. The session has read nothing yet.
    """
    read_one_moment(session)
    return sorted(faults_of(session), key=lambda fault: (fault.chain_id, fault.number or 0, fault.sentence))


def faults_of(session: Session) -> Iterator[Fault]:
    broken = list(check_chains(session))
    yield from broken
    whole = set(session.scalars(select(Chain.id))) - {fault.chain_id for fault in broken}
    projects = set(session.scalars(select(Project.id)))
    if INSTALLATION in whole:
        yield from check_projects(session, projects)
    for project_id in sorted(projects & whole):
        yield from check_grades(session, project_id)
        yield from check_decisions(session, project_id)
        yield from check_releases(session, project_id)


def check_projects(session: Session, projects: set[str]) -> Iterator[Fault]:
    """Each that was started is there, and has its record."""
    begun = set(session.scalars(select(Chain.id)))
    for number, facts in acts_of(session, INSTALLATION, "project started"):
        if facts["project"] not in projects & begun:
            yield Fault(INSTALLATION, number, f"project {facts['project']}, or its record, is not there any more")


def check_grades(session: Session, project_id: str) -> Iterator[Fault]:
    """Those given here have an act each; those that came in together have one for all of their round."""
    rounds = sealed_by(session, project_id, "round imported", of="round")
    brought: dict[str, list[str]] = {round_id: [] for round_id in rounds}
    given: list[tuple[str, str]] = []
    for round_id, grade_id, seal in sealed_grades(session, project_id):
        if round_id in rounds:
            brought[round_id].append(seal)
        else:
            given.append((grade_id, seal))
    together = ((round_id, seal_of_all(seals)) for round_id, seals in brought.items())
    yield from compare(project_id, "round", rounds, together)
    yield from compare(project_id, "grade", sealed_by(session, project_id, "grade given", of="grade"), given)


def check_decisions(session: Session, project_id: str) -> Iterator[Fault]:
    acts = sealed_by(session, project_id, *VERBS.values(), of="decision")
    steps = session.scalars(select(Decision).where(Decision.project_id == project_id))
    yield from compare(project_id, "decision", acts, ((step.id, seal_of_step(step)) for step in steps))


def check_releases(session: Session, project_id: str) -> Iterator[Fault]:
    """Each manifest, and the head of the record that left with it: a tail that was cut off, the head with it, is missed
    here.
    """
    acts = sealed_by(session, project_id, "release frozen", of="release", seal="sha256")
    releases = session.scalars(select(Release).where(Release.project_id == project_id)).all()
    yield from compare(project_id, "release", acts, ((each.id, sha256(each.manifest)) for each in releases))
    for release in releases:
        act = session.get(Act, (project_id, release.record_number))
        if act is None or act.hash != release.record_hash:
            sentence = f"release {release.number} left when the record ended with another act here"
            yield Fault(project_id, release.record_number, sentence)


def compare(project_id: str, noun: str, acts: Sealed, rows: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """`rows`: ids and seals, as the tables have them now."""
    seen = set()
    for row_id, seal in rows:
        seen.add(row_id)
        if row_id not in acts:
            yield Fault(project_id, None, f"{noun} {row_id} is in no act")
        elif acts[row_id][1] != seal:
            yield Fault(project_id, acts[row_id][0], f"{noun} {row_id} is not what it was then")
    for row_id in acts.keys() - seen:
        yield Fault(project_id, acts[row_id][0], f"{noun} {row_id} is not there any more")


# Selects


def sealed_by(session: Session, project_id: str, *verbs: Verb, of: str, seal: str = "seal") -> Sealed:
    return {facts[of]: (number, facts[seal]) for number, facts in acts_of(session, project_id, *verbs)}


def acts_of(session: Session, chain_id: str, *verbs: Verb) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbers and facts."""
    rows = select(ACTS.c.number, ACTS.c.facts).where(ACTS.c.chain_id == chain_id, ACTS.c.verb.in_(verbs))
    for number, facts in session.execute(rows, execution_options={"yield_per": ROWS_A_FETCH}):
        yield number, json.loads(facts)


def sealed_grades(session: Session, project_id: str) -> Iterator[tuple[str, str, str]]:
    """Round, grade and the grade's seal as it is now."""
    for row in session.execute(GRADES, {"project": project_id}, execution_options={"yield_per": ROWS_A_FETCH}):
        asked, grade = row[:3], dict(zip((*OF_THE_GRADE, "given_at"), row[3:], strict=True))
        yield asked[0], grade["id"], seal_of(project_id, asked, grade)


GRADES: Select[*tuple[Any, ...]] = (
    select(
        Assignment.round_id,
        Assignment.pair_id,
        Assignment.labeller_id,
        *(Grade.__table__.c[column] for column in OF_THE_GRADE),
        as_stored(Grade.__table__.c.given_at),
    )
    .select_from(Grade)
    .outerjoin(Assignment, and_(Assignment.project_id == Grade.project_id, Assignment.id == Grade.assignment_id))
    .where(Grade.project_id == bindparam("project"))
)
