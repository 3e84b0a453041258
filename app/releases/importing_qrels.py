"""Reference qrels from files: an external, ungated release of its own. They are never mixed with grades given here."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.choices import Choice
from app.corpora.kinds import Findings, Incoming, Kind
from app.corpora.models import Query
from app.db import new_id
from app.formats.errors import quoted
from app.formats.qrels import Judgment as QrelsLine
from app.formats.qrels import read_qrels
from app.projects.models import Project
from app.projects.queries import lock_project
from app.releases.manifest import FORMAT, canonical, digest, read_manifest, sha256
from app.releases.models import Release
from app.releases.queries import next_number, number_of, releases_of
from app.releases.releasing import ANOTHER_NAME, LONGEST_NAME, keep
from app.words import plural


class Reference(NamedTuple):
    """A judgment from elsewhere: of a text that is not known."""

    qid: str
    docno: str
    grade: int
    source: str = "reference"
    text_hash: None = None


def as_references(lines: Iterable[QrelsLine]) -> Iterator[Reference]:
    """One at a time: the reader holds its lines already, and a million of them twice would be too much."""
    return (Reference(line.qid, line.docno, int(line.grade)) for line in lines)


def bring_in_qrels(session: Session, incoming: Incoming, *, writes: bool) -> Findings:
    """The same judgments once more are nothing new, under whatever name and in whatever order they come."""
    findings = Findings()
    lines = read_sorted(incoming, findings)
    hashes = digest(as_references(lines))
    twin = find_twin(session, incoming.project, hashes)
    if twin is not None:
        findings.same, findings.see = len(lines), f"/releases/{twin.id}"
        findings.notes.append(f"These judgments are here already, as reference {twin.number}: {twin.name}.")
        return findings
    name = str(incoming.chosen.get("name") or incoming.name)[:LONGEST_NAME]
    if writes:
        lock_project(session, incoming.project)
    if (taken := number_of(session, incoming.project, name)) is not None:
        reason = f"release {taken} is called {quoted(name)} already, and has other judgments"
        findings.report(incoming.problem(None, reason, None, ANOTHER_NAME))
    findings.new = len(lines)
    note_queries(session, incoming.project, findings, {line.qid for line in lines})
    if writes and not findings.problems:
        release = reference_release(session, incoming, lines, name, hashes)
        keep(session, release, as_references(lines))
        findings.see = f"/releases/{release.id}"
    return findings


def read_sorted(incoming: Incoming, findings: Findings) -> list[QrelsLine]:
    """In the order of qid bytes, then docno bytes, which is that of their characters' numbers."""
    repeats: list[int] = []
    with incoming.opened() as file:
        lines = list(
            read_qrels(file, incoming.name, on_repeat=lambda line, _first: repeats.append(line), **incoming.reading)
        )
    if repeats:
        findings.notes.append(f"{plural(len(repeats), 'line repeats', 'lines repeat')} an earlier one and count once.")
    lines.sort(key=lambda line: (line.qid, line.docno))
    return lines


def find_twin(session: Session, project: Project, hashes: dict[str, str]) -> Release | None:
    references = (release for release in releases_of(session, project) if release.kind == "reference")
    return next((release for release in references if read_manifest(release)["hashes"] == hashes), None)


def note_queries(session: Session, project: Project, findings: Findings, qids: set[str]) -> None:
    known = set(session.scalars(select(Query.qid).where(Query.project_id == project.id))) & qids
    findings.more["queries"] = len(qids)
    if len(known) < len(qids):
        findings.notes.append(
            f"{plural(len(qids) - len(known), 'query', 'queries')} of {len(qids):,} in the file "
            "are not among the project's: they are kept, and scored where a run holds them."
        )


def reference_release(
    session: Session, incoming: Incoming, lines: Sequence[QrelsLine], name: str, hashes: dict[str, str]
) -> Release:
    project = incoming.project
    number = next_number(session, project)
    manifest = canonical(describe_reference(project, lines, number=number, name=name, hashes=hashes))
    return Release(
        project_id=project.id,
        id=new_id(),
        number=number,
        kind="reference",
        name=name,
        is_gated=False,
        waiver_reason=None,
        sha256=sha256(manifest),
        manifest=manifest,
        frozen_by_id=incoming.person.id,
    )


def describe_reference(
    project: Project, lines: Sequence[QrelsLine], *, number: int, name: str, hashes: dict[str, str]
) -> dict[str, Any]:
    """A manifest without rubric, gate and labellers: nothing is known of how these grades came about."""
    return {
        "format": FORMAT,
        "project": {"name": project.name},
        "release": {"number": number, "name": name, "kind": "reference"},
        "gated": False,
        "waiver_reason": None,
        "counts": {
            "queries": len({line.qid for line in lines}),
            "judgments": len(lines),
            "sources": {"reference": len(lines)},
            "left_out": {},
        },
        "hashes": hashes,
    }


def count_judgments(session: Session, project: Project) -> int:
    """Of all reference qrels together."""
    references = (release for release in releases_of(session, project) if release.kind == "reference")
    return sum(int(read_manifest(release)["counts"]["judgments"]) for release in references)


QRELS = Kind(
    name="qrels",
    one="reference judgment",
    many="reference judgments",
    about="Judgments from elsewhere, without their graders: query, a column that is not read, document and grade. They "
    "become reference qrels, an ungated release of their own that runs can be scored against at once.",
    example="301 0 FBIS3-10082 1\n301 0 FBIS3-10169 0",
    choices=lambda _session, _project: (
        Choice(
            "name", "Name", hint="As scores will call them; the file's name if empty.", takes="line", comes_first=True
        ),
    ),
    bring_in=bring_in_qrels,
    count=count_judgments,
    then=(("/scores", "Score runs against them"), ("/releases", "See releases")),
)
