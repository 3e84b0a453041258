"""Promise S5: passwords that are long, not well known, and expensive to try."""

import pytest
from argon2 import PasswordHasher, extract_parameters
from sqlalchemy import update

from app.errors import InputError
from app.people.models import Person
from app.people.passwords import check_password, hash_password, is_right
from tests.make import PASSWORD, Cast


def test_hashes_are_argon2id_with_the_cost_that_was_measured() -> None:
    parameters = extract_parameters(hash_password(PASSWORD))
    assert (parameters.type.name, parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (
        "ID",
        19456,
        2,
        1,
    )


@pytest.mark.parametrize(
    "password", ["four quiet words together", "aaabbbcccddd", "ünïcödé pässwörd", "12 drums & 1 flute", "x7$kQ!m2Zw9p"]
)
def test_long_passwords_are_taken_whatever_they_are_made_of(password: str) -> None:
    assert check_password(password, email="ana@example.org", name="Ana")


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("eleven char", "at least 12"),
        ("x" * 1025, "at most 1024"),
        ("password1234", "among the first"),
        ("Passw0rd!!!!", "among the first"),
        ("123456123456", "among the first"),
        ("aaaaaaaaaaaa", "among the first"),
        ("abcdefghijkl", "among the first"),
        ("qwertyuiopasd", "among the first"),
        ("lovelace2026!", "among the first"),
        ("ana.lovelace1", "among the first"),
        ("adjudge-adjudge", "among the first"),
    ],
)
def test_what_a_guesser_tries_first_is_refused(password: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check_password(password, email="ana.lovelace@example.org", name="Ana Lovelace")


def test_a_password_typed_on_another_keyboard_is_the_same() -> None:
    composed, decomposed = "p\u00e4ssw\u00f6rter sind lang", "pa\u0308sswo\u0308rter sind lang"
    assert is_right(decomposed, hash_password(check_password(composed, email="a@example.org", name="Ana")))


def test_a_hash_of_lesser_cost_is_renewed_at_the_next_sign_in(cast: Cast) -> None:
    ana = cast.person("ana")
    weak = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    with cast.database.session(writes=True) as session:
        session.execute(update(Person).values(password_hash=weak))
    answer = cast.browser(None).post("/sign-in", data={"email": "ana@example.org", "password": PASSWORD})
    assert answer.status_code == 303
    with cast.database.session(writes=False) as session:
        renewed = session.get_one(Person, ana).password_hash
    assert extract_parameters(renewed).memory_cost == 19456
    assert is_right(PASSWORD, renewed)
