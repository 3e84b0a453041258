"""What is read plainly is what a careful reading finds; and what can't be read plainly is left to the careful one."""

import gzip
import io
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import rows, splitting
from app.formats.rows import NotPlain, QrelsRows, RunRows, careful_qrels, careful_run, plain_qrels, plain_run

CORES = ["numpy", *(["compiled"] if splitting.CORE else [])]  # A machine without a C compiler has one way only.
Read = list[tuple[str, list[tuple[bytes, float]]]]


@pytest.fixture(params=CORES, autouse=True)
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "numpy":
        monkeypatch.setattr(splitting, "CORE", None)


def listed(piece: RunRows | QrelsRows) -> Read:
    number = piece.score if isinstance(piece, RunRows) else piece.grade
    places = zip(piece.at.tolist(), piece.width.tolist(), number.tolist(), strict=True)
    all_rows = [(piece.text[at : at + width], value) for at, width, value in places]
    return [(qid, all_rows[piece.start[i] : piece.start[i + 1]]) for i, qid in enumerate(piece.qids)]


def run_of(content: bytes, reader: Callable[..., object] = plain_run) -> tuple[Read, set[str]]:
    pieces: list[RunRows] = list(reader(io.BytesIO(content), "file"))  # type: ignore[call-overload]
    return [ranking for piece in pieces for ranking in listed(piece)], {piece.tag for piece in pieces}


WORDS = st.sampled_from(["q1", "q2", "301", "#q", "é", "文書-1", "d1", "d2", "D-0017", "0", "a" * 1001])
BLANKS = st.sampled_from([" ", " ", " ", " ", "\t", "  ", "\r", "\x0b", "\x00"])
RANKS = st.sampled_from(["1", "2", "10", "-1", "+3", "1.0", "one", "1_0"])
SCORES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-100, 100).map("{:.6f}".format),
    st.integers(0, 10**25).map(str),
    st.tuples(st.integers(0, 10**20), st.integers(-30, 30)).map(lambda parts: f"{parts[0]}e{parts[1]}"),
    st.sampled_from(
        [".5", "5.", "-.5e-3", "0.000", "-0", "1e400", "nan", "1,5", "1_0", "+", ".", "e5", "1e", "1e+", "0x1"]
    ),
    st.text("0123456789.", min_size=1, max_size=24),
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", " more words\n", "\n\n"])


@st.composite
def run_lines(draw: st.DrawFn) -> str:
    blanks = [draw(BLANKS) for _ in range(5)] if draw(st.integers(0, 9)) == 0 else [" "] * 5
    rank = draw(RANKS) if draw(st.integers(0, 9)) == 0 else "1"
    tag = draw(st.sampled_from(["t"] * 12 + ["u"]))
    words = [draw(WORDS), "Q0", draw(WORDS), rank, draw(SCORES), tag]
    end = draw(ENDS) if draw(st.integers(0, 4)) == 0 else "\n"
    return "".join(word + blank for word, blank in zip(words, [*blanks, end], strict=True))


@given(st.lists(run_lines(), min_size=1, max_size=6), st.booleans())
def test_a_run_read_plainly_is_the_run_read_carefully(lines: list[str], is_ended: bool) -> None:
    content = "".join(lines).encode()
    content = content if is_ended else content.rstrip(b"\n")
    try:
        plain = run_of(content)
    except NotPlain:
        return
    if all(len(dict(ranking)) == len(ranking) for _, ranking in plain[0]):
        assert plain == run_of(content, careful_run)


@given(st.lists(st.tuples(st.sampled_from(["1", "2", "q"]), SCORES), min_size=1, max_size=5))
def test_every_score_is_read_to_the_last_bit(scores: list[tuple[str, str]]) -> None:
    content = "".join(f"1 Q0 d{at} 1 {score} t\n" for at, (_, score) in enumerate(scores)).encode()
    try:
        ((_, found),), _ = run_of(content)
    except NotPlain:
        return
    assert [number for _, number in found] == [float(score) for _, score in scores]


@given(
    st.lists(
        st.tuples(
            WORDS,
            WORDS,
            st.one_of(
                st.integers(-3, 3).map(str), st.sampled_from(["+2", "-", "2.0", "1_0", "123456789", "1234567890"])
            ),
            st.sampled_from(["\n"] * 9 + ["\r\n", " more\n", "\n\n", "\t\n"]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_qrels_read_plainly_are_the_qrels_read_carefully(lines: list[tuple[str, str, str, str]]) -> None:
    content = "".join(f"{qid} 0 {docno} {grade}{end}" for qid, docno, grade, end in lines).encode()
    try:
        plain = listed(plain_qrels(io.BytesIO(content), "file"))
    except NotPlain:
        return
    pairs = [(qid, docno) for qid, docno, _, _ in lines]
    if len(set(pairs)) < len(pairs):
        return
    assert plain == listed(careful_qrels(io.BytesIO(content), "file"))


def big_run() -> bytes:
    return b"".join(
        f"{qid} Q0 doc-{qid}-{rank} {rank} {1000 - rank}.{rank:03} tag\n".encode()
        for qid in range(20)
        for rank in range(1, 300)
    )


@pytest.mark.parametrize("size", [1, 5000, 100_000, 1 << 20])
def test_a_run_read_in_pieces_is_the_run_as_a_whole(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(rows, "BLOCK", max(size, 4000))
    content = big_run()
    assert run_of(content) == run_of(content, careful_run)
    assert run_of(gzip.compress(content)) == run_of(content)
    assert run_of(b"\xef\xbb\xbf" + content) == run_of(content)
    assert run_of(content[:-1]) == run_of(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"1 Q0 a 1 2.0 t\n2 Q0 a 1 2.0 t\n1 Q0 b 1 1.0 t\n",
        b"1 Q0 a 1 2.0 t\n1 Q0 b 1 1.0 u\n",
        b"1 Q0 a 1 2.0 t\n1 Q0 b 1 1.0\n",
        b"# a comment\n1 Q0 a 1 2.0 t\n",
        b"1 Q0 a 1 nan t\n",
        b"1 Q0 a 1 1e999 t\n",
        b"1 Q0 a first 1 t\n",
        b"1 Q0 a - 1 t\n",
        b"1 Q0 a 1 2,5 t\n",
        b"1 Q0 a 1 2.5.1 t\n",
        b"1 Q0 \xff 1 2.5 t\n",
        b"1 Q0 a 1 2.5 t\n\xef\xbb\xbf2 Q0 a 1 2.5 t\n",
        b"1 Q0 a\x00b 1 2.5 t\n",
        b"1 Q0 a 1 2.5 t\r1 Q0 b 1 2.5 t\n",
        b"1 Q0 " + b"a" * 1001 + b" 1 2.5 t\n",
        b"1 Q0 a 1 " + b"1" * 400 + b" t\n",
        b"1 Q0 a 1 2.5 " + b"t" * 1001 + b"\n",
    ],
)
def test_what_is_not_plain_is_left_to_the_careful_reading(content: bytes) -> None:
    with pytest.raises(NotPlain):
        run_of(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"# a comment\n1 0 a 1\n",
        b"1 0 a\n",
        b"1 0 a 1 0.5\n",
        b"1 0 a 1.0\n",
        b"1 0 a one\n",
        b"1 0 a -\n",
        b"1 0 a 1234567890\n",
        b"1 0 \xff 1\n",
        b"1 0 a 1\r1 0 b 1\n",
        b"1 0 " + b"a" * 1001 + b" 1\n",
    ],
)
def test_qrels_that_are_not_plain_are_left_to_the_careful_reading(content: bytes) -> None:
    with pytest.raises(NotPlain):
        plain_qrels(io.BytesIO(content), "file")


def test_qrels_of_a_query_that_comes_back_are_put_together() -> None:
    content = b"1 0 a 1\n2 0 a 2\n1 0 b -1\n"
    expected = [("1", [(b"a", 1.0), (b"b", -1.0)]), ("2", [(b"a", 2.0)])]
    assert listed(plain_qrels(io.BytesIO(content), "file")) == expected
    assert listed(careful_qrels(io.BytesIO(content), "file")) == expected


def test_a_text_too_large_to_be_taken_at_once_is_left_to_the_careful_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LARGEST_BLOCK", 100)
    with pytest.raises(NotPlain):
        run_of(big_run())


def test_numbers_between_two_doubles_go_to_the_nearer_one() -> None:
    """Halfway and a hair beside it, where rounding twice would go wrong; and the longest that the core reads itself."""
    words = [
        "9007199254740993.0",
        "0.5000000000000000277",
        "1.00000000000000011102",
        "123456789012345.6789",
        "0.1",
        "3e-5",
    ]
    words += [f"{number}" for number in np.random.default_rng(1).random(2000) * 100]
    content = "".join(f"1 Q0 d{at} 1 {word} t\n" for at, word in enumerate(words)).encode()
    ((_, found),), _ = run_of(content)
    assert [number for _, number in found] == [float(word) for word in words]


def test_a_document_in_the_place_of_q0_is_left_to_the_careful_reader() -> None:
    with pytest.raises(NotPlain):
        run_of(b"q1 Q0 d0 1 3 R\nq1 d1 Q0 2 2 R\n")
    assert run_of(b"q1 Q0 QQ 1 3 R\nq1 Q0 00 2 2 R\n")[0] == [("q1", [(b"QQ", 3.0), (b"00", 2.0)])]
