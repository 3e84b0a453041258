"""The last number that is taken is taken, and the first beyond it is refused."""

from itertools import combinations, product

import numpy as np
import pytest

from app.measures.bootstrap import LARGEST, finite
from app.measures.conventions import DEEPEST, LARGEST_GAIN, Convention
from app.measures.doubles import MOST_LABELLERS, Doubles
from app.measures.explaining import explain
from app.measures.gains import gain_of
from app.measures.given import MOST_RESAMPLES, refuse_chance
from app.measures.kappa import LARGEST_WHOLE, MOST_LEVELS, distance, whole
from app.measures.naming import ask
from app.measures.paired import difference
from app.measures.planning import detectable
from app.measures.pooling import cost
from app.measures.undefined import MeasureError, Undefined


def test_chance_is_asked_once_at_least_and_a_million_times_at_most() -> None:
    for taken in (1, MOST_RESAMPLES):
        refuse_chance(taken, 0)
    for refused in (0, MOST_RESAMPLES + 1):
        with pytest.raises(MeasureError, match="resamples"):
            refuse_chance(refused, 0)


def test_a_gain_may_be_the_largest_one() -> None:
    assert gain_of(LARGEST_GAIN, "linear") == LARGEST_GAIN
    assert Convention(measure="nDCG", k=10, gain=(0.0, LARGEST_GAIN)).gain == (0.0, LARGEST_GAIN)
    with pytest.raises(MeasureError):
        gain_of(2 * LARGEST_GAIN, "linear")
    with pytest.raises(MeasureError):
        Convention(measure="nDCG", k=10, gain=(0.0, 2 * LARGEST_GAIN))


def test_differences_scales_labellers_and_counts_end_where_they_say() -> None:
    assert finite([LARGEST, -LARGEST]).tolist() == [LARGEST, -LARGEST]
    distance(MOST_LEVELS)
    assert whole("Counts", [float(LARGEST_WHOLE)]).tolist() == [LARGEST_WHOLE]
    assert Convention(measure="nDCG", k=DEEPEST, gain="linear").k == DEEPEST
    for labellers in (0, MOST_LABELLERS):
        assert Doubles.of([], levels=2, labellers=labellers).labellers == labellers
    with pytest.raises(MeasureError):
        finite([2 * LARGEST])
    with pytest.raises(MeasureError):
        distance(MOST_LEVELS + 1)
    with pytest.raises(MeasureError):
        Doubles.of([], levels=2, labellers=MOST_LABELLERS + 1)


def test_what_judging_costs_may_be_nothing_and_names_what_it_may_not_be() -> None:
    assert (cost(0).money, cost(5, rate=0).money, cost(5, labellers=0).hours) == (0, 0, 0)
    assert cost(10**15, labellers=1, seconds=3600, rate=1).hours == 10**15
    with pytest.raises(MeasureError, match="The price's labellers"):
        cost(5, labellers=-1)
    with pytest.raises(MeasureError, match="The price's rate"):
        cost(5, rate=10**15 + 1)


def test_every_couple_may_stand_once_with_a_pair_and_none_of_them_twice() -> None:
    rows = [(pair, 0, a, b, 0, 1) for pair, (a, b) in product(range(3), combinations(range(4), 2))]
    rows = [(pair, query, a, b, a % 2, b % 2) for pair, query, a, b, *_ in rows]
    places = Doubles.of(rows, levels=2, labellers=4).once_each()
    assert not isinstance(places, slice)
    assert len(places) == 3 * 4
    for again in rows:
        with pytest.raises(MeasureError, match="twice with one pair"):
            Doubles.of([*rows, again], levels=2, labellers=4).once_each()


def test_what_could_be_detected_is_told_at_the_level_that_was_asked() -> None:
    changes = np.linspace(-0.2, 0.4, 30)
    for confidence in (0.9, 0.99):
        found = difference(changes, confidence=confidence, resamples=100)
        assert found.detectable == detectable(30, float(changes.std(ddof=1)), level=1 - confidence)


def test_a_query_is_held_by_the_run_unless_it_is_said_not_to_be() -> None:
    convention = Convention(measure="nDCG", k=10, gain="linear", missing="exclude")
    assert explain([], [], {"d": 1}, convention).value == 0.0
    assert isinstance(explain([], [], {"d": 1}, convention, is_held=False).value, Undefined)


def test_a_parameter_that_changes_nothing_is_told_from_one_that_another_does() -> None:
    with pytest.raises(MeasureError, match=r"Name a gain such as table:0,1,1,1 .*\.$"):
        ask("RBP(p=.5,rel=2)", Convention(measure="nDCG", k=10, gain="linear"))
    with pytest.raises(MeasureError, match=r"neither gains nor discounts\. Leave it out\.$"):
        ask("precision(dcg=exp-log2)@10", Convention(measure="nDCG", k=10, gain="linear"))
