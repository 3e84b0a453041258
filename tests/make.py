"""A small cast, made in a real database by the product's own verbs."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.db import Database, now
from app.people.models import Person
from app.people.signing_in import hashed, make_person, open_sign_in
from app.projects.models import Member, Project, Right, Role, Token
from app.projects.starting import start_project
from app.rubrics.lint import LevelText
from app.rubrics.writing import RubricText, publish, save_draft
from app.web import COOKIE

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

    def project(self, lead_id: str, *, name: str = "Developer help", gain: str = "exponential", **more: object) -> str:
        with self.database.session(writes=True) as session:
            lead = session.get_one(Person, lead_id)
            reason = "One perfect answer matters most."
            return start_project(session, lead, name=name, gain=gain, gain_reason=reason, **more).id  # type: ignore[arg-type]

    def member(self, project_id: str, person_id: str, role: Role) -> str:
        """The id of the new member."""
        with self.database.session(writes=True) as session:
            name = session.get_one(Person, person_id).name
            member = Member(project_id=project_id, person_id=person_id, name=name, role=role)
            session.add(member)
            session.flush()
            return member.id

    def rubric(self, project_id: str, *, levels: Sequence[Mapping[str, str]] = LEVELS) -> str:
        """The id of a published rubric."""
        with self.database.session(writes=True) as session:
            project = session.get_one(Project, project_id)
            save_draft(session, project, RubricText([LevelText(number, **each) for number, each in enumerate(levels)]))
            return publish(session, project, project.created_by_id).id

    def browser(self, person_id: str | None) -> TestClient:
        """A browser in which the person is signed in, or nobody."""
        client = TestClient(self.app, headers=BROWSER_HEADERS, follow_redirects=False)
        if person_id is not None:
            with self.database.session(writes=True) as session:
                secret = open_sign_in(session, session.get_one(Person, person_id), browser="test")
            client.cookies.set(COOKIE, secret)
        return client

    def token(self, person_id: str, project_id: str | None, right: Right) -> str:
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
                    expires_at=now() + timedelta(days=1),
                )
            )
        return secret

    def script(self, person_id: str, project_id: str | None, right: Right = "write") -> TestClient:
        """A script with a token of the person's."""
        headers = {"Authorization": f"Bearer {self.token(person_id, project_id, right)}"}
        return TestClient(self.app, headers=headers, follow_redirects=False)

    def see_project(self, project_id: str) -> Project:
        with self.database.session(writes=False) as session:
            return session.get_one(Project, project_id)
