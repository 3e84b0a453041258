"""Promise S3: no other site can make a browser write, and nothing is written by looking."""

from typing import Any

import pytest
from sqlalchemy import select

from app.db import SAFE_METHODS, Base, Database
from app.projects.models import Project
from app.web import API, COOKIE
from tests.access import World, address
from tests.make import PASSWORD, Cast
from tests.routes import ROUTES, Route

UNSAFE = [route for route in ROUTES if route.method not in SAFE_METHODS]
ELSEWHERE: list[dict[str, str] | list[tuple[str, str]]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    {"Sec-Fetch-Site": "none", "Origin": "http://testserver:8000"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://testserver.evil.example"},
    {"Origin": "http://testserver:8000"},
    {"Origin": "null"},
    [("Origin", "http://testserver"), ("Origin", "https://evil.example")],
    [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_every_unsafe_route_refuses_what_another_site_sends(cast: Cast) -> None:
    world = World.make(cast)
    browser = cast.browser(world.people["lead"])
    browser.headers.pop("Sec-Fetch-Site")
    let_through = []
    for route in UNSAFE:
        where = address(world, route, world.home)
        for headers in ELSEWHERE:
            answer = browser.request(route.method, where, headers=headers, json={})
            if answer.status_code != 403 or "came from another site" not in answer.text:
                let_through.append(f"{route} {headers}: {answer.status_code}")
    assert not let_through, "\n".join(let_through)


def test_a_browser_that_does_not_say_where_it_comes_from_is_refused_with_its_cookie(cast: Cast) -> None:
    project = cast.project(ana := cast.person("ana"))
    browser = cast.browser(ana)
    browser.headers.pop("Sec-Fetch-Site")
    assert browser.post("/projects", data={}).status_code == 403
    assert browser.patch(f"{API}/projects/{project}", json={"name": "taken over"}).status_code == 403
    assert cast.see_project(project).name == "Developer help"


def test_our_own_page_over_plain_http_says_so_by_its_origin(cast: Cast) -> None:
    """Browsers send Sec-Fetch-Site only over https and to this machine."""
    cast.person("ana")
    browser = cast.browser(None)
    browser.headers.pop("Sec-Fetch-Site")
    form = {"email": "ana@example.org", "password": PASSWORD}
    assert browser.post("/sign-in", data=form, headers={"Origin": "http://testserver"}).status_code == 303


def test_a_cookie_beside_a_token_does_not_open_the_gate(cast: Cast) -> None:
    project = cast.project(ana := cast.person("ana"))
    script = cast.script(ana, project)
    script.cookies.set(COOKIE, "anything")
    answer = script.patch(f"{API}/projects/{project}", json={"name": "x"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_no_answer_lets_another_site_read(cast: Cast) -> None:
    project = cast.project(ana := cast.person("ana"))
    answer = cast.script(ana, project).get(f"{API}/projects/{project}", headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PATCH"}
    assert cast.browser(None).options(f"{API}/projects/{project}", headers=preflight).status_code == 405


def test_looking_at_everything_writes_nothing(cast: Cast) -> None:
    world = World.make(cast)
    lead = world.people["lead"]
    browser, admin = cast.browser(lead), cast.browser(world.people["admin"])
    script = cast.script(lead, world.project_id)
    script.get(f"{API}/me")  # From now on its last use is known well enough.
    looked = []
    for route in ROUTES:
        if route.method != "GET":
            continue
        if route.given:
            route.given(world.home)
        where = address(world, route, world.home)
        before = dump(cast.database)
        answers = [client.get(where).status_code for client in (browser, admin, script)]
        assert dump(cast.database) == before, route
        assert max(answers) < 500, route
        looked.append(200 in answers)
    assert sum(looked) > 20


def test_a_get_that_tried_to_write_would_fail(cast: Cast) -> None:
    """The promise rests on the transaction, not on good will."""
    project = cast.project(cast.person("ana"))
    with pytest.raises(Exception, match=r"(?i)read.?only"), cast.database.session(writes=False) as session:  # noqa: PT012
        session.get_one(Project, project).name = "written by looking"
        session.flush()
    assert cast.see_project(project).name == "Developer help"


def dump(database: Database) -> dict[str, list[Any]]:
    """Every row of every table."""
    with database.session(writes=False) as session:
        return {
            table.name: sorted(map(repr, session.execute(select(table)).all())) for table in Base.metadata.sorted_tables
        }


def test_the_table_tells_safe_from_unsafe() -> None:
    assert len(UNSAFE) > 20
    assert all(isinstance(route, Route) for route in UNSAFE)
