"""After every migration the triggers stand that keep what was given, decided, frozen and recorded (R11, S19)."""

from sqlalchemy import text

from app.db import Database

KEPT = {
    "act": {"UPDATE", "DELETE"},
    "assignment": {"UPDATE", "DELETE"},
    "chain": {"UPDATE", "DELETE"},
    "deal": {"UPDATE"},
    "decision": {"UPDATE", "DELETE"},
    "grade": {"UPDATE", "DELETE"},
    "judgment": {"UPDATE", "DELETE"},
    "level": {"UPDATE", "DELETE", "INSERT"},
    "release": {"UPDATE", "DELETE"},
    "rubric": {"UPDATE", "DELETE"},
    "ruling": {"UPDATE", "DELETE"},
}
"""A migration that makes one of these tables anew, as SQLite's often do, drops its triggers without a word."""
REPLACED = ("act", "chain", "deal", "grade")
"""Tables in which SQLite's INSERT OR REPLACE is refused, too."""


def test_every_trigger_stands_in_the_newest_schema(database: Database) -> None:
    if database.is_sqlite:
        rows = "SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger'"
        more = {table: {"INSERT"} for table in REPLACED}
    else:
        rows = "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        rows += " WHERE NOT t.tgisinternal AND t.tgenabled = 'O'"
        more = {table: {"TRUNCATE"} for table, events in KEPT.items() if "DELETE" in events}
    expected = {table: events | more.get(table, set()) for table, events in KEPT.items()}
    assert expected == triggers(database, rows)


def triggers(database: Database, rows: str) -> dict[str, set[str]]:
    with database.session(writes=False) as session:
        found: dict[str, set[str]] = {}
        for table, name in session.execute(text(rows)):
            found.setdefault(table, set()).add(name.removeprefix(f"{table}_refuses_").upper())
        return found
