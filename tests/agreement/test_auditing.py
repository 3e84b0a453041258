"""What goes to a third person beside differences of two levels or more: audits, and what nobody could judge."""

import re
from collections.abc import Sequence

import pytest

from app.agreement.adjudication_queries import audit_sample, count_refused, disputed_pairs
from app.agreement.gate import gate_of
from app.agreement.queueing import queue_of
from app.agreement.reading import couples_in_cell
from app.projects.models import Project
from tests.agreement.judged import Said
from tests.agreement.test_adjudicating import seat_of
from tests.agreement.test_pages import Told
from tests.make import Cast


def both(qid: str, docnos: Sequence[str], first: int | str, second: int | str) -> list[Said]:
    return [(qid, docno, *given) for docno in docnos for given in (("ana", first), ("ben", second))]


def documents(number: int, *, name: str = "d") -> list[str]:
    return [f"{name}{at}" for at in range(number)]


MANY = [*both("q1", documents(119), 2, 2), *both("q2", documents(40), 2, 1), *both("q3", documents(9), 0, "broken")]


def test_a_twentieth_of_the_agreed_pairs_waits_among_the_others_and_nothing_marks_them(cast: Cast) -> None:
    told = Told.make(cast, MANY)
    with cast.database.session(writes=False) as session:
        seat = seat_of(session, told.project, person_of(cast, told))
        queue = queue_of(session, seat, 1)
        audited = [queued.pair.pair_id for queued in queue.pairs if queued.pair.is_audit]
        places = [at for at, queued in enumerate(queue.pairs) if queued.pair.is_audit]
        assert [pair.pair_id for pair in audit_sample(session, told.project, 1)] != []
    assert (len(audited), queue.audited, len(queue.pairs)) == (5, 5, 54)
    assert max(places) < 53
    page = told.look("/adjudication")
    assert "54 of 54 pairs wait for a third person." in page
    assert "5 pairs on which the labellers agree, drawn at random, one in twenty: nobody is told which." in page
    audit, difference = (
        told.lead.get(f"{told.home}/adjudication/{queue.pairs[at].pair.pair_id}").text for at in (places[0], 53)
    )
    assert shape(audit) == shape(difference)


def shape(page: str) -> list[str]:
    """A page's tags without what names a pair."""
    return [re.sub(r'="[^"]*"', "", tag) for tag in re.findall(r"<[^>]*>", page)]


def person_of(cast: Cast, told: Told) -> str:
    with cast.database.session(writes=False) as session:
        return session.get_one(Project, told.project).created_by_id


def test_an_audited_pair_is_adjudicated_like_any_other_and_another_agreed_one_is_not(cast: Cast) -> None:
    told = Told.make(cast, MANY)
    script = cast.script(person_of(cast, told), told.project)
    with cast.database.session(writes=False) as session:
        first, second, *_ = audit_sample(session, told.project, 1)
        gate = gate_of(session, session.get_one(Project, told.project), 1)
        sampled = {pair.pair_id for pair in audit_sample(session, told.project, 1)}
    agreed = couples_in_cell(gate, first=2, second=2)
    other = next(each.first.pair_id for each in agreed if each.first.pair_id not in sampled)
    told.pairs.update(same=first.pair_id, otherwise=second.pair_id, other=other)
    for name, level in (("same", 2), ("otherwise", 0)):
        assert told.send(name, "blind", level=level, revision=0).status_code == 303
        assert told.send(name, "decision", level=level, reason="So it is.", revision=1).status_code == 303
    assert told.send("other", "blind", level=0, revision=0).status_code == 409
    assert "Of 2 audited so far 1 got another level." in told.look("/adjudication")
    found = script.get(f"/api/v1{told.home}/adjudication").json()
    assert (found["audited"], found["audited_so_far"], found["overruled"], found["decided"]) == (5, 2, 1, 2)


def test_few_agreed_pairs_are_not_audited(cast: Cast) -> None:
    told = Told.make(cast, both("q1", documents(19), 2, 2))
    with cast.database.session(writes=False) as session:
        assert audit_sample(session, told.project, 1) == []
    assert "Nothing differs." in told.look("/adjudication")


@pytest.mark.parametrize("primary_stands", [False, True])
def test_where_the_primary_stands_differences_of_one_level_wait_for_nobody(cast: Cast, primary_stands: bool) -> None:
    said = [
        *both("q1", ["one"], 2, 1),
        *both("q1", ["two"], 3, 1),
        *both("q1", ["refused"], 1, "broken"),
        *both("q1", ["same"], 1, 1),
    ]
    told = Told.make(cast, said)
    with cast.database.session(writes=True) as session:
        project = session.get_one(Project, told.project)
        project.primary_stands = primary_stands
        waiting = {pair.docno for pair in disputed_pairs(session, project, 1)}
    assert waiting == {"two", "refused"} | (set() if primary_stands else {"one"})
    assert ("on 1 the labellers are one level apart" in told.look("/agreement")) is primary_stands
    found = cast.script(person_of(cast, told), told.project).get(f"/api/v1{told.home}/agreement").json()
    assert (found["differing"], found["by_primary"], found["undecided"]) == (3, int(primary_stands), len(waiting))


def test_what_nobody_could_judge_goes_to_the_lead_only_where_the_query_is_unclear(cast: Cast) -> None:
    said = [
        *both("q1", ["unclear"], "query unclear", "broken"),
        *both("q1", ["broken"], "broken", "wrong language"),
        *both("q1", ["expertise"], "needs expertise", "needs expertise"),
    ]
    told = Told.make(cast, said)
    assert set(told.pairs) == {"unclear"}
    with cast.database.session(writes=False) as session:
        assert count_refused(session, told.project, 1) == 2
    assert told.send("unclear", "blind", level=1, revision=0).status_code == 303
    assert "can’t judge: query unclear" in told.look(f"/adjudication/{told.pairs['unclear']}")
    assert told.send("unclear", "decision", level=1, reason="Read so, it is one.", revision=1).status_code == 303
    assert "All decided." in told.look("/adjudication")
