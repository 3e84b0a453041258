"""A round that a release was made of stays closed."""

from sqlalchemy import select

from app.judging.models import Round
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
