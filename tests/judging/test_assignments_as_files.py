"""Assignments out of a round as a file, and a round out of a file."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.judging.test_rounds import POOL, Scene
from tests.make import Cast

HEADING = "qid,docno,labeller"


def whole(qid: str, *names: str) -> list[str]:
    return [f"{qid},{docno},{name}" for name in names for docno in POOL[qid]]


def brought_in(scene: Scene, lines: Sequence[str], *, dry_run: bool = False, **chosen: str) -> Any:
    text = "\n".join([HEADING, *lines]) + "\n"
    address = f"{scene.api}/imports/assignments?dry_run={str(dry_run).lower()}"
    return scene.script().post(address, files={"file": ("deals.csv", text.encode())}, data=chosen)


def exported(scene: Scene, round_id: str, form: str = "csv") -> list[dict[str, str]]:
    text = scene.script().get(f"{scene.api}/rounds/{round_id}/assignments?format={form}").text
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))


def test_a_file_says_who_judges_what_and_nobody_s_grade(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=["q1"])["id"]
    scene.grade_all("ben", level=3)
    rows = exported(scene, round_id)
    assert list(rows[0]) == ["qid", "docno", "labeller", "round", "state"]
    assert [row["docno"] for row in rows] == [docno for docno in POOL["q1"] for _ in range(2)]
    assert {(row["labeller"], row["state"]) for row in rows} == {("ben", "graded"), ("cleo", "open")}
    assert exported(scene, round_id, "tsv") == rows
    scene.script().delete(f"{scene.api}/members/{scene.members['cleo']}")
    assert {(row["labeller"], row["state"]) for row in exported(scene, round_id)} == {("ben", "graded"), ("", "free")}
    page = cast.browser(scene.lead).get(f"{scene.home}/rounds/{round_id}/assignments?format=spreadsheet")
    assert page.headers["content-disposition"] == 'attachment; filename="round-1-assignments.csv"'
    assert page.content.startswith(b"\xef\xbb\xbf")
    assert cast.browser(scene.people["ben"]).get(f"{scene.home}/rounds/{round_id}/assignments").status_code == 404


def test_a_file_opens_a_round_as_it_says(cast: Cast) -> None:
    scene = Scene.make(cast)
    lines = [*whole("q1", "cleo", "ben"), *whole("q2", "ben", "cleo")]
    looked = brought_in(scene, lines, dry_run=True)
    assert looked.status_code == 200, looked.text
    assert scene.script().get(f"{scene.api}/rounds").json() == []
    answer = brought_in(scene, lines, seed="11")
    assert answer.status_code == 200, answer.text
    assert answer.json()["counts"]["new"] == 16
    (round_,) = scene.script().get(f"{scene.api}/rounds").json()
    assert (round_["kind"], round_["seed"], round_["overlap"]) == ("agreement", 11, 1.0)
    shown = scene.script().get(f"{scene.api}/rounds/{round_['id']}").json()
    assert {each["qid"]: [place["name"] for place in each["labellers"]] for each in shown["by_query"]} == {
        "q1": ["cleo", "ben"],
        "q2": ["ben", "cleo"],
    }
    assert scene.grade_all("ben") == 8


def test_what_was_exported_opens_the_same_round_elsewhere(cast: Cast) -> None:
    scene = Scene.make(cast)
    first = scene.open(queries=3, seed=5)
    rows = [f"{row['qid']},{row['docno']},{row['labeller']}" for row in exported(scene, first["id"])]
    scene.script().post(f"{scene.api}/rounds/{first['id']}/closure")
    assert "dealt, or judged twice, before" in brought_in(scene, rows).text
    twin = cast.project(scene.lead, name="Twin")
    for name in ("ben", "cleo"):
        cast.member(twin, scene.people[name], "labeller")
    cast.rubric(twin)
    pool = cast.pool(twin, POOL)
    elsewhere = Scene(cast, twin, scene.lead, scene.members, scene.people, pool)
    assert brought_in(elsewhere, rows, seed="5").status_code == 200
    (round_,) = elsewhere.script().get(f"{elsewhere.api}/rounds").json()
    again = exported(elsewhere, round_["id"])
    assert [list(row.values())[:3] for row in again] == [row.split(",") for row in rows]


def test_a_main_round_waits_for_the_gate_here_too(cast: Cast) -> None:
    scene = Scene.make(cast)
    lines = [*whole("q1", "ben"), *whole("q2", "ben", "cleo")]
    refused = brought_in(scene, lines, round="main")
    assert refused.status_code == 409
    assert "has not passed" in refused.json()["error"]["sentence"]
    assert brought_in(scene, lines, round="main", warned="yes").status_code == 200
    (round_,) = scene.script().get(f"{scene.api}/rounds").json()
    assert (round_["kind"], round_["overlap"], round_["assignments"]) == ("main", 0.5, 12)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (lambda lines: [*lines[:-1]], 6, "is not given the whole query"),
        (lambda lines: [*lines, "q9,d,ben"], 10, 'the query "q9" is not in the pool'),
        (lambda lines: [*lines, "q1,elsewhere,ben"], 10, "does not have the document"),
        (lambda lines: [*lines, *whole("q2", "zoe")], 10, 'nobody called "zoe" can label here'),
        (lambda lines: [*lines, *whole("q2", "ben")], 10, "is given to 1 labeller"),
        (lambda lines: [*lines, *whole("q1", "dan")], 10, "is given to 3 labellers"),
        (lambda lines: [*lines, "q2,,ben"], 10, "the document is empty"),
        (lambda lines: [*lines, "q2,d2-0"], 10, "has 2 columns where 3 are expected"),
    ],
)
def test_one_wrong_line_and_nothing_is_dealt(
    cast: Cast, change: Callable[[list[str]], list[str]], line: int, words: str
) -> None:
    scene = Scene.make(cast)
    scene.joined("dan", "labeller")
    refused = brought_in(scene, change(whole("q1", "ben", "cleo")))
    assert refused.status_code == 422, refused.text
    sentence = refused.json()["error"]["sentence"]
    assert words in sentence
    assert f"line {line}:" in sentence
    assert scene.script().get(f"{scene.api}/rounds").json() == []


def test_the_page_shows_the_balance_before_anything_is_dealt(cast: Cast) -> None:
    scene = Scene.make(cast)
    browser = cast.browser(scene.lead)
    assert "Who judges what" in browser.get(f"{scene.home}/imports/assignments").text
    text = "\n".join([HEADING, *whole("q1", "ben", "cleo")])
    handed = browser.post(f"{scene.home}/imports/assignments", data={"text": text, "round": "agreement"})
    page = browser.get(handed.headers["location"]).text
    assert "How many pairs each labeller gets" in page
    assert "It opens an agreement round of 1 query to 2 labellers" in page
    done = browser.post(handed.headers["location"].partition("?")[0], data={"round": "agreement"})
    assert done.status_code == 303
    assert len(scene.script().get(f"{scene.api}/rounds").json()) == 1
