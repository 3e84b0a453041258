"""What a project's home and its agreement page say comes next, in every state that a judged set goes through."""

import re
from html import unescape

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from tests.agreement.judged import Said, publish_rubric
from tests.make import Cast
from tests.releases.story import Story, agreeing
from tests.serving import LiveServer

BROKEN = """() => [...document.querySelectorAll(".steps b")].filter((name) => {
  const words = name.textContent.split(" "), lines = new Set([...Array(name.firstChild.length).keys()].map((at) => {
    const range = document.createRange()
    range.setStart(name.firstChild, at); range.setEnd(name.firstChild, at + 1)
    return Math.round(range.getBoundingClientRect().top)
  }))
  return lines.size > words.length
}).map((name) => name.textContent)"""
"""Names of steps of which a word stands on two lines."""
WAIVER = "The trial ends today."
DIFFERING: list[Said] = [("q00", "d-differs", "ben", 3), ("q00", "d-differs", "cleo", 0)]


@pytest.fixture
def story(cast: Cast) -> Story:
    story = Story(cast)
    story.cast.run(story.project, "bm25", {"q00": ["d00-0"]})
    return story


def alike() -> list[Said]:
    """As `agreeing`, and nobody differs."""
    return [(qid, docno, name, int(docno[-1]) % 4) for qid, docno, name, _ in agreeing()]


def apart() -> list[Said]:
    """As `alike`, and two labellers who hardly ever agree."""
    return [(*given[:3], (int(given[1][-1]) + (given[2] == "cleo")) % 4) for given in alike()]


def lead(story: Story) -> TestClient:
    return story.cast.browser(story.lead)


def buttons(page: str) -> list[tuple[str, str]]:
    """Words and address of each link that looks like a button, the one to press first."""
    found = re.findall(r'<a class="button[^"]*" href="([^"]*)">([^<]*)</a>', page)
    return [(unescape(words), unescape(link)) for link, words in found]


def next_at(story: Story, address: str = "") -> str:
    """What the page offers first. It leads to a page that does not refuse it."""
    browser = lead(story)
    page = browser.get(story.home + address)
    assert page.status_code == 200
    words, link = buttons(page.text)[0]
    assert browser.get(link).status_code == 200
    return words


def states(story: Story) -> dict[str, str]:
    steps = re.findall(r'<li class="(\w+)"[^>]*><a [^>]*><b>([^<]*)</b>', lead(story).get(story.home).text)
    return {name: state for state, name in steps}


def test_an_open_round_is_followed_until_it_is_whole_and_then_closed(story: Story) -> None:
    story.judge([("q", "d", "ben", 1), ("q", "d", "cleo", None)], is_open=True)
    assert next_at(story) == next_at(story, "/agreement") == "Follow round 1"
    story.judge([("q", "d", "cleo", 1)], is_open=True)
    assert "Follow round 1" in next_at(story)


def test_a_round_that_is_whole_is_closed_before_anything_else_even_where_the_gate_passes(story: Story) -> None:
    story.judge(alike(), is_open=True)
    assert next_at(story) == next_at(story, "/agreement") == "Close round 1"
    story.close_rounds()
    assert next_at(story) == "Freeze a release"


def test_where_everything_is_judged_and_passed_no_page_offers_a_main_round(story: Story) -> None:
    story.judge([*alike(), *DIFFERING])
    assert next_at(story) == "Adjudicate"
    assert next_at(story, "/agreement") == "Adjudicate 1 pair"
    assert "Start the main round" not in lead(story).get(f"{story.home}/agreement").text
    assert states(story)["Main round"] == "done"
    story.decide("q00", "d-differs", 1)
    assert next_at(story) == "Freeze a release"
    assert next_at(story, "/agreement") == "Go on to the release"


def test_the_rest_of_the_pool_is_judged_once_the_gate_has_passed(story: Story) -> None:
    story.judge(alike())
    story.cast.pool(story.project, {"fresh": ["d1"]})
    assert next_at(story) == "Open the main round"
    assert next_at(story, "/agreement") == "Start the main round"
    story.freeze()
    assert next_at(story) == "See the scores"


def test_what_is_left_in_a_pool_is_no_main_round_while_the_gate_has_not_passed(story: Story) -> None:
    story.judge(alike()[:20])
    assert next_at(story, "/agreement") == "Bring in more queries"
    story.cast.pool(story.project, {"fresh": ["d1"]})
    assert next_at(story, "/agreement").startswith("Judge ")
    assert next_at(story) == "See what the gate says"
    story.cast.pool(story.project, {"q00": ["d1"]})
    assert next_at(story, "/agreement") == "Draw a new pool"


def test_after_a_release_come_the_scores_and_after_more_judging_the_next_release(story: Story) -> None:
    story.judge(alike())
    story.freeze()
    assert next_at(story) == "See the scores"
    story.judge(DIFFERING, kind="main")
    assert next_at(story) == "Adjudicate"
    story.decide("q00", "d-differs", 1)
    assert next_at(story) == "Freeze the next release"
    story.freeze()
    assert states(story) == {
        "Rubric": "done",
        "Corpus": "done",
        "Runs": "done",
        "Pool": "done",
        "Agreement": "done",
        "Main round": "done",
        "Adjudication": "done",
        "Release": "done",
        "Scores": "now",
    }
    story.decide("q00", "d-differs", 2)
    assert next_at(story) == "Freeze the next release"


def test_where_only_refusals_keep_the_gate_shut_they_are_what_is_read_first(story: Story) -> None:
    said: list[Said] = []
    for at, (qid, docno, name, _) in enumerate(agreeing(queries=30, pairs=12)):
        level: int | str = "broken" if name == "cleo" and at % 20 < 2 else int(docno[-1]) % 4
        said.append((qid, docno, name, level))
    story.judge(said)
    assert next_at(story, "/agreement") == "Read the pairs that only one could judge"
    page = lead(story).get(f"{story.home}/agreement").text
    assert "reach the same grade, but that is not all the policy asks" in page
    assert "confused most" not in page


def test_after_a_waiver_the_scores_are_next_and_agreement_is_no_more(story: Story) -> None:
    story.judge(apart())
    assert next_at(story) == "See what the gate says"
    assert next_at(story, "/agreement") == "Read the pairs that are confused most"
    story.decide("q00", "d00-0", 2)
    story.freeze(waiver_reason=WAIVER)
    assert next_at(story) == "See the scores"
    assert states(story)["Agreement"] == "done"
    assert "released ungated" in lead(story).get(story.home).text


def test_the_page_of_a_round_leads_to_the_agreement_only_who_may_see_it(story: Story) -> None:
    story.judge(alike())
    story.judge([("q", "d", "ana", 1), ("q", "d", "ben", None)], kind="main", is_open=True)
    rounds = re.findall(r"/rounds/[a-z2-7]{16}", lead(story).get(f"{story.home}/rounds").text)
    newest, oldest = dict.fromkeys(rounds)
    assert "Look at the agreement" not in lead(story).get(story.home + oldest).text
    assert "hidden from you" in lead(story).get(story.home + oldest).text
    story.close_rounds()
    for address in (newest, oldest):
        assert next_at(story, address) == "Look at the agreement"


def test_the_rounds_page_offers_no_round_for_which_nothing_is_left(story: Story) -> None:
    story.judge(alike(), kind="imported")
    assert next_at(story, "/rounds") == "Look at the agreement"
    story.cast.pool(story.project, {"fresh": ["d1"]})
    page = lead(story).get(f"{story.home}/rounds").text
    assert "Open the agreement round</button>" in page
    assert "Open the main round</button>" in page
    story.cast.pool(story.project, {"q00": ["d00-0"]})
    page = lead(story).get(f"{story.home}/rounds").text
    assert "Open the agreement round</button>" not in page
    assert "Open the main round</button>" not in page
    assert "Bring in more queries" in page


def test_the_releases_page_offers_adjudication_only_while_something_waits_for_it(story: Story) -> None:
    story.judge([*alike(), ("q00", "d-broken", "ben", "broken"), ("q00", "d-broken", "cleo", "broken")])
    assert ">Adjudicate</a>" not in lead(story).get(f"{story.home}/releases").text
    story.judge(DIFFERING, kind="main")
    assert ">Adjudicate</a>" in lead(story).get(f"{story.home}/releases").text


def test_a_new_rubric_begins_again_whatever_was_released_before(story: Story) -> None:
    story.judge(alike())
    story.freeze()
    with story.cast.database.session(writes=True) as session:
        publish_rubric(session, story.project)
    story.cast.pool(story.project, {"fresh": ["d1"]})
    assert next_at(story) == "Open an agreement round"
    assert next_at(story, "/agreement?family=1") == "To the newest rubric’s agreement"


def test_a_release_without_a_run_asks_for_runs(cast: Cast) -> None:
    story = Story(cast)
    story.judge(alike())
    story.freeze()
    assert next_at(story) == "Bring in runs"


def test_a_lead_who_judges_is_sent_to_the_desk_only_while_pairs_are_left(story: Story) -> None:
    story.judge([("q", "d", "ana", 1), ("q", "d", "ben", None)], is_open=True)
    assert next_at(story) == "Follow round 1"
    story.judge([("q", "e", "ana", None), ("q", "e", "ben", 1)], is_open=True)
    assert next_at(story) == "Go on judging"


def test_before_the_rubric_everything_comes_later(cast: Cast) -> None:
    story = Story(cast)
    assert next_at(story) == "Write the rubric"
    assert list(states(story).values()) == ["now"] + 8 * ["later"]


@pytest.mark.browser
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_no_word_of_a_step_is_broken(browser: Browser, live_server: LiveServer) -> None:
    first, lead = live_server.cast.person("first", is_admin=True), live_server.cast.person("ana")
    project = live_server.cast.project(lead)
    broken = []
    for person, where in ((first, "/"), (lead, f"/projects/{project}")):
        page = live_server.window(browser, person).new_page()
        for width in (320, 480, 768, 1024, 1100, 1280, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(where)
            assert page.locator(".steps b").count() == 9
            broken += [(where, width, name) for name in page.evaluate(BROKEN)]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.context.close()
    assert not broken
