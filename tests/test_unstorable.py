"""What a database or UTF-8 can't hold is refused with a sentence, on both databases, and never a failure."""

import pytest

from tests.make import LEVELS, Cast


@pytest.mark.parametrize("address", ["/projects/%00", "/projects/a%00b/rounds", "/invitations/%00", "/set-up/%00"])
def test_an_address_with_a_nul_leads_nowhere(cast: Cast, address: str) -> None:
    assert cast.browser(cast.person("ana")).get(address).status_code in {404, 422}


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b"])
def test_a_script_s_text_with_a_nul_or_half_a_character_changes_nothing(cast: Cast, text: str) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}"
    json = {"Content-Type": "application/json"}
    assert script.patch(address, content=f'{{"name": "{text}"}}', headers=json).status_code == 422
    assert script.get(address).json()["name"] == "Developer help"
    written = script.put(f"{address}/rubric", json={"levels": LEVELS})
    assert written.status_code == 200
    body = written.request.content.decode().replace("exactly", text)
    assert script.put(f"{address}/rubric", content=body, headers=json).status_code == 422


def test_a_form_with_a_nul_is_answered_by_a_page_with_its_headers(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    answer = cast.browser(lead).post(f"/projects/{project}/settings", data={"name": "a\x00b", "policy": "standard"})
    assert answer.status_code in {303, 422}
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("level", [-1, 10, 10**30])
def test_a_level_beyond_any_scale_is_refused(cast: Cast, level: int) -> None:
    lead, labeller = cast.person("ana"), cast.person("ben")
    project = cast.project(lead)
    cast.rubric(project)
    member, other = cast.member(project, labeller, "labeller"), cast.member(project, cast.person("cleo"), "labeller")
    cast.round(project, cast.pool(project, {"q1": ["d1"]}), [member, other])
    script, address = cast.script(labeller, project), f"/api/v1/projects/{project}/assignments"
    (asked,) = script.get(address).json()
    body = {"level": level, "key": asked["key"], "revision": 0, "text_hash": asked["text_hash"]}
    assert script.post(f"{address}/{asked['id']}/grades", json=body).status_code == 422


@pytest.mark.parametrize("table", [[0, 1e308, 1e308], list(range(11))])
def test_gains_that_no_score_could_sum_are_refused(cast: Cast, table: list[float]) -> None:
    lead = cast.person("ana")
    cast.project(lead)
    body = {"name": "Huge", "gain": "table", "gain_reason": "To see.", "gain_table": table}
    assert cast.script(lead, None, "start").post("/api/v1/projects", json=body).status_code == 422


def test_the_set_up_address_is_dead_once_anybody_has_an_account(cast: Cast) -> None:
    from app.people.signing_in import renew_set_up_code

    with cast.database.session(writes=True) as session:
        code = renew_set_up_code(session)
    assert cast.browser(None).get(f"/set-up/{code}").status_code == 200
    cast.person("ana")
    assert cast.browser(None).get(f"/set-up/{code}").status_code == 404
