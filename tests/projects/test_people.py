"""The people of the installation: whoever looks after it disables and enables, and sees no project by that."""

import pytest
from sqlalchemy import select

from app.projects.models import Invitation
from app.web import API, COOKIE
from tests.make import PASSWORD, Cast


@pytest.fixture
def ada(cast: Cast) -> str:
    return cast.person("ada", is_admin=True)


def test_everybody_is_listed_with_their_state_and_no_project_by_name(cast: Cast, ada: str) -> None:
    ben = cast.person("ben")
    cast.project(ben, name="Secret plans")
    cast.browser(ben)
    page = cast.browser(ada).get("/people").text
    assert "ben@example.org" in page
    assert "last seen" in page
    assert "the only lead of 1 project" in page
    assert "Secret plans" not in page


def test_looking_after_the_installation_opens_no_project(cast: Cast, ada: str) -> None:
    project = cast.project(cast.person("ben"))
    browser = cast.browser(ada)
    assert browser.get(f"/projects/{project}").status_code == 404
    assert browser.get(f"/projects/{project}/members").status_code == 404
    assert "Developer help" not in browser.get("/").text


def test_disabling_ends_sessions_tokens_and_invitations_at_once(cast: Cast, ada: str) -> None:
    ben = cast.person("ben")
    project = cast.project(ben)
    browser, script = cast.browser(ben), cast.script(ben, project)
    secret = browser.cookies[COOKIE]
    cast.invitation(project, "lead")
    assert cast.browser(ada).post(f"/people/{ben}/disable").headers["location"] == "/people"
    assert browser.get(f"/projects/{project}").headers["location"].startswith("/sign-in")
    assert script.get(f"{API}/me").status_code == 401
    form = {"email": "ben@example.org", "password": PASSWORD}
    assert cast.browser(None).post("/sign-in", data=form).status_code == 422
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Invitation)).one().withdrawn_at is not None
    assert "disabled" in cast.browser(ada).get("/people").text
    assert cast.browser(ada).post(f"/people/{ben}/enable").status_code == 303
    assert cast.browser(None).post("/sign-in", data=form).status_code == 303
    revived = cast.browser(None)
    revived.cookies.set(COOKIE, secret)
    assert revived.get("/account").status_code == 303
    assert script.get(f"{API}/me").status_code == 401


def test_nobody_disables_their_own_account(cast: Cast, ada: str) -> None:
    browser = cast.browser(ada)
    refused = browser.post(f"/people/{ada}/disable")
    assert (refused.status_code, "your own account" in refused.text) == (409, True)
    assert browser.get("/people").status_code == 200


def test_an_account_that_there_is_not_is_not_there(cast: Cast, ada: str) -> None:
    assert cast.browser(ada).post("/people/aaaaaaaaaaaaaaaa/disable").status_code == 404


def test_only_whoever_looks_after_the_installation_finds_the_page(cast: Cast, ada: str) -> None:
    ben = cast.person("ben")
    cast.project(ben)
    browser = cast.browser(ben)
    assert browser.get("/people").status_code == 404
    assert browser.post(f"/people/{ada}/disable").status_code == 404
    assert 'href="/people"' not in browser.get("/account").text
    assert 'href="/people"' in cast.browser(ada).get("/account").text
