"""Runs from files: rankings as the file orders them, once, under a name of their own."""

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from app.projects.models import Project
from app.runs.models import Run
from app.runs.queries import figures_of_runs, rankings_of, runs_of
from tests.corpora.handing import Desk, sit_down
from tests.make import Cast

RUN = b"q1 Q0 d2 2 1.5 bm25\nq1 Q0 d1 1 2.5 bm25\nq2 Q0 d1 1 -3e-2 bm25\n"


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return sit_down(cast)


def rankings(desk: Desk, name: str, qids: list[str] | None = None) -> dict[str, tuple[list[str], list[float]]]:
    with desk.cast.database.session(writes=False) as session:
        project = session.get_one(Project, desk.project)
        run = next(run for run in runs_of(session, project) if run.name == name)
        return {qid: (docnos, scores.tolist()) for qid, docnos, scores in rankings_of(session, run, qids)}


def test_a_run_is_kept_in_the_order_of_its_file(desk: Desk) -> None:
    taken = desk.brought_in("runs", RUN)
    assert taken["counts"]["new"] == 1
    assert (taken["counts"]["rankings"], taken["counts"]["lines"]) == (2, 3)
    assert taken["histogram"] == {"1": 1, "2": 1}
    assert rankings(desk, "bm25") == {"q1": (["d2", "d1"], [1.5, 2.5]), "q2": (["d1"], [-0.03])}
    assert rankings(desk, "bm25", ["q2", "q9"]) == {"q2": (["d1"], [-0.03])}


def test_a_query_that_comes_back_later_has_one_ranking(desk: Desk) -> None:
    desk.brought_in("runs", RUN + b"q1 Q0 d3 3 0.5 bm25\n")
    assert rankings(desk, "bm25")["q1"] == (["d2", "d1", "d3"], [1.5, 2.5, 0.5])


@pytest.mark.parametrize("name", ["chorus-bm25", "chorus-tfidf", "chorus-lsa", "chorus-minilm"])
def test_real_runs_come_back_as_they_were_written(desk: Desk, shared_data: Path, name: str) -> None:
    file = shared_data / "chorus-products" / "runs" / f"{name}.run"
    desk.brought_in("queries", shared_data / "chorus-products" / "topics.tsv")
    desk.brought_in("documents", shared_data / "chorus-products" / "docs.jsonl")
    taken = desk.brought_in("runs", file)
    written: dict[str, tuple[list[str], list[float]]] = {}
    for line in file.read_text().splitlines():
        qid, _, docno, _, score, _ = line.split()
        docnos, scores = written.setdefault(qid, ([], []))
        docnos.append(docno)
        scores.append(float(score))
    assert rankings(desk, name) == written
    assert taken["counts"]["answered"] == len(written)
    assert taken["counts"]["documents_without_text"] == 0
    assert taken["counts"]["queries_elsewhere"] == 0
    with desk.cast.database.session(writes=False) as session:
        (figures,) = figures_of_runs(session, session.get_one(Project, desk.project))
    depths = [len(docnos) for docnos, _ in written.values()]
    assert (figures.shallowest, figures.median, figures.deepest) == (min(depths), np.median(depths), max(depths))
    assert (figures.run.lines, figures.run.rankings, figures.answered) == (sum(depths), len(depths), len(depths))


@pytest.mark.parametrize(
    ("name", "run", "rankings_of_it"),
    [
        ("trec_eval-official/results.test", "STANDARD", 3),
        ("trec_eval-official/results.trunc", "STANDARD", 2),
        ("awkward/pyserini-run.tabs.txt", None, None),
        ("awkward/pyserini-run.rank-gap.equals-in-tag.txt", None, None),
        ("awkward/pyserini-run.negative-scores-indri.txt", None, None),
        ("awkward/irmeasures-run.multispace.no-final-newline.cwl.run", None, None),
    ],
)
def test_odd_runs_of_the_field_come_in(
    desk: Desk, shared_data: Path, name: str, run: str | None, rankings_of_it: int | None
) -> None:
    taken = desk.brought_in("runs", shared_data / name)
    assert taken["counts"]["new"] == 1
    lines = [line for line in (shared_data / name).read_text().splitlines() if line.strip()]
    assert taken["counts"]["lines"] == len(lines)
    names = [each["name"] for each in desk.script.get(f"/api/v1/projects/{desk.project}/runs").json()]
    assert names == [run or lines[0].split()[5]]
    assert rankings_of_it in {None, taken["counts"]["rankings"]}


def test_thirty_thousand_lines_say_what_is_not_here(desk: Desk, shared_data: Path) -> None:
    taken = desk.brought_in("runs", shared_data / "trec_eval-official" / "results.comment.test", {"name": "rag24"})
    lines = (shared_data / "trec_eval-official" / "results.comment.test").read_text().splitlines()
    counts = taken["counts"]
    assert counts["lines"] == 30_100 == len(lines)
    assert counts["queries_elsewhere"] == 301
    assert counts["documents_without_text"] == len({line.split()[2] for line in lines})


def test_what_is_not_in_the_project_is_counted_and_kept(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\nq7\tblue shoes\n")
    desk.brought_in("documents", b'{"id": "d1", "text": "Shoes."}\n')
    taken = desk.brought_in("runs", RUN)
    assert taken["counts"] == {
        "new": 1,
        "same": 0,
        "changed": 0,
        "rankings": 2,
        "lines": 3,
        "answered": 1,
        "queries_elsewhere": 1,
        "documents_without_text": 1,
    }
    assert "It answers 1 of this project’s 2 queries." in taken["notes"]
    assert "q2" in rankings(desk, "bm25")


def test_the_same_file_again_is_not_new_whatever_it_is_called(desk: Desk) -> None:
    desk.brought_in("runs", RUN)
    before = desk.rows("run"), desk.rows("ranking")
    for choices in ({}, {"name": "another"}):
        again = desk.brought_in("runs", RUN, choices)
        assert again["counts"] == {"new": 0, "same": 1, "changed": 0}
        assert "here already, as the run “bm25”" in again["notes"][-1]
    page = desk.browser.get(desk.hand_in("runs", RUN)).text
    assert "0 new" in page
    assert (desk.rows("run"), desk.rows("ranking")) == before


def test_the_same_name_with_other_content_is_refused_with_a_way_out(desk: Desk) -> None:
    desk.brought_in("runs", RUN)
    before = desk.rows("run"), desk.rows("ranking")
    error = desk.refused("runs", RUN + b"q3 Q0 d1 1 1 bm25\n")
    assert 'a run called "bm25" with other content' in error["sentence"]
    assert "a name of its own" in error["way_out"]
    assert (desk.rows("run"), desk.rows("ranking")) == before
    assert desk.brought_in("runs", RUN + b"q3 Q0 d1 1 1 bm25\n", {"name": "bm25 of May"})["counts"]["new"] == 1
    assert set(rankings(desk, "bm25 of May")) == {"q1", "q2", "q3"}


def test_a_name_conflict_is_mended_at_the_preview(desk: Desk) -> None:
    desk.brought_in("runs", RUN)
    preview = desk.hand_in("runs", RUN + b"q3 Q0 d1 1 1 bm25\n")
    assert "with other content" in desk.browser.get(preview).text
    renamed = desk.browser.get(f"{preview}?name=bm25+of+May&encoding=utf-8").text
    assert "Bring in 1 run" in renamed
    assert 'name="name" value="bm25 of May"' in renamed
    assert desk.browser.post(preview, data={"name": "bm25 of May", "encoding": "utf-8"}).status_code == 303
    done = desk.browser.get(preview).text
    assert "3 rankings, 4 lines" in done


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (RUN + b"q2 Q0 d1 2 1 bm25\n", 4, "already on line 3"),
        (RUN + b"q3 Q0 d1 1 NaN bm25\n", 4, "not a finite number"),
        (RUN + b"q3 Q0 d1 1 bm25\n", 4, "5 columns where a run has six"),
        (RUN + b"q3 Q0 d1 1 1 other\n", 4, "the tag is"),
        (b"q1 Q0 d1 1 1 " + b"x" * 201 + b"\n", None, "longer than 200"),
    ],
)
def test_a_bad_run_changes_nothing(desk: Desk, content: bytes, line: int | None, reason: str) -> None:
    error = desk.refused("runs", content)
    assert error["details"]["line"] == line
    assert reason in error["details"]["reason"]
    assert desk.rows("run") == desk.rows("ranking") == []


def test_a_bad_last_line_after_many_rankings_changes_nothing(desk: Desk) -> None:
    many = b"".join(b"q%d Q0 d1 1 1 big\n" % number for number in range(700))
    error = desk.refused("runs", many + b"q700 Q0 d1 1 one big\n")
    assert error["details"]["line"] == 701
    assert desk.rows("run") == desk.rows("ranking") == []


def test_a_run_of_another_project_is_not_here(desk: Desk) -> None:
    other = desk.cast.project(desk.lead, name="Another")
    desk.cast.script(desk.lead, other).post(f"/api/v1/projects/{other}/imports/runs", files={"file": ("f", RUN)})
    assert desk.script.get(f"/api/v1/projects/{desk.project}/runs").json() == []
    assert desk.brought_in("runs", RUN)["counts"]["new"] == 1
    with desk.cast.database.session(writes=False) as session:
        assert {run.project_id for run in session.scalars(select(Run))} == {other, desk.project}


def test_the_page_of_runs_shows_each_with_its_figures(desk: Desk) -> None:
    address = f"/projects/{desk.project}/runs"
    assert "No runs yet" in desk.browser.get(address).text
    desk.brought_in("queries", b"q1\tred shoes\n")
    desk.brought_in("runs", RUN, {"name": "<b>bold</b>"})
    page = desk.browser.get(address).text
    assert "&lt;b&gt;bold" in page
    assert "1 / 1.5 / 2" in page
