"""What is asked of PostgreSQL alone: to plan for tables filled by the thousand, and to answer after the disk."""

from collections.abc import Sequence

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.orm import Session

from app.db import Database, insert_rows, new_id, now
from app.errors import DomainError
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


def test_a_database_that_would_answer_before_the_disk_does_is_refused(database_url: str) -> None:
    url = make_url(database_url)
    owner = Database(database_url)
    with owner.session(writes=True) as session:
        session.execute(text(f'ALTER DATABASE "{url.database}" SET synchronous_commit = off'))
    owner.close()
    careless = Database(database_url)
    with pytest.raises(DomainError, match="synchronous_commit=off"), careless.session(writes=False):
        pass
    careless.close()
