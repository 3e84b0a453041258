"""Agreement and adjudication for scripts: every number in full, undefined ones as null with their reason."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.agreement.judged import Said, chorus, judge
from tests.agreement.test_pages import RATIONALES, SAID
from tests.make import Cast


def script_after(cast: Cast, said: list[Said]) -> tuple[TestClient, str]:
    lead = cast.person("lea")
    project = cast.project(lead)
    with cast.database.session(writes=True) as session:
        judge(session, project, said, rationales=RATIONALES)
    return cast.script(lead, project), f"/api/v1/projects/{project}"


def test_every_number_of_the_page_comes_in_full(cast: Cast, shared_data: Path) -> None:
    script, home = script_after(cast, chorus(shared_data))
    found = script.get(f"{home}/agreement").json()
    assert (found["answer"], found["pairs"], found["queries"], found["undefined"]) == ("passed", 971, 40, {})
    assert [found["kappa"], found["low"], found["high"]] == pytest.approx(
        [0.6952547366092622, 0.5511904037498031, 0.8393190694687213], abs=1e-12
    )
    assert found["table"] == [[423, 50, 9, 76], [11, 5, 3, 5], [8, 1, 8, 19], [21, 4, 10, 318]]
    assert [one["name"] for one in found["labellers"]] == ["rater 1", "rater 2"]
    assert found["couples"][0]["kappa"] == found["kappa"]
    assert len(found["by_query"]) == 40
    undefined = [one for one in found["by_query"] if one["kappa"] is None]
    assert undefined
    assert all("one and the same level" in one["undefined"]["kappa"] for one in undefined)
    assert (found["differing"], found["undecided"]) == (217, 217)
    assert {condition["name"]: condition["is_met"] for condition in found["conditions"]}["line"] is True
    assert found["rounds"][0]["kappa"] == found["kappa"]


def test_what_is_undefined_is_null_with_its_reason(cast: Cast) -> None:
    script, home = script_after(cast, [("q1", "d1", "ana", 1), ("q1", "d1", "ben", 1)])
    found = script.get(f"{home}/agreement").json()
    assert found["answer"] == "undefined"
    for name in ("kappa", "low", "high"):
        assert found[name] is None
        assert found["undefined"][name]
    assert found["exact"] == 1.0
    assert found["figures"]["alpha_ordinal"] is None
    assert "alpha_ordinal" in found["figures"]["undefined"]


def test_a_script_adjudicates_as_a_person_does(cast: Cast) -> None:
    script, home = script_after(cast, SAID)
    queue = script.get(f"{home}/adjudication").json()
    assert (queue["differing"], queue["decided"], queue["own"]) == (2, 0, 0)
    assert [pair["document"]["docno"] for pair in queue["pairs"]] == ["d1", "d2"]
    assert "CANARY" not in script.get(f"{home}/adjudication").text
    pair = f"{home}/adjudication/{queue['pairs'][0]['pair_id']}"
    assert script.get(pair).json() == {
        "pair_id": queue["pairs"][0]["pair_id"],
        "revision": 0,
        "blind": None,
        "grades": None,
        "decision": None,
    }
    early = script.post(f"{pair}/decision", json={"level": 3, "reason": "It is all there.", "revision": 0})
    assert (early.status_code, early.json()["error"]["details"]["conditions"]) == (409, ["blind grade"])
    blind = script.post(f"{pair}/blind", json={"level": 2, "revision": 0})
    assert blind.status_code == 201
    said = sorted(blind.json()["grades"], key=lambda grade: grade["level"])
    assert [(grade["level"], grade["rationale"]) for grade in said] == list(
        zip((0, 3), RATIONALES.values(), strict=True)
    )
    assert not {"ana", "ben"} & {str(value) for grade in said for value in grade.values()}
    decided = script.post(f"{pair}/decision", json={"level": 3, "reason": "It is all there.", "revision": 1})
    assert (decided.status_code, decided.json()["decision"]["level"], decided.json()["revision"]) == (201, 3, 2)
    again = script.post(f"{pair}/decision", json={"level": 3, "reason": "It is all there.", "revision": 1})
    assert again.json() == decided.json()
    stale = script.post(f"{pair}/decision", json={"level": 1, "reason": "No.", "revision": 1})
    assert (stale.status_code, stale.json()["error"]["details"]["revision"]) == (409, 2)
    assert [each["state"] for each in script.get(f"{home}/adjudication?state=decided").json()["pairs"]] == ["decided"]
    assert script.get(f"{home}/agreement").json()["undecided"] == 1
    assert script.delete(f"{pair}/decision?revision=2").json()["decision"] is None
    assert script.get(f"{home}/agreement").json()["undecided"] == 2


@pytest.mark.parametrize(
    "body",
    [
        {"level": 1, "reason": "", "revision": 0},
        {"reason": "No level is no null.", "revision": 0},
        {"level": 1, "reason": "Misspelt.", "revision": 0, "revison": 1},
        {"level": 1, "reason": "Before the beginning.", "revision": -1},
        {"level": 10**30, "reason": "Far above.", "revision": 0},
    ],
)
def test_what_can_not_be_taken_is_422_and_changes_nothing(cast: Cast, body: dict[str, object]) -> None:
    script, home = script_after(cast, SAID)
    pair = script.get(f"{home}/adjudication").json()["pairs"][0]["pair_id"]
    script.post(f"{home}/adjudication/{pair}/blind", json={"level": 2, "revision": 0})
    assert script.post(f"{home}/adjudication/{pair}/decision", json=body).status_code == 422
    assert script.get(f"{home}/adjudication/{pair}").json()["revision"] == 1


def test_of_two_leads_at_the_same_moment_one_decides(cast: Cast) -> None:
    """Whoever comes second is told, on both databases; never two decisions, and never a failure."""
    lea, leo = cast.person("lea"), cast.person("leo")
    project = cast.project(lea)
    cast.member(project, leo, "lead")
    with cast.database.session(writes=True) as session:
        judge(
            session,
            project,
            [(qid, "d1", name, level) for qid in "abcdefgh" for name, level in (("ana", 0), ("ben", 3))],
        )
    scripts = [cast.script(person, project) for person in (lea, leo)]
    home = f"/api/v1/projects/{project}/adjudication"
    for pair in scripts[0].get(home).json()["pairs"]:
        address = f"{home}/{pair['pair_id']}"
        for revision, script in enumerate(scripts):
            assert script.post(f"{address}/blind", json={"level": 1, "revision": revision}).status_code == 201
        with ThreadPoolExecutor(2) as together:
            bodies = ({"level": level, "reason": "So it is.", "revision": 2} for level in (1, 2))
            sent = together.map(
                lambda script, body, to=address: script.post(f"{to}/decision", json=body), scripts, bodies
            )
            assert sorted(answer.status_code for answer in sent) == [201, 409]
        assert scripts[0].get(address).json()["revision"] == 3
