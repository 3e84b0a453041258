"""Promise S7: tokens that are shown once, kept as hashes, hold to one project and right, and end."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.db import now
from app.people.signing_in import hashed
from app.projects.models import Token
from app.web import API
from tests.make import Cast

PROJECT = {"name": "Shop search", "gain": "linear", "gain_reason": "Partly helpful products count."}


def make(cast: Cast, person: str, **form: str) -> str:
    """The secret of a new token, as the page shows it."""
    answer = cast.browser(person).post("/account/tokens", data={"name": "nightly scores"} | form)
    assert answer.status_code == 201, answer.text
    found = re.search(r'value="(adjudge_[\w-]{43})"', answer.text)
    assert found, answer.text
    return found[1]


def script(cast: Cast, secret: str) -> TestClient:
    return TestClient(cast.app, headers={"Authorization": f"Bearer {secret}"})


def test_a_token_is_shown_once_and_kept_only_as_a_hash(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    secret = make(cast, ana, right="write", project_id=project)
    page = cast.browser(ana).get("/account/tokens").text
    assert secret not in page
    assert secret[:12] in page
    assert "never used" in page
    with cast.database.session(writes=False) as session:
        row = session.scalars(select(Token)).one()
        assert row.secret_hash == hashed(secret)
        assert secret not in str(vars(row))
        assert timedelta(days=89) < row.expires_at - now() <= timedelta(days=90)


def test_me_says_whose_token_it_is_and_what_it_opens(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    me = script(cast, make(cast, ana, right="read", project_id=project)).get(f"{API}/me").json()
    assert (me["name"], me["email"]) == ("ana", "ana@example.org")
    assert (me["token"]["name"], me["token"]["right"], me["token"]["project_id"]) == ("nightly scores", "read", project)


def test_a_token_to_read_changes_nothing(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    reading = script(cast, make(cast, ana, right="read", project_id=project))
    assert reading.get(f"{API}/projects/{project}").status_code == 200
    refused = reading.patch(f"{API}/projects/{project}", json={"name": "Other"})
    assert (refused.status_code, "only reads" in refused.text) == (403, True)
    other = cast.project(ana, name="Other")
    assert reading.patch(f"{API}/projects/{other}", json={"name": "x"}).status_code == 404
    writing = script(cast, make(cast, ana, right="write", project_id=project))
    assert writing.patch(f"{API}/projects/{project}", json={"name": "Other"}).status_code == 200


def test_a_token_opens_its_project_and_no_other_of_the_same_person(cast: Cast) -> None:
    ana = cast.person("ana")
    one, other = cast.project(ana, name="one"), cast.project(ana, name="other")
    client = script(cast, make(cast, ana, right="write", project_id=one))
    assert [each["name"] for each in client.get(f"{API}/projects").json()] == ["one"]
    assert client.get(f"{API}/projects/{one}").status_code == 200
    assert client.get(f"{API}/projects/{other}").status_code == 404


def test_a_token_may_what_its_person_may_and_no_more(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    cast.member(project, ben, "labeller")
    client = script(cast, make(cast, ben, right="write", project_id=project))
    assert client.get(f"{API}/projects/{project}/members").status_code == 404


def test_a_start_token_starts_projects_and_each_answer_brings_a_token_to_write_there(cast: Cast) -> None:
    ana = cast.person("ana", is_admin=True)
    starter = script(cast, make(cast, ana, right="start"))
    assert starter.get(f"{API}/projects").json() == []
    started = starter.post(f"{API}/projects", json=PROJECT)
    assert started.status_code == 201, started.text
    assert started.json()["role"] == "lead"
    project = started.json()["id"]
    assert starter.get(f"{API}/projects/{project}").status_code == 404
    writer = script(cast, started.json()["token"])
    assert writer.patch(f"{API}/projects/{project}", json={"policy": "strict"}).json()["policy"] == "strict"
    assert writer.post(f"{API}/projects", json=PROJECT).status_code == 404


def test_starting_by_script_is_refused_as_on_the_page(cast: Cast) -> None:
    starter = script(cast, make(cast, cast.person("ana", is_admin=True), right="start"))
    for change, field in (
        ({"gain": "best"}, "gain"),
        ({"gain_reason": ""}, "gain_reason"),
        ({"gain": "table", "gain_table": [0]}, "gain_table"),
        ({"policy": "lax"}, "policy"),
    ):
        answer = starter.post(f"{API}/projects", json=PROJECT | change)
        assert (answer.status_code, answer.json()["error"]["details"]["field"]) == (422, field)
    unknown = starter.post(f"{API}/projects", json=PROJECT | {"gates": "strict"})
    assert (unknown.status_code, unknown.json()["error"]["details"]["faults"][0]["where"]) == (422, "body.gates")


def test_whoever_leads_no_project_any_more_can_t_start_one_with_an_old_token(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    seat = cast.member(project, ben, "lead")
    starter = script(cast, make(cast, ben, right="start"))
    demoted = cast.script(ana, project).patch(f"{API}/projects/{project}/members/{seat}", json={"role": "reader"})
    assert demoted.status_code == 200
    assert starter.post(f"{API}/projects", json=PROJECT).status_code == 404


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"right": "write", "name": ""}, "stay empty"),
        ({"right": "all"}, "Choose one of read, write, start"),
        ({"right": "read", "project_id": "aaaaaaaaaaaaaaaa"}, "not a project of yours"),
        ({"right": "read"}, "not a project of yours"),
        ({"right": "start"}, "may not start projects"),
    ],
)
def test_a_token_that_can_t_be_made_comes_back_as_typed(cast: Cast, form: dict[str, str], fault: str) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    cast.member(project, ben, "labeller")
    typed = {"name": "nightly scores", "project_id": project if form.get("name") == "" else ""} | form
    answer = cast.browser(ben).post("/account/tokens", data=typed)
    assert (answer.status_code, fault in answer.text) == (422, True)
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Token)).all() == []


def test_nobody_makes_a_token_for_a_project_that_is_not_theirs(cast: Cast) -> None:
    ana, zoe = cast.person("ana"), cast.person("zoe")
    project = cast.project(ana)
    cast.project(zoe, name="hers")
    answer = cast.browser(zoe).post("/account/tokens", data={"name": "x", "right": "read", "project_id": project})
    assert answer.status_code == 422


def test_a_revoked_token_opens_nothing_and_leaves_the_list(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    client = script(cast, make(cast, ana, right="write", project_id=project))
    assert client.get(f"{API}/me").status_code == 200
    with cast.database.session(writes=False) as session:
        token = session.scalars(select(Token.id)).one()
    browser = cast.browser(ana)
    assert browser.post(f"/account/tokens/{token}/revoke").headers["location"] == "/account/tokens"
    answer = client.get(f"{API}/me")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert "nightly scores" not in browser.get("/account/tokens").text.partition("Your tokens")[2]


def test_a_token_ends_after_its_days_and_the_list_says_so(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    client = script(cast, make(cast, ana, right="write", project_id=project))
    with cast.database.session(writes=True) as session:
        session.execute(update(Token).values(expires_at=now()))
    assert client.get(f"{API}/me").status_code == 401
    assert "<b>expired</b>" in cast.browser(ana).get("/account/tokens").text


def test_the_last_use_is_kept_to_a_few_minutes(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    client = script(cast, make(cast, ana, right="read", project_id=project))
    client.get(f"{API}/me")
    with cast.database.session(writes=False) as session:
        used_at = session.scalars(select(Token.last_used_at)).one()
        assert used_at
        assert now() - used_at < timedelta(minutes=1)
    assert "last used" in cast.browser(ana).get("/account/tokens").text
    client.get(f"{API}/me")
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Token.last_used_at)).one() == used_at


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer adjudge_no", "adjudge_no"])
def test_what_is_no_token_is_told_to_bring_one(cast: Cast, header: str) -> None:
    answer = TestClient(cast.app, headers={"Authorization": header}).get(f"{API}/me")
    assert answer.status_code == 401
    assert answer.json()["error"]["sentence"]
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_in_the_address_counts_for_nothing(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    secret = make(cast, ana, right="read", project_id=project)
    nobody = TestClient(cast.app)
    for name in ("token", "access_token"):
        refused = nobody.get(f"{API}/me", params={name: secret})
        assert refused.status_code == 422, "no address reads it, whoever asks"
        assert secret not in refused.text
    assert nobody.get(f"{API}/me").status_code == 401
