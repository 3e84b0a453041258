"""CSV that comes back as it went out, and CSV that does a spreadsheet no harm."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.csvout import write_csv
from app.formats.grades import NamedGrade, read_grades

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def written(columns: list[str], rows: list[list[str]], *, for_spreadsheets: bool = False) -> str:
    return b"".join(write_csv(columns, rows, for_spreadsheets=for_spreadsheets)).decode()


@settings(deadline=None)
@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(WORDS, min_size=width, max_size=width), min_size=1)))
def test_what_is_written_is_read_back_cell_by_cell(rows: list[list[str]]) -> None:
    text = written(rows[0], rows[1:])
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == rows


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1, max_size=8).filter(
    lambda word: word == word.strip(" \t")
)
GRADES = st.lists(st.builds(NamedGrade, CELLS, CELLS, CELLS, CELLS), min_size=1).map(
    lambda grades: list({(g.labeller, g.qid, g.docno): g for g in grades}.values())
)


@settings(deadline=None)
@given(GRADES)
def test_exported_grades_are_imported_as_they_were(grades: list[NamedGrade]) -> None:
    rows = [(g.labeller, g.qid, g.docno, g.grade) for g in grades]
    content = b"".join(write_csv(("labeller", "qid", "docno", "grade"), rows))
    assert list(read_grades(io.BytesIO(content), "grades.csv", delimiter=",")) == grades


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_a_spreadsheet_would_run_is_made_text(start: str) -> None:
    cell = f'{start}HYPERLINK("http://localhost","x")'
    rows = list(csv.reader(io.StringIO(written([cell], [[cell]], for_spreadsheets=True)[1:], newline="")))
    assert rows == [[f"'{cell}"], [f"'{cell}"]]
    assert next(csv.reader(io.StringIO(written([cell], []), newline=""))) == [cell]


def test_numbers_stay_numbers_for_spreadsheets() -> None:
    content = b"".join(write_csv(["grade", "score"], [[-1, -0.5]], for_spreadsheets=True))
    assert content == b"\xef\xbb\xbfgrade,score\n-1,-0.5\n"


def test_rows_go_out_in_batches() -> None:
    batches = list(write_csv(["n"], ([n] for n in range(10_000))))
    assert 2 <= len(batches) <= 20
    assert b"".join(batches) == b"n\n" + b"".join(b"%d\n" % n for n in range(10_000))


def test_none_is_an_empty_cell_and_a_row_of_it_is_still_a_row() -> None:
    assert written(["a", "b"], [[None, "x"]]) == "a,b\n,x\n"  # type: ignore[list-item]
    assert written(["a"], [[""]]) == 'a\n""\n'
