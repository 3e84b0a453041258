"""Promises R3 and R4 as a machine: posts come twice, late, out of order, from several windows, or never; what is in
the database is what was acknowledged, once.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from app.judging.models import Assignment, Grade
from tests.make import Cast

NUMBERS = count()


@dataclass(frozen=True)
class Sheet:
    """A rendering of a pair: what a window shows."""

    assignment: str
    key: str
    revision: int
    text_hash: str


@dataclass(frozen=True)
class Post:
    """A request that a browser has made; it may arrive more than once."""

    sheet: Sheet
    level: int
    rationale: str


class Posts(RuleBasedStateMachine):
    """The model: grades of each assignment as acknowledged, and the key under which each was kept."""

    cast: ClassVar[Cast]
    done: ClassVar[Counter[str]]
    """How often each thing was done, over all runs."""
    sheets = Bundle[Sheet]("sheets")
    posts = Bundle[Post]("posts")

    def __init__(self) -> None:
        super().__init__()
        number = next(NUMBERS)
        lead, labeller = self.cast.person(f"ana-{number}"), self.cast.person(f"ben-{number}")
        self.project = self.cast.project(lead)
        self.cast.rubric(self.project)
        member = self.cast.member(self.project, labeller, "labeller")
        pool = self.cast.pool(self.project, {"q": ["d1", "d2", "d3"]})
        self.cast.round(self.project, pool, [member], kind="main", overlap=0.0, is_warned=True)
        self.script: TestClient = self.cast.script(labeller, self.project)
        self.kept: dict[str, list[tuple[int, str]]] = {}
        self.by_key: dict[str, Post] = {}

    def teardown(self) -> None:
        with self.cast.database.session(writes=False) as session:
            assert sum(len(grades) for grades in self.kept.values()) == len(
                session.scalars(select(Grade.id).where(Grade.project_id == self.project)).all()
            )

    @rule(target=sheets)
    def look(self) -> MultipleResults[Sheet]:
        """Another window opens: every pair in it has a key of its own."""
        self.done["windows"] += 1
        shown = self.script.get(f"/api/v1/projects/{self.project}/assignments?state=all").json()
        assert len(shown) == 3
        return multiple(*(Sheet(each["id"], each["key"], each["revision"], each["text_hash"]) for each in shown))

    @rule(target=posts, sheet=sheets, level=st.integers(0, 3), rationale=st.sampled_from(["", "because"]))
    def press(self, sheet: Sheet, level: int, rationale: str) -> Post:
        """A press; whether and how often it arrives is another matter."""
        self.done["presses"] += 1
        return Post(sheet, level, rationale)

    @rule(post=posts)
    def arrive(self, post: Post) -> None:
        sheet = post.sheet
        answer = self.script.post(
            f"/api/v1/projects/{self.project}/assignments/{sheet.assignment}/grades",
            json={
                "level": post.level,
                "rationale": post.rationale,
                "key": sheet.key,
                "revision": sheet.revision,
                "text_hash": sheet.text_hash,
            },
        )
        self.done[str(answer.status_code)] += 1
        kept = self.kept.setdefault(sheet.assignment, [])
        if sheet.key in self.by_key:
            assert answer.status_code == (201 if self.by_key[sheet.key] == post else 422)
        elif sheet.revision != len(kept):
            assert answer.status_code == 409
        else:
            assert answer.status_code == 201
            kept.append((post.level, post.rationale))
            self.by_key[sheet.key] = post
        if answer.status_code == 201:
            assert answer.json() == {"revision": sheet.revision + 1, "saved": True}

    @invariant()
    def what_was_acknowledged_is_there_once(self) -> None:
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Grade.assignment_id, Grade.level, Grade.rationale)
                .where(Grade.project_id == self.project)
                .order_by(Grade.assignment_id, Grade.revision)
            ).all()
            revisions = dict(
                session.execute(
                    select(Assignment.id, Assignment.revision).where(Assignment.project_id == self.project)
                ).all()
            )
        found: dict[str, list[tuple[int | None, str]]] = {}
        for assignment, level, rationale in rows:
            found.setdefault(assignment, []).append((level, rationale))
        assert found == {assignment: grades for assignment, grades in self.kept.items() if grades}
        assert all(revisions[assignment] == len(grades) for assignment, grades in found.items())


@pytest.fixture
def machine(cast: Cast) -> type[Posts]:
    return type("PostsHere", (Posts,), {"cast": cast, "done": Counter()})


def test_no_order_of_posts_loses_or_doubles_a_grade(machine: type[Posts]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=8,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.soak
def test_ten_thousand_steps_lose_and_double_nothing(machine: type[Posts]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=100,
            stateful_step_count=200,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(machine.done)  # noqa: T201 - the figure that is quoted
    assert machine.done.total() >= 10_000
