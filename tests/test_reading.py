"""What every form, address and body is held to before a handler has it."""

from typing import Any

import pytest

from app.corpora.guards import UploadRoute
from app.errors import FieldError
from app.main import APIS, PAGES
from app.one_thread import OneThreadRoute
from app.reading import CheckedRoute, number, whole_number
from app.web import API
from tests.access import World, address
from tests.make import Cast
from tests.routes import ROUTES


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_no_form_takes_a_nul_wherever_it_stands(cast: Cast) -> None:
    """Every address that takes a form, by whoever may use it; the same sentence on both databases."""
    world = World.make(cast)
    browser, admin = cast.browser(world.people["lead"]), cast.browser(world.people["admin"])
    taken = []
    for route in ROUTES:
        if route.is_api or route.method != "POST":
            continue
        if route.given:
            route.given(world.home)
        where = address(world, route, world.home)
        for form in ({"name": "a\x00b"}, {"text": "a\x00b"}):
            for client in (browser, admin):
                answers = [client.post(where, data=form), client.post(where, files={"f": b"", **parts(form)})]
                taken += [f"{route} {form}: {a.status_code}" for a in answers if not is_refused(a)]
    assert not taken, "\n".join(taken)


def parts(form: dict[str, str]) -> dict[str, Any]:
    return {name: (None, value) for name, value in form.items()}


def is_refused(answer: Any) -> bool:
    """For this reason; or because the asker may not, or must give the password first."""
    return (answer.status_code == 422 and "which can&#39;t be kept" in answer.text) or answer.status_code in (303, 404)


def test_not_even_a_field_s_name_holds_a_nul(cast: Cast) -> None:
    answer = cast.browser(cast.person("ana")).post("/account/name", data={"anything\x00": "b"})
    assert (answer.status_code, "can&#39;t be kept" in answer.text) == (422, True)


@pytest.mark.parametrize("where", ["pool?depth=%00", "corpus/queries?find=a%00", "agreement/pairs?qid=%00"])
def test_no_address_takes_a_nul(cast: Cast, where: str) -> None:
    project = cast.project(lead := cast.person("ana"))
    answer = cast.browser(lead).get(f"/projects/{project}/{where}")
    assert (answer.status_code, "can&#39;t be kept" in answer.text) == (422, True)


def test_half_a_character_in_a_form_is_refused(cast: Cast) -> None:
    """A form can name a charset that makes such text."""
    project = cast.project(lead := cast.person("ana"))
    body = (
        '--x\r\nContent-Disposition: form-data; name="policy"\r\n\r\nstandard\r\n'
        '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\na\\ud800b\r\n--x--\r\n'
    )
    kind = {"Content-Type": "multipart/form-data; boundary=x; charset=unicode_escape"}
    answer = cast.browser(lead).post(f"/projects/{project}/settings", content=body, headers=kind)
    assert answer.status_code == 422
    assert cast.see_project(project).name == "Developer help"


@pytest.mark.parametrize("name", ["a\u202eb", "a\x07b", "a\u2066b", "a\u200bb", "\x7f"])
def test_a_project_s_name_holds_nothing_that_cannot_be_seen(cast: Cast, name: str) -> None:
    project = cast.project(lead := cast.person("ana"))
    form = {"name": name, "policy": "standard"}
    answer = cast.browser(lead).post(f"/projects/{project}/settings", data=form)
    assert (answer.status_code, 'id="fault-name"' in answer.text) == (422, True)
    assert cast.script(lead, project).patch(f"{API}/projects/{project}", json={"name": name}).status_code == 422
    assert cast.see_project(project).name == "Developer help"


def test_a_field_sent_twice_is_refused_and_a_list_is_not(cast: Cast) -> None:
    project = cast.project(lead := cast.person("ana"))
    browser = cast.browser(lead)
    twice = browser.post(f"/projects/{project}/settings", data={"name": ["One", "Two"], "policy": "standard"})
    assert (twice.status_code, "was sent 2 times" in twice.text) == (422, True)
    assert cast.see_project(project).name == "Developer help"
    assert browser.get(f"/projects/{project}/pool?depth=3&depth=4").status_code == 422
    assert browser.get(f"/projects/{project}/pool?run=a&run=b").status_code != 422


@pytest.mark.parametrize("body", ['{"is_small_set": 1}', '{"is_small_set": "true"}', '{"name": 7}'])
def test_a_script_s_value_of_another_kind_is_refused(cast: Cast, body: str) -> None:
    project = cast.project(lead := cast.person("ana"))
    json = {"Content-Type": "application/json"}
    answer = cast.script(lead, project).patch(f"{API}/projects/{project}", content=body, headers=json)
    assert answer.status_code == 422


@pytest.mark.parametrize("level", ["true", '"2"', "1.0"])
def test_a_script_s_level_is_a_whole_number_and_nothing_like_it(cast: Cast, level: str) -> None:
    lead, ben, cleo = cast.person("ana"), cast.person("ben"), cast.person("cleo")
    project = cast.project(lead)
    cast.rubric(project)
    members = [cast.member(project, each, "labeller") for each in (ben, cleo)]
    cast.round(project, cast.pool(project, {"q1": ["d1"]}), members)
    script, address = cast.script(ben, project), f"{API}/projects/{project}/assignments"
    (asked,) = script.get(address).json()
    body = f'{{"level": {level}, "key": "{asked["key"]}", "revision": 0, "text_hash": "{asked["text_hash"]}"}}'
    json = {"Content-Type": "application/json"}
    refused = script.post(f"{address}/{asked['id']}/grades", content=body, headers=json)
    assert (refused.status_code, "is not a whole number" in refused.text) == (422, True)
    taken = script.post(f"{address}/{asked['id']}/grades", content=body.replace(level, "1", 1), headers=json)
    assert taken.status_code in (200, 201)


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" 7 ", 7), ("", None), ("007", 7)])
def test_whole_numbers_are_read(text: str, value: int | None) -> None:
    assert whole_number(text, "depth") == value


@pytest.mark.parametrize("text", ["abc", "-1", "1.5", "²", "٣", "99999999999", "1e3", "+1", "1_0"])
def test_what_is_no_whole_number_names_its_field(text: str) -> None:
    with pytest.raises(FieldError) as refused:
        whole_number(text, "depth")
    assert refused.value.field == "depth"


@pytest.mark.parametrize(("text", "value"), [("2.5", 2.5), ("2,5", 2.5), ("", None), ("1e2", 100.0)])
def test_numbers_are_read(text: str, value: float | None) -> None:
    assert number(text, "rate") == value


@pytest.mark.parametrize("text", ["nan", "inf", "abc", "1,2,3", "1e999", "1_0", "+3", "٣"])
def test_what_is_no_number_names_its_field(text: str) -> None:
    with pytest.raises(FieldError) as refused:
        number(text, "rate")
    assert refused.value.field == "rate"


@pytest.mark.parametrize("typed", ["1_0", "%2B3"])
@pytest.mark.parametrize(
    "where", ["pool?depth={}", "pool?seconds={}", "agreement/pairs?first=1&second={}", "history?before={}"]
)
def test_a_number_in_an_address_is_written_as_in_files(cast: Cast, where: str, typed: str) -> None:
    project = cast.project(lead := cast.person("ana"))
    cast.rubric(project)
    cast.run(project, "bm25", {"q1": ["d1"]})
    browser, script = cast.browser(lead), cast.script(lead, project)
    answer = browser.get(f"/projects/{project}/{where.format(typed)}")
    assert answer.status_code == 422
    assert "not a plain number" in answer.text or "not a whole number" in answer.text or "not a number" in answer.text
    assert script.get(f"{API}/projects/{project}/pool?depth={typed}").status_code == 422


def test_a_table_of_gains_is_written_as_in_files(cast: Cast) -> None:
    lead = cast.person("ana")
    cast.project(lead)
    form = {"name": "Shop", "gain": "table", "gain_reason": "So.", "policy": "standard"}
    for table, status in (("0, 1_0, 3, 7", 422), ("0, +1, 3, 7", 422), ("0, 1, 3, 7.5", 303)):
        assert cast.browser(lead).post("/projects", data=form | {"gain_table": table}).status_code == status


def test_what_stands_in_the_address_of_a_change_and_is_not_asked_there_is_refused(cast: Cast) -> None:
    """Ignored, it would leave undone what somebody asked for."""
    world = World.make(cast)
    taken = []
    for route in ROUTES:
        if not route.is_api or route.method == "GET" or "lead" not in route.who.roles:
            continue
        if route.given:
            route.given(world.home)
        where = address(world, route, world.home)
        where += f"{'&' if '?' in where else '?'}placeholders=make"
        script = cast.script(world.people["lead"], world.project_id)
        sent = dict(route.send(world.home) if callable(route.send) else route.send)
        answer = script.request(route.method, where, json=sent)
        if answer.status_code != 422 or "placeholders" not in answer.text:
            taken.append(f"{route}: {answer.status_code}")
    assert not taken, "\n".join(taken)


def test_an_option_of_an_import_in_the_address_is_told_its_place(cast: Cast) -> None:
    project = cast.project(lead := cast.person("ana"))
    cast.corpus(project, queries={"q1": "shoes"}, documents={})
    script, address = cast.script(lead, project), f"{API}/projects/{project}/imports/pairs"
    file = {"file": ("pairs.csv", b"qid,docno\nq1,d1\n")}
    refused = script.post(f"{address}?placeholders=make&dry_run=true", files=file)
    assert refused.status_code == 422
    assert refused.json()["error"]["sentence"] == "“placeholders” is a form field here, and stands in the address."
    assert script.post(f"{address}?dry_run=true", files=file, data={"placeholders": "make"}).status_code == 200
    (choice,) = [each for each in script.get(address).json()["choices"] if each["name"] == "placeholders"]
    assert choice["options"] == ["refuse", "make"]


def test_a_parameter_that_an_address_does_not_read_is_refused_where_it_only_asks(cast: Cast) -> None:
    """`/qrels?release=1` once gave the newest release, whatever its number."""
    project = cast.project(lead := cast.person("ana"))
    script, home = cast.script(lead, project), f"{API}/projects/{project}"
    for path in ("/qrels?release=1", "/scores?preest=trec", "/releases/conditions?carrying=true", "/members?x=1"):
        refused = script.get(f"{home}{path}")
        name = path.partition("?")[2].partition("=")[0]
        assert refused.status_code == 422, path
        assert f"Nobody reads “{name}” in this address." in refused.json()["error"]["sentence"]
    assert "preset" in script.get(f"{home}/scores?preest=trec").json()["error"]["way_out"]
    assert script.get(f"{home}/releases/conditions?is_carrying=true").status_code == 200


def test_no_router_is_without_these_checks() -> None:
    """A router that forgets its `route_class` would take whatever is sent."""
    assert {type(route) for router in (*PAGES, *APIS) for route in router.routes} == {
        CheckedRoute,
        OneThreadRoute,
        UploadRoute,
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"name": "A", "name": "B"}', "“name” stands twice"),
        (b'{"name": "A", "more": [{"x": 1, "x": 1}]}', "“x” stands twice"),
        (b'{"name": ' + b"[" * 100_000, "can't be read"),
        (b'{"name": ' + b"9" * 5_000 + b"}", "can't be read"),
        (b'{"name": "\xff"}', "can't be read"),
        (b'{"name": ', "is not JSON"),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_json_that_says_a_name_twice_or_can_not_be_read_changes_nothing(cast: Cast, body: bytes, said: str) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    address = f"{API}/projects/{project}"
    answer = cast.script(lead, project).patch(address, content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["status"]) == (422, 422), answer.text
    assert said in answer.json()["error"]["sentence"]
    assert cast.see_project(project).name == "Developer help"
