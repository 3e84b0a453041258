from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import Undefined
from app.measures.agreement import agreement
from app.measures.by_query import agreement_by_query
from app.measures.doubles import Doubles
from app.measures.kappa import Weights
from tests.measures.doubly import chorus, from_table
from tests.measures.test_agreement import deals
from tests.measures.test_kappa import KINDS


def only(doubles: Doubles, query: int) -> Doubles:
    kept = doubles.query == query
    arrays = {name: getattr(doubles, name)[kept] for name in ("query", "a", "b", "level_a", "level_b", "pair")}
    return replace(doubles, **arrays)


@given(deals(), st.sampled_from(KINDS))
def test_each_query_is_as_if_it_alone_had_been_judged(doubles: Doubles, kind: Weights) -> None:
    found = agreement_by_query(doubles, kind)
    assert [one.query for one in found] == np.unique(doubles.query).tolist()
    for one in found:
        alone = agreement(only(doubles, one.query), kind)
        assert (one.pairs, one.exact, one.within_one) == (alone.pairs, alone.exact, alone.within_one)
        if isinstance(alone.kappa, Undefined):
            assert one.kappa == alone.kappa
        else:
            assert one.kappa == pytest.approx(alone.kappa, abs=1e-12)


def test_pairs_without_names_are_counted_by_their_places() -> None:
    found = agreement_by_query(from_table([[4, 0], [0, 0]], queries=2))
    assert [(one.query, one.pairs, one.exact) for one in found] == [(0, 2, 1.0), (1, 2, 1.0)]
    assert all(isinstance(one.kappa, Undefined) for one in found)


def test_nothing_judged_twice_has_no_queries() -> None:
    assert agreement_by_query(Doubles.of([], levels=4, labellers=2)) == ()


def test_most_queries_of_a_shop_have_a_kappa_and_the_others_say_why(shared_data: Path) -> None:
    found = agreement_by_query(chorus(shared_data))
    undefined = [one for one in found if isinstance(one.kappa, Undefined)]
    assert len(found) == 135
    assert sum(one.pairs for one in found) == 3188
    assert 0 < len(undefined) < 40
    assert all(one.exact == 1.0 for one in undefined)
