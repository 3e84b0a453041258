"""Queries that were judged twice before, under an earlier family: where they count again, everything says so."""

from pathlib import Path
from typing import Any

import pytest

from app.agreement.judged_before import told_of_queries
from app.corpora.models import Query
from app.projects.models import Project
from app.releases.manifest import file_name, marks_of, read_manifest
from app.rubrics.queries import required_rubric
from tests.agreement.judged import LEVELS, Said, grade_again, publish_rubric
from tests.corpora.handing import Desk, sit_down
from tests.make import LEVELS as RUBRIC
from tests.make import Cast
from tests.releases.story import Story, agreeing

MAKE = {"placeholders": "make"}
IN_OTHER_WORDS = [
    each | {"question": each["question"].replace("they", "readers").replace("the ", "this ")} for each in RUBRIC
]
MARK = "queries judged before"
TOLD = "40 of 40 queries were judged twice before, under family 1, where the gate answers failed (kappa .080)."


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """A lead with a published rubric of levels 0 to 3."""
    desk = sit_down(cast)
    cast.rubric(desk.project)
    return desk


def agreed_rows(path: Path) -> bytes:
    """The file with nothing left in it but rows whose two grades are the same."""
    head, *rows = path.read_text("utf-8").splitlines()
    kept = [row for row in rows if row.split("\t")[2] == row.split("\t")[3]]
    return "\n".join([head, *kept, ""]).encode()


def answer(desk: Desk, address: str) -> Any:
    answered = desk.script.get(f"/api/v1/projects/{desk.project}{address}")
    assert answered.status_code == 200, answered.text
    return answered.json()


def test_a_failed_set_that_comes_again_under_the_next_rubric_says_so_wherever_it_goes(
    desk: Desk, shared_data: Path
) -> None:
    judged = shared_data / "fira-dl19" / "double-judged.tsv"
    desk.brought_in("grades", judged, MAKE)
    assert answer(desk, "/agreement")["answer"] == "failed"
    assert answer(desk, "/agreement")["judged_before"] == []
    desk.cast.rubric(desk.project, levels=IN_OTHER_WORDS)

    again = agreed_rows(judged)
    preview = desk.browser.get(desk.hand_in("grades", again, MAKE)).text
    assert TOLD in preview
    assert TOLD in desk.send("grades", again, MAKE, dry_run=True).json()["notes"]
    taken = desk.brought_in("grades", again, MAKE)
    assert (taken["counts"]["pairs"], TOLD in taken["notes"]) == (852, True)

    found = answer(desk, "/agreement")
    assert (found["answer"], found["kappa"], found["pairs"]) == ("passed", 1.0, 852)
    (before,) = found["judged_before"]
    assert (before["family"], before["answer"], before["queries"], before["pairs"]) == (1, "failed", 43, 2003)
    assert (before["again"], before["again_by_import"]) == (40, 40)
    assert before["kappa"] == pytest.approx(0.080197, abs=5e-7)
    page = desk.browser.get(f"/projects/{desk.project}/agreement").text
    assert TOLD in page
    assert MARK in desk.browser.get(f"/projects/{desk.project}/releases").text

    frozen = desk.script.post(f"/api/v1/projects/{desk.project}/releases", json={"name": "First"})
    assert frozen.status_code == 201, frozen.text
    release = frozen.json()
    assert (release["gated"], release["marks"]) == (True, ["imported grades", MARK])
    manifest = answer(desk, f"/releases/{release['id']}")["manifest"]
    (earlier,) = manifest["earlier_families"]
    assert earlier | {"kappa": None} == {
        "family": 1,
        "answer": "failed",
        "has_failed": True,
        "kappa": None,
        "queries": 43,
        "pairs": 2003,
        "again": 40,
        "again_by_import": 40,
    }
    assert earlier["kappa"] == pytest.approx(0.080197, abs=5e-7)
    for what in ("qrels", "manifest"):
        headers = desk.script.get(f"/api/v1/projects/{desk.project}/releases/{release['id']}/{what}").headers
        assert "release-1-imported-grades-queries-judged-before." in headers["content-disposition"]
    shown = desk.browser.get(f"/projects/{desk.project}/releases/{release['id']}").text
    assert MARK in shown.lower()
    assert "family 1" in shown.lower()
    assert "asks for less than the standard one" not in shown


def test_only_what_counts_again_by_an_import_is_marked_and_all_that_counts_again_is_counted(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing())
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=(*LEVELS[:3], "all of it"))
    story.judge(agreeing(), kind="main")
    release = story.freeze()
    (earlier,) = read_manifest(release)["earlier_families"]
    assert (earlier["answer"], earlier["queries"], earlier["again"], earlier["again_by_import"]) == (
        "passed",
        30,
        30,
        0,
    )
    assert "queries-judged-before" not in file_name(release, ".qrels")
    story.judge([("q00", "new", name, 2) for name in ("ben", "cleo")], kind="imported")
    release = story.freeze("Second")
    (earlier,) = read_manifest(release)["earlier_families"]
    assert (earlier["again"], earlier["again_by_import"]) == (30, 1)
    assert file_name(release, ".qrels") == "developer-help-release-2-imported-grades-queries-judged-before.qrels"


def turned() -> list[Said]:
    """One of the two has the scale the other way round."""
    by_ben = {(qid, docno): level for qid, docno, name, level in agreeing() if name == "ben"}
    other_way = {0: 3, 1: 2, 2: 1, 3: 0}
    by_cleo: list[Said] = [
        (*pair, "cleo", other_way[level]) for pair, level in by_ben.items() if isinstance(level, int)
    ]
    return [(*pair, "ben", level) for pair, level in by_ben.items()] + by_cleo


def test_a_failed_set_judged_again_in_a_main_round_says_so_unless_fresh_queries_pass_alone(cast: Cast) -> None:
    story = Story(cast)
    story.judge(turned())
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=(*LEVELS[:3], "all of it"))
    story.judge(agreeing(), kind="main")
    release = story.freeze()
    manifest = read_manifest(release)
    assert manifest["earlier_families"][0]["answer"] == "failed"
    assert manifest["on_fresh_queries"]["pairs"] == 0
    assert manifest["on_fresh_queries"]["answer"] != "passed"
    assert marks_of(release) == [MARK]
    page = cast.browser(story.lead).get(f"/projects/{story.project}/releases").text
    assert (
        "Without the queries of earlier families that it does not pass, or has failed before, the gate answers" in page
    )

    fresh = [(f"f{qid}", f"f{docno}", name, level) for qid, docno, name, level in agreeing()]
    story.judge(fresh)
    release = story.freeze("Second")
    alone = read_manifest(release)["on_fresh_queries"]
    assert (alone["answer"], alone["pairs"], alone["queries"]) == ("passed", 300, 30)
    assert marks_of(release) == []


@pytest.mark.parametrize("way", ["more grades", "corrected"])
def test_a_failed_family_that_was_made_to_pass_has_failed_all_the_same(cast: Cast, way: str) -> None:
    """Both its queries, judged again under the next rubric, and its judgments, carried into it, say so."""
    story, first, asked = Story(cast), turned(), agreeing()
    story.judge(first, is_open=way == "corrected")
    if way == "corrected":
        with cast.database.session(writes=True) as session:
            for qid, docno, name, level in asked:
                if name == "cleo" and isinstance(level, int):
                    grade_again(session, story.project, qid, docno, name, level)
        story.close_rounds()
    else:
        more = [(f"m{qid}", docno, name, level) for qid, docno, name, level in agreeing(300)]
        story.judge(more, kind="main")
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=(*LEVELS[:3], "all of it"))
    story.judge(asked, kind="main")
    release = story.freeze()
    (earlier,) = read_manifest(release)["earlier_families"]
    assert (earlier["answer"], earlier["has_failed"]) == ("passed", True)
    assert marks_of(release) == [MARK]
    if way == "more grades":
        assert marks_of(story.freeze("Carrying", is_carrying=True)) == ["failed family carried", MARK]


def test_fresh_queries_and_those_that_one_person_judged_before_are_not_marked(cast: Cast) -> None:
    story = Story(cast)
    story.judge([("q00", "d00-0", "ben", 1), ("z", "d", "ben", 1), ("z", "d", "cleo", 1)])
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=(*LEVELS[:3], "all of it"))
    story.judge(agreeing(), kind="imported")
    release = story.freeze()
    (earlier,) = read_manifest(release)["earlier_families"]
    assert (earlier["answer"], earlier["queries"], earlier["pairs"]) == ("undefined", 1, 1)
    assert (earlier["again"], earlier["again_by_import"]) == (0, 0)
    assert marks_of(release) == ["imported grades"]


def test_the_same_question_under_another_id_is_the_same_query(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing())
    with cast.database.session(writes=True) as session:
        publish_rubric(session, story.project, levels=(*LEVELS[:3], "all of it"))
        for number in range(30):
            session.add(Query(project_id=story.project, qid=f"z{number:02}", text=f" What  is: q{number:02}?"))
        session.add(Query(project_id=story.project, qid="z99", text="what is q00", narrative="Of another kind."))
    again = [(qid.replace("q", "z"), docno, name, level) for qid, docno, name, level in agreeing()]
    story.judge([*again, ("z99", "d00-0", "ben", 1), ("z99", "d00-0", "cleo", 1)], kind="imported")
    with cast.database.session(writes=False) as session:
        project, rubric = session.get_one(Project, story.project), required_rubric(session, story.project)
        (told,) = told_of_queries(session, project, rubric, ["z00", "z01", "z99", "elsewhere"])
        assert told.startswith("2 of 4 queries were judged twice before, under family 1")
    release = story.freeze()
    (earlier,) = read_manifest(release)["earlier_families"]
    assert (earlier["again"], earlier["again_by_import"]) == (30, 30)
    assert marks_of(release) == ["imported grades", MARK]


def test_a_first_family_has_none_before_it(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing(), kind="imported")
    assert read_manifest(story.freeze())["earlier_families"] == []
