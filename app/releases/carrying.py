"""Judgments of earlier rubric families that a release of the newest one may carry forward, marked as such.

A pair is carried where nobody was asked about it under the newest family, where the last family that did ask came to a
judgment, and where no word of that judgment's level has changed since. Carried judgments never enter the newest
family's kappa, and nobody's qualification rests on them.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from heapq import merge
from itertools import groupby

from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import decisions_of
from app.projects.models import Project
from app.releases.settling import Settled, settle
from app.rubrics.diffing import unchanged_levels
from app.rubrics.models import Rubric
from app.rubrics.queries import versions_of
from app.rubrics.writing import text_of


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier family as the newest rubric sees it."""

    family: int
    versions: tuple[Rubric, ...]
    """Oldest first."""
    levels: frozenset[int]
    """Those of which no word has changed."""
    decisions: Mapping[str, int | None]
    zero_reasons: frozenset[str]


def earlier_families(session: Session, rubric: Rubric) -> list[Earlier]:
    """Those before `rubric`'s with a level that may be carried, the newest first."""
    versions = [each for each in versions_of(session, rubric.project_id) if each.family < rubric.family]
    text, found = text_of(session, rubric), list[Earlier]()
    for family, theirs in groupby(versions, key=lambda each: each.family):
        newest_first = list(theirs)
        old = text_of(session, newest_first[0])
        levels = unchanged_levels(old, text)
        if levels:
            decisions = {pair: each.level for pair, each in decisions_of(session, rubric.project_id, family).items()}
            found.append(Earlier(family, tuple(reversed(newest_first)), frozenset(levels), decisions, old.zero_reasons))
    return found


def carried(session: Session, project: Project, earlier: Earlier) -> Generator[Settled]:
    """In the order of qid bytes, then docno bytes. Whoever may stop before the end closes it."""
    outcomes = settle(
        session,
        project,
        family=earlier.family,
        decisions=earlier.decisions,
        zero_reasons=earlier.zero_reasons,
        is_last=True,
    )
    with closing(outcomes):
        for outcome in outcomes:
            if isinstance(outcome, Settled) and outcome.grade in earlier.levels:
                yield outcome._replace(source="carried", graded_by=())


def with_carried(
    session: Session, project: Project, judged: Generator[Settled], families: Iterable[Earlier]
) -> Generator[Settled]:
    """The newest family's judgments and those that are carried, in one order. No pair comes twice."""
    streams = [judged, *(carried(session, project, each) for each in families)]
    with ExitStack() as to_close:
        for stream in streams:
            to_close.callback(stream.close)
        yield from merge(*streams, key=lambda each: (each.qid.encode(), each.docno.encode()))


def count_carried(session: Session, project: Project, earlier: Earlier) -> Counter[int]:
    """How many judgments of each level are carried out of it."""
    with closing(carried(session, project, earlier)) as judgments:
        return Counter(each.grade for each in judgments)
