"""What a route about imports stands on: the kind in its address, the answers in its form, the upload it is about."""

import io
from typing import Annotated, BinaryIO

from fastapi import Depends, Path, Request, UploadFile
from pydantic import AfterValidator

from app.corpora.importing import Intake, Kind
from app.corpora.models import Upload
from app.db import ID_LENGTH, SessionDep
from app.errors import FieldError, NotThere
from app.projects.guards import LeadSeat
from app.settings import Settings


def without_nul(word: str) -> str:
    """PostgreSQL refuses a NUL even to look for it; nothing here holds one."""
    return word.replace("\0", "")


Word = Annotated[str, AfterValidator(without_nul)]
RowId = Annotated[str, Path(pattern=f"^[a-z2-7]{{{ID_LENGTH}}}$")]


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
    """Every field of the form but the file and the pasted text: answers to the kind's choices, by name."""
    form = await request.form()
    answers: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str) and name != "text":
            answers.setdefault(name, []).append(value)
    return answers


def asked_answers(request: Request) -> dict[str, list[str]]:
    """As `typed_answers`, out of the address."""
    return {name: request.query_params.getlist(name) for name in request.query_params}


def open_handed_in(file: UploadFile | None, text: str) -> tuple[BinaryIO, str]:
    """The stream and the name of what the form holds: a file or, where none was chosen, the pasted text."""
    if file is not None and (file.filename or file.size):
        return file.file, file.filename or ""
    if not text.strip():
        raise FieldError("file", "There is neither a file nor a text.", "Choose a file, or paste its text.")
    return io.BytesIO(text.encode()), "the pasted text"


KnownKind = Annotated[Kind, Depends(known_kind)]
OwnUpload = Annotated[Upload, Depends(own_upload)]
TypedAnswers = Annotated[dict[str, list[str]], Depends(typed_answers)]
AskedAnswers = Annotated[dict[str, list[str]], Depends(asked_answers)]
IntakeDep = Annotated[Intake, Depends(intake)]
