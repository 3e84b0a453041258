"""The first account, and what people may change about theirs."""

from datetime import timedelta

from sqlalchemy import select, update

from app.db import now
from app.people.models import Person, SignIn
from app.people.signing_in import renew_set_up_code
from app.web import COOKIE
from tests.make import PASSWORD, Cast

NEW_PASSWORD = "another four quiet words"


def set_up_code(cast: Cast) -> str | None:
    with cast.database.session(writes=True) as session:
        return renew_set_up_code(session)


# The first start


def test_the_set_up_address_makes_the_first_account_once(cast: Cast) -> None:
    code = set_up_code(cast)
    browser = cast.browser(None)
    form = {"email": "Ana@Example.org", "name": " Ana  Lovelace ", "password": PASSWORD}
    assert browser.get(f"/set-up/{code}").status_code == 200
    assert browser.post(f"/set-up/{code}", data=form).headers["location"] == "/"
    assert browser.get("/account").status_code == 200
    with cast.database.session(writes=False) as session:
        ana = session.scalars(select(Person)).one()
        assert (ana.email, ana.name, ana.is_admin) == ("ana@example.org", "Ana Lovelace", True)
    assert cast.browser(None).get(f"/set-up/{code}").status_code == 404
    assert cast.browser(None).post(f"/set-up/{code}", data=form).status_code == 404
    assert set_up_code(cast) is None


def test_a_newer_start_replaces_the_set_up_address(cast: Cast) -> None:
    older, newer = set_up_code(cast), set_up_code(cast)
    assert cast.browser(None).get(f"/set-up/{older}").status_code == 404
    assert cast.browser(None).get(f"/set-up/{newer}").status_code == 200


def test_a_form_that_can_t_be_taken_comes_back_as_typed_and_leaves_the_address_good(cast: Cast) -> None:
    code = set_up_code(cast)
    browser = cast.browser(None)
    for form, fault in (
        ({"email": "ana", "name": "Ana", "password": PASSWORD}, "not an email address"),
        ({"email": "ana@example.org", "name": " ", "password": PASSWORD}, "can&#39;t stay empty"),
        ({"email": "ana@example.org", "name": "A\u202eB", "password": PASSWORD}, "that can&#39;t be seen"),
        ({"email": "ana@example.org", "name": "Ana", "password": "short"}, "at least 12 characters"),
    ):
        answer = browser.post(f"/set-up/{code}", data=form)
        assert answer.status_code == 422
        assert fault in answer.text
        assert f'value="{form["email"]}"' in answer.text
        assert PASSWORD not in answer.text
    assert browser.get(f"/set-up/{code}").status_code == 200


# One's own account


def test_people_change_their_name_and_not_to_nothing(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    assert browser.post("/account/name", data={"name": "Ana Lovelace"}).headers["location"] == "/account"
    assert "Ana Lovelace" in browser.get("/account").text
    refused = browser.post("/account/name", data={"name": "x" * 101})
    assert refused.status_code == 422
    assert "This is longer than 100 characters" in refused.text
    assert "x" * 101 in refused.text


def test_a_new_password_ends_every_other_session_of_the_person(cast: Cast) -> None:
    ana = cast.person("ana")
    here, there = cast.browser(ana), cast.browser(ana)
    wrong = here.post("/account/password", data={"old": "wrong", "new": NEW_PASSWORD})
    assert (wrong.status_code, "not your present password" in wrong.text) == (422, True)
    weak = here.post("/account/password", data={"old": PASSWORD, "new": "short"})
    assert (weak.status_code, "at least 12 characters" in weak.text) == (422, True)
    assert there.get("/account").status_code == 200
    assert here.post("/account/password", data={"old": PASSWORD, "new": NEW_PASSWORD}).status_code == 303
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 303
    old, new = (
        cast.browser(None).post("/sign-in", data={"email": "ana@example.org", "password": each}).status_code
        for each in (PASSWORD, NEW_PASSWORD)
    )
    assert (old, new) == (422, 303)


def test_a_session_elsewhere_can_be_ended_from_the_list(cast: Cast) -> None:
    ana = cast.person("ana")
    here, there = cast.browser(ana), cast.browser(ana)
    with cast.database.session(writes=False) as session:
        ids = list(session.scalars(select(SignIn.id).order_by(SignIn.created_at)))
    assert f"/account/sign-ins/{ids[1]}/end" in here.get("/account").text
    assert here.post(f"/account/sign-ins/{ids[1]}/end").status_code == 303
    assert there.get("/account").status_code == 303
    assert here.get("/account").status_code == 200


def test_sessions_that_are_over_are_not_in_the_list(cast: Cast) -> None:
    ana = cast.person("ana")
    cast.browser(ana)
    with cast.database.session(writes=True) as session:
        session.execute(update(SignIn).values(created_at=now() - timedelta(hours=13)))
    assert "/end" not in cast.browser(ana).get("/account").text


def test_the_password_is_asked_again_after_a_quarter_of_an_hour(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    assert browser.get("/account/tokens").status_code == 200
    with cast.database.session(writes=True) as session:
        session.execute(update(SignIn).values(password_at=now() - timedelta(minutes=16)))
    assert browser.get("/account/tokens").headers["location"] == "/password?next=/account/tokens"
    posted = browser.post("/account/tokens", data={}, headers={"Referer": "http://testserver/account/tokens"})
    assert posted.headers["location"] == "/password?next=/account/tokens"
    assert browser.get("/account").status_code == 200
    wrong = browser.post("/password", data={"password": "wrong", "next": "/account/tokens"})
    assert (wrong.status_code, 'value="/account/tokens"' in wrong.text) == (422, True)
    right = browser.post("/password", data={"password": PASSWORD, "next": "/account/tokens"})
    assert right.headers["location"] == "/account/tokens"
    assert browser.get("/account/tokens").status_code == 200


def test_pages_are_not_kept_by_browsers_or_on_the_way(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    assert browser.get("/account").headers["cache-control"] == "no-store"
    assert COOKIE in browser.cookies
