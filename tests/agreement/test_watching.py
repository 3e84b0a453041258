"""How each labeller works, as leads see it."""

from datetime import timedelta

from sqlalchemy import insert, select

from app.agreement.gate import gate_of
from app.agreement.watching import Watched, watch
from app.db import now
from app.judging.models import Assignment, Grade
from app.projects.models import Project
from tests.agreement.judged import Said, graded, judge, newest_rubric
from tests.make import Cast

HALF = 150


def said() -> list[Said]:
    """Two who agree for half of the pairs, and then hardly any more."""
    rows: list[Said] = []
    for number in range(2 * HALF):
        docno, level = f"d{number:03}", number % 4
        rows.append(("q1", docno, "ana", level))
        rows.append(("q1", docno, "ben", level if number < HALF else (level + 2) % 4))
    return rows


def watched(cast: Cast, project: str) -> dict[str, Watched]:
    with cast.database.session(writes=False) as session:
        found = session.get_one(Project, project)
        return {each.name: each for each in watch(session, found, gate_of(session, found, 1))}


def test_agreement_that_falls_is_told_of_both(cast: Cast) -> None:
    lead = cast.person("lea")
    project = cast.project(lead)
    with cast.database.session(writes=True) as session:
        judge(session, project, said())
    found = watched(cast, project)
    for name in ("ana", "ben"):
        assert found[name].shared == 2 * HALF
        assert len(found[name].kappas) == 3
        assert found[name].has_drifted
        assert (found[name].timed, found[name].flagged) == (0, ())
    page = cast.browser(lead).get(f"/projects/{project}/labellers").text
    assert "Kappa with the others over 200 pairs at a time" in page
    assert "has fallen" in page


def test_first_grades_with_odd_times_are_flagged_and_stay(cast: Cast) -> None:
    lead = cast.person("lea")
    project = cast.project(lead)
    with cast.database.session(writes=True) as session:
        asked: list[Said] = [("q1", f"d{at}", name, None) for at in range(40) for name in ("ana", "ben")]
        judge(session, project, asked, is_open=True)
        rubric = newest_rubric(session, project)
        assert rubric is not None
        for at, assignment in enumerate(session.scalars(select(Assignment).order_by(Assignment.place)).all()):
            row = graded(project, assignment.id, rubric, 1, docno="d1", rationale="")
            active_ms = 900 if at == 78 else 20_000 + 100 * at
            session.execute(insert(Grade), [row | {"active_ms": active_ms, "given_at": now() + timedelta(seconds=at)}])
            assignment.revision = 1
    found = watched(cast, project)
    flagged = [each for one in found.values() for each in one.flagged]
    assert [each.active_ms for each in flagged] == [900]
    assert {one.timed for one in found.values()} == {40}
    (one,) = [
        one for one in cast.script(lead, project).get(f"/api/v1/projects/{project}/labellers").json() if one["flagged"]
    ]
    assert one["flagged"][0]["seconds"] == 0.9
    page = cast.browser(lead).get(f"/projects/{project}/labellers").text
    assert "Times that stand out" in page
    assert "Nothing is deleted for it" in page


def test_an_empty_family_says_that_nobody_shares_pairs(cast: Cast) -> None:
    lead = cast.person("lea")
    project = cast.project(lead)
    assert cast.browser(lead).get(f"/projects/{project}/labellers").status_code == 200
    cast.rubric(project)
    assert "Nobody shares pairs" in cast.browser(lead).get(f"/projects/{project}/labellers").text
    assert cast.script(lead, project).get(f"/api/v1/projects/{project}/labellers").json() == []
