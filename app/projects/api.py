"""Projects for scripts."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from app.projects.guards import MemberSeat
from app.projects.models import Project

router = APIRouter(tags=["projects"])


class Shape(BaseModel):
    """What the API takes: an unknown field is refused, so that a misspelt one is never ignored."""

    model_config = ConfigDict(extra="forbid")


class ProjectOut(BaseModel):
    id: str
    name: str
    gain: str
    gain_table: list[float] | None
    gain_reason: str
    policy: str
    is_small_set: bool
    role: str


def project_out(project: Project, role: str) -> ProjectOut:
    return ProjectOut(
        id=project.id,
        name=project.name,
        gain=project.gain,
        gain_table=project.gain_table,
        gain_reason=project.gain_reason,
        policy=project.policy,
        is_small_set=project.is_small_set,
        role=role,
    )


@router.get("/projects/{project_id}")
def show_project(seat: MemberSeat) -> ProjectOut:
    return project_out(seat.project, seat.role)
