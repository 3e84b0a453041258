"""The application as trials of crashes serve it: sound, and with the fault that such a trial must notice."""

import threading
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, Request
from sqlalchemy import event
from sqlalchemy.orm import Session

from app.db import SAFE_METHODS, Database, open_session
from app.main import create_app
from app.settings import Settings

LATE_SECONDS = 0.1


def sound() -> FastAPI:
    return create_app(Settings())


def commits_after_the_answer() -> FastAPI:
    """Acknowledges a grade first and commits it a moment later: what a crash in between must bring to light."""
    app = sound()
    app.dependency_overrides[open_session] = open_late_session
    return app


def never_syncs() -> FastAPI:
    """Commits to SQLite without waiting for the disk: what a loss of power in between must bring to light."""
    app = sound()

    @event.listens_for(app.state.database.engine, "connect")
    def forget(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA synchronous=OFF")

    return app


def open_late_session(request: Request) -> Iterator[Session]:
    database: Database = request.app.state.database
    writes = request.method not in SAFE_METHODS
    session = Session(database.engine if writes else database.reading, expire_on_commit=False)
    try:
        yield session
    except BaseException:
        session.rollback()
        session.close()
        raise
    threading.Timer(LATE_SECONDS if writes else 0, finish, [session]).start()


def finish(session: Session) -> None:
    session.commit()
    session.close()
