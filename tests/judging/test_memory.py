"""What the desk's script asks and is answered: pairs for its memory, and nothing that it holds already."""

import re
from typing import Any

import pytest
from sqlalchemy import select, update

from app.corpora.models import Document, shown_hash
from app.db import now
from app.judging.keys import new_key, shown_with
from app.judging.models import Assignment, Grade, Round
from app.judging.sheets import LONGEST_PARAGRAPH, parts_of
from tests.judging.test_desk import HTMX, Desk, Sheet
from tests.make import Cast

POOL = {"q1": [f"a{number:02}" for number in range(40)], "q2": [f"b{number:02}" for number in range(40)]}


def ahead(desk: Desk, *, skip: int = 0) -> list[Sheet]:
    answer = desk.browser.get(f"{desk.home}/desk/ahead?skip={skip}", headers=HTMX)
    assert answer.status_code == 200
    return [Sheet.of_text(part) for part in answer.text.split("<template>")[1:]]


def ids(desk: Desk) -> list[str]:
    """Ids of the labeller's open pairs in the order in which they were dealt."""
    mine = desk.sheet().address.rpartition("/")[2]
    with desk.cast.database.session(writes=False) as session:
        one = session.scalars(select(Assignment).where(Assignment.id == mine)).one()
        theirs = select(Assignment.id).where(Assignment.labeller_id == one.labeller_id, Assignment.revision == 0)
        return list(session.scalars(theirs.order_by(Assignment.place)))


def test_sixty_pairs_come_ahead_in_the_order_of_the_desk(cast: Cast) -> None:
    desk = Desk.make(cast, POOL)
    sheets = ahead(desk)
    assert [sheet.id for sheet in sheets] == ids(desk)[:60]
    assert sheets[0].id == desk.sheet().id
    assert len({sheet.key for sheet in sheets}) == 60
    assert [sheet.id for sheet in ahead(desk, skip=55)] == ids(desk)[55:60]
    for sheet in sheets[:3]:
        assert desk.press(sheet, level=1).status_code == 200
    assert len(desk.grades()) == 3


def test_long_texts_end_the_answer_early(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1", "d2", "d3", "d4", "d5"]})
    with cast.database.session(writes=True) as session:
        session.execute(update(Document).values(text="word " * 120_000))
    assert len(ahead(desk)) == 2
    assert len(ahead(desk, skip=4)) == 1
    assert ahead(desk, skip=5) == []


def test_a_grade_is_answered_without_the_text_that_the_browser_holds(cast: Cast) -> None:
    desk = Desk.make(cast, POOL)
    one, two, *_ = sheets = ahead(desk)
    answer = desk.press(one, level=2, next_id=two.id, next_key=two.key, holds=len(sheets) - 1)
    assert "✓ Saved" in answer.text
    assert f'data-next="{two.id}"' in answer.text
    assert two.title not in answer.text
    extra = re.findall("<template>(.*?)</template>", answer.text, re.DOTALL)
    assert [Sheet.of_text(each).id for each in extra] == [ids(desk)[59]]
    assert ids(desk)[59] not in {sheet.id for sheet in sheets}


def test_a_text_that_changed_in_the_meantime_is_sent_again(cast: Cast) -> None:
    desk = Desk.make(cast, POOL)
    one, two, *_ = ahead(desk)
    change(cast, two.title.removeprefix("About "))
    answer = desk.press(one, level=2, next_id=two.id, next_key=two.key, holds=59)
    assert "Other words." in answer.text
    assert Sheet.of(answer).id == two.id
    assert desk.press(two, level=1).status_code == 409
    assert desk.press(Sheet.of(answer), level=1).status_code == 200


def test_a_pair_that_another_window_graded_is_not_shown_again(cast: Cast) -> None:
    desk = Desk.make(cast, POOL)
    one, two, three, *_ = ahead(desk)
    desk.press(two, level=3)
    answer = desk.press(one, level=2, next_id=two.id, next_key=two.key, holds=59)
    assert Sheet.of(answer).id == three.id


def test_another_pair_with_the_same_text_is_not_taken_for_the_next(cast: Cast) -> None:
    desk = Desk.make(cast, POOL)
    with cast.database.session(writes=True) as session:
        same = {"title": "Same", "text": "Same words.", "url": ""}
        session.execute(update(Document).values(**same, text_hash=shown_hash(**same)))
    one, two, three, *_ = ahead(desk)
    answer = desk.press(one, level=2, next_id=three.id, next_key=three.key)
    assert Sheet.of(answer).id == two.id


def test_a_key_holds_the_text_that_it_came_with(cast: Cast) -> None:
    text_hash = shown_hash("Title", "Text", "")
    key = new_key(text_hash)
    assert shown_with(key) == text_hash
    assert key != new_key(text_hash)
    assert len(key) == 60
    desk = Desk.make(cast)
    sheet = desk.sheet()
    change(cast, sheet.title.removeprefix("About "))
    assert desk.press(sheet, level=1).status_code == 409
    assert desk.grades() == []


@pytest.mark.parametrize("key", ["x", "x.", "x.%%%", f"x.{'A' * 42}", "é.é", f"abc.{'A' * 43}"])
def test_a_key_of_one_s_own_making_grades_nothing(cast: Cast, key: str) -> None:
    desk = Desk.make(cast)
    assert desk.press(desk.sheet(), level=1, key=key).status_code == 409
    assert desk.grades() == []


def test_a_grade_whose_rationale_was_lost_with_its_window_answers_for_the_one_that_was_kept(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    assert desk.press(sheet, level=2, rationale="In words.").status_code == 200
    assert desk.press(sheet, level=2).status_code == 200
    assert desk.press(sheet, level=1).status_code == 422
    assert desk.press(sheet, level=2, rationale="Other words.").status_code == 422
    assert desk.grades() == [(1, 2, None, "In words.")]


def test_a_closed_round_says_what_was_pressed(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    with cast.database.session(writes=True) as session:
        session.execute(update(Round).values(closed_at=now()))
    answer = desk.press(sheet, level=2)
    assert answer.status_code == 409
    assert "Pressed here, not saved</dt><dd>2" in answer.text
    assert ahead(desk) == []


@pytest.mark.parametrize(("sent", "kept"), [("8500", 8500), ("-4", 0), ("99999999", 1_800_000)])
def test_the_time_on_a_pair_is_kept_within_reason(cast: Cast, sent: str, kept: int) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    desk.press(sheet, level=2, active_ms=sent)
    assert desk.press(sheet, level=2, active_ms="1").status_code == 200  # It is no part of what was pressed.
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Grade.active_ms)).all() == [kept]


def test_a_long_paragraph_is_parted_and_whole() -> None:
    words = "word " * 9000
    for text in (words, "x" * 30_000, "short", words.strip() + "\nline " * 3000):
        parts = list(parts_of(text))
        assert "".join(parts) == text
        assert max(len(part) for part in parts) <= LONGEST_PARAGRAPH
    assert all(part.endswith(" ") for part in list(parts_of(words))[:-1])


def change(cast: Cast, docno: str) -> None:
    changed: dict[str, Any] = {"title": f"About {docno}", "text": "Other words.", "url": ""}
    with cast.database.session(writes=True) as session:
        values = changed | {"text_hash": shown_hash(**changed)}
        session.execute(update(Document).where(Document.docno == docno).values(**values))
