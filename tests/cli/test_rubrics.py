"""The rubric by command: templates, versions, and what changed."""

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.make import Cast
from tests.serving import LiveServer


@pytest.fixture
def terminal(cast: Cast, live_server: LiveServer) -> Terminal:
    lead = cast.person("ana")
    project = cast.project(lead)
    token = cast.token(lead, project, "write")
    return Terminal({"ADJUDGE_URL": live_server.url, "ADJUDGE_PROJECT": project, "ADJUDGE_TOKEN": token})


@pytest.mark.timeout(600)
def test_a_template_is_written_changed_published_as_a_minor_edit_and_compared(
    terminal: Terminal, tmp_path: Path
) -> None:
    assert "passages: Passage retrieval." in terminal.run("rubric", "templates").stdout
    assert "Choose one of action" in terminal.run("rubric", "templates", "bogus", status=2).stderr
    file = tmp_path / "rubric.json"
    file.write_text(terminal.run("rubric", "templates", "passages").stdout, "utf-8")
    assert "warning" not in terminal.run("rubric", "write", str(file)).stdout
    terminal.run("rubric", "publish")
    rubric = json.loads(file.read_text("utf-8"))
    rubric["levels"][3]["question"] = "Can they read the answer off the passage, in its own words?"
    file.write_text(json.dumps(rubric), "utf-8")
    terminal.run("rubric", "write", str(file))
    terminal.run("rubric", "publish", "--minor")
    assert terminal.run("rubric", "list").stdout.splitlines() == [
        "version 2, family 1, minor edit: 0 rounds, 0 grades",
        "version 1, family 1: 0 rounds, 0 grades",
    ]
    said = "Level 3, question: Can they read the[- whole-] answer off the passage, in its own words?"
    assert terminal.run("rubric", "diff", "1", "2").stdout.strip() == said
    assert "whole answer off" in terminal.run("rubric", "show", "--version", "1").stdout
    assert "no published version 7" in terminal.run("rubric", "show", "--version", "7", status=2).stderr
    assert "no published version 7" in terminal.run("rubric", "diff", "1", "7", status=2).stderr


@pytest.mark.timeout(600)
def test_what_is_more_than_wording_is_no_minor_edit(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "rubric.json"
    for name in ("action", "binary"):
        file.write_text(terminal.run("rubric", "templates", name).stdout, "utf-8")
        terminal.run("rubric", "write", str(file))
        if name == "action":
            terminal.run("rubric", "publish")
    assert "there were 4 levels, and now 2" in terminal.run("rubric", "publish", "--minor", status=1).stderr
