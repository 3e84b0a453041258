"""The compiled core and Python find the same documents at the same ranks, and refuse the same."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import MeasureError, core, matching
from app.measures.conventions import Ties
from app.measures.judged import Judged
from app.measures.matching import Matched, Ranking, Rows, lay_out, match, match_lists
from tests.measures.lists import Qrels

ALL_TIES: tuple[Ties, ...] = ("docno", "docno32", "position", "average", "optimistic")
POOL = [
    f"{stem}{number}"
    for stem in ("d", "D-00000", "é", "文書", "\udce9", "a long name of a document ")
    for number in range(12)
]
IDS = st.sampled_from(POOL)
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.00000001, -2.5, 2.0**24, 2.0**24 + 1, 1e300, -1e300, float("inf")])
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=15), min_size=1, max_size=3)
CORES = ["python", *(["compiled"] if core.CORE else [])]  # A machine without a C compiler has one way only.


@pytest.fixture(params=CORES)
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(core, "CORE", None)


@st.composite
def runs_and_qrels(draw: st.DrawFn) -> tuple[dict[str, Ranking], Qrels]:
    qrels = draw(QRELS)
    run: dict[str, Ranking] = {}
    for qid in draw(st.lists(st.sampled_from(sorted(qrels)) | IDS, min_size=1, max_size=4, unique=True)):
        known = st.sampled_from(sorted(qrels[qid])) if qid in qrels else IDS
        ranking = draw(st.dictionaries(known | IDS, SCORES, max_size=25))
        run[qid] = (list(ranking), list(ranking.values()))
    return run, qrels  # type: ignore[return-value]


def columns(matched: Matched) -> list[object]:
    names = ("is_held", "returned", "query", "judgment", "rank", "first", "size")
    return [matched.elsewhere, *(getattr(matched, name).tolist() for name in names)]


def matched_in(library: object, run: Mapping[str, Ranking], qrels: Qrels, ties: Ties) -> list[object] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "CORE", library)
        try:
            return columns(match_lists(Judged.of(qrels), run, ties))
        except MeasureError as error:
            return str(error)


@given(runs_and_qrels(), st.sampled_from(ALL_TIES))
def test_the_core_and_python_find_the_same(lists: tuple[dict[str, Ranking], Qrels], ties: Ties) -> None:
    assert matched_in(core.CORE, *lists, ties) == matched_in(None, *lists, ties)


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), SCORES), max_size=12), st.sampled_from(ALL_TIES))
def test_the_core_and_python_refuse_the_same_repeats(rows: list[tuple[str, float]], ties: Ties) -> None:
    run: dict[str, Ranking] = {"1": ([docno for docno, _ in rows], [score for _, score in rows])}
    qrels: Qrels = {"1": {"a": 1, "h": 2}}
    assert matched_in(core.CORE, run, qrels, ties) == matched_in(None, run, qrels, ties)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("ties", ALL_TIES)
def test_a_thousand_documents_in_any_order_stand_where_sorting_puts_them(ties: Ties) -> None:
    random = np.random.default_rng(3)
    docnos = [f"d{number}" for number in random.permutation(1000)]
    scores = random.integers(0, 300, 1000).astype(float).tolist()
    score_of = dict(zip(docnos, scores, strict=True))
    by_hand = sorted(docnos, key=score_of.__getitem__, reverse=True)
    if ties != "position":
        by_hand.sort(key=lambda docno: (score_of[docno], docno.encode()), reverse=True)
    falling = [score_of[docno] for docno in by_hand]
    matched = match_lists(Judged.of({"1": dict.fromkeys(docnos[::3], 1)}), {"1": (docnos, scores)}, ties)
    found = [matched.judged.docno(judgment).decode() for judgment in matched.judgment]
    assert found == [docno for docno in by_hand if docno in set(docnos[::3])]
    assert matched.rank.tolist() == [by_hand.index(docno) + 1 for docno in found]
    assert matched.first.tolist() == [falling.index(score_of[docno]) + 1 for docno in found]
    assert matched.size.tolist() == [falling.count(score_of[docno]) for docno in found]


@pytest.mark.usefixtures("either")
def test_a_document_that_stands_twice_is_refused_by_query_and_name() -> None:
    for qid in ("1", "2"):
        run: dict[str, Ranking] = {"0": (["x"], [1.0]), qid: (["é", "b", "é"], [3.0, 2.0, 1.0])}
        with pytest.raises(MeasureError, match=f"Query {qid}: Document é stands in the ranking twice"):
            match_lists(Judged.of({"1": {"é": 1}, "0": {"x": 1}}), run, "docno")


@pytest.mark.usefixtures("either")
def test_a_score_that_is_no_number_and_a_score_too_few_are_refused() -> None:
    judged = Judged.of({"1": {"a": 1}})
    with pytest.raises(MeasureError, match="NaN"):
        match_lists(judged, {"1": (["a"], [float("nan")])}, "docno")
    with pytest.raises(MeasureError, match="2 documents came with 1 score"):
        match_lists(judged, {"1": (["a", "b"], [1.0])}, "docno")


@pytest.mark.usefixtures("either")
def test_a_document_judged_twice_is_refused() -> None:
    judged = Judged.of({"0": {"a": 1}, "1": {"b": 1, "a": 1, "c": 2, "d": 0}})
    judged.refuse_repeats()
    twice = Judged(judged.qids, judged.start, b"xbaac", judged.at, judged.width, judged.grade)
    with pytest.raises(MeasureError, match=r"^Query 1: Document a is judged twice\.$"):
        twice.refuse_repeats()


def piece(text: bytes = b"abxcdab") -> Rows:
    """The rankings of the queries 2, 9, 1 and 0, of two, one, three and no documents; the last is of two bytes."""
    return Rows(
        ("2", "9", "1", "0"),
        np.array([0, 2, 3, 6, 6]),
        text,
        np.array([0, 1, 2, 3, 4, 5], dtype=np.uint32),
        np.array([1, 1, 1, 1, 1, 2], dtype=np.uint32),
        np.array([1.0, 2.0, 5.0, 1.0, 3.0, 3.0]),
    )


@pytest.mark.usefixtures("either")
def test_a_piece_of_several_rankings_is_found_ranking_by_ranking() -> None:
    """As files are read: the rows of many queries in one piece, each with documents of its own."""
    nothing = Rows((), np.array([0]), b"", *(column[:0] for column in piece()[3:]))  # type: ignore[arg-type]
    judged = Judged.of({"1": {"ab": 1, "c": 0, "d": 3}, "0": {"z": 1}, "2": {"a": 2, "b": 1}})
    matched = match(judged, [nothing, piece()], "docno")
    assert columns(matched) == [
        1,
        [True, True, True],
        [3, 0, 2],
        [0, 0, 0, 2, 2],
        [2, 0, 1, 5, 4],
        [1, 2, 3, 1, 2],
        [1, 1, 3, 1, 2],
        [2, 2, 1, 1, 1],
    ]
    assert matched.returned.dtype.name == "int64"
    assert ("tables" in vars(judged)) is (core.CORE is not None)


@pytest.mark.usefixtures("either")
def test_a_repeat_within_a_piece_is_named_with_its_own_query() -> None:
    for text, name in ((b"abxccab", "Query 1: Document c"), (b"aaxcdab", "Query 2: Document a")):
        with pytest.raises(MeasureError, match=f"^{name} stands in the ranking twice"):
            match(Judged.of({"1": {"c": 1}, "2": {"a": 1}}), [piece(text)], "docno")


@pytest.mark.usefixtures("either")
def test_scores_may_be_whole_numbers() -> None:
    matched = match_lists(Judged.of({"1": {"a": 1, "b": 1}}), {"1": (["a", "b", "c"], [-3, 1, -2])}, "docno")
    assert (matched.judgment.tolist(), matched.rank.tolist()) == ([1, 0], [1, 3])


@pytest.mark.parametrize(
    ("ties", "judgment", "first", "size"),
    [
        ("docno", [-1, 1, 0], [1, 2, 3], [1, 1, 1]),
        ("docno32", [-1, 0, 1], [1, 2, 2], [1, 2, 2]),
        ("position", [-1, 1, 0], [1, 2, 3], [1, 1, 1]),
    ],
)
def test_a_ranking_is_laid_out_whole_under_its_rule_for_ties(
    ties: Ties, judgment: list[int], first: list[int], size: list[int]
) -> None:
    judged = Judged.of({"": {"b": 2, "a": 1}})
    found = lay_out(judged, ["a", "b", "c"], [1.00000001, 1.0, 7.0], ties)
    assert (found.judged, found.ties) == (judged, ties)
    assert columns(found) == [0, [True], [3], [0, 0, 0], judgment, [1, 2, 3], first, size]


def test_equal_scores_are_laid_out_by_id_or_as_they_stand() -> None:
    judged = Judged.of({"": {"b": 2, "a": 1}})
    for ties, judgment in (("docno", [0, 1]), ("position", [1, 0])):
        found = lay_out(judged, ["a", "b"], [1.0, 1.0], ties)  # type: ignore[arg-type]
        assert (found.judgment.tolist(), found.first.tolist(), found.size.tolist()) == (judgment, [1, 1], [2, 2])


class FullCore:
    """Its answers are made up here: no test can use up the memory of the machine."""

    def size_tables(self, *_: object) -> int:
        return 4

    def fill_tables(self, *_: object) -> int:
        return -1

    def match(self, *_: object) -> int:
        return -2


def tables_of_one_judgment() -> tuple[core.Tables, np.ndarray, np.ndarray]:
    at = np.zeros(1, dtype=np.int64)
    width = at + 1
    return core.Tables(FullCore(), b"a", at, width, np.array([0, 1])), at, width  # type: ignore[arg-type]


def test_a_core_that_finds_no_memory_says_so() -> None:
    tables, at, width = tables_of_one_judgment()
    row, ones = at.astype(np.uint32), width.astype(np.uint32)
    with pytest.raises(MemoryError):
        tables.find(b"a", row, ones, np.ones(1), np.array([0, 1]), at, core.BY_DOCNO, core.Found(1, 1))


def test_the_core_s_tables_have_a_seed_of_their_own_and_keep_what_they_point_at() -> None:
    (one, at, width), (other, _, _) = tables_of_one_judgment(), tables_of_one_judgment()
    assert one.seed.value != other.seed.value
    assert one.kept[0] is at
    assert one.kept[1] is width
    assert (one.start.dtype.name, one.table.dtype.name) == ("int64", "uint32")


@pytest.mark.usefixtures("either")
def test_a_run_in_pieces_is_the_run_as_a_whole() -> None:
    run: dict[str, Ranking] = {"2": (["a", "b"], [1.0, 2.0]), "9": (["x"], [1.0]), "1": (["c", "a"], [1.0, 1.0])}
    judged = Judged.of({"1": {"a": 1, "c": 0}, "2": {"a": 2}, "3": {"a": 1}})
    pieces = [piece for qid in run for piece in matching._rows({qid: run[qid]})]
    matched = match(judged, pieces, "docno")
    assert columns(matched) == [
        1,
        [True, True, False],
        [2, 2, 0],
        [0, 0, 1],
        [1, 0, 2],
        [1, 2, 2],
        [1, 1, 2],
        [2, 2, 1],
    ]
