"""How fast a round goes and what it costs."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update

from app.db import now
from app.judging.models import Assignment, Grade, Round
from app.judging.pacing import Pace, pace_of
from app.judging.queries import progress_of
from tests.judging.test_rounds import Scene
from tests.make import Cast


def graded(scene: Scene, round_id: str, *, hours_ago: float, active_ms: int | None, number: int) -> None:
    """So many of the round's pairs, at that time."""
    with scene.cast.database.session(writes=True) as session:
        rubric_id = session.get_one(Round, (scene.project, round_id)).rubric_id
        left = select(Assignment.id).where(Assignment.round_id == round_id, Assignment.revision == 0).limit(number)
        for each in session.scalars(left).all():
            row = {"project_id": scene.project, "assignment_id": each, "revision": 1, "level": 1, "origin": "browser"}
            row |= {"text_hash": "0" * 64, "key": each, "rubric_id": rubric_id, "active_ms": active_ms}
            session.execute(insert(Grade), [row | {"given_at": now() - timedelta(hours=hours_ago)}])
            session.execute(update(Assignment).where(Assignment.id == each).values(revision=1))


def pace(scene: Scene, round_id: str, **more: float) -> Pace:
    with scene.cast.database.session(writes=False) as session:
        round_ = session.get_one(Round, (scene.project, round_id))
        return pace_of(session, progress_of(session, round_), **more)


def opened_long_ago(scene: Scene) -> str:
    """A round of 48 grades."""
    round_id = str(scene.open()["id"])
    with scene.cast.database.session(writes=True) as session:
        session.get_one(Round, (scene.project, round_id)).opened_at = now() - timedelta(days=20)
    return round_id


def test_the_pace_is_that_of_the_last_week_and_says_when_the_round_ends(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = opened_long_ago(scene)
    graded(scene, round_id, hours_ago=24 * 10, active_ms=9_000, number=20)
    graded(scene, round_id, hours_ago=24, active_ms=18_000, number=14)
    found = pace(scene, round_id, rate=50)
    assert found.a_day == pytest.approx(2)
    assert found.left == 14
    assert found.ends_at is not None
    assert abs(found.ends_at - now() - timedelta(days=7)) < timedelta(minutes=1)
    assert found.hours == pytest.approx((20 * 9 + 14 * 18) / 3600)
    assert found.cost == pytest.approx(50 * found.hours)


def test_grades_without_a_measured_time_count_the_usual_seconds(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = opened_long_ago(scene)
    graded(scene, round_id, hours_ago=2, active_ms=None, number=4)
    found = pace(scene, round_id)
    assert found.unmeasured == 4
    assert found.hours == pytest.approx(100 / 3600)


def test_no_end_is_promised_where_nobody_graded_lately_or_nothing_is_left(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = opened_long_ago(scene)
    graded(scene, round_id, hours_ago=24 * 9, active_ms=5_000, number=30)
    assert pace(scene, round_id).ends_at is None
    browser = cast.browser(scene.lead)
    assert "can’t be told: nobody graded lately" in browser.get(f"{scene.home}/rounds/{round_id}").text
    graded(scene, round_id, hours_ago=1, active_ms=5_000, number=18)
    assert pace(scene, round_id).ends_at is None
    assert "all is graded" in browser.get(f"{scene.home}/rounds/{round_id}").text


def test_the_page_asks_again_while_the_round_goes_on(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open(queries=1)["id"]
    browser, address = cast.browser(scene.lead), f"{scene.home}/rounds/{round_id}"
    assert f'hx-get="{address}/progress?rate=60.0" hx-trigger="every 15s"' in browser.get(address).text
    part = browser.get(f"{address}/progress?rate=90", headers={"HX-Request": "true"}).text
    assert "<h1>" not in part
    assert "An hour costs $90" in part
    assert "<h1>" in browser.get(f"{address}/progress").text
    assert browser.get(f"{address}/progress?rate=-1").status_code == 422
    scene.grade_all("ben")
    scene.grade_all("cleo")
    assert "hx-trigger" not in browser.get(address).text


def test_a_lead_who_judges_sees_counts_and_nobody_s_time(cast: Cast) -> None:
    scene = Scene.make(cast)
    round_id = scene.open("ana", "ben", queries=5)["id"]
    graded(scene, round_id, hours_ago=1, active_ms=7_000, number=30)
    page = cast.browser(scene.lead).get(f"{scene.home}/rounds/{round_id}/progress").text
    assert "30 of 40" in page
    assert "hidden from you while you judge" in page
    assert '<td class="num">7</td>' not in page
    seen = scene.script().get(f"{scene.api}/rounds/{round_id}").json()
    assert seen["hours"] == pytest.approx(30 * 7 / 3600)
