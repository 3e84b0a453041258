"""What a round would be: its queries, how often each is judged, and by whom. Nothing is written here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.errors import FieldError
from app.judging.checks import gold_of
from app.judging.choosing import Pooled, by_slice, choose, draw_overlap, fresh_queries, pairs_of, remaining, sizes
from app.judging.lots import checked_seed
from app.judging.mixing import GoldPair, count_repeats
from app.judging.models import Deal, Round
from app.judging.sharing import Shares, queries_in_order, share_in_couples, share_singly
from app.people.models import Person
from app.pools.models import Pool
from app.projects.models import Member, Project
from app.projects.starting import refuse_small_set
from app.rubrics.models import Rubric
from app.rubrics.queries import required_rubric

MAIN_OVERLAP = 0.10
LONGEST_IDLE = 7 * 24 * 60
MOST_REPEATS = 0.20

Kind = Literal["agreement", "main"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A round as a lead asks for it: dealt to `labellers`, which are member ids, or where `idle_minutes` are given for
    labellers to claim.
    """

    kind: Kind
    pool: Pool
    labellers: Sequence[str] = ()
    idle_minutes: int | None = None
    queries: int | Sequence[str] | None = None
    """Of an agreement round: how many to draw, or qids."""
    seed: int | None = None
    overlap: float = MAIN_OVERLAP
    """Of a main round: the share of queries that two labellers judge."""
    repeats: float = 0.0
    quiz: int = 0


@dataclass(frozen=True)
class Plan:
    """A round before it opens."""

    kind: Kind
    rubric: Rubric
    pool: Pool
    seed: int
    overlap: float
    idle_minutes: int | None
    """None: it is dealt by name."""
    pooled: Pooled
    twice: Collection[str]
    """qids that two labellers judge."""
    members: Mapping[str, str]
    """Ids by name of those it is dealt to. Chance is drawn by name, since ids differ between installations."""
    shares: Shares
    """Who judges which query; nobody yet where it is claimed."""
    repeats: float = 0.0
    """The share of everybody's pairs that comes again."""
    quiz: int = 0
    """How many gold pairs everybody judges first, as far as there are such that they don't judge in the round."""
    gold: Sequence[GoldPair] = ()
    """What is gold under the rubric, where a quiz is wanted."""

    @property
    def load(self) -> dict[str, int]:
        """How many pairs each labeller would get, checks among them, by name; nothing where it is claimed."""
        names = sorted(self.members) if self.shares else ()
        return {name: sum(self.sizes_of(name)) + self.checks_of(name) for name in names}

    def sizes_of(self, name: str) -> list[int]:
        """Pairs of each of the labeller's queries, in their order."""
        return [len(self.pooled[qid]) for qid in queries_in_order(self.shares, name, seed=self.seed)]

    def checks_of(self, name: str) -> int:
        """Pairs that the labeller is shown again, and gold."""
        return count_repeats(self.sizes_of(name), self.repeats) + self.quiz_size(name)

    def quiz_size(self, name: str) -> int:
        return min(self.quiz, len(self.gold_besides(name)))

    def gold_besides(self, name: str) -> list[GoldPair]:
        """Gold that the labeller does not judge in the round. Where it is claimed, everybody may judge all of it."""
        judged = {pair.id for qid, pairs in self.pooled.items() if self.may_judge(name, qid) for pair in pairs}
        return [each for each in self.gold if each.pair.id not in judged]

    def may_judge(self, name: str, qid: str) -> bool:
        return name in self.shares[qid] if self.shares else True

    @property
    def checks(self) -> int:
        """Of `grades`, those to pairs that are shown again and to gold. Where the round is claimed, about how many are
        shown again: there gold comes with whoever comes.
        """
        if self.shares:
            return sum(map(self.checks_of, self.members))
        return round(self.repeats * self.judgings)

    @property
    def slices(self) -> dict[str, tuple[int, int]]:
        """By slice: how many queries, and how many of them two judge."""
        return {
            name: (len(qids), sum(qid in self.twice for qid in qids)) for name, qids in by_slice(self.pooled).items()
        }

    @property
    def pairs(self) -> int:
        return sum(sizes(self.pooled).values())

    @property
    def grades(self) -> int:
        """How many are asked for, `checks` among them."""
        return self.judgings + self.checks

    @property
    def judgings(self) -> int:
        """Grades that count: one of each pair from each of its labellers."""
        return self.pairs + sum(len(self.pooled[qid]) for qid in self.twice)


def plan_round(session: Session, project: Project, wanted: Wanted) -> Plan:
    """A round under the newest published rubric, in whole queries.

    An agreement round takes queries that are fresh in the rubric's family and gives each to two labellers; fewer than
    wanted, where the pool has fewer. A main round takes all that the family has not had yet, and gives the share
    `overlap` of them to a second labeller.
    """
    kind, pool, is_claimed = wanted.kind, wanted.pool, wanted.idle_minutes is not None
    rubric = required_rubric(session, project.id)
    able = able_labellers(session, project)
    members = claimants(able) if is_claimed else chosen_labellers(able, wanted.labellers)
    require_labellers(members, at_least=2 if kind == "agreement" else 1, is_claimed=is_claimed)
    seed = checked_seed(wanted.seed)
    pooled = pairs_of(session, pool)
    refuse_small_set(project, "the pool", len(pooled))
    overlap = checked_overlap(wanted.overlap, labellers=len(members))
    if kind == "agreement":
        pooled, overlap = choose(pooled, fresh_queries(session, rubric, pooled), wanted.queries, seed=seed), 1.0
    else:
        pooled = remaining(session, rubric, pooled)
    twice = draw_overlap(pooled, overlap, seed=seed)
    gold = gold_of(session, project.id, rubric.family) if wanted.quiz else []
    return Plan(
        kind,
        rubric,
        pool,
        seed,
        overlap,
        idle_minutes=checked_idle(wanted.idle_minutes),
        pooled=pooled,
        twice=twice,
        members=members,
        shares={} if is_claimed else share_out(kind, sizes(pooled), sorted(members), seed=seed, twice=twice),
        repeats=checked_repeats(wanted.repeats),
        quiz=checked_quiz(wanted.quiz, gold),
        gold=gold,
    )


def plan_further(session: Session, project: Project, round_: Round, *, queries: int | Sequence[str]) -> Plan:
    """More queries for an agreement round: fresh ones of its pool, shared among the labellers whom it has."""
    rubric = session.get_one(Rubric, (project.id, round_.rubric_id))
    pool = session.get_one(Pool, (project.id, round_.pool_id))
    able = able_labellers(session, project)
    has = set(session.scalars(select(Deal.labeller_id).where(*of_round(round_), Deal.labeller_id.is_not(None))))
    there = [member for member in able if member.id in has]
    members = claimants(able) if round_.is_claimed else {member.name: member.id for member in there}
    require_labellers(members, at_least=2, is_claimed=round_.is_claimed)
    pooled = pairs_of(session, pool)
    pooled = choose(pooled, fresh_queries(session, rubric, pooled), queries, seed=round_.seed)
    shares = {} if round_.is_claimed else share_in_couples(sizes(pooled), sorted(members), seed=round_.seed)
    return Plan(
        "agreement",
        rubric,
        pool,
        round_.seed,
        overlap=1.0,
        idle_minutes=round_.idle_minutes,
        pooled=pooled,
        twice=tuple(pooled),
        members=members,
        shares=shares,
        repeats=round_.repeats,
    )


def of_round(round_: Round) -> tuple[ColumnElement[bool], ...]:
    return Deal.project_id == round_.project_id, Deal.round_id == round_.id


def share_out(
    kind: Kind, sizes: Mapping[str, int], names: Sequence[str], *, seed: int, twice: Collection[str]
) -> Shares:
    if kind == "agreement":
        return share_in_couples(sizes, names, seed=seed)
    return share_singly(sizes, names, seed=seed, twice=twice)


def able_labellers(session: Session, project: Project) -> Sequence[Member]:
    """Who may be dealt queries, by name."""
    return session.scalars(
        select(Member)
        .join(Person, Person.id == Member.person_id)
        .where(
            Member.project_id == project.id,
            Member.role.in_(("lead", "labeller")),
            Member.left_at.is_(None),
            Person.disabled_at.is_(None),
        )
        .order_by(Member.name)
    ).all()


def claimants(able: Sequence[Member]) -> dict[str, str]:
    """Who may claim: a lead sees the agreement of an open round, and judges only what was dealt to them by name."""
    return {member.name: member.id for member in able if member.role == "labeller"}


def chosen_labellers(able: Sequence[Member], ids: Sequence[str]) -> dict[str, str]:
    """Member ids by name."""
    names = {member.id: member.name for member in able}
    strange = next((each for each in ids if each not in names), None)
    if strange is not None:
        raise FieldError(
            "labellers",
            f"“{strange[:60]}” is not the id of a member who can label here: a lead or labeller with an account.",
            "Choose again. Ids of members are meant, not names; GET …/members lists them.",
        )
    return {names[each]: each for each in ids}


def require_labellers(members: Mapping[str, str], *, at_least: int, is_claimed: bool) -> None:
    if len(members) < at_least:
        needed = "two labellers, who judge each query independently" if at_least == 2 else "a labeller"
        way_out = "Leads don’t claim: invite labellers." if is_claimed else "Choose them, or invite somebody."
        raise FieldError("labellers", f"This round needs at least {needed}.", way_out)


def checked_overlap(overlap: float, *, labellers: int) -> float:
    if not 0 <= overlap <= 1:
        raise FieldError(
            "overlap",
            f"At most all queries are judged twice, and {asked(overlap)} were asked.",
            "A tenth of them is 10 on the page, in percent, and .10 for commands and scripts.",
        )
    if overlap > 0 and labellers < 2:
        raise FieldError(
            "overlap", "One labeller alone can't overlap with anybody.", "Choose a second labeller, or an overlap of 0."
        )
    return overlap


def checked_repeats(share: float) -> float:
    if not 0 <= share <= MOST_REPEATS:
        raise FieldError(
            "repeats",
            f"At most {MOST_REPEATS:.0%} of the pairs are shown again, and {asked(share)} were asked.",
            "Five percent tell enough: 5 on the page, and .05 for commands and scripts. 0 shows none.",
        )
    return share


def asked(share: float) -> str:
    return f"{100 * share:,.6g}%"


def checked_quiz(number: int, gold: Sequence[GoldPair]) -> int:
    """FieldError where fewer gold pairs are set."""
    if number < 0 or number > len(gold):
        raise FieldError(
            "quiz",
            f"A quiz of {number} needs as many gold pairs under this rubric; there are {len(gold)}.",
            "Set more gold pairs, or ask for fewer; 0 asks none.",
        )
    return number


def checked_idle(minutes: int | None) -> int | None:
    if minutes is not None and not 1 <= minutes <= LONGEST_IDLE:
        raise FieldError(
            "idle_minutes",
            f"A claim returns after 1 to {LONGEST_IDLE:,} minutes without a grade.",
            "Thirty is enough for a break, and short enough for the others.",
        )
    return minutes
