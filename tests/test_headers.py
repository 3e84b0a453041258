"""Promise S8: the protecting headers stand on every answer, whatever went wrong."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from starlette.responses import StreamingResponse

from app.headers import HEADERS, KEPT_FOR_EVER
from app.main import create_app
from app.settings import Settings
from app.web import API, static, vendor
from tests.make import BROWSER_HEADERS, EVERYWHERE, Cast


def fail() -> None:
    raise RuntimeError("nobody foresaw this")


def export() -> StreamingResponse:
    def lines() -> Iterator[str]:
        yield "q1 0 d1 3\n"

    return StreamingResponse(lines(), media_type="text/plain")


def answers(cast: Cast, *, base_url: str = "http://testserver") -> dict[str, Response]:
    """One of each kind of answer, by what it is."""
    cast.app.add_api_route("/fails", fail, methods=["GET"])
    cast.app.add_api_route(f"{API}/fails", fail, methods=["GET"])
    cast.app.add_api_route("/export", export, methods=["GET"])
    nobody = TestClient(
        cast.app,
        base_url=base_url,
        headers=BROWSER_HEADERS,
        follow_redirects=False,
        raise_server_exceptions=False,
    )
    cross = {"Sec-Fetch-Site": "cross-site"}
    return {
        "page": nobody.get("/sign-in"),
        "redirect": nobody.get("/"),
        "not found": nobody.get("/no/such/page"),
        "wrong method": nobody.delete("/sign-in"),
        "refused form": nobody.post("/sign-in", data={"email": "x", "password": "y"}),
        "cross-site": nobody.post("/sign-in", headers=cross),
        "too long": nobody.post("/sign-in", content=b"x" * 3_000_000),
        "failure": nobody.get("/fails"),
        "API, nobody": nobody.get(f"{API}/me"),
        "API, not found": nobody.get(f"{API}/nothing"),
        "API, unreadable": nobody.post(f"{API}/invitations/x", content=b"{"),
        "API, failure": nobody.get(f"{API}/fails"),
        "schema": nobody.get(f"{API}/openapi.json"),
        "ready": nobody.get("/readyz"),
        "style": nobody.get(static("app.css")),
        "script": nobody.get(vendor("htmx")),
        "no such file": nobody.get("/static/nothing.css"),
        "export": nobody.get("/export"),
    }


def test_every_kind_of_answer_bears_them(cast: Cast) -> None:
    given = answers(cast)
    assert {name: answer.status_code for name, answer in given.items()} == {
        "page": 200,
        "redirect": 303,
        "not found": 404,
        "wrong method": 405,
        "refused form": 422,
        "cross-site": 403,
        "too long": 413,
        "failure": 500,
        "API, nobody": 401,
        "API, not found": 404,
        "API, unreadable": 422,
        "API, failure": 500,
        "schema": 200,
        "ready": 200,
        "style": 200,
        "script": 200,
        "no such file": 404,
        "export": 200,
    }
    for name, answer in given.items():
        assert {header: answer.headers.get(header) for header in HEADERS} == HEADERS, name
        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"]), name
        assert "strict-transport-security" not in answer.headers, name
        assert "server" not in answer.headers, name
        is_kept = name in ("style", "script")
        assert answer.headers["cache-control"] == (KEPT_FOR_EVER if is_kept else "no-store"), name


def test_behind_https_every_answer_keeps_browsers_there(cast: Cast) -> None:
    for name, answer in answers(cast, base_url="https://adjudge.test").items():
        assert answer.headers.get("strict-transport-security") == "max-age=31536000", name


def test_the_policies_are_those_that_an_observatory_gives_its_best_marks(cast: Cast) -> None:
    policy = dict(part.partition(" ")[::2] for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert not re.search(r"unsafe|\*|https?:|data:", HEADERS["Content-Security-Policy"])
    assert HEADERS["X-Content-Type-Options"] == "nosniff"
    assert HEADERS["Referrer-Policy"] == "same-origin"
    assert HEADERS["Cross-Origin-Opener-Policy"] == HEADERS["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_failure_tells_a_number_and_nothing_of_what_failed(cast: Cast) -> None:
    given = answers(cast)
    for name in ("failure", "API, failure"):
        assert given[name].headers["x-request-id"] in given[name].text
        assert "nobody foresaw" not in given[name].text
        assert "Traceback" not in given[name].text


def test_the_api_says_every_refusal_in_the_shape_of_its_schema(cast: Cast) -> None:
    given = answers(cast)
    for name in ("API, nobody", "API, not found", "API, unreadable", "API, failure"):
        error = given[name].json()["error"]
        assert set(error) == {"status", "sentence", "way_out", "details"}, name
        assert error["status"] == given[name].status_code
        assert error["sentence"]
    schema = given["schema"].json()
    me = schema["paths"][f"{API}/me"]["get"]
    assert me["security"] == [{"HTTPBearer": []}]
    for status in ("401", "404", "409", "422"):
        assert me["responses"][status]["content"]["application/json"]["schema"]["$ref"].endswith("/Refused")


@pytest.mark.parametrize("headers", [{"hx-request": "true"}, {}])
def test_an_error_is_a_page_and_to_htmx_a_part(cast: Cast, headers: dict[str, str]) -> None:
    text = cast.browser(None).get("/no/such/page", headers=headers).text
    assert "There is nothing here that you can see." in text
    assert ("<!doctype html>" in text) == (not headers)


@pytest.fixture
def small(sqlite_url: str) -> FastAPI:
    return create_app(Settings(database_url=sqlite_url, max_form_bytes=1000, host=EVERYWHERE))


def test_a_body_that_does_not_announce_its_length_is_cut_off_all_the_same(small: FastAPI) -> None:
    client = TestClient(small, headers=BROWSER_HEADERS)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/sign-in", content=(b"x" * 600 for _ in range(2)), headers=form)
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413
    assert {header: answer.headers.get(header) for header in HEADERS} == HEADERS
    small.state.database.close()
