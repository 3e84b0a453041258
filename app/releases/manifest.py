"""The manifest: everything that one must know about a release to trust it, as bytes that are the same wherever the same
data lie. No clock, row id, account or email is in it; labellers are numbered in the order of their names' bytes.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from app.formats.qrels import Judgment as QrelsLine
from app.formats.qrels import write_qrels
from app.measures import Undefined
from app.releases.models import Release

FORMAT = 1
JUDGED_BEFORE = "queries judged before"
"""The mark where queries that an earlier family judged twice count in the gate: by grades that were brought in, or
where the gate does not pass without those of families that it does not pass, or has failed before.
"""
CARRIED = "failed family carried"
"""The mark where judgments of an earlier family are carried that the gate has failed, whatever it answers by now."""
FAILED_BEFORE = "failed before"
"""The mark where the gate passes what it had failed before."""
CORRECTED = "passed as corrected"
"""The mark where the gate does not pass over the grades as they were first given."""
IMPORTED = "imported grades"
"""The mark where grades that were brought in count in the gate: nobody here saw how they were given."""
PASSED_OVER = "pairs passed over"
"""The mark where of more pairs than the policy lets anybody refuse one grade is missing, or is of another text."""
REWORDED = "minor edits"
"""The mark where its rounds were judged under several wordings of the rubric, of which kappa may have tested one."""
SET_ASIDE = "labeller set aside"
"""The mark where somebody's grades count no more, since they were declared a machine after these had come in."""
PLACES = 12
"""Decimals of the figures in a manifest. The last bits of a float's sum depend on the processor that added it up."""


def canonical(contents: Mapping[str, Any]) -> str:
    """JSON with sorted keys, UTF-8, two blanks of indent and a line feed at the end."""
    return json.dumps(contents, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def figure(value: float | Undefined) -> float | dict[str, str]:
    """A number, or why there is none."""
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    return round(float(value), PLACES)


class Judged(Protocol):
    """A judgment as it is hashed: of a pair here, or a line of reference qrels."""

    @property
    def qid(self) -> str: ...
    @property
    def docno(self) -> str: ...
    @property
    def grade(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def text_hash(self) -> str | None: ...


def digest(judgments: Iterable[Judged]) -> dict[str, str]:
    """The hashes of the qrels file and of the judgments with their sources, which come in the order of qid bytes, then
    docno bytes. FormatError where an id can't stand in a qrels file.
    """
    with_sources, qrels = hashlib.sha256(), hashlib.sha256()

    def lines() -> Iterator[QrelsLine]:
        for each in judgments:
            line = (each.qid, each.docno, str(each.grade), each.source, each.text_hash or "")
            with_sources.update("\t".join(line).encode() + b"\n")
            yield QrelsLine(each.qid, each.docno, each.grade)

    for batch in write_qrels(lines()):
        qrels.update(batch)
    return {"judgments_sha256": with_sources.hexdigest(), "qrels_sha256": qrels.hexdigest()}


def read_manifest(release: Release) -> dict[str, Any]:
    contents: dict[str, Any] = json.loads(release.manifest)
    return contents


def exported(release: Release) -> str:
    """The manifest as it leaves, with where the project's record stood. That differs wherever the same judged set was
    made again, so it is in no hash: one line of the file, which whoever checks the hash leaves out.
    """
    return canonical(read_manifest(release) | {"record": f"{release.record_number} {release.record_hash}"})


def marks_of(release: Release) -> list[str]:
    """What everything that leaves must say, as docs/releases.md lists it: ungated, or reference, first, then those of
    `said` in its order. Empty where nothing need be said.
    """
    marks = [] if release.is_gated else ["ungated"]
    if release.kind == "reference":
        return ["reference", *marks]
    manifest = read_manifest(release)
    policy, earlier = manifest["policy"], manifest.get("earlier_families", [])
    is_passed = manifest["gate"]["answer"] == "passed"
    carried = {each["family"] for each in manifest["rubric"]["carried"]}
    said = {
        "exploratory": policy["name"] == "exploratory",
        "small set": policy["is_small_set"],
        FAILED_BEFORE: is_passed and any(each["answer"] == "failed" for each in manifest.get("answers_before", [])),
        CORRECTED: is_passed and (manifest.get("as_first_given") or manifest["gate"])["answer"] != "passed",
        PASSED_OVER: manifest["gate"].get("has_passed_over", False),
        IMPORTED: manifest["gate"].get("pairs_by_import", 0) > 0,
        REWORDED: len({each["rubric"] for each in manifest["rounds"]}) > 1,
        SET_ASIDE: manifest.get("grades_set_aside", 0) > 0,
        CARRIED: any(
            family.get("has_failed", family["answer"] == "failed") and family["family"] in carried for family in earlier
        ),
        JUDGED_BEFORE: any(family["again_by_import"] for family in earlier)
        or (is_passed and (manifest.get("on_fresh_queries") or manifest["gate"])["answer"] != "passed"),
    }
    return [*marks, *(mark for mark, is_said in said.items() if is_said)]


def file_name(release: Release, ending: str) -> str:
    """Safe on any file system and in any header: `developer-help-release-1-ungated.qrels`."""
    name = slug(read_manifest(release)["project"]["name"]) or "judged-set"
    marks = [slug(mark) for mark in marks_of(release) if mark != "reference"]
    kind = "reference" if release.kind == "reference" else "release"
    return "-".join([name, kind, str(release.number), *marks]) + ending


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
