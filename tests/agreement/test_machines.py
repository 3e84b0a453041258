"""A program's grades count nowhere, unless a lead declares that they are a person's."""

import pytest
from sqlalchemy import select

from app.agreement.gate import gate_of
from app.judging.choosing import dealt_queries
from app.projects.models import Member, Project
from app.releases.prospect import look_ahead
from app.rubrics.queries import required_rubric
from tests.corpora.handing import Desk, sit_down
from tests.make import Cast

MAKE = {"placeholders": "make", "kinds": "gpt=machine"}
GRADES = b"qid,docno,ann,bob,gpt\nq1,d1,1,1,3\nq1,d2,0,0,3\nq2,d1,2,2,0\nq3,d1,,,3\n"


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """Two people who agree, and a program that does not."""
    desk = sit_down(cast)
    cast.rubric(desk.project)
    desk.brought_in("grades", GRADES, MAKE)
    return desk


def measured(desk: Desk) -> tuple[list[str], object, int, set[str]]:
    """Who counts, kappa, how many judgments there would be, and the queries that nobody else is dealt."""
    with desk.cast.database.session(writes=False) as session:
        project = session.get_one(Project, desk.project)
        gate, prospect = gate_of(session, project, 1), look_ahead(session, project)
        assert prospect is not None
        dealt = dealt_queries(session, required_rubric(session, project.id))
        names = [labeller.name for labeller in gate.labellers]
        return names, gate.evidence.agreement.kappa, prospect.tally.judgments, dealt


def member_id(desk: Desk, name: str) -> str:
    with desk.cast.database.session(writes=False) as session:
        return session.scalars(select(Member.id).where(Member.name == name)).one()


def test_a_machine_never_counts_until_a_lead_declares_it_human(desk: Desk) -> None:
    assert measured(desk) == (["ann", "bob"], 1.0, 3, {"q1", "q2"})
    queue = desk.script.get(f"/api/v1/projects/{desk.project}/adjudication").json()
    assert (queue["differing"], queue["decided"]) == (0, 0)
    page = f"/projects/{desk.project}/members/{member_id(desk, 'gpt')}"
    assert "a machine: its grades do not count" in desk.browser.get(f"/projects/{desk.project}/members").text
    assert desk.browser.post(page, data={"name": "gpt", "role": "labeller"}).status_code == 303
    names, kappa, judgments, dealt = measured(desk)
    assert (names, judgments, dealt) == (["ann", "bob", "gpt"], 1, {"q1", "q2", "q3"})
    assert isinstance(kappa, float)
    assert kappa < 1
    assert desk.browser.post(page, data={"name": "gpt", "role": "labeller", "is_machine": "yes"}).status_code == 303
    assert measured(desk)[0] == ["ann", "bob"]


def test_who_has_an_account_is_no_machine(desk: Desk) -> None:
    member = desk.cast.member(desk.project, desk.cast.person("jane"), "labeller")
    answer = desk.script.patch(f"/api/v1/projects/{desk.project}/members/{member}", json={"is_machine": True})
    assert (answer.status_code, "has an account" in answer.text) == (409, True)
    content = GRADES.replace(b"gpt", b"jane").replace(b"\nq", b"\nr")
    refused = desk.refused("grades", content, {**MAKE, "kinds": "jane=machine"})
    assert "has an account here" in refused["sentence"]


def test_whoever_is_here_as_a_person_is_made_no_machine_by_a_file(desk: Desk) -> None:
    refused = desk.refused("grades", b"qid,docno,labeller,grade\nq9,d9,ann,1\n", {**MAKE, "kinds": "ann=machine"})
    assert '"ann" is a labeller here already, and no machine' in str(refused)
    desk.brought_in("grades", b"qid,docno,labeller,grade\nq9,d9,gpt,1\n", MAKE)
