"""A record that left as a file is checked without a database, and against what a manifest knew of it."""

import json
import random
from pathlib import Path

import pytest

from app.record.leaving import NoActError, check_file
from tests.cli.terminal import Terminal
from tests.make import Cast
from tests.releases.story import Story, agreeing


@pytest.fixture
def left(cast: Cast, tmp_path: Path) -> tuple[Path, Path]:
    """The files of a record and of a manifest that was frozen before the last of its acts."""
    story = Story(cast)
    story.judge(agreeing())
    story.freeze()
    script = cast.script(story.lead, story.project)
    release = script.get(f"/api/v1{story.home}/releases").json()[0]["id"]
    for each in range(3):
        body = {"role": "labeller", "note": f"for {each}"}
        assert script.post(f"/api/v1{story.home}/invitations", json=body).is_success
    record, manifest = tmp_path / "record.jsonl", tmp_path / "manifest.json"
    answer = script.get(f"/api/v1{story.home}/history/record")
    record.write_bytes(answer.content)
    assert cast.browser(story.lead).get(f"{story.home}/history/record").content == answer.content
    manifest.write_bytes(script.get(f"/api/v1{story.home}/releases/{release}/manifest").content)
    return record, manifest


def test_a_record_that_left_is_whole_and_holds_what_the_manifest_knew(left: tuple[Path, Path]) -> None:
    record, manifest = left
    terminal = Terminal({})
    told = json.loads(terminal.run("verify", str(record), "--manifest", str(manifest), "--json").stdout)
    acts = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert told == {"is_whole": True, "acts": len(acts), "head": acts[-1]["hash"], "fault": ""}
    number = int(json.loads(manifest.read_text("utf-8"))["record"].split()[0])
    assert 0 < number < len(acts)
    short = record.with_name("short.jsonl")
    short.write_text("".join(record.read_text("utf-8").splitlines(keepends=True)[: number - 1]), "utf-8")
    assert "is whole" in terminal.run("verify", str(short)).stdout
    assert "it is missing" in terminal.run("verify", str(short), "--manifest", str(manifest), status=1).stderr
    assert "no act of a record" in terminal.run("verify", str(manifest), status=1).stderr
    assert "no manifest" in terminal.run("verify", str(record), "--manifest", str(record), status=2).stderr
    assert "Name the file" in terminal.run("verify", "--manifest", str(manifest), status=2).stderr


def test_every_edit_of_the_file_is_found(left: tuple[Path, Path]) -> None:
    lines = left[0].read_text("utf-8").splitlines(keepends=True)
    draw = random.Random(6)
    for _ in range(500):
        edited, at = list(lines), draw.randrange(len(lines) - 1)
        what = draw.choice(["drop", "swap", "twice", "letter"])
        if what == "drop":
            del edited[at]
        elif what == "swap":
            edited[at], edited[at + 1] = edited[at + 1], edited[at]
        elif what == "twice":
            edited.insert(at, edited[at])
        else:
            place = draw.randrange(len(edited[at]) - 1)
            letter = draw.choice([each for each in "abc0123" if each != edited[at][place]])
            edited[at] = edited[at][:place] + letter + edited[at][place + 1 :]
        try:
            assert check_file(edited).fault, (what, at)
        except NoActError:
            assert what == "letter"
