"""What a route about imports stands on: the kind in its address, the answers in its form, the upload it is about."""

import io
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, BinaryIO

from fastapi import Depends, Path, Request, Response, UploadFile
from fastapi.concurrency import run_in_threadpool

from app.corpora.kinds import Intake, Kind
from app.corpora.models import Upload
from app.db import ID_LENGTH, SAFE_METHODS, Database, SessionDep
from app.errors import FieldError, NotThere
from app.projects.guards import LeadSeat, seated
from app.reading import CheckedRoute
from app.settings import Settings
from app.web import is_api

RowId = Annotated[str, Path(pattern=f"^[a-z2-7]{{{ID_LENGTH}}}$")]


find_lead = seated("lead")


def known_kind(request: Request, session: SessionDep, seat: LeadSeat, kind_name: str) -> Kind:
    """The kind of the address, out of those that app/main.py lists, unless the lead must not see such files yet."""
    for kind in kinds_of(request):
        if kind.name == kind_name:
            kind.refuse(session, seat)
            return kind
    raise NotThere


def kinds_of(request: Request) -> tuple[Kind, ...]:
    kinds: tuple[Kind, ...] = request.app.state.import_kinds
    return kinds


def intake(request: Request, seat: LeadSeat) -> Intake:
    settings: Settings = request.app.state.settings
    return Intake(seat.project, seat.person, settings.uploads_dir)


def own_upload(session: SessionDep, seat: LeadSeat, kind_name: str, upload_id: RowId) -> Upload:
    upload = session.get(Upload, (seat.project.id, upload_id))
    if upload is None or upload.kind != kind_name:
        raise NotThere
    return upload


async def typed_answers(request: Request) -> dict[str, list[str]]:
    """Every field of the form but the file and a page's pasted text: answers to the kind's choices, by name."""
    form = await request.form()
    answers: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str) and (name != "text" or is_api(request.url.path)):
            answers.setdefault(name, []).append(value)
    return answers


def asked_answers(request: Request) -> dict[str, list[str]]:
    """As `typed_answers`, out of the address."""
    return {name: request.query_params.getlist(name) for name in request.query_params}


class UploadRoute(CheckedRoute):
    """Asks who sends before a byte of a file is read, in a transaction of its own: one that waited for the last byte
    would hold up everybody who grades meanwhile.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        read_and_answer = super().get_route_handler()

        async def ask_and_answer(request: Request) -> Response:
            if request.method not in SAFE_METHODS:
                await require_lead(request)
            return await read_and_answer(request)

        return ask_and_answer


async def require_lead(request: Request) -> None:
    database: Database = request.app.state.database

    def look() -> None:
        with database.session(writes=False) as session:
            find_lead(request, session, request.path_params["project_id"])

    async with database.turn(writes=False):
        await run_in_threadpool(look)


def open_handed_in(file: UploadFile | None, text: str) -> tuple[BinaryIO, str]:
    """The stream and the name of what the form holds: a file or, where none was chosen, the pasted text."""
    if file is not None and (file.filename or file.size):
        if text.strip():
            raise FieldError("text", "There are both a file and a text.", "Choose one: take the text out, or the file.")
        return file.file, file.filename or ""
    if not text.strip():
        raise FieldError("file", "There is neither a file nor a text.", "Choose a file, or paste its text.")
    return io.BytesIO(text.encode()), "the pasted text"


KnownKind = Annotated[Kind, Depends(known_kind)]
OwnUpload = Annotated[Upload, Depends(own_upload)]
TypedAnswers = Annotated[dict[str, list[str]], Depends(typed_answers)]
AskedAnswers = Annotated[dict[str, list[str]], Depends(asked_answers)]
IntakeDep = Annotated[Intake, Depends(intake)]
