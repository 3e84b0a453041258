"""Pair lists and grades of named people, as people really keep them."""

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from app.formats.assignments import AssignmentLine, read_assignments
from app.formats.errors import FormatError
from app.formats.grades import NamedGrade, read_grades
from app.formats.pairs import PairLine, read_pairs
from app.formats.queries import read_queries


def grades(text: str, **options: object) -> list[NamedGrade]:
    return list(read_grades(io.BytesIO(text.encode()), "grades.csv", **options))  # type: ignore[arg-type]


def pairs(text: str, **options: object) -> list[PairLine]:
    return list(read_pairs(io.BytesIO(text.encode()), "pairs.csv", **options))  # type: ignore[arg-type]


def grades_of(path: Path, **options: object) -> list[NamedGrade]:
    with path.open("rb") as file:
        return list(read_grades(file, path.name, **options))  # type: ignore[arg-type]


def refusal(text: str, **options: object) -> str:
    with pytest.raises(FormatError) as caught:
        grades(text, **options)
    return str(caught.value)


# Grades


def test_a_wide_file_gives_each_persons_grades(shared_data: Path) -> None:
    found = grades_of(shared_data / "fira-dl19" / "double-judged.tsv")
    assert Counter(grade.labeller for grade in found) == {"nist": 2003, "fira": 2003}
    assert found[:2] == [NamedGrade("nist", "19335", "D109632", "2"), NamedGrade("fira", "19335", "D109632", "3")]


def test_long_and_wide_files_of_the_same_grades_agree(shared_data: Path) -> None:
    long = grades_of(shared_data / "chorus-ratings" / "judgements.long.csv")
    wide = grades_of(shared_data / "chorus-ratings" / "ratings.csv")
    assert len(long) == 9564
    assert set(long) == set(wide)


def test_the_caller_chooses_which_columns_are_people(shared_data: Path) -> None:
    path = shared_data / "chorus-ratings" / "ratings.csv"
    found = grades_of(path, people=["agent_2", "final"])
    assert Counter(grade.labeller for grade in found) == {"agent_2": 3188, "final": 3188}


def test_the_query_may_be_its_text_and_the_columns_may_hold_commas(shared_data: Path) -> None:
    path = shared_data / "chorus-products" / "Broad_Query_Set_individual_ratings.csv"
    found = grades_of(path)
    assert len(found) == 9564
    assert {grade.labeller for grade in found} == {"agent_1_rating", "agent_2_rating", "agent_3_rating"}
    assert len({grade.qid for grade in found}) == 135
    with (shared_data / "chorus-ratings" / "ratings.csv").open() as file:
        expected = {("agent_1_rating", row["query"], row["docid"], row["agent_1"]) for row in csv.DictReader(file)}
    assert expected == {(g.labeller, g.qid, g.docno, g.grade) for g in found if g.labeller == "agent_1_rating"}


def test_two_columns_of_a_search_code_set_are_two_people(shared_data: Path) -> None:
    found = grades_of(shared_data / "codesearchnet" / "pairs-judged-exactly-twice.tsv", qid="query", docno="url")
    assert Counter(grade.labeller for grade in found) == {"first": 720, "second": 720}


@pytest.mark.parametrize("labeller", ["labeller", "Labeler", "assessor", "rater", "annotator", "Assessor ID"])
@pytest.mark.parametrize(("qid", "docno"), [("qid", "docno"), ("query_id", "docid"), ("Query-ID", "doc_id")])
def test_headings_have_their_synonyms_in_any_order(labeller: str, qid: str, docno: str) -> None:
    text = f"grade,{docno},{labeller},{qid}\n2,d,Anna,q\n"
    assert grades(text) == [NamedGrade("Anna", "q", "d", "2")]


def test_unusual_headings_are_named_by_the_caller() -> None:
    text = "Frage;Dokument;Anna;Ben\nq;d;1;\n"
    assert "no heading that is known as" in refusal(text)
    assert grades(text, qid="Frage", docno="Dokument") == [NamedGrade("Anna", "q", "d", "1")]


def test_a_blank_cell_is_no_grade() -> None:
    assert grades("qid,docno,Anna,Ben\nq,d,1, \nq,e,,2\n") == [
        NamedGrade("Anna", "q", "d", "1"),
        NamedGrade("Ben", "q", "e", "2"),
    ]


def test_a_person_who_has_not_begun_is_not_left_out_unsaid() -> None:
    rows = "".join(f"q,d{i},1,{'3' if i > 300 else ''}\n" for i in range(400))
    found = grades("qid,docno,Anna,Ben\n" + rows)
    assert Counter(grade.labeller for grade in found) == {"Anna": 400, "Ben": 99}


def test_line_numbers_are_those_of_the_file_even_behind_line_ends_in_cells() -> None:
    text = 'qid,docno,note,Anna\nq,d,"two\nlines",1\nq,e,fine,2\nq,e,again,3\n'
    assert [(g.docno, g.line) for g in grades(text, people=["Anna"], on_problem=lambda _: None)] == [("d", 2), ("e", 4)]
    assert 'line 5: "Anna" gives the pair "q", "e" the grade "3" here and "2" on line 4' in refusal(text)


def test_the_same_grade_again_is_passed_over_and_told() -> None:
    told: list[tuple[int, int]] = []
    text = "labeller,qid,docno,grade\nAnna,q,d,1\nAnna,q,d,1\n"
    assert len(grades(text, on_repeat=lambda line, first: told.append((line, first)))) == 1
    assert told == [(3, 2)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("query,docid,rating\nq,d,1\n", "nobody knows whose grades these are"),
        ("q,d,1\n", "line 1: the first line has no heading"),
        ("labeller,qid,docno,grade\nAnna,q,d\n", "line 2: the line has 3 columns where 4 are expected"),
        ("labeller,qid,docno,grade\nAnna,,d,1\n", "line 2: the query is empty"),
        ("labeller,qid,docno,grade\nAnna,q,,1\n", "line 2: the document is empty"),
        ("labeller,qid,docno,grade\n,q,d,1\n", "line 2: the labeller is empty"),
        ('labeller,qid,docno,grade\nAnna,q,"d,1\n', "line 2: a cell that begins on this line is never closed"),
        ('labeller,qid,docno,grade\nAnna,q,"d"x,1\n', "line 2: a quotation mark stands inside a cell"),
        ("labeller,qid,docno,grade\nAnna,q,d\rx,1\n", "line 2: a carriage return stands inside"),
        ("qid,docno,Anna,Anna\nq,d,1,2\n", "more than one column is called"),
        ("labeller,qid,docno,grade\n", "the file holds no grades"),
        ("", "the file holds no grades"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(text: str, reason: str) -> None:
    message = refusal(text)
    assert reason in message


def test_a_column_that_is_not_there_is_refused() -> None:
    assert 'no column is called "Carl"' in refusal("qid,docno,Anna\nq,d,1\n", people=["Carl"])


# Pairs


def test_pair_lists_may_be_separated_in_four_ways() -> None:
    expected = [PairLine("q", "d"), PairLine("q", "e")]
    for delimiter in (",", "\t", ";", " ", "   "):
        assert pairs(f"q{delimiter}d\nq{delimiter}e\n") == expected
        assert pairs(f"query_id{delimiter}docid\nq{delimiter}d\nq{delimiter}e") == expected


def test_commas_inside_ids_do_not_separate(shared_data: Path) -> None:
    path = shared_data / "dbpedia-entity-v2" / "annotator_agreements.tsv"
    with path.open("rb") as file:
        found = list(read_pairs(file, path.name))
    assert len(found) == 49_280
    rows = [line.split("\t")[:2] for line in path.read_text().splitlines()[1:]]
    assert [[pair.qid, pair.docno] for pair in found] == rows
    assert any("," in pair.docno for pair in found)
    two_columns = "".join(f"{pair.qid} {pair.docno}\n" for pair in found)
    assert pairs(two_columns) == found


def test_extra_columns_are_left_out_where_a_heading_says_which_count(shared_data: Path) -> None:
    path = shared_data / "chorus-ratings" / "quepid-basic-export.csv"
    with path.open("rb") as file:
        found = list(read_pairs(file, path.name))
    assert len(found) == 207
    assert found[0] == PairLine("notebook", "1325549")


def test_cells_keep_their_commas_quotation_marks_and_line_ends(shared_data: Path) -> None:
    path = shared_data / "codesearchnet" / "annotationStore.csv"
    repeats: list[int] = []
    with path.open("rb") as file:
        found = list(read_pairs(file, path.name, on_repeat=lambda line, _: repeats.append(line)))
    with path.open(newline="") as file_again:
        expected = {(row["Query"], row["GitHubUrl"]) for row in csv.DictReader(file_again)}
    assert {(pair.qid, pair.docno) for pair in found} == expected
    assert len(found) + len(repeats) == 4006
    assert any("#L" in pair.docno for pair in found)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("q,d,1\nq,e,1\n", "line 1: the line has 3 columns and no heading"),
        ("q,d\nq,e,f\n", "line 2: the line has 3 columns where 2 are expected"),
        ("q,d\nq,\n", "line 2: the document is empty"),
        ("q,d\n,d\n", "line 2: the query is empty"),
        ("q\nr\n", "line 1: the line has 1 column and no heading"),
        ("qid,docno\n", "the file holds no pairs"),
        ("", "the file holds no pairs"),
    ],
)
def test_a_faulty_pair_list_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        pairs(text)
    assert reason in str(caught.value)


def test_pairs_that_come_again_are_given_once() -> None:
    told: list[tuple[int, int]] = []
    assert pairs("q,d\nq,e\nq,d\n") == [PairLine("q", "d"), PairLine("q", "e")]
    pairs("q,d\nq,e\nq,d\n", on_repeat=lambda line, first: told.append((line, first)))
    assert told == [(3, 1)]


def test_a_heading_that_names_no_document_is_refused() -> None:
    with pytest.raises(FormatError, match='line 1: the heading has no column that is known as "docno"'):
        pairs("qid,thing\nq,d\n", has_header=True)


def test_an_unknown_delimiter_or_layout_is_refused() -> None:
    with pytest.raises(FormatError, match="is no delimiter"):
        pairs("q|d\n", delimiter="|")
    assert '"diagonal" is no layout of grades' in refusal("qid,docno,Anna\nq,d,1\n", layout="diagonal")


def test_pairs_by_unusual_headings() -> None:
    assert pairs("Frage,Dokument\nq,d\n", qid="Frage", docno="Dokument") == [PairLine("q", "d")]


# A first line that names the delimiter


@pytest.mark.parametrize("named", ["sep=;", '"sep=;"', "SEP=;\r"])
def test_a_first_line_as_excel_writes_it_names_the_delimiter(named: str) -> None:
    assert pairs(f"{named}\nqid;docno\nq1;d1\n") == [PairLine("q1", "d1")]
    assert pairs(f"{named}\nq1;d1\n")[0].line == 2
    assert grades(f"{named}\nqid;docno;ann\nq1;d,1;2\n") == [NamedGrade("ann", "q1", "d,1", "2")]
    asked = read_assignments(io.BytesIO(f"{named}\nqid;docno;labeller\nq1;d1;ann\n".encode()), "who.csv")
    assert list(asked) == [AssignmentLine("q1", "d1", "ann")]
    queries = read_queries(io.BytesIO(f"{named}\nqid;text\nq1;red, blue\n".encode()), "queries.csv")
    assert [(query.qid, query.text, query.line) for query in queries] == [("q1", "red, blue", 3)]


def test_a_tab_can_be_named_and_what_is_no_delimiter_is_refused() -> None:
    assert pairs("sep=\t\nq1\td1\n") == [PairLine("q1", "d1")]
    queries = read_queries(io.BytesIO(b"sep=\t\nq1\tred, blue\n"), "queries.csv")
    assert [query.text for query in queries] == ["red, blue"]
    assert "is no delimiter" in refusal("sep=|\nqid|docno|ann\nq1|d1|2\n")


def test_a_delimiter_that_is_chosen_counts_more_than_the_first_line_s() -> None:
    assert pairs("sep=,\nq1;d1\n", delimiter=";") == [PairLine("q1", "d1")]
