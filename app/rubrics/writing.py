"""Writing a rubric, and publishing it: from then on the database itself keeps every word as it is."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher
from itertools import chain
from typing import Any, get_args

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.db import now
from app.errors import FieldError, RuleError
from app.names import is_seen
from app.projects.models import Gain, Project
from app.projects.starting import checked_reason, checked_table, one_of
from app.record.keeping import record
from app.record.sealing import seals_of
from app.rubrics.lint import find_faults
from app.rubrics.models import HIGHEST_LEVEL, OUTCOMES, REASONS, Level, Rubric
from app.rubrics.queries import draft_rubric, levels_of, published_rubric, versions_of
from app.rubrics.texts import Example, LevelText, Refusal, RubricText, parts_of
from app.words import plural

FEWEST, MOST = 2, HIGHEST_LEVEL + 1
"""Levels: fewer make no scale, more have no key of one digit."""
LONGEST = 4000
MOST_EXAMPLES = 20
MOST_REWORDED = 0.5
"""Less than this share of a question's words in common, and it is another question."""


def text_of(session: Session, rubric: Rubric) -> RubricText:
    levels = tuple(
        LevelText(
            each.number,
            each.name,
            each.question,
            examples=tuple(Example(**example) for example in each.examples),
            counter_examples=tuple(Example(**example) for example in each.counter_examples),
            not_this=each.not_this,
        )
        for each in levels_of(session, rubric)
    )
    refusals = {reason: Refusal(**each) for reason, each in rubric.refusals.items()}
    return RubricText(levels, rubric.instructions, rubric.unjudgeable, rubric.threshold, refusals)


def save_draft(session: Session, project: Project, text: RubricText) -> Rubric:
    """Writes the draft, making it where there is none. Levels are numbered from 0 in the order given."""
    check_text(text)
    draft = draft_rubric(session, project.id)
    if draft is None:
        number = 1 + (session.scalar(select(func.max(Rubric.number)).where(Rubric.project_id == project.id)) or 0)
        draft = Rubric(project_id=project.id, number=number, family=number)
        session.add(draft)
    text = tidy(text)
    draft.instructions, draft.unjudgeable = text.instructions, text.unjudgeable
    draft.threshold, draft.saved_at = text.threshold, now()
    draft.refusals = {reason: asdict(each) for reason, each in text.refusals.items()}
    session.flush()
    session.execute(delete(Level).where(Level.project_id == project.id, Level.rubric_id == draft.id))
    session.add_all(Level(project_id=project.id, rubric_id=draft.id, **as_columns(level)) for level in text.levels)
    session.flush()
    record(session, project.id, "rubric drafted", rubric=draft.id, number=draft.number)
    return draft


def choose_gain(
    session: Session,
    project: Project,
    *,
    gain: str,
    gain_table: Sequence[float] | None = None,
    gain_reason: str | None = None,
) -> None:
    """What each level is worth. RuleError once a version is published: what a score means is settled before there is
    anything to score.
    """
    reason = project.gain_reason if gain_reason is None else gain_reason
    wanted = (one_of(gain, "gain", get_args(Gain)), checked_table(gain, gain_table), checked_reason(reason))
    if wanted == (project.gain, project.gain_table, project.gain_reason):
        return
    if published_rubric(session, project.id) is not None:
        raise RuleError(
            "What a level is worth was settled when the first version was published.",
            "Another gain is another judged set: start a project for it.",
            conditions=["gain"],
        )
    project.gain, project.gain_table, project.gain_reason = wanted
    session.flush()
    chosen = {"gain": project.gain, "table": project.gain_table, "seals": seals_of(session, project)}
    record(session, project.id, "gain chosen", **chosen)


def as_columns(level: LevelText) -> dict[str, Any]:
    return asdict(level) | {
        "examples": [asdict(each) for each in level.examples],
        "counter_examples": [asdict(each) for each in level.counter_examples],
    }


def tidy(text: RubricText) -> RubricText:
    """Without blanks around texts, examples in which nothing stands, and reasons that say nothing of their own."""
    return RubricText(
        tuple(tidy_level(level, number) for number, level in enumerate(text.levels)),
        text.instructions.strip(),
        text.unjudgeable.strip(),
        text.threshold,
        {
            reason: refusal
            for reason, each in text.refusals.items()
            if not (refusal := Refusal(each.when.strip(), each.leads_to)).is_usual
        },
    )


def tidy_level(level: LevelText, number: int) -> LevelText:
    return LevelText(
        number,
        level.name.strip(),
        level.question.strip(),
        tidy_examples(level.examples),
        tidy_examples(level.counter_examples),
        level.not_this.strip(),
    )


def tidy_examples(examples: Iterable[Example]) -> tuple[Example, ...]:
    stripped = (Example(each.query.strip(), each.document.strip(), each.why.strip()) for each in examples)
    return tuple(each for each in stripped if not each.is_empty)


def check_text(text: RubricText) -> None:
    if not FEWEST <= len(text.levels) <= MOST:
        raise FieldError("levels", f"A rubric has {FEWEST} to {MOST} levels.", "Each has a digit as its key.")
    if not 1 <= text.threshold < len(text.levels):
        raise FieldError(
            "threshold", "The binary threshold is one of the levels above 0.", "Choose the lowest level that counts."
        )
    for reason, refusal in text.refusals.items():
        if reason not in REASONS or refusal.leads_to not in OUTCOMES:
            raise FieldError(
                "refusals",
                f"“{reason[:60]}” can’t lead to “{refusal.leads_to[:60]}”.",
                f"Reasons are {', '.join(REASONS)}; each leads to {' or '.join(OUTCOMES)}.",
            )
    if any(max(len(level.examples), len(level.counter_examples)) > MOST_EXAMPLES for level in text.levels):
        raise FieldError("levels", f"A level has at most {MOST_EXAMPLES} examples of a kind.", "Keep those that tell.")
    if any(len(part) > LONGEST for part in parts_of(text).values()):
        raise FieldError("levels", f"One text is longer than {LONGEST:,} characters.", "Shorten it.")


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
    refuse_unchanged(versions_of(session, project.id), text, is_minor=is_minor)
    blocking = [finding for finding in find_faults(text) if finding.blocks]
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
    published = {"number": draft.number, "family": draft.family, "text_hash": draft.text_hash}
    record(session, project.id, "rubric published", rubric=draft.id, **published, seals=seals_of(session, draft))
    return draft


def family_reworded(session: Session, project: Project, text: RubricText) -> int:
    """The family that a version in other words joins; RuleError where a grade would mean something else in it."""
    before = published_rubric(session, project.id)
    if before is None:
        raise RuleError("The first version can’t be minor: there is none that it rewords.", "Publish it as it is.")
    # Compared with the family's first version too, or it would be another rubric after a few steps.
    family = [each for each in versions_of(session, project.id) if each.family == before.family]
    reasons = (more_than_wording(text_of(session, each), text) for each in (before, family[-1]))
    reason = next(chain.from_iterable(reasons), None)
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
        yield f"there were {plural(len(old.levels), 'level')}, and now {len(new.levels)}"
    if old.threshold != new.threshold:
        yield f"the binary threshold was {old.threshold}, and now {new.threshold}"
    if old.zero_reasons != new.zero_reasons:
        yield "what becomes of a pair that nobody could judge is another"
    yield from moved("question", *({each.number: each.question for each in text.levels} for text in (old, new)))
    yield from moved("name", *({each.number: each.name.casefold() for each in text.levels} for text in (old, new)))
    for before, after in zip(old.levels, new.levels, strict=False):
        if likeness(before.question, after.question) < MOST_REWORDED:
            yield f"little is left of the question of level {after.number}"


def moved(what: str, old: Mapping[int, str], new: Mapping[int, str]) -> Iterator[str]:
    numbers = {words: number for number, words in old.items()}
    for number, words in new.items():
        if numbers.get(words, number) != number:
            yield f"the {what} of level {numbers[words]} became that of level {number}"


def likeness(old: str, new: str) -> float:
    """The share of the words of both that stand in both, in one order, whatever their capitals and signs: 0 to 1."""
    before, after = (re.findall(r"\w+", text.casefold()) for text in (old, new))
    return SequenceMatcher(None, before, after, autojunk=False).ratio()


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
            f"The gain table has {plural(len(project.gain_table), 'number')}, and the rubric "
            f"{plural(len(text.levels), 'level')}.",
            "Give the rubric as many levels as the table has numbers.",
        )


def refuse_unchanged(versions: Sequence[Rubric], text: RubricText, *, is_minor: bool) -> None:
    """In the words of any version, of `versions` newest first, it would ask the gate anew of what it has answered. A
    minor edit may go back to the words that its own family had before: it asks nothing anew.
    """
    words = hash_of(text)
    same = [each for each in versions if each.text_hash == words]
    if is_minor:
        same = [each for each in same if each is versions[0] or each.family != versions[0].family]
    if same:
        raise RuleError(
            f"Not a word has changed since version {same[0].number}."
            if same[0] is versions[0]
            else f"Version {same[-1].number} had these very words.",
            "Change what labellers are to read differently, or go on with the version that there is.",
            conditions=["unchanged"],
        )


def hash_of(text: RubricText) -> str:
    """SHA-256 of every word that a labeller reads; numbers of versions and clocks are left out."""
    content: dict[str, Any] = asdict(text)
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
