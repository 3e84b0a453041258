"""Grades of named people as an imported round."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.metrics import cohen_kappa_score
from sqlalchemy import func, select

from app.corpora.models import Document, Query
from app.judging.models import Assignment, Deal, Grade, Round
from app.judging.queries import newest
from app.pools.models import Pair, Pool
from app.projects.models import Member
from tests.corpora.handing import Desk, sit_down
from tests.make import LEVELS, Cast

MAKE = {"placeholders": "make"}
WIDE = b"query_id,docid,nist,fira\nq1,d1,2,3\nq1,d2,0,0\nq2,d1,1,\n"
LONG = b"labeller,qid,docno,grade\nnist,q1,d1,2\nfira,q1,d1,3\nnist,q1,d2,0\nfira,q1,d2,0\nnist,q2,d1,1\n"


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """A lead with a published rubric of levels 0 to 3."""
    desk = sit_down(cast)
    cast.rubric(desk.project)
    return desk


class Row(NamedTuple):
    """A grade as it lies in the database."""

    qid: str
    docno: str
    name: str
    level: int | None
    seat: int


def grades(desk: Desk) -> list[Row]:
    """By qid, docno and name."""
    with desk.cast.database.session(writes=False) as session:
        rows = session.execute(
            select(Query.qid, Document.docno, Member.name, Grade.level, Deal.seat)
            .select_from(Assignment)
            .join(Grade, newest(Grade, Assignment))
            .join(Deal, Deal.id == Assignment.deal_id)
            .join(Member, Member.id == Assignment.labeller_id)
            .join(Pair, Pair.id == Assignment.pair_id)
            .join(Query, Query.id == Pair.query_id)
            .join(Document, Document.id == Pair.document_id)
        )
        return sorted(Row._make(row) for row in rows)


def count(desk: Desk, table: type) -> int:
    with desk.cast.database.session(writes=False) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_real_double_judgments_come_in_as_a_closed_round(desk: Desk, shared_data: Path) -> None:
    taken = desk.brought_in("grades", shared_data / "fira-dl19" / "double-judged.tsv", MAKE)
    assert (
        taken["counts"] | {"new": 4006, "pairs": 2003, "twice": 2003, "queries": 43, "labellers": 2} == taken["counts"]
    )
    rows = grades(desk)
    levels = {name: {row[:2]: row.level for row in rows if row.name == name} for name in ("fira", "nist")}
    assert levels["fira"].keys() == levels["nist"].keys()
    assert len({row.qid for row in rows}) == 43
    couple = [[levels[name][pair] for pair in sorted(levels["fira"])] for name in ("fira", "nist")]
    kappa = cohen_kappa_score(*couple, labels=[0, 1, 2, 3], weights="linear")
    assert round(kappa, 6) == 0.080197
    with desk.cast.database.session(writes=False) as session:
        round_ = session.scalars(select(Round)).one()
        assert (round_.kind, round_.overlap, round_.closed_at is not None) == ("imported", 1.0, True)
        members = session.scalars(select(Member).where(Member.person_id.is_(None)).order_by(Member.name)).all()
        assert [(each.name, each.role) for each in members] == [("fira", "labeller"), ("nist", "labeller")]
        assert session.scalars(select(Pool.source)).all() == ["grades"]
        assert all(session.scalars(select(Document.is_placeholder)))
    page = desk.browser.get(f"/projects/{desk.project}/rounds/{round_.id}").text
    assert "all of 4,006 grades" in page
    again = desk.refused("grades", shared_data / "fira-dl19" / "double-judged.tsv", MAKE)
    assert "every grade of it is here already" in again["sentence"]
    assert count(desk, Round) == 1


@pytest.mark.parametrize("content", [WIDE, LONG])
def test_long_and_wide_files_are_the_same_round(desk: Desk, content: bytes) -> None:
    taken = desk.brought_in("grades", content, MAKE)
    assert taken["counts"]["new"] == 5
    assert taken["counts"]["twice"] == 2
    assert grades(desk) == [
        ("q1", "d1", "fira", 3, 2),
        ("q1", "d1", "nist", 2, 1),
        ("q1", "d2", "fira", 0, 2),
        ("q1", "d2", "nist", 0, 1),
        ("q2", "d1", "nist", 1, 1),
    ]
    with desk.cast.database.session(writes=False) as session:
        assert session.scalars(select(Round.overlap)).one() == 0.5
        assert set(session.scalars(select(Grade.origin))) == {"import"}


def test_a_look_writes_nothing_and_says_who_is_who(desk: Desk) -> None:
    desk.cast.member(desk.project, desk.cast.person("nist"), "labeller")
    seen = desk.send("grades", WIDE, MAKE, dry_run=True).json()
    assert seen["counts"]["new"] == 5
    assert "nist: the member of that name." in seen["notes"]
    assert "fira: a new labeller without account." in seen["notes"]
    assert [count(desk, table) for table in (Round, Deal, Assignment, Grade, Query, Document)] == [0] * 6
    preview = desk.browser.get(desk.hand_in("grades", WIDE, MAKE))
    assert preview.status_code == 200
    assert "fira: a new labeller without account." in preview.text


@pytest.mark.parametrize("whole", ["{:.1f}", "{}", "{}."])
def test_whoever_has_a_column_that_a_spreadsheet_wrote_with_points_is_a_person_too(desk: Desk, whole: str) -> None:
    """It does so where a cell of the column is blank; the others' columns stay as they were."""
    lines = ["qid,docno,ann,bob,mean,cem"]
    lines += [f"q{at % 4},d{at},{at % 4},{(at + 1) % 4},{at % 4 + 0.5},{whole.format(at % 3)}" for at in range(40)]
    lines += ["q0,blank,1,1,1.5,"]
    seen = desk.send("grades", "\n".join(lines).encode(), MAKE).json()
    assert seen["recognised"]["people"] == ["ann", "bob", "cem"]
    assert (seen["counts"]["new"], seen["counts"]["labellers"]) == (122, 3)
    assert "left out: mean" in seen["recognised"]["notes"]


def test_a_look_counts_the_pairs_that_one_of_two_left_blank(desk: Desk) -> None:
    content = b"qid,docno,ann,bob,bot\nq1,d1,2,3,1\nq1,d2,0,,1\nq1,d3,,1,\nq1,d4,,,2\nq1,d5,0,,1\nq2,d1,1,,\n"
    said = "3 pairs have one grade in queries that two people graded: kappa leaves them out"
    for chosen, pairs in ((MAKE, said.replace("3 pairs", "2 pairs")), (MAKE | {"kinds": "bot=machine"}, said)):
        seen = desk.send("grades", content, chosen, dry_run=True).json()
        assert pairs in " ".join(seen["notes"])
    assert "one grade in" not in " ".join(desk.send("grades", WIDE, MAKE, dry_run=True).json()["notes"])


def test_a_name_that_a_member_bears_is_that_member(desk: Desk) -> None:
    member = desk.cast.member(desk.project, desk.cast.person("nist"), "labeller")
    desk.brought_in("grades", WIDE, MAKE)
    with desk.cast.database.session(writes=False) as session:
        assert session.scalars(select(Member.id).where(Member.name == "nist")).one() == member


def test_three_people_may_have_graded_a_pair(desk: Desk) -> None:
    desk.brought_in("grades", b"qid,docno,ann,bob,cem\nq1,d1,1,2,3\n", MAKE)
    assert [(row.name, row.level, row.seat) for row in grades(desk)] == [("ann", 1, 1), ("bob", 2, 2), ("cem", 3, 3)]


def test_unknown_queries_and_documents_are_named_unless_placeholders_are_wanted(desk: Desk) -> None:
    refused = desk.refused("grades", WIDE)
    reasons = [problem["reason"] for problem in refused["details"]["problems"]]
    assert 'there is no query "q1"' in reasons
    assert 'there is no document "d2"' in reasons
    assert count(desk, Query) == 0
    desk.brought_in("queries", b"q1\tred shoes\nq2\tblue shoes\n")
    desk.brought_in("documents", b'{"id": "d1", "text": "Red."}\n{"id": "d2", "text": "Blue."}\n')
    assert desk.brought_in("grades", WIDE)["counts"]["new_documents"] == 0


@pytest.mark.parametrize(
    ("grade", "level"), [("2", 2), ("2.0", 2), ("+1", 1), ("4", None), ("-1", None), ("2.5", None), ("high", None)]
)
def test_a_grade_is_a_level_of_the_rubric_or_refused_with_its_line(desk: Desk, grade: str, level: int | None) -> None:
    content = f"labeller,qid,docno,grade\nann,q1,d1,1\nann,q1,d2,{grade}\n".encode()
    if level is None:
        refused = desk.refused("grades", content, MAKE)
        assert refused["details"]["line"] == 3
        assert "is no level of rubric 1" in refused["sentence"]
        assert count(desk, Grade) == 0
    else:
        desk.brought_in("grades", content, MAKE)
        with desk.cast.database.session(writes=False) as session:
            assert Counter(session.scalars(select(Grade.level))) == Counter([1, level])


def test_what_is_here_stays_and_only_the_rest_comes_in(desk: Desk) -> None:
    desk.brought_in("grades", WIDE, MAKE)
    more = desk.brought_in("grades", WIDE + b"q3,d9,1,1\n", MAKE)
    assert (more["counts"]["new"], more["counts"]["same"]) == (2, 5)
    assert count(desk, Round) == 2
    other = desk.refused("grades", WIDE.replace(b"q1,d1,2,3", b"q1,d1,2,1"), MAKE)
    assert '"fira" was asked for the pair "q1", "d1" in round 1' in other["sentence"]


def test_grades_need_a_published_rubric(cast: Cast) -> None:
    refused = sit_down(cast).refused("grades", WIDE, MAKE, status=409)
    assert "No rubric is published" in refused["sentence"]


def test_an_imported_round_freezes_the_policy_and_is_not_reopened(desk: Desk) -> None:
    desk.brought_in("grades", WIDE, MAKE)
    assert desk.cast.see_project(desk.project).policy_frozen_at is not None
    with desk.cast.database.session(writes=False) as session:
        round_id = session.scalars(select(Round.id)).one()
    refused = desk.script.delete(f"/api/v1/projects/{desk.project}/rounds/{round_id}/closure")
    assert refused.status_code == 409


def test_queries_of_an_imported_round_are_not_dealt_again_in_the_family(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\nq2\tblue shoes\nq3\tgreen shoes\n")
    desk.brought_in("documents", b'{"id": "d1", "text": "Red."}\n{"id": "d2", "text": "Blue."}\n')
    desk.brought_in("grades", WIDE)
    pool = desk.cast.pool(desk.project, {"q1": ["d1"], "q3": ["d2"]})
    members = [desk.cast.member(desk.project, desk.cast.person(name), "labeller") for name in ("ben", "cleo")]
    round_id = desk.cast.round(desk.project, pool, members)
    with desk.cast.database.session(writes=False) as session:
        dealt = session.scalars(
            select(Query.qid).join(Deal, Deal.query_id == Query.id).where(Deal.round_id == round_id)
        )
        assert Counter(dealt) == {"q3": 2}


def test_another_scale_takes_its_own_levels(cast: Cast) -> None:
    desk = sit_down(cast)
    cast.rubric(desk.project, levels=LEVELS[:2])
    assert "which has 0 to 1" in desk.refused("grades", WIDE, MAKE)["sentence"]


WORDED = b"labeller,qid,docno,grade\nJ. Smith,q1,d1,perfect\nJ. Smith,q1,d2,bad\noutsider,q1,d1,3\noutsider,q1,d2,0\n"
SAYS: dict[str, str | list[str]] = {"names": ["J. Smith=jane"], "levels": ["perfect=3", "bad=0"]}


def test_the_files_names_and_levels_are_what_the_lead_says_they_are(desk: Desk) -> None:
    member = desk.cast.member(desk.project, desk.cast.person("jane"), "labeller")
    preview = desk.browser.get(desk.hand_in("grades", WORDED, MAKE))
    for text in ('value="J. Smith=jane"', 'value="perfect=3"', "Who is who", "Which level is which", "no level yet"):
        assert text in preview.text
    assert "“Which level is which”" in desk.refused("grades", WORDED, MAKE)["way_out"]
    taken = desk.brought_in("grades", WORDED, {**MAKE, **SAYS})
    assert taken["counts"]["labellers"] == 2
    assert [(row.docno, row.name, row.level) for row in grades(desk)] == [
        ("d1", "jane", 3),
        ("d1", "outsider", 3),
        ("d2", "jane", 0),
        ("d2", "outsider", 0),
    ]
    with desk.cast.database.session(writes=False) as session:
        assert session.scalars(select(Member.id).where(Member.name == "jane")).one() == member
        assert session.scalars(select(Member.id).where(Member.name == "J. Smith")).all() == []


def test_a_word_may_say_that_nothing_could_be_judged_or_that_nothing_was_graded(desk: Desk) -> None:
    content = b"qid,docno,ann,bob\nq1,d1,2,1\nq1,d2,n/a,2\nq2,d1,broken link,0\nq2,d2,1,n/a\n"
    assert "or why there is none" in desk.refused("grades", content, MAKE)["way_out"]
    says: dict[str, str | list[str]] = {"levels": ["n/a=blank", "broken link=unjudgeable"]}
    preview = desk.browser.get(desk.hand_in("grades", content, MAKE), params={**MAKE, **says}).text
    assert 'value="n/a=blank" selected' in preview
    assert "2 pairs have one grade in queries that two people graded" in preview
    desk.brought_in("grades", content, {**MAKE, **says})
    with desk.cast.database.session(writes=False) as session:
        assert Counter(session.execute(select(Grade.level, Grade.reason)).all()) == {
            (2, None): 2,
            (1, None): 2,
            (0, None): 1,
            (None, "other"): 1,
        }
    agreement = desk.script.get(f"/api/v1/projects/{desk.project}/agreement").json()
    assert agreement["pairs"] == 1
    again = desk.refused("grades", content, {**MAKE, **says})
    assert "every grade of it is here already" in again["sentence"]
    other = desk.refused("grades", b"labeller,qid,docno,grade\nann,q1,d1,broken link\n", {**MAKE, **says})
    assert '"ann" was asked for the pair "q1", "d1"' in other["sentence"]


def test_who_is_a_machine_is_said_in_one_word(desk: Desk) -> None:
    refused = desk.refused("grades", WORDED, {**MAKE, **SAYS, "kinds": ["outsider=machin"]})
    assert (refused["sentence"], refused["way_out"]) == (
        "file.txt: “Who is a machine” is said of machines only. Nothing was brought in.",
        "Write name=machine; whoever is none needs no word.",
    )


@pytest.mark.parametrize("choice", ["names=Bot=jane", "levels=7=1", "kinds=Bot=machine"])
def test_what_is_said_of_a_word_that_stands_nowhere_is_refused(desk: Desk, choice: str) -> None:
    name, _, value = choice.partition("=")
    refused = desk.refused("grades", WIDE, {**MAKE, name: [value]})
    assert "tells of a word that stands nowhere in the file" in refused["sentence"]
    assert count(desk, Grade) == 0


def test_a_word_that_stands_for_two_things_is_refused(desk: Desk) -> None:
    refused = desk.refused("grades", WIDE, {**MAKE, "levels": ["1=2", "1=blank"]})
    assert "“1” was said to be “2” and “blank”" in refused["sentence"]


def test_pairs_that_nobody_graded_are_told(desk: Desk) -> None:
    content = b"qid,docno,ann,ben\nq1,d1,1,2\nq1,d2,,\nq1,d3,n/a,n/a\nq1,d4,2,2\n"
    notes = desk.brought_in("grades", content, {**MAKE, "levels": ["n/a=blank"]})["notes"]
    assert "2 pairs have no grade at all, and stay out." in notes


def test_a_file_whose_every_word_is_an_empty_cell_makes_no_round(desk: Desk) -> None:
    content = b"labeller,qid,docno,grade\nann,q1,d1,n/a\n"
    refused = desk.refused("grades", content, {**MAKE, "levels": ["n/a=blank"]})
    assert "every grade of it is taken for an empty cell" in refused["sentence"]
    assert count(desk, Round) == 0


def test_names_that_differ_in_capitals_only_are_pointed_out_and_can_be_made_one(desk: Desk) -> None:
    content = b"labeller,qid,docno,grade\nAnna,q1,d1,1\nanna,q1,d2,2\nben,q1,d1,2\n"
    preview = desk.browser.get(desk.hand_in("grades", content, MAKE)).text
    assert "“Anna” and “anna” are different people here" in preview
    assert 'value="anna=Anna"' in preview
    desk.brought_in("grades", content, {**MAKE, "names": ["anna=Anna"]})
    assert {row.name for row in grades(desk)} == {"Anna", "ben"}


def test_a_line_that_comes_again_is_one_grade_whatever_its_words_stand_for(desk: Desk) -> None:
    """What the lead says of a word must not make the same line another."""
    desk.brought_in("grades", WORDED + b"J. Smith,q1,d1,perfect\n", {**MAKE, **SAYS})
    assert len(grades(desk)) == 4
    assert [row.level for row in grades(desk) if row.name == "jane" and row.docno == "d1"] == [3]
    refused = desk.refused("grades", WORDED + b"J. Smith,q1,d1,bad\n", {**MAKE, **SAYS})
    assert "gives the pair" in refused["sentence"]


def test_what_was_chosen_on_the_preview_is_what_is_brought_in(desk: Desk) -> None:
    desk.cast.member(desk.project, desk.cast.person("jane"), "labeller")
    where = desk.hand_in("grades", WORDED, MAKE)
    seen = desk.browser.get(where, params={**MAKE, **SAYS}).text
    assert "<b>4 new</b>" in seen
    assert 'value="J. Smith=jane" selected' in seen
    assert seen.count('type="hidden" name="levels"') == 2
    assert desk.browser.post(where, data={**MAKE, **SAYS}).status_code == 303
    assert {row.name for row in grades(desk)} == {"jane", "outsider"}


def test_two_of_the_files_names_are_one_person_only_where_they_graded_other_pairs(desk: Desk) -> None:
    one: dict[str, str | list[str]] = {"names": ["nist=ann", "fira=ann"]}
    assert "twice, under two names" in desk.refused("grades", WIDE, {**MAKE, **one})["sentence"]
    apart = b"labeller,qid,docno,grade\nnist,q1,d1,2\nfira,q1,d2,3\n"
    desk.brought_in("grades", apart, {**MAKE, **one})
    assert {row.name for row in grades(desk)} == {"ann"}
    assert "theirs=ours" in desk.refused("grades", WIDE, {**MAKE, "names": ["nist"]})["way_out"]


def test_real_grades_that_name_queries_by_their_texts_find_them(desk: Desk, shared_data: Path) -> None:
    folder = shared_data / "chorus-products"
    ratings = folder / "Broad_Query_Set_individual_ratings.csv"
    desk.brought_in("queries", folder / "topics.tsv")
    people = ["agent_1_rating", "agent_2_rating", "agent_3_rating"]
    taken = desk.brought_in("grades", ratings, {**MAKE, "people": people})
    assert "135 queries were found by their texts." in taken["notes"]
    assert (taken["counts"]["queries"], taken["counts"]["new_queries"]) == (135, 0)
    assert count(desk, Query) == 135
    assert {row.qid for row in grades(desk)} == {f"c{number:03}" for number in range(1, 136)}


def test_a_text_is_compared_without_its_blanks_and_capitals_and_an_id_goes_first(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred  Shoes\nq2\tred shoes and socks\nred\tq1\n")
    named = b"query,docid,ann\nRED shoes,d1,1\nq2,d1,2\nq1,d2,3\n"
    taken = desk.brought_in("grades", named, MAKE)
    assert "1 query was found by its text." in taken["notes"]
    assert [row[:4] for row in grades(desk)] == [
        ("q1", "d1", "ann", 1),
        ("q1", "d2", "ann", 3),
        ("q2", "d1", "ann", 2),
    ]


def test_a_text_of_several_queries_names_none_of_them(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\nq2\tRed shoes\n")
    refused = desk.refused("grades", b"query,docid,ann\nred shoes,d1,1\nred shoes,d2,1\n", MAKE)
    (problem,) = refused["details"]["problems"]
    assert (problem["line"], problem["reason"]) == (2, '2 queries have the text "red shoes": q1, q2')
    assert refused["way_out"] == "Name the query by its id."


def test_a_pair_that_is_graded_under_text_and_id_is_graded_twice(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tred shoes\n")
    refused = desk.refused("grades", b"query,docid,ann\nq1,d1,1\nred shoes,d1,1\n", MAKE)
    assert "line 3" in refused["sentence"]
    assert "twice, under two words for the query" in refused["sentence"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"red shoes,d1,1", 'the query id "red shoes" holds a blank'),
        (b"#q1,d1,1", 'the query id "#q1" begins with #'),
        (b"q1,d 1,1", 'the document id "d 1" holds a blank'),
        (b"q1," + b"d" * 1001 + b",1", "is longer than 1,000 bytes"),
    ],
)
def test_no_placeholder_is_made_that_no_qrels_file_could_hold(desk: Desk, line: bytes, reason: str) -> None:
    content = b"query,docid,ann\nq1,d1,1\n" + line + b"\n"
    refused = desk.refused("grades", content, MAKE)
    (problem,) = refused["details"]["problems"]
    assert problem["line"] == 3
    assert reason in problem["reason"]
    assert "another id" in refused["way_out"]
    assert desk.send("grades", content, MAKE, dry_run=True).status_code == 422
    assert (count(desk, Query), count(desk, Document)) == (0, 0)


def test_a_text_that_differs_in_a_sign_is_another(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\tsize 4.5\n")
    refused = desk.refused("grades", b"query,docid,ann\nsize 45,d1,1\n")
    assert refused["details"]["problems"][0]["reason"] == 'there is no query "size 45"'
