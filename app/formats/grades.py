"""Grades of named people: long (one grade a line) or wide (one column a person)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from app.formats.errors import FormatError, OnProblem, OnRepeat, quoted, refuse, report, shown
from app.formats.opening import rewindable
from app.formats.sniffing import Recognised, may_be_person, recognise_stream
from app.formats.tables import Row, place_of, places_of, read_rows, wrong_width

LAYOUTS = ("long", "wide")
_WAY_OUT = (
    "Call the columns labeller, qid, docno and grade; or qid, docno and one column a person; or say which they are."
)

_NO_GRADE = (
    "Name the column that holds the grade (--grade); or, where each person has a column, say that the file is wide "
    "(--layout wide)."
)


def _pass_over(*_: object) -> None:
    """For whoever need not know."""


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class NamedGrade:
    """All as the file writes it, without blanks around; `grade` is text, for the rubric decides what it means."""

    labeller: str
    qid: str
    docno: str
    grade: str
    line: int = field(default=0, compare=False)


def read_grades(
    stream: BinaryIO,
    name: str,
    *,
    layout: str | None = None,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    qid: str | None = None,
    docno: str | None = None,
    labeller: str | None = None,
    grade: str | None = None,
    people: Sequence[str] | None = None,
    is_grade: Callable[[str], bool] | None = None,
    on_problem: OnProblem | None = None,
    on_repeat: OnRepeat | None = None,
    on_recognised: Callable[[Recognised], None] = _pass_over,
    on_blank: Callable[[str, str, str | None], None] = _pass_over,
    on_note: Callable[[str], None] = _pass_over,
) -> Iterator[NamedGrade]:
    """Grades in the file's order, each person's of each pair once. A blank cell is no grade and gives no row; its query
    and document are told to `on_blank`, with the labeller whom a line of a long file names: whose column is blank in a
    wide one was perhaps not asked.

    `layout`, and the columns `qid`, `docno`, `labeller`, `grade` and `people`, are recognised where not given. Where
    `is_grade` tells what a grade is, `people` are the columns that hold nothing else, which the whole file is read for;
    one that holds grades and other things is refused, since nobody knows whether it is a person's.
    The same grade again is told to `on_repeat`; another one is refused with both line numbers. What the file is read
    as is told to `on_recognised`, and to `on_note`, in words, where names that differ by blanks become one.
    Memory: about 300 bytes a grade, to know what comes again.
    """
    named = {"qid": qid, "docno": docno, "labeller": labeller, "grade": grade}
    roles = {role: column for role, column in named.items() if column is not None}
    if people is not None and len(set(people)) < len(people):
        refuse(name, "somebody's column is named twice", "Name each person's column once.")
    earlier: dict[tuple[str, str, str], tuple[str, int]] = {}  # Whoever reads may change what they are given.
    asked: dict[str, Any] = {"format": layout, "encoding": encoding, "delimiter": delimiter, "roles": roles}
    with rewindable(stream) as file:
        seen = _recognised(file, name, asked, people, is_grade, on_problem)
        rows = read_rows(file, name, delimiter=seen.delimiter or ",", encoding=encoding, on_problem=on_problem)
        on_recognised(seen)
        for given in _grades(rows, name, seen, on_problem, on_blank, on_note):
            whose = (given.labeller, given.qid, given.docno)
            grade, line = earlier.get(whose, (given.grade, 0))
            if not line:
                earlier[whose] = given.grade, given.line
                yield given
            elif grade != given.grade:
                report(_conflict(name, given, grade, line), on_problem)
            elif on_repeat is not None:
                on_repeat(given.line, line)
    if not earlier and on_problem is None:
        refuse(name, "the file holds no grades", _WAY_OUT)


def _grades(
    rows: Iterator[Row],
    name: str,
    seen: Recognised,
    on_problem: OnProblem | None,
    on_blank: Callable[[str, str, str | None], None],
    on_note: Callable[[str], None],
) -> Iterator[NamedGrade]:
    header = next(rows, None)
    if header is None:
        return
    columns = [column.strip() for column in header[1]]
    qid, docno, sources = _places(columns, header[0], name, seen)
    spelled: dict[str, str] = {}
    for number, cells in rows:
        if len(cells) != len(columns):
            report(wrong_width(name, number, cells, len(columns)), on_problem)
            continue
        words = [cell.strip(" \t") for cell in cells]
        empty = "query" if not words[qid] else "document" if not words[docno] else None
        for labeller_place, grade_place in sources:
            if not words[grade_place]:
                if empty is None:
                    named = None if labeller_place is None else words[labeller_place]
                    on_blank(words[qid], words[docno], named or None)
                continue
            labeller = columns[grade_place] if labeller_place is None else words[labeller_place]
            what = empty or (None if labeller else "labeller")
            if what is None:
                if labeller_place is not None:
                    _compare_spelling(spelled, labeller, cells[labeller_place], on_note)
                yield NamedGrade(labeller, words[qid], words[docno], words[grade_place], number)
            else:
                problem = FormatError(name, number, f"the {what} is empty", shown(" | ".join(cells)), "Fill it in.")
                report(problem, on_problem)


def _recognised(
    file: BinaryIO,
    name: str,
    asked: Mapping[str, Any],
    people: Sequence[str] | None,
    is_grade: Callable[[str], bool] | None,
    on_problem: OnProblem | None,
) -> Recognised:
    """What the file is read as; the stream stands afterwards where it stood before."""
    start, seen = file.tell(), recognise_stream(file, name, "grades", **asked, people=people)
    if asked["format"] is None and people is None and seen.format == "wide" and "labeller" in seen.roles:
        reason = f"the column {quoted(seen.roles['labeller'])} says who graded, and none says the grade"
        raise FormatError(name, None, reason, shown(" | ".join(seen.columns)), _NO_GRADE)
    if people is not None or is_grade is None or seen.format != "wide":
        return seen
    # Whoever reads the rows next is told of their problems.
    told = {"delimiter": seen.delimiter or ",", "encoding": asked["encoding"], "on_problem": on_problem and _pass_over}
    people = _people(read_rows(file, name, **told), name, seen, is_grade)
    file.seek(start)
    return recognise_stream(file, name, "grades", **asked, people=people)


def _people(rows: Iterator[Row], name: str, seen: Recognised, is_grade: Callable[[str], bool]) -> list[str]:
    """The columns all of whose cells are grades, or blank."""
    header = next(rows, (0, []))
    columns = [column.strip() for column in header[1]]
    free = [place for place, column in enumerate(columns) if may_be_person(column, seen.roles)]
    graded: set[int] = set()
    other: dict[int, tuple[int, str]] = {}
    for number, cells in rows:
        for place in free if len(cells) == len(columns) else ():
            cell = cells[place].strip(" \t")
            if cell and is_grade(cell):
                graded.add(place)
            elif cell:
                other.setdefault(place, (number, cell))
    for place in sorted(graded & other.keys()):
        number, cell = other[place]
        reason = f"{quoted(cell)} is no grade, and the column {quoted(columns[place])} holds grades elsewhere"
        way_out = "Correct it; or say that it is a level, or means unjudgeable; or say which columns are people's."
        raise FormatError(name, number, reason, None, way_out)
    return [columns[place] for place in free if place not in other]


def _compare_spelling(spelled: dict[str, str], labeller: str, cell: str, on_note: Callable[[str], None]) -> None:
    """`spelled` holds how each name was written first, and then that it was told of."""
    first = spelled.setdefault(labeller, cell)
    if first not in ("", cell):
        spelled[labeller] = ""
        on_note(f"{quoted(first)} and {quoted(cell)} are one labeller: names are read without the blanks around them")


def _places(
    columns: list[str], line: int, name: str, seen: Recognised
) -> tuple[int, int, list[tuple[int | None, int]]]:
    """Where qid and docno stand, and for each source of grades: who (None: its own heading), and the grade."""
    if seen.format not in LAYOUTS:
        refuse(name, f"{quoted(seen.format)} is no layout of grades", "Choose long or wide.")
    needed = ("qid", "docno", "labeller", "grade") if seen.format == "long" else ("qid", "docno")
    places = places_of(columns, needed, seen.roles, name, line=line, way_out=_WAY_OUT)
    if seen.format == "long":
        return places[0], places[1], [(places[2], places[3])]
    if not seen.people:
        reason = "no column looks like the grades of one person, so nobody knows whose grades these are"
        way_out = f"{_WAY_OUT} Grades without names can be given as reference qrels."
        raise FormatError(name, line, reason, shown(" | ".join(columns)), way_out)
    return places[0], places[1], [(None, place_of(columns, person, name)) for person in seen.people]


def _conflict(name: str, given: NamedGrade, grade: str, line: int) -> FormatError:
    reason = (
        f"{quoted(given.labeller)} gives the pair {quoted(given.qid)}, {quoted(given.docno)} "
        f"the grade {quoted(given.grade)} here and {quoted(grade)} on line {line}"
    )
    return FormatError(name, given.line, reason, None, "Keep the grade that counts.")
