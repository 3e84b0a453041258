"""Releases for scripts: nothing leaves before a release, and what leaves says what it is."""

import hashlib

import pytest
from httpx2 import Response

from app.releases.manifest import read_manifest
from app.releases.models import Release
from tests.agreement.judged import grade_again
from tests.make import PASSWORD, Cast
from tests.releases.story import Story, agreeing

WAIVER = {"name": "Trial", "waiver_reason": "The trial ends today.", "password": PASSWORD}


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


def every_address(release: Release) -> list[str]:
    """What can be read of releases and scores, under the project's address."""
    of_release = [f"/releases/{release.id}{each}" for each in ("", "/qrels", "/manifest")]
    return ["/releases", "/releases/conditions", "/qrels", "/scores", *of_release]


def error_of(answer: Response, status: int) -> dict[str, object]:
    assert answer.status_code == status, answer.text
    found: dict[str, object] = answer.json()["error"]
    return found


def test_before_a_release_qrels_and_scores_say_which_condition_fails(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    for address in (f"{home}/qrels", f"{home}/scores"):
        error = error_of(script.get(address), 409)
        assert "Not enough evidence" in str(error["sentence"])
        details = error["details"]
        assert isinstance(details, dict)
        assert details["conditions"] == ["gate"]
        assert details["failing"][0]["sentence"].startswith("Not enough evidence")
    error = error_of(script.post(f"{home}/releases", json={"name": "First"}), 409)
    assert "gate" in str(error["details"])
    assert script.get(f"{home}/releases").json() == []


def test_with_every_condition_met_it_is_the_freezing_that_is_missing(story: Story) -> None:
    story.judge(agreeing())
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    assert all(condition["is_met"] for condition in script.get(f"{home}/releases/conditions").json())
    error = error_of(script.get(f"{home}/qrels"), 409)
    assert error["details"]["conditions"] == ["release"]  # type: ignore[index]


def test_a_gated_release_leaves_as_qrels_and_manifest(story: Story) -> None:
    story.judge(agreeing())
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    made = script.post(f"{home}/releases", json={"name": "Autumn"})
    assert made.status_code == 201, made.text
    release = made.json()
    assert (release["number"], release["gated"], release["marks"]) == (1, True, [])
    qrels = script.get(f"{home}/releases/{release['id']}/qrels")
    assert hashlib.sha256(qrels.content).hexdigest() == release["qrels_sha256"]
    assert qrels.headers["content-disposition"] == 'attachment; filename="developer-help-release-1.qrels"'
    assert qrels.headers["adjudge-gated"] == "true"
    assert qrels.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(qrels.content.splitlines()) == release["judgments"]
    assert script.get(f"{home}/qrels").content == qrels.content
    manifest = script.get(f"{home}/releases/{release['id']}/manifest")
    hashed = [line for line in manifest.text.splitlines(keepends=True) if not line.startswith('  "record": ')]
    assert hashlib.sha256("".join(hashed).encode()).hexdigest() == release["sha256"]
    assert len(hashed) == len(manifest.text.splitlines()) - 1
    assert manifest.headers["etag"] == f'"{hashlib.sha256(manifest.content).hexdigest()}"'
    assert script.get(f"{home}/releases/{release['id']}").json()["manifest"] == manifest.json()
    for answer in (qrels, manifest):
        assert answer.headers["content-security-policy"]
        again = script.get(str(answer.request.url), headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_a_waiver_says_ungated_wherever_it_goes(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    release = script.post(f"{home}/releases", json=WAIVER).json()
    assert (release["gated"], release["marks"]) == (False, ["ungated"])
    assert release["waiver_reason"] == "The trial ends today."
    qrels = script.get(f"{home}/qrels")
    assert qrels.headers["content-disposition"] == 'attachment; filename="developer-help-release-1-ungated.qrels"'
    assert qrels.headers["adjudge-gated"] == "false"
    manifest = script.get(f"{home}/releases/{release['id']}/manifest").json()
    assert (manifest["gated"], manifest["waiver_reason"]) == (False, "The trial ends today.")
    assert script.get(f"{home}/releases").json()[0]["gated"] is False
    assert script.get(f"{home}/scores").json()["gated"] is False


def test_a_wrong_password_signs_nothing_and_is_counted(story: Story) -> None:
    story.judge(agreeing(queries=12, pairs=1))
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    for _ in range(10):
        error = error_of(script.post(f"{home}/releases", json=WAIVER | {"password": "not it"}), 422)
        assert error["details"] == {"field": "password"}
    late = script.post(f"{home}/releases", json=WAIVER)
    assert late.status_code == 429
    assert int(late.headers["retry-after"]) > 0
    assert script.get(f"{home}/releases").json() == []


@pytest.mark.parametrize(
    "body", [{}, {"name": "A", "is_gated": True}, {"name": ""}, {"name": "A", "waiver_reason": ""}]
)
def test_what_can_not_be_taken_is_refused_by_name(story: Story, body: dict[str, object]) -> None:
    story.judge(agreeing())
    script = story.cast.script(story.lead, story.project)
    error_of(script.post(f"/api/v1{story.home}/releases", json=body), 422)


def test_leads_and_readers_get_in_and_nobody_else(story: Story) -> None:
    cast = story.cast
    story.judge(agreeing())
    release = story.freeze()
    reader, labeller, stranger = cast.person("rea"), cast.person("lou"), cast.person("zoe")
    cast.member(story.project, reader, "reader")
    cast.member(story.project, labeller, "labeller")
    elsewhere = cast.project(stranger, name="Elsewhere")
    home = f"/api/v1{story.home}"
    for get in every_address(release):
        assert cast.script(reader, story.project, "read").get(home + get).status_code == 200, get
        assert cast.script(labeller, story.project).get(home + get).status_code == 404, get
        assert cast.script(stranger, elsewhere).get(home + get).status_code == 404, get
    for one in ("", "/qrels", "/manifest"):
        assert (
            cast.script(stranger, elsewhere).get(f"/api/v1/projects/{elsewhere}/releases/{release.id}{one}").status_code
            == 404
        )
    assert cast.script(reader, story.project).post(f"{home}/releases", json={"name": "A"}).status_code == 404
    assert (
        cast.script(story.lead, story.project, "read").post(f"{home}/releases", json={"name": "A"}).status_code == 403
    )


def test_a_lead_who_still_judges_sees_and_freezes_nothing(story: Story) -> None:
    story.judge(agreeing())
    release = story.freeze()
    story.judge([("q99", "d", "ana", None)], kind="main", is_open=True)
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    for answer in (
        *(script.get(home + get) for get in every_address(release)),
        script.post(f"{home}/releases", json={"name": "A"}),
    ):
        assert error_of(answer, 409)["details"]["conditions"] == ["blindness"]  # type: ignore[index]


def test_a_release_does_not_move_when_grades_do(story: Story) -> None:
    story.judge(agreeing())
    release = story.freeze()
    script, home = story.cast.script(story.lead, story.project), f"/api/v1{story.home}"
    before = script.get(f"{home}/qrels").content
    with story.cast.database.session(writes=True) as session:
        for name in ("ben", "cleo"):
            grade_again(session, story.project, "q00", "d00-0", name, 3)
            grade_again(session, story.project, "q01", "d01-0", name, 0)
    assert script.get(f"{home}/qrels").content == before
    newer = story.freeze("Second")
    assert read_manifest(newer)["hashes"] != read_manifest(release)["hashes"]
    assert script.get(f"{home}/qrels").content != before
