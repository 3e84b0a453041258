"""The record is written with the act or not at all, and nothing in it can be changed."""

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.db import Database, now
from app.record.checking import check_chains
from app.record.keeping import act_as, begin_chain, head_of, record
from app.record.models import COMMAND, FIRST, INSTALLATION, Act, Chain


@pytest.fixture
def chain(database: Database) -> str:
    """A chain of three acts."""
    with database.session(writes=True) as session:
        begin_chain(session, "here")
    for number in range(3):
        with database.session(writes=True) as session:
            act_as(session, "ana", token_id="t1" if number else None)
            record(session, "here", "round closed", number=number)
    return "here"


def acts(database: Database, chain_id: str) -> list[tuple[int, str, str | None, str, str]]:
    with database.session(writes=False) as session:
        assert list(check_chains(session)) == []
        rows = session.scalars(select(Act).where(Act.chain_id == chain_id).order_by(Act.number))
        return [(act.number, act.who, act.token_id, act.verb, act.facts) for act in rows]


def test_every_act_stands_under_the_next_number_with_who_did_it(database: Database, chain: str) -> None:
    assert acts(database, chain) == [
        (1, "ana", None, "round closed", '{"number":0}'),
        (2, "ana", "t1", "round closed", '{"number":1}'),
        (3, "ana", "t1", "round closed", '{"number":2}'),
    ]
    with database.session(writes=False) as session:
        newest = session.get_one(Act, (chain, 3))
        assert head_of(session, chain) == (3, newest.hash)


def test_a_command_signs_as_a_command(database: Database, chain: str) -> None:
    with database.session(writes=True) as session:
        record(session, chain, "round closed")
    assert acts(database, chain)[-1] == (4, COMMAND, None, "round closed", "{}")


def test_whoever_is_known_last_did_all_of_the_transaction(database: Database, chain: str) -> None:
    """Who makes an account with an invitation is known only when it is made."""
    with database.session(writes=True) as session:
        record(session, INSTALLATION, "account made", account="new")
        record(session, chain, "member joined", member="m")
        act_as(session, "new")
    assert acts(database, chain)[-1][1] == "new"
    assert acts(database, INSTALLATION)[-1][1] == "new"


def test_what_is_undone_leaves_no_act(database: Database, chain: str) -> None:
    def fail(session: Session) -> None:
        record(session, chain, "round closed")
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"), database.session(writes=True) as session:
        fail(session)
    assert len(acts(database, chain)) == 3


def test_what_a_savepoint_undoes_leaves_no_act(database: Database, chain: str) -> None:
    def fail_inside(session: Session) -> None:
        with session.begin_nested():
            record(session, chain, "round closed", number="undone")
            with session.begin_nested():
                record(session, chain, "round closed", number="undone with it")
            raise ValueError("inside")

    with database.session(writes=True) as session:
        record(session, chain, "round closed", number="before")
        with pytest.raises(ValueError, match="inside"):
            fail_inside(session)
        with session.begin_nested():
            record(session, chain, "round closed", number="kept")
    assert [facts for *_, facts in acts(database, chain)[3:]] == ['{"number":"before"}', '{"number":"kept"}']


def test_a_head_that_was_taken_away_is_not_made_again(database: Database, chain: str) -> None:
    with pytest.raises(Exception, match="No row"), database.session(writes=True) as session:
        record(session, "nowhere", "round closed")
    with database.session(writes=False) as session:
        assert session.get(Chain, "nowhere") is None


FORCED = (
    "UPDATE act SET who = 'ben' WHERE number = 2",
    "DELETE FROM act WHERE number = 3",
    "DELETE FROM act",
    "DELETE FROM chain",
    "UPDATE chain SET acts = 1",
    "UPDATE chain SET head = 'x'",
    "UPDATE chain SET id = 'there', acts = acts + 1 WHERE id = 'here'",
)
BY_REPLACING = (
    "INSERT OR REPLACE INTO act SELECT * FROM act WHERE number = 2",
    "INSERT OR REPLACE INTO chain SELECT * FROM chain",
)
BY_EMPTYING = ("TRUNCATE act", "TRUNCATE chain", "TRUNCATE grade", "TRUNCATE decision", "TRUNCATE judgment, release")


@pytest.mark.parametrize("statement", [*FORCED, *BY_REPLACING, *BY_EMPTYING])
def test_the_database_refuses_to_change_the_record(database: Database, chain: str, statement: str) -> None:
    if statement in (BY_EMPTYING if database.is_sqlite else BY_REPLACING):
        return  # The other engine has no such statement.
    with pytest.raises(DBAPIError, match="never changed"), database.session(writes=True) as session:
        session.execute(text(statement))
    assert len(acts(database, chain)) == 3


def test_the_first_act_follows_from_nothing(database: Database) -> None:
    with database.session(writes=True) as session:
        begin_chain(session, "here")
    with database.session(writes=True) as session:
        assert head_of(session, "here") == (0, FIRST)
        record(session, "here", "round closed", at=now().isoformat())
    assert len(acts(database, "here")) == 1
