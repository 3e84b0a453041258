"""What counts as a labeller's grade of a pair, where labellers differ, and which decision stands."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import decisions_of, differing_pairs, steps_of
from app.agreement.answers import shared
from app.agreement.models import Decision
from app.agreement.queries import labellers_of
from app.agreement.remembering import asked_in_family
from app.projects.models import Member
from tests.agreement.judged import Said, grade_again, judge, newest_rubric, publish_rubric
from tests.make import Cast


def differing(session: Session, project: str, family: int = 1) -> list[tuple[str, str]]:
    return sorted((pair.qid, pair.docno) for pair in differing_pairs(session, project, family))


def test_labellers_differ_in_level_or_in_whether_it_can_be_judged(cast: Cast) -> None:
    project = cast.project(cast.person("lea"))
    said: list[Said] = [
        ("q1", "agreed", "ana", 2),
        ("q1", "agreed", "ben", 2),
        ("q1", "levels", "ana", 0),
        ("q1", "levels", "ben", 3),
        ("q1", "one can't", "ana", "broken"),
        ("q1", "one can't", "ben", 0),
        ("q1", "neither can", "ana", "broken"),
        ("q1", "neither can", "ben", "query unclear"),
        ("q1", "one waits", "ana", 1),
        ("q1", "one waits", "ben", None),
        ("q2", "alone", "ana", 1),
        ("q2", "third", "ana", 1),
        ("q2", "third", "ben", 1),
        ("q2", "third", "cleo", 2),
    ]
    with cast.database.session(writes=True) as session:
        judge(session, project, said)
        assert differing(session, project) == [
            ("q1", "levels"),
            ("q1", "neither can"),
            ("q1", "one can't"),
            ("q2", "third"),
        ]
        assert differing(session, project, family=2) == []
        pairs = {pair.docno: pair for pair in differing_pairs(session, project, 1)}
        assert {docno: (pair.lowest, pair.highest, pair.refusals) for docno, pair in pairs.items()} == {
            "levels": (0, 3, 0),
            "one can't": (0, 0, 1),
            "neither can": (0, 0, 2),
            "third": (1, 2, 0),
        }
        cleo = session.scalar(select(Member.id).where(Member.name == "cleo"))
        own = {pair.docno for pair in differing_pairs(session, project, 1, member_id=cleo) if pair.own}
        assert own == {"third"}


def test_the_newest_press_and_the_later_round_count_once(cast: Cast) -> None:
    project = cast.project(cast.person("lea"))
    with cast.database.session(writes=True) as session:
        judge(session, project, [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)])
        grade_again(session, project, "q1", "d1", "ana", 3)
        assert differing(session, project) == []
        judge(session, project, [("q1", "d1", "ana", 1), ("q1", "d1", "ben", None)], kind="main", is_open=True)
        assert differing(session, project) == [("q1", "d1")]
        answers = shared(asked_in_family(session, project, 1), labellers_of(session, project))
        assert sorted(answers.level.tolist()) == [1, 3]


def test_families_never_mix(cast: Cast) -> None:
    project = cast.project(cast.person("lea"))
    with cast.database.session(writes=True) as session:
        judge(session, project, [("q1", "d1", "ana", 0)])
        publish_rubric(session, project, family=1)
        judge(session, project, [("q1", "d1", "ben", 1)])
        assert differing(session, project) == [("q1", "d1")]
        publish_rubric(session, project)
        judge(session, project, [("q1", "d1", "ana", 1), ("q1", "d1", "ben", 1)])
        assert differing(session, project, family=3) == []
        assert differing(session, project, family=1) == [("q1", "d1")]


def test_the_newest_step_says_whether_a_decision_stands(cast: Cast) -> None:
    lead = cast.person("lea")
    project = cast.project(lead)
    with cast.database.session(writes=True) as session:
        judge(session, project, [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)])
        pair = differing_pairs(session, project, 1)[0].pair_id
        rubric = newest_rubric(session, project)
        assert rubric is not None
        third = session.scalars(select(Member.id).where(Member.project_id == project, Member.person_id == lead)).one()
        for revision, (step, level) in enumerate([("blind", 2), ("decided", 3), ("undone", None), ("decided", 1)], 1):
            session.add(
                Decision(
                    project_id=project,
                    pair_id=pair,
                    family=1,
                    revision=revision,
                    step=step,
                    adjudicator_id=third,
                    level=level,
                    reason="So the rubric says." if step == "decided" else "",
                )
            )
            session.flush()
            standing = {"blind": None, "decided": level, "undone": None}[step]
            assert {pair: standing} == {pair: None} | {
                id_: row.level for id_, row in decisions_of(session, project, 1).items()
            }
        assert [step.step for step in steps_of(session, project, 1)[pair]] == ["blind", "decided", "undone", "decided"]
        assert decisions_of(session, project, 2) == {}
