"""The net itself: what must make a test fail does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
SKIPPING = """
import pytest

def test_that_skips():
    pytest.skip("nothing here")
"""
SKIPPING_ALL = """
import pytest

pytest.importorskip("no_such_module_at_all")
"""


def test_a_skip_is_a_failure_in_ci(tmp_path: Path) -> None:
    answer = run_pytest(tmp_path, ci="true")
    assert answer.returncode != 0
    assert "1 failed, 1 error" in answer.stdout
    assert "CI skips nothing, and this was skipped: Skipped: nothing here" in answer.stdout


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    answer = run_pytest(tmp_path, ci="")
    assert answer.returncode == 0, answer.stdout
    assert "2 skipped" in answer.stdout


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "adjudge.example"])
def test_no_other_machine_can_be_called(host: str) -> None:
    with pytest.raises(PermissionError, match="this machine only"):
        sys.audit("socket.connect", None, (host, 443))
    with pytest.raises(PermissionError, match="this machine only"):
        sys.audit("socket.getaddrinfo", host, 443, 0, 0, 0)


@pytest.mark.parametrize("address", [("127.0.0.1", 443), ("::1", 443, 0, 0), ("localhost", 443), "/tmp/socket"])  # noqa: S108
def test_this_machine_can_be_called(address: object) -> None:
    sys.audit("socket.connect", None, address)


@pytest.mark.browser
def test_chromium_runs(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<title>Adjudge</title>")
    assert page.title() == "Adjudge"
    page.close()


def run_pytest(folder: Path, *, ci: str) -> subprocess.CompletedProcess[str]:
    """A run of a test that skips and of a file that skips itself, under our conftest, in a process of its own."""
    (folder / "test_one.py").write_text(SKIPPING)
    (folder / "test_other.py").write_text(SKIPPING_ALL)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), str(folder)]
    options = ["-p", "no:xdist", "--tb=line", "--show-capture=no", "-r", "N", "--continue-on-collection-errors"]
    environment = {**os.environ, "CI": ci}
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
