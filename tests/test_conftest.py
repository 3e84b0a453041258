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


@pytest.mark.parametrize(("ci", "outcome"), [("true", 1), ("", 0)])
def test_a_skip_is_a_failure_in_ci_only(tmp_path: Path, ci: str, outcome: int) -> None:
    answer = run_pytest(tmp_path, SKIPPING, ci=ci)
    assert answer.returncode == outcome, answer.stdout
    assert "nothing here" in answer.stdout


@pytest.mark.parametrize("ci", ["true", ""])
def test_a_module_that_skips_itself_is_a_failure_in_ci_only(tmp_path: Path, ci: str) -> None:
    answer = run_pytest(tmp_path, 'import pytest\npytest.importorskip("no_such_module_at_all")\n', ci=ci)
    assert ("CI skips nothing" in answer.stdout) == bool(ci)


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


def run_pytest(folder: Path, test: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    """A run of one file of tests under our conftest, in a process of its own."""
    file = folder / "test_inner.py"
    file.write_text(test)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "CI": ci})
