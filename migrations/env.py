"""Runs migrations on the database that the caller hands over, or else on the one that the settings name."""

from alembic import context

from app.db import Base, Database
from app.settings import Settings
from app.tables import ALL_TABLES

assert ALL_TABLES  # Importing it declares every table.


def run_on(connection: object) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)  # type: ignore[arg-type]
    with context.begin_transaction():
        context.run_migrations()


handed = context.config.attributes.get("connection")
if handed is not None:
    run_on(handed)
else:
    with Database(Settings().database_url).engine.connect() as connection:
        run_on(connection)
