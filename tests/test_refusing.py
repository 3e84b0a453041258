"""How refusals look: in plain words, in the project's frame, and never at a dead end."""

import pytest

from app.web import API
from tests.make import Cast
from tests.routes import ROUTES

MENU = '<nav aria-label="Main">'


@pytest.mark.parametrize(
    ("where", "status", "words"),
    [
        ("agreement/pairs?first=abc", 422, "First (“abc”) is not a whole number"),
        ("agreement?family=0", 422, "Family (“0”) is less than 1"),
        ("agreement/pairs?left_out=some", 422, "Left_out (“some”) is not one of"),
        ("corpus/queries/nothing", 404, "There is nothing here that you can see"),
        ("no/such/page", 404, "There is nothing here that you can see"),
        ("rounds/aaaaaaaaaaaaaaaa", 404, "There is nothing here that you can see"),
    ],
)
def test_a_refusal_in_a_project_keeps_its_menu_for_members(cast: Cast, where: str, status: int, words: str) -> None:
    project = cast.project(lead := cast.person("ana"))
    cast.rubric(project)
    answer = cast.browser(lead).get(f"/projects/{project}/{where}")
    assert (answer.status_code, words in answer.text) == (status, True), answer.text
    assert f'href="/projects/{project}/pool"' in answer.text
    stranger = cast.browser(cast.person("zoe")).get(f"/projects/{project}/{where}")
    assert (stranger.status_code, project in stranger.text) == (404, False)


def test_a_labeller_who_asks_for_a_lead_s_page_gets_their_own_menu(cast: Cast) -> None:
    project = cast.project(cast.person("ana"))
    cast.member(project, ben := cast.person("ben"), "labeller")
    answer = cast.browser(ben).get(f"/projects/{project}/pool")
    assert answer.status_code == 404
    assert f'href="/projects/{project}/desk"' in answer.text
    assert f'href="/projects/{project}/pool"' not in answer.text


def test_a_form_s_address_opened_like_a_page_leads_to_the_form(cast: Cast) -> None:
    project = cast.project(lead := cast.person("ana"), name="Shoes")
    browser = cast.browser(lead)
    pages = {
        f"/projects/{project}/pools": f"/projects/{project}/pool",
        f"/projects/{project}/judging/aaaa/grade": f"/projects/{project}/desk",
        f"/projects/{project}/invitations": f"/projects/{project}/members",
        f"/projects/{project}/invitations/aaaa/withdraw": f"/projects/{project}/members",
        f"/projects/{project}/rounds/aaaa/closure": f"/projects/{project}/rounds/aaaa",
        "/account/sign-ins/aaaa/end": "/account",
        "/projects": "/projects/new",
        "/sign-out": "/",
    }
    assert {address: browser.get(address).headers.get("location") for address in pages} == pages


def test_no_address_of_a_form_is_a_dead_end(cast: Cast) -> None:
    browser = cast.browser(cast.person("ana"))
    dead = []
    for route in ROUTES:
        if route.method == "POST" and not route.is_api:
            address = route.path.replace("{", "").replace("}", "")
            if browser.get(address).status_code == 405:
                dead.append(address)
    assert not dead


def test_a_page_answers_head_as_it_answers_get(cast: Cast) -> None:
    project = cast.project(lead := cast.person("ana"))
    browser = cast.browser(lead)
    for address in ("/", f"/projects/{project}", f"/projects/{project}/nothing", "/sign-in", "/projects"):
        got, head = browser.get(address), browser.head(address)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers.get("content-type") == got.headers.get("content-type")
    assert browser.delete("/sign-in").status_code == 405


def test_a_script_is_told_in_words_what_it_sent(cast: Cast) -> None:
    project = cast.project(lead := cast.person("ana"))
    script = cast.script(lead, project)
    json = {"Content-Type": "application/json"}
    broken = script.patch(f"{API}/projects/{project}", content='{"name": ', headers=json).json()["error"]
    assert broken["sentence"].startswith("The body is not JSON: ")
    assert f"{API}/openapi.json" in broken["way_out"]
    unknown = script.patch(f"{API}/projects/{project}", json={"nmae": "x"}).json()["error"]
    assert unknown["sentence"] == "nmae (“x”) is not asked here."
    typed = script.get(f"{API}/projects/{project}/pool?depth=abc").json()["error"]
    assert (typed["status"], typed["sentence"]) == (422, "depth (“abc”) is not a whole number.")
    opened = {"kind": "agreement", "queries": 0}
    few = script.post(f"{API}/projects/{project}/rounds", json=opened).json()["error"]
    assert few["sentence"] == "queries (“0”) is less than 1."
    wrong = script.get(f"{API}/projects/{project}/rubric/publication").json()["error"]
    assert (wrong["status"], wrong["sentence"]) == (405, "This address takes POST, not GET.")
