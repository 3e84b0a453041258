"""Signing in and out, and what keeps guessers away."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.db import now
from app.errors import FieldError, InputError, RuleError, TooOften
from app.names import checked_name, is_seen
from app.people.models import Attempt, Person, SetUpCode, SignIn
from app.people.passwords import check_password, hash_password, is_right, needs_rehash
from app.record.keeping import act_as, record
from app.record.models import INSTALLATION

GUESS_WINDOW = timedelta(minutes=5)
GUESSES = {"both": 10, "account": 30, "address": 100, "all": 200}
"""Wrong passwords in the window: for one account from one address, for one account, from one address, altogether. Many
people may share an address, so that one who guesses there soon meets the first, and the others hardly the third.
"""
SEEN_EVERY = timedelta(minutes=5)
"""How exactly `seen_at` is kept: a write on each request would cost more than it tells."""


def hashed(secret: str) -> str:
    """How a random secret is held: it has 256 bits, so that a fast hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def normal_email(email: str) -> str:
    return email.strip().casefold()


def make_person(session: Session, *, email: str, name: str, password: str, is_admin: bool = False) -> Person:
    email, name = normal_email(email), person_s_name(name)
    if "@" not in email.strip("@") or len(email) > 254 or not is_seen(email) or any(map(str.isspace, email)):
        raise FieldError("email", f"“{email[:80]}” is not an email address.", "Write it like ana@example.org.")
    taken = FieldError("email", "There is an account with this email address already.", "Sign in with it.")
    if session.scalar(select(Person.id).where(Person.email == email)) is not None:
        raise taken
    password = checked_password(password, email=email, name=name, field="password")
    person = Person(email=email, name=name, password_hash=hash_password(password), is_admin=is_admin)
    try:
        with session.begin_nested():
            session.add(person)
    except IntegrityError as error:  # Somebody took the address while the password was hashed.
        raise taken from error
    record(session, INSTALLATION, "account made", account=person.id, is_admin=is_admin)
    return person


def person_s_name(name: str, field: str = "name") -> str:
    return checked_name(name, field, longest=100, way_out="Write the name that colleagues know.")


def rename(session: Session, person: Person, name: str) -> None:
    """In projects people keep the name under which they joined: what they decided there bears it."""
    name = person_s_name(name)
    if name != person.name:
        person.name = name
        record(session, INSTALLATION, "account renamed", account=person.id)


def checked_password(password: str, *, email: str, name: str, field: str) -> str:
    try:
        return check_password(password, email=email, name=name)
    except InputError as error:
        raise FieldError(field, error.sentence, error.way_out) from error


@dataclass(frozen=True)
class Door:
    """Where an attempt comes from and for whom, as it is counted."""

    email: str
    address: str

    def counters(self) -> dict[str, str]:
        # The account is counted by hash: a password typed into the wrong field must not be kept.
        account = hashed(normal_email(self.email))
        return {
            "both": f"account:{account}:{self.address}",
            "account": f"account:{account}",
            "address": f"address:{self.address}",
            "all": "all",
        }


def refuse_guessing(session: Session, door: Door) -> None:
    """TooOften where the account, its guesser, the address or everybody has had too many wrong passwords lately."""
    since = now() - GUESS_WINDOW
    for scope, about in door.counters().items():
        tries = select(func.count(), func.min(Attempt.at)).where(Attempt.about == about, Attempt.at > since)
        number, first = session.execute(tries).one()
        if number >= GUESSES[scope]:
            wait = max(1, int((first + GUESS_WINDOW - now()).total_seconds()) + 1)
            raise TooOften("Too many wrong passwords in the last minutes.", retry_after=wait)


def note_attempt(session: Session, door: Door) -> None:
    session.execute(delete(Attempt).where(Attempt.at < now() - GUESS_WINDOW))
    session.add_all(Attempt(about=about) for about in door.counters().values())


def sign_in(session: Session, door: Door, *, password: str, browser: str) -> str | None:
    """The new session's secret, or None where email or password is wrong: the attempt is then counted, so the caller
    must return and not raise. The same words and the same work for an unknown email as for a wrong password.
    """
    refuse_guessing(session, door)
    person = session.scalar(select(Person).where(Person.email == normal_email(door.email)))
    is_theirs = is_right(password, person.password_hash if person else None)
    if person is None or not is_theirs or person.disabled_at is not None:
        note_attempt(session, door)
        return None
    if needs_rehash(person.password_hash):
        person.password_hash = hash_password(password)
    return open_sign_in(session, person, browser=browser)


def open_sign_in(session: Session, person: Person, *, browser: str) -> str:
    secret = secrets.token_urlsafe(32)
    current = SignIn(person_id=person.id, secret_hash=hashed(secret), browser=browser[:200])
    session.add(current)
    session.flush()
    act_as(session, person.id)
    record(session, INSTALLATION, "signed in", sign_in=current.id)
    return secret


def end_sign_in(session: Session, current: SignIn) -> None:
    """The browser that holds it is signed out. Ending it twice changes nothing."""
    if current.ended_at is None:
        current.end()
        record(session, INSTALLATION, "signed out", sign_in=current.id, account=current.person_id)


def rotate(current: SignIn) -> str:
    """A new secret for the open session: whoever knew the old one is out."""
    secret = secrets.token_urlsafe(32)
    current.secret_hash = hashed(secret)
    return secret


def confirm_password(session: Session, current: SignIn, door: Door, *, password: str) -> bool:
    """Notes that the password was given again; False, and counted, where it is wrong."""
    if not is_password_of(session, current.person, door, password=password):
        return False
    current.password_at = now()
    return True


def is_password_of(session: Session, person: Person, door: Door, *, password: str) -> bool:
    """For a step that asks for the password itself, a script's too; a wrong one is counted, so the caller must return
    and not raise.
    """
    refuse_guessing(session, door)
    if is_right(password, person.password_hash):
        return True
    note_attempt(session, door)
    return False


class Standing(NamedTuple):
    """What decides whether a sign-in lets somebody in."""

    sign_in_id: str
    person_id: str
    created_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    disabled_at: datetime | None
    """When its person was shut out."""

    def is_open(self, *, hours: int, idle: timedelta) -> bool:
        """Not any more once it ended, grew too old, lay idle, or its person was disabled."""
        if self.ended_at is not None or self.disabled_at is not None:
            return False
        moment = now()
        return moment - self.created_at <= timedelta(hours=hours) and moment - self.seen_at <= idle

    @property
    def is_due_to_be_seen(self) -> bool:
        return now() - self.seen_at > SEEN_EVERY


STANDING = (SignIn.id, SignIn.person_id, SignIn.created_at, SignIn.seen_at, SignIn.ended_at, Person.disabled_at)
"""The columns of a Standing."""


def standing_of(current: SignIn) -> Standing:
    times = current.created_at, current.seen_at, current.ended_at, current.person.disabled_at
    return Standing(current.id, current.person_id, *times)


def renew_set_up_code(session: Session) -> str | None:
    """A fresh one-time code while nobody has an account; None afterwards."""
    if session.scalar(select(Person.id).limit(1)) is not None:
        return None
    secret = secrets.token_urlsafe(24)
    session.merge(SetUpCode(only=1, secret_hash=hashed(secret), used_at=None))
    return secret


def is_set_up_code(session: Session, secret: str, *, locks: bool = False) -> bool:
    """Whether the code is the newest one and unused. `locks` holds it for whoever is about to use it."""
    code = session.get(SetUpCode, 1, with_for_update=locks or None, populate_existing=True)
    if code is None or code.used_at is not None or session.scalar(select(Person.id).limit(1)) is not None:
        return False  # A command may have made the first account meanwhile.
    return secrets.compare_digest(code.secret_hash, hashed(secret))


def use_set_up_code(session: Session, *, email: str, name: str, password: str) -> Person:
    """Makes the first account, which looks after the installation, and ends the code; the caller has checked it."""
    person = make_person(session, email=email, name=name, password=password, is_admin=True)
    code = session.get_one(SetUpCode, 1)
    code.used_at = now()
    act_as(session, person.id)
    return person


def change_password(session: Session, current: SignIn, door: Door, *, old: str, new: str) -> None:
    """Sets a new password and ends the person's other sessions. FieldError where `old` is wrong or `new` too weak."""
    if not confirm_password(session, current, door, password=old):
        raise FieldError("old", "That is not your present password.", "Try again.")
    person = current.person
    new = checked_password(new, email=person.email, name=person.name, field="new")
    person.password_hash = hash_password(new)
    record(session, INSTALLATION, "password changed", account=person.id)
    end_sign_ins(session, person, but=current)


def end_sign_ins(session: Session, person: Person, *, but: SignIn | None = None) -> None:
    for each in session.scalars(select(SignIn).where(SignIn.person_id == person.id, SignIn.ended_at.is_(None))):
        if but is None or each.id != but.id:
            end_sign_in(session, each)


def disable(session: Session, person: Person, *, by: Person) -> None:
    """Shuts the person out at once: no sign-in is left, and none can be opened."""
    if person.id == by.id:
        raise RuleError("You can't disable your own account.", "Ask another person who looks after the installation.")
    if person.disabled_at is None:
        person.disabled_at = now()
        record(session, INSTALLATION, "account disabled", account=person.id)
    end_sign_ins(session, person)


def enable(session: Session, person: Person) -> None:
    """Lets the person sign in again; tokens and invitations that ended stay ended."""
    if person.disabled_at is not None:
        person.disabled_at = None
        record(session, INSTALLATION, "account enabled", account=person.id)
