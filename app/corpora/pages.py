"""Bringing files in: the form, the preview before anything is written, and what it did; and what the corpus holds."""

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.corpora import importing
from app.corpora import queries as selects
from app.corpora.choices import ask, read_answers
from app.corpora.guards import (
    AskedAnswers,
    IntakeDep,
    KnownKind,
    OwnUpload,
    RowId,
    TypedAnswers,
    UploadRoute,
    kinds_of,
    open_handed_in,
)
from app.corpora.kinds import Intake, Kind, first_missing
from app.corpora.models import Document, Query, Upload
from app.corpora.picturing import bars
from app.db import SessionDep
from app.errors import InputError, NotThere
from app.projects.guards import LeadSeat, Seat
from app.web import page, see

router = APIRouter(route_class=UploadRoute, include_in_schema=False, prefix="/projects/{project_id}")


@router.get("/corpus")
def show_corpus(request: Request, session: SessionDep, seat: LeadSeat) -> Response:
    kinds = [(kind, kind.count(session, seat.project)) for kind in kinds_of(request)]
    by_id_only = selects.count_by_id_only(session, seat.project)
    return page(
        request,
        "corpora/corpus.html",
        seat=seat,
        kinds=kinds,
        missing=first_missing(kinds, by_id_only),
        by_id_only=by_id_only,
        waiting=selects.waiting_uploads(session, seat.project),
        recent=selects.recent_imports(session, seat.project),
        kind_of={kind.name: kind for kind, _ in kinds},
    )


@router.get("/corpus/queries")
def list_queries(request: Request, session: SessionDep, seat: LeadSeat, after: str = "", find: str = "") -> Response:
    queries, has_more = selects.queries_page(session, seat.project, after=after, find=find)
    return page(request, "corpora/queries.html", seat=seat, queries=queries, has_more=has_more, after=after, find=find)


@router.get("/corpus/queries/{query_id}")
def show_query(request: Request, session: SessionDep, seat: LeadSeat, query_id: RowId) -> Response:
    query = session.get(Query, (seat.project.id, query_id))
    if query is None:
        raise NotThere
    return page(request, "corpora/query.html", seat=seat, query=query)


@router.get("/corpus/documents")
def list_documents(request: Request, session: SessionDep, seat: LeadSeat, after: str = "", find: str = "") -> Response:
    documents, has_more = selects.documents_page(session, seat.project, after=after, find=find)
    return page(
        request, "corpora/documents.html", seat=seat, documents=documents, has_more=has_more, after=after, find=find
    )


@router.get("/corpus/documents/{document_id}")
def show_document(request: Request, session: SessionDep, seat: LeadSeat, document_id: RowId) -> Response:
    document = session.get(Document, (seat.project.id, document_id))
    if document is None:
        raise NotThere
    return page(request, "corpora/document.html", seat=seat, document=document)


@router.get("/imports/{kind_name}")
def show_import(request: Request, session: SessionDep, seat: LeadSeat, kind: KnownKind) -> Response:
    return import_form(request, session, seat, kind, typed={}, text="", error=None)


@router.post("/imports/{kind_name}")
def hand_in(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    kind: KnownKind,
    typed: TypedAnswers,
    intake: IntakeDep,
    file: Annotated[UploadFile | None, File()] = None,
    text: Annotated[str, Form()] = "",
) -> Response:
    try:
        stream, name = open_handed_in(file, text)
        upload = importing.stage(session, kind, intake, stream=stream, name=name, typed=typed)
    except InputError as error:
        return import_form(request, session, seat, kind, typed=typed, text=text, error=error)
    return see(f"/projects/{seat.project.id}/imports/{kind.name}/{upload.id}")


@router.get("/imports/{kind_name}/{upload_id}")
def show_upload(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    kind: KnownKind,
    upload: OwnUpload,
    intake: IntakeDep,
    asked: AskedAnswers,
) -> Response:
    if upload.state != "previewed":
        return page(request, "corpora/ended.html", seat=seat, kind=kind, upload=upload)
    choices = importing.choices_of(session, kind, seat.project)
    chosen = read_answers(choices, asked) if asked else upload.chosen
    return preview(request, session, seat, kind, intake, upload, chosen=chosen, error=None)


@router.post("/imports/{kind_name}/{upload_id}")
def bring_in(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    kind: KnownKind,
    upload: OwnUpload,
    intake: IntakeDep,
    typed: TypedAnswers,
) -> Response:
    here = see(f"/projects/{seat.project.id}/imports/{kind.name}/{upload.id}")
    if upload.state == "done":
        return here  # The button was pressed twice; what it did stands there.
    chosen = read_answers(importing.choices_of(session, kind, seat.project), typed)
    try:
        with session.begin_nested():
            importing.bring_in(session, kind, intake, upload, chosen=chosen)
    except InputError as error:
        return preview(request, session, seat, kind, intake, upload, chosen=chosen, error=error)
    return here


@router.post("/imports/{kind_name}/{upload_id}/drop")
def drop(session: SessionDep, seat: LeadSeat, kind: KnownKind, intake: IntakeDep, upload: OwnUpload) -> Response:
    importing.drop(session, intake, upload)
    return see(f"/projects/{seat.project.id}/imports/{kind.name}")


def import_form(
    request: Request,
    session: Session,
    seat: Seat,
    kind: Kind,
    *,
    typed: dict[str, list[str]],
    text: str,
    error: InputError | None,
) -> Response:
    choices = importing.choices_of(session, kind, seat.project)
    return page(
        request,
        "corpora/import.html",
        seat=seat,
        kind=kind,
        questions=ask(choices, typed),
        here=kind.count(session, seat.project),
        most_pasted=request.app.state.settings.max_form_bytes,
        text=text,
        error=error,
    )


def preview(
    request: Request,
    session: Session,
    seat: Seat,
    kind: Kind,
    intake: Intake,
    upload: Upload,
    *,
    chosen: dict[str, Any],
    error: InputError | None,
) -> Response:
    look = importing.look(session, kind, intake, upload, chosen=chosen)
    choices = importing.choices_of(session, kind, seat.project)
    return page(
        request,
        "corpora/preview.html",
        seat=seat,
        kind=kind,
        upload=upload,
        look=look,
        questions=[*ask(choices, chosen, look.preview.recognised), *(look.findings.asks if look.findings else ())],
        answers=[(name, value) for name, answer in look.chosen.items() for value in values_of(answer)],
        bars=bars(look.preview.histogram),
        error=error,
    )


def values_of(answer: str | list[str]) -> list[str]:
    return [answer] if isinstance(answer, str) else answer
