"""A third person decides: blind first, then with a reason; steps are only added, and the newest counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy import Delete, Update, delete, select, update
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from app.agreement.adjudicating import adjudication_of, decide, grade_blind, undo
from app.agreement.adjudication_queries import decisions_of, differing_pairs
from app.agreement.gate import gate_of
from app.agreement.models import Decision
from app.agreement.queueing import count_decided, queue_of
from app.errors import FieldError, InputError, NotThere, RuleError
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Member, Project
from tests.agreement.judged import Said, grade_again, judge
from tests.make import Cast

SAID: list[Said] = [
    ("q1", "d1", "ana", 0),
    ("q1", "d1", "ben", 3),
    ("q1", "d2", "ana", 1),
    ("q1", "d2", "ben", "broken"),
    ("q1", "agreed", "ana", 1),
    ("q1", "agreed", "ben", 1),
]
WHY = "The step is there, in the second paragraph."


@dataclass(frozen=True)
class Bench:
    """A project in which labellers differ on d1 (0 and 3) and d2 (1 and unjudgeable), and two leads who can decide."""

    session: Session
    project_id: str
    lea: Seat
    leo: Seat
    pairs: dict[str, str]


def seat_of(session: Session, project_id: str, person_id: str) -> Seat:
    member = session.scalars(select(Member).where(Member.project_id == project_id, Member.person_id == person_id)).one()
    return Seat(session.get_one(Project, project_id), member, session.get_one(Person, person_id), "api", None)


@pytest.fixture
def bench(cast: Cast) -> Iterator[Bench]:
    """Everything in one transaction."""
    lea, leo = cast.person("lea"), cast.person("leo")
    project_id = cast.project(lea)
    cast.member(project_id, leo, "lead")
    with cast.database.session(writes=True) as session:
        judge(session, project_id, SAID)
        pairs = {pair.docno: pair.pair_id for pair in differing_pairs(session, project_id, 1)}
        yield Bench(session, project_id, seat_of(session, project_id, lea), seat_of(session, project_id, leo), pairs)


# Blind, then decided


def test_a_decision_comes_after_a_blind_grade_of_ones_own(bench: Bench) -> None:
    with pytest.raises(RuleError, match="blind grade of your own"):
        decide(bench.session, bench.lea, bench.pairs["d1"], level=2, reason=WHY, revision=0)
    case = grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=2, revision=0)
    assert case.blind is not None
    assert (case.blind.level, case.revision, case.decision) == (2, 1, None)
    with pytest.raises(RuleError, match="blind grade of your own"):
        decide(bench.session, bench.leo, bench.pairs["d1"], level=2, reason=WHY, revision=1)
    case = decide(bench.session, bench.lea, bench.pairs["d1"], level=3, reason=f"  {WHY} ", revision=1)
    assert case.decision is not None
    assert (case.decision.level, case.decision.reason, case.revision) == (3, WHY, 2)
    assert {pair: step.level for pair, step in decisions_of(bench.session, bench.project_id, 1).items()} == {
        bench.pairs["d1"]: 3
    }


def test_no_judgment_can_be_the_decision(bench: Bench) -> None:
    pair = bench.pairs["d2"]
    grade_blind(bench.session, bench.lea, pair, level=None, reason="needs expertise", revision=0)
    decide(bench.session, bench.lea, pair, level=None, reason="Nobody here can tell.", revision=1)
    assert decisions_of(bench.session, bench.project_id, 1)[pair].level is None


@pytest.mark.parametrize(("level", "reason"), [(4, WHY), (-1, WHY), (2, ""), (2, "  \n"), (2, "x" * 2001), (2, "a\0b")])
def test_a_decision_is_a_level_of_the_rubric_with_a_reason(bench: Bench, level: int, reason: str) -> None:
    grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=2, revision=0)
    with pytest.raises(FieldError):
        decide(bench.session, bench.lea, bench.pairs["d1"], level=level, reason=reason, revision=1)
    assert decisions_of(bench.session, bench.project_id, 1) == {}


def test_a_blind_grade_without_a_level_says_why(bench: Bench) -> None:
    with pytest.raises(FieldError, match="can't be judged"):
        grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=None, reason="no idea", revision=0)


def test_nobody_is_blind_twice(bench: Bench) -> None:
    grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=2, revision=0)
    with pytest.raises(RuleError, match="blind before"):
        grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=3, revision=1)


# Undoing


def test_a_decision_can_be_taken_back_and_taken_again(bench: Bench) -> None:
    pair = bench.pairs["d1"]
    grade_blind(bench.session, bench.lea, pair, level=2, revision=0)
    decide(bench.session, bench.lea, pair, level=2, reason=WHY, revision=1)
    with pytest.raises(RuleError, match="decided already"):
        decide(bench.session, bench.lea, pair, level=3, reason=WHY, revision=2)
    assert undo(bench.session, bench.lea, pair, revision=2).decision is None
    assert decisions_of(bench.session, bench.project_id, 1) == {}
    with pytest.raises(RuleError, match="Nothing is decided"):
        undo(bench.session, bench.leo, pair, revision=3)
    case = decide(bench.session, bench.lea, pair, level=3, reason=WHY, revision=3)
    assert [step.step for step in case.steps] == ["blind", "decided", "undone", "decided"]
    assert decisions_of(bench.session, bench.project_id, 1)[pair].level == 3


# Two at once, and twice the same


def test_of_two_adjudicators_at_once_one_is_told(bench: Bench) -> None:
    pair = bench.pairs["d1"]
    grade_blind(bench.session, bench.lea, pair, level=2, revision=0)
    with pytest.raises(RuleError, match="Another step") as refusal:
        grade_blind(bench.session, bench.leo, pair, level=3, revision=0)
    assert refusal.value.details == {"conditions": ["revision"], "revision": 1}
    grade_blind(bench.session, bench.leo, pair, level=3, revision=1)
    decide(bench.session, bench.leo, pair, level=3, reason=WHY, revision=2)
    with pytest.raises(RuleError, match="Another step"):
        decide(bench.session, bench.lea, pair, level=2, reason=WHY, revision=1)
    with pytest.raises(RuleError, match="decided already"):
        decide(bench.session, bench.lea, pair, level=2, reason=WHY, revision=3)
    assert decisions_of(bench.session, bench.project_id, 1)[pair].level == 3


def test_the_same_step_sent_twice_is_one_step(bench: Bench) -> None:
    pair = bench.pairs["d1"]
    for _ in range(2):
        grade_blind(bench.session, bench.lea, pair, level=2, revision=0)
    for _ in range(2):
        decide(bench.session, bench.lea, pair, level=2, reason=WHY, revision=1)
    undo(bench.session, bench.lea, pair, revision=2)
    case = undo(bench.session, bench.lea, pair, revision=2)
    assert [step.step for step in case.steps] == ["blind", "decided", "undone"]


def test_a_revision_that_never_was_is_refused(bench: Bench) -> None:
    with pytest.raises(InputError):
        grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=2, revision=5)


# Who, and what


def test_a_third_person_decides_and_nobody_their_own_pair(cast: Cast) -> None:
    lea = cast.person("lea")
    project_id = cast.project(lea)
    with cast.database.session(writes=True) as session:
        judge(session, project_id, [("q1", "d1", "lea", 0), ("q1", "d1", "ben", 3)])
        seat = seat_of(session, project_id, lea)
        (pair,) = differing_pairs(session, project_id, 1)
        with pytest.raises(RuleError, match="third person"):
            grade_blind(session, seat, pair.pair_id, level=1, revision=0)
        queue = queue_of(session, seat, 1)
        assert (queue.own, queue.open, len(queue.pairs)) == (1, (), 1)


def test_what_somebody_decided_who_is_a_labeller_of_the_pair_since_waits_again(bench: Bench) -> None:
    session, project, pair = bench.session, bench.project_id, bench.pairs["d1"]
    grade_blind(session, bench.lea, pair, level=2, revision=0)
    decide(session, bench.lea, pair, level=2, reason=WHY, revision=1)
    grade_blind(session, bench.lea, bench.pairs["d2"], level=2, revision=0)
    assert decisions_of(session, project, 1).keys() == {pair}
    judge(session, project, [("q1", docno, "lea", 3) for docno in ("d1", "d2", "agreed")])
    assert decisions_of(session, project, 1) == {}
    queue = queue_of(session, bench.leo, 1)
    assert (queue.decided, count_decided(session, bench.leo, 1)[0]) == (0, 0)
    assert {queued.state for queued in queue.pairs} == {"waiting"}
    assert adjudication_of(session, bench.leo, pair).decision is None
    with pytest.raises(RuleError, match="third person"):
        adjudication_of(session, bench.lea, pair)
    grade_blind(session, bench.leo, pair, level=1, revision=2)
    decide(session, bench.leo, pair, level=1, reason=WHY, revision=3)
    assert decisions_of(session, project, 1)[pair].level == 1
    assert queue_of(session, bench.leo, 1).decided == 1


def test_only_what_differs_is_adjudicated(bench: Bench) -> None:
    with pytest.raises(NotThere):
        adjudication_of(bench.session, bench.lea, "a" * 16)
    grade_again(bench.session, bench.project_id, "q1", "d1", "ana", 3)
    with pytest.raises(RuleError, match="do not differ"):
        grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=1, revision=0)


def test_a_decision_counts_only_while_the_labellers_differ(bench: Bench) -> None:
    pair = bench.pairs["d1"]
    grade_blind(bench.session, bench.lea, pair, level=2, revision=0)
    decide(bench.session, bench.lea, pair, level=2, reason=WHY, revision=1)
    assert queue_of(bench.session, bench.lea, 1).decided == 1
    grade_again(bench.session, bench.project_id, "q1", "d1", "ana", 3)
    queue = queue_of(bench.session, bench.lea, 1)
    assert ([queued.pair.docno for queued in queue.pairs], queue.decided) == (["d2"], 0)


def test_kappa_stays_what_the_labellers_gave(bench: Bench) -> None:
    project = bench.lea.project
    before = gate_of(bench.session, project, 1).evidence.agreement
    grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=3, revision=0)
    decide(bench.session, bench.lea, bench.pairs["d1"], level=3, reason=WHY, revision=1)
    after = gate_of(bench.session, project, 1).evidence.agreement
    assert after.kappa == before.kappa
    assert (after.table == before.table).all()


@pytest.mark.parametrize("change", [update(Decision).values(level=3), delete(Decision)])
def test_a_step_is_never_changed(bench: Bench, change: Update | Delete) -> None:
    grade_blind(bench.session, bench.lea, bench.pairs["d1"], level=2, revision=0)
    with pytest.raises(DatabaseError, match="never changed"), bench.session.begin_nested():
        bench.session.execute(change)
    assert bench.session.scalars(select(Decision.level)).all() == [2]
