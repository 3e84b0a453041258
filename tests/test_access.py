"""Promise S1: every route is authorised. The table stands in tests/routes.py, the actors in tests/access.py."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from sqlalchemy import select, update
from starlette.routing import Mount

from app.db import SessionDep, now
from app.main import create_app
from app.people.models import SignIn
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.settings import Settings
from app.web import API
from tests.access import World, address, faults, parameters
from tests.conftest import to_text
from tests.make import EVERYWHERE, Cast
from tests.postgres import fresh_database
from tests.routes import ADMINS, FIXED, LEADS, MAKERS, ROUTES, Route

APP = Path(__file__).resolve().parent.parent / "app"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared_cast(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cast]:
    """One application for the whole table on each engine: every route gets people and projects of its own in it."""
    folder = tmp_path_factory.mktemp("access")
    with ExitStack() as stack:
        if request.param == "sqlite":
            url = f"sqlite:///{shutil.copy(request.getfixturevalue('sqlite_template'), folder / 'adjudge.db')}"
        else:
            template = request.getfixturevalue("postgresql_template")
            server = request.getfixturevalue("postgres_server")
            url = to_text(stack.enter_context(fresh_database(server, template=template)))
        app = create_app(Settings(database_url=url, uploads_dir=folder / "uploads", host=EVERYWHERE))
        yield Cast(app, app.state.database)
        app.state.database.close()


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_everybody_is_answered_as_the_table_says(shared_cast: Cast, route: Route) -> None:
    found = faults(World.make(shared_cast), route)
    assert not found, "\n".join([str(route), *found])


# The table holds every route


def test_the_table_holds_every_route_once(cast: Cast) -> None:
    listed = [(route.method, route.path) for route in ROUTES]
    served = sorted({*served_routes(cast.app)})
    assert sorted(listed) == served, (
        f"not in tests/routes.py: {sorted(set(served) - set(listed))}; not served: {sorted(set(listed) - set(served))}"
    )


def test_the_routes_found_are_those_that_the_schema_and_the_source_tell_of(cast: Cast) -> None:
    """FastAPI may hide routes in included routers: two other ways of counting must come to the same."""
    served = {*served_routes(cast.app)}
    schema = {(method.upper(), path) for path, ways in cast.app.openapi()["paths"].items() for method in ways}
    assert schema == {(method, path) for method, path in served if path.startswith(f"{API}/") and "openapi" not in path}
    declared = sum(
        len(re.findall(r"^@router\.(?:get|post|put|patch|delete)\(", path.read_text(), re.MULTILINE))
        for path in APP.rglob("*.py")
    )
    assert len(served) == declared + len(["openapi.json", "readyz"])


def test_the_only_folder_served_is_static(cast: Cast) -> None:
    assert [route.path for route in cast.app.routes if isinstance(route, Mount)] == ["/static"]


def test_every_parameter_can_be_made() -> None:
    assert {name for route in ROUTES for name in parameters(route)} <= {*MAKERS, *FIXED}


def test_the_guards_name_the_roles_of_the_table(cast: Cast) -> None:
    """A cross-check only: the table is the design's word, and each answer is tested above."""
    table = {(route.method, route.path): route.who.roles for route in ROUTES}
    guarded = {(method, path): roles_of(dependant) for method, path, dependant in flat_routes(cast.app.routes)}
    assert {route: roles for route, roles in table.items() if guarded.get(route, roles) != roles} == {}


# What can't be taken back asks for the password again (S4)

GUARDED = re.compile(r"/people|/account/tokens|/projects/\{project_id\}/(members|invitations)")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_members_tokens_and_people_ask_for_the_password_after_a_quarter_of_an_hour(cast: Cast) -> None:
    world = World.make(cast)
    guarded = [route for route in ROUTES if not route.is_api and GUARDED.match(route.path)]
    assert len(guarded) >= 11
    for route in guarded:
        where = address(world, route, world.home)
        browser = cast.browser(world.people["admin" if route.who is ADMINS else "lead"])
        with cast.database.session(writes=True) as session:
            session.execute(update(SignIn).values(password_at=now() - timedelta(minutes=16)))
        answer = browser.request(route.method, where)
        assert answer.headers.get("location", "").startswith("/password?next="), route


# A guard taken out turns the table red


def test_a_missing_guard_is_found(cast: Cast) -> None:
    @cast.app.get("/projects/{project_id}/leak")
    def leak(session: SessionDep, project_id: str) -> str:
        return session.get_one(Project, project_id).name

    found = faults(World.make(cast), Route("GET", "/projects/{project_id}/leak", LEADS))
    assert {line.split(":")[0] for line in found} >= {"nobody", "labeller", "lead elsewhere", "admin", "revoked token"}


def test_a_guard_that_seats_anybody_is_found(cast_apart: Cast) -> None:
    def seat_anybody(session: SessionDep, project_id: str) -> Seat:
        member = session.scalars(select(Member).where(Member.project_id == project_id, Member.role == "lead")).first()
        assert member
        return Seat(session.get_one(Project, project_id), member, None, "browser", None)  # type: ignore[arg-type]

    (route,) = (route for route in ROUTES if str(route) == "GET /projects/{project_id}")
    world = World.make(cast_apart)
    assert faults(world, route) == []
    (guard,) = (
        each.call
        for method, path, dependant in flat_routes(cast_apart.app.routes)
        if (method, path) == (route.method, route.path)
        for each in flat_dependants(dependant)
        if each.call and hasattr(each.call, "adjudge_roles")
    )
    cast_apart.app.dependency_overrides[guard] = seat_anybody
    assert {"nobody", "lead elsewhere", "admin"} <= {line.split(":")[0] for line in faults(world, route)}


def test_a_route_that_is_not_in_the_table_is_found(cast: Cast) -> None:
    cast.app.add_api_route("/unlisted", lambda: "leak", methods=["GET"])
    with pytest.raises(AssertionError, match="unlisted"):
        test_the_table_holds_every_route_once(cast)


# How FastAPI holds its routes


def served_routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of everything but the static files."""
    for method, path, _ in flat_routes(app.routes):
        yield method, path


def flat_routes(routes: Any) -> Iterator[tuple[str, str, Dependant | None]]:
    """Every route with its whole path, out of routers included at any depth; what is not understood is an error."""
    for route in routes:
        if hasattr(route, "effective_candidates"):
            yield from flat_routes(route.effective_candidates())
        elif not isinstance(route, Mount):
            for method in route.methods - {"HEAD"}:
                yield method, route.path, getattr(route, "dependant", None)


def roles_of(dependant: Dependant | None) -> frozenset[str]:
    """The roles that the guards of a route let in, all of them together."""
    named = [getattr(each.call, "adjudge_roles", None) for each in flat_dependants(dependant)]
    found = [frozenset(roles) for roles in named if roles is not None]
    return frozenset.intersection(*found) if found else frozenset()


def flat_dependants(dependant: Dependant | None) -> Iterator[Dependant]:
    if dependant is not None:
        yield dependant
        for each in dependant.dependencies:
            yield from flat_dependants(each)
