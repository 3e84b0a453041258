"""Closed rounds are remembered, and what was remembered is never told once it has changed."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from app.agreement import remembering
from app.agreement.gate import gate_of
from app.agreement.queries import Asked, RoundMark, asked_in_round
from app.agreement.remembering import Memory
from app.db import now
from app.judging.models import Round
from app.projects.models import Project
from tests.agreement.judged import grade_again, judge
from tests.make import Cast

OPENED, CLOSED = datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


def asked(answers: int) -> Asked:
    return Asked._make(["p"] * answers for _ in Asked._fields)


def mark(round_id: str, *, pressed: int = 2) -> RoundMark:
    return RoundMark(round_id, 1, OPENED, CLOSED, 2, 2, 2, pressed)


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    memory, known = Memory(most=5), asked(2)
    for each in ("one", "two"):
        memory.keep(mark(each), known)
    assert memory.recall(mark("one")) is known
    memory.keep(mark("three"), known)
    assert [memory.recall(mark(each)) is known for each in ("one", "two", "three")] == [True, False, True]
    assert memory.recall(mark("one", pressed=3)) is None
    for pressed in range(3, 9):
        memory.keep(mark("one", pressed=pressed), known)
    assert memory.recall(mark("three")) is known
    memory.keep(mark("too large"), asked(6))
    assert memory.recall(mark("too large")) is None


def test_a_closed_round_is_read_once_and_again_after_any_change(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    project_id = cast.project(cast.person("lea"))
    with cast.database.session(writes=True) as session:
        project = session.get_one(Project, project_id)
        round_ = judge(session, project_id, [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)])
        read: list[str] = []

        def read_and_told(session: Session, project_id: str, round_id: str, number: int) -> Asked:
            read.append(round_id)
            return asked_in_round(session, project_id, round_id, number)

        monkeypatch.setattr(remembering, "asked_in_round", read_and_told)

        def table() -> tuple[list[list[int]], bool]:
            read.clear()
            return gate_of(session, project, 1).evidence.agreement.table.tolist(), bool(read)

        first = [[int((a, b) == (0, 3)) for b in range(4)] for a in range(4)]
        after = [[int((a, b) == (1, 3)) for b in range(4)] for a in range(4)]
        assert [table(), table()] == [(first, True), (first, False)]
        grade_again(session, project_id, "q1", "d1", "ana", 1)
        assert [table(), table()] == [(after, True), (after, False)]
        session.get_one(Round, (project_id, round_.id)).closed_at = None
        assert [table(), table()] == [(after, True), (after, True)]
        session.get_one(Round, (project_id, round_.id)).closed_at = now()
        assert [table(), table()] == [(after, True), (after, False)]
