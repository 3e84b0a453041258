"""The migrations make what the models declare, on both engines, and can be taken back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import URL

from app.db import Database
from tests.conftest import to_text
from tests.migrating import ALEMBIC_INI, check_models, migrate, with_config
from tests.postgres import fresh_database

SQLITE_SCHEMA = """
    SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%%' AND name NOT LIKE '%%alembic_version%%'
"""
POSTGRESQL_SCHEMA = """
    SELECT 'column', table_name || '.' || column_name, data_type || is_nullable || coalesce(collation_name, '')
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'
    UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid <> 'alembic_version'::regclass
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
def empty_postgresql_url(postgres_server: URL) -> Iterator[str]:
    with fresh_database(postgres_server) as url:
        yield to_text(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"empty_{request.param}_url")
    return url


def test_there_is_one_newest_migration() -> None:
    assert len(ScriptDirectory.from_config(Config(ALEMBIC_INI)).get_heads()) == 1


def test_migrations_make_what_the_models_declare(empty_url: str) -> None:
    migrate(empty_url)
    check_models(empty_url)


def test_each_migration_can_be_taken_back_and_made_again(empty_url: str) -> None:
    revisions = [script.revision for script in ScriptDirectory.from_config(Config(ALEMBIC_INI)).walk_revisions()]
    for revision in reversed(revisions):
        migrate(empty_url, revision=revision)
        before = read_schema(empty_url)
        with_config(empty_url, lambda config: command.downgrade(config, "-1"))
        migrate(empty_url, revision=revision)
        assert read_schema(empty_url) == before


def test_taking_all_back_leaves_nothing(empty_url: str) -> None:
    migrate(empty_url)
    with_config(empty_url, lambda config: command.downgrade(config, "base"))
    assert read_schema(empty_url) == []


def read_schema(url: str) -> list[tuple[str, str, str | None]]:
    """Every object of ours in the database: its kind, its name and how it is defined."""
    database = Database(url)
    try:
        with database.engine.connect() as connection:
            rows = connection.exec_driver_sql(SQLITE_SCHEMA if database.is_sqlite else POSTGRESQL_SCHEMA)
            return sorted((kind, name, definition) for kind, name, definition in rows)
    finally:
        database.close()
