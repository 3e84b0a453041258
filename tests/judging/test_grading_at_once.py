"""Requests that come at the same moment, and what a grade costs."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, select, update

from app.corpora.models import Document, Query, shown_hash
from app.judging.closing import close_round
from app.judging.models import Assignment, Grade, Round
from app.judging.queries import newest
from app.pools.models import Pair
from tests.judging.test_desk import HTMX, Desk, Sheet
from tests.make import Cast

MOST_TRIPS = 11


def at_once(desk: Desk, *presses: tuple[Sheet, dict[str, Any]]) -> list[int]:
    """The statuses, sorted, of presses that start together."""
    barrier = Barrier(len(presses))

    def run(press: tuple[Sheet, dict[str, Any]]) -> int:
        barrier.wait()
        return desk.press(press[0], **press[1]).status_code

    with ThreadPoolExecutor(len(presses)) as pool:
        return sorted(pool.map(run, presses))


def status_of(desk: Desk, sheet: Sheet) -> int:
    return desk.press(sheet, level=1).status_code


def after(barrier: Barrier, call: Callable[[], int]) -> int:
    barrier.wait()
    return call()


def press_in_two_windows(cast: Cast, pairs: int) -> None:
    desk = Desk.make(cast, {"q1": [f"d{number}" for number in range(pairs)]})
    for number in range(pairs):
        one, other = desk.sheet(), desk.sheet()
        assert one.address == other.address
        assert at_once(desk, (one, {"level": 1}), (other, {"level": 2})) == [200, 409]
        assert len(desk.grades()) == number + 1


def test_two_windows_at_once_are_one_grade_and_one_refusal(cast: Cast) -> None:
    press_in_two_windows(cast, 20)


@pytest.mark.soak
def test_a_thousand_times_two_windows(cast: Cast) -> None:
    press_in_two_windows(cast, 1000)


def test_the_same_press_at_once_is_one_grade(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": [f"d{number}" for number in range(10)]})
    for number in range(10):
        press = (desk.sheet(), {"level": 1})
        assert at_once(desk, press, press, press) == [200, 200, 200]
        assert len(desk.grades()) == number + 1


def test_one_key_for_two_pairs_at_once_is_a_grade_of_each(cast: Cast) -> None:
    """Only a script could: the desk gives each pair a key of its own, and a key counts within its pair."""
    desk = Desk.make(cast, {"q1": [f"d{number}" for number in range(20)]})
    same = {"title": "Same", "text": "Same words.", "url": ""}
    with cast.database.session(writes=True) as session:
        session.execute(update(Document).values(**same, text_hash=shown_hash(**same)))
        theirs = session.get_one(Assignment, (desk.project, desk.sheet().address.split("/")[-1])).labeller_id
        mine = session.scalars(select(Assignment.id).where(Assignment.labeller_id == theirs)).all()
    sheets = [Sheet.of(desk.browser.get(f"{desk.home}/desk/{assignment}")) for assignment in mine]
    for number, (one, other) in enumerate(zip(sheets[::2], sheets[1::2], strict=True)):
        given = {"level": 1, "key": one.key}
        assert at_once(desk, (one, given), (other, given)) == [200, 200]
        assert len(desk.grades()) == 2 * (number + 1)


def test_a_grade_and_the_closing_at_once_leave_no_grade_in_a_closed_round(cast: Cast) -> None:
    desk = Desk.make(cast, {"q1": [f"d{number}" for number in range(10)]})
    outcomes = Counter[int]()
    for _ in range(10):
        sheet = desk.sheet()

        def close() -> int:
            with cast.database.session(writes=True) as session:
                close_round(session, session.get_one(Round, (desk.project, desk.round)))
                given_then = session.scalars(select(Grade.id)).all()
            return len(given_then)

        barrier = Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            closing = pool.submit(after, barrier, close)
            pressing = pool.submit(after, barrier, partial(status_of, desk, sheet))
            seen_at_closing, status = closing.result(), pressing.result()
        outcomes[status] += 1
        assert status in (200, 409)
        assert len(desk.grades()) == seen_at_closing
        with cast.database.session(writes=True) as session:
            session.get_one(Round, (desk.project, desk.round)).closed_at = None
    assert outcomes.total() == 10


def test_a_grade_costs_a_handful_of_round_trips(cast: Cast, tmp_path: Path) -> None:
    """Each is one statement, or the beginning or the end of the transaction."""
    desk = Desk.make(cast)
    assert desk.press(desk.sheet(), level=1).status_code == 200  # PostgreSQL prepares what it has not heard before.
    sheet, trips = desk.sheet(), tmp_path / "trips"
    with watched(cast, trips):
        assert desk.press(sheet, level=1).status_code == 200
    assert 6 <= len(trips.read_text().splitlines()) <= MOST_TRIPS, trips.read_text()


@contextmanager
def watched(cast: Cast, trips: Path) -> Iterator[None]:
    """Writes a line for everything that is asked of the database, at the driver: what is prepared does not pass through
    SQLAlchemy.
    """
    is_sqlite = cast.database.is_sqlite
    with trips.open("w") as lines:

        def watch(driver: Any, *_: Any) -> None:
            if is_sqlite:
                driver.set_trace_callback(lambda said: lines.write(" ".join(said.split()) + "\n"))
            else:
                driver.pgconn.trace(lines.fileno())

        event.listen(cast.database.engine, "checkout", watch)
        yield
        event.remove(cast.database.engine, "checkout", watch)
    said = trips.read_text().splitlines()
    if is_sqlite:  # It tells of a trigger by the statement that has set it off, once more.
        asked = [line for line, _ in groupby(said) if not line.startswith("--")]
    else:
        asked = [line for line in said if re.search(r"\tF\t\d+\t(Sync|Query)", line)]
    trips.write_text("\n".join(asked))


STEPS = st.lists(st.tuples(st.sampled_from(["grade", "later", "back"]), st.integers(0, 3)), min_size=5, max_size=25)
"""What a labeller does next: grade what is due, put it off, or go back to an earlier pair."""


def test_every_grade_belongs_to_what_the_page_showed(cast: Cast) -> None:
    """Promise R23: whatever the order, what is stored for a query and a document is what was pressed in their sight."""
    walk_at_random(cast, walks=6)


@pytest.mark.soak
def test_ten_thousand_orders_store_what_the_pages_showed(cast: Cast) -> None:
    walk_at_random(cast, walks=10_000)


def walk_at_random(cast: Cast, *, walks: int) -> None:
    ana, ben = cast.person("ana"), cast.person("ben")
    browser = cast.browser(ben)

    @settings(max_examples=walks, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def walk(walked: list[tuple[str, int]]) -> None:
        project = cast.project(ana)
        cast.rubric(project)
        pool = cast.pool(project, {f"q{each}": [f"d{each}", f"e{each}", "shared"] for each in range(3)})
        labeller = cast.member(project, ben, "labeller")
        cast.round(project, pool, [labeller], kind="main", overlap=0.0, is_warned=True)
        home = f"/projects/{project}"
        pressed: dict[tuple[str, str], int] = {}
        for step, level in walked:
            page = browser.get(f"{home}/desk")
            if step == "back":
                back = browser.get(f"{home}/work/last").text.split('href="')
                page = browser.get(back[1 + level % (len(back) - 1)].split('"')[0]) if len(back) > 1 else page
            if 'id="document"' not in page.text:
                continue
            sheet = Sheet.of(page)
            if step == "later":
                browser.post(f"{sheet.address}/later", headers=HTMX)
                continue
            query = page.text.split('<h1 id="query" dir="auto">')[1].split("<")[0]
            browser.post(f"{sheet.address}/grade", data=sheet.form(level=level), headers=HTMX)
            pressed[query.removeprefix("what is "), sheet.title.removeprefix("About ")] = level
        assert stored(cast, project) == pressed

    walk()


def stored(cast: Cast, project: str) -> dict[tuple[str, str], int | None]:
    with cast.database.session(writes=False) as session:
        rows = session.execute(
            select(Query.qid, Document.docno, Grade.level)
            .select_from(Assignment)
            .join(Grade, newest(Grade, Assignment))
            .join(Pair, Pair.id == Assignment.pair_id)
            .join(Query, Query.id == Pair.query_id)
            .join(Document, Document.id == Pair.document_id)
            .where(Assignment.project_id == project)
        )
        return {(qid, docno): level for qid, docno, level in rows}
