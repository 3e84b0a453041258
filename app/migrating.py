"""Brings a database to the tables that this version needs."""

import logging

from alembic import command
from alembic.config import Config

from app.db import Database
from app.settings import ROOT


def migrate(database: Database) -> None:
    """Every migration that is still missing, all of them in one transaction."""
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with database.engine.begin() as connection:
        config = Config(ROOT / "alembic.ini")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
