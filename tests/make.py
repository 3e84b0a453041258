"""A small cast, made in a real database by the product's own verbs."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.models import Document, Query, shown_hash
from app.db import Base, Database, now
from app.judging.dealing import open_round
from app.judging.planning import Wanted
from app.people.models import Person
from app.people.signing_in import hashed, make_person, open_sign_in
from app.pools.models import Pair, Pool, PoolPair
from app.projects.guards import Seat
from app.projects.joining import invite
from app.projects.models import Member, Project, Right, Role, Token
from app.projects.starting import start_project
from app.record.keeping import record
from app.record.sealing import seals_of
from app.rubrics.texts import LevelText, RubricText
from app.rubrics.writing import publish, save_draft
from app.runs.models import Ranking, Run, pack
from app.web import COOKIE

EVERYWHERE = "0.0.0.0"  # noqa: S104 - Nothing is served there: clients of tests name hosts of their own.
PASSWORD = "four quiet words together"
BROWSER_HEADERS = {"Sec-Fetch-Site": "same-origin"}
LEVELS = [
    {"name": "Nothing", "question": "Are they exactly where they were before?"},
    {"name": "Context", "question": "Do they learn something about the task, without being able to act on it?"},
    {"name": "A step", "question": "Can they carry out a necessary step, but not the whole task?"},
    {"name": "Complete", "question": "Can they finish the task with this document alone?"},
]
HASHES: dict[str, str] = {}
"""Argon2 takes its time on purpose: the cast shares one hash."""


@dataclass(frozen=True)
class Cast:
    """Everybody that tests of access need: ids, since rows belong to the session that loaded them."""

    app: FastAPI
    database: Database

    def person(self, name: str, *, is_admin: bool = False) -> str:
        """The id of a new account; its email is name@example.org and its password PASSWORD."""
        with self.database.session(writes=True) as session:
            if PASSWORD not in HASHES:
                person = make_person(
                    session, email=f"{name}@example.org", name=name, password=PASSWORD, is_admin=is_admin
                )
                HASHES[PASSWORD] = person.password_hash
            else:
                person = Person(
                    email=f"{name}@example.org", name=name, password_hash=HASHES[PASSWORD], is_admin=is_admin
                )
                session.add(person)
                session.flush()
            return person.id

    def project(
        self,
        lead_id: str,
        *,
        name: str = "Developer help",
        gain: str = "exponential",
        gain_reason: str = "One perfect answer matters most.",
        **more: object,
    ) -> str:
        with self.database.session(writes=True) as session:
            lead = session.get_one(Person, lead_id)
            return start_project(session, lead, name=name, gain=gain, gain_reason=gain_reason, **more).id  # type: ignore[arg-type]

    def member(self, project_id: str, person_id: str, role: Role) -> str:
        """The id of the new member."""
        with self.database.session(writes=True) as session:
            name = session.get_one(Person, person_id).name
            member = Member(project_id=project_id, person_id=person_id, name=name, role=role)
            session.add(member)
            session.flush()
            joined = {"member": member.id, "role": role, "seals": seals_of(session, member)}
            record(session, project_id, "member joined", **joined)
            return member.id

    def invitation(self, project_id: str, role: Role = "labeller") -> tuple[str, str]:
        """The id of an open invitation by the project's first lead, and its secret."""
        with self.database.session(writes=True) as session:
            project = session.get_one(Project, project_id)
            lead = session.get_one(Person, project.created_by_id)
            invitation, secret = invite(session, project, lead, role=role, note="somebody new", days=1)
            return invitation.id, secret

    def rubric(
        self,
        project_id: str,
        *,
        levels: Sequence[Mapping[str, Any]] = LEVELS,
        instructions: str = "",
        unjudgeable: str = "",
        is_minor: bool = False,
    ) -> str:
        """The id of a published rubric; a family of its own, unless it is minor."""
        with self.database.session(writes=True) as session:
            project = session.get_one(Project, project_id)
            texts = tuple(LevelText(number, **each) for number, each in enumerate(levels))
            save_draft(session, project, RubricText(texts, instructions=instructions, unjudgeable=unjudgeable))
            return publish(session, project, project.created_by_id, is_minor=is_minor).id

    def corpus(self, project_id: str, *, queries: Mapping[str, str], documents: Mapping[str, str]) -> None:
        """Queries by qid, and documents by docno; both with nothing but their text."""
        with self.database.session(writes=True) as session:
            for qid, text in queries.items():
                session.add(Query(project_id=project_id, qid=qid, text=text))
            for docno, text in documents.items():
                row = {"project_id": project_id, "docno": docno, "text": text, "text_hash": shown_hash("", text, "")}
                session.add(Document(**row))

    def run(
        self,
        project_id: str,
        name: str,
        rankings: Mapping[str, Sequence[str]],
        *,
        scores: Sequence[float] | None = None,
    ) -> str:
        """The id of a run that ranks these docnos by qid: as listed, or by `scores`, the same for every query."""
        with self.database.session(writes=True) as session:
            lines = sum(len(docnos) for docnos in rankings.values())
            run = Run(project_id=project_id, name=name, sha256=hashed(name), rankings=len(rankings), lines=lines)
            session.add(run)
            session.flush()
            for qid, docnos in rankings.items():
                packed_docnos, packed_scores = pack(docnos, scores or [float(-at) for at in range(len(docnos))])
                row = {"project_id": project_id, "run_id": run.id, "qid": qid, "returned": len(docnos)}
                session.add(Ranking(**row, packed_docnos=packed_docnos, packed_scores=packed_scores))
            return run.id

    def pool(self, project_id: str, pairs: Mapping[str, Sequence[str]]) -> str:
        """The id of a pool that a list of pairs made: docnos by qid. Queries and documents come into being with it;
        a document's text names it, and one whose docno begins with `no-text` is a placeholder.
        """
        with self.database.session(writes=True) as session:
            lead_id = session.get_one(Project, project_id).created_by_id
            queries = rows_of(session, project_id, Query, ["qid"], [(qid,) for qid in pairs], query_row)
            docnos = sorted({(docno,) for listed in pairs.values() for docno in listed})
            documents = rows_of(session, project_id, Document, ["docno"], docnos, document_row)
            listed = [(queries[qid,], documents[docno,]) for qid, ranked in pairs.items() for docno in ranked]
            made = rows_of(session, project_id, Pair, ["query_id", "document_id"], listed, pair_row)
            number = 1 + len(session.scalars(select(Pool.id).where(Pool.project_id == project_id)).all())
            pool = Pool(project_id=project_id, number=number, source="pairs", run_names=[], drawn_by_id=lead_id)
            session.add(pool)
            session.flush()
            pooled = [PoolPair(project_id=project_id, pool_id=pool.id, pair_id=made[pair]) for pair in listed]
            session.add_all(pooled)
            return pool.id

    def round(self, project_id: str, pool_id: str, labellers: Sequence[str], **more: Any) -> str:
        """The id of a round dealt to `labellers` (member ids) by the project's first lead; an agreement round of the
        whole pool, unless `more` says otherwise.
        """
        with self.database.session(writes=True) as session:
            project = session.get_one(Project, project_id)
            lead = session.get_one(Person, project.created_by_id)
            member = session.scalars(
                select(Member).where(Member.project_id == project_id, Member.person_id == lead.id)
            ).one()
            gate = {name: more.pop(name) for name in ("gate_answer", "is_warned") if name in more}
            asked: dict[str, Any] = {"kind": "agreement", "queries": 1000, "seed": 7} | more
            wanted = Wanted(pool=session.get_one(Pool, (project_id, pool_id)), labellers=labellers, **asked)
            return open_round(session, Seat(project, member, lead, "browser", None), wanted, **gate).id

    def browser(self, person_id: str | None, *, address: str = "testclient") -> TestClient:
        """A browser in which the person is signed in, or nobody; guesses are counted by its address."""
        client = TestClient(self.app, headers=BROWSER_HEADERS, follow_redirects=False, client=(address, 50000))
        if person_id is not None:
            with self.database.session(writes=True) as session:
                secret = open_sign_in(session, session.get_one(Person, person_id), browser="test")
            client.cookies.set(COOKIE, secret)
        return client

    def token(
        self,
        person_id: str,
        project_id: str | None,
        right: Right,
        *,
        is_revoked: bool = False,
        is_expired: bool = False,
    ) -> str:
        secret = f"adjudge_{secrets.token_urlsafe(32)}"
        with self.database.session(writes=True) as session:
            session.add(
                Token(
                    person_id=person_id,
                    project_id=project_id,
                    right=right,
                    name="test",
                    prefix=secret[:12],
                    secret_hash=hashed(secret),
                    expires_at=now() + timedelta(days=-1 if is_expired else 1),
                    revoked_at=now() if is_revoked else None,
                )
            )
        return secret

    def script(
        self,
        person_id: str,
        project_id: str | None,
        right: Right = "write",
        *,
        is_revoked: bool = False,
        is_expired: bool = False,
        address: str = "testclient",
    ) -> TestClient:
        """A script with a token of the person's."""
        token = self.token(person_id, project_id, right, is_revoked=is_revoked, is_expired=is_expired)
        headers = {"Authorization": f"Bearer {token}"}
        return TestClient(self.app, headers=headers, follow_redirects=False, client=(address, 50000))

    def see_project(self, project_id: str) -> Project:
        with self.database.session(writes=False) as session:
            return session.get_one(Project, project_id)


def rows_of(
    session: Session,
    project_id: str,
    model: type[Base],
    columns: Sequence[str],
    wanted: Sequence[tuple[str, ...]],
    make: Callable[..., Base],
) -> dict[tuple[str, ...], str]:
    """What is in these columns → the row's id; what is not there yet is made, all of it at once."""
    table: Any = model
    there = select(table.id, *(getattr(table, name) for name in columns)).where(table.project_id == project_id)
    found: dict[tuple[str, ...], str] = {tuple(names): id_ for id_, *names in session.execute(there)}
    new: dict[tuple[str, ...], Any] = {names: make(project_id, *names) for names in wanted if names not in found}
    session.add_all(new.values())
    session.flush()
    return found | {names: row.id for names, row in new.items()}


def query_row(project_id: str, qid: str) -> Query:
    return Query(project_id=project_id, qid=qid, text=f"what is {qid}", description=f"Whoever asks wants {qid}.")


def document_row(project_id: str, docno: str) -> Document:
    text = "" if docno.startswith("no-text") else f"The whole of {docno}.\n\nIts second paragraph."
    return Document(
        project_id=project_id,
        docno=docno,
        title=f"About {docno}",
        text=text,
        url=f"https://docs.example/{docno}",
        is_placeholder=not text,
        text_hash=shown_hash(f"About {docno}", text, f"https://docs.example/{docno}"),
    )


def pair_row(project_id: str, query_id: str, document_id: str) -> Pair:
    return Pair(project_id=project_id, query_id=query_id, document_id=document_id)
