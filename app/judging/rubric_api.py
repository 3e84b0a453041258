"""Versions of the rubric for scripts, with the rounds and grades that each holds."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from app.db import SessionDep
from app.judging.queries import Held, held_by_version
from app.projects.guards import LeadSeat
from app.reading import CheckedRoute
from app.rubrics.queries import versions_of

router = APIRouter(route_class=CheckedRoute, tags=["rubrics"], prefix="/projects/{project_id}/rubrics")


class VersionOut(BaseModel):
    """Versions of one family count together; `is_minor` ones joined that of the version before."""

    id: str
    number: int
    family: int
    is_minor: bool
    published_at: datetime | None
    text_hash: str | None
    rounds: int
    grades: int


@router.get("")
def list_versions(session: SessionDep, seat: LeadSeat) -> list[VersionOut]:
    """Published versions, newest first."""
    held = held_by_version(session, seat.project.id)
    return [
        VersionOut(
            id=each.id,
            number=each.number,
            family=each.family,
            is_minor=each.is_minor,
            published_at=each.published_at,
            text_hash=each.text_hash,
            **held.get(each.id, Held(0, 0))._asdict(),
        )
        for each in versions_of(session, seat.project.id)
    ]
