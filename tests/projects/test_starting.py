"""Starting a project, and what of it can still be changed."""

import pytest

from app.db import now
from app.projects.models import Project
from tests.make import Cast

FORM = {
    "name": "Developer help",
    "gain": "exponential",
    "gain_reason": "One perfect answer matters most.",
    "policy": "standard",
}


def test_starting_seats_the_starter_as_lead(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana", is_admin=True))
    answer = browser.post("/projects", data=FORM)
    assert answer.status_code == 303
    home = answer.headers["location"]
    assert browser.get(home).status_code == 200
    assert browser.get(f"{home}/members").status_code == 200
    assert "Developer help" in browser.get("/").text


def test_whoever_leads_may_start_another_and_a_labeller_may_not(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    cast.member(project, ben, "labeller")
    assert cast.browser(ana).post("/projects", data=FORM).status_code == 303
    assert "/projects/new" in cast.browser(ana).get("/").text
    assert cast.browser(ben).post("/projects", data=FORM).status_code == 404
    assert "/projects/new" not in cast.browser(ben).get("/").text


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": " "}, "can’t stay empty"),
        ({"name": "x" * 121}, "longer than 120"),
        ({"gain": ""}, "Choose one of exponential, linear, table"),
        ({"gain": "best"}, "Choose one of exponential, linear, table"),
        ({"gain_reason": ""}, "can’t stay empty"),
        ({"policy": "lax"}, "Choose one of strict, standard, exploratory"),
        ({"gain": "table", "gain_table": ""}, "has no numbers yet"),
        ({"gain": "table", "gain_table": "0, one"}, "not a list of numbers"),
        ({"gain": "table", "gain_table": "0, nan"}, "not negative"),
        ({"gain": "table", "gain_table": "0, inf"}, "not negative"),
        ({"gain": "table", "gain_table": "-1, 0"}, "not negative"),
        ({"gain": "table", "gain_table": "0, 3, 1"}, "can’t gain less"),
        ({"gain": "table", "gain_table": "7"}, "a number for each level"),
    ],
)
def test_what_can_t_be_taken_comes_back_as_typed_beside_its_field(
    cast: Cast, change: dict[str, str], fault: str
) -> None:
    browser = cast.browser(cast.person("ana", is_admin=True))
    typed = FORM | change
    answer = browser.post("/projects", data=typed)
    assert answer.status_code == 422
    assert fault.replace("’", "&#39;") in answer.text
    assert typed["gain_reason"] in answer.text
    assert 'role="alert"' in answer.text
    with cast.database.session(writes=False) as session:
        assert session.query(Project).count() == 0


def test_a_gain_table_is_kept_as_numbers(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana", is_admin=True))
    home = browser.post("/projects", data=FORM | {"gain": "table", "gain_table": "0; .01, 0.1,1"}).headers["location"]
    assert cast.see_project(home.rpartition("/")[2]).gain_table == [0, 0.01, 0.1, 1]


def test_the_page_states_the_gate_s_own_lines(cast: Cast) -> None:
    text = cast.browser(cast.person("ana", is_admin=True)).get("/projects/new").text
    for figure in (".670", ".500", ".300", "100 pairs", "15 doubly judged", "150 pairs"):
        assert figure in text
    assert text.count("checked") == 1  # The usual policy; the gain is never chosen for anybody.


# Changing it


def test_a_lead_renames_the_project_and_moves_its_gate_before_it_is_frozen(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    form = {"name": "Help 2027", "policy": "strict", "is_small_set": "yes", "primary_stands": "yes"}
    assert cast.browser(ana).post(f"/projects/{project}/settings", data=form).status_code == 303
    changed = cast.see_project(project)
    assert (changed.name, changed.policy, changed.is_small_set) == ("Help 2027", "strict", True)
    assert changed.primary_stands
    answer = cast.script(ana, project).patch(f"/api/v1/projects/{project}", json={"policy": "exploratory"})
    assert (answer.status_code, answer.json()["policy"], answer.json()["name"]) == (200, "exploratory", "Help 2027")


def test_a_frozen_gate_does_not_move_and_the_name_still_does(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    with cast.database.session(writes=True) as session:
        session.get_one(Project, project).policy_frozen_at = now()
    browser, script = cast.browser(ana), cast.script(ana, project)
    refused = browser.post(f"/projects/{project}/settings", data={"name": "Other", "policy": "exploratory"})
    assert (refused.status_code, "was frozen" in refused.text) == (409, True)
    for move in ({"is_small_set": True}, {"primary_stands": True}):
        answer = script.patch(f"/api/v1/projects/{project}", json={"name": "Other"} | move)
        assert (answer.status_code, answer.json()["error"]["details"]) == (409, {"condition": "policy frozen"})
    assert cast.see_project(project).name == "Developer help"
    form = {"name": "Other", "policy": "standard", "is_small_set": ""}  # As the page sends it.
    assert browser.post(f"/projects/{project}/settings", data=form).status_code == 303
    assert script.patch(f"/api/v1/projects/{project}", json={"policy": "standard"}).status_code == 200
    assert cast.see_project(project).name == "Other"


@pytest.mark.parametrize("form", [{"name": "", "policy": "strict"}, {"name": "Other", "policy": "lax"}])
def test_settings_that_can_t_be_taken_change_nothing(cast: Cast, form: dict[str, str]) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    assert cast.browser(ana).post(f"/projects/{project}/settings", data=form).status_code == 422
    kept = cast.see_project(project)
    assert (kept.name, kept.policy) == ("Developer help", "standard")
