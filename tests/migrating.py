"""Migrations on any database, as tests and trials need them."""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config

from app.db import Database

ALEMBIC_INI = Path(__file__).resolve().parent.parent / "alembic.ini"


def migrate(url: str, *, revision: str = "head") -> None:
    """Bring the database up or down to the revision."""
    with_config(url, lambda config: command.upgrade(config, revision))


def check_models(url: str) -> None:
    """Raise alembic's CommandError if the tables differ from what the models declare."""
    with_config(url, command.check)


def with_config(url: str, act: Callable[[Config], object]) -> None:
    database = Database(url)
    try:
        with database.engine.begin() as connection:
            config = Config(ALEMBIC_INI)
            config.attributes["connection"] = connection
            act(config)
    finally:
        database.close()
