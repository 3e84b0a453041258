"""A round that a release was made of stays closed: what its labellers gave is what the release says they gave."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import RuleError
from app.judging.models import Round
from app.releases.manifest import read_manifest
from app.releases.models import Release


def keep_closed(session: Session, round_: Round) -> None:
    """RuleError where a release of what was judged here names the round."""
    judged = select(Release).where(Release.project_id == round_.project_id, Release.kind == "judged")
    for release in session.scalars(judged.order_by(Release.number)):
        if any(each["number"] == round_.number for each in read_manifest(release)["rounds"]):
            raise RuleError(
                f"Release {release.number} was made of round {round_.number}, which stays as it was then.",
                "Judge further queries in a new round; the next release holds both.",
                conditions=["release"],
                release=release.number,
            )
