"""pyproject.toml and the locks say the same, and the locks say nothing about where packages come from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("run", "test", "frontend", "lock", "peers")


def test_run_lock_holds_what_the_package_needs() -> None:
    assert_locked(read_pyproject()["project"]["dependencies"], read_lock("run"))


@pytest.mark.parametrize(
    ("group", "lock"),
    [("build", "run"), ("test", "test"), ("frontend", "frontend"), ("lock", "lock"), ("peers", "peers")],
)
def test_each_group_is_locked(group: str, lock: str) -> None:
    assert_locked(read_pyproject()["dependency-groups"][group], read_lock(lock))


def test_build_needs_nothing_that_is_not_locked() -> None:
    pyproject = read_pyproject()
    assert pyproject["build-system"]["requires"] == pyproject["dependency-groups"]["build"]


def test_test_lock_holds_all_of_the_run_lock() -> None:
    assert read_lock("run").items() <= read_lock("test").items()


def test_frontend_lock_holds_one_wheel() -> None:
    assert list(read_lock("frontend")) == ["django-htmx"]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock: str) -> None:
    assert all("--hash=sha256:" in block for block in read_blocks(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_says_where_packages_come_from(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    assert not re.search(r"://|^\s*-", text.replace("    --hash=", ""), re.MULTILINE)


def assert_locked(wanted: list[str], lock: dict[str, set[str]]) -> None:
    for requirement in map(Requirement, wanted):
        versions = lock.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement.name} is not in the lock: make lock"
        assert all(version in requirement.specifier for version in versions), f"{requirement} is not what is locked"


def read_lock(lock: str) -> dict[str, set[str]]:
    """The versions locked for each package: more than one where they depend on Python's version."""
    versions: dict[str, set[str]] = {}
    for block in read_blocks(lock):
        requirement = Requirement(block.split("\\")[0])
        versions.setdefault(canonicalize_name(requirement.name), set()).add(
            str(requirement.specifier).removeprefix("==")
        )
    return versions


def read_blocks(lock: str) -> list[str]:
    """One text for each requirement, its continuation lines included."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    return re.findall(r"^[a-z0-9].*(?:\n .*)*", text, re.MULTILINE)


def read_pyproject() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())
