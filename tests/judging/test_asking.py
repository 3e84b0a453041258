"""Asking the leads about a pair, and rulings for everybody on the rubric."""

import html
import re

import pytest
from sqlalchemy import select, update

from app.db import now
from app.judging.models import Assignment, Question, Round
from app.people.models import Person
from tests.judging.test_desk import HTMX, Desk, Sheet
from tests.make import Cast

DOUBT = "Does a link to the steps count as the steps?"
RULING = "A link is a 1: they still have to go elsewhere."


def ask(desk: Desk, sheet: Sheet, text: str = DOUBT) -> Sheet:
    answer = desk.browser.post(f"{sheet.address}/question", data={"question": text}, headers=HTMX)
    assert answer.status_code == 200, answer.text
    return Sheet.of(answer)


def rule(desk: Desk, text: str = RULING) -> None:
    with desk.cast.database.session(writes=False) as session:
        question = session.scalars(select(Question.id).where(Question.ruling_id.is_(None))).one()
    assert desk.lead.post(f"{desk.home}/questions/{question}/answer", data={"ruling": text}).status_code == 303


def test_a_question_sets_the_pair_aside_and_it_comes_back_with_the_ruling(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": ["d1", "d2"]})
    first = desk.sheet()
    second = ask(desk, first)
    assert second.id != first.id
    asked = desk.lead.get(f"{desk.home}/questions").text
    assert DOUBT in asked
    assert first.title in asked
    assert not re.search(r"\bben\b", asked)
    assert "1 question</b> from the desk waits" in desk.lead.get(f"{desk.home}/rounds").text
    desk.press(second, level=1)
    again = desk.browser.get(f"{desk.home}/desk").text
    assert DOUBT in again
    assert "No lead has answered yet" in again
    rule(desk)
    back = desk.sheet()
    assert back.id == first.id
    assert RULING in back.text
    assert "Nobody waits for an answer" in desk.lead.get(f"{desk.home}/questions").text
    assert desk.press(back, level=1).status_code == 200


def test_everybody_on_the_rubric_sees_the_ruling_and_not_who_asked_or_what(cast: Cast) -> None:
    desk = Desk.make(cast)
    ask(desk, desk.sheet())
    rule(desk)
    for where in ("desk", "rubric", "rulings"):
        seen = desk.other.get(f"{desk.home}/{where}").text
        assert RULING in html.unescape(seen), where
        assert DOUBT not in html.unescape(seen)
        assert not re.search(r"\bben\b", seen)


def test_a_question_of_another_is_nobody_s_to_see(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    ask(desk, sheet)
    assert desk.other.get(f"{desk.home}/questions").status_code == 404
    assert desk.other.post(f"{sheet.address}/question", data={"question": "x"}).status_code == 404
    with cast.database.session(writes=False) as session:
        theirs = session.scalars(select(Assignment.id).where(Assignment.id != sheet.id)).all()
    for assignment in theirs:
        assert DOUBT not in desk.other.get(f"{desk.home}/desk/{assignment}").text


def test_the_same_question_twice_is_one_and_another_waits_for_the_answer(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    ask(desk, sheet)
    ask(desk, sheet)
    refused = desk.browser.post(f"{sheet.address}/question", data={"question": "Another"}, headers=HTMX)
    assert refused.status_code == 409
    assert "You asked about this pair already" in refused.text
    with cast.database.session(writes=False) as session:
        assert session.scalars(select(Question.text)).all() == [DOUBT]
        assert session.get_one(Assignment, (desk.project, sheet.id)).set_aside == 1


@pytest.mark.parametrize(("text", "words"), [("  ", "Nothing was written"), ("x" * 2001, "longer than 2,000")])
def test_what_is_no_question_is_refused_in_words(cast: Cast, text: str, words: str) -> None:
    desk = Desk.make(cast)
    refused = desk.browser.post(f"{desk.sheet().address}/question", data={"question": text}, headers=HTMX)
    assert refused.status_code == 422
    assert words in refused.text


def test_a_closed_round_takes_no_question(cast: Cast) -> None:
    desk = Desk.make(cast)
    sheet = desk.sheet()
    with cast.database.session(writes=True) as session:
        session.execute(update(Round).values(closed_at=now()))
    assert desk.browser.post(f"{sheet.address}/question", data={"question": DOUBT}, headers=HTMX).status_code == 409


def test_an_answer_is_given_once_and_an_empty_one_comes_back_as_typed(cast: Cast) -> None:
    desk = Desk.make(cast)
    ask(desk, desk.sheet())
    with cast.database.session(writes=False) as session:
        question = session.scalars(select(Question.id)).one()
    address = f"{desk.home}/questions/{question}/answer"
    refused = desk.lead.post(address, data={"ruling": " "})
    assert refused.status_code == 422
    assert "Nothing was written" in refused.text
    assert desk.lead.post(address, data={"ruling": RULING}).status_code == 303
    assert desk.lead.post(address, data={"ruling": "Another"}).status_code == 409
    assert desk.lead.post(f"{desk.home}/questions/{'a' * 16}/answer", data={"ruling": RULING}).status_code == 404


def test_without_a_script_asking_leads_back_to_the_desk(cast: Cast) -> None:
    desk = Desk.make(cast)
    answer = desk.browser.post(f"{desk.sheet().address}/question", data={"question": DOUBT})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{desk.home}/desk")


def test_scripts_ask_answer_and_read(cast: Cast) -> None:
    desk = Desk.make(cast)
    with cast.database.session(writes=False) as session:
        people = {each.name: each.id for each in session.scalars(select(Person)).all()}
    base = f"/api/v1/projects/{desk.project}"
    labeller, lead = cast.script(people["ben"], desk.project), cast.script(people["ana"], desk.project)
    assignment = labeller.get(f"{base}/assignments").json()[0]
    asked = labeller.post(f"{base}/assignments/{assignment['id']}/questions", json={"text": DOUBT})
    assert asked.status_code == 201
    assert labeller.get(f"{base}/assignments").json()[0]["id"] != assignment["id"]
    (waiting,) = lead.get(f"{base}/questions").json()
    assert waiting["docno"] == assignment["document"]["docno"]
    assert lead.post(f"{base}/questions/{waiting['id']}/answer", json={"ruling": RULING}).status_code == 201
    assert lead.post(f"{base}/questions/{waiting['id']}/answer", json={"ruling": RULING}).status_code == 409
    assert [each["text"] for each in labeller.get(f"{base}/rulings").json()] == [RULING]
    assert lead.get(f"{base}/questions").json() == []
    assert labeller.get(f"{base}/questions").status_code == 404
