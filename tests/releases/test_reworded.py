"""A release whose rounds were judged under several wordings of one rubric."""

from typing import Any

from app.releases.manifest import marks_of, read_manifest
from tests.agreement.judged import LEVELS, publish_rubric
from tests.make import LEVELS as RUBRIC
from tests.make import Cast
from tests.releases.story import Story, agreeing


def test_rounds_under_several_versions_are_marked_and_each_version_stands_in_its_own_words(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing())
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=("Perfect", *LEVELS[1:]), family=1)
    release = story.freeze()
    assert marks_of(release) == [], "nothing was judged under the second wording yet"
    assert read_manifest(release)["rubric"]["levels"][0]["name"] == LEVELS[0]
    story.judge([("z", "d", "ben", 1)], kind="main")
    page = cast.browser(story.lead).get(f"{story.home}/releases").text
    assert "judged under several wordings of the rubric, and kappa may have tested only one" in page
    release = story.freeze()
    assert marks_of(release) == ["minor edits"]
    assert read_manifest(release)["rubric"]["levels"][0]["name"] == "Perfect"
    first, second = read_manifest(release)["rubric"]["versions"]
    assert (first["levels"][0]["name"], second["levels"][0]["name"]) == (LEVELS[0], "Perfect")


def test_a_name_that_moves_to_another_level_is_no_minor_edit(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}"

    def publish(levels: list[dict[str, Any]], *, is_minor: bool) -> Any:
        assert script.put(f"{address}/rubric", json={"levels": levels}).status_code == 200
        return script.post(f"{address}/rubric/publication", json={"is_minor": is_minor})

    assert publish(RUBRIC, is_minor=False).status_code == 200
    turned = [each | {"name": other["name"].upper()} for each, other in zip(RUBRIC, reversed(RUBRIC), strict=True)]
    refused = publish(turned, is_minor=True)
    assert refused.status_code == 409
    assert "became that of level" in refused.json()["error"]["sentence"]


def test_a_family_beyond_what_a_database_counts_is_refused(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing(2))
    for page in ("/agreement", "/agreement/pairs", "/labellers"):
        answer = cast.browser(story.lead).get(f"{story.home}{page}?family={2**63}")
        assert answer.status_code in (404, 422), page
    script = cast.script(story.lead, story.project)
    assert script.get(f"/api/v1{story.home}/agreement?family={2**63}").status_code == 422
