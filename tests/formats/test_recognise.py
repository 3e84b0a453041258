"""What an import page shows before anything is written."""

import gzip
import hashlib
import io
from pathlib import Path
from typing import Any

import pytest

from app.formats.errors import FormatError
from app.formats.recognise import KINDS, Preview, preview, recognise


def of_file(path: Path, kind: str, **chosen: Any) -> Preview:
    with path.open("rb") as file:
        return preview(file, path.name, kind, **chosen)


def of_text(text: str | bytes, kind: str, **chosen: Any) -> Preview:
    content = text.encode() if isinstance(text, str) else text
    return preview(io.BytesIO(content), "file", kind, **chosen)


@pytest.mark.parametrize(
    ("file", "kind", "format_", "delimiter", "has_header", "count"),
    [
        ("liveqa-med/topics.tsv", "queries", "tsv", "\t", False, 104),
        ("liveqa-med/topics.jsonl", "queries", "jsonl", None, False, 104),
        ("liveqa-med/topics.trec", "queries", "trec", None, False, 104),
        ("liveqa-med/topics.xml", "queries", "xml", None, False, 104),
        ("trec-topics/web.201-250.doctype.xml", "queries", "xml", None, False, 50),
        ("trec-topics/mq.10001-20000.colon-separated.not-utf8.txt", "queries", "colon", ":", False, 10_000),
        ("liveqa-med/docs.jsonl", "documents", "jsonl", None, False, 2186),
        ("liveqa-med/runs/lqa-bm25.run", "runs", "trec", " ", False, 9827),
        ("trec_eval-official/results.trunc", "runs", "trec", " ", False, 584),
        ("liveqa-med/qrels.txt", "qrels", "trec", " ", False, 513),
        ("dbpedia-entity-v2/annotator_agreements.tsv", "pairs", "pairs", "\t", True, 49_280),
        ("fira-dl19/double-judged.tsv", "grades", "wide", "\t", True, 4006),
        ("chorus-ratings/judgements.long.csv", "grades", "long", ",", True, 9564),
        ("chorus-ratings/ratings.csv", "grades", "wide", ",", True, 9564),
    ],
)
def test_real_files_are_recognised(
    shared_data: Path, file: str, kind: str, format_: str, delimiter: str | None, has_header: bool, count: int
) -> None:
    seen = of_file(shared_data / file, kind)
    assert (seen.recognised.format, seen.recognised.delimiter) == (format_, delimiter)
    assert (seen.recognised.has_header, seen.count, seen.problems) == (has_header, count, ())
    assert len(seen.rows) == 10
    assert all(len(row) == len(seen.columns) for row in seen.rows)
    content = (shared_data / file).read_bytes()
    assert (seen.sha256, seen.size) == (hashlib.sha256(content).hexdigest(), len(content))


def test_grades_and_depths_are_counted(shared_data: Path) -> None:
    assert of_file(shared_data / "liveqa-med" / "qrels.txt", "qrels").histogram == {
        "0": 290,
        "1": 117,
        "2": 56,
        "3": 50,
    }
    run = of_file(shared_data / "liveqa-med" / "runs" / "lqa-lsa.run", "runs")
    assert run.histogram == {"100": 104}
    assert run.notes == ("104 rankings",)
    assert list(of_file(shared_data / "awkward" / "qrels.web.201-250.minus2.txt", "qrels").histogram)[:2] == ["-2", "0"]


def test_what_is_nobodys_grade_by_its_heading_is_no_person() -> None:
    """A column that copies somebody's grades would make kappa better than it is."""
    words = ("resolved", "resolution", "agreed", "decision", "clicks", "ctr", "label")
    for word in words:
        seen = of_text(f"qid,docno,ana,ben,{word}\n1,a,1,2,1\n1,b,0,0,0\n", "grades").recognised
        assert seen.people == ("ana", "ben"), word
        assert f"left out: {word}" in seen.notes
    names = of_text("qid,docno,Modesta,Viewegh\n1,a,1,2\n1,b,0,0\n", "grades").recognised
    assert names.people == ("Modesta", "Viewegh")
    program = of_text("qid,docno,ana,gpt\n1,a,1,2\n1,b,0,0\n", "grades").recognised
    assert program.people == ("ana", "gpt"), "whoever brings it in says that it is a machine"


def test_every_row_of_a_short_file_says_who_is_a_person() -> None:
    """Two rows, in the last of which somebody has a grade for the first time."""
    seen = of_text("qid,docno,ana,ben\n1,a,1,skip\n1,b,0,2\n", "grades").recognised
    assert seen.people == ("ana", "ben")


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_is_called_one_whatever_it_is_given_as(kind: str) -> None:
    with pytest.raises(FormatError, match="a zip archive"):
        recognise(b"PK\x03\x04\x14\x00abcd\x00\xff\nrest", "x.zip", kind)


def test_what_is_not_taken_is_said(shared_data: Path) -> None:
    seen = of_file(shared_data / "chorus-products" / "Broad_Query_Set_individual_ratings.csv", "grades").recognised
    assert seen.people == ("agent_1_rating", "agent_2_rating", "agent_3_rating")
    assert seen.roles == {"qid": "query", "docno": "docid"}
    assert "left out: name, description, final_rating" in seen.notes
    comments = of_file(shared_data / "trec_eval-official" / "qrels.test.with-comments", "qrels")
    assert comments.notes == ("3 comment lines passed over",)
    assert of_text("1 0 a 1\n1 0 a 1\n", "qrels").notes == ("1 repeated line passed over",)


def test_problems_are_listed_up_to_twenty(shared_data: Path) -> None:
    few = of_file(shared_data / "awkward" / "qrels.web.201-205.ndeval.subtopic-in-column2.txt", "qrels")
    assert len(few.problems) == 20
    assert "stopped after 20 problems: the rest was not read" in few.notes
    assert of_text("1 Q0 a 1 x t\n1 Q0 b 2 1 t\nshort\n", "runs").count == 1
    assert [p.line for p in of_text("1 Q0 a 1 x t\n1 Q0 b 2 1 t\nshort\n", "runs").problems] == [1, 3]


def test_lines_that_are_not_utf8_are_all_listed(shared_data: Path) -> None:
    path = shared_data / "trec-topics" / "mq.10001-20000.colon-separated.not-utf8.txt"
    guessed = of_file(path, "queries")
    assert guessed.recognised.encoding == "windows-1252"
    assert "guess" in guessed.recognised.notes[0]
    strict = of_file(path, "queries", encoding="utf-8")
    assert [problem.line for problem in strict.problems] == [3481, 8135, 8297, 9136]
    assert strict.count == 9996


def test_an_xml_declaration_is_believed() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<t><topic number="1"><query>niño</query></topic></t>'
    seen = of_text(text.encode("latin-1"), "queries")
    assert (seen.recognised.encoding, seen.rows[0][1], seen.problems) == ("latin-1", "niño", ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\0\0\0", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xff\xfea\0", b"<DOC>", b"[1]", b"a" * 300_000],
)
def test_a_preview_never_raises_and_always_says_what_is_wrong(kind: str, content: bytes) -> None:
    seen = of_text(content, kind)
    assert (seen.count, seen.rows) == (0, ())
    assert seen.problems
    assert all(problem.file == "file" and problem.way_out for problem in seen.problems)


def test_the_lead_overrules_what_was_recognised() -> None:
    text = "query,document,a,b\nq,d,1,2\n"
    assert of_text(text, "grades", people=["b"]).rows == (("b", "q", "d", "2"),)
    assert of_text("q1:x\ty\n", "queries").rows == (("q1:x", "y", "", "", ""),)
    assert of_text("q1:x\ty\n", "queries", format="colon").rows == (("q1", "x\ty", "", "", ""),)
    assert of_text("qid\ttext\n", "queries", has_header=False).rows == (("qid", "text", "", "", ""),)


def test_packed_files_are_previewed_as_their_contents() -> None:
    seen = of_text(gzip.compress(b"q1\tred shoes\n"), "queries")
    assert seen.recognised.notes == ("packed with gzip",)
    assert seen.rows == (("q1", "red shoes", "", "", ""),)


def test_long_texts_are_shortened() -> None:
    seen = of_text('{"id": "d", "text": "' + "x" * 10_000 + '"}', "documents")
    assert len(seen.rows[0][2]) < 600


def test_pairs_are_counted_by_query_also_where_reading_stopped() -> None:
    text = "q,d\nq,e\n" + "q,\n" * 30
    seen = of_text(text, "pairs")
    assert (seen.histogram, len(seen.problems)) == ({"2": 1}, 20)


def test_what_is_given_as_none_overrules_nothing() -> None:
    assert of_text("q,d\n", "pairs", encoding=None, delimiter=None, qid=None).count == 1


def test_fields_of_topics_that_are_left_out_are_said(shared_data: Path) -> None:
    seen = of_file(shared_data / "trec-topics" / "adhoc.51-100.sgml.txt", "queries").recognised
    assert seen.notes == ("left out: head, dom, smry, con, fac, def, nat, price, time",)


def test_recognition_alone_refuses_what_is_nothing_known() -> None:
    with pytest.raises(FormatError, match="looks like markup"):
        recognise(b"<DOC>\n<DOCNO>1</DOCNO>", "docs.xml", "documents")
    assert recognise(b"a\tb\n", "q.tsv", "queries").columns == ("qid", "text")
    with pytest.raises(ValueError, match="no kind of file"):
        recognise(b"", "file", "songs")


@pytest.mark.parametrize("at", [0, 3])
def test_a_person_whose_grades_are_a_word_now_and_then_is_one_all_the_same(at: int) -> None:
    words = ["2", "1", "0", "3"]
    words[at] = "skip"
    rows = "".join(f"q,d{row},1,{word},A shoe\n" for row, word in enumerate(words))
    assert of_text(f"qid,docno,ana,ben,about\n{rows}", "grades").recognised.people == ("ana", "ben")
