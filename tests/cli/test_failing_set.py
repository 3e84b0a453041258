"""A judged set that must not pass, from a script: grades that existed already are brought in, the gate fails, nothing
leaves; and then it leaves by a waiver, ungated wherever it goes. Real grades of two kinds of judges (fira-dl19).
"""

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.make import LEVELS, PASSWORD
from tests.serving import LiveServer

KAPPA = 0.080197
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def terminal(database_url: str, live_server: LiveServer) -> Terminal:
    """Somebody with a project of their own and a published rubric, all by command."""
    terminal = Terminal({"DATABASE_URL": database_url, "ADJUDGE_URL": live_server.url, "ADJUDGE_PASSWORD": PASSWORD})
    terminal.run("person", "ana@example.org", "--name", "Ana", "--admin")
    start = json.loads(terminal.run("token", "ana@example.org", "--right", "start", "--json").stdout)
    terminal.environment["ADJUDGE_TOKEN"] = start["token"]
    arguments = ("--gain", "linear", "--reason", "Partly helpful documents count.", "--json")
    started = json.loads(terminal.run("project", "start", "Passages", *arguments).stdout)
    terminal.environment |= {"ADJUDGE_PROJECT": started["id"], "ADJUDGE_TOKEN": started["token"]}
    return terminal


def publish(terminal: Terminal, folder: Path) -> None:
    rubric = folder / "rubric.json"
    rubric.write_text(json.dumps({"levels": LEVELS}), "utf-8")
    terminal.run("rubric", "write", str(rubric))
    terminal.run("rubric", "publish")


def test_nothing_leaves_a_set_that_failed_but_by_a_waiver(
    terminal: Terminal, shared_data: Path, tmp_path: Path
) -> None:
    publish(terminal, tmp_path)
    grades = str(shared_data / "fira-dl19" / "double-judged.tsv")
    assert "no query" in terminal.run("import", "grades", grades, status=2).stderr
    said = terminal.run("import", "grades", grades, "--choose", "placeholders=make").stdout
    assert "4,006 new" in said
    assert "  read: query from " in said
    run = tmp_path / "a.run"
    run.write_text("19335 Q0 D109632 1 2.5 a\n19335 Q0 D1372464 2 1.5 a\n", "utf-8")
    terminal.run("import", "runs", str(run))

    found = json.loads(terminal.run("agreement", "--json").stdout)
    assert (found["pairs"], found["queries"], found["answer"]) == (2003, 43, "failed")
    assert found["kappa"] == pytest.approx(KAPPA, abs=5e-7)
    assert "failed" in terminal.run("agreement", "--require-passed", status=1).stdout.lower()

    for command in (("export", "qrels"), ("export", "manifest"), ("score",), ("release", "freeze", "--name", "First")):
        refused = terminal.run(*command, status=1)
        assert "not met: gate: Failed" in refused.stderr, command
        assert refused.stdout == "", command
    assert "not met: gate" in terminal.run("release", "conditions", status=1).stdout.lower()

    wrong = ("--waive", "A first look.", "--password", "not the right words")
    terminal.run("release", "freeze", "--name", "First", *wrong, status=2)
    terminal.run("release", "freeze", "--name", "First", "--waive", "A first look.")
    assert "gated: false" in terminal.run("release", "list").stdout
    assert "gated: false" in terminal.run("score").stdout
    manifest = json.loads(terminal.run("export", "manifest").stdout)
    assert manifest["gated"] is False
    assert manifest["waiver_reason"] == "A first look."
    out = tmp_path / "judged.qrels"
    assert "ungated" in terminal.run("export", "qrels", "-o", str(out)).stderr
    assert out.read_text("utf-8").startswith("1037798 0 ")
    kept = tmp_path / "record.jsonl"
    terminal.run("export", "record", "-o", str(kept))
    assert "is whole" in terminal.run("verify", str(kept)).stdout
    assert "not a release" in terminal.run("export", "record", "--require-gated", status=2).stderr
    for command in (("export", "qrels"), ("score",)):
        assert "ungated" in terminal.run(*command, "--require-gated", status=1).stderr


def test_what_can_not_be_done_is_said_on_one_line_with_a_way_out(terminal: Terminal, tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("q1 Q0 d1 1 2.5 a\nq1 Q0 d2 2 abc a\nq1 Q0 d3 3 nan a\n", "utf-8")
    told = terminal.run("import", "runs", str(bad), status=2).stderr
    assert (told.count("bad.run, line 2"), told.count("line 3: "), "{" in told) == (1, 1, False)
    assert "queries, documents, runs" in terminal.run("import", "bogus", str(bad), status=2).stderr
    assert "There is no file" in terminal.run("import", "runs", str(tmp_path / "none"), status=2).stderr
    assert "Members are Ana" in terminal.run("round", "open", "agreement", "--labeller", "Zoe", status=2).stderr
    here = terminal.environment
    for name in ("ADJUDGE_URL", "ADJUDGE_TOKEN", "ADJUDGE_PROJECT"):
        kept = here.pop(name)
        assert f"{name} is not set" in terminal.run("project", "show", status=2).stderr
        here[name] = kept
    for no_token in ("tökén", "a\nb"):
        here["ADJUDGE_TOKEN"] = no_token
        assert "no token" in terminal.run("project", "show", status=2).stderr
    here["ADJUDGE_TOKEN"] = "adjudge_wrong"
    assert "bearer token" in terminal.run("project", "show", status=2).stderr
    here["ADJUDGE_URL"] = "http://127.0.0.1:9"
    assert "can't be reached" in terminal.run("project", "show", status=2).stderr
