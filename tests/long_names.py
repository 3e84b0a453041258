"""A project in which every name and text that people give is as long as it may be, without a blank to break it at."""

import json
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.judging.models import Assignment
from app.people.models import Person
from app.pools.models import Pair
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.releases.releasing import freeze
from app.web import API
from tests.make import Cast

TEXT = 300
"""Letters of what may be as long as a page: a word of thousands breaks no other way."""
ID = 200
"""Of outside ids, which may be five times as long."""


def named(mark: str, length: int) -> str:
    """One wide word of `length` that begins with `mark`."""
    return (mark + "W" * length)[:length]


def qid(number: int) -> str:
    return named(f"q{number}", ID)


def docno(number: int) -> str:
    return named(f"d{number}", ID)


QUERIES = [
    {"qid": qid(number), "text": named(f"shoes{number}", TEXT), "description": named("Who", TEXT)}
    | {"narrative": named("They", TEXT), "slice": named("de-", TEXT)}
    for number in range(4)
]
FIELD = named("brand", 100)
DOCUMENTS = [
    {"docno": docno(number), "title": named(f"About{number}", TEXT), "text": named("The", TEXT)}
    | {"url": f"https://docs.example/{named(str(number), TEXT)}", FIELD: named("acme", TEXT)}
    for number in range(4)
]
LEVELS = [
    {"name": named(f"Level{number}", TEXT), "question": named("Do", TEXT), "not_this": named("Not", TEXT)}
    for number in range(4)
]


@dataclass(frozen=True)
class LongNames:
    """The project: its people by role, and the ids that addresses are made of."""

    cast: Cast
    people: dict[str, str]
    project: str
    ids: dict[str, str]

    @classmethod
    def make(cls, cast: Cast) -> "LongNames":
        people = {
            role: cast.person(named(role, 100), is_admin=role == "lead")
            for role in ("lead", "reader", "labeller", "second")
        }
        project = cast.project(people["lead"], name=named("acme_", 120), gain_reason=named("Because", 2000))
        here = cls(cast, people, project, {"project_id": project, "code": "no-such-code", "kind_name": "queries"})
        here.settle()
        here.bring_in()
        here.judge()
        here.release()
        here.judge_on()
        return here

    def script(self, role: str = "lead") -> TestClient:
        return self.cast.script(self.people[role], self.project)

    def send(self, address: str, sent: Any, *, role: str = "lead", method: str = "POST") -> Any:
        answer = self.script(role).request(method, f"{API}/projects/{self.project}{address}", json=sent)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def settle(self) -> None:
        for role in ("labeller", "second", "reader"):
            is_reader = role == "reader"
            self.ids[role] = self.cast.member(self.project, self.people[role], "reader" if is_reader else "labeller")
        self.ids["member_id"] = self.ids["labeller"]
        self.ids["person_id"] = self.people["labeller"]
        invited = {"role": "labeller", "note": named("For", 200)}
        invitation = self.send("/invitations", invited)
        self.ids.update({"invitation_id": invitation["id"], "secret": invitation["secret"]})
        for verb in ("Look", "Read"):
            self.ids["rubric_id"] = self.cast.rubric(
                self.project, levels=LEVELS, instructions=named(verb, TEXT), unjudgeable=named("If", TEXT)
            )

    def bring_in(self) -> None:
        queries, documents = ("\n".join(map(json.dumps, rows)) for rows in (QUERIES, DOCUMENTS))
        self.hand_in("queries", queries)
        self.hand_in("documents", documents)
        for run in range(2):
            tag = named(f"run{run}", 200)
            lines = [
                f"{qid(query)} Q0 {docno((rank + run) % 4)} {rank + 1} {4 - rank} {tag}"
                for query in range(4)
                for rank in range(3)
            ]
            self.hand_in("runs", "\n".join(lines))
        self.send("/showing", {"fields": [FIELD]}, method="PUT")
        waiting = self.cast.browser(self.people["lead"]).post(
            f"/projects/{self.project}/imports/queries", files={"file": (named("file", 120), queries.encode())}
        )
        self.ids["upload_id"] = waiting.headers["location"].rpartition("/")[2]

    def hand_in(self, kind: str, text: str) -> Any:
        file = (named(kind, 120), text.encode())
        answer = self.script().post(f"{API}/projects/{self.project}/imports/{kind}", files={"file": file})
        assert answer.is_success, answer.text
        return answer.json()

    def judge(self) -> None:
        """A closed round on which the two differ."""
        self.send("/pools", {"depth": 3})
        labellers = [self.ids["labeller"], self.ids["second"]]
        wanted = {"kind": "agreement", "labellers": labellers, "queries": [qid(0), qid(1)], "seed": 7}
        first = self.send("/rounds", wanted)["id"]
        for role, level in (("labeller", 0), ("second", 3)):
            self.grade(role, level)
        self.send(f"/rounds/{first}/closure", None)
        self.send("/gold", {"qid": qid(0), "docno": docno(0), "level": 1, "why": named("Since", 500)})
        self.decide()

    def judge_on(self) -> None:
        """An open round at which the two are, each with a question."""
        labellers = [self.ids["labeller"], self.ids["second"]]
        main = {"kind": "main", "labellers": labellers, "overlap": 0.5, "is_warned": True, "seed": 7}
        self.ids["round_id"] = self.send("/rounds", main)["id"]
        for role in ("labeller", "second"):
            self.grade(role, 1, at_most=2)
            due = self.script(role).get(f"{API}/projects/{self.project}/assignments").json()[0]["id"]
            self.send(f"/assignments/{due}/questions", {"text": named("May", 2000)}, role=role)
        questions = self.send("/questions", None, method="GET")
        self.send(f"/questions/{questions[0]['id']}/answer", {"ruling": named("No", 4000)})
        with self.cast.database.session(writes=False) as session:
            assignment = session.scalars(
                select(Assignment).where(
                    Assignment.labeller_id == self.ids["labeller"], Assignment.round_id == self.ids["round_id"]
                )
            ).first()
            assert assignment is not None
            pair = session.get_one(Pair, (self.project, assignment.pair_id))
            self.ids.update({"assignment_id": assignment.id, "deal_id": assignment.deal_id})
            self.ids.update({"query_id": pair.query_id, "document_id": pair.document_id})

    def grade(self, role: str, level: int, *, at_most: int = 500) -> None:
        for each in self.script(role).get(f"{API}/projects/{self.project}/assignments?limit={at_most}").json():
            sent = {key: each[key] for key in ("key", "revision", "text_hash")}
            sent |= {"level": level, "rationale": named("Says", TEXT)}
            self.send(f"/assignments/{each['id']}/grades", sent, role=role)

    def decide(self) -> None:
        """One pair is decided, the next begun."""
        first, second = self.send("/adjudication", None, method="GET")["pairs"][:2]
        begun, _ = [
            self.send(f"/adjudication/{queued['pair_id']}/blind", {"level": 1, "revision": 0})
            for queued in (first, second)
        ]
        self.ids["pair_id"] = second["pair_id"]
        decision = {"level": 1, "reason": named("For", 2000), "revision": begun["revision"]}
        self.send(f"/adjudication/{first['pair_id']}/decision", decision)

    def release(self) -> None:
        self.hand_in("qrels", "".join(f"{qid(each)} 0 {docno(each)} 1\n" for each in range(4)))
        with self.cast.database.session(writes=True) as session:
            project, lead = session.get_one(Project, self.project), session.get_one(Person, self.people["lead"])
            member = session.scalars(select(Member).where(Member.person_id == lead.id)).one()
            seat = Seat(project, member, lead, "api", None)
            reason = named("Nobody", 2000)
            self.ids["release_id"] = freeze(session, seat, name=named("release", 120), waiver_reason=reason).id
        self.ids["run_id"] = self.send("/runs", None, method="GET")[0]["id"]
