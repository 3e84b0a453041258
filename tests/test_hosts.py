"""Whose name an address bears: links go where the installation says, and a request that names another is refused."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.cli.serving import announcement
from app.main import create_app
from app.settings import Settings
from app.web import API, COOKIE
from tests.make import BROWSER_HEADERS, EVERYWHERE, Cast

PUBLIC = "https://adjudge.example.org"
Served = Callable[..., TestClient]


@pytest.fixture
def served(cast: Cast) -> Iterator[Served]:
    """A browser, in which nobody or the cast's person is signed in, on the cast's database under other settings."""
    with ExitStack() as stack:

        def serve(person: str | None = None, **settings: object) -> TestClient:
            app = create_app(cast.app.state.settings.model_copy(update=settings))
            stack.callback(app.state.database.close)
            client = TestClient(app, headers=BROWSER_HEADERS, follow_redirects=False)
            if person is not None:
                client.cookies.set(COOKIE, cast.browser(person).cookies[COOKIE])
            return client

        yield serve


@pytest.mark.parametrize("other", ["evil.example", "adjudge.example.org.evil.example", "testserver", "127.0.0.1:8000"])
def test_a_request_for_another_host_is_refused_in_words(served: Served, other: str) -> None:
    browser = served(public_url=PUBLIC)
    for method, address in (
        ("GET", "/sign-in"),
        ("POST", "/sign-in"),
        ("GET", f"{API}/me"),
        ("POST", f"{API}/projects"),
    ):
        origin = {"Origin": f"http://{other}"} if method == "POST" else {}
        answer = browser.request(method, address, headers={"Host": other} | origin)
        assert answer.status_code == 421, (method, address)
        assert "another address" in answer.text
        assert PUBLIC in answer.text
    assert browser.get(f"{API}/me", headers={"Host": other}).json()["error"]["status"] == 421


def test_what_watches_by_address_is_answered_whatever_it_names(served: Served) -> None:
    for settings in ({"public_url": PUBLIC}, {"host": "127.0.0.1"}):
        answer = served(**settings).get("/readyz", headers={"Host": "10.0.0.7:8000"})
        assert (answer.status_code, answer.text) == (200, "ready\n")


def test_links_bear_the_address_that_people_open(cast: Cast, served: Served) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    browser = served(ana, public_url=PUBLIC)
    browser.headers["Host"] = "adjudge.example.org"
    made = browser.post(f"/projects/{project}/invitations", data={"role": "labeller", "note": "Ben"})
    assert re.search(rf'value="{PUBLIC}/invitations/[\w-]{{43}}"', made.text)
    assert (
        f"{PUBLIC}{API}"
        in browser.post("/account/tokens", data={"name": "x", "right": "read", "project_id": project}).text
    )
    script = served(public_url=PUBLIC)
    script.headers |= {"Authorization": f"Bearer {cast.token(ana, project, 'write')}", "Host": "adjudge.example.org"}
    told = script.post(f"{API}/projects/{project}/invitations", json={"role": "labeller", "note": "Ben"}).json()
    assert told["address"] == f"{PUBLIC}/invitations/{told['secret']}"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.2"])
def test_who_listens_to_this_machine_alone_answers_to_its_names_alone(served: Served, host: str) -> None:
    browser = served(host=host)
    for own in (
        "localhost",
        "LOCALHOST:8000",
        "127.0.0.1:49152",
        "[::1]",
        "[::1]:8000",
        f"[{host}]" if ":" in host else host,
    ):
        assert browser.get("/sign-in", headers={"Host": own}).status_code == 200, own
    for other in (
        "evil.example",
        "localhost.evil.example",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost/evil.example",
        "localhost:x",
        "127.0.0.1.evil.example:8000",
        "::1",
        "",
    ):
        assert browser.get("/sign-in", headers={"Host": other}).status_code == 421, other
    twice = browser.get("/sign-in", headers=[("Host", "localhost"), ("Host", "evil.example")])
    assert twice.status_code == 421
    assert "PUBLIC_URL" in browser.get("/sign-in", headers={"Host": "evil.example"}).text


def test_a_public_address_on_this_machine_is_reached_under_each_of_its_names(served: Served) -> None:
    browser = served(public_url="http://localhost:8000")
    for own in ("localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert browser.get("/sign-in", headers={"Host": own}).status_code == 200
    assert browser.get("/sign-in", headers={"Host": "evil.example"}).status_code == 421


def test_who_listens_to_others_without_a_public_address_answers_to_every_name(served: Served) -> None:
    assert served(host=EVERYWHERE).get("/sign-in", headers={"Host": "adjudge.lan:8000"}).status_code == 200


@pytest.mark.parametrize(
    ("url", "kept"),
    [("", ""), ("https://Adjudge.example.org/", PUBLIC), ("http://[::1]:8000", "http://[::1]:8000")],
)
def test_a_public_address_is_kept_without_its_last_slash(url: str, kept: str) -> None:
    assert Settings(public_url=url).public_url == kept


@pytest.mark.parametrize(
    "url",
    ["adjudge.example.org", "ftp://a.example", "https://", "https://a.example/x", "https://u@a.example", "https://a:b"],
)
def test_what_is_no_public_address_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="public_url"):
        Settings(public_url=url)


def test_the_server_says_under_which_address_it_is_reached_and_what_should_be_set() -> None:
    told = announcement(Settings(host=EVERYWHERE), EVERYWHERE, 8000, "code")
    assert told[0] == "Adjudge serves http://localhost:8000, and the other addresses of this machine"
    assert told[1].startswith("Set PUBLIC_URL")
    assert told[2] == "Make the first account here, once: http://localhost:8000/set-up/code"
    assert announcement(Settings(), "127.0.0.1", 8000, None) == ["Adjudge serves http://127.0.0.1:8000"]
    told = announcement(Settings(host=EVERYWHERE, public_url=PUBLIC), EVERYWHERE, 8000, "code")
    assert told == [
        f"Adjudge serves {PUBLIC}, and listens on 0.0.0.0:8000",
        f"Make the first account here, once: {PUBLIC}/set-up/code",
    ]
