"""Bringing files in: staged, looked at, and then written whole or not at all. One machinery for every kind of file.

A file is handed in (`stage`), and lies under the uploads folder until somebody decides. `look` reads it and says what
it is, what it would do and what is wrong with it, and writes nothing. `bring_in` writes all of it in the request's one
transaction. Leads do it on the pages under /projects/{id}/imports/{kind}, scripts by a POST to the same address under
the API.
app/corpora/kinds.py tells how to add a kind.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from sqlalchemy import event
from sqlalchemy.orm import Session

from app.corpora.choices import ENCODING, Choice, read_answers, reading_options
from app.corpora.kinds import Findings, Incoming, Intake, Kind
from app.corpora.models import Upload
from app.corpora.staging import changed_since, copy, shown_name, staged_file, sweep
from app.db import new_id, plan_each_time
from app.errors import FieldError, InputError
from app.formats.errors import FormatError
from app.formats.recognise import MOST_PROBLEMS, Preview, preview
from app.projects.models import Project
from app.record.keeping import record


@dataclass(frozen=True)
class Look:
    """What was seen in a staged file; nothing was written. `findings` is None where the file can't be read."""

    preview: Preview
    findings: Findings | None
    chosen: dict[str, Any]
    """The answers it was read with; the encoding is among them, recognised or chosen."""

    @property
    def problems(self) -> list[FormatError]:
        """The first of them, as far as the file was read."""
        return [*self.preview.problems, *(self.findings.problems if self.findings else [])]

    @property
    def unlisted(self) -> int:
        return self.findings.unlisted if self.findings else 0

    @property
    def extent(self) -> str:
        """How many problems there are, in words."""
        return f"{how_many(self.problems, self.unlisted)} {'problem' if len(self.problems) == 1 else 'problems'}"


def how_many(problems: Sequence[FormatError], unlisted: int, *, but: int = 0) -> str:
    """The number of problems; where reading stopped because they were many, what it is at least."""
    was_cut = len(problems) >= MOST_PROBLEMS and not unlisted
    return f"{'at least ' if was_cut else ''}{len(problems) + unlisted - but:,}"


def choices_of(session: Session, kind: Kind, project: Project) -> list[Choice]:
    return [*kind.choices(session, project), ENCODING]


def take_turn(session: Session, intake: Intake) -> None:
    """Whoever brings something in waits for whoever does; foreign keys to the project are not held up by this lock.
    Where the same transaction stages the file, it is taken before: two that had staged theirs would wait for each
    other's key, which a kind that locks the whole project needs.
    """
    session.refresh(intake.project, with_for_update={"key_share": True})


def stage(
    session: Session, kind: Kind, intake: Intake, *, stream: BinaryIO, name: str, typed: dict[str, list[str]]
) -> Upload:
    """Copies the file, under a name of ours, to where it waits; whole in memory it never is."""
    chosen = read_answers(choices_of(session, kind, intake.project), typed)
    intake.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    sweep(intake.directory)
    upload_id = new_id()
    path = intake.directory / upload_id
    event.listen(session, "after_rollback", lambda _session: path.unlink(missing_ok=True))
    sha256, size = copy(stream, path)
    if size == 0:
        path.unlink()
        raise FieldError("file", "The file is empty.", "Choose the file again, or paste its text.")
    upload = Upload(
        project_id=intake.project.id,
        id=upload_id,
        kind=kind.name,
        name=shown_name(name),
        size=size,
        sha256=sha256,
        chosen=chosen,
        counts={},
        uploaded_by_id=intake.person.id,
    )
    session.add(upload)
    session.flush()
    return upload


def look(
    session: Session, kind: Kind, intake: Intake, upload: Upload, *, chosen: dict[str, Any], compares: bool = True
) -> Look:
    """Reads the staged file with these answers and, where nothing is wrong so far, compares it with what is here."""
    choices = choices_of(session, kind, intake.project)
    with staged_file(intake, upload).open("rb") as file:
        seen = preview(file, upload.name, kind.name, **reading_options(choices, chosen))
    if seen.sha256 != upload.sha256:
        raise changed_since(upload)
    chosen = {**chosen, "encoding": seen.recognised.encoding}
    if seen.problems or not compares:
        return Look(seen, None, chosen)
    return Look(seen, read_against(session, kind, incoming_of(intake, upload, choices, chosen), writes=False), chosen)


def bring_in(session: Session, kind: Kind, intake: Intake, upload: Upload, *, chosen: dict[str, Any]) -> Findings:
    """Writes all of the file. InputError, with the first problem's line and reason, where anything is wrong with it:
    the caller must then not keep what was written so far.
    """
    session.refresh(upload, with_for_update=True)
    upload.require_open()
    take_turn(session, intake)
    plan_each_time(session)
    path = staged_file(intake, upload)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != upload.sha256:
            raise changed_since(upload)
    incoming = incoming_of(intake, upload, choices_of(session, kind, intake.project), chosen)
    findings = read_against(session, kind, incoming, writes=True)
    if findings.problems:
        raise refusal(findings.problems, findings.unlisted)
    upload.chosen = chosen
    upload.counts = {"counts": findings.counts, "notes": findings.notes, "see": findings.see}
    upload.end("done")
    brought = {"kind": kind.name, "sha256": upload.sha256, "counts": findings.counts, "seals": findings.seals}
    record(session, upload.project_id, "file brought in", **brought)
    event.listen(session, "after_commit", lambda _session: path.unlink(missing_ok=True))
    return findings


def drop(session: Session, intake: Intake, upload: Upload) -> None:
    """Decides against the file; dropping it twice is the same as once."""
    session.refresh(upload, with_for_update=True)
    if upload.state == "dropped":
        return
    upload.require_open()
    upload.end("dropped")
    path = intake.path_of(upload)
    event.listen(session, "after_commit", lambda _session: path.unlink(missing_ok=True))


def forget(session: Session, intake: Intake, upload: Upload) -> None:
    """As if the file had never been handed in: after a script's dry run, which nobody will decide about."""
    path = intake.path_of(upload)
    session.delete(upload)
    event.listen(session, "after_commit", lambda _session: path.unlink(missing_ok=True))


def refusal(problems: Sequence[FormatError], unlisted: int) -> InputError:
    """The first problem as a refusal; the details hold the first twenty."""
    first = problems[0]
    place = first.file if first.line is None else f"{first.file}, line {first.line}"
    more = f" And {how_many(problems, unlisted, but=1)} more." if len(problems) > 1 else ""
    return InputError(
        f"{place}: {first.reason}.{more} Nothing was brought in.",
        first.way_out or "Mend the file and hand it in again.",
        file=first.file,
        line=first.line,
        reason=first.reason,
        text=first.text,
        problems=[as_shown(each) for each in problems],
    )


def as_shown(problem: FormatError) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "reason": problem.reason,
        "text": problem.text,
        "way_out": problem.way_out,
    }


def incoming_of(intake: Intake, upload: Upload, choices: Sequence[Choice], chosen: dict[str, Any]) -> Incoming:
    reading = reading_options(choices, chosen)
    return Incoming(intake.project, intake.person, intake.path_of(upload), upload.name, upload.sha256, chosen, reading)


def read_against(session: Session, kind: Kind, incoming: Incoming, *, writes: bool) -> Findings:
    try:
        return kind.bring_in(session, incoming, writes=writes)
    except FormatError as problem:
        return Findings(problems=[problem])
