"""No reader takes more than 200 ms for a megabyte (S13), on files shaped like real ones and on spiteful ones."""

import gc
import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from app.formats.documents import read_documents
from app.formats.grades import read_grades
from app.formats.pairs import read_pairs
from app.formats.qrels import read_qrels
from app.formats.queries import read_queries
from app.formats.runs import read_rankings, read_runs

MEGABYTES = 2
TEXT = "the quick brown fox jumps over the lazy dog " * 20


def rows(line: Callable[[int], str], heading: str = "") -> bytes:
    return heading.encode() + b"".join(_until(line))


def _until(line: Callable[[int], str]) -> Iterator[bytes]:
    size = number = 0
    while size < MEGABYTES * 1_000_000:
        written = line(number).encode()
        size += len(written)
        number += 1
        yield written


FILES: dict[str, tuple[Callable[..., Iterable[Any]], bytes]] = {
    "a run": (read_rankings, rows(lambda i: f"{i // 1000} Q0 doc{i} {i % 1000} {1000 - i % 1000}.25 tag\n")),
    "a run, interleaved": (read_rankings, rows(lambda i: f"{i % 997} Q0 doc{i} {i // 997} {-i}.25 tag\n")),
    "a run, line by line": (read_runs, rows(lambda i: f"{i // 1000} Q0 doc{i} {i % 1000} 0.25 tag more\n")),
    "qrels": (read_qrels, rows(lambda i: f"q{i // 100} Q0 D{1_000_000 + i} {i % 4}\n")),
    "documents": (read_documents, rows(lambda i: f'{{"id": "d{i}", "title": "t", "text": "{TEXT}"}}\n')),
    "products": (read_documents, rows(lambda i: f'{{"id": "{i}", "title": "red shoes, blue", "text": "size 4"}}\n')),
    "queries, TSV": (read_queries, rows(lambda i: f"q{i}\tred shoes\n")),
    "queries, JSON Lines": (read_queries, rows(lambda i: f'{{"id": "q{i}", "text": "{TEXT[:44]}"}}\n')),
    "queries, SGML": (
        read_queries,
        rows(lambda i: f"<top>\n<num> Number: {i}\n<title> {TEXT[:44]}\n<desc> {TEXT[:90]}\nand more\n</top>\n"),
    ),
    "queries, XML": (
        read_queries,
        rows(lambda i: f'<topic number="{i}"><query>{TEXT[:44]}</query></topic>\n', "<t>") + b"</t>",
    ),
    "pairs": (read_pairs, rows(lambda i: f"q{i // 30},D{1_000_000 + i}\n")),
    "grades, long": (read_grades, rows(lambda i: f"Anna,q{i // 30},d{i},{i % 4}\n", "rater,qid,docno,grade\n")),
    "grades, wide": (read_grades, rows(lambda i: f"q{i // 30},{TEXT[:44]},D{i},1,2,3\n", "qid,query,docno,A,B,C\n")),
    "a narrative of signs": (
        read_queries,
        b"<top>\n<num> 1\n<title> a\n<narr> " + b"< <a <1 </ " * 300_000 + b"\n</top>",
    ),
    "attributes by default": (
        read_queries,
        f'<!DOCTYPE t [<!ATTLIST topic x CDATA "{"x" * 1_000_000}">]>\n<t>'.encode()
        + b"".join(b'<topic number="%d"><query>a</query></topic>\n' % i for i in range(25_000))
        + b"</t>",
    ),
}


@contextmanager
def by_itself() -> Iterator[None]:
    """Without coverage, which looks at every line that runs, and without the heap of all other tests to tidy."""
    trace = sys.gettrace()
    sys.settrace(None)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.settrace(trace)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of this process alone."""
    start = time.process_time()
    work()
    return time.process_time() - start


YARDSTICK = [f"{i} Q0 doc{i} {i} {i}.25 tag" for i in range(50_000)]
QUIET = 0.025  # Seconds that the yardstick takes where nothing else runs.


def stretch() -> float:
    """How much longer than on a quiet machine a known piece of work takes now; never less than 1."""
    return max(1.0, seconds(lambda: [line.split() for line in YARDSTICK]) / QUIET)


@pytest.mark.parametrize("what", FILES)
def test_a_megabyte_is_read_in_a_fifth_of_a_second(what: str) -> None:
    reader, content = FILES[what]
    megabytes = len(content) / 1_000_000
    with by_itself():
        trials = (
            (stretch(), seconds(lambda: [None for _ in reader(io.BytesIO(content), "file")]), stretch())
            for _ in range(5)
        )
        assert any(taken / megabytes < 0.2 * max(before, after) for before, taken, after in trials)
