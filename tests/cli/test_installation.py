"""What whoever runs the installation gets wrong is said in a line, and never as a traceback."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.make import PASSWORD

MAKE_ANA = ("person", "ana@example.org", "--name", "Ana", "--admin")


def refused(terminal: Terminal, *arguments: str) -> str:
    done: subprocess.CompletedProcess[str] = terminal.run(*arguments, status=2)
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://nobody@127.0.0.1:9/none", "connection refused"),
        ("mysql://somewhere/adjudge", "neither SQLite nor PostgreSQL"),
        ("not an address", "no address of a database"),
        ("sqlite:////proc/nowhere/adjudge.db", "/proc/nowhere"),
    ],
)
@pytest.mark.parametrize("command", [MAKE_ANA, ("serve", "--port", "0"), ("token", "a@b.example", "--right", "start")])
def test_a_database_that_can_not_be_used_is_named_with_a_way_out(url: str, said: str, command: tuple[str, ...]) -> None:
    assert said.lower() in refused(Terminal({"DATABASE_URL": url, "ADJUDGE_PASSWORD": PASSWORD}), *command).lower()


def test_a_file_that_is_no_database_is_named_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"not a database, but long enough to be taken for one" * 40)
    terminal = Terminal({"DATABASE_URL": f"sqlite:///{tmp_path / 'a.db'}", "ADJUDGE_PASSWORD": PASSWORD})
    assert "not a database" in refused(terminal, *MAKE_ANA)


def test_a_setting_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    terminal = Terminal({"DATABASE_URL": f"sqlite:///{tmp_path / 'a.db'}", "PORT": "many"})
    assert "PORT" in refused(terminal, "serve")


def test_a_token_says_what_is_missing_and_whose_project_it_is_not(sqlite_url: str) -> None:
    terminal = Terminal({"DATABASE_URL": sqlite_url, "ADJUDGE_PASSWORD": PASSWORD})
    assert "--project" in refused(terminal, "token", "ana@example.org")
    assert "Nobody has an account with ana@example.org" in refused(
        terminal, "token", "ana@example.org", "--right", "start"
    )
    terminal.run(*MAKE_ANA)
    assert "in no project xyz" in refused(terminal, "token", "ana@example.org", "--project", "xyz")
