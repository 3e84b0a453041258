"""Requests take turns at the database: many at once wait for each other, and none is told that it is locked."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from sqlalchemy.exc import OperationalError

from tests.make import BROWSER_HEADERS, LEVELS, Cast
from tests.serving import LiveServer

CLIENTS, ROUNDS = 40, 3


def test_more_writers_than_threads_all_get_their_answer(cast: Cast, live_server: LiveServer) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    headers = {"Authorization": f"Bearer {cast.token(lead, project, 'write')}"}
    address = f"{live_server.url}/api/v1/projects/{project}/rubric"

    def write_and_read(number: int) -> list[int]:
        with httpx2.Client(headers=headers, timeout=60) as client:
            body = {"levels": LEVELS, "instructions": f"As {number} says."}
            return [
                status
                for _ in range(ROUNDS)
                for status in (client.put(address, json=body).status_code, client.get(address).status_code)
            ]

    with ThreadPoolExecutor(CLIENTS) as clients:
        statuses = [status for each in clients.map(write_and_read, range(CLIENTS)) for status in each]
    assert statuses == [200] * (2 * CLIENTS * ROUNDS)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_can_wait_is_not_waited_for(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    script = cast.script(lead, project)
    with cast.database.session(writes=True):
        assert script.get(f"/api/v1/projects/{project}", headers=BROWSER_HEADERS).status_code == 200


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_writer_that_waits_in_vain_is_told_to_come_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.db.PATIENCE_SECONDS", 0.05)
    lead = cast.person("ana")
    script, browser = cast.script(lead, project := cast.project(lead)), cast.browser(lead)
    with cast.database.session(writes=True):
        told = script.put(f"/api/v1/projects/{project}/rubric", json={"levels": LEVELS})
        page = browser.post(f"/projects/{project}/settings", data={"name": "Other", "policy": "standard"})
    assert (told.status_code, told.json()["error"]["status"], told.headers["Retry-After"]) == (503, 503, "5")
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "nothing was changed" in page.text
    assert script.put(f"/api/v1/projects/{project}/rubric", json={"levels": LEVELS}).status_code == 200


def test_a_database_that_is_gone_is_no_fault_of_ours(cast: Cast) -> None:
    @cast.app.get("/api/v1/gone")
    def ask() -> None:
        raise OperationalError("SELECT 1", None, Exception("database is locked"))

    answer = cast.browser(None).get("/api/v1/gone")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
