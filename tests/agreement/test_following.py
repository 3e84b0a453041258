"""A page that stays open is told what is worth telling, and costs the desk nothing."""

from app.agreement.following import FOLLOWING, State, state_of_family
from app.agreement.gate import GateResult
from app.projects.models import Member, Project
from tests.agreement.judged import Said, grade_again, judge
from tests.make import Cast


def test_an_answer_is_renewed_with_a_five_hundredth_of_what_is_asked() -> None:
    small = [State(900, pressed, 0, 1, 1, 0).version for pressed in (0, 1)]
    large = [State(100_000, pressed, 0, 1, 1, 0).version for pressed in (0, 1, 199, 200)]
    assert small[0] != small[1]
    assert large[0] == large[1] == large[2] != large[3]
    whole, decided, closed = (State(100_000, 0, *each).version for each in ((0, 1, 1, 1), (1, 1, 1, 0), (0, 1, 0, 0)))
    assert len({large[0], whole, decided, closed}) == 4


def test_leads_who_follow_share_one_answer_until_anything_that_it_says_changes(cast: Cast) -> None:
    project_id = cast.project(cast.person("lea"))
    said: list[Said] = [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)]
    with cast.database.session(writes=True) as session:
        judge(session, project_id, said, is_open=True)
        project = session.get_one(Project, project_id)

        def ask() -> GateResult:
            found = FOLLOWING.ask(session, project, 1, state_of_family(session, project_id, 1))
            assert found is not None
            return found

        first = ask()
        assert ask() is first
        grade_again(session, project_id, "q1", "d1", "ana", 3)
        second = ask()
        assert [gate.evidence.agreement.exact for gate in (first, second)] == [0, 1]
        member = session.get_one(Member, (project_id, second.labellers[0].id))
        member.name = "zoe"
        session.flush()
        assert [labeller.name for labeller in ask().labellers] == ["ben", "zoe"]
