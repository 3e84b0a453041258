"""Invitation links: shown once, used once, and plain about why they no longer open."""

import re
import threading
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from app.db import now
from app.people.models import Person, SignIn
from app.people.signing_in import hashed
from app.projects.models import Invitation, Member, Token
from app.record.models import Act
from app.web import API, COOKIE
from tests.make import PASSWORD, Cast

BEN = {"email": "ben@example.org", "name": "Ben", "password": PASSWORD}


def invite(cast: Cast, lead: str, project: str, **form: str) -> str:
    """The path of a new link, as the lead sees it on the page."""
    answer = cast.browser(lead).post(
        f"/projects/{project}/invitations", data={"role": "labeller", "note": "Ben of support"} | form
    )
    assert answer.status_code == 201, answer.text
    found = re.search(r'value="http://testserver(/invitations/[\w-]{43})"', answer.text)
    assert found, answer.text
    return found[1]


def member(cast: Cast, project: str, name: str) -> Member | None:
    with cast.database.session(writes=False) as session:
        return session.scalar(select(Member).where(Member.project_id == project, Member.name == name))


def test_a_link_is_shown_once_and_kept_only_as_a_hash(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    secret = invite(cast, ana, project).rpartition("/")[2]
    page = cast.browser(ana).get(f"/projects/{project}/members").text
    assert "Ben of support" in page
    assert secret not in page
    with cast.database.session(writes=False) as session:
        assert secret not in str(vars(session.scalars(select(Invitation)).one()))


@pytest.mark.parametrize(
    ("form", "fault"), [({"role": "king"}, "Choose one of lead"), ({"note": " "}, "can&#39;t stay empty")]
)
def test_an_invitation_that_can_t_be_made_comes_back_as_typed(cast: Cast, form: dict[str, str], fault: str) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    answer = cast.browser(ana).post(
        f"/projects/{project}/invitations", data={"role": "labeller", "note": "Ben of support"} | form
    )
    assert answer.status_code == 422
    assert fault in answer.text


def test_a_stranger_makes_an_account_and_takes_part(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    browser = cast.browser(None)
    page = browser.get(link)
    assert page.status_code == 200
    assert "Developer help" in page.text
    assert f'href="/sign-in?next={link}"' in page.text
    answer = browser.post(link, data=BEN)
    assert answer.headers["location"] == f"/projects/{project}"
    assert browser.get(f"/projects/{project}").status_code == 200
    ben = member(cast, project, "Ben")
    assert ben
    assert ben.role == "labeller"


def test_a_signed_in_person_takes_part_and_gets_a_new_secret(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    link = invite(cast, ana, project, role="reader")
    browser = cast.browser(ben)
    before = browser.cookies[COOKIE]
    assert "Take part as ben" in browser.get(link).text
    answer = browser.post(link, data={"member_name": "Ben B."})
    assert answer.status_code == 303
    assert before not in answer.headers["set-cookie"]
    stale = cast.browser(None)
    stale.cookies.set(COOKIE, before)
    assert stale.get("/account").status_code == 303
    seated = member(cast, project, "Ben B.")
    assert seated
    assert (seated.person_id, seated.role) == (ben, "reader")


def test_a_link_works_once(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    assert cast.browser(None).post(link, data=BEN).status_code == 303
    for answer in (cast.browser(None).get(link), cast.browser(None).post(link, data=BEN | {"email": "z@example.org"})):
        assert answer.status_code == 410
        assert "This invitation was used already." in answer.text
    assert cast.script(ana, project).post(f"{API}{link}", json=BEN).status_code == 410
    assert "Ben of support" not in cast.browser(ana).get(f"/projects/{project}/members").text


def test_whoever_used_the_link_is_led_by_it_into_the_project_afterwards(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    browser = cast.browser(ben)
    taken = browser.post(link, data={"member_name": "Ben"})
    assert taken.headers["location"] == f"/projects/{project}"
    again = browser.get(link), browser.post(link, data={"member_name": "Ben"})
    assert [answer.headers.get("location") for answer in again] == [f"/projects/{project}"] * 2
    assert cast.browser(cast.person("zoe")).get(link).status_code == 410


def test_two_who_open_the_link_in_the_same_moment_are_not_both_let_in(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    answers: list[int] = []

    def take(number: int) -> None:
        form = BEN | {"email": f"b{number}@example.org", "name": f"Ben {number}"}
        answers.append(cast.browser(None).post(link, data=form).status_code)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, 410, 410, 410]
    with cast.database.session(writes=False) as session:
        assert len(session.scalars(select(Person)).all()) == 2


def test_an_expired_a_withdrawn_and_an_unknown_link_say_so(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    expired, withdrawn = invite(cast, ana, project), invite(cast, ana, project, note="second")
    with cast.database.session(writes=True) as session:
        rows = {row.note: row.id for row in session.scalars(select(Invitation))}
        session.execute(update(Invitation).where(Invitation.note == "Ben of support").values(expires_at=now()))
    browser = cast.browser(ana)
    assert browser.post(f"/projects/{project}/invitations/{rows['second']}/withdraw").status_code == 303
    for link, status, said in (
        (expired, 410, "has expired"),
        (withdrawn, 410, "was withdrawn"),
        ("/invitations/nothing", 404, "no such invitation"),
    ):
        answer = cast.browser(None).get(link)
        assert answer.status_code == status
        assert said in answer.text
    assert "Open invitations" in browser.get(f"/projects/{project}/members").text
    assert "/withdraw" not in browser.get(f"/projects/{project}/members").text


def test_a_used_invitation_is_not_withdrawn_after_the_fact(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    cast.browser(None).post(invite(cast, ana, project), data=BEN)
    with cast.database.session(writes=False) as session:
        invitation = session.scalars(select(Invitation.id)).one()
    assert cast.browser(ana).post(f"/projects/{project}/invitations/{invitation}/withdraw").status_code == 409


def test_whoever_takes_part_already_leaves_the_link_unused(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    browser = cast.browser(ana)
    assert "You take part already" in browser.get(link).text
    assert browser.post(link, data={"member_name": "Ana"}).status_code == 409
    assert cast.browser(None).get(link).status_code == 200


def test_a_name_that_is_taken_leaves_neither_account_nor_seat(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    link = invite(cast, ana, project)
    browser = cast.browser(None)
    refused = browser.post(link, data=BEN | {"name": "ANA"})
    assert refused.status_code == 422
    assert "Somebody in this project is called ANA already" in refused.text
    assert "Your name in this project" in refused.text
    with cast.database.session(writes=False) as session:
        assert len(session.scalars(select(Person)).all()) == 1
    assert browser.post(link, data=BEN | {"name": "ANA", "member_name": "Ana B."}).status_code == 303
    assert member(cast, project, "Ana B.")


def test_an_email_that_is_taken_is_told_to_sign_in(cast: Cast) -> None:
    ana = cast.person("ana")
    cast.person("ben")
    link = invite(cast, ana, cast.project(ana))
    answer = cast.browser(None).post(link, data=BEN | {"email": "BEN@example.org"})
    assert answer.status_code == 422
    assert "There is an account with this email address already" in answer.text


def test_an_email_is_taken_once_even_in_the_same_moment(cast: Cast) -> None:
    project = cast.project(ana := cast.person("ana"))
    links = [invite(cast, ana, project, note=note) for note in ("one", "two", "three")]
    answers: list[int] = []

    def take(link: str) -> None:
        form = BEN | {"name": f"Ben {link[-6:]}"}
        answers.append(cast.browser(None).post(link, data=form).status_code)

    threads = [threading.Thread(target=take, args=(link,)) for link in links]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, 422, 422]


def test_whoever_left_comes_back_by_a_new_link_to_the_same_seat(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    seat = cast.member(project, ben, "labeller")
    assert cast.browser(ana).post(f"/projects/{project}/members/{seat}/leave").status_code == 303
    browser = cast.browser(ben)
    assert browser.get(f"/projects/{project}").status_code == 404
    assert browser.post(invite(cast, ana, project, role="reader"), data={"member_name": "ben"}).status_code == 303
    with cast.database.session(writes=False) as session:
        back = session.get_one(Member, (project, seat))
        assert (back.role, back.left_at) == ("reader", None)


# For scripts


def test_a_script_invites_and_another_takes_the_invitation_up(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    script = cast.script(ana, project)
    made = script.post(f"{API}/projects/{project}/invitations", json={"role": "labeller", "note": "rater 1"})
    assert made.status_code == 201
    assert made.json()["address"] == f"http://testserver/invitations/{made.json()['secret']}"
    assert [each["note"] for each in script.get(f"{API}/projects/{project}/invitations").json()] == ["rater 1"]
    stranger = cast.browser(None)
    stranger.headers.pop("Sec-Fetch-Site")  # A script says nothing of where it comes from.
    taken = stranger.post(f"{API}/invitations/{made.json()['secret']}", json=BEN)
    assert taken.status_code == 201, taken.text
    assert (taken.json()["role"], taken.json()["name"], taken.json()["project_id"]) == ("labeller", "Ben", project)
    headers = {"Authorization": f"Bearer {taken.json()['token']}"}
    assert stranger.get(f"{API}/projects/{project}", headers=headers).json()["role"] == "labeller"
    assert script.get(f"{API}/projects/{project}/invitations").json() == []


def test_a_script_s_refusals_are_sentences(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    script = cast.script(ana, project)
    unknown = script.post(f"{API}/projects/{project}/invitations", json={"role": "lead", "note": "x", "days": 5})
    assert (unknown.status_code, unknown.json()["error"]["details"]["faults"][0]["where"]) == (422, "body.days")
    made = script.post(f"{API}/projects/{project}/invitations", json={"role": "reader", "note": "x"}).json()
    weak = script.post(f"{API}/invitations/{made['secret']}", json=BEN | {"password": "short"})
    assert (weak.status_code, weak.json()["error"]["details"]["field"]) == (422, "password")
    assert script.delete(f"{API}/projects/{project}/invitations/{made['id']}").status_code == 204
    gone = script.post(f"{API}/invitations/{made['secret']}", json=BEN)
    assert (gone.status_code, gone.json()["error"]["sentence"]) == (410, "This invitation was withdrawn.")


def test_joining_needs_the_password_of_nobody_but_the_link_of_a_lead(cast: Cast) -> None:
    """A link by a lead who has left since is void: they could otherwise let themselves in again."""
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    seat = cast.member(project, ben, "lead")
    link = invite(cast, ben, project)
    assert cast.browser(ana).post(f"/projects/{project}/members/{seat}/leave").status_code == 303
    assert cast.browser(ben).post(link, data={"member_name": "ben"}).status_code == 410


def test_members_pages_ask_the_password_again(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    browser = cast.browser(ana)
    with cast.database.session(writes=True) as session:
        session.execute(update(SignIn).values(password_at=now() - timedelta(minutes=16)))
    for answer in (
        browser.get(f"/projects/{project}/members"),
        browser.post(f"/projects/{project}/invitations", data={"role": "reader", "note": "x"}),
    ):
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/password?next=/")
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Invitation)).all() == []


# By token


def test_a_token_makes_nobody_a_lead_without_the_password(cast: Cast) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    seat = cast.member(project, ben, "labeller")
    script = cast.script(ana, project)
    asked = {"role": "lead", "note": "Zoe"}
    for wrong, words in (({}, "needs your password."), ({"password": "not the right words"}, "that is not it")):
        for answer in (
            script.post(f"{API}/projects/{project}/invitations", json=asked | wrong),
            script.patch(f"{API}/projects/{project}/members/{seat}", json={"role": "lead", "name": "Benno"} | wrong),
        ):
            error = answer.json()["error"]
            assert (answer.status_code, error["details"]) == (422, {"field": "password"}), answer.text
            assert words in error["sentence"]
            assert error["way_out"]
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Invitation)).all() == []
    found = member(cast, project, "ben")
    assert (found and found.role) == "labeller"
    right = {"password": PASSWORD}
    assert script.post(f"{API}/projects/{project}/invitations", json=asked | right).status_code == 201
    made = script.patch(f"{API}/projects/{project}/members/{seat}", json={"role": "lead"} | right)
    assert (made.status_code, made.json()["role"]) == (200, "lead")
    renamed = script.patch(f"{API}/projects/{project}/members/{seat}", json={"role": "lead", "name": "Benno"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Benno")


def test_passwords_guessed_by_token_are_counted(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    script = cast.script(ana, project)
    asked = {"role": "lead", "note": "Zoe", "password": "not the right words"}
    answers = [script.post(f"{API}/projects/{project}/invitations", json=asked).status_code for _ in range(11)]
    assert answers == [*[422] * 10, 429]


@pytest.mark.parametrize("role", ["labeller", "reader"])
def test_labellers_and_readers_are_invited_by_token_alone(cast: Cast, role: str) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(ana)
    seat = cast.member(project, ben, "reader" if role == "labeller" else "labeller")
    script = cast.script(ana, project)
    made = script.post(f"{API}/projects/{project}/invitations", json={"role": role, "note": "Zoe"})
    assert made.status_code == 201
    assert script.patch(f"{API}/projects/{project}/members/{seat}", json={"role": role}).status_code == 200


def test_a_revoked_token_takes_the_invitations_along_that_nobody_has_used(cast: Cast) -> None:
    ana = cast.person("ana")
    project = cast.project(ana)
    browser, leaked, other = cast.browser(ana), cast.script(ana, project), cast.script(ana, project)
    address = f"{API}/projects/{project}/invitations"
    asked = {"role": "labeller", "note": "Ben"}
    used, unused, elsewhere = (script.post(address, json=asked).json()["secret"] for script in (leaked, leaked, other))
    by_hand = invite(cast, ana, project)
    assert cast.browser(None).post(f"{API}/invitations/{used}", json=BEN).status_code == 201
    with cast.database.session(writes=False) as session:
        secret = leaked.headers["authorization"].partition(" ")[2]
        token = session.scalars(select(Token.id).where(Token.secret_hash == hashed(secret))).one()
    assert browser.post(f"/account/tokens/{token}/revoke").status_code == 303
    gone = cast.browser(None).post(
        f"{API}/invitations/{unused}", json=BEN | {"email": "zoe@example.org", "name": "Zoe"}
    )
    assert (gone.status_code, "withdrawn" in gone.text) == (410, True)
    assert cast.browser(None).get(f"/invitations/{elsewhere}").status_code == 200
    assert cast.browser(None).get(by_hand).status_code == 200
    assert member(cast, project, "Ben") is not None
    with cast.database.session(writes=False) as session:
        acts = session.scalars(select(Act.verb).where(Act.verb.in_(("invitation withdrawn", "token revoked")))).all()
        assert sorted(acts) == ["invitation withdrawn", "token revoked"]
