"""`adjudge verify` says whether the record is whole, and ends with 1 where it is not."""

import json

import pytest
from sqlalchemy import text

from tests.cli.terminal import Terminal
from tests.make import Cast


@pytest.fixture
def terminal(cast: Cast, database_url: str) -> Terminal:
    cast.project(cast.person("ana"))
    return Terminal({"DATABASE_URL": database_url})


def test_a_whole_record_is_said_to_be_whole(terminal: Terminal) -> None:
    assert terminal.run("verify").stdout.startswith("The record is whole: ")
    answer = json.loads(terminal.run("verify", "--json").stdout)
    assert (answer["is_whole"], answer["faults"]) == (True, [])
    assert {chain["acts"] for chain in answer["chains"]} >= {1}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_broken_record_is_named_by_its_first_act_and_ends_with_1(terminal: Terminal, cast: Cast) -> None:
    with cast.database.engine.begin() as connection:
        connection.execute(text("DROP TRIGGER act_refuses_update"))
        connection.execute(text("UPDATE act SET who = 'nobody' WHERE chain_id <> 'installation'"))
    done = terminal.run("verify", status=1)
    assert "act 1: it is not what it was when it was written" in done.stdout
    assert "act 1: it is not what it was" in done.stderr
    fault = json.loads(terminal.run("verify", "--json", status=1).stdout)["faults"][0]
    assert (fault["number"], fault["sentence"]) == (1, "it is not what it was when it was written")


def test_a_database_without_a_record_is_no_whole_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("empty") / "a.db"
    terminal = Terminal({"DATABASE_URL": f"sqlite:///{empty}"})
    assert f"There is no database {empty}. Set DATABASE_URL" in terminal.run("verify", status=2).stderr
    assert not empty.exists(), "who only looks makes nothing"
    empty.touch()
    assert "The database holds no record." in terminal.run("verify", status=2).stderr
