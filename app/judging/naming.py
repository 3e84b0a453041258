"""Whom and which levels the words of a file of grades stand for: what it says, and what its reader says of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.choices import AskedEach, Choice, ask_each, renamed
from app.corpora.kinds import Findings, Incoming
from app.formats.grades import NamedGrade
from app.judging.imported_rounds import people_by_name
from app.projects.models import Member
from app.rubrics.models import Level

MOST_NAMED, MOST_VALUES = 50, 30
WHOLE = re.compile(r"\+?(\d{1,3})(\.0*)?")
"""A level as files write it: 2, or 2.0 where a spreadsheet has been at work."""
NAMES = Choice(
    "names",
    "Who is who",
    "A name that no member bears becomes a labeller without an account.",
    takes="renames",
)
LEVELS = Choice("levels", "Which level is which", "What the file calls a level of the rubric.", takes="renames")
UNJUDGEABLE, BLANK = "unjudgeable", "blank"
NO_LEVELS = ((UNJUDGEABLE, "could not be judged"), (BLANK, "no grade, as an empty cell"))
"""What a file's word may stand for besides a level."""
MACHINE = "machine"
KINDS = Choice(
    "kinds",
    "Who is a machine",
    "A program’s grades count in no kappa, gate or release, and take no labeller’s place.",
    takes="renames",
)


@dataclass
class Words:
    """What the file calls people, queries and levels, and what those stand for."""

    names: Mapping[str, str]
    levels: Mapping[str, str]
    seen_names: dict[str, None] = field(default_factory=dict)
    seen_levels: dict[str, None] = field(default_factory=dict)
    graded: set[tuple[str, str]] = field(default_factory=set)
    """Pairs with a grade, in the file's words, and those of which a cell is empty, or taken for empty."""
    blank: set[tuple[str, str]] = field(default_factory=set)
    given: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """The file's name for the person, by ours, qid and docno: two of its names may be one person, and two of its words
    one query.
    """

    @classmethod
    def of(cls, incoming: Incoming) -> "Words":
        return cls(renamed(incoming.chosen, NAMES), renamed(incoming.chosen, LEVELS))

    @property
    def ungraded(self) -> int:
        """Pairs that the file names and nobody graded."""
        return len(self.blank - self.graded)

    def see(self, given: NamedGrade) -> None:
        self.seen_names[given.labeller] = None
        self.seen_levels[given.grade] = None
        is_blank = self.levels.get(given.grade, given.grade) == BLANK
        (self.blank if is_blank else self.graded).add((given.qid, given.docno))

    def see_blank(self, qid: str, docno: str, _labeller: str | None) -> None:
        self.blank.add((qid, docno))

    def report_unseen(self, incoming: Incoming, findings: Findings) -> None:
        """What was said of words that stand nowhere in the file: somebody meant another."""
        machines = renamed(incoming.chosen, KINDS)
        for choice, said, seen in (
            (NAMES, self.names, self.seen_names),
            (LEVELS, self.levels, self.seen_levels),
            (KINDS, machines, self.seen_names),
        ):
            for word in said:
                if word not in seen:
                    reason = f"“{choice.words}” tells of a word that stands nowhere in the file"
                    findings.report(incoming.problem(None, reason, word, "Write it as the file does, or leave it out."))

    def translate(self, given: NamedGrade, qid: str) -> str | None:
        """Puts ours in the place of the file's words. Where that person has graded the pair already: under what two."""
        theirs = given.labeller
        given.labeller = self.names.get(given.labeller, given.labeller)
        given.grade = self.levels.get(given.grade, given.grade)
        given.qid = qid
        if given.grade == BLANK:
            return None
        key = given.labeller, qid, given.docno
        if key in self.given:
            return "names" if self.given[key] != theirs else "words for the query"
        self.given[key] = theirs
        return None

    def asks(self, members: Collection[str], scale: Sequence[Level], incoming: Incoming) -> list[AskedEach]:
        names = {name: who_is(name, members) for name in list(self.seen_names)[:MOST_NAMED]}
        numbers = {level.number for level in scale}
        known = {value for value in self.seen_levels if level_of(value) in numbers or value in dict(NO_LEVELS)}
        strange = sorted(self.seen_levels.keys() - known)[:MOST_VALUES]
        values = dict.fromkeys(sorted(known), "as it stands") | dict.fromkeys(strange, "no level yet")
        ours = [*((str(level.number), f"{level.number} {level.name}") for level in scale), *NO_LEVELS]
        return [
            ask_each(NAMES, names, [(name, name) for name in sorted({*members, *names})], incoming.chosen),
            ask_each(LEVELS, values, ours, incoming.chosen),
            ask_each(KINDS, dict.fromkeys(names, "a person"), [(MACHINE, "a machine")], incoming.chosen),
        ]


def machines(session: Session, incoming: Incoming, findings: Findings) -> set[str]:
    """Names that are to be programs'. Whoever is here as a person is none by a file."""
    named = renamed(incoming.chosen, KINDS)
    people = people_by_name(session, incoming.project)
    translated = renamed(incoming.chosen, NAMES)
    for kind in sorted(set(named.values()) - {MACHINE}):
        reason = f"“{KINDS.words}” is said of machines only"
        findings.report(incoming.problem(None, reason, kind, f"Write name={MACHINE}; whoever is none needs no word."))
    found = {translated.get(name, name) for name, kind in named.items() if kind == MACHINE}
    for name in sorted(found & people):
        reason = f'"{name}" has an account here, and so is a person'
        findings.report(incoming.problem(None, reason, name, "Choose another name for the machine."))
    outside = select(Member.name).where(Member.project_id == incoming.project.id, Member.person_id.is_(None))
    for name in sorted(found & set(session.scalars(outside.where(Member.is_machine.is_(False))))):
        reason = f'"{name}" is a labeller here already, and no machine'
        findings.report(incoming.problem(None, reason, name, "Declare it under Members, or choose another name."))
    return found


def who_is(name: str, members: Collection[str]) -> str:
    return "the member of that name" if name in members else "a new labeller without account"


def level_of(grade: str) -> int | None:
    found = WHOLE.fullmatch(grade)
    return int(found[1]) if found else None
