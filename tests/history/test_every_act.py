"""Every route that changes something leaves its acts in the record, and what is refused leaves none."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from app.db import SAFE_METHODS
from app.people.signing_in import renew_set_up_code
from app.record.checking import check_chains
from app.record.models import INSTALLATION, Act
from tests.access import Actor, World, address, client_of
from tests.history.deeds import DEEDS, Deed
from tests.make import PASSWORD, Cast
from tests.routes import ROUTES, Place, Route

UNSAFE = {str(route): route for route in ROUTES if route.method not in SAFE_METHODS}
DONE = {name: deed for name, deed in DEEDS.items() if isinstance(deed, Deed)}
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_every_route_that_changes_something_says_what_it_leaves() -> None:
    assert set(DEEDS) == set(UNSAFE)


@ON_SQLITE
@pytest.mark.parametrize("name", DONE)
def test_what_is_done_leaves_its_acts_and_no_others(cast: Cast, name: str) -> None:
    world, deed, route = World.make(cast), DONE[name], UNSAFE[name]
    place = Place(cast, world.project_id, world.people[deed.who])
    ids, form = deed.made(place)
    where = address_of(world, replace(route, query=deed.query), place, ids)
    sent = {**(deed.send(place) if callable(deed.send) else deed.send), **form}
    client = client_of(world, actor_of(world, route, deed))
    before = len(acts(cast))
    answer = sent_to(client, route, where, sent, file=deed.file)
    assert answer.status_code < 400, answer.text
    done = acts(cast)[before:]
    assert Counter(act.verb for act in done) == Counter(deed.leaves)
    assert {act.who for act in done} == {whoever_asked(world, deed, done)}
    assert all((act.token_id is not None) == (route.is_api and "account made" not in deed.leaves) for act in done)


@ON_SQLITE
@pytest.mark.parametrize("name", [name for name in DONE if UNSAFE[name].status in (409, 422)])
def test_what_is_refused_leaves_none(cast: Cast, name: str) -> None:
    world, route = World.make(cast), UNSAFE[name]
    where = address_of(world, route, world.home, {})
    client = client_of(world, actor_of(world, route, DONE[name]))
    before = len(acts(cast))
    sent = dict(route.send(world.home) if callable(route.send) else route.send)
    answer = sent_to(client, route, where, sent)
    assert answer.status_code == route.status, answer.text
    assert acts(cast)[before:] == []


def test_the_first_account_signs_for_itself(cast: Cast) -> None:
    with cast.database.session(writes=True) as session:
        code = renew_set_up_code(session)
    form = {"email": "ana@example.org", "name": "Ana", "password": PASSWORD}
    assert cast.browser(None).post(f"/set-up/{code}", data=form).status_code == 303
    made, signed_in = acts(cast)
    assert (made.verb, signed_in.verb) == ("account made", "signed in")
    assert made.who == signed_in.who
    assert made.who in made.facts


def actor_of(world: World, route: Route, deed: Deed) -> Actor:
    if not route.is_api:
        return Actor(deed.who, world.people[deed.who])
    if deed.right == "start":
        return Actor("start token", world.people["lead"], right="start")
    return Actor("write token", world.people[deed.who], right="write", token_project_id=world.project_id)


def address_of(world: World, route: Route, place: Place, ids: Mapping[str, str]) -> str:
    path = route.path
    for name, value in ids.items():
        path = path.replace(f"{{{name}}}", value)
    return address(world, replace(route, path=path), place)


def sent_to(
    client: TestClient, route: Route, where: str, sent: Mapping[str, Any], *, file: bytes | None = None
) -> Response:
    if file is not None:
        return client.request(route.method, where, files={"file": ("file", file)})
    if route.is_api:
        return client.request(route.method, where, json=None if route.method == "DELETE" else dict(sent))
    return client.request(route.method, where, data=dict(sent))


def acts(cast: Cast) -> list[Act]:
    """In the order of their making, as far as their times tell; all chains are whole."""
    with cast.database.session(writes=False) as session:
        assert list(check_chains(session)) == []
        return sorted(session.scalars(select(Act)), key=lambda act: (act.at, act.chain_id == INSTALLATION, act.number))


def whoever_asked(world: World, deed: Deed, done: Sequence[Act]) -> str:
    """Who makes an account with an invitation signs with it."""
    if "account made" in deed.leaves:
        return next(act.who for act in done if act.verb == "account made" and act.who in act.facts)
    return world.people[deed.who]
