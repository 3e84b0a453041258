"""A pair that needs expertise goes to another labeller, and whoever said so steps aside."""

from typing import Any

from app.projects.models import Project
from app.releases.prospect import look_ahead
from app.rubrics.models import EXPERTISE
from tests.judging.test_reassigning import due
from tests.judging.test_rounds import Scene
from tests.make import Cast


def answer(scene: Scene, name: str, said: dict[str, int | str]) -> None:
    """By docno, a level or a reason; 1 for all others that wait for them."""
    script = scene.script(name)
    for each in due(script, scene):
        given = said.get(each["document"]["docno"], 1)
        sent = {key: each[key] for key in ("key", "revision", "text_hash")}
        sent |= {"level": given} if isinstance(given, int) else {"reason": given}
        assert script.post(f"{scene.api}/assignments/{each['id']}/grades", json=sent).status_code == 201


def give(scene: Scene, round_id: str, name: str) -> Any:
    return scene.script().post(f"{scene.api}/rounds/{round_id}/experts", json={"labeller": scene.members[name]})


def waiting(scene: Scene) -> list[str]:
    """docnos in the adjudicator's queue."""
    queue = scene.script().get(f"{scene.api}/adjudication").json()
    return sorted(pair["document"]["docno"] for pair in queue["pairs"])


def outcome(scene: Scene) -> tuple[dict[str, int], dict[str, int]]:
    """Sources of what a release would hold, and why the rest is left out."""
    with scene.cast.database.session(writes=False) as session:
        prospect = look_ahead(session, session.get_one(Project, scene.project))
        assert prospect is not None
        return dict(prospect.tally.sources), dict(prospect.tally.left_out)


def test_what_nobody_who_was_asked_could_judge_for_want_of_expertise_is_given_to_somebody_else(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q0", "q1"])["id"]
    answer(scene, "ben", {"d0-0": EXPERTISE, "d0-1": EXPERTISE, "d1-0": EXPERTISE, "d1-1": "broken"})
    assert give(scene, round_id, "dan").status_code == 409, "the second labeller is still asked"
    answer(scene, "cleo", {"d0-0": EXPERTISE, "d0-1": 2, "d1-0": EXPERTISE, "d1-1": 2})
    browser = cast.browser(scene.lead)
    page = browser.get(f"{scene.home}/rounds/{round_id}").text
    assert "2 pairs need expertise" in page
    assert give(scene, round_id, "cleo").status_code == 409, "who stepped aside is not asked again"
    form = {"expert": scene.members["dan"]}
    assert browser.post(f"{scene.home}/rounds/{round_id}/experts", data=form).status_code == 303
    assert "need expertise" not in browser.get(f"{scene.home}/rounds/{round_id}").text
    asked = [each["document"]["docno"] for each in due(scene.script("dan"), scene)]
    assert sorted(asked) == ["d0-0", "d1-0"]
    answer(scene, "dan", {"d0-0": 3, "d1-0": EXPERTISE})
    assert waiting(scene) == ["d1-1"], "a level beside another reason is for a third person, beside want of it not"
    assert scene.script().post(f"{scene.api}/rounds/{round_id}/closure").is_success
    sources, left_out = outcome(scene)
    assert sources == {"agreed": 4, "single": 2}
    assert left_out[f"unjudgeable: {EXPERTISE}"] == 1
    assert left_out["the labellers differ and nobody has decided"] == 1


def test_a_lead_who_judges_in_the_round_is_told_of_no_such_pair(cast: Cast) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    round_id = scene.open("ben", "ana", queries=["q0"])["id"]
    for name in ("ben", "ana"):
        answer(scene, name, {"d0-0": EXPERTISE})
    assert "expertise" not in cast.browser(scene.lead).get(f"{scene.home}/rounds/{round_id}").text
    assert give(scene, round_id, "dan").status_code == 409
