"""Tokens: keys for scripts, each one person's, for one project and one right."""

import secrets
from datetime import timedelta
from typing import get_args

from sqlalchemy.orm import Session

from app.db import now
from app.errors import FieldError
from app.names import checked_name
from app.people.models import Person
from app.people.signing_in import hashed
from app.projects.joining import withdraw_unused
from app.projects.models import Invitation, Right, Token
from app.projects.queries import may_start, projects_of
from app.projects.starting import one_of
from app.record.keeping import record
from app.record.models import INSTALLATION

PREFIX = "adjudge_"
"""Tells people, and programs that search for leaked keys, what they have found."""
SHOWN = len(PREFIX) + 4


def issue_token(
    session: Session, person: Person, *, name: str, right: str, project_id: str | None, days: int
) -> tuple[Token, str]:
    """A new token and its secret, which is told now and never again. A `start` token is for no project yet."""
    name = checked_name(name, "name", longest=100, way_out="Write what it is for, like nightly scores.")
    right = one_of(right, "right", get_args(Right))
    if right == "start":
        project_id = None
        if not may_start(session, person):
            raise FieldError("right", "You may not start projects.", "Choose read or write.")
    elif project_id not in {project.id for project, _ in projects_of(session, person)}:
        raise FieldError("project_id", "That is not a project of yours.", "Choose one of the list.")
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token(
        person_id=person.id,
        project_id=project_id,
        right=right,
        name=name,
        prefix=secret[:SHOWN],
        secret_hash=hashed(secret),
        expires_at=now() + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    record(session, project_id or INSTALLATION, "token made", token=token.id, owner=person.id, right=right)
    return token, secret


def revoke_token(session: Session, token: Token) -> None:
    """Nobody gets in with it any more, nor with an invitation that it made. Revoking it twice changes nothing."""
    if token.revoked_at is None:
        token.revoke()
        record(session, token.project_id or INSTALLATION, "token revoked", token=token.id, owner=token.person_id)
        withdraw_unused(session, Invitation.token_id == token.id)
