"""Whole queries shared out among labellers."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.judging.sharing import Shares, share_in_couples, share_singly

SIZES = st.dictionaries(st.text(min_size=1, max_size=6), st.integers(1, 60), min_size=1, max_size=60)
SEEDS = st.integers(0, 2**31 - 1)


def names(number: int) -> list[str]:
    return [f"labeller {each}" for each in range(number)]


def loads(shares: Shares, sizes: dict[str, int]) -> Counter[str]:
    """Pairs of each labeller."""
    load = Counter[str]()
    for qid, chosen in shares.items():
        load.update(dict.fromkeys(chosen, sizes[qid]))
    return load


@given(SIZES, st.integers(2, 8), SEEDS)
def test_every_query_has_two_labellers_and_couples_take_turns(sizes: dict[str, int], number: int, seed: int) -> None:
    shares = share_in_couples(sizes, names(number), seed=seed)
    assert shares.keys() == sizes.keys()
    assert all(len(set(couple)) == 2 for couple in shares.values())
    used = Counter(tuple(sorted(couple)) for couple in shares.values())
    times = [used[couple] for couple in combinations(names(number), 2)]
    assert max(times) - min(times) <= 1


@given(SIZES, st.integers(2, 8), SEEDS)
def test_labellers_of_an_agreement_round_get_about_as_many_pairs(sizes: dict[str, int], number: int, seed: int) -> None:
    shares = share_in_couples(sizes, names(number), seed=seed)
    load = loads(shares, sizes)
    given_out = [load[name] for name in names(number)]
    assert sum(given_out) == 2 * sum(sizes.values())
    assert max(given_out) - min(given_out) <= 2 * max(sizes.values())


@given(SIZES, st.integers(2, 8), SEEDS)
def test_nobody_is_the_primary_of_nearly_everything(sizes: dict[str, int], number: int, seed: int) -> None:
    shares = share_in_couples(sizes, names(number), seed=seed)
    first = Counter[str]()
    for qid, couple in shares.items():
        first[couple[0]] += sizes[qid]
    assert max(first[name] for name in names(number)) <= sum(sizes.values()) / number + 2 * max(sizes.values())


@given(SIZES, st.integers(1, 8), SEEDS, st.data())
def test_a_main_round_gives_each_query_once_and_the_overlap_twice(
    sizes: dict[str, int], number: int, seed: int, data: st.DataObject
) -> None:
    twice = data.draw(st.sets(st.sampled_from(sorted(sizes)))) if number > 1 else set()
    shares = share_singly(sizes, names(number), seed=seed, twice=twice)
    assert {qid for qid, chosen in shares.items() if len(set(chosen)) == 2} == twice
    assert all(len(chosen) in (1, 2) for chosen in shares.values())
    primaries = loads({qid: chosen[:1] for qid, chosen in shares.items()}, sizes)
    given_out = [primaries[name] for name in names(number)]
    assert max(given_out) - min(given_out) <= max(sizes.values())


@given(SIZES, st.integers(2, 6), SEEDS)
def test_the_same_seed_shares_out_the_same_whatever_the_order_asked(
    sizes: dict[str, int], number: int, seed: int
) -> None:
    backwards = dict(reversed(sizes.items()))
    assert share_in_couples(sizes, names(number), seed=seed) == share_in_couples(
        backwards, names(number)[::1], seed=seed
    )
    assert share_singly(sizes, names(number), seed=seed) == share_singly(backwards, names(number), seed=seed)
