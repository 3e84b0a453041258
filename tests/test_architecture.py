"""What linters cannot hold: the habits of CONTRIBUTING.md that concern more than one file."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from jinja2 import nodes

from app.settings import Settings
from app.web import templates

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "app"
TEMPLATES = ROOT / "templates"
FORBIDDEN_NAMES = ("service", "services", "repository", "manager", "managers", "utils", "util", "helpers", "helper")
# Each host is written with a hole in it, so that this file does not name what it looks for.
REGISTRY_HOSTS = re.compile(
    r"py[p]i\.org|python[h]osted|registry\.np[m]js|np[m]js\.(?:org|com)|(?:deb|security|ftp)\.[a-z.]*deb[i]an\.org"
)


def modules() -> list[Path]:
    return sorted(APP.rglob("*.py"))


def template_names() -> list[str]:
    return sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.*"))


def tracked_files() -> list[Path]:
    """What git holds or would hold. Without git: every file but those that the clone has installed or written."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.split("\0")
    else:
        names = [str(path) for path in ROOT.rglob("*") if not is_written_here(path.relative_to(ROOT))]
    return [path for name in names if name and (path := ROOT / name).is_file()]


def is_written_here(path: Path) -> bool:
    ours = path.parts[0] in (".ci", ".dockerignore", ".gitignore") or not path.parts[0].startswith(".")
    return (
        not ours
        or path.parts[0] == "var"
        or path.parts[:2] == ("static", "vendor")
        or "__pycache__" in path.parts
        or path.suffix == ".so"
    )


# Code


def test_only_the_database_module_commits() -> None:
    committing = {path.relative_to(APP) for path in modules() for call in calls(path) if call == "commit"}
    assert committing == {Path("db.py")}


def test_modules_are_named_by_the_words_of_the_domain() -> None:
    assert [path for path in modules() if words_of_name(path) & set(FORBIDDEN_NAMES)] == []


def test_only_pages_api_and_guards_speak_http() -> None:
    """In a slice; what stands under the slices may know the web, and some of it must."""
    assert [
        path
        for path in modules()
        if not may_speak_http(path) and {"fastapi", "starlette"} & {name.split(".")[0] for name in imports(path)}
    ] == []


def may_speak_http(path: Path) -> bool:
    return path.parent == APP or path.stem.split("_")[-1] in ("pages", "api", "guards")


def words_of_name(path: Path) -> set[str]:
    parts = path.relative_to(APP).with_suffix("").parts
    return {word for part in parts for word in part.split("_")}


def calls(path: Path) -> Iterator[str]:
    """The name of every method called in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


# Templates


def test_templates_can_be_read() -> None:
    for name in template_names():
        templates().get_template(name)


def test_templates_name_templates_that_exist() -> None:
    named = {(name, target) for name in template_names() for target in referenced_templates(name)}
    assert {(name, target) for name, target in named if not (TEMPLATES / target).is_file()} == set()


def test_a_part_bears_its_name_as_id() -> None:
    """htmx finds a part by its id; a part without one is only ever included, and macros are laid inside others."""
    parts = [name for name in template_names() if Path(name).name.startswith("_")]
    assert [name for name in parts if own_id(name) not in (None, Path(name).stem.removeprefix("_"))] == []


def test_templates_hold_no_script_and_no_style() -> None:
    """The content security policy would stop them, in silence."""
    inline = re.compile(r"<style|\sstyle=|\son[a-z]+=|hx-on|hx-boost|javascript:|<script(?![^>]*\ssrc=)")
    found = {name: match[0] for name in template_names() if (match := inline.search((TEMPLATES / name).read_text()))}
    assert found == {}


def own_id(name: str) -> str | None:
    """The id of the part's first element outside of macros, if it has one that is written out."""
    laid_out = re.sub(r"{% macro .*?{% endmacro %}", "", (TEMPLATES / name).read_text(), flags=re.DOTALL)
    first_tag = re.search(r"<[a-z][^>]*>", laid_out)
    identity = re.search(r'\bid="([^"{]*)"', first_tag[0]) if first_tag else None
    return identity[1] if identity else None


def referenced_templates(name: str) -> Iterator[str]:
    """The names that a template includes, extends or imports; a computed name (the frame) is not known here."""
    tree = templates().parse((TEMPLATES / name).read_text())
    naming: Iterator[nodes.Extends | nodes.Include | nodes.Import | nodes.FromImport] = chain(
        tree.find_all(nodes.Extends),
        tree.find_all(nodes.Include),
        tree.find_all(nodes.Import),
        tree.find_all(nodes.FromImport),
    )
    for target in (node.template for node in naming):
        for part in target.items if isinstance(target, nodes.List | nodes.Tuple) else [target]:
            if isinstance(part, nodes.Const):
                yield part.value


# The repository


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_stands_in_the_docs(name: str) -> None:
    assert f"`{name.upper()}`" in (ROOT / "docs" / "settings.md").read_text()


def test_no_setting_in_the_docs_is_made_up() -> None:
    documented = re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    assert sorted(name.lower() for name in documented) == sorted(Settings.model_fields)


def test_no_file_names_a_package_registry() -> None:
    naming = [path for path in tracked_files() if REGISTRY_HOSTS.search(path.read_text(errors="replace"))]
    assert not naming


def test_third_party_files_are_installed_and_not_committed() -> None:
    static = ROOT / "static"
    foreign = [path for path in tracked_files() if path.is_relative_to(static) and is_foreign(path)]
    assert not foreign


def is_foreign(path: Path) -> bool:
    return "vendor" in path.parts or ".min." in path.name or "htmx" in path.name
