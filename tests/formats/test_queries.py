"""Queries in all their formats, from the field's own files."""

import io
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.formats import topics_sgml
from app.formats.errors import FormatError
from app.formats.queries import Query, read_queries


def read(text: str | bytes, **options: object) -> list[Query]:
    content = text.encode() if isinstance(text, str) else text
    return list(read_queries(io.BytesIO(content), "queries", **options))  # type: ignore[arg-type]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(FormatError) as caught:
        read(text, **options)
    return str(caught.value)


def of_file(path: Path, **options: object) -> list[Query]:
    with path.open("rb") as file:
        return list(read_queries(file, path.name, **options))  # type: ignore[arg-type]


def in_short(queries: Iterable[Query]) -> list[tuple[str, str]]:
    return [(query.qid, query.text) for query in queries]


def test_the_same_topics_in_four_formats_are_the_same_queries(shared_data: Path) -> None:
    tsv, jsonl, trec, xml = (
        of_file(shared_data / "liveqa-med" / f"topics.{ending}") for ending in ("tsv", "jsonl", "trec", "xml")
    )
    assert len(tsv) == 104
    assert in_short(tsv) == in_short(jsonl) == in_short(trec) == in_short(xml)
    assert jsonl == trec == xml
    assert sum(bool(query.description) for query in jsonl) == 101
    assert all(query.narrative for query in jsonl)


@pytest.mark.parametrize(
    ("file", "count", "first", "text"),
    [
        ("adhoc.51-100.sgml.txt", 50, "051", "Airbus Subsidies"),
        ("adhoc.151-200.sgml.txt", 50, "151", "Coping with overcrowded prisons"),
        ("robust04.sgml.txt", 250, "301", "International Organized Crime"),
        ("core17.sgml.txt", 50, "307", "New Hydroelectric Projects"),
        ("terabyte04.txt", 50, "701", "U.S. oil industry history"),
        ("microblog2011.txt", 50, "MB001", "BBC World Service staff cuts"),
        ("trec02ar-ar.rtl.txt", 50, "AR26", "مجلس المقاومة الوطني الكردستاني"),
        ("covid-round1.crlf.xml", 30, "1", "coronavirus origin"),
        ("covid-round5.xml", 50, "1", "coronavirus origin"),
        ("web.201-250.doctype.xml", 50, "201", "raspberry pi"),
    ],
)
def test_topics_of_the_field_are_read(shared_data: Path, file: str, count: int, first: str, text: str) -> None:
    queries = of_file(shared_data / "trec-topics" / file)
    assert len(queries) == count
    assert (queries[0].qid, queries[0].text) == (first, text)
    assert all("<" not in query.qid + query.text and "\r" not in query.narrative for query in queries)


def test_fields_of_a_topic_do_not_run_into_each_other(shared_data: Path) -> None:
    first = of_file(shared_data / "trec-topics" / "adhoc.51-100.sgml.txt")[0]
    assert first.description.startswith("Document will discuss government assistance")
    assert first.description.endswith("over the issue of\nsubsidies.")
    assert first.narrative.startswith("A relevant document will cite")
    assert first.narrative.endswith("over federal subsidies to Airbus.")


def test_a_topic_that_only_names_a_document_is_refused_as_a_query_without_text(shared_data: Path) -> None:
    path = shared_data / "trec-topics" / "backgroundlinking18.unclosed-url.txt"
    with pytest.raises(FormatError, match='line 1: the query "321" has no text'):
        of_file(path)


def test_a_tag_that_is_never_closed_ends_with_its_topic(shared_data: Path) -> None:
    with (shared_data / "trec-topics" / "backgroundlinking18.unclosed-url.txt").open("rb") as file:
        topics = [fields for _, fields in topics_sgml.read_topics(file, "topics")]
    assert len(topics) == 50
    assert topics[0]["num"] == "321"
    assert topics[0]["docid"] == "9171debc316e5e2782e0d2404ca7d09d"


def test_lines_that_are_not_utf8_are_refused_by_number_and_read_as_what_they_are(shared_data: Path) -> None:
    path = shared_data / "trec-topics" / "mq.10001-20000.colon-separated.not-utf8.txt"
    with pytest.raises(FormatError, match=r"line 3481: the byte 0xf3 at position 8 is not UTF-8") as caught:
        of_file(path)
    assert "choose the encoding" in caught.value.way_out
    problems: list[FormatError] = []
    kept = of_file(path, on_problem=problems.append)
    assert [problem.line for problem in problems] == [3481, 8135, 8297, 9136]
    assert len(kept) == 9996
    assert len(of_file(path, encoding="latin-1")) == 10_000


@pytest.mark.parametrize("file", ["pyserini-topics.non-integer-ids.tsv", "pyserini-topics.zh.tsv"])
def test_small_tsv_files_keep_their_ids(shared_data: Path, file: str) -> None:
    expected = {
        "pyserini-topics.non-integer-ids.tsv": [
            ("30_1", "first topic"),
            ("30_2", "second topic"),
            ("30_3", "third topic"),
        ],
        "pyserini-topics.zh.tsv": [("1", "滑铁卢"), ("2", "大学")],
    }
    queries = of_file(shared_data / "awkward" / file)
    assert [(q.qid, q.text) for q in queries] == expected[file]


def test_a_heading_chooses_the_columns() -> None:
    text = "narrative\tquery_id\tquery\tsource\nlong\tq1\tred shoes\tlog\n"
    assert read(text) == [Query("q1", "red shoes", "", "long")]


def test_csv_with_a_heading_is_read_with_its_quotation_marks() -> None:
    assert read('id,query\nq1,"shoes, red"\n') == [Query("q1", "shoes, red", "", "")]
    assert read("id;query\nq1;shoes, red\n") == [Query("q1", "shoes, red", "", "")]


def test_quotation_marks_in_tsv_are_text() -> None:
    assert read('q1\t"red" shoes\n')[0].text == '"red" shoes'


def test_ids_are_never_made_numbers() -> None:
    assert [q.qid for q in read('{"id": 12345678901234567890, "text": "a"}\n{"id": "007", "text": "b"}\n')] == [
        "12345678901234567890",
        "007",
    ]
    assert "fraction or exponent" in refusal('{"id": 1e3, "text": "a"}\n')
    assert "fraction or exponent" in refusal('{"id": 1.0, "text": "a"}\n')


@pytest.mark.parametrize("key", ["id", "qid", "_id", "query_id"])
@pytest.mark.parametrize("text", ["text", "title", "query"])
def test_json_keys_have_their_synonyms(key: str, text: str) -> None:
    assert read(f'{{"{key}": "q1", "{text}": "red", "desc": "d", "narr": "n"}}') == [Query("q1", "red", "d", "n")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "1", "id": "2", "text": "a"}', 'the key "id" stands twice'),
        ('{"id": "1", "qid": "2", "text": "a"}', "several ids that differ: qid, id"),
        ('{"id": "1", "text": NaN}', "NaN is not JSON"),
        ('{"id": "1", "text": ["a"]}', 'the value of "text" is not a text'),
        ('{"id": "1", "text": "a\\u0000"}', "NUL character"),
        ('{"id": "1", "text": "\\ud800"}', "half a surrogate pair"),
        ('{"id": true, "text": "a"}', 'the value of "id" is not a text'),
        ('{"text": "a"}', "none of the keys qid, id"),
        ('{"id": "1"}', "has no text"),
        ('{"id": "1 2", "text": "a"}', "holds a blank"),
        ('{"id": "#1", "text": "a"}', "begins with #"),
        ('{"id": "", "text": "a"}', "is empty"),
        ('{"id": "1", "text": "a"', "can't be read as a JSON object"),
        ('[{"id": "1", "text": "a"}]', "JSON list"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_a_faulty_object_is_refused_with_its_line(line: str, reason: str) -> None:
    message = refusal('{"id": "0", "text": "fine"}\n' + line + "\n")
    assert "queries, line 2: " in message
    assert reason in message


def test_a_qid_that_comes_twice_is_refused_with_both_lines() -> None:
    assert 'line 3: the query "1" has been given already on line 1' in refusal("1\ta\n2\tb\n1\ta\n")


def test_more_columns_without_a_heading_are_refused() -> None:
    assert "line 2: the line has 3 columns and no heading" in refusal("1\ta\n2\tb\tc\n")


def test_topics_may_be_on_one_line_and_in_capitals() -> None:
    text = "<TOP><NUM>1</NUM><TITLE>red shoes</TITLE></TOP>\n<top><num>2<title>blue <5 shoes</top>\n"
    assert in_short(read(text)) == [("1", "red shoes"), ("2", "blue <5 shoes")]


def test_a_topic_that_is_cut_off_is_refused() -> None:
    text = "<top>\n<num> Number: 1\n<title> a\n</top>\n<top>\n<num> Number: 2\n<title> b"
    assert "line 5: the topic that begins here is not closed before the end of the file" in refusal(text)


def test_topics_that_nobody_closes_are_read() -> None:
    text = "<top>\n<num> Number: 1\n<title> a\n<top>\n<num> Number: 2\n<title> b"
    assert in_short(read(text)) == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        ("<title> a", "has no <num>"),
        ("<num> Number: 1 2\n<title> a", "more than one word"),
        ("<num> 1\n<title> a\n<title> b", "has <title> twice"),
    ],
)
def test_a_faulty_topic_is_refused_with_its_line(topic: str, reason: str) -> None:
    message = refusal(f"\n<top>\n{topic}\n</top>\n")
    assert "line 2: " in message
    assert reason in message


LAUGHS = '<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    "doctype",
    [
        LAUGHS,
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE t [<!ENTITY % p SYSTEM "http://localhost/p"> %p;]>',
        '<!DOCTYPE t [<!ENTITY x SYSTEM "a.gif" NDATA gif>]>',
    ],
)
def test_a_doctype_with_entities_is_refused(doctype: str) -> None:
    text = f'<?xml version="1.0"?>\n{doctype}\n<t><topic number="1"><query>&b;</query></topic></t>'
    assert "line 2: the DOCTYPE declares an entity" in refusal(text)


def test_a_harmless_doctype_is_passed_over_and_its_defaults_are_not_used() -> None:
    text = '<!DOCTYPE t [<!ATTLIST topic number CDATA "7">]>\n<t><topic><num>1</num><query>a</query></topic></t>'
    assert in_short(read(text)) == [("1", "a")]


def test_an_external_doctype_is_never_fetched() -> None:
    text = '<!DOCTYPE t SYSTEM "http://localhost:1/t.dtd">\n<t><topic number="1"><query>a</query></topic></t>'
    assert in_short(read(text)) == [("1", "a")]


@pytest.mark.parametrize(
    "text",
    [
        '<topics><topic number="1"><title>a</title></topic></topics>',
        '<topics xmlns="urn:x"><topic><number> 1 </number><query>a</query></topic></topics>',
        '<topics task="x"><topic number="1">\n  a\n</topic></topics>',
        '<queries><query id="1">a</query></queries>',
        "<xml><top><num>1</num><title>a</title></top></xml>",
    ],
)
def test_topics_in_xml_have_several_shapes(text: str) -> None:
    assert in_short(read(text, format="xml")) == [("1", "a")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<t>\n<topic></t>", "line 2: the XML is broken: mismatched tag"),
        ('<t><topic number="1"><query>a</query></topic>', "the XML is broken: no element found"),
        ("<a>" * 100, "nested more than 64 deep"),
        ("<t><topic><query>a</query></topic></t>", 'the query id "" is empty'),
        ('<t>\n<topic number="1"/></t>', 'line 2: the query "1" has no text'),
        ("<t/>", "the file holds no queries"),
    ],
)
def test_faulty_xml_is_refused(text: str, reason: str) -> None:
    assert reason in refusal(text)


def test_a_text_without_end_in_xml_is_refused_in_time() -> None:
    text = '<t><topic number="1"><query>' + "a line of it\n" * 500_000
    assert "longer than 4 MiB" in refusal(text)


def test_a_topic_without_end_is_refused_in_time() -> None:
    text = "<top>\n<num> Number: 1\n<title> a\n<narr> Narrative:\n" + "a line of it\n" * 500_000
    assert "line 1: the topic that begins here is larger than 4 MiB" in refusal(text)


def test_a_format_that_does_not_exist_is_refused() -> None:
    assert '"docx" is no format of queries' in refusal("1\ta\n", format="docx")


def test_a_line_without_colon_among_colons_is_refused() -> None:
    assert "line 3: the line has no colon" in refusal("1:a\n\n2 b\n", format="colon")


def test_a_heading_that_names_no_text_is_refused() -> None:
    assert "line 1: the heading names no column" in refusal("qid\tsource\n1\ta\n", has_header=True)


def test_a_row_of_another_width_is_refused() -> None:
    assert "line 3: the line has 1 column where 2 are expected" in refusal("qid\ttext\n1\ta\n2 b\n")


def test_a_question_is_the_text_where_there_is_no_other() -> None:
    lines = '{"id": "1", "question": "why?"}\n{"id": "2", "query": "why", "question": "why so?"}\n'
    assert read(lines) == [Query("1", "why?", "", ""), Query("2", "why", "why so?", "")]
    assert read("qid\tquestion\n1\twhy?\n") == [Query("1", "why?", "", "")]


def test_topics_may_stand_behind_a_remark() -> None:
    assert in_short(read("Topics of our own\n\n<top>\n<num> 1\n<title> a\n</top>\n")) == [("1", "a")]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_refused(text: str) -> None:
    assert "the file holds no queries" in refusal(text)


def test_a_list_of_words_is_in_no_known_format() -> None:
    assert "in no format that Adjudge knows" in refusal("red shoes\nblue shoes\n")
