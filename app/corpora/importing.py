"""Bringing files in: staged, looked at, and then written whole or not at all. One machinery for every kind of file.

A file is handed in (`stage`), and lies under the uploads folder until somebody decides. `look` reads it and says what
it is, what it would do and what is wrong with it, and writes nothing. `bring_in` writes all of it in the request's one
transaction. Leads do it on the pages under /projects/{id}/imports/{kind}, scripts by a POST to the same address under
the API.

How to add a kind (queries are the smallest example: importing_queries.py)
1. Its reader and its preview are in app/formats, under the same name.
2. In the slice that owns the rows, `importing_<kind>.py` with a function of the shape `BringIn`:

       def bring_in_pairs(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
           findings = Findings()
           with incoming.opened() as file:
               for batch in batches(read_pairs(file, incoming.name, **incoming.reading), 1000):
                   ...  # compare with what is there; count in findings.new, same, changed
                   if writes and not findings.problems:
                       insert_rows(session, Pair, rows)  # from app.db
           return findings

   It runs twice: with `writes=False` for the preview, in a transaction that can't write, and with `writes=True`. Both
   ways it counts the same. What is wrong is said by `findings.report(incoming.problem(line, reason, text, way_out))`;
   one problem is enough for nothing to be written. Raising FormatError (the readers do) or DomainError is fine as well.
   `incoming.chosen` holds the answers to the kind's choices, `incoming.reading` those meant for the reader.
3. A `Kind` of it, whose `choices` are the questions of its form (app/corpora/choices.py has the common ones).
   app/corpora/placeholders.py finds queries and documents by their outside ids, and makes missing ones known.
4. One line in IMPORT_KINDS of app/main.py, in the order in which a project needs them. Pages, API and /corpus follow.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from sqlalchemy import event, select
from sqlalchemy.orm import Session

from app.corpora.choices import ENCODING, Choice, read_answers, reading_options
from app.corpora.models import KEPT_FOR, Upload
from app.db import new_id, now, plan_each_time
from app.errors import FieldError, InputError, RuleError
from app.formats.errors import FormatError
from app.formats.recognise import MOST_PROBLEMS, Preview, preview
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Project

BLOCK = 1 << 20
LONGEST_NAME = 120
Row = TypeVar("Row")


@dataclass
class Findings:
    """What a file does to the project, or would do: rows that are new, the same as here, or changed."""

    new: int = 0
    same: int = 0
    changed: int = 0
    more: dict[str, int] = field(default_factory=dict)
    """Further counts, by the name that the API gives them."""
    notes: list[str] = field(default_factory=list)
    """Sentences about what else there is to know."""
    problems: list[FormatError] = field(default_factory=list)
    see: str = ""
    """Where what was made can be seen: an address under the project's, such as /rounds/abc."""

    def report(self, problem: FormatError) -> None:
        """Keeps the first problems; the file is refused for any."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)

    @property
    def counts(self) -> dict[str, int]:
        return {"new": self.new, "same": self.same, "changed": self.changed, **self.more}

    @property
    def written(self) -> int:
        return self.new + self.changed


@dataclass(frozen=True)
class Intake:
    """Where files come in: for which project, by whose hand, and where on disk they wait."""

    project: Project
    person: Person
    directory: Path

    def path_of(self, upload: Upload) -> Path:
        return self.directory / upload.id


@dataclass(frozen=True)
class Incoming:
    """A staged file on its way in."""

    project: Project
    person: Person
    path: Path
    name: str
    """The file's own name, for messages."""
    sha256: str
    chosen: dict[str, Any]
    """The answers to the kind's choices, by name."""
    reading: dict[str, Any]
    """Those that are options of the kind's reader."""

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        with self.path.open("rb") as file:
            yield file

    def problem(self, line: int | None, reason: str, text: str | None = None, way_out: str = "") -> FormatError:
        return FormatError(self.name, line, reason, text, way_out)


class BringIn(Protocol):
    """Reads the file against what is there and, where `writes`, writes it."""

    def __call__(self, session: Session, incoming: Incoming, *, writes: bool) -> Findings: ...


@dataclass(frozen=True)
class Kind:
    """A kind of file that can be brought in."""

    name: str
    """Its word in addresses, in the API and in app/formats."""
    one: str
    many: str
    about: str
    """What such a file is, in a sentence or two for whoever has one in hand."""
    example: str
    """A few lines of such a file."""
    bring_in: BringIn
    count: Callable[[Session, Project], int]
    """How many of them the project holds."""
    refuse: Callable[[Session, Seat], object] = lambda _session, _seat: None
    """RuleError for a lead who must not see yet what such a file tells. What decides that stands above: app/main.py
    puts it in.
    """
    choices: Callable[[Session, Project], Sequence[Choice]] = lambda _session, _project: ()
    """Its questions; that for the encoding is added to every kind's."""
    missing: str = ""
    """What is said where the project holds none yet and needs some; empty where it can do without."""
    at: str = ""
    """Where those that are here are listed: an address under the project's."""
    histogram_of: str = "How many of each"
    """What the preview's histogram counts, as a heading."""
    row: str = "row"
    """What the preview counts: the lines of a run, the rows of a list."""
    then: tuple[tuple[str, str], ...] = ()
    """Addresses under the project's, and words, for what to do next."""


@dataclass(frozen=True)
class Look:
    """What was seen in a staged file; nothing was written. `findings` is None where the file can't be read."""

    preview: Preview
    findings: Findings | None
    chosen: dict[str, Any]
    """The answers it was read with; the encoding is among them, recognised or chosen."""

    @property
    def problems(self) -> list[FormatError]:
        return [*self.preview.problems, *(self.findings.problems if self.findings else [])]


def choices_of(session: Session, kind: Kind, project: Project) -> list[Choice]:
    return [*kind.choices(session, project), ENCODING]


def first_missing(kinds: Sequence[tuple[Kind, int]]) -> Kind | None:
    """What the project needs next and has none of."""
    return next((kind for kind, number in kinds if kind.missing and not number), None)


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
    # Whoever brings something in waits for whoever does; foreign keys to the project are not held up by this lock.
    session.execute(select(Project.id).where(Project.id == intake.project.id).with_for_update(key_share=True))
    plan_each_time(session)
    path = staged_file(intake, upload)
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != upload.sha256:
            raise changed_since(upload)
    incoming = incoming_of(intake, upload, choices_of(session, kind, intake.project), chosen)
    findings = read_against(session, kind, incoming, writes=True)
    if findings.problems:
        raise refusal(findings.problems)
    upload.chosen = chosen
    upload.counts = {"counts": findings.counts, "notes": findings.notes, "see": findings.see}
    upload.end("done")
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


def refusal(problems: Sequence[FormatError]) -> InputError:
    """The first problem as a refusal; the details hold them all."""
    first, number = problems[0], len(problems)
    place = first.file if first.line is None else f"{first.file}, line {first.line}"
    more = f" And {number - 1} more." if number > 1 else ""
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


def batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, size)):
        yield batch


def shown_name(name: str) -> str:
    """The last part of a file's name as a message may show it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[:LONGEST_NAME].strip() or "the file"


def copy(stream: BinaryIO, path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as file:
        while block := stream.read(BLOCK):
            digest.update(block)
            size += len(block)
            file.write(block)
    return digest.hexdigest(), size


def sweep(directory: Path) -> None:
    """Deletes the files that waited too long; their uploads then say that they have to be handed in again."""
    oldest = (now() - KEPT_FOR).timestamp()
    for path in directory.iterdir():
        if path.is_file() and path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def staged_file(intake: Intake, upload: Upload) -> Path:
    path = intake.path_of(upload)
    if not path.is_file():
        raise RuleError(f"{upload.name} is no longer here: files wait for a day.", "Hand it in again.")
    return path


def changed_since(upload: Upload) -> RuleError:
    return RuleError(f"{upload.name} has changed since it was handed in.", "Drop it and hand it in again.")


def incoming_of(intake: Intake, upload: Upload, choices: Sequence[Choice], chosen: dict[str, Any]) -> Incoming:
    reading = reading_options(choices, chosen)
    return Incoming(intake.project, intake.person, intake.path_of(upload), upload.name, upload.sha256, chosen, reading)


def read_against(session: Session, kind: Kind, incoming: Incoming, *, writes: bool) -> Findings:
    try:
        return kind.bring_in(session, incoming, writes=writes)
    except FormatError as problem:
        return Findings(problems=[problem])
