"""What the grades of each pair come to: a judgment with its source, or a reason why there is none."""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, except_, func, or_, select
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import is_for_a_third_person, is_one_apart
from app.corpora.models import NO_TEXT, Document, Query
from app.db import joining_whole_tables
from app.judging.models import IS_JUDGING, Assignment, Deal, Grade, Round
from app.judging.queries import newest
from app.pools.models import Pair, PoolPair
from app.projects.models import Project
from app.projects.queries import MACHINES
from app.rubrics.models import EXPERTISE, REASONS, Rubric

UNRESOLVED = "the labellers differ and nobody has decided"
AWAITED = "a second labeller has not graded it yet"
UNGRADED = "nobody has graded it yet"
TEXT_CHANGED = "its text changed between two grades"
NO_JUDGMENT = "the adjudicator found that no judgment can be given"
NOT_DEALT = "it is in a pool and was never dealt under this rubric"
ROWS_A_FETCH = 2000


class Answer(NamedTuple):
    """What one labeller was asked in one round and last answered; without level and reason there is no answer yet."""

    qid: str
    docno: str
    pair_id: str
    labeller_id: str | None
    """None where nobody has taken the place yet."""
    seat: int
    """1: the query's primary labeller in its round."""
    is_imported: bool
    is_open: bool
    level: int | None
    reason: str | None
    text_hash: str | None
    """Of the text that was graded."""
    document_hash: str
    """Of the text as the document has it now."""

    @property
    def is_given(self) -> bool:
        return self.level is not None or self.reason is not None


class Settled(NamedTuple):
    """A pair's judgment. `graded_by` are the members whose levels it rests on or decides between."""

    qid: str
    docno: str
    grade: int
    source: str
    text_hash: str | None
    graded_by: tuple[str, ...]
    is_outdated: bool
    """Whether the document has another text now."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A pair without a judgment, and the reason as one phrase about it."""

    reason: str


@dataclass
class Tally:
    """What a release holds and leaves out, counted."""

    judgments: int = 0
    outdated: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    queries: set[str] = field(default_factory=set)
    contributions: Counter[str] = field(default_factory=Counter)
    """Member id to the number of judgments that the member's level stands behind."""

    def add(self, outcome: Settled | LeftOut) -> None:
        if isinstance(outcome, LeftOut):
            self.left_out[outcome.reason] += 1
            return
        self.judgments += 1
        self.outdated += outcome.is_outdated
        self.sources[outcome.source] += 1
        self.queries.add(outcome.qid)
        self.contributions.update(outcome.graded_by)

    def carry(self, judgments: Iterable[Settled]) -> None:
        """Judgments of an earlier family, of pairs that were never dealt in this one."""
        for judgment in judgments:
            self.add(judgment)
            self.left_out[NOT_DEALT] -= 1
        self.left_out = +self.left_out


IS_HUMAN = or_(Assignment.labeller_id.is_(None), Assignment.labeller_id.not_in(MACHINES))
"""A free place is one for a person, too."""
ANSWERS: Select[*tuple[Any, ...]] = (
    select(
        Query.qid,
        Document.docno,
        Assignment.pair_id,
        Assignment.labeller_id,
        Deal.seat,
        (Round.kind == "imported").label("is_imported"),
        Round.closed_at.is_(None).label("is_open"),
        Grade.level,
        Grade.reason,
        Grade.text_hash,
        Document.text_hash.label("document_hash"),
    )
    .select_from(Assignment)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Deal, and_(Deal.project_id == Assignment.project_id, Deal.id == Assignment.deal_id))
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
    .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
    .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
    .outerjoin(Grade, newest(Grade, Assignment))
    .where(Assignment.project_id == bindparam("project"), Rubric.family == bindparam("family"), IS_HUMAN, IS_JUDGING)
    .order_by(Query.qid, Document.docno, Round.number, Deal.seat)
)
ASKED_LATER = (
    select(Assignment.pair_id)
    .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
    .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
    .where(Assignment.project_id == bindparam("project"), Rubric.family > bindparam("family"), IS_JUDGING)
)
ANSWERS_ASKED_LAST = ANSWERS.where(Assignment.pair_id.not_in(ASKED_LATER))
UNDEALT = select(func.count()).select_from(
    # As a difference of two sets: asked pair by pair, SQLite would go through all assignments each time.
    except_(
        select(PoolPair.pair_id).where(PoolPair.project_id == bindparam("project")),
        select(Assignment.pair_id)
        .join(Round, and_(Round.project_id == Assignment.project_id, Round.id == Assignment.round_id))
        .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
        .where(
            Assignment.project_id == bindparam("project"), Rubric.family == bindparam("family"), IS_HUMAN, IS_JUDGING
        ),
    ).subquery()
)


def settle(
    session: Session,
    project: Project,
    *,
    family: int,
    decisions: Mapping[str, int | None],
    zero_reasons: frozenset[str] = frozenset(),
    is_last: bool = False,
) -> Generator[Settled | LeftOut]:
    """Every pair that was asked of somebody in the family, in the order of qid bytes, then docno bytes; with `is_last`
    only those that no later family asked about. `decisions` holds the adjudicated level by pair id, None where no
    judgment can be given; a pair that nobody could judge, all for one of `zero_reasons`, is at level 0.

    Whoever may stop before the end closes it: PostgreSQL's cursor must not outlive the transaction.
    """
    named = {"project": project.id, "family": family}
    asked = ANSWERS_ASKED_LAST if is_last else ANSWERS
    with joining_whole_tables(session):
        opened = session.execute(asked, named, execution_options={"yield_per": ROWS_A_FETCH})
    with opened as rows:
        for _, answers in groupby((Answer(*row) for row in rows), key=attrgetter("qid", "docno")):
            yield settle_pair(list(answers), decisions, zero_reasons, primary_stands=project.primary_stands)


def tally_of(
    session: Session,
    project: Project,
    *,
    family: int,
    decisions: Mapping[str, int | None],
    zero_reasons: frozenset[str] = frozenset(),
) -> Tally:
    tally = Tally()
    for outcome in settle(session, project, family=family, decisions=decisions, zero_reasons=zero_reasons):
        tally.add(outcome)
    undealt = session.scalar(UNDEALT, {"project": project.id, "family": family}) or 0
    if undealt:
        tally.left_out[NOT_DEALT] = undealt
    return tally


def settle_pair(
    answers: Sequence[Answer],
    decisions: Mapping[str, int | None],
    zero_reasons: frozenset[str],
    *,
    primary_stands: bool,
) -> Settled | LeftOut:
    """One pair; its answers come in the order of the rounds, so that a labeller's later one counts, and in a round by
    seat.
    """
    everybody = {answer.labeller_id: answer for answer in answers if answer.is_given}
    given = without_who_steps_aside(everybody)
    said = {answer.level for answer in given.values()}
    graded = [answer for answer in given.values() if answer.level is not None]
    if not given:
        return LeftOut(UNGRADED)
    if answers[0].pair_id in decisions and is_for_a_third_person(given.values()):
        return decided(answers, graded, decisions)
    if len(said) > 1:
        return primary(answers, given) if primary_stands and is_one_apart(said) else LeftOut(UNRESOLVED)
    if not graded and zero_reasons.issuperset(answer.reason for answer in given.values()):
        graded = [answer._replace(level=0) for answer in given.values()]
    if not graded:
        return LeftOut(unjudgeable(given.values()))
    if len(graded) == 1 and any(answer.is_open and answer.labeller_id not in everybody for answer in answers):
        return LeftOut(AWAITED)
    return judged(graded, source_of(graded))


def without_who_steps_aside(given: Mapping[str | None, Answer]) -> Mapping[str | None, Answer]:
    """Where somebody gave a level, whoever said that the pair needs expertise has no part in its judgment."""
    if all(answer.level is None for answer in given.values()):
        return given
    return {who: answer for who, answer in given.items() if answer.reason != EXPERTISE}


def source_of(graded: Sequence[Answer]) -> str:
    if all(answer.is_imported for answer in graded):
        return "imported"
    return "agreed" if len(graded) >= 2 else "single"


def judged(graded: Sequence[Answer], source: str) -> Settled | LeftOut:
    """Grades of one level, if nobody is known to have read another text than the others."""
    texts, level = texts_of(graded), graded[0].level
    if level is None or len(texts) > 1:
        return LeftOut(TEXT_CHANGED)
    return settled(graded, level, source, texts)


def primary(answers: Sequence[Answer], given: Mapping[str | None, Answer]) -> Settled | LeftOut:
    """The level of whoever was dealt the query first, among those who gave one."""
    first = next(given[answer.labeller_id] for answer in answers if answer.labeller_id in given)
    assert first.level is not None
    texts = texts_of(given.values())
    return LeftOut(TEXT_CHANGED) if len(texts) > 1 else settled([first], first.level, "primary", texts)


def decided(
    answers: Sequence[Answer], graded: Sequence[Answer], decisions: Mapping[str, int | None]
) -> Settled | LeftOut:
    """A pair that a third person has decided."""
    first = answers[0]
    level = decisions[first.pair_id]
    if level is None:
        return LeftOut(NO_JUDGMENT)
    # Where the labellers read different texts, the decision is about the newest, which the adjudicator read.
    texts = texts_of(answers)
    return settled(graded, level, "adjudicated", texts if len(texts) == 1 else {first.document_hash}, about=first)


def settled(
    graded: Sequence[Answer], level: int, source: str, texts: set[str], *, about: Answer | None = None
) -> Settled:
    """`about` any answer of the pair, where nobody may have graded it."""
    first = about or graded[0]
    text_hash = next(iter(texts), NO_TEXT)
    return Settled(
        first.qid,
        first.docno,
        level,
        source,
        text_hash,
        graded_by=tuple(answer.labeller_id for answer in graded if answer.labeller_id is not None),
        is_outdated=text_hash not in (NO_TEXT, first.document_hash),
    )


def texts_of(answers: Iterable[Answer]) -> set[str]:
    """Hashes of the texts that were graded; not of placeholders, whose graders read a text that never came here."""
    return {answer.text_hash for answer in answers if answer.text_hash is not None} - {NO_TEXT}


def unjudgeable(given: Iterable[Answer]) -> str:
    """One reason stands for the pair, in the order in which the desk lists them."""
    reasons = {answer.reason for answer in given}
    return f"unjudgeable: {next((reason for reason in REASONS if reason in reasons), 'other')}"
