"""Promises S4 and S6: sessions that can't be guessed, kept or shared, and doors that don't tell who is known."""

import statistics
import time
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.db import now
from app.people.models import Attempt, Person, SignIn
from app.people.passwords import HASHER, is_right, nobodys_hash
from app.people.signing_in import Door, hashed
from app.web import COOKIE, SECURE_COOKIE
from tests.make import BROWSER_HEADERS, PASSWORD, Cast


def sign_in(client: TestClient, name: str = "ana", password: str = PASSWORD) -> int:
    return client.post("/sign-in", data={"email": f"{name}@example.org", "password": password}).status_code


def age(cast: Cast, **columns: timedelta) -> None:
    """Sets the times of every session back."""
    with cast.database.session(writes=True) as session:
        session.execute(update(SignIn).values({name: now() - by for name, by in columns.items()}))


# The session


def test_over_http_the_cookie_is_kept_from_scripts_and_other_sites(cast: Cast) -> None:
    cast.person("ana")
    browser = cast.browser(None)
    answer = browser.post("/sign-in", data={"email": "Ana@Example.org ", "password": PASSWORD})
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == COOKIE
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(rest.split("; "))
    assert "Secure" not in rest
    assert "Domain" not in rest
    assert browser.get("/account").status_code == 200


def test_over_https_the_browser_itself_holds_the_cookie_to_this_host(cast: Cast) -> None:
    cast.person("ana")
    browser = TestClient(cast.app, base_url="https://adjudge.test", headers=BROWSER_HEADERS, follow_redirects=False)
    answer = browser.post("/sign-in", data={"email": "ana@example.org", "password": PASSWORD})
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == SECURE_COOKIE == f"__Host-{COOKIE}"
    assert {"Secure", "HttpOnly", "SameSite=lax", "Path=/"} <= set(rest.split("; "))
    assert "Domain" not in rest
    assert browser.get("/account").status_code == 200


def test_a_secret_has_256_bits_and_only_its_hash_is_kept(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    secret = browser.cookies[COOKIE]
    assert len(secret) == 43  # 32 bytes in base64
    with cast.database.session(writes=False) as session:
        row = session.scalars(select(SignIn)).one()
        assert row.secret_hash == hashed(secret)
        assert secret not in str(vars(row))


def test_each_sign_in_has_a_new_secret_and_ends_the_one_before_in_that_browser(cast: Cast) -> None:
    ana = cast.person("ana")
    browser, elsewhere = cast.browser(ana), cast.browser(ana)
    old = browser.cookies[COOKIE]
    answer = browser.post("/sign-in", data={"email": "ana@example.org", "password": PASSWORD})
    new = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert old not in (new, "")
    opened = {secret: cast.browser(None) for secret in (old, new)}
    for secret, another in opened.items():
        another.cookies.set(COOKIE, secret)
    assert opened[new].get("/account").status_code == 200
    assert opened[old].get("/account").status_code == 303
    assert elsewhere.get("/account").status_code == 200


def test_a_session_ends_when_it_lies_idle(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    age(cast, seen_at=timedelta(minutes=119))
    assert browser.get("/account").status_code == 200
    age(cast, seen_at=timedelta(minutes=121))
    assert browser.get("/account").headers["location"] == "/sign-in?next=/account"


def test_a_session_in_use_is_seen_and_so_does_not_lie_idle(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    for _ in range(2):
        age(cast, seen_at=timedelta(minutes=100))
        assert browser.get("/account").status_code == 200
        with cast.database.session(writes=False) as session:
            assert now() - session.scalars(select(SignIn.seen_at)).one() < timedelta(minutes=1)


def test_a_session_ends_after_twelve_hours_used_or_not(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    age(cast, created_at=timedelta(hours=11, minutes=59))
    assert browser.get("/account").status_code == 200
    age(cast, created_at=timedelta(hours=12, minutes=1))
    assert browser.get("/account").status_code == 303


def test_signing_out_ends_the_session_and_clears_nothing_of_other_people_s(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    secret = browser.cookies[COOKIE]
    answer = browser.post("/sign-out")
    assert answer.headers["location"] == "/sign-in"
    assert "clear-site-data" not in answer.headers
    browser.cookies.set(COOKIE, secret)
    assert browser.get("/account").status_code == 303


def test_an_invented_secret_opens_nothing(cast: Cast) -> None:
    cast.browser(cast.person("ana"))
    browser = cast.browser(None)
    with cast.database.session(writes=False) as session:
        browser.cookies.set(COOKIE, session.scalars(select(SignIn.secret_hash)).one())
    assert browser.get("/account").status_code == 303


# Where signing in leads


@pytest.mark.parametrize(
    ("next_", "leads_to"),
    [
        ("/projects/new?x=1", "/projects/new?x=1"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nSet-Cookie: x=1", "/"),
        ("", "/"),
    ],
)
def test_signing_in_leads_back_but_never_away(cast: Cast, next_: str, leads_to: str) -> None:
    cast.person("ana")
    answer = cast.browser(None).post("/sign-in", data={"email": "ana@example.org", "password": PASSWORD, "next": next_})
    assert answer.headers["location"] == leads_to


def test_whoever_asks_for_a_page_is_led_to_it_after_signing_in(cast: Cast) -> None:
    assert cast.browser(None).get("/projects/new?a=b").headers["location"] == "/sign-in?next=/projects/new%3Fa%3Db"


# Guessing


def test_the_eleventh_guess_at_an_account_from_an_address_is_not_heard_for_five_minutes(cast: Cast) -> None:
    cast.person("ana")
    browser = cast.browser(None, address="10.0.0.1")
    for name in ["ana", "ANA", "Ana", "aNa", "anA"] * 2:
        assert sign_in(browser, name=name, password="wrong") == 422
    answer = browser.post("/sign-in", data={"email": "ana@example.org", "password": PASSWORD})
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 301
    assert "Too many wrong passwords" in answer.text
    with cast.database.session(writes=True) as session:
        session.execute(update(Attempt).values(at=now() - timedelta(minutes=5, seconds=1)))
    assert sign_in(browser) == 303


def test_who_guesses_at_one_account_shuts_nobody_else_of_the_same_address_out(cast: Cast) -> None:
    """Behind a proxy that nobody told us of, everybody has one address."""
    cast.person("ana")
    cast.person("ben")
    shared = cast.browser(None, address="10.0.0.1")
    for _ in range(10):
        assert sign_in(shared, password="wrong") == 422
    assert sign_in(shared) == 429
    assert sign_in(shared, name="ben") == 303
    assert sign_in(cast.browser(None, address="10.0.0.2")) == 303


@pytest.mark.parametrize(("most", "about"), [(30, "account"), (100, "address")])
def test_many_guesses_at_an_account_or_from_an_address_are_not_heard(cast: Cast, most: int, about: str) -> None:
    cast.person("ana")
    door = Door("ana@example.org", "10.0.0.1")
    elsewhere = {"account": Door("ana@example.org", "10.0.0.2"), "address": Door("ben@example.org", "10.0.0.1")}[about]
    for number in (most - 1, 1):
        assert sign_in(cast.browser(None, address="10.0.0.1"), password=PASSWORD) == 303
        with cast.database.session(writes=True) as session:
            session.add_all(Attempt(about=elsewhere.counters()[about]) for _ in range(number))
    assert door.counters()[about] == elsewhere.counters()[about]
    assert sign_in(cast.browser(None, address="10.0.0.1")) == 429


def test_guesses_from_everywhere_at_everybody_meet_a_cap(cast: Cast) -> None:
    cast.person("ana")
    with cast.database.session(writes=True) as session:
        session.add_all(Attempt(about="all") for _ in range(200))
    assert sign_in(cast.browser(None)) == 429


def test_the_password_asked_again_is_guarded_alike(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    for _ in range(10):
        assert browser.post("/password", data={"password": "wrong"}).status_code == 422
    answer = browser.post("/password", data={"password": PASSWORD})
    assert answer.status_code == 429
    assert answer.headers["retry-after"]
    changed = browser.post("/account/password", data={"old": PASSWORD, "new": "another quiet four words"})
    assert changed.status_code == 429
    assert changed.headers["retry-after"]


def test_what_is_counted_holds_no_email(cast: Cast) -> None:
    """Whoever types the password into the wrong field must not find it kept."""
    sign_in(cast.browser(None), name="my-secret-password", password="wrong")
    with cast.database.session(writes=False) as session:
        assert not [about for about in session.scalars(select(Attempt.about)) if "secret" in about]


def test_an_unknown_a_disabled_and_a_known_account_are_answered_in_the_same_words(cast: Cast) -> None:
    cast.person("ana")
    disabled = cast.person("ben")
    with cast.database.session(writes=True) as session:
        session.get_one(Person, disabled).disabled_at = now()
    said = {
        name: cast.browser(None)
        .post("/sign-in", data={"email": f"{name}@example.org", "password": password})
        .text.replace(name, "NAME")
        for name, password in (("ana", "wrong"), ("zoe", "wrong"), ("ben", PASSWORD))
    }
    assert said["ana"] == said["zoe"] == said["ben"]
    assert "Email or password is wrong" in said["ana"]


def test_an_unknown_account_costs_as_much_work_as_a_wrong_password() -> None:
    known, _ = HASHER.hash(PASSWORD), nobodys_hash()

    def took(password_hash: str | None) -> float:
        begun = time.process_time()
        assert not is_right("wrong", password_hash)
        return time.process_time() - begun

    took_known, took_unknown = (statistics.median(took(each) for _ in range(5)) for each in (known, None))
    assert 0.5 < took_unknown / took_known < 2
