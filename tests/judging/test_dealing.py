"""Opening a round, on both databases."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import and_, select

from app.corpora.models import Document, Query
from app.db import now
from app.errors import FieldError, RuleError
from app.judging.models import Assignment, Deal, Round
from app.people.models import Person
from app.pools.models import Pair
from app.projects.models import Member
from tests.make import Cast

POOL = {f"q{number:02}": [f"d{number:02}-{each}" for each in range(3 + number % 4)] for number in range(12)}


class Scene:
    """A project with a rubric, two labellers and a pool."""

    def __init__(self, cast: Cast, labellers: Sequence[str] = ("ben", "cleo")) -> None:
        self.cast = cast
        self.lead = cast.person("ana")
        self.project = cast.project(self.lead)
        self.rubric = cast.rubric(self.project)
        self.labellers = [cast.member(self.project, cast.person(name), "labeller") for name in labellers]
        self.pool = cast.pool(self.project, POOL)

    def round(self, labellers: Sequence[str] | None = None, **more: object) -> str:
        return self.cast.round(self.project, self.pool, self.labellers if labellers is None else labellers, **more)

    def dealt(self, round_id: str) -> dict[str, list[tuple[str, int]]]:
        """qid: labeller and seat."""
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Query.qid, Deal.labeller_id, Deal.seat)
                .join(Deal, and_(Deal.project_id == Query.project_id, Deal.query_id == Query.id))
                .where(Deal.round_id == round_id)
                .order_by(Query.qid, Deal.seat)
            )
            found = defaultdict[str, list[tuple[str, int]]](list)
            for qid, labeller, seat in rows:
                found[qid].append((labeller or "free", seat))
            return dict(found)

    def order(self, round_id: str, labeller: str) -> list[tuple[str, str]]:
        """qid and docno as the labeller sees them."""
        with self.cast.database.session(writes=False) as session:
            rows = session.execute(
                select(Query.qid, Document.docno)
                .select_from(Assignment)
                .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
                .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
                .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
                .where(Assignment.round_id == round_id, Assignment.labeller_id == labeller)
                .order_by(Assignment.place)
            )
            return [(qid, docno) for qid, docno in rows]


def test_an_agreement_round_gives_whole_queries_to_two_labellers(cast: Cast) -> None:
    scene = Scene(cast)
    round_id = scene.round(queries=5)
    dealt = scene.dealt(round_id)
    assert len(dealt) == 5
    assert all([seat for _, seat in seats] == [1, 2] for seats in dealt.values())
    for labeller in scene.labellers:
        seen = scene.order(round_id, labeller)
        assert sorted(seen) == sorted((qid, docno) for qid in dealt for docno in POOL[qid])


def test_one_query_is_finished_before_the_next_and_orders_differ(cast: Cast) -> None:
    scene = Scene(cast)
    round_id = scene.round()
    first, second = (scene.order(round_id, labeller) for labeller in scene.labellers)
    assert first != second
    for seen in (first, second):
        queries = [qid for qid, _ in seen]
        assert sum(one != next_ for one, next_ in pairwise(queries)) == len(POOL) - 1
        assert [docno for _, docno in seen] != sorted(docno for _, docno in seen)


def test_the_stated_seed_draws_the_same_again_in_another_installation(cast: Cast) -> None:
    one, other = Scene(cast), Scene.__new__(Scene)
    other.cast, other.lead = cast, cast.person("zoe")
    other.project = cast.project(other.lead)
    cast.rubric(other.project)
    with cast.database.session(writes=True) as session:
        people = {name: session.scalars(select(Person.id).where(Person.name == name)).one() for name in ("ben", "cleo")}
    other.labellers = [cast.member(other.project, people[name], "labeller") for name in ("ben", "cleo")]
    other.pool = cast.pool(other.project, POOL)
    first, second = one.round(queries=5, seed=11), other.round(queries=5, seed=11)
    assert list(one.dealt(first)) == list(other.dealt(second))
    assert one.order(first, one.labellers[0]) == other.order(second, other.labellers[0])
    assert list(Scene.dealt(one, one.round(queries=5, seed=12))) != list(one.dealt(first))


def test_the_same_question_under_another_id_is_not_fresh(cast: Cast) -> None:
    scene = Scene(cast)
    scene.round(queries=["q03"])
    with cast.database.session(writes=True) as session:
        texts = select(Query).where(Query.project_id == scene.project, Query.qid.in_(["q03", "q04"]))
        first, second = session.scalars(texts.order_by(Query.qid))
        second.text, second.description, second.narrative = f"{first.text} ".upper(), first.description, first.narrative
    with pytest.raises(FieldError, match=r"not fresh any more.* under this id or another: q04"):
        scene.round(queries=["q04", "q05"])


def test_four_labellers_all_meet_each_other(cast: Cast) -> None:
    scene = Scene(cast, ("ben", "cleo", "dan", "eve"))
    couples = Counter(frozenset(who for who, _ in seats) for seats in scene.dealt(scene.round()).values())
    assert len(couples) == 6
    assert set(couples.values()) == {2}


def test_chosen_queries_are_taken_and_wrong_ones_named(cast: Cast) -> None:
    scene = Scene(cast)
    assert list(scene.dealt(scene.round(queries=["q03", "q01"]))) == ["q01", "q03"]
    with pytest.raises(FieldError, match="not in this pool: nowhere"):
        scene.round(queries=["q02", "nowhere"])
    with pytest.raises(FieldError, match=r"not fresh any more.*: q03"):
        scene.round(queries=["q02", "q03"])
    with pytest.raises(FieldError, match="No query is chosen"):
        scene.round(queries=[])


def test_only_fresh_queries_are_drawn_until_none_is_left(cast: Cast) -> None:
    scene = Scene(cast)
    first, second = scene.dealt(scene.round(queries=7)), scene.dealt(scene.round(queries=7))
    assert len(first) == 7
    assert len(second) == 5
    assert not set(first) & set(second)
    with pytest.raises(RuleError, match="no fresh query left"):
        scene.round(queries=1)


def test_the_next_family_is_tested_on_queries_that_the_last_was_not_mended_on(cast: Cast) -> None:
    scene = Scene(cast)
    first = scene.dealt(scene.round(queries=7))
    cast.rubric(scene.project, instructions="Mended.")
    second = scene.dealt(scene.round())
    assert set(second) == set(POOL) - set(first)
    main = scene.dealt(scene.round(kind="main", is_warned=True))
    assert set(main) == set(first)


def test_the_main_round_takes_what_is_left_and_overlaps(cast: Cast) -> None:
    scene = Scene(cast)
    first = scene.dealt(scene.round(queries=2))
    round_id = scene.round(kind="main", overlap=0.3, is_warned=True)
    dealt = scene.dealt(round_id)
    assert set(dealt) == set(POOL) - set(first)
    assert sum(len(seats) == 2 for seats in dealt.values()) == 3
    assert all(len(seats) in (1, 2) for seats in dealt.values())
    with pytest.raises(RuleError, match="dealt already"):
        scene.round(kind="main", is_warned=True)


def test_the_main_round_waits_for_the_gate_or_for_a_lead_who_was_warned(cast: Cast) -> None:
    scene = Scene(cast)
    for answer in (None, "failed", "not enough evidence", "undefined"):
        with pytest.raises(RuleError, match="may have to be judged again"):
            scene.round(kind="main", gate_answer=answer)
    assert scene.dealt(scene.round(kind="main", gate_answer="passed"))


def test_the_first_round_freezes_the_policy(cast: Cast) -> None:
    scene = Scene(cast)
    assert cast.see_project(scene.project).policy_frozen_at is None
    scene.round(queries=2)
    frozen_at = cast.see_project(scene.project).policy_frozen_at
    assert frozen_at is not None
    scene.round(queries=2)
    assert cast.see_project(scene.project).policy_frozen_at == frozen_at


def test_placeholders_are_not_dealt(cast: Cast) -> None:
    scene = Scene(cast)
    scene.pool = cast.pool(scene.project, {"p1": ["no-text-1", "no-text-2", "d00-1"]})
    with pytest.raises(RuleError, match="2 pairs can’t be judged") as refused:
        scene.round()
    assert refused.value.details["pairs"] == ["p1 no-text-1", "p1 no-text-2"]
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Round)).all() == []


def test_a_round_needs_a_published_rubric(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    people = [cast.member(project, cast.person(name), "labeller") for name in ("ben", "cleo")]
    with pytest.raises(RuleError, match="No rubric is published"):
        cast.round(project, cast.pool(project, POOL), people)


def test_only_members_with_an_account_who_may_label_are_dealt_anything(cast: Cast) -> None:
    scene = Scene(cast)
    reader = cast.member(scene.project, cast.person("rea"), "reader")
    elsewhere = Scene.__new__(Scene)
    elsewhere.project = cast.project(cast.person("zoe"))
    stranger = cast.member(elsewhere.project, cast.person("sam"), "labeller")
    gone, disabled = cast.member(scene.project, cast.person("gus"), "labeller"), cast.person("dot")
    member_of_disabled = cast.member(scene.project, disabled, "labeller")
    with cast.database.session(writes=True) as session:
        outsider = Member(project_id=scene.project, name="Rater 1", role="labeller")
        session.add(outsider)
        session.get_one(Member, (scene.project, gone)).left_at = now()
        session.get_one(Person, disabled).disabled_at = now()
        session.flush()
        outsider_id = outsider.id
    for who in (reader, stranger, gone, member_of_disabled, outsider_id, "nobody"):
        with pytest.raises(FieldError, match=f"“{who}” is not the id of a member who can label here"):
            scene.round([scene.labellers[0], who])


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"labellers": 1}, "labellers"),
        ({"labellers": 0}, "labellers"),
        ({"queries": 0}, "queries"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**31}, "seed"),
        ({"kind": "main", "is_warned": True, "overlap": 1.1}, "overlap"),
        ({"kind": "main", "is_warned": True, "overlap": 0.1, "labellers": 1}, "overlap"),
        ({"kind": "main", "is_warned": True, "labellers": 0}, "labellers"),
    ],
)
def test_what_a_round_can_not_be_is_said_at_its_field(cast: Cast, more: dict[str, Any], field: str) -> None:
    scene = Scene(cast)
    wanted = {"labellers": 2} | more
    with pytest.raises(FieldError) as refused:
        scene.round(scene.labellers[: wanted.pop("labellers")], **wanted)
    assert refused.value.field == field
