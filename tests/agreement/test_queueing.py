"""The queue of pairs that differ: first what a decision can move most."""

import math

import pytest
from sqlalchemy.orm import Session

from app.agreement.adjudicating import decide, grade_blind
from app.agreement.queueing import Queue, count_decided, queue_of
from app.errors import RuleError
from tests.agreement.judged import Said, judge
from tests.agreement.test_adjudicating import seat_of
from tests.make import Cast


def differ(qid: str, docno: str, first: int | str, second: int | str) -> list[Said]:
    return [(qid, docno, "ana", first), (qid, docno, "ben", second)]


def order(queue: Queue) -> list[tuple[str, str]]:
    return [(queued.pair.qid, queued.pair.docno) for queued in queue.pairs]


def test_difference_in_gain_times_the_best_discount_orders_the_queue(cast: Cast) -> None:
    lea = cast.person("lea")
    project = cast.project(lea)
    cast.run(project, "one", {"q1": ["deep", "x", "wide", "small"], "q2": ["tied b", "tied a"], "gone": ["deep"]})
    cast.run(project, "two", {"q1": ["y", "z", "small", "w", "v", "u", "t", "deep"]})
    said = [
        *differ("q1", "unranked", 0, 3),
        *differ("q1", "unranked small", 0, 1),
        *differ("q1", "small", 0, 1),
        *differ("q1", "wide", 0, 3),
        *differ("q1", "deep", 2, 3),
        *differ("q2", "refused", 3, "broken"),
        *differ("q2", "tied a", 1, 2),
    ]
    with cast.database.session(writes=True) as session:
        judge(session, project, said)
        queue = queue_of(session, seat_of(session, project, lea), 1)
    moves = {queued.pair.docno: queued.moves for queued in queue.pairs}
    assert moves == pytest.approx(
        {
            "deep": 4 * 1,
            "wide": 7 / math.log2(4),
            "tied a": 2 / math.log2(3),
            "small": 1 / math.log2(4),
            "unranked": 0,
            "refused": 0,
            "unranked small": 0,
        }
    )
    assert order(queue) == [
        ("q1", "deep"),
        ("q1", "wide"),
        ("q2", "tied a"),
        ("q1", "small"),
        ("q1", "unranked"),
        ("q2", "refused"),
        ("q1", "unranked small"),
    ]


def test_equal_scores_rank_by_docno_as_every_measure_does(cast: Cast) -> None:
    lea = cast.person("lea")
    project = cast.project(lea)
    cast.run(project, "flat", {"q1": ["a", "b"]}, scores=[1.0, 1.0])
    with cast.database.session(writes=True) as session:
        judge(session, project, [*differ("q1", "a", 0, 1), *differ("q1", "b", 0, 1)])
        assert order(queue_of(session, seat_of(session, project, lea), 1)) == [("q1", "b"), ("q1", "a")]


def test_ties_go_by_the_bytes_of_qid_and_docno(cast: Cast) -> None:
    lea = cast.person("lea")
    project = cast.project(lea)
    docnos = ["é", "z", "Z", "a"]
    with cast.database.session(writes=True) as session:
        judge(
            session, project, [said for qid in ("q10", "q9") for docno in docnos for said in differ(qid, docno, 0, 1)]
        )
        found = order(queue_of(session, seat_of(session, project, lea), 1))
    assert found == [(qid, docno) for qid in ("q10", "q9") for docno in ("Z", "a", "z", "é")]


def test_the_projects_own_gain_counts(cast: Cast) -> None:
    lea = cast.person("lea")
    project = cast.project(lea, gain="table", gain_table=[0.0, 0.0, 1.0, 1.5])
    short = cast.project(lea, gain="table", gain_table=[0.0, 1.0])
    said = [*differ("q1", "no gain", 0, 1), *differ("q1", "some", 2, 3), *differ("q1", "most", 1, 2)]
    with cast.database.session(writes=True) as session:
        judge(session, project, said)
        found = order(queue_of(session, seat_of(session, project, lea), 1))
        assert found == [("q1", "most"), ("q1", "some"), ("q1", "no gain")]
        judge(session, short, said)
        with pytest.raises(RuleError, match="does not fit the rubric"):
            queue_of(session, seat_of(session, short, lea), 1)


def test_the_next_pair_is_open_not_ones_own_and_not_begun_by_another(cast: Cast) -> None:
    lea, leo = cast.person("lea"), cast.person("leo")
    project = cast.project(lea)
    cast.member(project, leo, "lead")
    said = [
        ("q1", "a own", "lea", 0),
        ("q1", "a own", "ben", 3),
        *differ("q1", "b", 0, 2),
        *differ("q1", "c", 0, 2),
        *differ("q1", "d", 0, 2),
    ]
    with cast.database.session(writes=True) as session:
        judge(session, project, said)
        mine, theirs = seat_of(session, project, lea), seat_of(session, project, leo)
        pairs = {queued.pair.docno: queued.pair.pair_id for queued in queue_of(session, mine, 1).pairs}
        assert following(session, mine, None) == "b"
        assert following(session, theirs, None) == "a own"
        grade_blind(session, theirs, pairs["b"], level=1, revision=0)
        assert following(session, mine, None) == "c"
        assert following(session, mine, pairs["c"]) == "d"
        assert following(session, mine, pairs["d"]) == "b"
        for docno in ("c", "d"):
            grade_blind(session, mine, pairs[docno], level=1, revision=0)
            decide(session, mine, pairs[docno], level=1, reason="So it is.", revision=1)
        assert following(session, mine, pairs["d"]) == "b"
        assert following(session, mine, pairs["b"]) is None
        queue = queue_of(session, mine, 1)
        assert (queue.decided, queue.own, len(queue.open)) == (2, 1, 1)
        assert count_decided(session, mine, 1) == (2, len(queue.pairs))


def following(session: Session, seat: object, pair_id: str | None) -> str | None:
    queued = queue_of(session, seat, 1).after(pair_id)  # type: ignore[arg-type]
    return queued.pair.docno if queued else None
