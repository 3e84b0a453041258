"""The curves that pages show are those that were measured, and what the method says of them is so."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from app.measures.policies import POLICIES
from app.measures.policy_curves import CURVES, curves_of

LOG = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "validity.txt"


def test_the_pages_show_what_was_measured() -> None:
    rows = [json.loads(line) for line in LOG.read_text("utf-8").splitlines() if line.startswith("{")]
    points = [row for row in rows if row["table"] == "Point"]
    measured = [(key, list(each)) for key, each in groupby(points, lambda row: (row["policy"], row["spread"]))]
    assert [(curve.policy, curve.spread) for curve in CURVES] == [key for key, _ in measured]
    for curve, (_, rows_of_curve) in zip(CURVES, measured, strict=True):
        for point, row in zip(curve.points, rows_of_curve, strict=True):
            assert point == pytest.approx(tuple(row[name] for name in point._fields), rel=1e-3)


def test_hardly_any_round_passes_at_the_line_and_nearly_all_well_above_it() -> None:
    for policy in POLICIES.values():
        for curve in curves_of(policy.name):
            shares = {point.kappa: point.passed for point in curve.points}
            assert shares[policy.line] < 0.05
            assert curve.surely_from is not None
            assert policy.line < curve.surely_from
            assert all(sum(point[1:]) == pytest.approx(1, abs=1e-3) for point in curve.points)


def test_a_curve_is_drawn_from_each_point_to_the_next() -> None:
    for curve in CURVES:
        assert [first for first, _ in curve.steps] == list(curve.points[:-1])
        assert [second for _, second in curve.steps] == list(curve.points[1:])
