"""My work: every own grade, sought among, and changed until the round closes."""

import re

import pytest
from sqlalchemy import update

from app.corpora.models import Document
from tests.judging.test_desk import Desk
from tests.make import Cast


def titles(page: str) -> list[str]:
    return re.findall(r"About (\w+)</a>", page)


def seen(desk: Desk, query: str = "") -> str:
    answer = desk.browser.get(f"{desk.home}/work{query}")
    assert answer.status_code == 200
    return answer.text


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """Five pairs graded: 0, 1, 2, can't judge, 2."""
    desk = Desk.make(cast)
    for given in ({"level": 0}, {"level": 1}, {"level": 2}, {"reason": "broken"}, {"level": 2}):
        desk.press(desk.sheet(), **given)
    return desk


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("", 5),
        ("?grade=2", 2),
        ("?grade=0", 1),
        ("?grade=3", 0),
        ("?grade=unjudgeable", 1),
        ("?grade=broken", 1),
        ("?grade=other", 0),
        ("?words=Q1", 3),
        ("?words=ABOUT+d4", 1),
        ("?words=100%25", 0),
        ("?grade=2&words=nothing+like+it", 0),
        ("?changed=yes", 0),
        ("?at=2", 0),
    ],
)
def test_grades_are_found_by_what_was_given_and_by_words(desk: Desk, query: str, number: int) -> None:
    page = seen(desk, query)
    assert len(titles(page)) == number
    if number == 0 and "at=" not in query:
        assert "None of your grades is like that" in page


def test_those_whose_text_has_changed_are_found(desk: Desk) -> None:
    with desk.cast.database.session(writes=True) as session:
        session.execute(update(Document).where(Document.docno == "d2").values(text="Other words.", text_hash="0" * 64))
    assert titles(seen(desk, "?changed=yes")) == ["d2"]


def test_many_are_shown_page_by_page(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": [f"d{number}" for number in range(60)]})
    for _ in range(55):
        desk.press(desk.sheet(), level=1)
    first, second = seen(desk), seen(desk, "?at=2")
    assert (len(titles(first)), len(titles(second))) == (50, 5)
    assert "The last ones first, page 1 of 2" in first
    assert "Older" in first
    assert "Newer" in second
    assert not set(titles(first)) & set(titles(second))


def test_nobody_finds_another_s_grades(desk: Desk) -> None:
    assert titles(desk.other.get(f"{desk.home}/work?grade=2").text) == []


def test_grades_are_sought_among_the_levels_of_one_s_rubrics(desk: Desk) -> None:
    assert re.findall(r'<option value="(\d)"', seen(desk)) == ["0", "1", "2", "3"]
