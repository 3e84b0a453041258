"""A gate that passes after it had failed: everything that leaves says so, and what it answered when."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import and_, insert, select, update
from sqlalchemy.orm import Session

from app.agreement.answered_before import Known, earlier_answers
from app.agreement.gate import gate_of
from app.corpora.models import Document, Query
from app.db import now
from app.judging.closing import close_round, reopen_round
from app.judging.models import Assignment, Deal, Grade, Round
from app.people.models import Person
from app.people.signing_in import disable
from app.pools.models import Pair
from app.projects.models import Project
from app.releases.manifest import file_name, marks_of, read_manifest
from app.rubrics.queries import required_rubric
from tests.agreement.judged import Said, grade_again, graded, judge
from tests.make import Cast
from tests.releases.story import Story, agreeing

MARK = "failed before"


def arguing(queries: int = 30, pairs: int = 10) -> list[Said]:
    """Two labellers who press whatever comes, on queries of their own."""
    chance = random.Random(11)
    places = [(f"a{query:02}", f"a{query:02}-{pair}") for query in range(queries) for pair in range(pairs)]
    return [(qid, docno, name, chance.randrange(4)) for qid, docno in places for name in ("ben", "cleo")]


def shown(story: Story, page: str) -> str:
    answer = story.cast.browser(story.lead).get(f"{story.home}{page}")
    assert answer.status_code == 200
    return answer.text


def told(story: Story) -> Any:
    return story.cast.script(story.lead, story.project).get(f"/api/v1{story.home}/agreement").json()


@pytest.mark.parametrize("kind", ["imported", "main"])
def test_a_failed_family_that_more_grades_carry_over_the_line_is_marked(cast: Cast, kind: str) -> None:
    story = Story(cast)
    story.judge(arguing())
    assert told(story)["answer"] == "failed"
    story.judge(agreeing(300), kind=kind)
    found = told(story)
    assert (found["answer"], found["as_first_given"]) == ("passed", None)
    (before,) = found["answers_before"]
    assert (before["round"], before["step"], before["answer"]) == (1, "closed", "failed")
    assert (before["pairs"], before["queries"], before["undefined"]) == (300, 30, {})
    assert abs(before["kappa"]) < 0.1
    sentence = "When round 1 was closed the gate answered <b>failed</b>: kappa"
    assert sentence in shown(story, "/agreement")
    assert sentence in shown(story, "/releases")
    release = story.freeze()
    assert release.is_gated
    imported = ["imported grades"] if kind == "imported" else []
    assert marks_of(release) == [MARK, *imported]
    assert "-release-1-failed-before" in file_name(release, ".qrels")
    (kept,) = read_manifest(release)["answers_before"]
    assert kept == {name: value for name, value in before.items() if name != "undefined"} | {
        "kappa": pytest.approx(before["kappa"], abs=1e-12)
    }
    page = shown(story, f"/releases/{release.id}")
    assert "The gate had failed what was judged under this rubric before it passed" in page
    assert "When round 1 was closed the gate answered <b>failed</b>" in page


def test_grades_that_only_pass_as_they_were_changed_are_marked(cast: Cast) -> None:
    """The labellers of an open round are told what to press."""
    story = Story(cast)
    first, last = arguing(), dict[tuple[str, str], object]()
    story.judge(first, is_open=True)
    with cast.database.session(writes=True) as session:
        levels = {(qid, docno): level for qid, docno, name, level in first if name == "ben"}
        for qid, docno, name, level in first:
            if name == "cleo" and level != levels[qid, docno]:
                last[qid, docno] = levels[qid, docno]
                grade_again(session, story.project, qid, docno, name, levels[qid, docno] or 0)
    story.close_rounds()
    found = told(story)
    assert (found["answer"], found["kappa"], found["answers_before"]) == ("passed", 1.0, [])
    assert (found["as_first_given"]["answer"], found["as_first_given"]["changed"]) == ("failed", len(last))
    assert f"{len(last)} grades were changed by the labellers" in shown(story, "/agreement")
    release = story.freeze()
    assert marks_of(release) == ["passed as corrected"]
    at_first = read_manifest(release)["as_first_given"]
    assert at_first == {"answer": "failed", "changed": len(last), "kappa": at_first["kappa"]}
    assert f"{len(last)} grades were changed by the labellers" in shown(story, f"/releases/{release.id}")


def test_slips_that_are_corrected_are_counted_and_mark_nothing(cast: Cast) -> None:
    story = Story(cast)
    said = agreeing()
    story.judge(said, is_open=True)
    with cast.database.session(writes=True) as session:
        grade_again(session, story.project, "q00", "d00-0", "ben", 3 - (said[0][3] or 0))  # type: ignore[operator]
        grade_again(session, story.project, "q00", "d00-1", "ben", said[2][3] or 0)
    story.close_rounds()
    release = story.freeze()
    assert marks_of(release) == []
    at_first = read_manifest(release)["as_first_given"]
    assert (at_first["answer"], at_first["changed"]) == ("passed", 1)
    with cast.database.session(writes=False) as session:
        project = session.get_one(Project, story.project)
        alone = gate_of(session, project, 1)
        assert earlier_answers(session, project, alone).has_failed is False


def test_each_moment_is_asked_once_and_what_was_given_before_it_counts(cast: Cast) -> None:
    """Twelve queries, then all thirty in the same round, opened again; a main round comes after it."""
    story = Story(cast)
    said = agreeing()
    story.judge(said[: 12 * 20])
    with cast.database.session(writes=True) as session:
        (round_,) = session.scalars(select(Round))
        reopen_round(session, round_, keep_closed=lambda _session, _round: None)
        grade_again(session, story.project, "q00", "d00-0", "ben", 3 - (said[0][3] or 0))  # type: ignore[operator]
        close_round(session, round_)
    story.judge(said[12 * 20 :], kind="main")
    with cast.database.session(writes=False) as session:
        project = session.get_one(Project, story.project)
        found = earlier_answers(session, project, gate_of(session, project, 1)).moments
        assert [(each.moment.round_number, each.moment.step, each.answer, each.pairs) for each in found] == [
            (1, "closed", "not enough evidence", 120)
        ], "the first end is in no act, since the round was made without one; what stood then is told at the second"
    script = cast.script(story.lead, story.project)
    with cast.database.session(writes=False) as session:
        number, round_id = session.execute(select(Round.number, Round.id).where(Round.number == 2)).one()
    assert number == 2
    assert script.delete(f"/api/v1{story.home}/rounds/{round_id}/closure").is_success
    with cast.database.session(writes=True) as session:
        grade_again(session, story.project, "q20", "d20-0", "ben", 0)
        grade_again(session, story.project, "q21", "d21-0", "ben", 3)
        close_round(session, session.get_one(Round, (story.project, round_id)))
        judge(session, story.project, agreeing(2, names=("dan", "eve")), kind="imported")
    answers = told(story)["answers_before"]
    assert [(each["round"], each["step"], each["pairs"]) for each in answers] == [
        (1, "closed", 120),
        (2, "closed", 300),
    ]


def test_what_lies_a_minute_back_is_asked_once_and_the_oldest_of_too_many_again() -> None:
    known, asked = Known(most=2), list[str]()

    def once(name: str, ago: timedelta) -> str:
        def ask() -> str:
            asked.append(name)
            return name

        return known.once((name,), now() - ago, ask)

    for _ in range(2):
        assert once("just now", timedelta(seconds=30)) == "just now", "a grade may still be on its way"
        assert once("first", timedelta(minutes=2)) == "first"
    assert asked == ["just now", "first", "just now"]
    for name in ("second", "third", "second", "first"):
        once(name, timedelta(hours=1))
    assert asked[3:] == ["second", "third", "first"]


def test_a_round_of_a_family_that_failed_once_is_not_opened_again_though_the_gate_passes_now(cast: Cast) -> None:
    story = Story(cast)
    story.judge(arguing())
    story.judge(agreeing(300), kind="main")
    assert told(story)["answer"] == "passed"
    with cast.database.session(writes=False) as session:
        round_ids: Sequence[str] = session.scalars(select(Round.id)).all()
    script = cast.script(story.lead, story.project)
    for round_id in round_ids:
        refused = script.delete(f"/api/v1{story.home}/rounds/{round_id}/closure")
        assert refused.status_code == 409
        assert "The gate has failed" in refused.json()["error"]["sentence"]


@pytest.mark.parametrize("way", ["passed on", "let go", "shut out"])
def test_a_round_that_is_reassigned_while_its_agreement_fails_is_marked(cast: Cast, way: str) -> None:
    """What was left to Cleo is Dan's then, who agrees with Ben."""
    story = Story(cast)
    people = {name: cast.person(name) for name in ("ben", "cleo", "dan")}
    member, cleo = {name: cast.member(story.project, who, "labeller") for name, who in people.items()}, people["cleo"]
    rest = agreeing(300)
    story.judge([*arguing(), *((*each[:3], None) if each[2] == "cleo" else each for each in rest)], is_open=True)
    assert told(story)["answer"] == "failed"
    script = cast.script(story.lead, story.project)
    with cast.database.session(writes=False) as session:
        query = select(Query.id).where(Query.project_id == story.project, Query.qid.in_(("q00", "q01")))
        hers = select(Deal.id).where(Deal.query_id.in_(query), Deal.labeller_id == member["cleo"])
        deals = session.scalars(hers).all()
    if way == "passed on":
        for deal in deals:
            passed = script.post(f"/api/v1{story.home}/deals/{deal}/labeller", json={"labeller": member["dan"]})
            assert passed.is_success, passed.text
    else:
        if way == "let go":
            assert script.delete(f"/api/v1{story.home}/members/{member['cleo']}").is_success
        else:
            with cast.database.session(writes=True) as session:
                disable(session, session.get_one(Person, cleo), by=session.get_one(Person, story.lead))
        with cast.database.session(writes=True) as session:
            for table in (Deal, Assignment):
                is_left = table.labeller_id.is_(None) if table is Deal else Assignment.revision == 0
                session.execute(update(table).where(is_left).values(labeller_id=member["dan"]))
    with cast.database.session(writes=True) as session:
        grade_all_that_is_open(session, story, {docno: level for _, docno, name, level in rest if name == "cleo"})
    story.close_rounds()
    assert [(each["step"], each["answer"]) for each in told(story)["answers_before"]] == [("reassigned", "failed")]
    assert "Before round 1 was reassigned the gate answered <b>failed</b>" in shown(story, "/agreement")
    if way == "passed on":
        assert marks_of(story.freeze()) == [MARK]
    else:
        assert told(story)["answer"] == "failed", "whoever was let go is under the floor all the same"


def grade_all_that_is_open(session: Session, story: Story, levels: dict[str, Any]) -> None:
    rows = session.execute(
        select(Assignment, Document.docno)
        .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
        .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
        .where(Assignment.project_id == story.project, Assignment.revision == 0)
    ).all()
    rubric = required_rubric(session, story.project)
    session.execute(
        insert(Grade),
        [graded(story.project, each.id, rubric, levels[docno], docno=docno, rationale="") for each, docno in rows],
    )
    for each, _ in rows:
        each.revision = 1
