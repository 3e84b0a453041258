"""Scores on pages and for scripts: the convention beside every number, undefined in words, one query by hand."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.measures import Undefined
from app.measures.conventions import parse
from app.projects.models import Project
from app.releases.models import Release
from app.rubrics.texts import RubricText
from app.rubrics.writing import publish, save_draft
from app.runs.models import Run
from app.scoring.evaluating import evaluate_all
from tests.agreement.judged import publish_rubric
from tests.make import Cast
from tests.releases.story import Story, agreeing

QRELS = b"""\
worked 0 d01 1
worked 0 d02 3
worked 0 d03 0
worked 0 d04 2
worked 0 d07 2
worked 0 d10 1
nothing 0 d01 0
absent 0 d01 2
"""
WORKED = "".join(f"worked Q0 d{rank:02} {rank} {20 - rank} hand\n" for rank in range(1, 13))
RUN = WORKED + "nothing Q0 d01 1 1.0 hand\nunjudged Q0 d01 1 1.0 hand\n"
OWN_LINE = (
    "nDCG@10 gain=exponential discount=log2 ideal=judged unjudged=zero ties=docno no-relevant=exclude missing=zero "
    "threshold=1"
)


@pytest.fixture
def story(cast: Cast) -> Story:
    return Story(cast)


@pytest.fixture
def run(story: Story, tmp_path: Path) -> str:
    story.reference(QRELS)
    return run_of(story, tmp_path, RUN, "hand")


def run_of(story: Story, folder: Path, text: str, name: str) -> str:
    path = folder / f"{name}.run"
    path.write_text(text)
    return story.run(path, name)


def get(story: Story, **asked: str) -> dict[str, Any]:
    answer = story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/scores", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def words(story: Story, address: str) -> str:
    page = story.cast.browser(story.lead).get(story.home + address)
    assert page.status_code == 200, page.text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_every_number_stands_beside_its_convention_and_hashes(story: Story, run: str) -> None:
    answer = get(story, per_query="1")
    assert answer["convention"] == OWN_LINE
    (scored,) = answer["runs"]
    assert set(scored["measures"]) == {"nDCG@10", "recall@100", "judged@10"}
    for name, measure in scored["measures"].items():
        assert parse(measure["convention"]).name == name
    assert len(answer["release"]["sha256"]) == len(scored["sha256"]) == 64
    worked = scored["measures"]["nDCG@10"]["per_query"]["worked"]["value"]
    assert worked == pytest.approx(0.713414, abs=5e-7)
    page = words(story, "/scores")
    assert OWN_LINE in page
    assert answer["release"]["sha256"] in page
    assert scored["sha256"][:12] in page


def test_what_is_undefined_is_said_in_words(story: Story, run: str) -> None:
    measures = get(story, per_query="1")["runs"][0]["measures"]
    assert measures["nDCG@10"]["per_query"]["nothing"] == {
        "value": None,
        "undefined": "no relevant document was judged for this query",
    }
    assert measures["nDCG@10"]["per_query"]["absent"] == {"value": 0.0, "undefined": None}
    counts = {
        key: measures["nDCG@10"][key] for key in ("queries", "no_relevant", "missing", "short", "unjudged_queries")
    }
    assert counts == {"queries": 2, "no_relevant": 1, "missing": 1, "short": 1, "unjudged_queries": 1}
    page = words(story, f"/scores/{run}")
    assert "nothing undefined undefined 1.000 no relevant document was judged for this query" in page
    assert "absent .000 .000 undefined nothing was returned, so that there is nothing to have judged" in page
    assert "1 judged query has no relevant judgment; 1 is missing from the run" in page
    assert "NaN" not in page
    assert "nan" not in page.split()


def test_each_mean_tells_its_own_queries_and_judged_its_own_rule(story: Story, run: str) -> None:
    """judged@10 is over `worked` and `nothing`, nDCG@10 over `worked` and `absent`, recall@100 as nDCG@10."""
    measures = get(story)["runs"][0]["measures"]
    rule = (
        "judged@10 is a share of what a run returned: queries without a relevant judgment count as any others, and "
        "those of which nothing was returned are left out, whatever no-relevant and missing say"
    )
    assert {name: measure["note"] for name, measure in measures.items()} == {
        "nDCG@10": None,
        "recall@100": None,
        "judged@10": rule,
    }
    for address in ("/scores", f"/scores/{run}"):
        page = words(story, address)
        assert rule in page
        assert "Recall@100 and judged@10 are under the same choices" not in page


def test_the_page_counts_the_queries_of_each_mean(story: Story, tmp_path: Path) -> None:
    story.reference(QRELS + b"also 0 d01 0\n")
    run_of(story, tmp_path, WORKED + "nothing Q0 d01 1 1.0 hand\nalso Q0 d01 1 1.0 hand\n", "hand")
    measures = get(story)["runs"][0]["measures"]
    assert {name: measure["queries"] for name, measure in measures.items()} == {
        "nDCG@10": 2,
        "recall@100": 2,
        "judged@10": 3,
    }
    page = words(story, "/scores")
    assert "Queries in the mean" not in page
    row = page[page.index("Run’s sha256") :]
    assert re.search(r"nDCG@10 \.\d+ of 2 queries recall@100 \.\d+ of 2 queries judged@10 [.\d]+ of 3 queries", row)


@pytest.mark.parametrize("preset", ["project", "trec", "pytrec_eval"])
def test_a_query_is_opened_by_hand_under_each_preset(story: Story, run: str, preset: str) -> None:
    page = words(story, f"/scores/{run}?preset={preset}&query=worked")
    found = get(story, preset=preset, per_query="1")
    value = found["runs"][0]["measures"]["nDCG@10"]["per_query"]["worked"]["value"]
    assert f"= {value:.6f}" in page
    assert found["convention"] in page
    assert found["statement"] in page.replace("&#39;", "'")
    if preset == "project":
        assert "nDCG@10 = DCG / ideal DCG = 7.997603 / 11.210319 = 0.713414" in page
        assert "2 d02 3 7 0.6309 4.4165" in page
        assert "not judged" in page


def test_a_query_that_the_run_does_not_hold_is_opened_too(story: Story, run: str) -> None:
    assert "The run does not hold this query." in words(story, f"/scores/{run}?query=absent")
    assert "undefined: " in words(story, f"/scores/{run}?query=nothing")
    left_out = words(story, f"/scores/{run}?preset=pytrec_eval&query=absent")
    assert "nDCG@10 = DCG / ideal DCG = 0.000000 / 2.000000: undefined: the run does not hold this query" in left_out


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("?preset=best", "There is no preset “best”."),
        ("?preset=", "There is no preset “”."),
        ("?release=nothing", "There is nothing here that you can see."),
        ("/nothing", "There is nothing here that you can see."),
        ("/{run}?query=nobody", "The release holds no judgment of this query."),
        ("/{run}?query=", "The release holds no judgment of this query."),
    ],
)
def test_what_is_not_there_is_not_found(story: Story, run: str, address: str, sentence: str) -> None:
    page = story.cast.browser(story.lead).get(f"{story.home}/scores{address.format(run=run)}")
    assert page.status_code == 404
    assert sentence in page.text


def test_another_project_s_run_and_release_are_not_there(story: Story, run: str, cast: Cast) -> None:
    other = cast.person("zoe")
    elsewhere = cast.project(other, name="Elsewhere")
    with cast.database.session(writes=False) as session:
        release = session.query(Release).one().id
    for address in (f"/scores?release={release}", f"/scores/{run}?release={release}"):
        assert cast.browser(other).get(f"/projects/{elsewhere}{address}").status_code == 404
    script = cast.script(other, elsewhere)
    for asked in ({"release": release}, {"run": run}):
        answer = script.get(f"/api/v1/projects/{elsewhere}/scores", params=asked)
        assert answer.status_code in (404, 409)
        assert "hand" not in answer.text


def test_labellers_see_no_score(story: Story, run: str, cast: Cast) -> None:
    labeller = cast.person("lou")
    cast.member(story.project, labeller, "labeller")
    for address in ("/scores", f"/scores/{run}"):
        assert cast.browser(labeller).get(story.home + address).status_code == 404
    assert cast.script(labeller, story.project).get(f"/api/v1{story.home}/scores").status_code == 404


def test_a_lead_who_still_judges_sees_no_run(story: Story, run: str) -> None:
    story.judge([("worked", "d01", "ana", None)], is_open=True)
    assert story.cast.browser(story.lead).get(f"{story.home}/scores/{run}").status_code == 409


def test_a_run_that_can_not_be_scored_says_why_beside_the_others(story: Story, run: str, tmp_path: Path) -> None:
    run_of(story, tmp_path, "other Q0 d01 1 1.0 x\n", "stranger")
    hand, stranger = get(story)["runs"]
    assert hand["refusal"] is None
    assert "no query in common" in stranger["refusal"]
    assert stranger["measures"] == {}
    assert "no query in common" in words(story, "/scores")
    with story.cast.database.session(writes=False) as session:
        row = session.get_one(Run, (story.project, stranger["id"]))
        release = session.query(Release).one()
        (card,) = evaluate_all(session, [row], release, [parse(OWN_LINE)])
    assert card.scores == ()
    assert "no query in common" in (card.refusal or "")


def test_a_gain_table_that_is_too_short_for_a_grade_is_refused_by_name(cast: Cast, tmp_path: Path) -> None:
    story = Story(cast)
    with cast.database.session(writes=True) as session:
        project = session.get_one(Project, story.project)
        project.gain, project.gain_table = "table", [0.0, 0.5, 1.0]
    story.reference(QRELS)
    run_of(story, tmp_path, RUN, "hand")
    answer = get(story)
    assert "gain=table:0,0.5,1" in answer["convention"]
    assert "Grade 3 is not in the gain table" in answer["runs"][0]["refusal"]
    assert get(story, preset="trec")["runs"][0]["refusal"] is None
    run = answer["runs"][0]["id"]
    assert "Grade 3 is not in the gain table" in words(story, f"/scores/{run}")
    page = cast.browser(story.lead).get(f"{story.home}/scores/{run}?query=worked")
    assert page.status_code == 409
    assert "Grade 3 is not in the gain table" in page.text


def test_the_threshold_is_the_released_rubric_s_and_stays_so(story: Story, tmp_path: Path) -> None:
    with story.cast.database.session(writes=True) as session:
        project = session.get_one(Project, story.project)
        save_draft(session, project, RubricText(threshold=2))
        publish(session, project, story.lead)
    story.judge(agreeing())
    release = story.freeze()
    with story.cast.database.session(writes=True) as session:
        publish_rubric(session, story.project)
    reference = story.reference(QRELS)
    run_of(
        story,
        tmp_path,
        "".join(f"q{n:02} Q0 d{n:02}-0 1 1.0 x\n" for n in range(29)) + WORKED.replace("hand", "x"),
        "one",
    )
    answer = get(story)
    assert answer["release"]["id"] == release.id
    assert answer["gated"] is True
    assert answer["convention"].endswith("threshold=2")
    assert get(story, release=reference)["convention"].endswith("threshold=1")
    assert get(story, release=release.id, preset="trec")["convention"].endswith("threshold=1")
    (one,) = answer["runs"]
    assert (one["measures"]["nDCG@10"]["missing"], one["measures"]["nDCG@10"]["unjudged_queries"]) == (1, 1)
    page = words(story, "/scores")
    assert "gated: false" not in page
    assert "relevant from grade 2 on" in page


@pytest.mark.parametrize("gain", ["exponential", "linear"])
def test_the_own_convention_has_the_project_s_gain(cast: Cast, gain: str) -> None:
    story = Story(cast, gain=gain)
    story.reference(QRELS)
    assert get(story)["convention"] == OWN_LINE.replace("exponential", gain)


def test_one_run_is_asked_for_by_name_or_id(story: Story, run: str, tmp_path: Path) -> None:
    run_of(story, tmp_path, RUN.replace("hand", "other"), "other")
    assert [each["name"] for each in get(story)["runs"]] == ["hand", "other"]
    for word in ("hand", run):
        assert [each["id"] for each in get(story, run=word)["runs"]] == [run]
    script = story.cast.script(story.lead, story.project)
    assert script.get(f"/api/v1{story.home}/scores", params={"run": "nobody's"}).status_code == 404


def test_evaluating_counts_what_the_run_holds_beyond_the_judged_queries(story: Story, run: str) -> None:
    with story.cast.database.session(writes=False) as session:
        release = session.query(Release).one()
        row = session.get_one(Run, (story.project, run))
        ((scores,),) = (card.scores for card in evaluate_all(session, [row], release, [parse(OWN_LINE)]))
    assert scores.unjudged == 1
    assert isinstance(scores.per_query["nothing"], Undefined)
    assert scores.mean == pytest.approx(0.713414 / 2, abs=5e-7)


def test_a_page_without_runs_says_what_to_do_next(story: Story) -> None:
    story.reference(QRELS)
    page = story.cast.browser(story.lead).get(f"{story.home}/scores").text
    assert f'href="{story.home}/imports/runs"' in page
