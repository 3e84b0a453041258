"""The start page and a project's home."""

from tests.make import Cast


def test_a_member_sees_the_project_and_a_stranger_is_told_nothing(cast: Cast) -> None:
    lead, stranger = cast.person("ana"), cast.person("zoe")
    project = cast.project(lead)
    assert cast.browser(lead).get(f"/projects/{project}").status_code == 200
    assert cast.browser(stranger).get(f"/projects/{project}").status_code == 404
    assert cast.browser(None).get(f"/projects/{project}").headers["location"].startswith("/sign-in?next=")
    assert cast.script(lead, project).get(f"/api/v1/projects/{project}").json()["role"] == "lead"
