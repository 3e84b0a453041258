"""A round that a release was made of stays closed."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import select

from app.errors import RuleError
from app.judging.closing import reopen_round
from app.judging.models import Round
from app.releases.keeping_closed import keep_closed
from app.releases.releasing import freeze
from tests.make import Cast
from tests.releases.story import Story, agreeing


def test_a_round_of_a_release_is_not_opened_again_and_a_later_one_is(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing())
    story.freeze("Autumn")
    story.judge([("later", "d1", "ben", 1), ("later", "d1", "cleo", 1)], kind="main")
    with cast.database.session(writes=False) as session:
        first, second = session.scalars(select(Round.id).order_by(Round.number))
    script, rounds = cast.script(story.lead, story.project), f"/api/v1{story.home}/rounds"
    refused = script.delete(f"{rounds}/{first}/closure")
    assert refused.status_code == 409
    assert "Release 1 was made of round 1" in refused.json()["error"]["sentence"]
    assert script.delete(f"{rounds}/{second}/closure").json()["closed_at"] is None


def test_a_round_is_not_opened_again_while_a_release_is_made_of_it(cast: Cast) -> None:
    """Whoever opens it waits for the release and then finds it."""
    story = Story(cast)
    story.judge(agreeing())
    has_frozen, is_asked = Event(), Event()

    def open_again() -> None:
        has_frozen.wait(10)
        is_asked.set()
        with cast.database.session(writes=True) as session:
            reopen_round(session, session.scalars(select(Round)).one(), keep_closed=keep_closed)

    with ThreadPoolExecutor(1) as pool:
        with cast.database.session(writes=True) as session:
            opening = pool.submit(open_again)
            freeze(session, story.seat(session), name="Autumn")
            has_frozen.set()
            is_asked.wait(10)
            with pytest.raises(TimeoutError):
                opening.result(timeout=0.3)
        with pytest.raises(RuleError, match="Release 1 was made of round 1"):
            opening.result(timeout=10)
