"""Grades that named people gave elsewhere: an imported round, closed from the start, in the same kappa and gate.

A name is the member who bears it, or else becomes a member without an account. Nothing that is here is changed by it:
grades that are here already stay as they are, and others for the same pair and person are refused.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.corpora.choices import DELIMITER, Choice, column
from app.corpora.kinds import Findings, Incoming, Kind
from app.corpora.models import Document, Query
from app.corpora.outside_ids import NamedQueries, first_lines, makes_placeholders, report_unknown
from app.db import joining_whole_tables
from app.formats.errors import FormatError
from app.formats.grades import LAYOUTS, NamedGrade, read_grades
from app.judging.imported_rounds import WHY, Sheaf, make_imported_round, members_by_name
from app.judging.models import IS_JUDGING, Assignment, Grade, Round
from app.judging.naming import BLANK, KINDS, LEVELS, MOST_NAMED, NAMES, UNJUDGEABLE, Words, level_of, machines, who_is
from app.judging.queries import OF_FAMILY, newest
from app.names import is_name
from app.pools.models import Pair
from app.projects.models import Member, Project
from app.projects.queries import lock_project
from app.projects.starting import refuse_small_set
from app.rubrics.models import Rubric
from app.rubrics.queries import levels_of, required_rubric
from app.words import plural

LONGEST_NAME = 100
ToldBefore = Callable[[Session, Project, Rubric, Collection[str]], list[str]]
"""Sentences about queries, by their qids, that were judged twice before under a family earlier than the rubric's."""


def count_given(session: Session, project: Project) -> int:
    """Grades that stand, wherever they were given; what somebody corrected counts once."""
    given = select(func.count()).where(Assignment.project_id == project.id, Assignment.revision > 0)
    return session.execute(given).scalar_one()


def grades_kind(told_before: ToldBefore) -> Kind:
    """Grades as a kind of file. `told_before` comes from the slice that measures agreement, which stands above."""
    return Kind(
        name="grades",
        one="grade",
        many="grades",
        about="Grades that named people have given already: one a line (labeller, query, document, grade), or one "
        "column a person. They become a closed round of those people, count in agreement and gate as any other, and "
        "are marked as imported. Grades without names are reference qrels.",
        example="query_id,docid,rater 1,rater 2\nq1,d17,2,3\nq1,d4,0,0",
        choices=lambda _session, _project: (
            Choice(
                "placeholders",
                "Queries and documents that are not here",
                "A placeholder holds grades, and can’t be judged here until its text is brought in.",
                options=(("refuse", "refuse the file"), ("make", "make placeholders")),
                comes_first=True,
            ),
            Choice("layout", "Layout", options=tuple((each, each) for each in LAYOUTS), reads_as="layout"),
            DELIMITER,
            column("qid", "Query"),
            column("docno", "Document"),
            column("labeller", "Labeller", "In a long file."),
            column("grade", "Grade", "In a long file."),
            Choice("people", "People", "Columns of a wide file.", takes="columns", reads_as="people"),
            NAMES,
            LEVELS,
            KINDS,
        ),
        bring_in=partial(bring_in_grades, told_before=told_before),
        count=count_given,
        histogram_of="How many of each grade",
        then=(("/agreement", "Look at the agreement"), ("/rounds", "See the rounds")),
    )


def bring_in_grades(session: Session, incoming: Incoming, *, writes: bool, told_before: ToldBefore) -> Findings:
    if writes:
        lock_project(session, incoming.project)
    rubric = required_rubric(session, incoming.project.id)
    findings, sheaf = Findings(), Sheaf(rubric)
    scale = levels_of(session, rubric)
    levels = {level.number for level in scale}
    here = grades_here(session, incoming.project, rubric)
    words, queries = Words.of(incoming), NamedQueries.of(session, incoming.project)
    with incoming.opened() as file:
        for given in read_grades(file, incoming.name, on_blank=words.see_blank, **incoming.reading):
            words.see(given)
            qid = queries.qid_of(incoming, findings, given.qid, given.line)
            if qid is None:
                continue
            if (other := words.translate(given, qid)) is not None:
                findings.report(twice(incoming, given, other))
            elif given.grade != BLANK:
                sort_in(incoming, findings, sheaf, given, levels=levels, here=here)
    words.report_unseen(incoming, findings)
    pooled = sheaf.pooled
    refuse_small_set(incoming.project, "the file", len(pooled))
    members = members_by_name(session, incoming.project)
    findings.asks = words.asks(members, scale, incoming)
    findings.new = len(sheaf.grades)
    report_missing(session, incoming, findings, sheaf)
    report_names(incoming, findings, sheaf)
    sheaf.machines = machines(session, incoming, findings)
    if not findings.new and not findings.problems:
        reason = (
            "every grade of it is here already" if findings.same else "every grade of it is taken for an empty cell"
        )
        findings.report(incoming.problem(None, reason, way_out="There is nothing to do."))
    queries.tell(findings)
    if words.ungraded:
        stays = "stays" if words.ungraded == 1 else "stay"
        findings.notes.append(f"{plural(words.ungraded, 'pair has', 'pairs have')} no grade at all, and {stays} out.")
    describe(findings, sheaf, members)
    findings.notes[:0] = told_before(session, incoming.project, rubric, pooled)
    if writes and not findings.problems:
        round_ = make_imported_round(session, incoming.project, incoming.person.id, sheaf)
        findings.see = f"/rounds/{round_.id}"
    return findings


def twice(incoming: Incoming, given: NamedGrade, what: str) -> FormatError:
    reason = f'"{given.labeller}" graded the pair "{given.qid}", "{given.docno}" twice, under two {what}'
    way_out = "Choose another member for one of the two names." if what == "names" else "Keep one of the two lines."
    return incoming.problem(given.line, reason, None, way_out)


class Asked(NamedTuple):
    """That a labeller was asked for a pair before, and what they gave."""

    round_number: int
    level: int | None
    reason: str | None


def grades_here(session: Session, project: Project, rubric: Rubric) -> dict[tuple[str, str, str], Asked]:
    """By name, qid and docno: every assignment of the rubric's family."""
    with joining_whole_tables(session):
        rows = session.execute(HERE, {"project": project.id, "family": rubric.family})
    return {(name, qid, docno): Asked(number, level, why) for name, qid, docno, number, level, why in rows}


def sort_in(
    incoming: Incoming,
    findings: Findings,
    sheaf: Sheaf,
    given: NamedGrade,
    *,
    levels: Collection[int],
    here: Mapping[tuple[str, str, str], Asked],
) -> None:
    """A grade is new, or here already, or a problem."""
    level, is_unjudgeable = level_of(given.grade), given.grade == UNJUDGEABLE
    asked = here.get((given.labeller, given.qid, given.docno))
    if level not in levels and not is_unjudgeable:
        scale = f"rubric {sheaf.rubric.number}, which has {min(levels)} to {max(levels)}"
        reason = f'"{given.grade[:40]}" is no level of {scale}'
        way_out = "Say under “Which level is which” what it is: a level, or why there is none."
        findings.report(incoming.problem(given.line, reason, given.grade, way_out))
    elif asked is None:
        sheaf.grades.append((given, level))
    elif (asked.level, asked.reason) == (level, WHY if is_unjudgeable else None):
        findings.same += 1
    else:
        reason = (
            f'"{given.labeller}" was asked for the pair "{given.qid}", "{given.docno}" in round {asked.round_number}'
        )
        way_out = "A grade is never changed by a file: take the line out."
        findings.report(incoming.problem(given.line, reason, None, way_out))


def report_missing(session: Session, incoming: Incoming, findings: Findings, sheaf: Sheaf) -> None:
    """Ids that the project does not have."""
    makes = makes_placeholders(incoming)
    for word, many, lines in (
        ("query", "queries", first_lines((given.qid, given.line) for given, _ in sheaf.grades)),
        ("document", "documents", first_lines((given.docno, given.line) for given, _ in sheaf.grades)),
    ):
        way_out = f"Bring in the {many} first, or choose placeholders."
        missing = report_unknown(session, incoming, findings, word, lines, way_out=way_out, makes=makes)
        findings.more[f"new_{many}"] = missing


def report_names(incoming: Incoming, findings: Findings, sheaf: Sheaf) -> None:
    for name in sheaf.names:
        if not is_name(name, longest=LONGEST_NAME):
            reason = f"a name has at most {LONGEST_NAME} characters that can be shown"
            way_out = "Shorten it, or take out what can't be seen."
            findings.report(incoming.problem(None, reason, name[:LONGEST_NAME], way_out))


def describe(findings: Findings, sheaf: Sheaf, members: Collection[str]) -> None:
    """What it comes to, and who is who: whether a name is the right person only the lead can say."""
    graded = Counter((given.qid, given.docno) for given, _ in sheaf.grades)
    findings.more |= {
        "pairs": len(graded),
        "twice": sum(number > 1 for number in graded.values()),
        "queries": len({qid for qid, _ in graded}),
        "labellers": len(sheaf.names),
    }
    if sheaf.lone:
        findings.notes.append(
            f"{plural(sheaf.lone, 'pair has', 'pairs have')} one grade in queries that two people graded: kappa leaves "
            "them out, and a release says so where they are many."
        )
    for name in sheaf.names[:MOST_NAMED]:
        findings.notes.append(f"{name}: {who_is(name, members)}.")
    for names in alike([*sheaf.names, *members]):
        if not set(names).isdisjoint(sheaf.names):
            several = " and ".join(f"“{name}”" for name in names)
            findings.notes.append(f"{several} are different people here: if they are one, say so under “Who is who”.")


def alike(names: Collection[str]) -> list[list[str]]:
    """Those that differ in nothing but capital letters, or in how a letter is encoded."""
    spelled: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        spelled.setdefault(unicodedata.normalize("NFKC", name).casefold(), []).append(name)
    return [each for each in spelled.values() if len(each) > 1]


HERE = (
    select(Member.name, Query.qid, Document.docno, Round.number, Grade.level, Grade.reason)
    .select_from(Assignment)
    .join(Member, and_(Member.project_id == Assignment.project_id, Member.id == Assignment.labeller_id))
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(Assignment.project_id == bindparam("project"), Assignment.round_id.in_(OF_FAMILY), IS_JUDGING)
)
