"""Promise R20 as a machine: a project lives any life, in any order, by its API, beside a small model of what must hold.

Nothing unreleased leaves; grades only grow; a change of the rubric makes a new version and never touches an old one;
what was released stays as it was; only judgments whose level has not changed are carried into it from an earlier
family; and kappa is that of the model's own grades, under all versions of a family together.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import and_, bindparam, select

from app.agreement.adjudicating import decide, grade_blind
from app.judging.models import Grade
from app.people.models import Person
from app.projects.guards import Seat
from app.projects.models import Member, Project, Role
from app.releases.models import Judgment
from app.rubrics.models import Level, Rubric
from tests.in_one_thread import Ask, asking_in_one_thread
from tests.make import LEVELS, PASSWORD, Cast

LIVES = count()
PHASES = (Phase.generate,)
QUERIES, DOCUMENTS, TOP = 16, 10, len(LEVELS) - 1
BY_API = 2
"""Decisions of one sitting that are sent as requests."""
WHOLE_EVERY = 25
LOOKS = (
    ("eve", "/qrels"),
    ("eve", "/scores"),
    *(("ben", each) for each in ("/qrels", "/scores", "/agreement", "/adjudication", "/releases", "/rounds")),
)
"""What tells of judgments: a reader sees it once it is released, and a labeller never."""
QUESTIONS = (
    select(Rubric.number, Level.question)
    .join(Level, and_(Level.project_id == Rubric.project_id, Level.rubric_id == Rubric.id))
    .where(Rubric.project_id == bindparam("project"), Rubric.published_at.is_not(None))
    .order_by(Rubric.number, Level.number)
)
Pairing = tuple[str, str]


@dataclass
class Family:
    """What the model knows of the versions that count together: who gave what, the newest answer of each."""

    number: int
    versions: list[list[str]]
    """The levels' questions in each, the oldest first."""
    answers: dict[tuple[str, Pairing], int | None] = field(default_factory=dict)
    """Labeller and pair to the level; None for a pair that they could not judge."""
    open_rounds: set[str] = field(default_factory=set)
    seen_blind: set[str] = field(default_factory=set)

    def said_of(self, pair: Pairing) -> set[int | None]:
        return {level for (_, judged), level in self.answers.items() if judged == pair}


class Life(RuleBasedStateMachine):
    cast: ClassVar[Cast]
    send: ClassVar[Ask]
    happened: ClassVar[Counter[str]]
    """How often, over all lives, what is hard to get to."""

    def __init__(self) -> None:
        super().__init__()
        number = next(LIVES)
        people = {name: self.cast.person(f"{name}-{number}") for name in ("ana", "dora", "ben", "cai", "eve")}
        self.project = self.cast.project(people["ana"], policy="exploratory", is_small_set=True)
        roles: dict[str, Role] = {"dora": "lead", "ben": "labeller", "cai": "labeller", "eve": "reader"}
        self.members = {name: self.cast.member(self.project, people[name], role) for name, role in roles.items()}
        self.headers = {
            name: {"Authorization": f"Bearer {self.cast.token(person, self.project, 'write')}"}
            for name, person in people.items()
        }
        self.qids = [f"q{at}" for at in range(QUERIES)]
        self.docnos = [f"secret-d{at}" for at in range(DOCUMENTS)]
        self.pool = self.cast.pool(self.project, dict.fromkeys(self.qids, self.docnos))
        self.past: list[Family] = []
        self.family: Family | None = None
        self.versions: list[list[str]] = []
        self.families_by_rubric: dict[str, Family] = {}
        self.releases: dict[str, tuple[str, str]] = {}
        self.releases_seen = 0
        self.steps = 0
        self.presses = 0
        self.imports = 0

    def ask(self, who: str, method: str, path: str, **more: Any) -> Any:
        return self.send(method, f"/api/v1/projects/{self.project}{path}", headers=self.headers[who], **more)

    # What people do

    @rule(seed=st.integers(0, 99), is_minor=st.booleans())
    def publish_a_rubric(self, seed: int, *, is_minor: bool) -> None:
        """One level in other words: by the next version of its family, or the first of a new one."""
        levels = [dict(each) for each in LEVELS]
        levels[seed % len(levels)]["question"] += f" Or with step {seed} of {len(self.versions)}?"
        assert self.ask("ana", "PUT", "/rubric", json={"levels": levels}).status_code == 200
        answer = self.ask("ana", "POST", "/rubric/publication", json={"is_minor": is_minor})
        if is_minor and not self.family:
            assert answer.status_code == 409, answer.text
            return
        assert answer.status_code in (200, 201), answer.text
        self.versions.append([each["question"] for each in levels])
        assert answer.json()["number"] == len(self.versions)
        if is_minor and self.family:
            self.family.versions.append(self.versions[-1])
            self.happened["minor edits"] += 1
        else:
            self.past += [self.family] if self.family else []
            self.family = Family(len(self.versions), [self.versions[-1]])
        assert answer.json()["family"] == self.family.number
        self.families_by_rubric[answer.json()["id"]] = self.family

    @precondition(lambda self: self.family)
    @rule(queries=st.integers(1, QUERIES), seed=st.integers(0, 9), main=st.booleans(), overlap=st.floats(0, 1))
    def open_a_round(self, *, queries: int, seed: int, main: bool, overlap: float) -> None:
        asked: dict[str, Any] = {"seed": seed, "labellers": [self.members["ben"], self.members["cai"]]}
        asked |= (
            {"kind": "main", "overlap": overlap, "is_warned": True}
            if main
            else {"kind": "agreement", "queries": queries}
        )
        answer = self.ask("ana", "POST", "/rounds", json=asked)
        assert answer.status_code in (201, 409), answer.text
        if answer.status_code == 201:
            assert self.family
            self.family.open_rounds.add(answer.json()["id"])

    @precondition(lambda self: self.family and self.family.open_rounds)
    @rule(who=st.sampled_from(["ben", "cai"]), pairs=st.sampled_from([1, 3, 40]), noise=st.integers(0, 5))
    def judge(self, who: str, pairs: int, noise: int) -> None:
        for shown in self.ask(who, "GET", "/assignments", params={"limit": pairs}).json():
            self.press(who, shown, noise)

    @precondition(lambda self: self.family and self.family.answers)
    @rule(who=st.sampled_from(["ben", "cai"]), at=st.integers(0, 500), noise=st.integers(0, 5))
    def judge_again(self, who: str, at: int, noise: int) -> None:
        shown = self.ask(who, "GET", "/assignments", params={"state": "graded", "limit": 500}).json()
        if shown:
            self.press(who, shown[at % len(shown)], noise)

    def press(self, who: str, shown: dict[str, Any], noise: int) -> None:
        pair = shown["query"]["qid"], shown["document"]["docno"]
        level = given_level(who, pair, noise, self.presses)
        body = {name: shown[name] for name in ("key", "revision", "text_hash")}
        body |= {"reason": "query unclear"} if level is None else {"level": level}
        answer = self.ask(who, "POST", f"/assignments/{shown['id']}/grades", json=body)
        assert answer.status_code in (200, 201), answer.text
        again = self.ask(who, "POST", f"/assignments/{shown['id']}/grades", json=body)
        assert again.json() == answer.json(), "the same press sent twice is one grade"
        # A round of an older rubric may still be open: its grades are of that family.
        self.families_by_rubric[shown["rubric_id"]].answers[who, pair] = level
        self.presses += 1

    @property
    def families(self) -> list[Family]:
        return [*self.past, *([self.family] if self.family else [])]

    @precondition(lambda self: self.family)
    @rule(noise=st.integers(0, 5), queries=st.integers(1, QUERIES))
    def bring_in_grades(self, noise: int, queries: int) -> None:
        """Two people who judged elsewhere, on queries of the pool."""
        number = self.imports
        self.imports += 1
        names = (f"fay {number}", f"gil {number}")
        lines, said = ["labeller,qid,docno,grade"], {}
        for qid in self.qids[:queries]:
            for docno in self.docnos:
                for name in names:
                    level = given_level(name, (qid, docno), noise, number)
                    said[name, (qid, docno)] = TOP if level is None else level
                    lines.append(f"{name},{qid},{docno},{said[name, (qid, docno)]}")
        file = {"file": ("grades.csv", "\n".join(lines).encode())}
        answer = self.ask("ana", "POST", "/imports/grades", files=file)
        assert answer.is_success, answer.text
        assert self.family
        self.family.answers |= said
        self.presses += len(said)

    @rule(at=st.integers(0, 99), again=st.booleans())
    def close_or_reopen_a_round(self, at: int, *, again: bool) -> None:
        rounds = [each for each in self.ask("ana", "GET", "/rounds").json() if each["kind"] != "imported"]
        if not rounds:
            return
        chosen = rounds[at % len(rounds)]["id"]
        answer = self.ask("ana", "DELETE" if again else "POST", f"/rounds/{chosen}/closure")
        assert answer.status_code in (200, 201, 409), answer.text
        if answer.is_success:
            for family in self.families:
                family.open_rounds.discard(chosen)
            if again:
                self.families_by_rubric[answer.json()["rubric_id"]].open_rounds.add(chosen)

    @precondition(lambda self: self.family)
    @rule(pairs=st.sampled_from([1, 5, 200]), level=st.integers(0, TOP))
    def adjudicate(self, pairs: int, level: int) -> None:
        """By requests, and where many pairs stand in the way of a release by the verbs that these call."""
        listed = self.ask("dora", "GET", "/adjudication", params={"limit": pairs}).json()["pairs"]
        for queued in listed[:BY_API]:
            self.decide(queued["pair_id"], queued["revision"], level)
        self.decide_at_once({queued["pair_id"]: queued["revision"] for queued in listed[BY_API:]}, level)

    def decide(self, pair_id: str, revision: int, level: int) -> None:
        at = f"/adjudication/{pair_id}"
        if self.is_first_look(pair_id):
            blind = self.ask("dora", "POST", f"{at}/blind", json={"level": level, "revision": revision})
            assert blind.status_code == 201, blind.text
            revision = blind.json()["revision"]
        body = {"level": level, "reason": "It is so.", "revision": revision}
        decided = self.ask("dora", "POST", f"{at}/decision", json=body)
        assert decided.status_code == 201, decided.text

    def decide_at_once(self, revisions: Mapping[str, int], level: int) -> None:
        with self.cast.database.session(writes=True) as session:
            member = session.get_one(Member, (self.project, self.members["dora"]))
            person = session.get_one(Person, member.person_id)
            seat = Seat(session.get_one(Project, self.project), member, person, "api", None)
            for pair_id, revision in revisions.items():
                seen = revision
                if self.is_first_look(pair_id):
                    seen = grade_blind(session, seat, pair_id, level=level, revision=revision).revision
                decide(session, seat, pair_id, level=level, reason="It is so.", revision=seen)

    def is_first_look(self, pair_id: str) -> bool:
        """Whoever adjudicates grades a pair blind once in a family, whatever becomes of the decision."""
        assert self.family
        is_first = pair_id not in self.family.seen_blind
        self.family.seen_blind.add(pair_id)
        return is_first

    @precondition(lambda self: self.family)
    @rule(at=st.integers(0, 99))
    def take_a_decision_back(self, at: int) -> None:
        decided = self.ask("dora", "GET", "/adjudication", params={"state": "decided"}).json()["pairs"]
        if decided:
            chosen = decided[at % len(decided)]
            params = {"revision": chosen["revision"]}
            answer = self.ask("dora", "DELETE", f"/adjudication/{chosen['pair_id']}/decision", params=params)
            assert answer.status_code == 200, answer.text

    @rule(waives=st.booleans(), carries=st.booleans())
    def freeze(self, *, waives: bool, carries: bool) -> None:
        listed = self.ask("ana", "GET", "/releases/conditions", params={"is_carrying": carries}).json()
        failing = {each["name"] for each in listed if not each["is_met"]}
        body: dict[str, Any] = {"name": f"Release {len(self.releases) + 1}", "is_carrying": carries}
        if waives:
            body |= {"waiver_reason": "A first look.", "password": PASSWORD}
        answer = self.ask("ana", "POST", "/releases", json=body)
        allowed = failing and failing <= {"gate", "labellers"} if waives else not failing
        assert answer.status_code == (201 if allowed else 409), (failing, answer.text)
        if answer.status_code == 201:
            assert self.family
            assert not self.family.open_rounds, "what can still be graded is not released"
            made = answer.json()
            assert made["gated"] is not waives
            self.releases[made["id"]] = (made["sha256"], self.qrels_of(made["id"]))
            carried = self.check_carried(made["id"])
            assert made["sources"].get("carried", 0) == carried
            self.happened.update({"ungated releases" if waives else "gated releases": 1, "carried judgments": carried})
            assert carries or "carried" not in made["sources"]
        else:
            assert set(answer.json()["error"]["details"]["conditions"]) <= failing

    def check_carried(self, release_id: str) -> int:
        """Every judgment that was carried is one that the last family which knows the pair came to, at a level of which
        no word has changed since. How many there are.
        """
        assert self.family
        of_release = (Judgment.project_id == self.project, Judgment.release_id == release_id)
        with self.cast.database.session(writes=False) as session:
            rows = select(Judgment.qid, Judgment.docno, Judgment.grade).where(*of_release, Judgment.source == "carried")
            carried = session.execute(rows).all()
        for qid, docno, level in carried:
            assert not self.family.said_of((qid, docno)), "what was judged under the newest family is not carried"
            judged = next(family for family in reversed(self.past) if family.said_of((qid, docno)))
            said = judged.said_of((qid, docno))
            assert said == {level} or len(said) > 1, "they agreed, or somebody decided between them"
            assert judged.versions[-1][level] == self.versions[-1][level]
        return len(carried)

    @precondition(lambda self: self.family)
    @rule(carries=st.booleans(), queries=st.sampled_from([QUERIES - 1, QUERIES]))
    def go_straight_to_a_release(self, *, carries: bool, queries: int) -> None:
        """The way that a good project goes: any other order is tried by the rules above, but seldom gets this far."""
        assert self.family
        self.bring_in_grades(noise=1, queries=queries)
        for round_id in list(self.family.open_rounds):
            assert self.ask("ana", "POST", f"/rounds/{round_id}/closure").is_success
        self.family.open_rounds.clear()
        self.adjudicate(pairs=1000, level=1)
        self.freeze(waives=False, carries=carries)

    def qrels_of(self, release_id: str) -> str:
        return str(self.ask("eve", "GET", f"/releases/{release_id}/qrels").text)

    # What holds after every step

    @invariant()
    def what_must_hold(self) -> None:
        """After each step one look by turns; all of them after a release, every 25th step and at a life's end."""
        self.steps += 1
        if self.steps % WHOLE_EVERY == 0 or len(self.releases) != self.releases_seen:
            self.look_at_all()
        else:
            self.look(*LOOKS[self.steps % len(LOOKS)])
            self.look_at_list()
        self.look_at_versions()

    def look_at_all(self) -> None:
        self.releases_seen = len(self.releases)
        for who, path in LOOKS:
            self.look(who, path)
        self.look_at_list()
        for release, (_, qrels) in self.releases.items():
            assert self.qrels_of(release) == qrels

    def look(self, who: str, path: str) -> None:
        """Nothing unreleased leaves, and nothing at all to whoever judges."""
        answer = self.ask(who, "GET", path)
        if who == "ben":
            assert answer.status_code == 404
            return
        assert answer.status_code == (200 if self.releases else 409), answer.text
        assert self.releases or "secret-" not in answer.text

    def look_at_list(self) -> None:
        """A release stays as it was frozen."""
        listed = {each["id"]: each["sha256"] for each in self.ask("eve", "GET", "/releases").json()}
        assert listed == {release: sha256 for release, (sha256, _) in self.releases.items()}

    def look_at_versions(self) -> None:
        """No published version changes."""
        kept: list[list[str]] = []
        with self.cast.database.session(writes=False) as session:
            for number, question in session.execute(QUESTIONS, {"project": self.project}):
                kept += [[] for _ in range(len(kept), number)]
                kept[number - 1].append(question)
        assert kept == self.versions

    def teardown(self) -> None:
        if sys.exc_info()[1] is not None:
            return  # Whatever broke off the life is what shall be told.
        self.look_at_all()
        self.look_at_versions()
        self.check_grades()
        self.check_kappa()

    def check_grades(self) -> None:
        with self.cast.database.session(writes=False) as session:
            kept = session.scalars(select(Grade.id).where(Grade.project_id == self.project)).all()
            assert len(kept) == self.presses, "grades only grow, by one a press"

    def check_kappa(self) -> None:
        if not self.family:
            return
        answer = self.ask("dora", "GET", "/agreement").json()
        expected = pooled_kappa(self.family.answers)
        assert answer["kappa"] == (None if expected is None else pytest.approx(expected, abs=1e-12))


def given_level(who: str, pair: Pairing, noise: int, turn: int) -> int | None:
    """What the pair deserves, and now and then a step beside it, or no level at all; the same on every run."""
    due = sum(map(ord, pair[0] + pair[1])) % (TOP + 1)
    dice = sum(map(ord, who)) * 31 + sum(map(ord, "".join(pair))) * 17 + turn * 7
    if dice % 60 == 59:
        return None
    return (due + 1) % (TOP + 1) if dice % 10 < noise else due


def pooled_kappa(answers: dict[tuple[str, Pairing], int | None]) -> float | None:
    """Linear weights, written out from the definition; None where it does not exist."""
    by_pair: dict[Pairing, dict[str, int]] = defaultdict(dict)
    for (who, pair), level in answers.items():
        if level is not None:
            by_pair[pair][who] = level
    doubly = {pair: given for pair, given in by_pair.items() if len(given) > 1}
    own: dict[str, list[int]] = defaultdict(list)
    for given in doubly.values():
        for who, level in given.items():
            own[who].append(level)
    couples: dict[tuple[str, str], list[int]] = defaultdict(list)
    for given in doubly.values():
        for a, b in combinations(sorted(given), 2):
            couples[a, b].append(abs(given[a] - given[b]))
    observed = sum(sum(steps) for steps in couples.values())
    expected = sum(
        len(steps) * sum(abs(x - y) for x in own[a] for y in own[b]) / (len(own[a]) * len(own[b]))
        for (a, b), steps in couples.items()
    )
    return 1 - observed / expected if expected else None


def live(cast: Cast, *, lives: int, steps: int) -> Counter[str]:
    """What happened in them. In a thread of their own, since a browser of an earlier test leaves its loop running in
    this one.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(live_here, cast, lives=lives, steps=steps).result()


def live_here(cast: Cast, *, lives: int, steps: int) -> Counter[str]:
    happened = Counter[str]()
    with asking_in_one_thread(cast.app) as ask:
        machine = type("LifeHere", (Life,), {"cast": cast, "send": staticmethod(ask), "happened": happened})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=lives,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=PHASES,
                database=None,
            ),
        )
    return happened


@pytest.mark.timeout(300)
def test_whatever_happens_in_a_project_its_rules_hold(cast: Cast) -> None:
    live(cast, lives=5, steps=25)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_five_hundred_lives_of_fifty_steps(cast: Cast) -> None:
    happened = live(cast, lives=500, steps=50)
    sys.stdout.write(f"{dict(happened)}\n")
    assert happened.keys() >= {"minor edits", "gated releases", "ungated releases", "carried judgments"}
