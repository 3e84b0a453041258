"""The agreement and adjudication pages: what a lead reads there, and what nobody may read before grading blind."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import event, select

from app.agreement.adjudication_queries import differing_pairs
from app.judging.models import Round
from app.projects.models import Member
from tests.agreement.judged import Said, chorus, fira, grade_again, judge, publish_rubric
from tests.judging.windows import bring_in_documents
from tests.make import Cast

RATIONALES = {
    ("q1", "d1", "ana"): "CANARY-ANA nothing on the task",
    ("q1", "d1", "ben"): "CANARY-BEN the third paragraph has it all",
}
SAID: list[Said] = [
    ("q1", "d1", "ana", 0),
    ("q1", "d1", "ben", 3),
    ("q1", "d2", "ana", 1),
    ("q1", "d2", "ben", "broken"),
    ("q1", "d3", "ana", 1),
    ("q1", "d3", "ben", 1),
    ("q1", "d4", "ana", 2),
    ("q1", "d4", "ben", None),
]


@dataclass(frozen=True)
class Told:
    """A project in which all of SAID was said, and its lead's browser."""

    cast: Cast
    project: str
    lead: TestClient
    pairs: dict[str, str]

    @classmethod
    def make(cls, cast: Cast, said: list[Said] | None = None) -> "Told":
        lead = cast.person("lea")
        project = cast.project(lead)
        with cast.database.session(writes=True) as session:
            judge(session, project, said or SAID, rationales=RATIONALES)
            pairs = {pair.docno: pair.pair_id for pair in differing_pairs(session, project, 1)}
        return cls(cast, project, cast.browser(lead), pairs)

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def look(self, address: str) -> str:
        answer = self.lead.get(f"{self.home}{address}")
        assert answer.status_code == 200, answer.text
        return words(answer)

    def send(self, docno: str, step: str, **form: object) -> Response:
        return self.lead.post(f"{self.home}/adjudication/{self.pairs[docno]}/{step}", data=form)


def words(answer: Response) -> str:
    """What stands on the page, without its tags."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", answer.text)))


# Agreement


def test_the_page_of_real_ratings_says_what_was_found_in_full(cast: Cast, shared_data: Path) -> None:
    told = Told.make(cast, chorus(shared_data))
    page = told.look("/agreement")
    assert "Passed. People who follow rubric 1 reach the same grade." in page
    assert "Linear weighted kappa is .695 over 971 pairs of 40 queries, and its 95% interval, .551 to .839," in page
    for figure in (".695255", ".551190", ".839319", "971", "423", "217 pairs differ"):
        assert figure in page
    assert f'href="{told.home}/agreement/pairs?first=0&amp;second=3"' in told.lead.get(f"{told.home}/agreement").text


def test_a_failed_gate_leads_to_the_pairs_that_are_confused_most(cast: Cast, shared_data: Path) -> None:
    told = Told.make(cast, fira(shared_data))
    page = told.look("/agreement")
    assert "Failed. People who follow rubric 1 do not reach the same grade often enough." in page
    assert ".080197" in page
    assert "✗ Line not met" in page
    assert "Write the next rubric" in page
    assert "1,151 pairs differ" in page


def test_before_there_is_anything_the_page_says_what_comes_first(cast: Cast) -> None:
    lead = cast.person("lea")
    project = cast.project(lead)
    browser = cast.browser(lead)
    for address in ("agreement", "adjudication"):
        assert "There is no rubric to agree on yet." in words(browser.get(f"/projects/{project}/{address}"))
    cast.rubric(project)
    page = words(browser.get(f"/projects/{project}/agreement"))
    assert "Undefined. Nothing was graded by two people under rubric 1 yet." in page
    assert "Draw a pool" in page
    assert "Nothing differs." in words(browser.get(f"/projects/{project}/adjudication"))


def test_what_was_left_out_is_counted_by_reason_and_by_who(cast: Cast) -> None:
    told = Told.make(cast)
    page = told.look("/agreement")
    assert "2 pairs left out: 1 unjudgeable, 1 not graded by both." in page
    assert "ben broken 1 ben not graded 1" in page
    assert "About d4" in told.look("/agreement/pairs?left_out=ungraded")
    assert "can’t judge: broken" in told.look("/agreement/pairs?left_out=one")


def test_a_cell_opens_its_pairs_with_both_rationales_and_no_names(cast: Cast) -> None:
    told = Told.make(cast)
    page = told.look("/agreement/pairs?first=0&second=3")
    assert "1 pair graded 0 and 3" in page
    for text in ("what is q1", "About d1", *RATIONALES.values()):
        assert text in page
    assert not re.search(r"\b(ana|ben)\b", page)
    assert "No pair is here now." in told.look("/agreement/pairs?first=3&second=0")
    assert "About d1" in told.look("/agreement/pairs?apart=2")
    assert "About d3" in told.look("/agreement/pairs?qid=q1")
    assert told.lead.get(f"{told.home}/agreement/pairs").status_code == 422


def test_a_long_cell_comes_a_page_at_a_time(cast: Cast) -> None:
    said: list[Said] = [("q1", f"d{number}", name, 1) for number in range(30) for name in ("ana", "ben")]
    told = Told.make(cast, said)
    first, second = (told.look(f"/agreement/pairs?first=1&second=1&start={start}") for start in (0, 25))
    assert ("1 to 25 of 30" in first, "26 to 30 of 30" in second) == (True, True)
    titles = re.findall(r"About d\d+", first) + re.findall(r"About d\d+", second)
    assert len(set(titles)) == 30


def test_an_earlier_family_stays_readable_beside_the_newest(cast: Cast) -> None:
    told = Told.make(cast)
    with cast.database.session(writes=True) as session:
        publish_rubric(session, told.project)
        judge(session, told.project, [("q2", "d9", "ana", 2), ("q2", "d9", "ben", 2)])
    assert "rubric 2" in told.look("/agreement")
    earlier = told.look("/agreement?family=1")
    assert "To the newest rubric’s agreement" in earlier
    assert "Over the rounds" in earlier
    assert told.lead.get(f"{told.home}/agreement?family=7").status_code == 404


def test_a_lead_who_judges_in_an_open_round_sees_none_of_it(cast: Cast) -> None:
    told = Told.make(cast)
    with cast.database.session(writes=True) as session:
        judge(session, told.project, [("q5", "d5", "lea", 1)], is_open=True)
    pair = told.pairs["d1"]
    script = cast.script(person_of(cast, told.project), told.project)
    for address in ("/agreement", "/agreement/pairs?apart=1", "/adjudication", f"/adjudication/{pair}"):
        answer = told.lead.get(f"{told.home}{address}")
        assert (answer.status_code, "CANARY" in answer.text) == (409, False)
        assert "You still judge in round 2" in words(answer)
    for address in ("agreement", "adjudication", f"adjudication/{pair}"):
        assert script.get(f"/api/v1/projects/{told.project}/{address}").status_code == 409
    assert told.send("d1", "blind", level=1, revision=0).status_code == 409
    with cast.database.session(writes=True) as session:
        for round_ in session.scalars(select(Round).where(Round.project_id == told.project)):
            round_.closed_at = round_.opened_at
    assert told.lead.get(f"{told.home}/agreement").status_code == 200


def person_of(cast: Cast, project: str) -> str:
    with cast.database.session(writes=False) as session:
        person = session.scalar(select(Member.person_id).where(Member.project_id == project, Member.role == "lead"))
    assert person is not None
    return person


def test_the_loud_warning_before_a_main_round_knows_the_gates_answer(cast: Cast) -> None:
    told = Told.make(cast)
    cast.pool(told.project, {"q8": ["d8"]})
    assert "its answer is “not enough evidence”" in told.look("/rounds")


# Adjudication


def test_nothing_of_the_labellers_is_told_before_the_blind_grade(cast: Cast) -> None:
    told = Told.make(cast)
    answer = told.lead.get(f"{told.home}/adjudication/{told.pairs['d1']}")
    assert "First your own grade, blind" in words(answer)
    assert not re.search(r"CANARY|\bana\b|\bben\b|class=\"said", answer.text)


def test_who_adjudicates_reads_what_the_labellers_read(cast: Cast) -> None:
    told = Told.make(cast)
    lead = cast.see_project(told.project).created_by_id
    document = {
        "id": "d1",
        "html": "<p>A <b>red</b> shoe<img src=https://i.example/1.png>",
        "price": "12 EUR",
        "rank": 1,
    }
    showing = {"fields": ["price"], "hosts": ["i.example"]}
    bring_in_documents(cast, lead, told.project, [document], showing)
    answer = told.lead.get(f"{told.home}/adjudication/{told.pairs['d1']}")
    assert "&lt;p&gt;A &lt;b&gt;red&lt;/b&gt; shoe&lt;img src=&#34;https://i.example/1.png" in answer.text
    assert "price 12 EUR" in words(answer)
    assert "img-src 'self' https://i.example;" in answer.headers["content-security-policy"]
    queue = cast.script(lead, told.project).get(f"/api/v1{told.home}/adjudication").json()
    (shown,) = (each["document"] for each in queue["pairs"] if each["document"]["docno"] == "d1")
    assert (shown["text"], shown["fields"]) == ("A red shoe", {"price": "12 EUR"})


def test_only_the_order_of_the_queue_reads_the_runs(cast: Cast) -> None:
    told, statements = Told.make(cast), list[str]()
    cast.run(told.project, "bm25", {"q1": ["d1", "d2"]})

    @event.listens_for(cast.database.reading, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        statements.append(statement)

    assert "0 of 2 decided" in told.look(f"/adjudication/{told.pairs['d1']}")
    assert not any("FROM ranking" in statement for statement in statements)
    told.look("/adjudication")
    assert any("FROM ranking" in statement for statement in statements)


def test_blind_then_with_both_rationales_and_no_names_then_the_next_pair(cast: Cast) -> None:
    told = Told.make(cast)
    pair = f"{told.home}/adjudication/{told.pairs['d1']}"
    assert told.send("d1", "blind", level=2, revision=0).headers["location"] == pair
    page = told.look(pair.removeprefix(told.home))
    assert "Blind you gave 2 ." in page
    for rationale in RATIONALES.values():
        assert rationale in page
    assert not re.search(r"\b(ana|ben)\b", page)
    answer = told.send("d1", "decision", level=3, ready="A passage of the document was missed.", revision=1)
    assert answer.headers["location"] == f"{told.home}/adjudication/{told.pairs['d2']}?last={told.pairs['d1']}"
    assert "✓ Decided , the last one as 3 ." in told.look(answer.headers["location"].removeprefix(told.home))
    assert "1 of 2 decided" in told.look(f"/adjudication/{told.pairs['d2']}")
    assert "Decided: 3" in told.look(f"/adjudication/{told.pairs['d1']}")
    assert told.send("d1", "undoing", revision=2).headers["location"] == pair
    assert "0 of 2 decided" in told.look(f"/adjudication/{told.pairs['d1']}")


def test_the_last_decision_leads_back_to_the_queue_and_on_to_the_release(cast: Cast) -> None:
    told = Told.make(cast)
    told.send("d1", "blind", level=1, revision=0)
    told.send("d1", "decision", reason="It can't be told.", revision=1)
    told.send("d2", "blind", reason="broken", revision=0)
    answer = told.send("d2", "decision", level=1, reason="It can.", revision=1)
    assert answer.headers["location"].startswith(f"{told.home}/adjudication?last=")
    page = told.look(answer.headers["location"].removeprefix(told.home))
    assert "All decided. 2 pairs differed, and each has its decision." in page
    assert "no judgment: It can't be told." in page
    assert told.lead.get(f"{told.home}/adjudication/next").headers["location"] == f"{told.home}/adjudication"


def test_a_step_that_is_not_taken_says_why_on_the_pair_itself(cast: Cast) -> None:
    told = Told.make(cast)
    told.send("d1", "blind", level=2, revision=0)
    answer = told.send("d1", "decision", level=3, reason=" ", revision=1)
    assert (answer.status_code, "A decision needs its reason" in words(answer)) == (422, True)
    answer = told.send("d1", "decision", level=3, reason="My own words", revision=0)
    assert (answer.status_code, "Another step was taken" in words(answer)) == (409, True)
    assert "My own words" in answer.text
    answer = told.send("d1", "decision", level=9, reason="My own words", revision=1)
    assert answer.status_code == 422


def test_ones_own_pair_is_left_to_another_lead(cast: Cast) -> None:
    told = Told.make(cast, [("q1", "d1", "lea", 0), ("q1", "d1", "ben", 3)])
    answer = told.lead.get(f"{told.home}/adjudication/{told.pairs['d1']}")
    assert (answer.status_code, "You graded this pair yourself" in words(answer)) == (409, True)
    page = told.look("/adjudication")
    assert "another lead decides it" in page
    assert "Ask another lead" in page


@pytest.mark.parametrize("address", ["adjudication/next?after=%00", "adjudication?last=%00", "agreement/pairs?qid=%00"])
def test_a_nul_in_the_address_reaches_no_database(cast: Cast, address: str) -> None:
    told = Told.make(cast)
    assert told.lead.get(f"{told.home}/{address}").status_code == 422


# Who gives more, level by level, and an answer that keeps up


def harsher(queries: int = 30, documents: int = 10) -> list[Said]:
    """Ben gives one level less than Ana and Cleo wherever there is one less, and the couples rotate."""
    said: list[Said] = []
    for query in range(queries):
        couple = (("ana", "ben"), ("ben", "cleo"), ("ana", "cleo"))[query % 3]
        for docno in range(documents):
            level = (query + docno) % 4
            said += [(f"q{query}", f"d{docno}", name, max(level - (name == "ben"), 0)) for name in couple]
    return said


def test_a_labeller_who_is_a_level_harsher_is_named_with_the_levels_and_the_shift(cast: Cast) -> None:
    told = Told.make(cast, harsher())
    page = told.look("/agreement")
    assert "ben differs most from the rest." in page
    assert re.search(r"ben -\.\d{3} gives 0 where others give 1 : \d+ times, 0 the other way", page)
    assert "ana and cleo 100 1.000 0.000 none: the two never differ" in page
    assert re.search(r"ana and ben 100 \.\d{3} -\.\d{3} < \.001", page)
    script = cast.script(person_of(cast, told.project), told.project)
    found = script.get(f"/api/v1{told.home}/agreement").json()
    ben = next(one for one in found["labellers"] if one["name"] == "ben")
    assert ben["shift"] < -0.5
    assert (ben["one_sided"]["own"], ben["one_sided"]["theirs"], ben["one_sided"]["back"]) == (0, 1, 0)
    assert found["couples"][0]["p"] < 0.001


def test_each_level_has_its_own_agreement_and_one_that_nobody_gave_has_none(cast: Cast) -> None:
    told = Told.make(cast)
    page = told.look("/agreement")
    assert "0 off topic 1 0%" in page
    assert "1 context 2 100%" in page
    assert "2 a step 0 undefined: nobody gave this level" in page


def test_the_answer_is_told_again_only_when_something_has_changed(cast: Cast) -> None:
    told = Told.make(cast)
    assert "hx-get" not in told.lead.get(f"{told.home}/agreement").text
    with cast.database.session(writes=True) as session:
        judge(session, told.project, [("q7", "d7", "ana", 2), ("q7", "d7", "ben", None)], is_open=True)
    renewed = renewal_of(told.lead.get(f"{told.home}/agreement"))
    assert told.lead.get(renewed).status_code == 204
    with cast.database.session(writes=True) as session:
        grade_again(session, told.project, "q7", "d7", "ben", 2)
    answer = told.lead.get(renewed)
    assert (answer.status_code, answer.text.count("<section")) == (200, 1)
    assert told.lead.get(renewal_of(answer)).status_code == 204


def renewal_of(answer: Response) -> str:
    """Where the page asks for its answer again."""
    found = re.search(r'id="answer"[^>]* hx-get="([^"]+)"', answer.text)
    assert found
    return html.unescape(found[1])


def test_no_labeller_is_told_by_the_answer_that_keeps_up(cast: Cast) -> None:
    told = Told.make(cast)
    ana = cast.person("anabel")
    cast.member(told.project, ana, "labeller")
    assert cast.browser(ana).get(f"{told.home}/agreement/answer").status_code == 404


def test_what_was_found_under_an_earlier_rubric_is_a_click_away(cast: Cast) -> None:
    told = Told.make(cast)
    with cast.database.session(writes=True) as session:
        publish_rubric(session, told.project)
        round_id = session.scalars(select(Round.id).where(Round.project_id == told.project)).one()
    page = told.lead.get(f"{told.home}/agreement").text
    assert "Nothing was graded by two people under rubric 2" in page
    assert f'href="{told.home}/agreement?family=1">Under rubric 1</a>' in page
    earlier = told.lead.get(f"{told.home}/agreement?family=1").text
    assert f'href="{told.home}/agreement?family=2">Under rubric 2</a>' in earlier
    assert (
        f'href="{told.home}/agreement?family=1">Look at the agreement'
        in told.lead.get(f"{told.home}/rounds/{round_id}").text
    )


def test_what_three_people_graded_is_counted_in_the_table_by_twos_and_the_page_says_so(cast: Cast) -> None:
    by_three: list[Said] = [("q1", "d1", "ana", 0), ("q1", "d1", "ben", 0), ("q1", "d1", "cleo", 1)]
    by_two: list[Said] = [("q1", "d2", "ana", 1), ("q1", "d2", "ben", 1)]
    assert "each two of them count here, 4 times for 2 pairs." in Told.make(cast, by_three + by_two).look("/agreement")


def test_of_two_labellers_nothing_is_said_of_twos(cast: Cast) -> None:
    assert "each two of them" not in Told.make(cast).look("/agreement")
