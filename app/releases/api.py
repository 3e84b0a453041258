"""Releases for scripts, and the files that leave: qrels and manifest, streamed."""

import json
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from app.db import Database, SessionDep
from app.formats.qrels import write_qrels
from app.judging.guards import SeeingLead, SeeingReader
from app.projects.api import LONGEST_PASSWORD, Shape, refusal_without_password
from app.reading import CheckedRoute
from app.releases.manifest import exported, file_name, marks_of, read_manifest, sha256
from app.releases.models import Release
from app.releases.queries import each_judgment, release_in, releases_of
from app.releases.releasing import conditions, freeze, require_newest

router = APIRouter(route_class=CheckedRoute, tags=["releases"], prefix="/projects/{project_id}")


class ConditionOut(BaseModel):
    name: str
    is_met: bool
    sentence: str
    link: str


class ReleaseIn(Shape):
    """With `waiver_reason` the release is ungated, and the password of the token's owner is asked for. With
    `is_carrying` it takes in judgments of earlier families by levels of which no word has changed.
    """

    name: str
    is_carrying: bool = False
    waiver_reason: str | None = None
    password: str = Field(default="", max_length=LONGEST_PASSWORD)


class ReleaseOut(BaseModel):
    id: str
    number: int
    kind: str
    name: str
    gated: bool
    waiver_reason: str | None
    marks: list[str]
    queries: int
    judgments: int
    sources: dict[str, int]
    left_out: dict[str, int]
    sha256: str
    """Of the manifest without its line `record`; it names the hash of the qrels."""
    qrels_sha256: str
    frozen_at: datetime


class ReleaseWithManifest(ReleaseOut):
    manifest: dict[str, Any]


@router.get("/releases")
def list_releases(session: SessionDep, seat: SeeingReader) -> list[ReleaseOut]:
    """Newest first, reference qrels among them."""
    return [release_out(release) for release in releases_of(session, seat.project)]


@router.get("/releases/conditions")
def show_conditions(session: SessionDep, seat: SeeingReader, is_carrying: bool = False) -> list[ConditionOut]:  # noqa: FBT001, FBT002 - a query parameter.
    """What a release of the newest rubric's family must meet, asked now."""
    return [
        ConditionOut(name=each.name, is_met=each.is_met, sentence=each.sentence, link=each.link)
        for each in conditions(session, seat.project, is_carrying=is_carrying, is_naming=seat.role == "lead")
    ]


@router.post("/releases", status_code=201, response_model=ReleaseOut)
def freeze_release(request: Request, session: SessionDep, seat: SeeingLead, asked: ReleaseIn) -> ReleaseOut | Response:
    """409 names the conditions that fail."""
    seat.confirm_recently(request.app.state.settings)
    if asked.waiver_reason is not None:
        refusal = refusal_without_password(request, session, seat, password=asked.password, step="A waiver")
        if refusal is not None:
            return refusal
    release = freeze(session, seat, name=asked.name, waiver_reason=asked.waiver_reason, is_carrying=asked.is_carrying)
    return release_out(release)


@router.get("/releases/{release_id}")
def show_release(session: SessionDep, seat: SeeingReader, release_id: str) -> ReleaseWithManifest:
    release = release_in(session, seat.project, release_id)
    return ReleaseWithManifest(**release_out(release).model_dump(), manifest=json.loads(exported(release)))


@router.get("/releases/{release_id}/qrels", response_class=Response)
def export_qrels(request: Request, session: SessionDep, seat: SeeingReader, release_id: str) -> Response:
    """TREC qrels, sorted by the bytes of query and document id."""
    return qrels_answer(request, release_in(session, seat.project, release_id))


@router.get("/releases/{release_id}/manifest", response_class=Response)
def export_manifest(request: Request, session: SessionDep, seat: SeeingReader, release_id: str) -> Response:
    return manifest_answer(request, release_in(session, seat.project, release_id))


@router.get("/qrels", response_class=Response)
def export_newest_qrels(request: Request, session: SessionDep, seat: SeeingReader) -> Response:
    """Of the newest release that was judged here; 409, naming the conditions that fail, while there is none."""
    return qrels_answer(request, require_newest(session, seat.project))


def release_out(release: Release) -> ReleaseOut:
    manifest = read_manifest(release)
    counts = manifest["counts"]
    return ReleaseOut(
        id=release.id,
        number=release.number,
        kind=release.kind,
        name=release.name,
        gated=release.is_gated,
        waiver_reason=release.waiver_reason,
        marks=marks_of(release),
        queries=counts["queries"],
        judgments=counts["judgments"],
        sources=counts["sources"],
        left_out=counts["left_out"],
        sha256=release.sha256,
        qrels_sha256=manifest["hashes"]["qrels_sha256"],
        frozen_at=release.frozen_at,
    )


def qrels_answer(request: Request, release: Release) -> Response:
    database: Database = request.app.state.database
    judgments = each_judgment(
        partial(database.session, writes=False), project_id=release.project_id, release_id=release.id
    )
    headers = file_headers(release, ".qrels", read_manifest(release)["hashes"]["qrels_sha256"])
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return StreamingResponse(write_qrels(judgments), media_type="text/plain; charset=utf-8", headers=headers)


def manifest_answer(request: Request, release: Release) -> Response:
    manifest = exported(release)
    headers = file_headers(release, ".manifest.json", sha256(manifest))
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(manifest, media_type="application/json", headers=headers)


def file_headers(release: Release, ending: str, sha256: str) -> dict[str, str]:
    """The name says what the release is; the tag is the SHA-256 of the content, for whoever has the file already."""
    return {
        "Content-Disposition": f'attachment; filename="{file_name(release, ending)}"',
        "ETag": f'"{sha256}"',
        "Adjudge-Gated": json.dumps(release.is_gated),
    }
