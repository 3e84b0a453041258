"""Checking a record that left as a file: without a database, and against what a manifest knew of it."""

import json
from pathlib import Path

from app.cli.refusal import Refusal
from app.cli.terminal import tell
from app.record.leaving import NoActError, check_file
from app.words import plural


def check_record_file(path: Path | None, manifest: Path | None, *, as_json: bool) -> None:
    """Refusal where an act is wrong, or the one that the manifest names is not in it."""
    if path is None:
        raise Refusal("A manifest is held against a record’s file.", "Name the file: adjudge verify record.jsonl.")
    known = known_by(manifest) if manifest else None
    try:
        with path.open(encoding="utf-8") as lines:
            found = check_file(lines, known=known)
    except NoActError as error:
        raise Refusal(f"{path}: {error}", "Export the record again, and compare the two.", status=409) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} can’t be read: {error}", "Name the file that /history/record gave.") from error
    answer = {"is_whole": not found.fault, "acts": found.acts, "head": found.head, "fault": found.fault}
    if found.fault:
        tell(answer, as_json=as_json, lines=[f"Act {found.acts + 1}: {found.fault}"])
        raise Refusal(
            f"The record is broken at act {found.acts + 1}: {found.fault}.",
            "Compare with a copy from before.",
            status=409,
        )
    acts = plural(found.acts, "act")
    seen = f" It holds act {known[0]} as the manifest knew it." if known else ""
    whole = f"The file is whole: {acts}, the last with the hash {found.head}.{seen}"
    tell(answer, as_json=as_json, lines=[whole, "That nothing came after it, the history page says by that hash."])


def known_by(manifest: Path) -> tuple[int, str]:
    try:
        number, kept = json.loads(manifest.read_text("utf-8"))["record"].split()
        return int(number), kept
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refusal(
            f"{manifest} is no manifest that names an act of the record.", "Take the one that the release’s page gives."
        ) from error
