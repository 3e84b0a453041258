"""Recording a grade: once for each rendering of a pair, on the text and the revision that were shown."""

from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import and_, bindparam, select, update
from sqlalchemy.orm import Session

from app.corpora.models import Document
from app.db import new_id, now
from app.errors import InputError, RuleError
from app.judging.models import Assignment, Grade, Round
from app.judging.sealing import seal_of
from app.pools.models import Pair
from app.prepared import Addition, Prepared
from app.record import keeping
from app.rubrics.models import HIGHEST_LEVEL, REASONS, Level
from app.words import plural

LONGEST_RATIONALE = 4000
LONGEST_KEY = 64
LONGEST_ACTIVE_MS = 30 * 60 * 1000
"""Nobody reads one document for longer: a clock that says so has gone wrong."""
Origin = Literal["browser", "api"]


class Held(NamedTuple):
    """An assignment in the hands of its labeller. In a request that may write it is locked until the end."""

    project_id: str
    id: str
    round_id: str
    labeller_id: str
    revision: int


class Before(NamedTuple):
    """What a grade must agree with."""

    revision: int
    pair_id: str
    closed_at: datetime | None
    rubric_id: str
    text_hash: str
    level_id: str | None
    """None where the rubric has no such level."""
    kept_revision: int | None
    """With the next four, the grade that was kept under the same key; None where none was."""
    kept_level: int | None
    kept_reason: str | None
    kept_rationale: str | None
    kept_text_hash: str | None


class Press(NamedTuple):
    """What a labeller gives: a level, or why there can be none."""

    level: int | None
    reason: str | None
    rationale: str | None
    """None where its words were lost with a window that was closed before the grade came through."""


class Given(NamedTuple):
    """A grade that was kept, now or when the same was sent before."""

    revision: int
    press: Press


class Stale(RuleError):
    """The pair was graded elsewhere since it was shown."""


class TextChanged(RuleError):
    """The document's text is not the one that was shown any more."""


class RoundClosed(RuleError):
    """The round takes no more grades."""


class KeyUsed(InputError):
    """The key belongs to a grade of this pair that was kept with other content."""


def record(
    session: Session,
    held: Held,
    press: Press,
    *,
    key: str,
    revision: int,
    text_hash: str,
    origin: Origin,
    active_ms: int | None = None,
) -> Given:
    """Adds a grade to the assignment, or answers again what was kept under `key`. `active_ms` is how long the labeller
    was at it; it is no part of what makes two grades the same.

    `revision` and `text_hash` are what the labeller was shown. Stale, TextChanged, RoundClosed and KeyUsed say what
    came between; `details` of the first two hold the revision or the hash that counts by now.
    """
    check(press, key)
    asked = {"project": held.project_id, "id": held.id, "key": key, "level": press.level}
    found = Before._make(BEFORE.only(session, asked))
    if found.kept_revision is not None:
        return replay(found, found.kept_revision, press, revision=revision, text_hash=text_hash)
    require_open(found.closed_at)
    if found.revision != revision:
        raise stale(found.revision, shown=revision)
    if found.text_hash != text_hash:
        raise TextChanged(
            "The text of this document has changed since it was shown here.",
            "Read it as it is now, and grade it again.",
            text_hash=found.text_hash,
        )
    if press.level is not None and found.level_id is None:
        raise InputError(f"The rubric has no level {press.level}.", "Give one of its levels.", field="level")
    return add(
        session,
        held,
        press,
        pair_id=found.pair_id,
        key=key,
        text_hash=text_hash,
        rubric_id=found.rubric_id,
        origin=origin,
        active_ms=active_ms,
    )


def stale(revision: int, *, shown: int) -> Stale:
    """The pair is at another revision than was shown; one that it never had was shown by nobody."""
    if shown > revision:
        reason = f"This pair has no revision {shown}: it was graded {plural(revision, 'time')}."
        return Stale(reason, "Fetch it again, and send what it says.", revision=revision)
    return Stale(
        "This pair was graded in another window since it was shown here.",
        "Look at both grades and press the one that counts.",
        revision=revision,
    )


def check(press: Press, key: str) -> None:
    if (press.level is None) == (press.reason is None):
        raise InputError("A grade is either a level or a reason why there is none.", "Send one of the two.")
    if press.level is not None and not 0 <= press.level <= HIGHEST_LEVEL:
        # A database has no number for what is beyond all scales.
        raise InputError(f"The rubric has no level {press.level}.", "Give one of its levels.", field="level")
    if press.reason is not None and press.reason not in REASONS:
        raise InputError(f"“{press.reason[:80]}” is not a reason.", f"Choose one of {', '.join(REASONS)}.")
    if len(press.rationale or "") > LONGEST_RATIONALE:
        raise InputError(
            f"The rationale is longer than {LONGEST_RATIONALE:,} characters.", "Shorten it; nothing was saved."
        )
    if not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise InputError(f"A key has 1 to {LONGEST_KEY} characters.", "Send the key that came with the pair.")


def replay(found: Before, kept_revision: int, press: Press, *, revision: int, text_hash: str) -> Given:
    """The answer of before, where the same was sent before."""
    kept = Press(found.kept_level, found.kept_reason, found.kept_rationale)
    said = kept if press.rationale is not None else kept._replace(rationale=None)
    if (kept_revision, found.kept_text_hash) != (revision + 1, text_hash) or said != press:
        raise KeyUsed(
            "This key was used already for another grade of this pair.",
            "Fetch the pair again: each rendering has a key of its own.",
        )
    return Given(kept_revision, kept)


def require_open(closed_at: datetime | None) -> None:
    if closed_at is not None:
        raise RoundClosed("This round was closed, and takes no more grades.", "Go on at the desk, or with a new round.")


def add(
    session: Session,
    held: Held,
    press: Press,
    *,
    pair_id: str,
    key: str,
    text_hash: str,
    rubric_id: str,
    origin: Origin,
    active_ms: int | None,
) -> Given:
    revision = held.revision + 1
    grade = {
        "project_id": held.project_id,
        "id": new_id(),
        "assignment_id": held.id,
        "revision": revision,
        "text_hash": text_hash,
        "rubric_id": rubric_id,
        "key": key,
        "origin": origin,
        "active_ms": active_ms if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
        "given_at": now(),
        "level": press.level,
        "reason": press.reason,
        "rationale": press.rationale or "",
    }
    ADD.run(session, grade)
    sealed = seal_of(held.project_id, (held.round_id, pair_id, held.labeller_id), grade)
    told = {"grade": grade["id"], "pair": pair_id, "level": press.level, "seal": sealed}
    keeping.record(session, held.project_id, "grade given", **told)
    return Given(revision, press)


def set_aside(session: Session, held: Held) -> None:
    """Puts the pair behind the others of its query, unless it has a grade by now."""
    session.execute(SET_ASIDE, {"project": held.project_id, "assignment": held.id})


# Statements, built once: this is the path of every grade.


HELD_COLUMNS = select(
    Assignment.project_id, Assignment.id, Assignment.round_id, Assignment.labeller_id, Assignment.revision
)
"""The columns of a Held."""
HELD = HELD_COLUMNS.where(
    Assignment.project_id == bindparam("project"),
    Assignment.id == bindparam("id"),
    Assignment.labeller_id == bindparam("labeller"),
)
LOCKED = HELD.with_for_update()
BEFORE = Prepared(
    select(
        Assignment.revision,
        Assignment.pair_id,
        Round.closed_at,
        Round.rubric_id,
        Document.text_hash,
        Level.id,
        Grade.revision,
        Grade.level,
        Grade.reason,
        Grade.rationale,
        Grade.text_hash,
    )
    .select_from(Assignment)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(
        Level,
        and_(
            Level.project_id == Round.project_id,
            Level.rubric_id == Round.rubric_id,
            Level.number == bindparam("level"),
        ),
    )
    .outerjoin(
        Grade,
        and_(
            Grade.project_id == Assignment.project_id,
            Grade.assignment_id == Assignment.id,
            Grade.key == bindparam("key"),
        ),
    )
    .where(Assignment.project_id == bindparam("project"), Assignment.id == bindparam("id"))
)
"""Everything that a grade must agree with. It is read after the assignment is locked, so that what another request
did meanwhile (a grade, a closing) is seen.
"""
ADD = Addition(
    Grade,
    update(Assignment)
    .where(Assignment.project_id == bindparam("new_project_id"), Assignment.id == bindparam("new_assignment_id"))
    .values(revision=bindparam("new_revision")),
)
SET_ASIDE = (
    update(Assignment)
    .where(
        Assignment.project_id == bindparam("project"),
        Assignment.id == bindparam("assignment"),
        Assignment.revision == 0,
    )
    .values(set_aside=Assignment.set_aside + 1)
)
