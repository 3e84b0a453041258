"""Promise S20: no secret stands in what the server writes, even where it fails."""

import logging
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from app.db import SessionDep
from app.web import API
from tests.make import BROWSER_HEADERS, PASSWORD, Cast

ROOT = Path(__file__).resolve().parent.parent
WRONG = "a wrong but telling password"


def test_a_served_installation_writes_none_of_the_secrets_that_pass_through_it(sqlite_url: str) -> None:
    with served(sqlite_url) as (url, output):
        set_up = wait_for(url, output)
        secrets = use_everything(url, set_up)
    written = output.read_text()
    assert written.count(set_up) == 1, "the set-up address is printed, once"
    found = {name for name, secret in secrets.items() if secret in written.replace(f"{url}/set-up/{set_up}", "")}
    assert not found, written
    assert len(secrets) == 7


def use_everything(url: str, set_up: str) -> dict[str, str]:
    """Every secret that there is, used rightly and wrongly; by name."""
    with httpx2.Client(base_url=url, headers=BROWSER_HEADERS, timeout=30) as ana:
        ana.post(f"/set-up/{set_up}", data={"email": "ana@example.org", "name": "Ana", "password": PASSWORD})
        session = ana.cookies["adjudge"]
        ana.post("/sign-in", data={"email": "ana@example.org", "password": WRONG})
        form = {"name": "Help", "gain": "linear", "gain_reason": "so"}
        home = ana.post("/projects", data=form).headers["location"]
        invited = ana.post(f"{home}/invitations", data={"role": "reader", "note": "Ben"}).text
        invitation = re.findall(r"/invitations/([\w-]{43})", invited)[0]
        made = ana.post("/account/tokens", data={"name": "t", "right": "read", "project_id": home.split("/")[-1]})
        token = re.findall(r"adjudge_[\w-]{43}", made.text)[0]
    script = {"Authorization": f"Bearer {token}"}
    for path in ("/me", f"/projects/{home.split('/')[-1]}", "/nothing", "/%0d%0aforged%1b%5b31m"):
        httpx2.get(f"{url}{API}{path}", headers=script)
    for _ in range(2):
        ben = {"email": "ben@example.org", "name": "Ben", "password": PASSWORD}
        httpx2.post(f"{url}{API}/invitations/{invitation}", json=ben)
    return {
        "password": PASSWORD,
        "wrong password": WRONG,
        "session": session,
        "invitation": invitation,
        "token": token,
        "line break": "forged",
        "set-up code": set_up,
    }


@contextmanager
def served(database_url: str) -> Iterator[tuple[str, Path]]:
    """`adjudge serve` in a process of its own; its address, and the file that holds all it writes."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    output = Path(database_url.removeprefix("sqlite:///")).parent / "output.txt"
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--port", str(port)]
    environment = {**os.environ, "DATABASE_URL": database_url, "PYTHONUNBUFFERED": "1"}
    with output.open("w") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield f"http://127.0.0.1:{port}", output
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(url: str, output: Path) -> str:
    """The set-up code, once the server answers."""
    for _ in range(300):
        try:
            if httpx2.get(f"{url}/readyz").status_code == 200:
                return str(re.findall(r"/set-up/([\w-]+)", output.read_text())[0])
        except httpx2.TransportError:
            time.sleep(0.1)
    raise AssertionError(output.read_text())


def test_a_statement_that_fails_is_logged_without_its_values(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    def break_a_rule(session: SessionDep) -> None:
        session.execute(
            text(
                "INSERT INTO member (project_id, id, name, role, joined_at) VALUES ('x', :secret, 'n', 'lead', 'now')"
            ),
            {"secret": "canary-secret"},
        )

    cast.app.add_api_route("/breaks", break_a_rule, methods=["POST"])
    client = TestClient(cast.app, headers=BROWSER_HEADERS, raise_server_exceptions=False)
    with caplog.at_level(logging.DEBUG):
        answer = client.post("/breaks")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in caplog.text
    assert "INSERT INTO member" in caplog.text
    assert "canary-secret" not in caplog.text + answer.text


def test_nothing_is_logged_of_a_wrong_password_or_an_unknown_token(
    cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    cast.person("ana")
    with caplog.at_level(logging.DEBUG):
        cast.browser(None).post("/sign-in", data={"email": "ana@example.org", "password": WRONG})
        cast.browser(None).post("/sign-in", data={"email": WRONG, "password": "x"})
        TestClient(cast.app, headers={"Authorization": "Bearer adjudge_canary"}).get(f"{API}/me")
    assert WRONG not in caplog.text
    assert "adjudge_canary" not in caplog.text
