"""Whether everything still is what the record says was done: the chains themselves, and what they seal.

What is covered, and what is not, stands in docs/decisions/record.md.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.agreement.adjudicating import VERBS
from app.agreement.adjudicating import seal_of as seal_of_step
from app.agreement.models import Decision
from app.corpora.models import Document, hash_with_fields, shown_hash
from app.db import read_one_moment
from app.formats.errors import FormatError
from app.history.contents import CONTENTS, ONCE, WORDS, sealed_now
from app.judging.models import Assignment, Grade
from app.judging.sealing import OF_THE_GRADE, changed_untold, every_deal, seal_of, seal_of_all
from app.projects.models import Member, Project
from app.record.checking import Fault, check_chains
from app.record.keeping import ACTS, as_stored
from app.record.models import INSTALLATION, Act, Chain, Verb
from app.record.sealing import stream
from app.releases.manifest import digest, read_manifest, sha256
from app.releases.models import Judgment, Release
from app.rubrics.queries import versions_of
from app.rubrics.writing import hash_of, text_of
from app.runs.models import Run

Sealed = dict[str, tuple[int, str]]
"""Row id to the number of the newest act about the row, and to the seal that the act holds."""
Names = Mapping[str, str]
"""What people call a row, by its id."""
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)


def verify(session: Session) -> list[Fault]:
    """What is wrong, by chain; empty where the record is whole and the tables say what it says. A broken chain can't
    speak for the tables, so its first fault is its only one. The session has read nothing yet.
    """
    read_one_moment(session)
    return sorted(faults_of(session), key=lambda fault: (fault.chain_id, fault.number or 0, fault.sentence))


def faults_of(session: Session) -> Generator[Fault]:
    broken = list(check_chains(session))
    yield from broken
    whole = set(session.scalars(select(Chain.id))) - {fault.chain_id for fault in broken}
    projects = set(session.scalars(select(Project.id)))
    if INSTALLATION in whole:
        yield from check_projects(session, projects)
    for project_id in sorted(projects & whole):
        names = names_of(session, project_id)
        for check in CHECKS:
            yield from told(project_id, check(session, project_id, names))


def told(project_id: str, faults: Iterator[Fault]) -> Iterator[Fault]:
    """With a last one where something was put there by force that can't even be read."""
    try:
        yield from faults
    except UNREADABLE as error:
        yield Fault(project_id, None, f"something is stored that Adjudge can't have written: {error}")


def check_projects(session: Session, projects: set[str]) -> Iterator[Fault]:
    """Each that was started is there, and has its record."""
    begun = set(session.scalars(select(Chain.id)))
    for number, facts in acts_of(session, INSTALLATION, "project started"):
        if facts["project"] not in projects & begun:
            yield Fault(INSTALLATION, number, f"project {facts['project']}, or its record, is not there any more")


def check_seals(session: Session, project_id: str, names: Names) -> Iterator[Fault]:
    """Whatever acts hold seals of: as the newest act about it told."""
    acts: dict[str, Sealed] = {kind: {} for kind in CONTENTS}
    for number, facts in acts_of(session, project_id):
        for kind, seals in facts.get("seals", {}).items():
            acts[kind].update((row_id, (number, seal)) for row_id, seal in seals.items())
    for kind, sealed in acts.items():
        called = {project_id: ""} if kind in ONCE else names
        yield from compare(project_id, WORDS[kind], sealed, sealed_now(session, project_id, kind), called)


def check_rubrics(session: Session, project_id: str, _names: Names) -> Iterator[Fault]:
    """Every word of each published version has the hash that its row, which is sealed, holds."""
    for rubric in versions_of(session, project_id):
        if hash_of(text_of(session, rubric)) != rubric.text_hash:
            yield Fault(project_id, None, f"the text of rubric version {rubric.number} is not what was published")


def check_documents(session: Session, project_id: str, _names: Names) -> Iterator[Fault]:
    """Every text has the hashes that its row holds; those are sealed."""
    kept = (Document.title, Document.text, Document.url, Document.html, Document.shown_fields)
    hashes = (Document.source_hash, Document.text_hash, Document.docno)
    rows = select(*kept, *hashes).where(Document.project_id == project_id)
    for *shown, fields, source_hash, text_hash, docno in stream(session, rows):
        own = shown_hash(*shown)
        if (source_hash, text_hash) != (own if fields else None, hash_with_fields(own, fields)):
            yield Fault(project_id, None, f"the text of document {docno} is not what its hash says")


def check_revisions(session: Session, project_id: str, _names: Names) -> Iterator[Fault]:
    """The grade that counts is the last one."""
    for assignment_id in session.scalars(NOT_THE_LAST, {"project": project_id}):
        yield Fault(project_id, None, f"assignment {assignment_id} counts another grade than its last")


def check_grades(session: Session, project_id: str, names: Names) -> Iterator[Fault]:
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
    yield from compare(project_id, "at least one grade of round", rounds, together, names)
    yield from compare(project_id, "grade", sealed_by(session, project_id, "grade given", of="grade"), given, {})


def check_plans(session: Session, project_id: str, names: Names) -> Iterator[Fault]:
    """Who was dealt what, and as what, in each round: as it opened, and as each act since has changed it."""
    acts: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, facts in acts_of(session, project_id, *DEALING):
        acts.setdefault(facts["round"], []).append((number, facts))
    dealt: dict[str, dict[str, str]] = {round_id: {} for round_id in acts}
    for round_id, deal_id, seal in every_deal(session, project_id):
        dealt.setdefault(round_id, {})[deal_id] = seal
    for round_id, seals in dealt.items():
        plan = f"who was dealt what in round {names.get(round_id, round_id)}"
        if round_id not in acts:
            yield Fault(project_id, None, f"{plan} is in no act")
        for number in changed_untold(seals, acts.get(round_id, ())):
            yield Fault(project_id, number, f"{plan} is not what it was then")


def check_decisions(session: Session, project_id: str, _names: Names) -> Iterator[Fault]:
    acts = sealed_by(session, project_id, *VERBS.values(), of="decision")
    steps = session.scalars(select(Decision).where(Decision.project_id == project_id))
    yield from compare(project_id, "decision", acts, ((step.id, seal_of_step(step)) for step in steps), {})


def check_releases(session: Session, project_id: str, names: Names) -> Iterator[Fault]:
    """Each manifest; the judgments, by the hashes that it names; and the head of the record that left with it: a tail
    that was cut off, the head with it, is missed here.
    """
    acts = sealed_by(session, project_id, "release frozen", of="release", seal="sha256")
    releases = session.scalars(select(Release).where(Release.project_id == project_id)).all()
    manifests = ((each.id, sha256(each.manifest)) for each in releases)
    yield from compare(project_id, "the manifest of release", acts, manifests, names)
    for release in releases:
        yield from check_judgments(session, release)
        act = session.get(Act, (project_id, release.record_number))
        if act is None or act.hash != release.record_hash:
            sentence = f"release {release.number} left when the record ended with another act here"
            yield Fault(project_id, release.record_number, sentence)


def check_judgments(session: Session, release: Release) -> Iterator[Fault]:
    try:
        is_as_frozen = digest(judgments_of(session, release)) == read_manifest(release)["hashes"]
    except (FormatError, *UNREADABLE):  # An id or a manifest that can't have been frozen.
        is_as_frozen = False
    if not is_as_frozen:
        yield Fault(release.project_id, None, f"the judgments of release {release.number} are not what was frozen")


def compare(
    project_id: str,
    noun: str,
    acts: Sealed,
    rows: Iterable[tuple[str, str]],
    names: Names,
) -> Iterator[Fault]:
    """`rows`: ids and seals, as the tables have them now. An id without a name in `names` is its own."""
    seen = set()

    def called(row_id: str) -> str:
        return f"{noun} {names.get(row_id, row_id)}".rstrip()

    for row_id, seal in rows:
        seen.add(row_id)
        if row_id not in acts:
            yield Fault(project_id, None, f"{called(row_id)} is in no act")
        elif acts[row_id][1] != seal:
            yield Fault(project_id, acts[row_id][0], f"{called(row_id)} is not what it was then")
    for row_id in acts.keys() - seen:
        yield Fault(project_id, acts[row_id][0], f"{called(row_id)} is not there any more")


CHECKS = (
    check_seals,
    check_plans,
    check_grades,
    check_revisions,
    check_decisions,
    check_rubrics,
    check_documents,
    check_releases,
)
DEALING: tuple[Verb, ...] = (
    "round opened",
    "round imported",
    "round widened",
    "queries added",
    "query taken",
    "query returned",
    "checks dealt",
    "checks dropped",
)
"""Whatever makes deals, or changes what they hold."""


# Selects


def names_of(session: Session, project_id: str) -> Names:
    """Numbers of what is numbered, by the acts, and names of runs and members, as far as they are there."""
    names: dict[str, str] = {}
    for model in (Run, Member):
        names |= dict(session.execute(select(model.id, model.name).where(model.project_id == project_id)).all())
    for _, facts in acts_of(session, project_id):
        numbered = (facts.get(kind) for kind in ("rubric", "pool", "round", "release"))
        names |= {str(row_id): str(facts["number"]) for row_id in numbered if row_id and "number" in facts}
    return names


def judgments_of(session: Session, release: Release) -> Iterator[Judgment]:
    """As they were hashed: in the order of qid bytes, then docno bytes."""
    columns = (Judgment.qid, Judgment.docno, Judgment.grade, Judgment.source, Judgment.text_hash)
    theirs = (Judgment.project_id == release.project_id, Judgment.release_id == release.id)
    return stream(session, select(*columns).where(*theirs).order_by(Judgment.qid, Judgment.docno))


def sealed_by(session: Session, project_id: str, *verbs: Verb, of: str, seal: str = "seal") -> Sealed:
    return {facts[of]: (number, facts[seal]) for number, facts in acts_of(session, project_id, *verbs)}


def acts_of(session: Session, chain_id: str, *verbs: Verb) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbers and facts in their order; without verbs, of all but grades, which are many and name nothing else."""
    is_wanted = ACTS.c.verb.in_(verbs) if verbs else ACTS.c.verb != "grade given"
    rows = select(ACTS.c.number, ACTS.c.facts).where(ACTS.c.chain_id == chain_id, is_wanted).order_by(ACTS.c.number)
    for number, facts in stream(session, rows):
        yield number, json.loads(facts)


def sealed_grades(session: Session, project_id: str) -> Iterator[tuple[str, str, str]]:
    """Round, grade and the grade's seal as it is now."""
    for row in stream(session, GRADES.params(project=project_id)):
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
LAST: Select[str, int] = (
    select(Grade.assignment_id, func.max(Grade.revision).label("revision"))
    .where(Grade.project_id == bindparam("project"))
    .group_by(Grade.assignment_id)
)
OF_GRADES = LAST.subquery()
NOT_THE_LAST = (
    select(Assignment.id)
    .outerjoin(OF_GRADES, OF_GRADES.c.assignment_id == Assignment.id)
    .where(Assignment.project_id == bindparam("project"))
    .where(Assignment.revision != func.coalesce(OF_GRADES.c.revision, 0))
    .order_by(Assignment.id)
)
