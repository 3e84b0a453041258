"""Whatever the bytes and whatever the options, a reader gives rows or a FormatError, and nothing else."""

import gzip
import io
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.documents import read_documents
from app.formats.errors import FormatError
from app.formats.grades import read_grades
from app.formats.opening import ENCODINGS
from app.formats.pairs import read_pairs
from app.formats.qrels import read_qrels
from app.formats.queries import FORMATS, read_queries
from app.formats.recognise import KINDS, preview
from app.formats.runs import read_rankings, read_runs
from app.formats.weights import read_weights

Reader = Callable[..., Iterable[Any]]


def weights_at_once(stream: BinaryIO, name: str, *, on_problem: object = None, **chosen: Any) -> Iterable[str]:
    """A small file that is read whole: it has no way on after a fault."""
    return read_weights(stream, name, **chosen)


SAMPLES: dict[str, tuple[Reader, list[bytes]]] = {
    "queries": (
        read_queries,
        [
            b"q1\tred shoes\nq2\tblue shoes\n",
            b'qid,text,description,narrative\nq1,"red, shoes",d,n\n',
            b'{"id": "q1", "text": "red", "description": "d", "narrative": null}\n{"_id": 2, "title": "b"}\n',
            b"<top>\n<num> Number: 051\n<title> Topic: red shoes\n<desc> Description:\nmany\nlines\n</top>\n",
            b'<!DOCTYPE t [<!ELEMENT t ANY>]>\n<t><topic number="1"><query>red</query></topic></t>',
            b"10001:red shoes\n10002:blue shoes\n",
        ],
    ),
    "documents": (
        read_documents,
        [b'{"id": "d1", "title": "t", "text": "x \\u00e9", "url": "u"}\n{"docno": 7, "text": ""}\n'],
    ),
    "runs": (read_runs, [b"1 Q0 a 1 2.0 t\n1\tQ0\tb\t2\t1e-3\tt more\n\n# c\n2 Q0 a 1 -1 t"]),
    "rankings": (read_rankings, [b"1 Q0 a 1 2.0 t\n2 Q0 b 2 1e-3 t\n1 Q0 c 2 1.5 t\n# c\n2 Q0 a 1 -1 t\n"]),
    "qrels": (read_qrels, [b"1 0 a 1\n1 0 b -2\r\n# c\n2\t0\ta#x\t3\n"]),
    "pairs": (read_pairs, [b"q1,d1\nq1,d2\n", b"query_id\tdocid\tx\nq\td\t1\n", b"q1 d1\nq2 d2\n"]),
    "weights": (weights_at_once, [b"q1 1\nq2 .5\n", b"traffic;qid;x\n3;q1;a\n0;q2;b\n", b"q1\t1e3\nq2\t2\n"]),
    "grades": (
        read_grades,
        [
            b'labeller,qid,docno,grade\nAnna,q1,"d,1",2\nBen,q1,"d,1",\n',
            b"query_id\tdocid\tAnna\tBen\nq1\td1\t2\t3\n",
        ],
    ),
}
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r", b"\r\n", b"\t", b" ", b",", b'"', b"\0", b"#", b"{", b"}", b":", b";", b"=", b"-"),
        *(b"<top>", b"</top>", b"<num>", b"<", b"&x;", b"<!ENTITY a 'b'>", b"<!DOCTYPE t [", b"]>", b"<![CDATA["),
        *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xf1", b"\xc2", b"\\ud800", b"PK\x03\x04", b"\x1f\x8b"),
        *(b"[" * 5000, b"1e999", b"nan", b"9" * 5000, b"x" * 2000),
    ]
)


def spoiled(sample: bytes) -> st.SearchStrategy[bytes]:
    """The sample with a few pieces put in, or taken out, anywhere."""
    edit = st.tuples(st.integers(0, len(sample)), st.integers(0, 6), PIECES | st.binary(max_size=4))
    return st.lists(edit, min_size=1, max_size=6).map(lambda edits: _edited(sample, edits))


def _edited(sample: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, taken, put in edits:
        sample = sample[:place] + put + sample[place + taken :]
    return sample


def rows_or_refusal(reader: Reader, stream: BinaryIO, **options: Any) -> None:
    problem: FormatError | None = None
    rows: list[Any] = []
    try:
        rows = list(reader(stream, "file", **options))
    except FormatError as error:
        problem = error
    if problem is None:
        assert rows or "on_problem" in options
    else:
        assert problem.file == "file"
        assert problem.reason
        assert problem.way_out
        assert str(problem).isprintable()


@pytest.mark.parametrize("kind", SAMPLES)
@settings(deadline=None)
@given(content=st.binary(max_size=400), encoding=st.sampled_from(ENCODINGS))
def test_any_bytes_are_read_or_refused(kind: str, content: bytes, encoding: str) -> None:
    reader, _ = SAMPLES[kind]
    rows_or_refusal(reader, io.BytesIO(content), encoding=encoding)
    rows_or_refusal(reader, io.BytesIO(content), encoding=encoding, on_problem=lambda _: None)
    rows_or_refusal(reader, io.BytesIO(b"\x1f\x8b" + content))


@pytest.mark.parametrize("kind", SAMPLES)
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_spoiled_files_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    reader, samples = SAMPLES[kind]
    content = data.draw(st.sampled_from(samples).flatmap(spoiled))
    rows_or_refusal(reader, io.BytesIO(content))
    rows_or_refusal(reader, io.BytesIO(content), on_problem=lambda _: None)
    rows_or_refusal(reader, io.BytesIO(gzip.compress(content)[: data.draw(st.integers(1, 400))]))


@pytest.mark.parametrize("format_", FORMATS)
@settings(deadline=None)
@given(data=st.data())
def test_any_bytes_as_any_format_of_queries_are_read_or_refused(format_: str, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(SAMPLES["queries"][1]).flatmap(spoiled) | st.binary(max_size=200))
    rows_or_refusal(read_queries, io.BytesIO(content), format=format_)


@settings(deadline=None)
@given(
    content=st.sampled_from([sample for _, samples in SAMPLES.values() for sample in samples]).flatmap(spoiled),
    kind=st.sampled_from(KINDS),
)
def test_a_preview_of_anything_never_raises(content: bytes, kind: str) -> None:
    seen = preview(io.BytesIO(content), "file", kind)
    assert seen.size == len(content)
    assert seen.count or seen.problems
    assert len(seen.rows) <= 10
    assert len(seen.problems) <= 20
