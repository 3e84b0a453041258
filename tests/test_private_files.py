"""The database's files are their owner's alone."""

import stat
from pathlib import Path

from sqlalchemy import text

from app.db import Database


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_database_and_its_folder_are_closed_to_others(tmp_path: Path) -> None:
    file = tmp_path / "var" / "adjudge.db"
    database = Database(f"sqlite:///{file}")
    with database.session(writes=True) as session:
        session.execute(text("CREATE TABLE kept (number INTEGER)"))
        beside = sorted(file.parent.iterdir())
        assert len(beside) == 3  # SQLite's log and its index lie beside the file.
        assert {mode(each) for each in beside} == {0o600}
    database.close()
    assert mode(file.parent) == 0o700


def test_a_database_that_was_open_to_others_is_closed_and_its_folder_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "adjudge.db"
    file.touch()
    file.chmod(0o644)
    Database(f"sqlite:///{file}").close()
    assert (mode(file), mode(tmp_path)) == (0o600, 0o755)
