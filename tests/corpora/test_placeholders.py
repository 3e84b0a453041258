"""Queries and documents by their outside ids."""

import pytest

from app.corpora.placeholders import find_documents, find_queries, know_documents, know_queries
from app.errors import RuleError
from app.projects.models import Project
from tests.corpora.handing import Desk


def test_what_is_here_is_found_and_what_is_not_is_made_known(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\n")
    desk.brought_in("documents", b'{"id": "d1", "text": "Shoes."}\n')
    with desk.cast.database.session(writes=True) as session:
        project = session.get_one(Project, desk.project)
        query, document = find_queries(session, project, ["q1", "q2"]), find_documents(session, project, ["d1", "d2"])
        assert list(query) == ["q1"]
        assert list(document) == ["d1"]
        assert know_queries(session, project, ["q2", "q1", "q2"]).keys() == {"q1", "q2"}
        assert know_queries(session, project, ["q1"]) == query
        many = [f"d{number}" for number in range(2500)]
        known, made = know_documents(session, project, many)
        assert made == len(known) - 1
        assert known.keys() == set(many)
        assert known["d1"] == document["d1"]
        assert know_documents(session, project, many) == (known, 0)
        assert know_documents(session, project, []) == ({}, 0)
    assert len(desk.rows("document")) == 2500


def test_ids_of_another_project_are_not_found(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\n")
    other = desk.cast.project(desk.lead, name="Another")
    with desk.cast.database.session(writes=False) as session:
        assert find_queries(session, session.get_one(Project, other), ["q1"]) == {}


@pytest.mark.parametrize("docno", ["d 1", "\ufeffd1", "", "d" * 1001])
def test_no_document_is_made_known_that_no_qrels_file_could_hold(desk: Desk, docno: str) -> None:
    with desk.cast.database.session(writes=True) as session, pytest.raises(RuleError, match="The document id"):
        know_documents(session, session.get_one(Project, desk.project), ["d1", docno])
    assert desk.rows("document") == []


@pytest.mark.parametrize("qid", ["q 1", "#q1", "\ufeffq1"])
def test_no_query_is_made_known_that_no_qrels_file_could_hold(desk: Desk, qid: str) -> None:
    with desk.cast.database.session(writes=True) as session, pytest.raises(RuleError, match="The query id"):
        know_queries(session, session.get_one(Project, desk.project), ["q1", qid])
    assert desk.rows("query") == []
