"""Qrels: the field's own files, what is refused and why, and that what is written is read back."""

import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.errors import FormatError
from app.formats.ids import fault_of_id, fault_of_qid
from app.formats.qrels import Judgment, read_qrels, write_qrels


def read(text: str, **options: object) -> list[Judgment]:
    return list(read_qrels(io.BytesIO(text.encode()), "qrels.txt", **options))  # type: ignore[arg-type]


def refusal(text: str) -> str:
    with pytest.raises(FormatError) as caught:
        read(text)
    return str(caught.value)


def of_file(path: Path) -> list[Judgment]:
    with path.open("rb") as file:
        return list(read_qrels(file, path.name))


def refusal_of_file(path: Path) -> FormatError:
    with pytest.raises(FormatError) as caught:
        of_file(path)
    return caught.value


@pytest.mark.parametrize(
    ("file", "grades"),
    [
        ("liveqa-med/qrels.txt", {0: 290, 1: 117, 2: 56, 3: 50}),
        ("chorus-ratings/qrels.final.txt", None),
        ("fira-dl19/fira-docs-max.qrels.txt", None),
        ("fira-dl19/fira-docs-sum.qrels.txt", None),
        ("dbpedia-entity-v2/qrels-v2.txt", {0: 32_580, 1: 9813, 2: 6887}),
        ("trec_eval-official/qrels.test", {0: 3120, 1: 561}),
        ("trec_eval-official/qrels.test.with-comments", {0: 3120, 1: 561}),
        ("trec_eval-official/qrels.rel_level", {-1: 304, 0: 2818, 1: 462, 2: 14, 3: 77, 4: 6}),
        ("trec_eval-official/qrels.comment.test", {0: 1427, 1: 2381, 2: 1515, 3: 567}),
        ("awkward/irmeasures-qrels.cwl.qrels", {0: 8, 1: 15}),
        ("awkward/pyserini-nfcorpus-qrels.crlf-tabs.tsv", {1: 195, 2: 39}),
        ("awkward/qrels.backgroundlinking18.grades-0-2-4-8-16.txt", {0: 6465, 2: 1189, 4: 584, 8: 164, 16: 106}),
        ("awkward/qrels.covid-round5.minus1.multispace.txt", {-1: 2, 0: 12_239, 1: 4233, 2: 6677}),
        ("awkward/qrels.microblog2011.first5topics.minus2.txt", {-2: 12, 0: 5846, 1: 253, 2: 3}),
        ("awkward/qrels.web.201-250.minus2.txt", {-2: 234, 0: 10_090, 1: 3044, 2: 920, 3: 179, 4: 7}),
    ],
)
def test_qrels_of_the_field_are_read_whole(shared_data: Path, file: str, grades: dict[int, int] | None) -> None:
    judgments = of_file(shared_data / file)
    rows = [line.split() for line in (shared_data / file).read_text().splitlines() if not line.startswith("#")]
    assert [(j.qid, j.iteration, j.docno, j.grade) for j in judgments] == [
        (qid, iteration, docno, int(grade)) for qid, iteration, docno, grade in rows
    ]
    assert grades is None or Counter(judgment.grade for judgment in judgments) == grades


def test_ids_that_look_like_numbers_stay_as_they_are(shared_data: Path) -> None:
    covid = of_file(shared_data / "awkward" / "qrels.covid-round5.minus1.multispace.txt")
    assert any(judgment.docno == "91e70966" for judgment in covid)
    tweets = of_file(shared_data / "awkward" / "qrels.microblog2011.first5topics.minus2.txt")
    assert tweets[0].docno == "34952194402811904"


def test_a_comment_stands_at_the_start_of_a_line_only(shared_data: Path) -> None:
    path = shared_data / "trec_eval-official" / "qrels.test.with-comments"
    docnos = {judgment.docno for judgment in of_file(path)}
    assert "CR#93E-1860" in docnos
    # trec_eval 10 takes a line for a comment in qrels only where # is its very first byte.
    assert "line 2: the line has 2 columns" in refusal("1 0 a 1\n # comment\n")


def test_the_same_pair_with_two_grades_is_refused_with_both_lines(shared_data: Path) -> None:
    problem = refusal_of_file(shared_data / "liveqa-med" / "qrels.conflicting-duplicates.txt")
    assert problem.line == 3
    assert problem.reason == 'the pair "1", "GARD_0004450_Sec3.txt" has grade 2 here and 1 on line 2'


def test_all_conflicts_are_counted_where_somebody_listens(shared_data: Path) -> None:
    path = shared_data / "liveqa-med" / "qrels.conflicting-duplicates.txt"
    problems: list[FormatError] = []
    with path.open("rb") as file:
        kept = list(read_qrels(file, path.name, on_problem=problems.append))
    assert (len(problems), len(kept)) == (52, 513)


def test_subtopics_in_the_second_column_are_explained(shared_data: Path) -> None:
    problem = refusal_of_file(shared_data / "awkward" / "qrels.web.201-205.ndeval.subtopic-in-column2.txt")
    assert problem.line == 467
    assert 'with "2" and "1" in the second column' in problem.reason
    assert "subtopic" in problem.way_out


def test_prels_are_refused_by_name(shared_data: Path) -> None:
    problem = refusal_of_file(shared_data / "awkward" / "prels.web.1-5.five-columns-probability.txt")
    assert (problem.line, "prels" in problem.reason) == (1, True)


def test_three_columns_with_grades_in_words_are_refused(shared_data: Path) -> None:
    problem = refusal_of_file(shared_data / "liveqa-med" / "original-qrels.2479.txt")
    assert (problem.line, problem.reason) == (1, "the line has 3 columns where qrels have four")
    assert "query 0 document grade" in problem.way_out


def test_a_line_that_is_merely_repeated_is_passed_over_and_told() -> None:
    told: list[tuple[int, int]] = []
    judgments = read("1 0 a 1\n1 0 b 2\n1 0 a 1\n", on_repeat=lambda line, first: told.append((line, first)))
    assert [(j.docno, j.grade) for j in judgments] == [("a", 1), ("b", 2)]
    assert told == [(3, 1)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 0 a 2.7", 'the grade "2.7" is not a whole number'),
        ("1 0 a 1e0", 'the grade "1e0" is not a whole number'),
        ("1 0 a 1_0", 'the grade "1_0" is not a number'),
        ("1 0 a ٣", 'the grade "٣" is not a number'),
        ("1 0 a 99999999999", "is too large"),
        ("1 0 a 2147483648", "is too large"),
        ("1 0 my doc 1", "the line has 5 columns"),
        ("1 0 a", "the line has 3 columns"),
        ("1", "the line has 1 column where"),
        ("1 0 " + "a" * 1001 + " 1", "an id is longer than 1,000 bytes"),
        ("1 0 a 1\r1 0 b 1", "a carriage return stands inside the line"),
    ],
)
def test_a_faulty_line_is_refused_with_its_number(line: str, reason: str) -> None:
    message = refusal(f"1 0 z 1\n\n{line}\n")
    assert message.startswith("qrels.txt, line 3: ")
    assert reason in message


def test_a_heading_is_refused_with_the_way_out() -> None:
    assert refusal("query-id iter corpus-id score\n1 0 a 1\n").endswith("Take the heading out.")
    assert "whole number such as 2" in refusal("q 0 a 1_0\n")
    for grade in ("nan", "inf", "-", "?"):
        assert "whole number such as 2" in refusal(f"q 0 a {grade}\n")


DOCNOS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda word: fault_of_id(word) is None
)
JUDGMENTS = st.dictionaries(
    st.tuples(DOCNOS.filter(lambda word: fault_of_qid(word) is None), DOCNOS), st.integers(-(2**31) + 1, 2**31 - 1)
).map(
    lambda grades: [
        Judgment(qid, docno, grades[qid, docno])
        for qid, docno in sorted(grades, key=lambda pair: (pair[0].encode(), pair[1].encode()))
    ]
)


@settings(deadline=None)
@given(JUDGMENTS)
def test_what_is_written_is_read_back(judgments: list[Judgment]) -> None:
    written = b"".join(write_qrels(judgments))
    assert written.count(b"\n") == len(judgments)
    assert b"\r" not in written
    if judgments:
        assert list(read_qrels(io.BytesIO(written), "q")) == judgments


def test_writing_goes_in_batches() -> None:
    judgments = [Judgment("1", f"{i:05}", i % 4) for i in range(10_000)]
    batches = list(write_qrels(judgments))
    assert 2 <= len(batches) <= 20
    assert b"".join(batches).startswith(b"1 0 00000 0\n1 0 00001 1\n")


def test_writing_refuses_an_order_that_would_differ_between_machines() -> None:
    with pytest.raises(ValueError, match="out of order"):
        list(write_qrels([Judgment("1", "b", 0), Judgment("1", "a", 0)]))
    with pytest.raises(ValueError, match="out of order"):
        list(write_qrels([Judgment("1", "a", 0), Judgment("1", "a", 0)]))


@pytest.mark.parametrize(
    ("qid", "docno"),
    [("1", "a b"), ("#1", "a"), ("", "a"), ("1", "\ufeffa"), ("1", "a\nb"), ("1", "a\0b"), ("1", "\ud800")],
)
def test_writing_refuses_ids_that_a_reader_would_take_for_something_else(qid: str, docno: str) -> None:
    with pytest.raises(FormatError, match="can't be written"):
        list(write_qrels([Judgment(qid, docno, 1)]))


def test_real_qrels_come_out_as_they_went_in(shared_data: Path) -> None:
    judgments = of_file(shared_data / "dbpedia-entity-v2" / "qrels-v2.txt")
    judgments.sort(key=lambda j: (j.qid.encode(), j.docno.encode()))
    again = list(read_qrels(io.BytesIO(b"".join(write_qrels(judgments))), "q"))
    assert [(j.qid, j.docno, j.grade) for j in again] == [(j.qid, j.docno, j.grade) for j in judgments]


def test_a_comment_after_a_blank_is_no_judgment_of_a_query() -> None:
    for line in (" # 0 a 1\n", "\t#q 0 a 1\n"):
        assert "line 2: the query's id begins with #, so that TREC tools" in refusal(f"q 0 a 1\n{line}")
