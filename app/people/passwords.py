"""Passwords: argon2id, at least twelve characters, no rules of composition, none of the well-known ones."""

import os
import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from app.errors import InputError

SHORTEST, LONGEST = 12, 1024
HASHER = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)
# More hashing at once than there are cores only makes everybody wait, and lets a flood of sign-ins take the memory.
CORES = threading.BoundedSemaphore(os.cpu_count() or 1)
KEYBOARD_ROWS = ("01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm")
WELL_KNOWN = (
    "password", "passw0rd", "123456", "qwerty", "letmein", "iloveyou", "welcome", "administrator", "changeme",
    "abc123", "monkey", "dragon", "football", "baseball", "sunshine", "princess", "trustno1", "superman", "adjudge",
)  # fmt: skip


def check_password(password: str, *, email: str, name: str) -> str:
    """The password, normalised so that it can be typed on any keyboard; InputError says what is wrong with it."""
    password = unicodedata.normalize("NFKC", password)
    if len(password) < SHORTEST:
        raise InputError(f"A password has at least {SHORTEST} characters.", "Four words that belong together will do.")
    if len(password) > LONGEST:
        raise InputError(f"A password has at most {LONGEST} characters.", "Take a shorter one.")
    if is_guessable(password.casefold(), known=(*WELL_KNOWN, *email.casefold().split("@"), *name.casefold().split())):
        raise InputError("That password is among the first that a guesser tries.", "Take words that nobody expects.")
    return password


def is_guessable(password: str, *, known: tuple[str, ...]) -> bool:
    """Whether little is left of the password without well-known words, or it only repeats or counts."""
    if len(set(password)) <= 3 or any(password in row for row in KEYBOARD_ROWS):
        return True
    rest = password
    for word in sorted(known, key=len, reverse=True):
        if len(word) >= 4:
            rest = rest.replace(word, "")
    return len(rest.strip("0123456789!?.,-_ ")) < 4


def hash_password(password: str) -> str:
    with CORES:
        return HASHER.hash(password)


def is_right(password: str, password_hash: str | None) -> bool:
    """Whether the password fits. Without a hash (nobody of that name) it takes as long and says no."""
    with CORES:
        try:
            HASHER.verify(password_hash or nobodys_hash(), unicodedata.normalize("NFKC", password))
        except (VerifyMismatchError, InvalidHashError):
            return False
    return password_hash is not None


def needs_rehash(password_hash: str) -> bool:
    return HASHER.check_needs_rehash(password_hash)


def nobodys_hash() -> str:
    global _nobodys_hash  # noqa: PLW0603 - made at the first need: hashing at import would slow every command
    if _nobodys_hash is None:
        _nobodys_hash = HASHER.hash("nobody has this password")
    return _nobodys_hash


_nobodys_hash: str | None = None
