"""A round that a release was made of stays closed: what its labellers gave is what the release says they gave. So does
one that the gate has failed.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.agreement.answered_before import earlier_answers
from app.agreement.gate import gate_of
from app.errors import RuleError
from app.judging.models import Round
from app.judging.queries import family_of
from app.projects.models import Project
from app.releases.manifest import read_manifest
from app.releases.models import Release


def keep_closed(session: Session, round_: Round) -> None:
    """RuleError where a release of what was judged here names the round, or the gate has failed it."""
    judged = select(Release).where(Release.project_id == round_.project_id, Release.kind == "judged")
    for release in session.scalars(judged.order_by(Release.number)):
        if any(each["number"] == round_.number for each in read_manifest(release)["rounds"]):
            raise RuleError(
                f"Release {release.number} was made of round {round_.number}, which stays as it was then.",
                "Judge further queries in a new round; the next release holds both.",
                conditions=["release"],
                release=release.number,
            )
    refuse_after_failure(session, round_)


def refuse_after_failure(session: Session, round_: Round) -> None:
    """RuleError where the gate has failed what was judged under the round's rubric, now or before. What it was told
    must stay what it was, or the same queries would be graded until they pass.
    """
    project = session.get_one(Project, round_.project_id)
    gate = gate_of(session, project, family_of(session, round_))
    if gate.answer.answer == "failed" or earlier_answers(session, project, gate).has_failed:
        raise RuleError(
            "The gate has failed what was judged under this rubric, and what it was told stays as it is.",
            "See what differs, write the next version, and judge fresh queries.",
            conditions=["gate"],
        )
