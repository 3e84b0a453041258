"""Guards, handler and transaction in one thread: asked as FastAPI would ask them, and no grade the poorer."""

import threading
from collections.abc import Callable
from inspect import signature
from typing import Annotated

import pytest
from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy import select

from app.db import SessionDep
from app.errors import NotThere
from app.one_thread import OneThreadRoute
from app.people.models import Person
from app.reading import CheckedRoute
from app.web import Late
from tests.make import Cast

ASKED: list[tuple[str, int]] = []


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is tried here asks nothing of the database."""
    return sqlite_url


def first(session: SessionDep, person_id: str) -> Person:
    ASKED.append(("first", threading.get_ident()))
    found = session.get(Person, person_id)
    if found is None:
        raise NotThere
    return found


def second(request: Request, person: Annotated[Person, Depends(first)]) -> str:
    ASKED.append(("second", threading.get_ident()))
    return f"{request.method} {person.name}"


def rename(
    session: SessionDep,
    person: Annotated[Person, Depends(first)],
    words: Annotated[str, Depends(second)],
    name: Annotated[str, Form()],
    times: Annotated[int, Form()] = 1,
) -> Response:
    ASKED.append(("handler", threading.get_ident()))
    person.name = name * times
    session.flush()
    if name == "nobody":
        raise NotThere
    return PlainTextResponse(words)


def post(cast: Cast, person_id: str, **form: str) -> tuple[int, str]:
    router = APIRouter(route_class=OneThreadRoute, include_in_schema=False)
    router.add_api_route("/named/{person_id}", rename, methods=["POST"])
    cast.app.include_router(router)
    ASKED.clear()
    answer = cast.browser(None).post(f"/named/{person_id}", data=form)
    return answer.status_code, answer.text


def names(cast: Cast) -> list[str]:
    with cast.database.session(writes=False) as session:
        return list(session.scalars(select(Person.name)))


def test_guards_are_asked_in_order_and_once_in_the_handlers_thread(cast: Cast) -> None:
    assert post(cast, cast.person("ana"), name="bo", times="2") == (200, "POST ana")
    assert [name for name, _ in ASKED] == ["first", "second", "handler"]
    assert len({thread for _, thread in ASKED}) == 1
    assert names(cast) == ["bobo"]


def test_a_guard_that_refuses_keeps_the_handler_from_being_asked(cast: Cast) -> None:
    cast.person("ana")
    assert post(cast, "nobody-has-this", name="bo")[0] == 404
    assert [name for name, _ in ASKED] == ["first"]
    assert names(cast) == ["ana"]


def test_raising_undoes_what_was_written(cast: Cast) -> None:
    assert post(cast, cast.person("ana"), name="nobody")[0] == 404
    assert names(cast) == ["ana"]


def test_what_cannot_be_read_is_refused_before_a_guard_is_asked(cast: Cast) -> None:
    assert post(cast, cast.person("ana"), name="bo", times="often")[0] == 422
    assert ASKED == []


def test_what_stands_in_for_a_guard_is_asked_instead(cast_apart: Cast) -> None:
    def nobody() -> str:
        return "nobody"

    cast_apart.app.dependency_overrides[second] = nobody
    assert post(cast_apart, cast_apart.person("ana"), name="bo") == (200, "nobody")


def test_a_late_answer_is_made_when_the_transaction_is_over(cast: Cast) -> None:
    ana = cast.person("ana")

    def late(session: SessionDep) -> Response:
        session.get_one(Person, ana).name = "Bo"
        return Late(lambda: PlainTextResponse(", ".join(names(cast))))

    router = APIRouter(route_class=OneThreadRoute, include_in_schema=False)
    router.add_api_route("/late", late, methods=["POST"])
    cast.app.include_router(router)
    assert cast.browser(None).post("/late").text == "Bo"


def tell(
    times: Annotated[int, Form()],
    name: Annotated[str, Form()] = "nobody",
    level: Annotated[int | None, Form()] = None,
    holds: Annotated[int | None, Form(ge=0)] = 7,
    words: Annotated[str | None, Form()] = "none",
) -> Response:
    return PlainTextResponse(repr((times, name, level, holds, words)))


@pytest.mark.parametrize(
    "text", ["", "0", "7", "-7", "007", "+7", " 7 ", "7.0", "7.5", "1_0", "\u0663", "1e3", "x", "9" * 12]
)
def test_a_form_is_read_as_fastapi_reads_it(cast: Cast, text: str) -> None:
    for name, route in (("plain", OneThreadRoute), ("whole", CheckedRoute)):
        router = APIRouter(route_class=route, include_in_schema=False)
        router.add_api_route(f"/{name}", tell, methods=["POST"])
        cast.app.include_router(router)
    browser = cast.browser(None)
    for field in signature(tell).parameters:
        form = {"times": "1"} | {field: text}
        plain, whole = browser.post("/plain", data=form), browser.post("/whole", data=form)
        assert (plain.status_code, plain.text.replace("/plain", "/whole")) == (whole.status_code, whole.text), field
    assert browser.post("/plain", files={"times": b"1"}).status_code == 422
    assert browser.post("/plain", json={"times": 1}).status_code == 422


async def waiting() -> None: ...


def giving_back() -> object:
    yield


@pytest.mark.parametrize("guard", [waiting, giving_back])
def test_a_guard_that_cannot_be_asked_in_a_thread_is_refused_when_the_route_is_made(
    guard: Callable[[], object],
) -> None:
    def handler(_given: Annotated[None, Depends(guard)]) -> Response:
        return Response()

    with pytest.raises(TypeError, match="can't be asked within a handler's thread"):
        APIRouter(route_class=OneThreadRoute).get("/")(handler)
