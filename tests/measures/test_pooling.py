import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures.pooling import PoolSize, cost, depth_pool, overlap, pool_size, swap_sensitivity, unique_contributions
from app.measures.ranking import order
from tests.measures.lists import read_run

RUNS = {
    "bm25": {"q1": ["a", "b", "c"], "q2": ["x", "y"]},
    "dense": {"q1": ["b", "d", "a"], "q3": ["z"]},
    "none": {},
}
ANY_RUNS = st.dictionaries(
    st.text(max_size=2),
    st.dictionaries(st.text(max_size=2), st.lists(st.text(max_size=2), unique=True, max_size=6), max_size=3),
    max_size=4,
)


def test_a_pool_is_the_union_of_the_tops_in_an_order_that_is_no_run_s() -> None:
    assert depth_pool(RUNS, 2) == {"q1": ["a", "b", "d"], "q2": ["x", "y"], "q3": ["z"]}
    assert depth_pool({"one": {"q": ["z", "é", "a", "Z"]}}, 4) == {"q": ["Z", "a", "z", "é"]}


def test_a_pool_of_depth_one_is_every_run_s_first_and_stands_in_the_order_of_bytes() -> None:
    assert depth_pool(RUNS, 1) == {"q1": ["a", "b"], "q2": ["x"], "q3": ["z"]}
    ids = ["한", "\udce9"]  # ED 95 9C and E9: as characters they stand the other way round.
    found = depth_pool({"one": dict.fromkeys(ids, ids)}, 2)
    assert list(found) == found["한"] == ids[::-1]


def test_overlap_counts_shared_pairs_and_says_them_as_shares() -> None:
    found = overlap(RUNS, 3)
    assert found.runs == ("bm25", "dense", "none")
    assert found.shared.tolist() == [[5, 2, 0], [2, 4, 0], [0, 0, 0]]
    assert found.share.tolist() == [[1, 0.4, 0], [0.5, 1, 0], [0, 0, 0]]
    nothing = overlap({}, 3).shared
    assert (nothing.shape, nothing.dtype.name) == ((0, 0), "int64")


def test_a_run_s_own_contribution_is_what_no_other_run_brings() -> None:
    assert unique_contributions(RUNS, 3) == {"bm25": 3, "dense": 2, "none": 0}


def test_a_pool_s_size_is_told_per_query_and_in_all() -> None:
    size = pool_size(depth_pool(RUNS, 3))
    assert (size.queries, size.pairs, size.fewest, size.median, size.most) == (3, 7, 1, 2.0, 4)
    assert pool_size({}) == PoolSize(queries=0, pairs=0, fewest=0, median=0.0, most=0)


@given(ANY_RUNS, st.integers(1, 7))
def test_a_pool_is_what_the_runs_share_and_what_each_alone_brings(
    runs: dict[str, dict[str, list[str]]], depth: int
) -> None:
    pool = depth_pool(runs, depth)
    pairs = {(qid, docno) for qid, docnos in pool.items() for docno in docnos}
    own = unique_contributions(runs, depth)
    shared = overlap(runs, depth).shared
    assert pool_size(pool).pairs == len(pairs)
    assert sum(own.values()) <= len(pairs) <= shared.trace()
    assert (shared == shared.T).all()
    for name in runs:
        others = {other: rankings for other, rankings in runs.items() if other != name}
        assert own[name] == len(pairs) - pool_size(depth_pool(others, depth)).pairs


@pytest.mark.parametrize("depth", [5, 10, 20, 50])
def test_the_five_medical_runs_make_the_expected_pools(shared_data: Path, depth: int) -> None:
    runs = {
        path.name: {
            qid: [docnos[at] for at in order(docnos, scores, "docno")]
            for qid, (docnos, scores) in read_run(path).items()
        }
        for path in (shared_data / "liveqa-med" / "runs").iterdir()
    }
    lines = sorted(f"{qid}\t{docno}\n" for qid, docnos in depth_pool(runs, depth).items() for docno in docnos)
    expected = json.loads((shared_data / "expected" / "ndcg.json").read_text(encoding="utf-8"))["liveqa-med"]["pools"]
    assert len(lines) == expected[str(depth)]["pairs"]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert digest == expected[str(depth)]["sha256_of_sorted_qid_TAB_docid_lines"]


def test_300_queries_of_15_documents_take_one_person_31_25_hours_and_1875_dollars() -> None:
    spent = cost(300 * 15, labellers=1)
    assert (spent.hours, spent.money) == (31.25, 1875.0)
    assert cost(900).hours == pytest.approx(12.5)
    assert cost(10**15, 1, 3600, 1).money == 10**15
    assert cost(900, seconds=50, rate=30).money == pytest.approx(750.0)


def test_deciding_a_pair_moves_what_its_gains_differ_times_its_best_discount() -> None:
    assert swap_sensitivity(3, 1, "exponential", 0.5) == 3.0
    assert swap_sensitivity(1, 3, "linear", 1.0) == 2.0
    assert swap_sensitivity(0, 3, (0, 0.01, 0.1, 1), 0.0) == 0.0


def test_thirty_queries_of_thirty_judged_twice_are_a_seventh_of_6300_pairs_and_a_quarter_of_the_labour() -> None:
    agreement_round, rest = cost(900, labellers=2), cost(6300 - 900, labellers=1)
    assert 6300 / 900 == 7
    assert agreement_round.hours / (agreement_round.hours + rest.hours) == pytest.approx(1800 / 7200)
