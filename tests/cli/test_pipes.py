"""Commands among pipes: what comes by one, who stops reading, and where there is no room to write."""

import hashlib
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ADJUDGE = Path(sys.executable).with_name("adjudge")
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"
"""Its queries take turns, which only the careful reader copes with: it reads the file a second time."""


def in_bash(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    script = f'set -o pipefail; adjudge() {{ {shlex.quote(str(ADJUDGE))} "$@"; }}; {line}'
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS, "utf-8")
    (tmp_path / "r").write_text(RUN, "utf-8")
    grades = [f"{who},q{at % 9},d{at},{at % 2}" for at in range(40) for who in ("ana", "ben")]
    (tmp_path / "grades.csv").write_text("\n".join(["labeller,qid,docno,grade", *grades]), "utf-8")
    return tmp_path


def test_what_comes_by_a_pipe_is_read_whole_and_hashed(folder: Path) -> None:
    done = in_bash(folder, "adjudge measure <(cat q) - --preset trec --json < <(cat r)")
    assert done.returncode == 0, done.stderr
    assert '"mean": 1.0' in done.stdout
    for text in (QRELS, RUN):
        assert hashlib.sha256(text.encode()).hexdigest() in done.stdout


def test_whoever_stops_reading_changes_no_exit_status(folder: Path) -> None:
    """The gate says no: 40 pairs are not enough. Two thousand lines fill the pipe before its reader is gone."""
    measured = in_bash(folder, "adjudge measure q r --preset trec --json | true")
    assert (measured.returncode, measured.stderr) == (0, "")
    asked = in_bash(folder, "adjudge kappa grades.csv --levels 0,1 --policy standard --per-query --json | true")
    assert (asked.returncode, asked.stderr) == (1, "")


def test_an_answer_without_room_is_bad_input_and_no_rule(folder: Path) -> None:
    done = in_bash(folder, "adjudge measure q r --preset trec > /dev/full")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "adjudge: The answer can't be written: No space left on device. Make room, or send it elsewhere.\n"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("adjudge measure q r --gain linear >&-", "There is nowhere to write the answer."),
        ("adjudge measure q - --gain linear <&-", "There is no standard input to read."),
    ],
)
def test_a_stream_that_is_closed_is_no_answer_of_a_rule(folder: Path, line: str, said: str) -> None:
    done = in_bash(folder, line)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (2, True, False)
