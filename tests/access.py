"""Asks for a route as everybody who could, and says where the answer is not the one that tests/routes.py expects."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal, NamedTuple

from fastapi.testclient import TestClient
from httpx2 import Response

from app.db import SAFE_METHODS, now
from app.headers import HEADERS
from app.people.models import Person
from app.projects.models import Member, Right
from tests.make import Cast
from tests.routes import ADMINS, FIXED, MAKERS, PUBLIC, SIGNED_IN, START_TOKENS, STARTERS, TOKENS, Place, Route

Expected = int | Literal["door"]
"""A status, or the way to the sign-in page."""
NUMBERS = count()
NAMES = ("lead", "labeller", "reader", "admin", "gone", "disabled", "lead-elsewhere", "labeller-elsewhere")


class Actor(NamedTuple):
    """Somebody who asks, by a browser's session or by a token. It says what is so, not what is allowed."""

    name: str
    person_id: str | None
    role: str | None = None
    """In the project of the address."""
    is_known: bool = True
    is_admin: bool = False
    leads: bool = False
    """This project or another."""
    right: Right | None = None
    """A token's; none for a browser."""
    token_project_id: str | None = None
    is_revoked: bool = False
    is_expired: bool = False


@dataclass(frozen=True)
class World:
    """A project with its people, and one elsewhere with its own. The lead leads both."""

    cast: Cast
    project_id: str
    elsewhere_id: str
    people: dict[str, str]

    @classmethod
    def make(cls, cast: Cast) -> "World":
        number = next(NUMBERS)
        people = {name: cast.person(f"{name}-{number}", is_admin=name == "admin") for name in NAMES}
        project, elsewhere = cast.project(people["lead"]), cast.project(people["lead-elsewhere"])
        cast.member(project, people["labeller"], "labeller")
        cast.member(project, people["reader"], "reader")
        cast.member(project, people["disabled"], "lead")
        gone = cast.member(project, people["gone"], "lead")
        cast.member(elsewhere, people["labeller-elsewhere"], "labeller")
        cast.member(elsewhere, people["lead"], "lead")
        with cast.database.session(writes=True) as session:
            session.get_one(Member, (project, gone)).left_at = now()
            session.get_one(Person, people["disabled"]).disabled_at = now()
        return cls(cast, project, elsewhere, people)

    @property
    def home(self) -> Place:
        return Place(self.cast, self.project_id, self.people["lead"])

    def actors(self) -> Iterator[Actor]:
        yield from self.at_browsers()
        yield from self.with_tokens()

    def at_browsers(self) -> Iterator[Actor]:
        yield Actor("nobody", None, is_known=False)
        yield Actor("labeller", self.people["labeller"], "labeller")
        yield Actor("labeller elsewhere", self.people["labeller-elsewhere"])
        yield Actor("reader", self.people["reader"], "reader")
        yield Actor("lead elsewhere", self.people["lead-elsewhere"], leads=True)
        yield Actor("admin", self.people["admin"], is_admin=True)
        yield Actor("former lead", self.people["gone"])
        yield Actor("disabled lead", self.people["disabled"], "lead", is_known=False)
        yield Actor("lead", self.people["lead"], "lead", leads=True)

    def with_tokens(self) -> Iterator[Actor]:
        for name, role in (("labeller", "labeller"), ("reader", "reader"), ("admin", None), ("gone", None)):
            yield Actor(f"token of {name}", self.people[name], role, right="write", token_project_id=self.project_id)
        lead = Actor("write token", self.people["lead"], "lead", right="write", token_project_id=self.project_id)
        yield lead._replace(name="token of disabled lead", person_id=self.people["disabled"], is_known=False)
        yield lead._replace(name="revoked token", is_revoked=True, is_known=False)
        yield lead._replace(name="expired token", is_expired=True, is_known=False)
        yield lead._replace(name="token for another project", token_project_id=self.elsewhere_id)
        yield lead._replace(name="start token", right="start", token_project_id=None)
        yield lead._replace(name="read token", right="read")
        yield lead


def faults(world: World, route: Route) -> list[str]:
    """A line for each actor whom the route answers otherwise than it should; none where all is right."""
    if route.given:
        route.given(world.home)
    asked = [(actor, expected(world, route, actor), place_of(world, route, actor)) for actor in world.actors()]
    asked += strange_objects(world, route)
    return [fault for actor, awaited, place in asked if (fault := ask(world, route, actor, awaited, place))]


def expected(world: World, route: Route, actor: Actor) -> Expected:
    """What the design says this actor is answered."""
    if route.who is PUBLIC:
        return route.status
    if route.is_api:
        return expected_by_token(world, route, actor)
    if actor.right or not actor.is_known:
        return "door"
    is_in = {SIGNED_IN: True, ADMINS: actor.is_admin, STARTERS: actor.is_admin or actor.leads}
    return route.status if is_in.get(route.who, actor.role in route.who.roles) else 404


def expected_by_token(world: World, route: Route, actor: Actor) -> Expected:
    if actor.right is None or not actor.is_known:
        return 401
    only_reads = actor.right == "read" and route.method not in SAFE_METHODS
    has_role = actor.role in route.who.roles and actor.token_project_id == world.project_id
    is_in = {TOKENS: True, START_TOKENS: actor.right == "start"}
    if not is_in.get(route.who, has_role):
        return 404
    return 403 if only_reads else route.status


def place_of(world: World, route: Route, actor: Actor) -> Place:
    """Where and for whom the objects in the address are made: the actor's own, wherever they can have any."""
    can_own = actor.role is not None or "project_id" not in parameters(route)
    return Place(world.cast, world.project_id, (can_own and actor.person_id) or world.people["lead"])


def strange_objects(world: World, route: Route) -> Iterator[tuple[Actor, Expected, Place]]:
    """Whoever is let in asks for an object of another project, and for somebody else's own: nothing is there."""
    if not set(parameters(route)) & set(MAKERS) - {"project_id"}:
        return
    for actor in world.actors():
        if actor.role != "lead" or expected(world, route, actor) != route.status:
            continue
        if "project_id" in parameters(route):
            place = Place(world.cast, world.elsewhere_id, world.people["lead"])
            yield actor._replace(name=f"{actor.name}, an object elsewhere"), 404, place
        if route.is_own:
            place = Place(world.cast, world.project_id, world.people["labeller"])
            yield actor._replace(name=f"{actor.name}, another's object"), 404, place


def parameters(route: Route) -> list[str]:
    return re.findall(r"\{(\w+)(?::\w+)?\}", route.path)


def ask(world: World, route: Route, actor: Actor, awaited: Expected, place: Place) -> str | None:
    answer = answer_to(world, route, actor, place)
    given: Expected = answer.status_code
    if answer.is_redirect and answer.headers["location"].startswith("/sign-in?next="):
        given = "door"
    if given == 401 and "Send it again" in answer.text:  # What was sent waits before the door.
        given = "door"
    bare = [name for name in HEADERS if name not in answer.headers]
    if given == awaited and not bare:
        return None
    return f"{actor.name}: {given}, not {awaited}{f', without {bare}' if bare else ''}; {answer.text[:200]!r}"


def answer_to(world: World, route: Route, actor: Actor, place: Place) -> Response:
    client, where = client_of(world, actor), address(world, route, place)
    if route.method in SAFE_METHODS:
        return client.request(route.method, where)
    sent = dict(route.send(place) if callable(route.send) else route.send)
    if route.is_api:
        return client.request(route.method, where, json=sent)
    return client.request(route.method, where, data=sent)


def client_of(world: World, actor: Actor) -> TestClient:
    """Each comes from an address of its own, so that nobody's wrong password shuts the door on the next."""
    address = f"actor-{next(NUMBERS)}"
    if actor.right is None or actor.person_id is None:
        return world.cast.browser(actor.person_id, address=address)
    return world.cast.script(
        actor.person_id,
        actor.token_project_id,
        actor.right,
        is_revoked=actor.is_revoked,
        is_expired=actor.is_expired,
        address=address,
    )


def address(world: World, route: Route, place: Place) -> str:
    """The route's address in the world's project; the other objects in it are made in `place`."""
    values = {"project_id": world.project_id}
    for name in parameters(route):
        if name not in values:
            values[name] = FIXED[name] if name in FIXED else MAKERS[name](place)
    return re.sub(r":\w+(?=\})", "", route.path).format(**values) + (f"?{route.query}" if route.query else "")
