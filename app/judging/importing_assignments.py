"""Deals by file: a round whose queries go to whom the file says, all of it or nothing."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.corpora.choices import DELIMITER, Choice, column
from app.corpora.kinds import Findings, Incoming, Kind
from app.formats.assignments import AssignmentLine, read_assignments
from app.formats.errors import FormatError
from app.judging.choosing import Pooled, dealt_queries, pairs_of, stale_queries
from app.judging.dealing import open_planned
from app.judging.lots import checked_seed
from app.judging.models import Assignment
from app.judging.planning import Kind as RoundKind
from app.judging.planning import Plan, able_labellers
from app.pools.models import Pool
from app.pools.queries import pools_of, required_pool
from app.projects.models import Project
from app.projects.queries import lock_project
from app.projects.starting import refuse_small_set
from app.reading import LARGEST_WHOLE, whole_number
from app.rubrics.models import Rubric
from app.rubrics.queries import required_rubric
from app.words import plural

AnswerGate = Callable[[Session, Project], str | None]
"""What the gate says of the newest rubric's family."""
KIND_OF_ROUND = Choice(
    "round",
    "Round",
    options=(("agreement", "agreement: each query to two"), ("main", "main: each query to one or two")),
    comes_first=True,
)
SEED = Choice("seed", "Seed", "Draws everybody's order of documents; without one it is drawn by lot.", takes="line")
WARNED = Choice(
    "warned",
    "A main round before the gate has passed",
    "What is judged then may have to be judged again.",
    options=(("no", "is not opened"), ("yes", "is opened all the same")),
)


def assignments_kind(answer_gate: AnswerGate) -> Kind:
    """Assignments as a kind of file. `answer_gate` comes from the slice that measures agreement, which stands above."""
    return Kind(
        name="assignments",
        one="assignment",
        many="assignments",
        about="Who judges what, a pair a line: query, document and labeller, by the names of the members. Whole "
        "queries only: a labeller is given every pair that the pool has of a query. Bringing it in opens a round; the "
        "first labeller of a query in the file is its primary.",
        example="qid,docno,labeller\nq1,d17,Ana\nq1,d4,Ana\nq1,d17,Ben\nq1,d4,Ben",
        choices=choices,
        bring_in=partial(bring_in_assignments, answer_gate=answer_gate),
        count=count_assignments,
        histogram_of="How many pairs each labeller gets",
        then=(("/rounds", "See the rounds"),),
    )


def choices(session: Session, project: Project) -> Sequence[Choice]:
    pools = [pool for pool, _ in pools_of(session, project.id) if pool.source != "grades"]
    pool = Choice("pool", "Pool", options=tuple((each.id, f"pool {each.number}") for each in pools))
    names = (column("qid", "Query"), column("docno", "Document"), column("labeller", "Labeller"))
    return (KIND_OF_ROUND, pool, SEED, WARNED, DELIMITER, *names)


def count_assignments(session: Session, project: Project) -> int:
    return session.execute(select(func.count()).where(Assignment.project_id == project.id)).scalar_one()


@dataclass
class Dealt:
    """What a file says: the line of each docno by qid and labeller."""

    lines: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)

    def add(self, asked: AssignmentLine) -> None:
        self.lines.setdefault(asked.qid, {}).setdefault(asked.labeller, {})[asked.docno] = asked.line

    @property
    def first_lines(self) -> dict[str, int]:
        """By labeller."""
        first: dict[str, int] = {}
        for by_labeller in self.lines.values():
            for name, lines in by_labeller.items():
                first[name] = min(first.get(name, LARGEST_WHOLE), *lines.values())
        return dict(sorted(first.items(), key=lambda each: each[1]))

    @property
    def words(self) -> str:
        return f"{plural(len(self.lines), 'query', 'queries')} to {plural(len(self.first_lines), 'labeller')}"

    def plan(
        self, kind: RoundKind, rubric: Rubric, pool: Pool, pooled: Pooled, members: Mapping[str, str], *, seed: int
    ) -> Plan:
        twice = [qid for qid, by_labeller in self.lines.items() if len(by_labeller) == 2]
        return Plan(
            kind,
            rubric,
            pool,
            seed,
            overlap=len(twice) / len(self.lines),
            idle_minutes=None,
            pooled={qid: pooled[qid] for qid in self.lines},
            twice=twice,
            members={name: members[name] for name in self.first_lines},
            shares={qid: tuple(by_labeller) for qid, by_labeller in self.lines.items()},
        )


def bring_in_assignments(session: Session, incoming: Incoming, *, writes: bool, answer_gate: AnswerGate) -> Findings:
    project = lock_project(session, incoming.project) if writes else incoming.project
    findings, dealt = Findings(), Dealt()
    kind = cast("RoundKind", incoming.chosen.get("round", "agreement"))
    pool = required_pool(session, project.id, incoming.chosen.get("pool"))
    rubric, pooled = required_rubric(session, project.id), pairs_of(session, pool)
    refuse_small_set(project, "the pool", len(pooled))
    members = {member.name: member.id for member in able_labellers(session, project)}

    def count_repeat(_line: int, _first: int) -> None:
        findings.same += 1

    with incoming.opened() as file:
        for asked in read_assignments(file, incoming.name, on_repeat=count_repeat, **incoming.reading):
            dealt.add(asked)
            findings.new += 1
    taken = dealt_queries(session, rubric)
    if kind == "agreement":
        taken = stale_queries(session, rubric, taken)
    for problem in problems_of(incoming, dealt, pooled, taken=taken, members=members, kind=kind):
        findings.report(problem)
    findings.notes.append(f"It opens {'a main' if kind == 'main' else 'an agreement'} round of {dealt.words}.")
    if writes and not findings.problems:
        seed = checked_seed(whole_number(incoming.chosen.get("seed", ""), "seed"))
        plan = dealt.plan(kind, rubric, pool, pooled, members, seed=seed)
        is_warned, gate = incoming.chosen.get("warned") == "yes", answer_gate(session, project)
        round_ = open_planned(session, project, incoming.person, plan, gate_answer=gate, is_warned=is_warned)
        findings.see = f"/rounds/{round_.id}"
    return findings


def problems_of(
    incoming: Incoming,
    dealt: Dealt,
    pooled: Pooled,
    *,
    taken: Collection[str],
    members: Mapping[str, str],
    kind: RoundKind,
) -> Iterator[FormatError]:
    """In the order of the file's first lines of what they are about."""
    for name, line in dealt.first_lines.items():
        if name not in members:
            way_out = f"Who can label here: {', '.join(sorted(members))[:300]}."
            yield incoming.problem(line, f'nobody called "{name}" can label here', name, way_out)
    for qid, by_labeller in dealt.lines.items():
        line = min(min(docnos.values()) for docnos in by_labeller.values())
        if qid not in pooled:
            way_out = "Take it out, or choose the pool that has it."
            yield incoming.problem(line, f'the query "{qid}" is not in the pool', qid, way_out)
        elif qid in taken:
            reason = f'the query "{qid}" was dealt, or judged twice, before'
            yield incoming.problem(line, reason, qid, "Take it out.")
        else:
            yield from problems_of_query(incoming, qid, by_labeller, {pair.docno for pair in pooled[qid]}, kind=kind)


def problems_of_query(
    incoming: Incoming, qid: str, by_labeller: Mapping[str, Mapping[str, int]], docnos: set[str], *, kind: RoundKind
) -> Iterator[FormatError]:
    for name, lines in by_labeller.items():
        for docno, line in lines.items():
            if docno not in docnos:
                reason = f'the pool does not have the document "{docno}" for the query "{qid}"'
                yield incoming.problem(line, reason, docno, "Take it out.")
        if missing := docnos - lines.keys():
            reason = f'"{name}" is not given the whole query "{qid}": {plural(len(missing), "pair")} of it missing'
            way_out = (
                f"Add {', '.join(sorted(missing)[:5])}{' …' if len(missing) > 5 else ''}: queries are judged whole."
            )
            yield incoming.problem(min(lines.values()), reason, None, way_out)
    number, last = len(by_labeller), max(min(lines.values()) for lines in by_labeller.values())
    if number > 2 or (kind == "agreement" and number < 2):
        reason = f'the query "{qid}" is given to {plural(number, "labeller")}'
        way_out = "In an agreement round each query goes to two, in a main round to one or two."
        yield incoming.problem(last, reason, None, way_out)
