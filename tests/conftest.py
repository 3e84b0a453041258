"""What every test may ask for: a migrated database of its own on either engine, the shared data, a browser."""

import ipaddress
import os
import shutil
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, sync_playwright
from sqlalchemy import URL
from starlette.routing import BaseRoute

from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.make import EVERYWHERE, Cast
from tests.migrating import migrate
from tests.postgres import NoPostgresError, fresh_database, running_server
from tests.serving import LiveServer, serving
from tools.chromium import find_chromium

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"
IS_CI = os.environ.get("CI") == "true"
CHROMIUM_OPTIONS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--no-first-run",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),  # As root its sandbox cannot start; it opens our pages only.
]


# Databases


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[URL]:
    """A PostgreSQL server that lives as long as the test session."""
    try:
        with running_server() as server:
            yield server
    except NoPostgresError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def postgresql_template(postgres_server: URL) -> Iterator[str]:
    """The name of a migrated, empty database: PostgreSQL copies it in a few hundredths of a second."""
    with fresh_database(postgres_server) as url:
        migrate(to_text(url))
        assert url.database
        yield url.database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file."""
    path = tmp_path_factory.mktemp("template") / "adjudge.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A migrated SQLite database of this test's own."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'adjudge.db')}"


@pytest.fixture
def postgresql_url(postgres_server: URL, postgresql_template: str) -> Iterator[str]:
    """A migrated PostgreSQL database of this test's own."""
    with fresh_database(postgres_server, template=postgresql_template) as url:
        yield to_text(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database of this test's own; the test runs once on each engine."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


def to_text(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


# The application: clients, and the cast of people from tests/make.py


@pytest.fixture
def cast(database_url: str, tmp_path: Path) -> Iterator[Cast]:
    """The application on this test's own database, and whoever the test wants in it."""
    settings = Settings(database_url=database_url, uploads_dir=tmp_path / "uploads", host=EVERYWHERE)
    app = with_known_routes(create_app(settings))
    yield Cast(app, app.state.database)
    app.state.database.close()


@pytest.fixture
def cast_apart(cast: Cast) -> Iterator[Cast]:
    """The cast with an application whose routes are its own."""
    app = create_app(cast.app.state.settings)
    yield replace(cast, app=app)
    app.state.database.close()


KNOWN_ROUTES: list[BaseRoute] = []


def with_known_routes(app: FastAPI) -> FastAPI:
    """FastAPI works all routes out when the first is asked for, in a quarter of a second: one application's serve the
    rest of the tests. They are guarded as that application says: a test that takes a guard out asks for `cast_apart`.
    """
    KNOWN_ROUTES[:] = KNOWN_ROUTES or app.router.routes
    app.router.routes[:] = KNOWN_ROUTES
    return app


@pytest.fixture
def live_server(cast: Cast) -> Iterator[LiveServer]:
    """The cast's application over a real socket. A test that needs it on one database only says so:
    `@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)`.
    """
    with serving(cast) as server:
        yield server


# Real data


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real judged sets that stands beside a developer's clone, and is not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip("The shared data does not stand beside this clone (../shared/data).")
    return SHARED_DATA


# A browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; a test opens its own contexts in it, one for each person."""
    program = find_chromium()
    if program is None:
        pytest.skip("There is no Chromium here; `make test` installs one.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()


# What holds for every test


def refuse_other_machines(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: a test that looks up or calls any machine but this one fails on the spot."""
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # A path or bytes is a socket of this machine.
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if isinstance(host, str) and not is_this_machine(host):
        raise PermissionError(f"A test tried to reach {host}; tests reach this machine only.")


def is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("", "localhost")


sys.addaudithook(refuse_other_machines)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not hasattr(report, "wasxfail"):
        fail_skip_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_skip_in_ci(report)
    return report


def fail_skip_in_ci(report: pytest.TestReport | pytest.CollectReport) -> None:
    """CI has everything that tests need, so that a skip there is a hole in the net."""
    if IS_CI and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI skips nothing, and this was skipped: {reason}"
