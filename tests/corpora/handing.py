"""Handing files in, as a lead's browser and as a script do it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import text

from tests.make import Cast

Choices = Mapping[str, str | list[str]] | None


@dataclass(frozen=True)
class Desk:
    """A lead, their project, and both ways in."""

    cast: Cast
    lead: str
    project: str
    browser: TestClient
    script: TestClient

    def address(self, kind: str) -> str:
        return f"/projects/{self.project}/imports/{kind}"

    def send(self, kind: str, content: bytes | Path, choices: Choices = None, *, dry_run: bool = False) -> Response:
        """By script; a path's content goes in under its own name."""
        files = {"file": named(content)}
        address = f"/api/v1{self.address(kind)}?dry_run={str(dry_run).lower()}"
        return self.script.post(address, files=files, data=dict(choices or {}))

    def brought_in(self, kind: str, content: bytes | Path, choices: Choices = None) -> dict[str, Any]:
        """The answer to a file that is taken."""
        answer = self.send(kind, content, choices)
        assert answer.status_code == 200, answer.text
        taken: dict[str, Any] = answer.json()
        return taken

    def refused(
        self, kind: str, content: bytes | Path, choices: Choices = None, *, status: int = 422
    ) -> dict[str, Any]:
        """The error about a file that is not taken."""
        answer = self.send(kind, content, choices)
        assert answer.status_code == status, answer.text
        error: dict[str, Any] = answer.json()["error"]
        return error

    def hand_in(self, kind: str, content: bytes | Path, choices: Choices = None) -> str:
        """The address of the preview to which the form leads."""
        answer = self.browser.post(self.address(kind), files={"file": named(content)}, data=dict(choices or {}))
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def rows(self, table: str) -> list[Any]:
        """Everything in the table, in a fixed order."""
        with self.cast.database.session(writes=False) as session:
            return sorted(map(tuple, session.execute(text(f'SELECT * FROM "{table}"'))))  # noqa: S608 - Names of ours.

    def waiting(self) -> list[Path]:
        """The files that wait for a decision."""
        directory: Path = self.cast.app.state.settings.uploads_dir
        return sorted(directory.iterdir()) if directory.is_dir() else []


def named(content: bytes | Path) -> tuple[str, bytes]:
    return (content.name, content.read_bytes()) if isinstance(content, Path) else ("file.txt", content)


def sit_down(cast: Cast) -> Desk:
    lead = cast.person("ana")
    project = cast.project(lead)
    return Desk(cast, lead, project, cast.browser(lead), cast.script(lead, project))
