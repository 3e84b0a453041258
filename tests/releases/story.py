"""A project whose grades are given: what tests of releases and scores begin with."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from app.agreement.models import Decision
from app.corpora.models import Document, Query
from app.formats.runs import read_rankings
from app.judging.closing import close_round
from app.judging.models import Round
from app.people.models import Person
from app.pools.models import Pair
from app.projects.guards import Seat
from app.projects.models import Member, Project
from app.releases.models import Judgment, Release
from app.releases.prospect import Condition
from app.releases.queries import next_number
from app.releases.releasing import conditions, freeze
from app.rubrics.queries import required_rubric
from app.runs.models import Ranking, Run, pack
from tests.agreement.judged import Said, judge
from tests.make import Cast


def agreeing(queries: int = 30, pairs: int = 10, *, names: tuple[str, str] = ("ben", "cleo")) -> list[Said]:
    """Two labellers who nearly always give the same level; which, is drawn with a seed."""
    chance = random.Random(7)
    said: list[Said] = []
    for query in range(queries):
        for pair in range(pairs):
            level = chance.choice([0, 0, 0, 1, 1, 2, 3])
            other = level if chance.random() < 0.9 else min(3, level + 1)
            said += [(f"q{query:02}", f"d{query:02}-{pair}", names[0], level)]
            said += [(f"q{query:02}", f"d{query:02}-{pair}", names[1], other)]
    return said


@dataclass
class Story:
    """A project of a lead, in which `judge` gives grades and `freeze` releases them."""

    cast: Cast
    policy: str = "standard"
    gain: str = "exponential"
    is_small_set: bool = False
    lead: str = field(init=False)
    project: str = field(init=False)

    def __post_init__(self) -> None:
        self.lead = self.cast.person("ana")
        self.project = self.cast.project(self.lead, gain=self.gain, policy=self.policy, is_small_set=self.is_small_set)

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def judge(self, said: Sequence[Said], *, kind: str = "agreement", is_open: bool = False) -> None:
        with self.cast.database.session(writes=True) as session:
            judge(session, self.project, said, kind=kind, is_open=is_open)

    def close_rounds(self) -> None:
        with self.cast.database.session(writes=True) as session:
            for round_ in session.scalars(select(Round).where(Round.project_id == self.project)):
                close_round(session, round_)

    def decide(self, qid: str, docno: str, level: int | None, *, step: str = "decided") -> None:
        """The next step of the pair's adjudication, by the lead."""
        with self.cast.database.session(writes=True) as session:
            pair_id = session.scalars(
                select(Pair.id)
                .join(Query, and_(Query.project_id == Pair.project_id, Query.id == Pair.query_id))
                .join(Document, and_(Document.project_id == Pair.project_id, Document.id == Pair.document_id))
                .where(Pair.project_id == self.project, Query.qid == qid, Document.docno == docno)
            ).one()
            earlier = select(func.count()).where(Decision.project_id == self.project, Decision.pair_id == pair_id)
            session.add(
                Decision(
                    project_id=self.project,
                    pair_id=pair_id,
                    family=required_rubric(session, self.project).family,
                    revision=1 + (session.scalar(earlier) or 0),
                    step=step,
                    adjudicator_id=self.seat(session).member.id,
                    level=level,
                    reason="So the rubric says." if step == "decided" else "",
                )
            )

    def seat(self, session: Session) -> Seat:
        member = session.scalars(
            select(Member).where(Member.project_id == self.project, Member.person_id == self.lead)
        ).one()
        project = session.get_one(Project, self.project)
        return Seat(project, member, session.get_one(Person, self.lead), "api", None)

    def conditions(self) -> dict[str, Condition]:
        with self.cast.database.session(writes=False) as session:
            found = conditions(session, session.get_one(Project, self.project), is_naming=True)
            return {condition.name: condition for condition in found}

    def freeze(
        self, name: str | None = None, *, waiver_reason: str | None = None, is_carrying: bool = False
    ) -> Release:
        """Under a name of its own where none is given, which is `First` for the first."""
        with self.cast.database.session(writes=True) as session:
            seat = self.seat(session)
            number = next_number(session, seat.project)
            if name is None:
                name = {1: "First"}.get(number, f"Release {number}")
            return freeze(session, seat, name=name, waiver_reason=waiver_reason, is_carrying=is_carrying)

    def judgments(self, release: Release) -> dict[tuple[str, str], tuple[int, str]]:
        """Grade and source by qid and docno."""
        with self.cast.database.session(writes=False) as session:
            rows = session.scalars(select(Judgment).where(Judgment.release_id == release.id))
            return {(row.qid, row.docno): (row.grade, row.source) for row in rows}

    def reference(self, content: bytes, name: str = "reference.qrels") -> str:
        """The id of reference qrels, brought in by a script."""
        address = f"/api/v1{self.home}/imports/qrels"
        answer = self.cast.script(self.lead, self.project).post(address, files={"file": (name, content)})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["see"]).removeprefix("/releases/")

    def run(self, path: Path, name: str) -> str:
        """The id of a run out of a TREC file."""
        with self.cast.database.session(writes=True) as session, path.open("rb") as file:
            rankings = list(read_rankings(file, path.name))
            run = Run(project_id=self.project, name=name, sha256="0" * 64, rankings=len(rankings), lines=0)
            session.add(run)
            session.flush()
            for ranking in rankings:
                docnos, scores = pack(ranking.docnos, np.asarray(ranking.scores))
                session.add(
                    Ranking(
                        project_id=self.project,
                        run_id=run.id,
                        qid=ranking.qid,
                        returned=len(ranking.docnos),
                        packed_docnos=docnos,
                        packed_scores=scores,
                    )
                )
            return run.id
