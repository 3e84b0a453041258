"""The page of the simulations against what was logged of them."""

from dataclasses import replace

import pytest

from benchmarks.validity import coverage, false_alarms
from benchmarks.validity.__main__ import PAGE, alarms_table, coverage_table, curves_table, logged
from benchmarks.validity.coverage import Coverage
from benchmarks.validity.curves import Point
from benchmarks.validity.false_alarms import FalseAlarms


def test_the_page_holds_the_tables_of_what_was_logged() -> None:
    page = PAGE.read_text("utf-8")
    tables = coverage_table(logged(Coverage)), curves_table(logged(Point)), alarms_table(logged(FalseAlarms))
    assert all(table in page for table in tables)


def test_what_was_measured_again_is_marked() -> None:
    """Shares of four times 2,400 and 7,200 trials: three in four of them are no shares of so many."""
    covered, alarms = logged(Coverage), logged(FalseAlarms)
    assert [(each.team, each.queries) for each in covered if each.is_again] == [
        ("a fixed couple", 10),
        ("six who rotate (15 couples)", 15),
    ]
    assert all(each.is_again or (2400 * each.share) == pytest.approx(round(2400 * each.share)) for each in covered)
    assert [each.queries for each in alarms if each.is_again] == [100]
    assert all(
        each.is_again or 7200 * each.permutation == pytest.approx(round(7200 * each.permutation)) for each in alarms
    )
    assert coverage_table([each for each in covered if each.is_again]).count(", again |") == 2
    assert alarms_table([each for each in alarms if each.is_again]).count(", again |") == 1


def test_what_comes_out_beyond_the_promise_is_measured_again_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    of_coverage, of_alarms = logged(Coverage)[0], logged(FalseAlarms)[0]
    shares = {5: 0.97, 20: 0.95}
    monkeypatch.setattr(
        coverage, "cover", lambda *_, trials, **__: replace(of_coverage, share=shares[trials], is_again=False)
    )
    monkeypatch.setattr(
        false_alarms,
        "alarms",
        lambda *_, trials, **__: replace(of_alarms, permutation=1 - shares[trials], is_again=False),
    )
    again = [(each.share, each.is_again) for each in coverage.measure(5, 1)]
    assert set(again) == {(0.95, True)}
    monkeypatch.setattr(coverage, "PROMISED", (0.0, 1.0))
    assert not any(each.is_again for each in coverage.measure(5, 1))
    assert all(each.is_again for each in false_alarms.measure(5, 1))
    monkeypatch.setattr(false_alarms, "PROMISED", (0.0, 1.0))
    assert not any(each.is_again for each in false_alarms.measure(5, 1))
