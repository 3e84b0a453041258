"""Examples for the rubric out of the corpus: find a query and a document, say why, and they stand in the draft."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.corpora import queries as selects
from app.corpora.models import Document
from app.corpora.models import Query as Asked
from app.db import SessionDep
from app.errors import FieldError, NotThere
from app.projects.guards import LeadSeat, Seat
from app.reading import CheckedRoute
from app.rubrics.arranging import ExampleKind, with_example
from app.rubrics.models import HIGHEST_LEVEL
from app.rubrics.queries import draft_rubric
from app.rubrics.texts import Example, RubricText
from app.rubrics.writing import save_draft, text_of
from app.web import page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/rubric/draft")
LONGEST_EXTRACT = 600
"""Characters of a document that an example keeps: what a labeller reads beside the buttons."""
Level = Annotated[int, Query(ge=0, le=HIGHEST_LEVEL)]
Text = Annotated[str, Form()]


@router.get("/examples")
def find_examples(
    request: Request,
    session: SessionDep,
    seat: LeadSeat,
    level: Level,
    kind: ExampleKind = "examples",
    find_query: str = "",
    find_document: str = "",
) -> Response:
    text = saved_draft(session, seat)
    if level >= len(text.levels):
        raise NotThere
    return page(
        request,
        "rubrics/examples.html",
        seat=seat,
        level=text.levels[level],
        kind=kind,
        find_query=find_query,
        find_document=find_document,
        queries=selects.queries_page(session, seat.project, after="", find=find_query)[0],
        documents=selects.documents_page(session, seat.project, after="", find=find_document)[0],
        error=None,
    )


@router.post("/examples")
def add_example(
    session: SessionDep,
    seat: LeadSeat,
    level: Annotated[int, Form(ge=0, le=HIGHEST_LEVEL)],
    kind: Annotated[ExampleKind, Form()],
    query_id: Text = "",
    document_id: Text = "",
    why: Text = "",
) -> Response:
    """The draft keeps the texts as they are shown now, whatever becomes of the corpus."""
    text = saved_draft(session, seat)
    query = session.get(Asked, (seat.project.id, query_id))
    document = session.get(Document, (seat.project.id, document_id))
    if level >= len(text.levels):
        raise NotThere
    if query is None or document is None:
        raise FieldError("query_id", "Choose a query and a document.", "Go back; nothing was changed.")
    example = Example(query.text or query.qid, extract(document), why)
    save_draft(session, seat.project, with_example(text, level, kind, example))
    return see(f"/projects/{seat.project.id}/rubric/draft#level-{level}")


def saved_draft(session: Session, seat: Seat) -> RubricText:
    draft = draft_rubric(session, seat.project.id)
    if draft is None:
        raise NotThere("There is no draft to put an example into.", "Begin one under Rubric.")
    return text_of(session, draft)


def extract(document: Document) -> str:
    """Title and the beginning of the text, cut at a word."""
    shown = ". ".join(part for part in (document.title.rstrip("."), " ".join(document.text.split())) if part)
    if len(shown) <= LONGEST_EXTRACT:
        return shown or document.docno
    return shown[:LONGEST_EXTRACT].rpartition(" ")[0] + " …"
