"""Files that were handed in and wait on disk, each under the id of its upload, until somebody decides about them."""

import hashlib
from pathlib import Path
from typing import BinaryIO

from app.corpora.kinds import Intake
from app.corpora.models import KEPT_FOR, Upload
from app.db import now
from app.errors import RuleError

BLOCK = 1 << 20
LONGEST_NAME = 120


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
