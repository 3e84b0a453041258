"""Statements that go to the driver as they are read, write and fail as SQLAlchemy's would."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.people.models import Attempt, Person
from app.prepared import Addition, Prepared
from tests.make import Cast

ADD = Prepared(insert(Attempt))
FIND = Prepared(select(Attempt.about, Attempt.at).where(Attempt.about == bindparam("about"), Attempt.id != "none"))
RENAME = Prepared(update(Person).where(Person.id == bindparam("who")).values(name=bindparam("to")))
NOTE = Addition(Attempt, update(Person).where(Person.id == bindparam("new_id")).values(name=bindparam("new_about")))
AT = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_what_is_stored_is_read_as_it_was_given(cast: Cast) -> None:
    with cast.database.session(writes=True) as session:
        for number in range(8):  # PostgreSQL's driver prepares a statement when it has come five times.
            ADD.run(session, {"id": f"a{number}", "about": f"x{number}", "at": AT})
            assert FIND.only(session, {"about": f"x{number}"}) == (f"x{number}", AT)
        assert FIND.row(session, {"about": "y"}) is None
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Attempt.at)).all() == [AT] * 8


def test_what_is_changed_is_changed_at_once(cast: Cast) -> None:
    ana = cast.person("ana")
    with cast.database.session(writes=True) as session:
        RENAME.run(session, {"who": ana, "to": "Ana"})
        assert session.get_one(Person, ana).name == "Ana"


def test_an_update_goes_with_the_row_that_it_belongs_to(cast: Cast) -> None:
    ana = cast.person("ana")
    with cast.database.session(writes=True) as session:
        NOTE.run(session, {"id": ana, "about": "Ana", "at": AT})
    with cast.database.session(writes=False) as session:
        assert (session.get_one(Person, ana).name, session.get_one(Attempt, ana).at) == ("Ana", AT)
    with pytest.raises(IntegrityError), cast.database.session(writes=True) as session:
        NOTE.run(session, {"id": ana, "about": "Anna", "at": AT})
    with cast.database.session(writes=False) as session:
        assert session.get_one(Person, ana).name == "Ana"


def add(cast: Cast, *rows: dict[str, Any]) -> None:
    with cast.database.session(writes=True) as session:
        for row in rows:
            ADD.run(session, row)


def test_a_value_that_is_missing_undoes_what_came_before(cast: Cast) -> None:
    whole = {"id": "a", "about": "x", "at": AT}
    with pytest.raises(KeyError):
        add(cast, whole, {"id": "b", "about": "x"})
    with cast.database.session(writes=False) as session:
        assert FIND.rows(session, {"about": "x"}) == []


def test_an_error_is_sqlalchemy_s_and_tells_no_values(cast: Cast) -> None:
    row = {"id": "same", "about": "account:secret", "at": AT}
    with pytest.raises(IntegrityError) as caught:
        add(cast, row, row)
    assert "INSERT INTO attempt" in str(caught.value)
    assert "same" not in str(caught.value)
    assert "secret" not in str(caught.value)
