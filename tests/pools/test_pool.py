"""Looking at a pool, and drawing it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from sqlalchemy import select

from app.corpora.models import Document, Query
from app.pools.models import Pair, PoolPair
from app.pools.queries import newest_pool, pairs_by_query
from tests.make import Cast

RUNS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "bm25": {"q1": ["d1", "d2", "d3"], "q2": ["d4", "d5", "d6"], "q9": ["d1"]},
    "dense": {"q1": ["d2", "d7", "d1"], "q2": ["d4", "d8", "d9"]},
}
TEXTS = {f"d{number}": "text" for number in range(1, 10)}


def stage(cast: Cast) -> tuple[str, str]:
    """A lead and a project with two queries that are answered, one that is not, nine documents and two runs."""
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.corpus(project, queries={"q1": "one", "q2": "two", "q3": "three"}, documents=TEXTS)
    for name, rankings in RUNS.items():
        cast.run(project, name, rankings)
    return lead, project


def form_of(cast: Cast, lead: str, project: str) -> dict[str, Any]:
    """What the page sends to draw from all runs, two deep."""
    runs = cast.script(lead, project).get(f"/api/v1/projects/{project}/runs").json()
    return {"depth": "2", "run": [run["id"] for run in runs]}


def test_the_size_overlap_and_price_are_shown_before_drawing(cast: Cast) -> None:
    lead, project = stage(cast)
    look = cast.script(lead, project).get(f"/api/v1/projects/{project}/pool?depth=2").json()
    assert look["pairs"] == 6
    assert look["queries"] == 2
    assert look["pairs_per_query"] == {"fewest": 3, "median": 3.0, "most": 3}
    assert look["overlap"] == {"bm25": {"bm25": 4, "dense": 2}, "dense": {"bm25": 2, "dense": 4}}
    assert look["unique"] == {"bm25": 2, "dense": 2}
    assert look["unanswered"] == 1
    assert look["hours"] == pytest.approx(6 * 2 * 25 / 3600)
    page = cast.browser(lead).get(f"/projects/{project}/pool?depth=2").text
    assert "6 pairs for 2 queries" in page
    assert "Draw pool 1" in page


def test_drawing_takes_the_union_of_the_tops_and_nothing_else(cast: Cast) -> None:
    lead, project = stage(cast)
    drawn = cast.browser(lead).post(f"/projects/{project}/pools", data=form_of(cast, lead, project))
    assert drawn.status_code == 303
    with cast.database.session(writes=False) as session:
        rows = session.execute(
            select(Query.qid, Document.docno)
            .join(Pair, (Pair.project_id == Query.project_id) & (Pair.query_id == Query.id))
            .join(Document, (Document.project_id == Pair.project_id) & (Document.id == Pair.document_id))
            .join(PoolPair, (PoolPair.project_id == Pair.project_id) & (PoolPair.pair_id == Pair.id))
        ).all()
    assert {tuple(row) for row in rows} == {
        ("q1", "d1"), ("q1", "d2"), ("q1", "d7"), ("q2", "d4"), ("q2", "d5"), ("q2", "d8")
    }  # fmt: skip
    assert len(rows) == 6


def test_a_deeper_pool_keeps_the_pairs_that_are_there(cast: Cast) -> None:
    lead, project = stage(cast)
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/pools"
    assert script.post(address, json={"depth": 1, "runs": ["bm25"]}).json()["pairs"] == 2
    assert script.post(address, json={"depth": 3}).json()["pairs"] == 9
    assert [pool["number"] for pool in script.get(address).json()] == [2, 1]
    with cast.database.session(writes=False) as session:
        assert len(session.scalars(select(Pair.id)).all()) == 9
        pool = newest_pool(session, project)
        assert pool is not None
        assert [len(pairs) for pairs in pairs_by_query(session, pool).values()] == [4, 5]


def test_the_top_is_by_score_and_ties_are_broken_as_trec_eval_breaks_them(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.corpus(project, queries={"q1": "one"}, documents=TEXTS)
    cast.run(project, "tied", {"q1": ["d1", "d2", "d3"]}, scores=[1.0, 2.0, 1.0])
    cast.script(lead, project).post(f"/api/v1/projects/{project}/pools", json={"depth": 2})
    with cast.database.session(writes=False) as session:
        docnos = session.scalars(
            select(Document.docno).join(
                Pair, (Pair.project_id == Document.project_id) & (Pair.document_id == Document.id)
            )
        ).all()
    assert set(docnos) == {"d2", "d3"}


def test_documents_without_text_are_drawn_only_as_placeholders(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    cast.corpus(project, queries={"q1": "one"}, documents={"d1": "text"})
    cast.run(project, "bm25", {"q1": ["d1", "unknown"]})
    script, address = cast.script(lead, project), f"/api/v1/projects/{project}/pools"
    refused = script.post(address, json={"depth": 2})
    assert refused.status_code == 409
    assert refused.json()["error"]["details"] == {"without_text": 1}
    assert script.post(address, json={"depth": 2, "placeholders": True}).json()["pairs"] == 2
    page = cast.browser(lead).post(f"/projects/{project}/pools", data=form_of(cast, lead, project))
    assert page.status_code == 409


@pytest.mark.parametrize(("depth", "status"), [("0", 422), ("1001", 422), ("x", 422), ("1000", 200)])
def test_an_impossible_depth_is_refused(cast: Cast, depth: str, status: int) -> None:
    lead, project = stage(cast)
    assert cast.browser(lead).get(f"/projects/{project}/pool?depth={depth}").status_code == status
    assert cast.script(lead, project).get(f"/api/v1/projects/{project}/pool?depth={depth}").status_code == status


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("depth=abc", "depth"),
        ("depth=", "depth"),
        ("seconds=", "seconds"),
        ("seconds=soon", "seconds"),
        ("rate=-1", "rate"),
        ("labellers=1.5", "labellers"),
        ("labellers=11", "labellers"),
        ("sent=yes", "runs"),
    ],
)
def test_what_can_t_be_read_is_said_at_its_field_and_stays_typed(cast: Cast, query: str, field: str) -> None:
    lead, project = stage(cast)
    answer = cast.browser(lead).get(f"/projects/{project}/pool?{query}")
    assert (answer.status_code, f'id="fault-{field}"' in answer.text) == (422, True)
    assert f'href="/projects/{project}/rounds"' in answer.text
    name, _, typed = query.partition("=")
    assert name == "sent" or f'value="{typed}"' in answer.text
    by_key = cast.browser(lead).get(f"/projects/{project}/pool?{query}", headers={"HX-Request": "true"}).text
    assert 'class="fault"' in by_key[by_key.index('id="look"') :]


def test_what_is_usual_stands_in_the_form_as_people_write_it(cast: Cast) -> None:
    lead, project = stage(cast)
    page = cast.browser(lead).get(f"/projects/{project}/pool").text
    assert ('name="seconds" inputmode="decimal" value="25"' in page, "25.0" in page) == (
        True,
        False,
    )


def test_drawing_an_equal_pool_again_is_the_same_pool(cast: Cast) -> None:
    lead, project = stage(cast)
    browser, address = cast.browser(lead), f"/projects/{project}"
    for _ in range(3):
        assert browser.post(f"{address}/pools", data=form_of(cast, lead, project)).status_code == 303
    script = cast.script(lead, project)
    again = script.post(f"/api/v1{address}/pools", json={"depth": 2}).json()
    assert [pool["id"] for pool in script.get(f"/api/v1{address}/pools").json()] == [again["id"]]
    cast.run(project, "bm26", {"q3": ["d9"]})
    assert script.post(f"/api/v1{address}/pools", json={"depth": 2}).json()["number"] == 2
    assert script.post(f"/api/v1{address}/pools", json={"depth": 3}).json()["number"] == 3


def test_a_form_without_runs_draws_nothing(cast: Cast) -> None:
    lead, project = stage(cast)
    refused = cast.browser(lead).post(f"/projects/{project}/pools", data={"depth": "2"})
    assert (refused.status_code, "Choose at least one run" in refused.text) == (422, True)
    assert cast.script(lead, project).get(f"/api/v1/projects/{project}/pools").json() == []


def test_what_is_missing_is_said_with_the_next_step(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    page = cast.browser(lead).get(f"/projects/{project}/pool")
    assert "There are no runs to draw from" in page.text
    assert f"/projects/{project}/imports/runs" in page.text
    assert cast.script(lead, project).post(f"/api/v1/projects/{project}/pools", json={}).status_code == 409


def test_only_leads_see_and_draw_pools(cast: Cast) -> None:
    _, project = stage(cast)
    for role in ("labeller", "reader"):
        person = cast.person(role)
        cast.member(project, person, role)
        assert cast.browser(person).get(f"/projects/{project}/pool").status_code == 404
        assert cast.browser(person).post(f"/projects/{project}/pools", data={"depth": "2"}).status_code == 404
        assert cast.script(person, project).get(f"/api/v1/projects/{project}/pool").status_code == 404
