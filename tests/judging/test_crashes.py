"""R1: what was acknowledged survives `kill -9`, once.

A trial that could not see a loss would prove nothing, so the same one is held over an application that commits after it
answered, and must find what is missing there.
"""

from pathlib import Path

import pytest

from tests.crashing import Trial
from tests.make import Cast

CLIENTS, KILLS = 20, 10


def stage(cast: Cast, database_url: str, log: Path, *, factory: str, clients: int = CLIENTS) -> Trial:
    lead = cast.person("lead")
    project = cast.project(lead)
    cast.rubric(project)
    people = [cast.person(f"labeller{number}") for number in range(clients)]
    members = [cast.member(project, person, "labeller") for person in people]
    pool = cast.pool(project, {f"q{query}": [f"d{query}-{at}" for at in range(8)] for query in range(clients)})
    cast.round(project, pool, members)
    tokens = [cast.token(person, project, "write") for person in people]
    return Trial(database_url, project, tokens, log, factory=f"tests.crash_apps:{factory}")


def test_no_acknowledged_grade_is_lost_or_doubled_by_ten_kills(cast: Cast, database_url: str, tmp_path: Path) -> None:
    trial = stage(cast, database_url, tmp_path / "acknowledged.log", factory="sound")
    outcome = trial.run(kills=KILLS, seed=1)
    print(outcome)  # noqa: T201 - shown with -s and where it fails
    assert outcome.acknowledged >= KILLS * CLIENTS
    assert outcome.kept == outcome.acknowledged
    assert outcome.is_sound


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_commit_after_the_answer_does_not_escape_the_trial(cast: Cast, database_url: str, tmp_path: Path) -> None:
    trial = stage(cast, database_url, tmp_path / "acknowledged.log", factory="commits_after_the_answer", clients=4)
    outcome = trial.run(kills=KILLS, seed=1)
    assert outcome.lost


@pytest.mark.soak
def test_a_hundred_kills_under_fifty_labellers(cast: Cast, database_url: str, tmp_path: Path) -> None:
    trial = stage(cast, database_url, tmp_path / "acknowledged.log", factory="sound", clients=50)
    outcome = trial.run(kills=100, seed=2)
    print(outcome)  # noqa: T201 - the figure that is quoted
    assert outcome.kept == outcome.acknowledged
    assert outcome.is_sound
