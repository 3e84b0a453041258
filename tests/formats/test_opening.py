"""What every reader stands on: packing, caps, encodings, line ends."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats import opening
from app.formats.errors import FormatError, shown
from app.formats.opening import LONGEST_LINE, read_chunks, read_lines
from app.formats.queries import read_queries


def lines_of(content: bytes, **options: object) -> list[tuple[int, bytes]]:
    return list(read_lines(io.BytesIO(content), "file", **options))  # type: ignore[arg-type]


def refusal(content: bytes, **options: object) -> str:
    with pytest.raises(FormatError) as caught:
        lines_of(content, **options)
    return str(caught.value)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0\ufeff"))))
def test_lines_are_those_that_were_written(words: list[str]) -> None:
    body = "\n".join(words)
    written = [(number, line.encode()) for number, line in enumerate(body.split("\n"), 1)] if body else []
    if written and not written[-1][1]:
        written.pop()  # A final line feed ends a line; it does not begin one.
    assert lines_of(body.encode()) == written
    assert lines_of(b"\xef\xbb\xbf" + body.encode())[: len(written)] == written
    assert lines_of(gzip.compress(body.encode())) == written
    assert lines_of(body.encode("utf-16"), encoding="utf-16")[: len(written)] == written


def test_line_ends_of_windows_are_line_ends() -> None:
    assert lines_of(b"a\r\nb\r\n") == [(1, b"a"), (2, b"b")]


def test_lines_longer_than_a_block_are_whole() -> None:
    long = b"x" * 700_000
    assert lines_of(long + b"\n" + long) == [(1, long), (2, long)]


def test_a_line_longer_than_four_mebibytes_is_refused() -> None:
    assert lines_of(b"a\n" + b"x" * LONGEST_LINE + b"\nb")[2] == (3, b"b")
    assert "line 2: the line is longer than 4 MiB" in refusal(b"a\n" + b"x" * (LONGEST_LINE + 1) + b"\nb")
    assert "line 1: the line is longer than 4 MiB" in refusal(b"x" * (LONGEST_LINE + 300_000))


def test_nul_bytes_are_refused_by_line() -> None:
    assert "line 2: the line holds a NUL byte" in refusal(b"a\nb\0c\n")


def test_a_byte_order_mark_inside_is_refused() -> None:
    assert "line 2: a byte order mark" in refusal(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")


def test_bytes_that_are_not_utf8_are_shown() -> None:
    message = refusal(b"fine\nni\xf1os\n")
    assert message.startswith("file, line 2: the byte 0xf1 at position 3 is not UTF-8.")
    assert r"The line reads “ni\xf1os”." in message


@pytest.mark.parametrize("encoding", ["latin-1", "ISO-8859-1", "windows-1252", "cp1252", "iso-8859-15"])
def test_other_encodings_are_read_where_they_are_chosen(encoding: str) -> None:
    assert lines_of("niños\n".encode(encoding), encoding=encoding) == [(1, "niños".encode())]


def test_utf16_is_recognised_and_read_where_it_is_chosen() -> None:
    content = "a\tniños\nb\t滑铁卢\n".encode("utf-16")
    assert "the file is in UTF-16" in refusal(content)
    assert lines_of(content, encoding="utf-16") == [(1, "a\tniños".encode()), (2, "b\t滑铁卢".encode())]
    assert "not UTF-16" in refusal(content[:-1], encoding="utf-16")


def test_an_unknown_encoding_is_refused() -> None:
    assert '"klingon" is no encoding' in refusal(b"a", encoding="klingon")
    assert '"zlib" is no encoding' in refusal(b"a", encoding="zlib")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04rest", "a zip archive"),
        (b"BZh9rest", "a bzip2 file"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"program" * 20, "a program’s own file"),
        (b"SQLite format 3\x00", "an SQLite database"),
    ],
)
def test_files_of_another_kind_are_called_by_their_name(content: bytes, what: str) -> None:
    assert f"this is {what}" in refusal(content)


def test_gzip_of_several_members_and_padding_is_one_file() -> None:
    content = gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n") + bytes(512)
    assert lines_of(content) == [(1, b"a"), (2, b"bc"), (3, b"d")]


def test_gzip_that_is_cut_off_or_damaged_is_refused() -> None:
    packed = gzip.compress(bytes(range(1, 10)) * 1000)
    assert "cut off" in refusal(packed[:-5])
    assert "damaged" in refusal(packed[:20] + b"xxxx" + packed[24:])
    assert "damaged" in refusal(packed + b"something else")


def test_gzip_that_grows_too_much_is_refused_before_it_has_grown() -> None:
    bomb = gzip.compress(b"0123456789abcdef\n" * 4_000_000)
    sizes: list[int] = []
    chunks = read_chunks(io.BytesIO(bomb), "bomb.gz")
    with pytest.raises(FormatError, match="grows more than 50-fold"):
        sizes.extend(sum(map(len, lines)) for _, lines in chunks)
    assert sum(sizes) < 20_000_000


def test_a_packed_file_is_read_by_every_reader_and_bounded_like_a_plain_one() -> None:
    packed = gzip.compress(b"q1\tred shoes\n")
    assert [query.qid for query in read_queries(io.BytesIO(packed), "q.tsv.gz")] == ["q1"]
    with pytest.raises(FormatError, match="larger than 10 bytes"):
        list(read_chunks(io.BytesIO(packed), "q", most_bytes=10))


def test_too_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_LINES", 1000)
    assert "more than 1,000 lines" in refusal(b"\n" * 300_000)


def test_what_is_shown_is_one_short_printable_line() -> None:
    assert shown("a\tb\x1b[31m\u202e") == r"a\tb\x1b[31m\u202e"
    assert shown("x" * 1000) == "x" * 160 + " …"
    assert shown(b"\xff\n") == r"\xff"
