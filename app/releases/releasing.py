"""Freezing a judged set: the gate is asked again, and from then on the database keeps every judgment as it is."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing

from sqlalchemy.orm import Session

from app.corpora.kinds import batches
from app.db import insert_rows
from app.errors import FieldError, RuleError
from app.formats.errors import FormatError
from app.names import checked_name, checked_text
from app.projects.guards import Seat
from app.projects.models import Project
from app.projects.queries import lock_project
from app.record.keeping import head_of, record
from app.record.sealing import seals_of
from app.releases.carrying import with_carried
from app.releases.describing import describe
from app.releases.manifest import Judged, canonical, digest, sha256
from app.releases.models import Judgment, Release
from app.releases.prospect import WAIVABLE, Condition, Prospect, conditions_of, look_ahead, without_names
from app.releases.queries import JUDGMENTS_A_BATCH, newest_of, next_number, number_of
from app.releases.settling import Settled, settle

LONGEST_NAME = 120
ANOTHER_NAME = "Give it a name of its own: scores and files are told apart by it."
FOR_GOOD = "Write it; it stands in the manifest for good."
LONGEST_REASON = 2000
NOT_FROZEN = Condition(
    "release", is_met=False, sentence="Every condition is met, but nobody has frozen a release yet.", link="/releases"
)


def conditions(
    session: Session, project: Project, *, is_carrying: bool = False, is_naming: bool = False
) -> list[Condition]:
    """What a release of the newest rubric's family must meet, each met or not; labellers by name only for leads."""
    prospect = look_ahead(session, project, is_carrying=is_carrying)
    return list(conditions_of(prospect if is_naming or prospect is None else without_names(prospect)))


class NameTaken(FieldError):
    """Another release bears the name."""

    status = 409

    def __init__(self, number: int, name: str) -> None:
        super().__init__("name", f"Release {number} is called {name} already.", ANOTHER_NAME)


def freeze(
    session: Session, seat: Seat, *, name: str, waiver_reason: str | None = None, is_carrying: bool = False
) -> Release:
    """Release N of what is judged now, and with `is_carrying` of what earlier families judged by levels that have not
    changed. RuleError where a condition fails; with a `waiver_reason`, where one fails that no waiver can waive, or
    where none needs to be waived; NameTaken. The caller has had the password given again.
    """
    project = lock_project(session, seat.project)
    name = checked_name(name, "name", longest=LONGEST_NAME, way_out=FOR_GOOD)
    if (taken := number_of(session, project, name)) is not None:
        raise NameTaken(taken, name)
    prospect = look_ahead(session, project, is_carrying=is_carrying)
    prospect = require_conditions(prospect, is_waived=waiver_reason is not None)
    if waiver_reason is not None:
        waiver_reason = checked_text(waiver_reason, "waiver_reason", longest=LONGEST_REASON, way_out=FOR_GOOD)
    number = next_number(session, project)
    hashes = digest_or_refuse(session, project, prospect)
    manifest = canonical(
        describe(session, project, prospect, number=number, name=name, waiver_reason=waiver_reason, hashes=hashes)
    )
    release = Release(
        project_id=project.id,
        number=number,
        kind="judged",
        name=name,
        is_gated=waiver_reason is None,
        waiver_reason=waiver_reason,
        sha256=sha256(manifest),
        manifest=manifest,
        frozen_by_id=seat.person.id,
    )
    if waiver_reason is not None:
        record(session, project.id, "waiver signed", number=number)
    with closing(judgments(session, project, prospect)) as judged:
        keep(session, release, judged)
    return release


def nothing_released(session: Session, project: Project) -> RuleError:
    """Why what was judged here can't leave, for whoever asked: the conditions that fail, by name and sentence."""
    failing = [condition for condition in conditions(session, project) if not condition.is_met]
    return refusal("Nothing that was judged here has been released yet.", failing or [NOT_FROZEN])


def require_newest(session: Session, project: Project) -> Release:
    """The newest release of what was judged here, else RuleError."""
    newest = newest_of(session, project, "judged")
    if newest is None:
        raise nothing_released(session, project)
    return newest


def refusal(sentence: str, failing: Sequence[Condition]) -> RuleError:
    return RuleError(
        " ".join([sentence, *(f"Not met: {condition.name}. {condition.sentence}" for condition in failing)]),
        "Look at the conditions under Releases; each has a link to where it can be met.",
        conditions=[condition.name for condition in failing],
        failing=[condition.as_details() for condition in failing],
    )


def require_conditions(prospect: Prospect | None, *, is_waived: bool) -> Prospect:
    failing = [condition for condition in conditions_of(prospect) if not condition.is_met]
    blocking = [condition for condition in failing if not (is_waived and condition.name in WAIVABLE)]
    if prospect is None or blocking:
        raise refusal("This can't be released.", blocking)
    if is_waived and not failing:
        raise RuleError(
            "Every condition is met, so that there is nothing to waive.",
            "Freeze the release without a waiver: it is then gated.",
            conditions=[],
        )
    return prospect


def judgments(session: Session, project: Project, prospect: Prospect) -> Generator[Settled]:
    return with_carried(session, project, judged_here(session, project, prospect), prospect.carried_from)


def judged_here(session: Session, project: Project, prospect: Prospect) -> Generator[Settled]:
    with closing(
        settle(
            session,
            project,
            family=prospect.family,
            decisions=prospect.decisions,
            zero_reasons=prospect.zero_reasons,
        )
    ) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Settled):
                yield outcome


def digest_or_refuse(session: Session, project: Project, prospect: Prospect) -> dict[str, str]:
    try:
        with closing(judgments(session, project, prospect)) as judged:
            return digest(judged)
    except FormatError as error:
        raise RuleError(f"This can't be released: {error.reason}.", error.way_out, conditions=["judgments"]) from error


def keep(session: Session, release: Release, judged: Iterable[Judged]) -> None:
    """Writes the release and its judgments; triggers refuse every later change of either."""
    release.record_number, release.record_hash = head_of(session, release.project_id)
    session.add(release)
    session.flush()
    for batch in batches(judged, JUDGMENTS_A_BATCH):
        rows = [
            {
                "project_id": release.project_id,
                "release_id": release.id,
                "qid": each.qid,
                "docno": each.docno,
                "grade": each.grade,
                "source": each.source,
                "text_hash": each.text_hash,
            }
            for each in batch
        ]
        insert_rows(session, Judgment, rows)
    frozen = {"number": release.number, "kind": release.kind, "is_gated": release.is_gated, "sha256": release.sha256}
    told = {"release": release.id, **frozen, "seals": seals_of(session, release)}
    record(session, release.project_id, "release frozen", **told)
