"""The machinery that brings files in: nothing before the lead says so, then all of it or nothing. Queries show it."""

import asyncio
import os
import re
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.corpora.models import KEPT_FOR
from app.db import now
from app.web import COOKIE
from tests.corpora.handing import Desk
from tests.make import Cast

THREE = b"q1\tred shoes\nq2\tblue shoes\nq3\tgreen shoes\n"


def test_nothing_is_written_before_the_lead_presses_the_button(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    page = desk.browser.get(preview).text
    assert "3 new" in page
    assert "Bring in 3 queries" in page
    assert "green shoes" in page
    assert desk.rows("query") == []
    assert desk.browser.post(preview, data={"encoding": "utf-8"}).headers["location"] == preview
    assert len(desk.rows("query")) == 3
    assert "3 new" in desk.browser.get(preview).text
    assert desk.waiting() == []


def test_the_same_file_again_says_that_nothing_is_new(desk: Desk) -> None:
    desk.brought_in("queries", THREE)
    before = desk.rows("query")
    page = desk.browser.get(desk.hand_in("queries", THREE)).text
    assert "0 new" in page
    assert "Bring in 3" not in page
    again = desk.brought_in("queries", THREE)
    assert again["counts"] == {"new": 0, "same": 3, "changed": 0}
    assert desk.rows("query") == before


def test_a_bad_last_line_changes_nothing(desk: Desk) -> None:
    desk.brought_in("queries", b"q1\told text\n")
    before = desk.rows("query")
    many = b"".join(b"n%d\ttext %d\n" % (i, i) for i in range(2500))
    error = desk.refused("queries", b"q1\tnew text\n" + many + b"no tab here\n")
    assert error["details"]["line"] == 2502
    assert error["details"]["file"] == "file.txt"
    assert error["details"]["text"] == "no tab here"
    assert error["details"]["problems"][0]["reason"] == error["details"]["reason"]
    assert error["way_out"]
    assert desk.rows("query") == before
    assert len(desk.rows("upload")) == 1
    assert desk.waiting() == []


def test_a_page_that_refuses_keeps_nothing_of_what_was_written_on_the_way(desk: Desk) -> None:
    many = b"".join(b"n%d\ttext %d\n" % (i, i) for i in range(2500))
    preview = desk.hand_in("queries", many + b"no tab here\n")
    answer = desk.browser.post(preview, data={"encoding": "utf-8"})
    assert answer.status_code == 422
    assert "Nothing was brought in" in answer.text
    assert "no tab here" in answer.text
    assert desk.rows("query") == []
    assert desk.browser.get(preview).status_code == 200
    assert len(desk.waiting()) == 1


def test_two_scripts_at_once_bring_each_query_in_once(desk: Desk) -> None:
    many = b"".join(b"n%d\ttext %d\n" % (i, i) for i in range(1500))
    scripts = [desk.cast.script(desk.lead, desk.project) for _ in range(4)]
    address = f"/api/v1{desk.address('queries')}"
    with ThreadPoolExecutor(len(scripts)) as pool:
        answers = list(pool.map(lambda script: script.post(address, files={"file": ("f", many)}), scripts))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert sorted(answer.json()["counts"]["new"] for answer in answers) == [0, 0, 0, 1500]
    assert len(desk.rows("query")) == 1500


def test_the_preview_lists_each_problem_with_its_line(desk: Desk) -> None:
    preview = desk.hand_in("queries", b"q1\tred\nq1\tblue\nbad line\n")
    page = desk.browser.get(preview)
    assert page.status_code == 200
    assert "2 problems" in page.text
    assert "already on line 1" in page.text
    assert "bad line" in page.text
    assert "Bring in " not in page.text
    refused = desk.browser.post(preview, data={"encoding": "utf-8"})
    assert refused.status_code == 422
    assert "already on line 1" in refused.text
    assert desk.rows("query") == []


def test_choices_are_changed_at_the_preview_and_kept(desk: Desk) -> None:
    preview = desk.hand_in("queries", "q1\tcafé\n".encode("latin-1"))
    assert "windows-1252" in desk.browser.get(preview).text
    seen = desk.browser.get(f"{preview}?encoding=iso-8859-15&format=&has_header=no").text
    assert "café" in seen
    kept = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', seen))
    assert kept == {"encoding": "iso-8859-15", "has_header": "no"}
    assert desk.browser.post(preview, data=kept).status_code == 303
    assert "café" in str(desk.rows("query"))
    assert "iso-8859-15" in str(desk.rows("upload"))


def test_a_script_gets_no_guess_at_an_encoding(desk: Desk) -> None:
    latin = "q1\tcafé\n".encode("latin-1")
    error = desk.refused("queries", latin)
    assert error["details"]["line"] == 1
    assert "choose the encoding" in error["way_out"]
    assert desk.brought_in("queries", latin, {"encoding": "windows-1252"})["counts"]["new"] == 1


@pytest.mark.parametrize(("name", "value"), [("encoding", "ebcdic"), ("format", "docx"), ("colour", "red")])
def test_an_answer_that_is_no_choice_is_refused(desk: Desk, name: str, value: str) -> None:
    assert desk.send("queries", THREE, {name: value}).status_code == 422
    assert (
        desk.browser.post(desk.address("queries"), files={"file": ("f", THREE)}, data={name: value}).status_code == 422
    )
    preview = desk.hand_in("queries", THREE)
    assert desk.browser.get(f"{preview}?{name}={value}").status_code == 422
    assert desk.browser.post(preview, data={name: value}).status_code == 422
    assert desk.rows("query") == []


def test_text_can_be_pasted(desk: Desk) -> None:
    pasted = desk.browser.post(desk.address("queries"), data={"text": THREE.decode().replace("\n", "\r\n")})
    assert pasted.status_code == 303
    assert "the pasted text is ready" in desk.browser.get(pasted.headers["location"]).text


@pytest.mark.parametrize("files", [None, {"file": ("", b"")}, {"file": ("empty.tsv", b"")}])
def test_nothing_at_all_is_refused_beside_the_field(desk: Desk, files: dict[str, tuple[str, bytes]] | None) -> None:
    answer = desk.browser.post(desk.address("queries"), files=files, data={"text": ""})
    assert answer.status_code == 422
    assert 'id="fault-file"' in answer.text
    assert desk.waiting() == []


def test_pressing_twice_brings_in_once(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    for _ in range(2):
        assert desk.browser.post(preview, data={"encoding": "utf-8"}).headers["location"] == preview
    assert len(desk.rows("query")) == 3


def test_a_dropped_file_is_gone(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    assert len(desk.waiting()) == 1
    for _ in range(2):
        assert desk.browser.post(f"{preview}/drop").status_code == 303
    assert desk.waiting() == []
    assert "was dropped" in desk.browser.get(preview).text
    assert desk.browser.post(preview, data={"encoding": "utf-8"}).status_code == 409
    assert desk.rows("query") == []


def test_a_file_that_was_brought_in_cannot_be_dropped(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    desk.browser.post(preview, data={"encoding": "utf-8"})
    assert desk.browser.post(f"{preview}/drop").status_code == 409
    assert len(desk.rows("query")) == 3


def test_a_file_whose_bytes_changed_is_refused(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    desk.waiting()[0].write_bytes(THREE.replace(b"red", b"bad"))
    for answer in (desk.browser.get(preview), desk.browser.post(preview, data={"encoding": "utf-8"})):
        assert answer.status_code == 409
        assert "has changed since" in answer.text
    assert desk.rows("query") == []


def test_a_file_that_disappeared_is_refused(desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    desk.waiting()[0].unlink()
    for answer in (desk.browser.get(preview), desk.browser.post(preview, data={"encoding": "utf-8"})):
        assert answer.status_code == 409
        assert "no longer here" in answer.text


def test_files_that_nobody_decides_about_are_swept_away_after_a_day(desk: Desk) -> None:
    desk.hand_in("queries", THREE)
    old = desk.waiting()[0]
    long_ago = (now() - KEPT_FOR - timedelta(minutes=1)).timestamp()
    os.utime(old, (long_ago, long_ago))
    desk.hand_in("queries", THREE)
    assert old not in desk.waiting()
    assert len(desk.waiting()) == 1


def test_a_dry_run_leaves_nothing_behind(desk: Desk) -> None:
    seen = [desk.send("queries", THREE, dry_run=True).json() for _ in range(12)][-1]
    assert (seen["state"], seen["upload_id"]) == ("previewed", None)
    assert seen["counts"] == {"new": 3, "same": 0, "changed": 0}
    assert seen["recognised"]["format"] == "tsv"
    assert seen["rows"][2][:2] == ["q3", "green shoes"]
    assert desk.rows("query") == desk.rows("upload") == desk.waiting() == []
    desk.hand_in("queries", THREE)
    assert "Waiting for your decision" in desk.browser.get(f"/projects/{desk.project}/corpus").text


def test_a_file_and_a_text_together_are_refused_beside_the_text(desk: Desk) -> None:
    answer = desk.browser.post(desk.address("queries"), files={"file": ("q.tsv", THREE)}, data={"text": "q9\tnine"})
    assert (answer.status_code, 'id="fault-text"' in answer.text, "q9\tnine" in answer.text) == (422, True, True)
    assert desk.rows("upload") == []
    script = desk.script.post(f"/api/v1{desk.address('queries')}", files={"file": THREE}, data={"text": "q9\tnine"})
    assert script.status_code == 422


@pytest.mark.parametrize("as_parts", [True, False])
def test_a_pasted_text_may_be_as_long_as_the_form_says_and_longer_ones_are_told_the_way_out(
    desk: Desk, as_parts: bool
) -> None:
    """A multipart form and one without a file are read by different code."""

    def paste(text: str) -> Response:
        given = {"files": {"text": (None, text)}} if as_parts else {"data": {"text": text}}
        return desk.browser.post(desk.address("queries"), **given)

    fits = "".join(f"q{number}\ta question of some length\n" for number in range(50_000))
    assert 1_100_000 < len(fits) < 2_000_000
    assert paste(fits).status_code == 303
    refused = paste(fits + fits)
    assert (refused.status_code, "Choose a file instead" in refused.text) == (413, True)
    assert "2,000,000 bytes" in refused.text


def test_an_answer_given_twice_is_refused(desk: Desk) -> None:
    twice = desk.send("queries", THREE, {"encoding": ["utf-8", "utf-8"]})
    assert (twice.status_code, "answered 2 times" in twice.text) == (422, True)


def test_more_problems_than_are_listed_are_counted(desk: Desk) -> None:
    """A reader stops after twenty; what is compared with the project is counted to the end."""
    page = desk.browser.get(desk.hand_in("queries", b"q1\tred shoes\n" + b"no tab\n" * 50)).text
    assert "There are at least 20 problems; the first 20 are listed below" in page
    pairs = b"".join(b"q%d\td%d\n" % (number, number) for number in range(30))
    page = desk.browser.get(desk.hand_in("pairs", pairs)).text
    assert "There are 60 problems; the first 20 are listed below" in page
    assert "And 59 more." in desk.refused("pairs", pairs)["sentence"]


def test_a_stranger_s_file_is_refused_before_it_is_read(cast: Cast, desk: Desk) -> None:
    """Fifty megabytes are offered, one after the other, and hardly any are taken."""
    labeller = cast.person("ben")
    cast.member(desk.project, labeller, "labeller")
    for address, secret, status in (
        (desk.address("queries"), cast.browser(labeller).cookies[COOKIE], 404),
        (desk.address("queries"), None, 303),
        (f"/api/v1{desk.address('queries')}", None, 401),
    ):
        answered, taken = send_by_megabytes(cast, address, secret, megabytes=50)
        assert (answered, taken < 1_000_000) == (status, True), (address, taken)


def send_by_megabytes(cast: Cast, address: str, secret: str | None, *, megabytes: int) -> tuple[int, int]:
    """The answer's status, and how many bytes of the body the application asked for."""
    taken, statuses = 0, []
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    parts = iter([head, *[b"x" * 1_000_000] * megabytes, b"\r\n--x--\r\n"])

    async def receive() -> dict[str, object]:
        nonlocal taken
        part = next(parts)
        taken += len(part)
        return {"type": "http.request", "body": part, "more_body": not part.endswith(b"--x--\r\n")}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"content-type", b"multipart/form-data; boundary=x"), (b"sec-fetch-site", b"same-origin")]
    headers += [(b"host", b"testserver")] + ([(b"cookie", f"{COOKIE}={secret}".encode())] if secret else [])
    if address.startswith("/api"):
        headers = [each for each in headers if each[0] != b"cookie"] + [(b"authorization", b"Bearer nobody-s")]
    scope = {"type": "http", "method": "POST", "path": address, "raw_path": address.encode(), "headers": headers}
    scope |= {"query_string": b"", "scheme": "http", "server": ("testserver", 80), "client": ("c", 1), "root_path": ""}
    # In a thread of its own: a browser of another test may have left a loop running in this one.
    with ThreadPoolExecutor(1) as hand:
        hand.submit(lambda: asyncio.run(cast.app(scope, receive, send))).result()
    return statuses[0], taken


def test_a_script_can_ask_what_can_be_chosen(desk: Desk) -> None:
    kind = desk.script.get(f"/api/v1{desk.address('queries')}").json()
    assert {choice["name"] for choice in kind["choices"]} == {"format", "has_header", "encoding"}
    assert kind["here"] == 0


def test_only_leads_of_the_project_bring_files_in(cast: Cast, desk: Desk) -> None:
    ben, cleo, dan = cast.person("ben"), cast.person("cleo"), cast.person("dan")
    cast.member(desk.project, ben, "labeller")
    cast.member(desk.project, cleo, "reader")
    elsewhere = cast.project(dan)
    preview = desk.hand_in("queries", THREE)
    for person in (ben, cleo, dan):
        browser, script = cast.browser(person), cast.script(person, elsewhere if person == dan else desk.project)
        assert browser.get(desk.address("queries")).status_code == 404
        assert browser.post(desk.address("queries"), files={"file": ("f", THREE)}).status_code == 404
        assert browser.get(preview).status_code == 404
        assert browser.post(preview, data={"encoding": "utf-8"}).status_code == 404
        assert browser.post(f"{preview}/drop").status_code == 404
        assert script.get(f"/api/v1{desk.address('queries')}").status_code == 404
        assert script.post(f"/api/v1{desk.address('queries')}", files={"file": ("f", THREE)}).status_code == 404
    readers = cast.script(desk.lead, desk.project, "read")
    assert readers.post(f"/api/v1{desk.address('queries')}", files={"file": ("f", THREE)}).status_code == 403
    assert desk.rows("query") == []
    assert len(desk.waiting()) == 1


def test_an_upload_is_known_only_in_its_project_and_under_its_kind(cast: Cast, desk: Desk) -> None:
    preview = desk.hand_in("queries", THREE)
    upload = preview.rpartition("/")[2]
    assert desk.browser.get(desk.address("nothing")).status_code == 404
    assert desk.browser.get(f"{desk.address('documents')}/{upload}").status_code == 404
    other = cast.project(desk.lead, name="Another")
    assert desk.browser.get(f"/projects/{other}/imports/queries/{upload}").status_code == 404


def test_what_a_file_holds_is_shown_and_never_obeyed(desk: Desk) -> None:
    nasty = b'<img/src=x/onerror=alert(1)>\t<script>alert(2)</script>" onfocus="alert(3)\n'
    files = {"file": ("<b>name<i>.tsv", b"q1\tx\n" + nasty)}
    worse = {"file": ("<b>name<i>.tsv", b"q1\tx\n" + nasty * 2)}
    preview = desk.browser.post(desk.address("queries"), files=files).headers["location"]
    bad = desk.browser.post(desk.address("queries"), files=worse).headers["location"]
    for page in (desk.browser.get(preview).text, desk.browser.get(bad).text):
        assert "<img/src" not in page
        assert "<script>alert" not in page
        assert "<b>name" not in page
        assert "&lt;script&gt;alert(2)" in page
    desk.browser.post(preview, data={"encoding": "utf-8"})
    assert "<b>name" not in desk.browser.get(preview).text


def test_five_who_bring_in_the_same_at_once_wait_for_each_other(desk: Desk) -> None:
    """PostgreSQL would find each waiting for what the other holds, and throw four of them out."""
    desk.cast.rubric(desk.project)
    rows = [f"{name},q{pair % 20},d{pair},{pair % 4}" for name in ("ana", "ben") for pair in range(400)]
    content = "\n".join(["labeller,qid,docno,grade", *rows]).encode()
    scripts = [desk.cast.script(desk.lead, desk.project) for _ in range(5)]

    def bring_in(script: TestClient) -> int:
        address = f"/api/v1/projects/{desk.project}/imports/grades"
        return script.post(address, files={"file": ("g.csv", content)}, data={"placeholders": "make"}).status_code

    with ThreadPoolExecutor(len(scripts)) as pool:
        assert sorted(pool.map(bring_in, scripts)) == [200, 422, 422, 422, 422]
