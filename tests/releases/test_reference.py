"""Reference qrels: brought in like any file, kept as an ungated release, and never mixed with grades."""

from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import func, select

from app.judging.models import Grade
from app.releases.manifest import file_name, marks_of, read_manifest
from app.releases.models import Release
from tests.make import Cast
from tests.releases.story import Story, agreeing

QRELS = b"# made by hand\nq2 0 d1 1\nq1 Q0 d2\t3\n\nq1 0 d1 -2\nq1 0 d1 -2\n"


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def send(story: Story, content: bytes, *, name: str = "old.qrels", dry_run: bool = False) -> Response:
    address = f"/api/v1{story.home}/imports/qrels?dry_run={str(dry_run).lower()}"
    return story.cast.script(story.lead, story.project).post(address, files={"file": (name, content)})


def brought_in(story: Story, content: bytes, **how: Any) -> tuple[dict[str, Any], Release | None]:
    answer = send(story, content, **how)
    assert answer.status_code == 200, answer.text
    with story.cast.database.session(writes=False) as session:
        newest = select(Release).where(Release.project_id == story.project).order_by(Release.number.desc())
        return answer.json(), session.scalars(newest).first()


def test_they_become_an_ungated_release_that_says_where_it_comes_from(story: Story) -> None:
    told, release = brought_in(story, QRELS, name="../old.qrels")
    assert release is not None
    assert (release.kind, release.is_gated, release.name, release.number) == ("reference", False, "old.qrels", 1)
    assert told["counts"] == {"new": 3, "same": 0, "changed": 0, "queries": 2}
    assert told["see"] == f"/releases/{release.id}"
    assert any("count once" in note for note in told["notes"])
    assert any("2 queries of 2" in note for note in told["notes"])
    assert story.judgments(release) == {
        ("q1", "d1"): (-2, "reference"),
        ("q1", "d2"): (3, "reference"),
        ("q2", "d1"): (1, "reference"),
    }
    manifest = read_manifest(release)
    assert manifest["gated"] is False
    assert set(manifest) == {"format", "project", "release", "gated", "waiver_reason", "counts", "hashes"}
    assert marks_of(release) == ["reference", "ungated"]
    assert file_name(release, ".qrels") == "developer-help-reference-1-ungated.qrels"


def test_a_look_writes_nothing(story: Story) -> None:
    told, release = brought_in(story, QRELS, dry_run=True)
    assert (told["state"], told["counts"]["new"], release) == ("previewed", 3, None)


def test_the_same_judgments_again_are_nothing_new(story: Story) -> None:
    _, first = brought_in(story, QRELS)
    told, newest = brought_in(story, b"q1 0 d1 -2\nq1 0 d2 3\nq2 0 d1 1\n", name="other name")
    assert first is not None
    assert newest is not None
    assert told["counts"] == {"new": 0, "same": 3, "changed": 0}
    assert newest.id == first.id
    assert told["see"] == f"/releases/{first.id}"
    _, other = brought_in(story, b"q1 0 d1 2\n", name="r")
    assert other is not None
    assert other.number == 2
    assert story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/imports/qrels").json()["here"] == 4


def test_other_judgments_under_a_name_that_is_taken_are_refused_before_anything_is_written(story: Story) -> None:
    brought_in(story, QRELS)
    for is_dry in (True, False):
        answer = send(story, b"q1 0 d1 2\n", dry_run=is_dry)
        assert answer.status_code == 422
        assert 'release 1 is called "old.qrels" already' in answer.json()["error"]["sentence"]
        assert "name of its own" in answer.json()["error"]["way_out"]
    _, other = brought_in(story, b"q1 0 d1 2\n", name="new.qrels")
    assert other is not None
    assert (other.number, other.name) == (2, "new.qrels")


def test_a_pair_with_two_grades_is_refused_with_both_lines(story: Story) -> None:
    answer = send(story, b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d1 2\n")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert "line 3" in error["sentence"]
    assert "line 1" in error["sentence"]


def test_where_every_query_is_known_nothing_is_noted(story: Story) -> None:
    story.cast.pool(story.project, {"q1": ["d1"], "q2": ["d1"], "q3": ["d1"]})
    told, _ = brought_in(story, b"q1 0 d1 1\nq2 0 d1 0\n")
    assert told["notes"] == []


def test_the_conflicting_file_of_real_life_is_refused(story: Story, shared_data: Path) -> None:
    answer = send(story, (shared_data / "liveqa-med" / "qrels.conflicting-duplicates.txt").read_bytes())
    assert answer.status_code == 422
    assert len(answer.json()["error"]["details"]["problems"]) > 1


def test_they_can_be_scored_against_before_anything_is_judged_and_qrels_of_ours_stay_shut(story: Story) -> None:
    _, reference = brought_in(story, QRELS)
    assert reference is not None
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    scores = script.get(f"{home}/scores").json()
    assert (scores["gated"], scores["release"]["kind"], scores["runs"]) == (False, "reference", [])
    assert script.get(f"{home}/qrels").status_code == 409
    exported = script.get(f"{home}/releases/{reference.id}/qrels")
    assert exported.content == b"q1 0 d1 -2\nq1 0 d2 3\nq2 0 d1 1\n"
    page = story.cast.browser(story.lead).get(f"{story.home}/releases/{reference.id}").text
    assert "gated: false" in page


def test_they_never_mix_with_grades(story: Story) -> None:
    brought_in(story, QRELS)
    assert [each.name for each in story.conditions().values()] == ["rubric"]
    story.judge(agreeing())
    release = story.freeze()
    assert release.number == 2
    assert ("q1", "d1") not in story.judgments(release)
    with story.cast.database.session(writes=False) as session:
        assert session.scalar(select(func.count()).select_from(Grade)) == 600


def test_awkward_real_qrels_come_out_as_they_went_in(story: Story, shared_data: Path) -> None:
    content = (shared_data / "dbpedia-entity-v2" / "qrels-v2.txt").read_bytes()
    _, release = brought_in(story, content)
    assert release is not None
    exported = story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/releases/{release.id}/qrels")
    theirs = sorted(b" 0 ".join([line.split()[0], b" ".join(line.split()[2:])]) for line in content.splitlines())
    assert exported.content.splitlines() == sorted(theirs, key=lambda line: (line.split()[0], line.split()[2]))
