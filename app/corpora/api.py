"""Files brought in by scripts, and what the corpus holds."""

from typing import Annotated, Any

from fastapi import APIRouter, File, Request, UploadFile
from pydantic import BaseModel

from app.corpora import importing
from app.corpora import queries as selects
from app.corpora.choices import Choice
from app.corpora.guards import IntakeDep, KnownKind, TypedAnswers, UploadRoute, kinds_of
from app.corpora.importing import Look
from app.corpora.kinds import Findings, first_missing
from app.corpora.models import Upload
from app.db import SessionDep
from app.projects.guards import LeadSeat

router = APIRouter(route_class=UploadRoute, prefix="/projects/{project_id}", tags=["corpus"])
FORM = {
    "requestBody": {
        "content": {
            "multipart/form-data": {
                "schema": {
                    "additionalProperties": {"type": "string"},
                    "description": "The file, and answers to the kind's choices by their names.",
                }
            }
        }
    }
}


class ChoiceOut(BaseModel):
    name: str
    words: str
    hint: str
    takes: str
    options: list[str]


class KindOut(BaseModel):
    """What such a file is, and what can be chosen about it."""

    kind: str
    about: str
    example: str
    here: int
    choices: list[ChoiceOut]
    """Options of bringing such a file in: form fields of these names beside the file. Of `takes` option one of
    `options`, line a text, column a heading of the file, columns several, renames several theirs=ours.
    """


class RecognisedOut(BaseModel):
    format: str
    encoding: str
    has_header: bool
    columns: list[str]
    delimiter: str | None
    roles: dict[str, str]
    people: list[str]
    notes: list[str]


class ImportOut(BaseModel):
    """What was recognised, and what bringing it in did; or would do, where the state is `previewed`."""

    upload_id: str | None
    """None after a dry run: nothing of it stays."""
    state: str
    sha256: str
    size: int
    recognised: RecognisedOut
    columns: list[str]
    rows: list[list[str]]
    """The first ten, as they were understood."""
    count: int
    histogram: dict[str, int]
    counts: dict[str, int]
    notes: list[str]
    problems: list[dict[str, Any]]
    see: str


class CorpusOut(BaseModel):
    here: dict[str, int]
    """How many there are of each kind that can be brought in: queries, documents, runs and so on."""
    queries_without_text: int
    placeholders: int
    """Documents known by their docno only."""
    missing: str | None
    """The kind that the project needs next and has none of."""


@router.get("/corpus")
def show_corpus(request: Request, session: SessionDep, seat: LeadSeat) -> CorpusOut:
    kinds = [(kind, kind.count(session, seat.project)) for kind in kinds_of(request)]
    missing = first_missing(kinds, selects.count_by_id_only(session, seat.project))
    return CorpusOut(
        here={kind.name: number for kind, number in kinds},
        queries_without_text=selects.count_queries_without_text(session, seat.project),
        placeholders=selects.count_placeholders(session, seat.project),
        missing=missing.name if missing else None,
    )


@router.get("/imports/{kind_name}")
def show_kind(session: SessionDep, seat: LeadSeat, kind: KnownKind) -> KindOut:
    choices = importing.choices_of(session, kind, seat.project)
    return KindOut(
        kind=kind.name,
        about=kind.about,
        example=kind.example,
        here=kind.count(session, seat.project),
        choices=[choice_out(choice) for choice in choices],
    )


@router.post("/imports/{kind_name}", openapi_extra=FORM)
def bring_in(
    session: SessionDep,
    _seat: LeadSeat,
    kind: KnownKind,
    typed: TypedAnswers,
    intake: IntakeDep,
    file: Annotated[UploadFile, File()],
    *,
    dry_run: bool = False,
) -> ImportOut:
    """All of the file or nothing. With `dry_run` it is only looked at, and nothing of it stays. The encoding is UTF-8
    where none is given: a script has nobody to look at a guess.
    """
    if not any(typed.get("encoding", ())):
        typed = {**typed, "encoding": ["utf-8"]}
    if not dry_run:
        importing.take_turn(session, intake)
    upload = importing.stage(session, kind, intake, stream=file.file, name=file.filename or "", typed=typed)
    look = importing.look(session, kind, intake, upload, chosen=upload.chosen, compares=dry_run)
    if look.problems:
        raise importing.refusal(look.problems, look.unlisted)
    if look.findings is not None:
        importing.forget(session, intake, upload)
        return import_out(upload, look, look.findings)
    return import_out(upload, look, importing.bring_in(session, kind, intake, upload, chosen=look.chosen))


def choice_out(choice: Choice) -> ChoiceOut:
    return ChoiceOut(
        name=choice.name,
        words=choice.words,
        hint=choice.hint,
        takes=choice.takes,
        options=[value for value, _ in choice.options],
    )


def import_out(upload: Upload, look: Look, findings: Findings) -> ImportOut:
    seen = look.preview
    return ImportOut(
        upload_id=upload.id if upload.state == "done" else None,
        state=upload.state,
        sha256=upload.sha256,
        size=upload.size,
        recognised=RecognisedOut(
            format=seen.recognised.format,
            encoding=seen.recognised.encoding,
            has_header=seen.recognised.has_header,
            columns=list(seen.recognised.columns),
            delimiter=seen.recognised.delimiter,
            roles=seen.recognised.roles,
            people=list(seen.recognised.people),
            notes=list(seen.recognised.notes),
        ),
        columns=list(seen.columns),
        rows=[list(row) for row in seen.rows],
        count=seen.count,
        histogram=seen.histogram,
        counts=findings.counts,
        notes=[*seen.notes, *findings.notes],
        problems=[],
        see=findings.see,
    )
