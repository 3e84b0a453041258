"""Who was dealt what decides which pairs are in kappa and whose level stands: `verify` finds any change of it that no
act tells, and the databases refuse what the product never does.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.agreement import remembering
from app.agreement.gate import gate_of
from app.agreement.remembering import Memory
from app.db import Base, now
from app.history.verifying import check_grades, check_plans, check_revisions
from app.judging import claiming, dealing
from app.projects.models import Project
from app.record.keeping import record
from app.record.models import Act, Verb
from app.releases.settling import Settled, settle
from tests.history.lived import Lived
from tests.history.test_verifying import (
    any_row,
    change_one_of,
    delete_one_of,
    faults,
    other_than,
    tried,
    unlocked,
)
from tests.judging.test_checks import set_gold
from tests.judging.test_experts import answer
from tests.judging.test_experts import give as give_to_expert
from tests.judging.test_reassigning import due, give, grade, place_of, qualify
from tests.judging.test_rounds import POOL, Scene
from tests.make import Cast

DEAL, ASSIGNMENT = (Base.metadata.tables[name] for name in ("deal", "assignment"))
SEED = 20261201
EDITS = 150
GRADED_OTHERWISE = """
    SELECT mine.id FROM assignment AS mine
    JOIN assignment AS other ON other.pair_id = mine.pair_id AND other.id <> mine.id
    JOIN grade AS said ON said.assignment_id = mine.id
    JOIN grade AS against ON against.assignment_id = other.id
    WHERE said.level <> against.level
"""


def kappa(connection: Connection, project_id: str) -> Any:
    with Session(connection, join_transaction_mode="rollback_only") as session:
        return gate_of(session, session.get_one(Project, project_id), 1).evidence.agreement.kappa


def judgments(connection: Connection, project_id: str) -> list[Settled]:
    with Session(connection, join_transaction_mode="rollback_only") as session:
        project = session.get_one(Project, project_id)
        session.expunge(project)  # Nothing of it is to be stored.
        project.primary_stands = True
        outcomes = list(settle(session, project, family=1, decisions={}))
        return [each for each in outcomes if isinstance(each, Settled)]


# What was found by somebody who tried


def test_no_pair_is_taken_out_of_kappa_unseen(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on which two labellers differ, called gold. As a process finds it that has not asked before."""
    monkeypatch.setattr(remembering, "MEMORY", Memory(0))
    lived = Lived.make(cast)
    with unlocked(cast.database) as connection:
        assert kappa(connection, lived.project) < 0.5
        connection.execute(text(f"UPDATE assignment SET purpose = 'gold' WHERE id IN ({GRADED_OTHERWISE})"))  # noqa: S608
        assert kappa(connection, lived.project) == 1
        assert "who was dealt what in round 1 is not what it was then" in {each.sentence for each in faults(connection)}


def test_no_labeller_becomes_the_primary_unseen(cast: Cast) -> None:
    lived = Lived.make(cast)
    with unlocked(cast.database) as connection:
        before = judgments(connection, lived.project)
        connection.execute(text("UPDATE deal SET seat = 3 - seat"))
        assert judgments(connection, lived.project) != before
        found = {each.sentence for each in faults(connection)}
        assert {f"who was dealt what in round {number} is not what it was then" for number in (1, 2)} <= found


def test_members_names_move_no_number(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not sealed, since they may be erased: what is told of ben is told of another name, and that is all."""
    monkeypatch.setattr(remembering, "MEMORY", Memory(0))
    lived = Lived.make(cast)
    with unlocked(cast.database) as connection:
        before = kappa(connection, lived.project), judgments(connection, lived.project)
        for name in ("ben", "nist"):
            connection.execute(text("UPDATE member SET name = 'zoe ' || name WHERE name = :name"), {"name": name})
        assert (kappa(connection, lived.project), judgments(connection, lived.project)) == before


# Whatever deals and passes on tells it


def a_dealt_round(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.open(queries=["q0", "q1", "q2"], repeats=0.2, quiz=1)
    grade(scene, "ben", 3)


def a_widened_round(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    round_id = scene.open(queries=["q0"], repeats=0.2, quiz=1)["id"]
    assert scene.script().post(f"{scene.api}/rounds/{round_id}/queries", json={"queries": ["q1"]}).is_success


def a_query_passed_on(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    """Twice: whole, then in part, so that there are deals that came and went."""
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q0", "q1"])["id"]
    for qid, graded in (("q0", 0), ("q1", 2)):
        grade(scene, "ben", graded)
        assert give(scene, place_of(scene, round_id, "ben", qid=qid), "dan").is_success
    assert give(scene, place_of(scene, round_id, "dan", qid="q1"), "ben").is_success


def somebody_late(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q0", "q1"])["id"]
    for name in ("ben", "cleo"):
        scene.grade_all(name)
    assert qualify(scene, round_id, "dan").is_success


def an_expert(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.joined("dan", "labeller")
    round_id = scene.open(queries=["q0"])["id"]
    for name in ("ben", "cleo"):
        answer(scene, name, {"d0-0": "needs expertise"})
    assert give_to_expert(scene, round_id, "dan").is_success


def somebody_who_leaves(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    scene.open(queries=["q0", "q1", "q2"], repeats=0.2, quiz=1)
    grade(scene, "ben", 3)
    assert scene.script().delete(f"{scene.api}/members/{scene.members['ben']}").is_success


def claims(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    """With a quiz before the first and repeats behind the others."""
    round_id = open_claimed(scene, repeats=0.2, quiz=1)
    for _ in range(3):
        assert claim(scene, round_id, "ben").is_success
        scene.grade_all("ben")


def an_idle_claim(scene: Scene, patch: pytest.MonkeyPatch) -> None:
    """It returns in part, somebody else takes it, and a grade of it comes late."""
    round_id = open_claimed(scene, queries=["q0"], repeats=0.2, quiz=2)
    claim(scene, round_id, "ben")
    *_, early, late = due(scene.script("ben"), scene)
    send(scene, early)
    patch.setattr(claiming, "now", lambda: now() + timedelta(minutes=31))
    assert claim(scene, round_id, "cleo").is_success
    patch.undo()
    send(scene, late)


def send(scene: Scene, asked: Any) -> None:
    sent = {key: asked[key] for key in ("key", "revision", "text_hash")} | {"level": 1}
    assert scene.script("ben").post(f"{scene.api}/assignments/{asked['id']}/grades", json=sent).is_success


def grades_from_elsewhere(scene: Scene, _patch: pytest.MonkeyPatch) -> None:
    lines = ["labeller,qid,docno,grade", "nist,q0,d0-0,2", "fira,q0,d0-0,3", "nist,q1,d1-0,0"]
    files = {"file": ("grades", "\n".join(lines).encode())}
    assert scene.script().post(f"{scene.api}/imports/grades", files=files).is_success


def open_claimed(scene: Scene, **more: Any) -> str:
    return str(scene.open(labellers=[], idle_minutes=30, **more)["id"])


def claim(scene: Scene, round_id: str, name: str) -> Any:
    return scene.script(name).post(f"{scene.api}/rounds/{round_id}/claims")


Dealt = Callable[[Scene, pytest.MonkeyPatch], None]
ACTS: dict[Dealt, set[str]] = {
    a_dealt_round: {"round opened"},
    a_widened_round: {"round widened"},
    a_query_passed_on: {"query taken", "query returned"},
    somebody_late: {"queries added"},
    an_expert: {"queries added"},
    somebody_who_leaves: {"query returned", "checks dropped"},
    claims: {"query taken", "checks dealt"},
    an_idle_claim: {"query taken", "query returned", "checks dealt", "checks dropped"},
    grades_from_elsewhere: {"round imported"},
}


def untold(connection: Connection, project_id: str) -> list[str]:
    """Of all that verify says what it says of rounds: the scene's pools and texts came without an act."""
    with Session(connection, join_transaction_mode="rollback_only") as session:
        checks = (check_plans, check_grades, check_revisions)
        return [fault.sentence for check in checks for fault in check(session, project_id, {})]


@pytest.mark.parametrize("dealt", ACTS, ids=lambda dealt: dealt.__name__)
def test_what_acts_tell_is_whole_and_any_other_change_is_found(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, dealt: Dealt
) -> None:
    scene, chance, missed = Scene.make(cast), random.Random(SEED), []
    for docno in POOL["q5"][:2]:
        set_gold(scene, "q5", docno, 2)
    dealt(scene, monkeypatch)
    with cast.database.session(writes=False) as session:
        assert ACTS[dealt] <= set(session.scalars(select(Act.verb).where(Act.chain_id == scene.project)))
    with unlocked(cast.database) as connection:
        assert untold(connection, scene.project) == []
        for _ in range(EDITS):
            done = tried(connection, chance, [change_a_plan, change_a_plan, delete_of_a_plan, add_to_a_plan])
            if not untold(connection, scene.project):
                missed.append(done)
            connection.rollback()
    assert missed == [], f"seed {SEED}"


def change_a_plan(connection: Connection, chance: random.Random) -> str:
    return change_one_of([DEAL, ASSIGNMENT], connection, chance)


def delete_of_a_plan(connection: Connection, chance: random.Random) -> str:
    return delete_one_of([DEAL, ASSIGNMENT], connection, chance)


def add_to_a_plan(connection: Connection, chance: random.Random) -> str:
    """As if somebody else had been dealt it, too, or as if nobody had taken it yet."""
    table = chance.choice([DEAL, ASSIGNMENT])
    row = any_row(connection, chance, table)
    more = {"id": other_than(row.id, chance), "labeller_id": None, "claimed_at": None, "revision": 0}
    connection.execute(insert(table).values({**row._mapping, **{name: more[name] for name in more if name in table.c}}))
    return f"{table} got {more['id']} beside {row.id}"


def test_a_change_is_not_told_by_an_act_that_comes_after_it(cast: Cast) -> None:
    """What an act finds is in it, beside what it makes of it."""
    scene = Scene.make(cast)
    round_id = open_claimed(scene, queries=["q0", "q1"])
    with cast.database.session(writes=True) as session:
        session.execute(text("UPDATE deal SET place = place + 2"))
    for name in ("ben", "cleo"):
        for _ in range(2):
            assert claim(scene, round_id, name).is_success
            scene.grade_all(name)
    with cast.database.session(writes=False) as session:
        opened = session.scalars(select(Act.number).where(Act.verb == "round opened")).one()
        (fault,) = check_plans(session, scene.project, {round_id: "1"})
    assert fault == (scene.project, opened, "who was dealt what in round 1 is not what it was then")


def test_a_round_that_opened_before_plans_were_sealed_is_whole_as_far_as_acts_tell(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_before(session: Session, chain_id: str, verb: Verb, **facts: object) -> None:
        record(session, chain_id, verb, **{name: fact for name, fact in facts.items() if name != "plan"})

    scene = Scene.make(cast)
    with monkeypatch.context() as patch:
        patch.setattr(dealing, "record", as_before)
        round_id = open_claimed(scene, queries=["q0", "q1"])
    claim(scene, round_id, "ben")
    with unlocked(cast.database) as connection:
        assert untold(connection, scene.project) == []
        connection.execute(text("UPDATE deal SET seat = 3 WHERE labeller_id IS NULL"))
        assert untold(connection, scene.project) == []
        connection.execute(text("UPDATE deal SET seat = 3"))
        assert untold(connection, scene.project) == [f"who was dealt what in round {round_id} is not what it was then"]


# What the databases refuse

REFUSED = (
    "UPDATE assignment SET purpose = 'gold'",
    "UPDATE assignment SET purpose = 'repeat' WHERE revision = 0",
    "UPDATE assignment SET pair_id = (SELECT max(id) FROM pair) WHERE revision = 0",
    "UPDATE assignment SET labeller_id = (SELECT id FROM member WHERE role = 'lead') WHERE revision > 0",
    "UPDATE assignment SET deal_id = (SELECT max(id) FROM deal WHERE id <> deal_id) WHERE revision > 0",
    "UPDATE assignment SET place = place + 1 WHERE revision > 0",
    "UPDATE assignment SET revision = revision - 1 WHERE revision > 0",
    "DELETE FROM assignment WHERE revision = 0",
    "UPDATE deal SET seat = 3 - seat",
    "UPDATE deal SET query_id = (SELECT max(id) FROM query)",
    "UPDATE deal SET purpose = 'gold'",
)
BY_REPLACING = ("INSERT OR REPLACE INTO deal SELECT * FROM deal",)


@pytest.mark.parametrize("statement", [*REFUSED, *BY_REPLACING])
def test_the_database_refuses_what_the_product_never_does(cast: Cast, statement: str) -> None:
    if statement in BY_REPLACING and not cast.database.is_sqlite:
        return  # It has no such statement.
    scene = Scene.make(cast)
    scene.open(queries=["q0", "q1"])
    grade(scene, "ben", 3)
    with pytest.raises(DBAPIError, match="never changed"), cast.database.session(writes=True) as session:
        session.execute(text(statement))
