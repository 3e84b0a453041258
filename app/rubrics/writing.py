"""Writing a rubric, and publishing it: from then on the database itself keeps every word as it is."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import FieldError, RuleError
from app.names import is_seen
from app.projects.models import Project
from app.rubrics.lint import Finding, LevelText, find_faults
from app.rubrics.models import HIGHEST_LEVEL, Level, Rubric
from app.rubrics.queries import draft_rubric, levels_of, published_rubric

FEWEST, MOST = 2, HIGHEST_LEVEL + 1
"""Levels: fewer make no scale, more have no key of one digit."""
LONGEST = 4000

FIRST_LEVELS = (
    LevelText(0, "Nothing", "Are they exactly where they were before?"),
    LevelText(1, "Context", "Do they learn something about the task, without being able to act on it?"),
    LevelText(2, "A step", "Can they carry out a necessary step, but not the whole task?"),
    LevelText(3, "Complete", "Can they finish the task with this document alone?"),
)
"""Where a first draft starts: what the person can do afterwards, not how the document compares."""


@dataclass(frozen=True)
class RubricText:
    """A version as it is written."""

    levels: Sequence[LevelText] = FIRST_LEVELS
    instructions: str = ""
    unjudgeable: str = ""
    threshold: int = 1
    findings: Sequence[Finding] = field(default=(), compare=False)


def text_of(session: Session, rubric: Rubric) -> RubricText:
    levels = [
        LevelText(each.number, each.name, each.question, each.example, each.counter_example, each.not_this)
        for each in levels_of(session, rubric)
    ]
    return RubricText(levels, rubric.instructions, rubric.unjudgeable, rubric.threshold, find_faults(levels))


def save_draft(session: Session, project: Project, text: RubricText) -> Rubric:
    """Writes the draft, making it where there is none. Levels are numbered from 0 in the order given."""
    check_text(text)
    draft = draft_rubric(session, project.id)
    if draft is None:
        number = 1 + (session.scalar(select(func.max(Rubric.number)).where(Rubric.project_id == project.id)) or 0)
        draft = Rubric(project_id=project.id, number=number, family=number)
        session.add(draft)
    draft.instructions, draft.unjudgeable = text.instructions.strip(), text.unjudgeable.strip()
    draft.threshold, draft.saved_at = text.threshold, now()
    session.flush()
    session.execute(delete(Level).where(Level.project_id == project.id, Level.rubric_id == draft.id))
    session.add_all(
        Level(
            project_id=project.id,
            rubric_id=draft.id,
            number=number,
            name=level.name.strip(),
            question=level.question.strip(),
            example=level.example.strip(),
            counter_example=level.counter_example.strip(),
            not_this=level.not_this.strip(),
        )
        for number, level in enumerate(text.levels)
    )
    session.flush()
    return draft


def check_text(text: RubricText) -> None:
    if not FEWEST <= len(text.levels) <= MOST:
        raise FieldError("levels", f"A rubric has {FEWEST} to {MOST} levels.", "Each has a digit as its key.")
    if not 1 <= text.threshold < len(text.levels):
        raise FieldError(
            "threshold", "The binary threshold is one of the levels above 0.", "Choose the lowest level that counts."
        )
    parts = [text.instructions, text.unjudgeable]
    for level in text.levels:
        parts += [level.name, level.question, level.example, level.counter_example, level.not_this]
    if any(len(part) > LONGEST for part in parts):
        raise FieldError("levels", f"One text is longer than {LONGEST:,} characters.", "Shorten it.")


def parts_of(text: RubricText) -> dict[str, str]:
    """Every word of a version by the name of its part, in the order of the page; empty parts are left out."""
    parts = {
        "Instructions": text.instructions,
        "When it can’t be judged": text.unjudgeable,
        "Binary threshold": str(text.threshold),
    }
    for level in text.levels:
        parts |= {
            f"Level {level.number}, name": level.name,
            f"Level {level.number}, question": level.question,
            f"Level {level.number}, example": level.example,
            f"Level {level.number}, counter-example": level.counter_example,
            f"Level {level.number}, the line to its neighbour": level.not_this,
        }
    return {name: words for name, words in parts.items() if words}


def publish(
    session: Session, project: Project, person_id: str, *, comparative_reason: str = "", is_minor: bool = False
) -> Rubric:
    """Freezes the draft. RuleError where it is unfinished, or compares documents and nobody wrote why.

    A version `is_minor` where only wording changed: it joins the family of the version before it, so that grades under
    both count together. RuleError where more than wording changed.
    """
    draft = draft_rubric(session, project.id)
    if draft is None:
        raise RuleError("There is no draft to publish.", "Write one first.")
    text = text_of(session, draft)
    refuse_unfinished(project, text)
    blocking = [finding for finding in text.findings if finding.blocks]
    if blocking and not comparative_reason.strip():
        raise RuleError(
            blocking[0].sentence,
            f"{blocking[0].way_out} Or write why this rubric needs the comparison.",
            findings=[finding.sentence for finding in blocking],
        )
    draft.comparative_reason = comparative_reason.strip() if blocking else ""
    if is_minor:
        draft.family = family_reworded(session, project, text)
    draft.text_hash = hash_of(text)
    draft.published_at, draft.published_by_id = now(), person_id
    session.flush()
    return draft


def family_reworded(session: Session, project: Project, text: RubricText) -> int:
    """The family that a version in other words joins; RuleError where a grade would mean something else in it."""
    before = published_rubric(session, project.id)
    if before is None:
        raise RuleError("The first version can’t be minor: there is none that it rewords.", "Publish it as it is.")
    reason = next(more_than_wording(text_of(session, before), text), None)
    if reason is not None:
        raise RuleError(
            f"This is more than wording: {reason}. Grades under versions {before.number} and {before.number + 1} would "
            "not mean the same, and families are never mixed.",
            "Publish it as a family of its own, which begins with an agreement round; or take that change back.",
            conditions=["minor"],
        )
    return before.family


def more_than_wording(old: RubricText, new: RubricText) -> Iterator[str]:
    """Changes of what a level's number stands for."""
    if len(old.levels) != len(new.levels):
        yield f"there were {len(old.levels)} levels, and now {len(new.levels)}"
    if old.threshold != new.threshold:
        yield f"the binary threshold was {old.threshold}, and now {new.threshold}"
    numbers = {level.question: level.number for level in old.levels}
    for level in new.levels:
        number = numbers.get(level.question, level.number)
        if number != level.number:
            yield f"the question of level {number} became that of level {level.number}"


def refuse_unfinished(project: Project, text: RubricText) -> None:
    for level in text.levels:
        if not level.name or not level.question:
            raise RuleError(f"Level {level.number} has no {'question' if level.name else 'name'}.", "Write it first.")
        if not is_seen(level.name):
            raise RuleError(f"The name of level {level.number} holds a character that can't be seen.", "Type it anew.")
    if len({level.name.casefold() for level in text.levels}) < len(text.levels):
        raise RuleError("Two levels have the same name.", "Give each its own.")
    if project.gain_table is not None and len(project.gain_table) != len(text.levels):
        raise RuleError(
            f"The gain table has {len(project.gain_table)} numbers, and the rubric {len(text.levels)} levels.",
            "Give the rubric as many levels as the table has numbers.",
        )


def hash_of(text: RubricText) -> str:
    """SHA-256 of every word that a labeller reads; numbers of versions and clocks are left out."""
    content: dict[str, Any] = {
        "instructions": text.instructions,
        "unjudgeable": text.unjudgeable,
        "threshold": text.threshold,
        "levels": [
            [each.number, each.name, each.question, each.example, each.counter_example, each.not_this]
            for each in text.levels
        ],
    }
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
