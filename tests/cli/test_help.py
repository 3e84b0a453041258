"""Whoever asks for help sees how it is written."""

import re
import shlex
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
import typer

from app.cli.command import app
from tests.cli.plain import Plain, plain

__all__ = ["plain"]
POOL_OF_FILES = ("adjudge", "pool", "runs")
"""The word runs is not written: `adjudge pool a.run b.run`."""


def commands_under(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, own in getattr(command, "commands", {}).items():
        yield from commands_under(own, *path, name)


ALL = dict(commands_under(typer.main.get_command(app), "adjudge"))


def examples_of(path: tuple[str, ...]) -> list[list[str]]:
    """In words, from `adjudge` on."""
    found = re.findall(r"Example: (?:[A-Z_]+=(?:'.*?'|\S+) )*(adjudge .*)", ALL[path].help or "")
    return [shlex.split(example.partition(" > ")[0]) for example in found]


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_and_every_group_has_an_example_of_itself(path: tuple[str, ...]) -> None:
    written = list(path[:2] if path == POOL_OF_FILES else path)
    assert examples_of(path)
    for example in examples_of(path):
        assert example[: len(written)] == written


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_option_in_an_example_is_there(path: tuple[str, ...]) -> None:
    for example in examples_of(path):
        at = max((tuple(example[:size]) for size in (2, 3) if tuple(example[:size]) in ALL), key=len)
        command = ALL[POOL_OF_FILES if at == POOL_OF_FILES[:2] else at]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in example if word.startswith("-")} <= known


def test_the_version_is_told(plain: Plain) -> None:
    assert plain.run("--version").lines == [f"adjudge {version('adjudge')}"]


def test_the_pool_of_files_is_found_where_help_on_pools_is_asked(plain: Plain) -> None:
    said = " ".join(plain.run("pool", "--help").out.split())
    assert "adjudge pool RUN..." in said
    assert "Example: adjudge pool bm25.run dense.run --depth 20" in said
