"""A fault of the program itself must not look like a rule's no, which ends with 1."""

import sys

import pytest

import app.cli
from app.cli.refusal import OWN_FAULT


def test_a_fault_of_our_own_has_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(app.cli, "app", fail)
    monkeypatch.setattr(sys, "argv", ["adjudge"])
    with pytest.raises(SystemExit) as ended:
        app.cli.main()
    assert ended.value.code == OWN_FAULT
    assert "ZeroDivisionError" in capsys.readouterr().err
