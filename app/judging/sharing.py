"""Who judges which query: whole queries shared out so that everybody gets about as many pairs. Pure, and repeatable
from the seed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from app.judging.lots import lot

Shares = dict[str, tuple[str, ...]]
"""Labellers of each query, the primary first."""


def share_in_couples(sizes: Mapping[str, int], labellers: Sequence[str], *, seed: int) -> Shares:
    """Each query of `sizes` (qid: pairs) to two of `labellers`. Every couple gets a query before any gets its next,
    so that all labellers can be compared, and the couple with the least to do comes first.
    """
    couples = sorted(combinations(labellers, 2), key=lambda couple: lot(seed, "couple", *couple))
    used, load, first = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    shares: Shares = {}
    for qid in largest_first(sizes, seed):
        couple = min(couples, key=lambda each: (used[each], load[each[0]] + load[each[1]]))
        shares[qid] = tuple(sorted(couple, key=lambda each: first[each]))
        used[couple] += 1
        first[shares[qid][0]] += sizes[qid]
        load.update(dict.fromkeys(couple, sizes[qid]))
    return shares


def share_singly(sizes: Mapping[str, int], labellers: Sequence[str], *, seed: int, twice: Iterable[str] = ()) -> Shares:
    """Each query to one of `labellers`, those of `twice` to a second too; whoever has the least to do comes first."""
    order = sorted(labellers, key=lambda each: lot(seed, "labeller", each))
    used, load = Counter[frozenset[str]](), Counter[str]()
    shares: Shares = {}
    for qid in largest_first(sizes, seed):
        primary = min(order, key=lambda each: load[each])
        shares[qid] = (primary,)
        load[primary] += sizes[qid]
    for qid in largest_first({qid: sizes[qid] for qid in twice}, seed):
        (primary,) = shares[qid]
        others = [each for each in order if each != primary]
        second = min(others, key=lambda each: (used[frozenset((primary, each))], load[each]))
        shares[qid] = (primary, second)
        used[frozenset((primary, second))] += 1
        load[second] += sizes[qid]
    return shares


def largest_first(sizes: Mapping[str, int], seed: int) -> list[str]:
    """Large queries are dealt while small ones are left to even them out; equal ones go by lot."""
    return sorted(sizes, key=lambda qid: (-sizes[qid], lot(seed, "deal", qid)))


def queries_in_order(shares: Shares, labeller: str, *, seed: int) -> list[str]:
    """The labeller's queries as they come up, one after the other."""
    theirs = (qid for qid, names in shares.items() if labeller in names)
    return sorted(theirs, key=lambda qid: lot(seed, "order of queries", labeller, qid))
