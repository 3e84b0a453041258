"""Commands on plain files, run inside the test: they need no process of their own, and are many."""

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from app.cli import main


@dataclass(frozen=True)
class Said:
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Plain:
    """Runs `adjudge` with these arguments, and holds it to the exit status."""

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def run(self, *arguments: object, status: int = 0) -> Said:
        self.monkeypatch.setattr(sys, "argv", ["adjudge", *map(str, arguments)])
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = Said(*self.capsys.readouterr())
        assert (ended.value.code or 0) == status, said
        return said

    def ask(self, *arguments: object, status: int = 0) -> Any:
        """The JSON that it answers."""
        return json.loads(self.run(*arguments, "--json", status=status).out)


@pytest.fixture
def plain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Plain:
    return Plain(capsys, monkeypatch)
