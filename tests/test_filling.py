"""Tables that are filled by the thousand are planned for as what they are, before their transaction ends."""

from collections.abc import Sequence

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.db import insert_rows, new_id, now
from app.people.models import Attempt
from tests.make import Cast


@pytest.fixture
def database_url(postgresql_url: str) -> str:
    """SQLite chooses its index whatever the size."""
    return postgresql_url


def fill(session: Session, batches: Sequence[int]) -> None:
    for rows in batches:
        insert_rows(session, Attempt, [{"id": new_id(), "about": "x", "at": now()} for _ in range(rows)])


def expected(session: Session) -> int:
    """The rows that the planner reckons with."""
    plan = session.scalar(text("EXPLAIN (FORMAT JSON) SELECT id FROM attempt WHERE about = 'x'"))
    assert plan is not None
    rows: int = plan[0]["Plan"]["Plan Rows"]
    return rows


@pytest.mark.parametrize("batches", [[6_000], [200] * 30, [3_000, 3_000]])
def test_the_planner_knows_of_rows_that_the_same_transaction_wrote(cast: Cast, batches: list[int]) -> None:
    with cast.database.session(writes=True) as session:
        fill(session, batches)
        assert 2_400 <= expected(session) <= 12_000


def test_two_that_fill_the_same_table_do_not_wait_for_each_other(cast: Cast) -> None:
    with cast.database.session(writes=True) as one, cast.database.session(writes=True) as other:
        other.execute(text("SET LOCAL lock_timeout = '1s'"))
        fill(one, [1_000])
        fill(other, [1_000])
