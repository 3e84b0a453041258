"""Members: their roles, their names, and how they leave."""

import threading

import pytest
from sqlalchemy import select

from app.db import now
from app.people.models import Person
from app.projects.models import Invitation, Member, Project, Token
from app.web import API, COOKIE
from tests.make import PASSWORD, Cast


@pytest.fixture
def ana(cast: Cast) -> str:
    return cast.person("ana")


@pytest.fixture
def project(cast: Cast, ana: str) -> str:
    return cast.project(ana)


def seat_of(cast: Cast, project: str, person: str) -> Member:
    with cast.database.session(writes=False) as session:
        return session.scalars(select(Member).where(Member.project_id == project, Member.person_id == person)).one()


def outsider(cast: Cast, project: str, name: str) -> str:
    with cast.database.session(writes=True) as session:
        member = Member(project_id=project, name=name, role="labeller")
        session.add(member)
        session.flush()
        return member.id


def test_leads_see_everybody_with_their_role(cast: Cast, ana: str, project: str) -> None:
    cast.member(project, cast.person("ben"), "labeller")
    outsider(cast, project, "Rater 7")
    page = cast.browser(ana).get(f"/projects/{project}/members").text
    for said in ("ana@example.org", "ben@example.org", "Rater 7", "grades from outside"):
        assert said in page
    listed = cast.script(ana, project).get(f"{API}/projects/{project}/members").json()
    assert [(each["name"], each["role"], each["email"]) for each in listed] == [
        ("ana", "lead", "ana@example.org"),
        ("ben", "labeller", "ben@example.org"),
        ("Rater 7", "labeller", None),
    ]


# Roles


def test_another_role_ends_what_the_old_one_opened(cast: Cast, ana: str, project: str) -> None:
    ben = cast.person("ben")
    seat = cast.member(project, ben, "lead")
    elsewhere = cast.project(ben, name="Elsewhere")
    browser, script, other = cast.browser(ben), cast.script(ben, project), cast.script(ben, elsewhere)
    browser.post(f"/projects/{project}/invitations", data={"role": "lead", "note": "a back door"})
    answer = cast.browser(ana).post(f"/projects/{project}/members/{seat}", data={"name": "ben", "role": "labeller"})
    assert answer.headers["location"] == f"/projects/{project}/members"
    assert browser.get("/account").status_code == 303
    assert script.get(f"{API}/me").status_code == 401
    assert other.get(f"{API}/me").status_code == 200
    assert seat_of(cast, project, ben).role == "labeller"
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Invitation)).one().withdrawn_at is not None


def test_saving_the_same_role_signs_nobody_out(cast: Cast, ana: str, project: str) -> None:
    ben = cast.person("ben")
    seat = cast.member(project, ben, "labeller")
    browser = cast.browser(ben)
    cast.browser(ana).post(f"/projects/{project}/members/{seat}", data={"name": "Ben of support", "role": "labeller"})
    assert browser.get("/account").status_code == 200
    assert seat_of(cast, project, ben).name == "Ben of support"


def test_a_lead_steps_down_once_there_is_another_and_keeps_one_fresh_session(
    cast: Cast, ana: str, project: str
) -> None:
    here, there = cast.browser(ana), cast.browser(ana)
    mine = seat_of(cast, project, ana).id
    step_down = {"name": "ana", "role": "reader"}
    refused = here.post(f"/projects/{project}/members/{mine}", data=step_down)
    assert (refused.status_code, "this is the last one" in refused.text) == (409, True)
    assert here.post(f"/projects/{project}/members/{mine}/leave").status_code == 409
    cast.member(project, cast.person("ben"), "lead")
    old = here.cookies[COOKIE]
    answer = here.post(f"/projects/{project}/members/{mine}", data=step_down)
    assert answer.headers["location"] == f"/projects/{project}"
    assert old not in answer.headers["set-cookie"]
    assert there.get("/account").status_code == 303
    assert seat_of(cast, project, ana).role == "reader"


def test_a_disabled_lead_does_not_count_as_another(cast: Cast, ana: str, project: str) -> None:
    ben = cast.person("ben")
    cast.member(project, ben, "lead")
    with cast.database.session(writes=True) as session:
        session.get_one(Person, ben).disabled_at = now()
    mine = seat_of(cast, project, ana).id
    assert cast.browser(ana).post(f"/projects/{project}/members/{mine}/leave").status_code == 409


def test_two_leads_who_leave_in_the_same_moment_do_not_leave_nobody(cast: Cast, ana: str, project: str) -> None:
    ben = cast.person("ben")
    seats = {ana: seat_of(cast, project, ana).id, ben: cast.member(project, ben, "lead")}
    answers: list[int] = []

    def go(person: str) -> None:
        answers.append(cast.browser(person).post(f"/projects/{project}/members/{seats[person]}/leave").status_code)

    threads = [threading.Thread(target=go, args=(person,)) for person in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [303, 409]


@pytest.mark.parametrize("role", ["king", ""])
def test_a_role_that_there_is_not_is_refused(cast: Cast, ana: str, project: str, role: str) -> None:
    seat = cast.member(project, cast.person("ben"), "labeller")
    answer = cast.browser(ana).post(f"/projects/{project}/members/{seat}", data={"name": "ben", "role": role})
    assert (answer.status_code, "Choose one of lead" in answer.text) == (422, True)


# Names


def test_a_name_that_another_bears_or_bore_is_refused_and_the_role_stays_too(
    cast: Cast, ana: str, project: str
) -> None:
    ben = cast.person("ben")
    seat = cast.member(project, ben, "labeller")
    outsider(cast, project, "Rater 7")
    gone = cast.member(project, cast.person("cleo"), "reader")
    cast.browser(ana).post(f"/projects/{project}/members/{gone}/leave")
    for name in ("Ana", "RATER 7", "cleo"):
        answer = cast.browser(ana).post(f"/projects/{project}/members/{seat}", data={"name": name, "role": "reader"})
        assert answer.status_code == 422
        assert f"is called {name} already" in answer.text
        assert f'value="{name}"' in answer.text
    kept = seat_of(cast, project, ben)
    assert (kept.name, kept.role) == ("ben", "labeller")


def test_an_outsider_can_be_renamed_and_nothing_else(cast: Cast, ana: str, project: str) -> None:
    seat = outsider(cast, project, "Rater 7")
    browser = cast.browser(ana)
    address = f"/projects/{project}/members/{seat}"
    assert browser.get(address).status_code == 200
    assert browser.post(address, data={"name": "Rater seven", "role": "labeller"}).status_code == 303
    assert browser.post(address, data={"name": "Rater seven", "role": "lead"}).status_code == 409
    assert browser.post(f"{address}/leave").status_code == 409


# Leaving


def test_whoever_is_let_go_sees_nothing_more_and_stays_in_what_they_did(cast: Cast, ana: str, project: str) -> None:
    ben = cast.person("ben")
    seat = cast.member(project, ben, "labeller")
    script = cast.script(ben, project)
    assert cast.browser(ana).post(f"/projects/{project}/members/{seat}/leave").status_code == 303
    browser = cast.browser(ben)
    assert browser.get(f"/projects/{project}").status_code == 404
    assert "Developer help" not in browser.get("/").text
    assert script.get(f"{API}/projects/{project}").status_code == 401
    assert seat_of(cast, project, ben).name == "Labeller 1"
    assert cast.browser(ana).get(f"/projects/{project}/members/{seat}").status_code == 404
    assert cast.browser(ana).post(f"/projects/{project}/members/{seat}/leave").status_code == 404


def test_a_lead_who_leaves_lands_on_the_start_page(cast: Cast, ana: str, project: str) -> None:
    cast.member(project, cast.person("ben"), "lead")
    mine = seat_of(cast, project, ana).id
    answer = cast.browser(ana).post(f"/projects/{project}/members/{mine}/leave")
    assert answer.headers["location"] == "/"
    assert answer.headers["set-cookie"]


# For scripts


def test_a_script_changes_members_by_the_same_rules(cast: Cast, ana: str, project: str) -> None:
    seat = cast.member(project, cast.person("ben"), "labeller")
    mine = seat_of(cast, project, ana).id
    script = cast.script(ana, project)
    members = f"{API}/projects/{project}/members"
    changed = script.patch(f"{members}/{seat}", json={"role": "reader", "name": "Ben"})
    assert (changed.status_code, changed.json()["role"], changed.json()["name"]) == (200, "reader", "Ben")
    clash = script.patch(f"{members}/{seat}", json={"role": "lead", "name": "ana", "password": PASSWORD})
    assert (clash.status_code, clash.json()["error"]["details"]["field"]) == (422, "member_name")
    assert [each["role"] for each in script.get(members).json()] == ["lead", "reader"]
    last = script.delete(f"{members}/{mine}")
    assert (last.status_code, last.json()["error"]["details"]) == (409, {"condition": "last lead"})
    assert script.delete(f"{members}/{seat}").status_code == 204
    assert [each["name"] for each in script.get(members).json()] == ["ana"]
    assert script.delete(f"{members}/{seat}").status_code == 404


def test_tokens_of_whoever_stays_are_not_touched(cast: Cast, ana: str, project: str) -> None:
    ben, cleo = cast.person("ben"), cast.person("cleo")
    seat = cast.member(project, ben, "labeller")
    cast.member(project, cleo, "labeller")
    staying = cast.script(cleo, project)
    cast.script(ana, project).delete(f"{API}/projects/{project}/members/{seat}")
    assert staying.get(f"{API}/me").status_code == 200
    with cast.database.session(writes=False) as session:
        assert session.get_one(Project, project).created_by_id == ana
        assert len(session.scalars(select(Token).where(Token.revoked_at.is_(None))).all()) == 2
