"""One's own tokens: made, shown once, revoked."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from app.db import SessionDep, now
from app.errors import FieldError, NotThere
from app.people.guards import Asker, Confirmed
from app.projects import issuing
from app.projects.issuing import issue_token
from app.projects.models import Token
from app.projects.queries import may_start, projects_of, tokens_of
from app.reading import CheckedRoute
from app.web import API, address_of, page, see

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/account/tokens")
Text = Annotated[str, Form()]


@router.get("")
def show_tokens(request: Request, session: SessionDep, asker: Confirmed) -> Response:
    return tokens_page(request, session, asker)


@router.post("")
def make_token(
    request: Request,
    session: SessionDep,
    asker: Confirmed,
    name: Text = "",
    right: Text = "",
    project_id: Text = "",
) -> Response:
    try:
        days = request.app.state.settings.token_days
        token, secret = issue_token(
            session, asker.person, name=name, right=right, project_id=project_id or None, days=days
        )
    except FieldError as error:
        typed = {"name": name, "right": right, "project_id": project_id}
        return tokens_page(request, session, asker, typed=typed, error=error)
    return tokens_page(request, session, asker, made=token, secret=secret)


@router.post("/{token_id}/revoke")
def revoke_token(session: SessionDep, asker: Confirmed, token_id: str) -> Response:
    token = session.get(Token, token_id)
    if token is None or token.person_id != asker.person.id:
        raise NotThere
    issuing.revoke_token(session, token)
    return see("/account/tokens")


def tokens_page(
    request: Request,
    session: SessionDep,
    asker: Asker,
    *,
    made: Token | None = None,
    secret: str = "",
    typed: dict[str, str] | None = None,
    error: FieldError | None = None,
) -> Response:
    return page(
        request,
        "projects/tokens.html",
        status=201 if made else 200,
        tokens=tokens_of(session, asker.person),
        projects=projects_of(session, asker.person),
        may_start=may_start(session, asker.person),
        days=request.app.state.settings.token_days,
        api=address_of(request, API),
        now=now(),
        made=made,
        secret=secret,
        typed=typed or {},
        error=error,
    )
