"""The least that a grade can cost with these libraries: a FastAPI route that parses the form, does one durable INSERT
and draws the same page. No accounts, no checks, no record; which pair comes next is known beforehand.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Form, Request
from fastapi.responses import Response
from sqlalchemy import Column, Integer, MetaData, Table, Text, insert, select

from app.db import Database, UtcTime, new_id, now
from app.judging.answer_pages import MOST_AHEAD
from app.judging.desk import Place, Shown, own_pairs, place_of
from app.judging.grading import Press
from app.judging.keys import shown_with
from app.judging.models import Assignment
from app.judging.sheets import laid_out
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.settings import Settings
from app.web import page

Written = Annotated[str, Form()]
PRESSES = Table(
    "bare_press",
    MetaData(),
    Column("id", Text, primary_key=True),
    *(Column(name, Text) for name in ("assignment_id", "key")),
    *(Column(name, Integer) for name in ("level", "revision", "active_ms")),
    Column("given_at", UtcTime),
)
ADD = insert(PRESSES)
PAIRS = 900


def serve() -> FastAPI:
    """The application on a database in which the scene is set."""
    database = Database(Settings().database_url)
    PRESSES.create(database.engine, checkfirst=True)
    seat, pairs, place = read_ahead(database)
    endless = cycle(pairs)

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = database.threads
        yield

    app = FastAPI(lifespan=live)
    router = APIRouter(prefix="/projects/{project_id}")

    @router.get("/desk")
    def show(request: Request) -> Response:
        return page(request, "judging/ahead.html", seat=seat, sheets=[laid_out(seat.project, next(endless), place)])

    @router.get("/desk/ahead")
    def show_ahead(request: Request) -> Response:
        return page(
            request,
            "judging/ahead.html",
            seat=seat,
            sheets=[laid_out(seat.project, next(endless), place) for _ in range(MOST_AHEAD)],
        )

    @router.post("/judging/{assignment_id}/grade")
    def grade(
        request: Request,
        assignment_id: str,
        level: Annotated[int, Form()],
        key: Written,
        revision: Annotated[int, Form()],
        next_id: Written,
        next_key: Written,
        active_ms: Annotated[int, Form()],
        holds: Annotated[int, Form()],  # noqa: ARG001 - a browser sends it
    ) -> Response:
        row = {"id": new_id(), "assignment_id": assignment_id, "key": key, "level": level, "revision": revision}
        with database.engine.begin() as connection:
            connection.execute(ADD, row | {"active_ms": active_ms, "given_at": now()})
        return page(
            request,
            "judging/answer.html",
            seat=seat,
            due=pairs[0]._replace(id=next_id, text_hash=shown_with(next_key)),
            place=place,
            sheet=None,
            ahead=laid_out(seat.project, next(endless), place),
            saved=Press(level, None, None),
            pair=None,
            error=None,
            press=None,
        )

    app.include_router(router)
    return app


def read_ahead(database: Database) -> tuple[Seat, list[Shown], Place]:
    """What the desk of one labeller shows, read before anything is measured."""
    with database.session(writes=False) as session:
        row = session.execute(select(Assignment.project_id, Assignment.labeller_id).limit(1)).one()
        member = session.get_one(Member, tuple(row))
        project, person = session.get_one(Project, member.project_id), session.get_one(Person, member.person_id)
        seat = Seat(project, member, person, "browser", None)
        pairs = list(own_pairs(session, seat, round_id=None, state="open", limit=PAIRS))
        return seat, pairs, place_of(session, seat, pairs[0])
