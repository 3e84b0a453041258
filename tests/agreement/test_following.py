"""A page that stays open is told what is worth telling, and costs the desk nothing."""

import pytest

from app.agreement.following import FOLLOWING, Following, State, state_of_family
from app.agreement.gate import GateResult
from app.projects.models import Member, Project
from tests.agreement.judged import Said, grade_again, judge
from tests.make import Cast


def test_no_answer_is_earlier_than_the_one_that_a_page_shows() -> None:
    state = State(900, 5, 0, 1, 1)
    assert [state.is_later_than(State(900, pressed, 0, 1, 1).version) for pressed in (4, 5, 6)] == [True, False, False]
    assert all(state.is_later_than(seen) for seen in ("", "1-2", "a-b-c-d-e", State(900, 5, 1, 1, 1).version))


def test_leads_who_follow_share_one_answer_until_anything_that_it_says_changes(cast: Cast) -> None:
    project_id = cast.project(cast.person("lea"))
    said: list[Said] = [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)]
    with cast.database.session(writes=True) as session:
        judge(session, project_id, said, is_open=True)
        project = session.get_one(Project, project_id)

        def ask() -> GateResult:
            found = FOLLOWING.ask(session, project, 1, state_of_family(session, project_id, 1), seen="")
            assert found is not None
            return found[1]

        first = ask()
        assert ask() is first
        grade_again(session, project_id, "q1", "d1", "ana", 3)
        second = ask()
        assert [gate.evidence.agreement.exact for gate in (first, second)] == [0, 1]
        member = session.get_one(Member, (project_id, second.labellers[0].id))
        member.name = "zoe"
        session.flush()
        assert [labeller.name for labeller in ask().labellers] == ["ben", "zoe"]


def test_what_took_long_to_make_is_not_made_anew_for_two_hundred_times_as_long(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_id, following, seconds = cast.project(cast.person("lea")), Following(), iter([0, 2, 0, 2])
    monkeypatch.setattr("app.agreement.following.thread_time", lambda: next(seconds))
    moments = [0.0]
    monkeypatch.setattr("app.agreement.following.monotonic", lambda: moments[-1])
    with cast.database.session(writes=True) as session:
        judge(session, project_id, [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 3)], is_open=True)
        project = session.get_one(Project, project_id)

        def exact(seen: str = "") -> object:
            found = following.ask(session, project, 1, state_of_family(session, project_id, 1), seen=seen)
            return found and found[1].evidence.agreement.exact

        first = state_of_family(session, project_id, 1).version
        assert exact() == 0
        grade_again(session, project_id, "q1", "d1", "ana", 3)
        moments.append(399.0)
        assert exact() == 0
        assert exact(seen=first) is None
        moments.append(401.0)
        assert exact(seen=first) == 1
