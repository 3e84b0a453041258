"""Kinds of files that can be brought in, and what a kind's own part is given and gives back.

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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from sqlalchemy.orm import Session

from app.corpora.choices import AskedEach, Choice
from app.corpora.models import Upload
from app.formats.errors import FormatError
from app.formats.recognise import MOST_PROBLEMS
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Project
from app.record.sealing import Seals

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
    asks: list[AskedEach] = field(default_factory=list)
    """What the file's own words stand for, to be chosen on the preview."""
    problems: list[FormatError] = field(default_factory=list)
    """The first twenty."""
    unlisted: int = 0
    """How many more there are."""
    see: str = ""
    """Where what was made can be seen: an address under the project's, such as /rounds/abc."""
    seals: Seals = field(default_factory=dict)
    """Of what was written, for the act; what has an act of its own is sealed there."""

    def report(self, problem: FormatError) -> None:
        """Keeps the first problems; the file is refused for any."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
        else:
            self.unlisted += 1

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
    row: str = ""
    """What the preview counts where it is not the kind itself: the lines of a run."""
    then: tuple[tuple[str, str], ...] = ()
    """Addresses under the project's, and words, for what to do next."""


def first_missing(kinds: Sequence[tuple[Kind, int]], by_id_only: Mapping[str, int]) -> Kind | None:
    """What the project needs next and has none of: what is known `by_id_only` can't be judged."""
    return next((kind for kind, number in kinds if kind.missing and number <= by_id_only.get(kind.name, 0)), None)


def batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, size)):
        yield batch
