"""Rank-biased precision, and what it leaves open, which is a true bound."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import Undefined
from app.measures.conventions import Convention, Gain, Geometric, NoRelevant
from app.measures.scores import score_query
from tests.measures.lists import ranked

BINARY: Gain = (0, 1, 1, 1)


def rbp(
    grades: Sequence[float | None],
    *,
    p: float = 0.5,
    gain: Gain = "linear",
    residual: bool = False,
    k: int | None = None,
    no_relevant: NoRelevant = "zero",
) -> float:
    measure = Convention(
        measure="RBP-residual" if residual else "RBP", k=k, gain=gain, discount=Geometric(p), no_relevant=no_relevant
    )
    found = score_query(*ranked(grades), measure)
    assert not isinstance(found, Undefined)
    return found


def test_a_reader_who_goes_on_every_other_time_sees_half_of_what_comes_first_and_a_quarter_of_the_next() -> None:
    assert rbp([1, 1, 0, 1], gain=BINARY) == pytest.approx(1 / 2 + 1 / 4 + 1 / 16)


def test_graded_gains_count_as_they_stand_and_a_table_scales_them() -> None:
    case = Path(__file__).parents[1] / "cases" / "reported_bugs.json"
    right = next(bug for bug in json.loads(case.read_text(encoding="utf-8")) if bug["id"] == "I24")["expected"]
    assert rbp([2, 2], p=0.9) == pytest.approx(right["raw"], abs=1e-12)
    assert rbp([2, 2], p=0.9, gain=(0, 1 / 3, 2 / 3, 1)) == pytest.approx(right["scaled_by_3"], abs=1e-12)
    assert rbp([2, 2], p=0.9, gain=BINARY) == pytest.approx(right["binary"], abs=1e-12)


def test_the_residual_holds_unjudged_ranks_and_all_that_come_after_the_list() -> None:
    assert rbp([1, None, 0], gain=BINARY, residual=True) == pytest.approx(1 / 4 + 1 / 8)
    assert rbp([1, 1, 0], gain=BINARY, residual=True, k=1) == pytest.approx(1 / 2)


def test_the_best_that_could_come_is_the_table_s_last_gain_or_the_highest_that_was_judged() -> None:
    assert rbp([2, None], gain=(0, 1, 2, 4), residual=True) == pytest.approx(4 * (1 / 4 + 1 / 4))
    assert rbp([2, None], gain="exponential", residual=True) == pytest.approx(3 * (1 / 4 + 1 / 4))


def test_the_best_that_was_judged_may_be_worth_less_than_1_and_nothing_judged_leaves_no_value() -> None:
    assert rbp([0.5, None], residual=True) == pytest.approx(0.5 * (1 / 4 + 1 / 4))
    residual = Convention(measure="RBP-residual", k=None, gain="linear", discount=Geometric(0.5))
    assert isinstance(score_query(["a"], [1.0], {}, residual), Undefined)


def test_a_query_without_a_relevant_judgment_leaves_open_what_was_not_judged() -> None:
    assert rbp([0, None], gain=BINARY, residual=True) == pytest.approx(1 / 2)
    left_out = Convention(measure="RBP-residual", k=None, gain=BINARY, discount=Geometric(0.5))
    assert isinstance(score_query(*ranked([0, None]), left_out), Undefined)


@given(
    st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=1, max_size=9),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
    st.floats(0.05, 0.95),
    st.none() | st.integers(1, 9),
)
def test_no_judging_of_the_unjudged_takes_rbp_beyond_its_residual(
    grades: list[int | None], later: list[int], p: float, k: int | None
) -> None:
    table: Gain = (0, 0.1, 0.5, 1)
    low, open_ = rbp(grades, p=p, gain=table, k=k), rbp(grades, p=p, gain=table, k=k, residual=True)
    judged = [then if grade is None else grade for grade, then in zip(grades, later, strict=False)]
    assert low - 1e-12 <= rbp(judged, p=p, gain=table, k=k) <= low + open_ + 1e-12
    assert low + open_ <= 1 + 1e-12
