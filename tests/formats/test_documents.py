"""Documents: JSON Lines, and a clear word for anything else."""

import io
import json
from pathlib import Path

import pytest

from app.formats.documents import Document, read_documents
from app.formats.errors import FormatError


def read(text: str) -> list[Document]:
    return list(read_documents(io.BytesIO(text.encode()), "docs.jsonl"))


def refusal(text: str) -> str:
    with pytest.raises(FormatError) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize(("file", "count"), [("liveqa-med/docs.jsonl", 2186), ("chorus-products/docs.jsonl", 2349)])
def test_documents_are_read_with_every_character(shared_data: Path, file: str, count: int) -> None:
    path = shared_data / file
    with path.open("rb") as stream:
        documents = list(read_documents(stream, path.name))
    expected = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(documents) == count
    assert [(d.docno, d.title, d.text, d.url) for d in documents] == [
        (e["id"], e["title"], e["text"], e.get("url", "")) for e in expected
    ]
    assert [d.line for d in documents] == list(range(1, count + 1))


@pytest.mark.parametrize("key", ["id", "docno", "_id", "docid"])
@pytest.mark.parametrize("text", ["text", "body", "contents"])
def test_keys_have_their_synonyms(key: str, text: str) -> None:
    assert read(f'{{"{key}": "d", "{text}": "t"}}') == [Document("d", "", "t", "")]


def test_an_empty_text_is_a_text_and_a_missing_one_is_not() -> None:
    assert read('{"id": "d", "title": "only this", "text": ""}') == [Document("d", "only this", "", "")]
    assert "none of the keys text, body" in refusal('{"id": "d", "title": "only this"}')


def test_a_document_that_comes_twice_is_refused_with_both_lines() -> None:
    text = '{"id": "d", "text": "a"}\n\n{"id": "d", "text": "a"}\n'
    assert 'line 3: the document "d" has been given already on line 1' in refusal(text)


@pytest.mark.parametrize(
    ("docno", "reason"),
    [
        ('"a b"', "holds a blank"),
        ('""', "is empty"),
        ('"' + "x" * 1001 + '"', "longer than 1,000"),
        ("1.5", "fraction"),
    ],
)
def test_an_id_that_qrels_could_not_carry_is_refused(docno: str, reason: str) -> None:
    assert reason in refusal(f'{{"id": {docno}, "text": "a"}}')


@pytest.mark.parametrize("line", ['{"id": "d1"', '{"title": "About"}', '{"id": "d1"}', '"d1"', ""])
def test_the_way_out_shows_a_document(line: str) -> None:
    assert 'such as {"id": "d1", "title": "…", "text": "…", "url": "…"}, one a line.' in refusal(line)


def test_all_faulty_documents_are_told_where_somebody_listens() -> None:
    text = '{"id": "d", "text": "a"}\n{"id": "d"}\n{"id": "d", "text": "b"}\n{"id": "e", "text": ""}\n'
    problems: list[FormatError] = []
    documents = list(read_documents(io.BytesIO(text.encode()), "docs.jsonl", on_problem=problems.append))
    assert [document.docno for document in documents] == ["d", "e"]
    assert [problem.line for problem in problems] == [2, 3]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"id": "d", "text": "a"}]', "JSON list"),
        ("<DOC><DOCNO>d</DOCNO></DOC>", "can't be read as a JSON object"),
        ("id,text\nd,a\n", "can't be read as a JSON object"),
        ("", "the file holds no documents"),
    ],
)
def test_other_formats_are_refused(text: str, reason: str) -> None:
    assert reason in refusal(text)


def test_other_keys_are_kept_in_words() -> None:
    line = {
        "id": "d",
        "text": "t",
        "contents": "u",
        "price": 3.50,
        "new": True,
        "tags": ["a", 2],
        "none": None,
        " b ": "c",
    }
    (document,) = read(json.dumps(line))
    assert document.fields == {"contents": "u", "price": "3.5", "new": "yes", "tags": "a, 2", "b": "c"}
    assert document.passed_over == ()


def test_what_can_not_stand_in_a_line_is_passed_over_and_named() -> None:
    line = {"id": "d", "text": "t", "vector": [0.25] * 800, "inner": {"a": 1}, "n" * 101: "x", "short": "y"}
    (document,) = read(json.dumps(line))
    assert document.fields == {"short": "y"}
    assert document.passed_over == ("vector", "inner", "n" * 101)


def test_a_field_that_no_database_keeps_is_refused() -> None:
    assert 'the field "note" holds a NUL' in refusal('{"id": "d", "text": "t", "note": "a\\u0000b"}')
    assert "half a surrogate pair" in refusal('{"id": "d", "text": "t", "note": "\\ud800"}')


@pytest.mark.parametrize(
    ("value", "lang"),
    [("de", "de"), ("pt-BR", "pt-BR"), ("zh-Hant", "zh-Hant"), ("English", ""), ("d'e", ""), ("", "")],
)
def test_a_language_is_a_tag_and_anything_else_is_a_field(value: str, lang: str) -> None:
    (document,) = read(json.dumps({"id": "d", "text": "t", "language": value}))
    assert document.lang == lang
    assert document.fields == ({} if lang or not value else {"language": value})


def test_html_stands_for_the_text_where_there_is_none() -> None:
    (document,) = read('{"id": "d", "html": "<p>a"}')
    assert (document.text, document.html) == ("", "<p>a")
    (both,) = read('{"id": "d", "html": "<p>a", "text": "b"}')
    assert (both.text, both.html) == ("b", "<p>a")
    stream = io.BytesIO(b'{"id": "d", "text": "<p>a"}')
    (chosen,) = read_documents(stream, "docs.jsonl", markup="html")
    assert (chosen.text, chosen.html) == ("", "<p>a")
    assert "none of the keys" in refusal('{"id": "d", "html": ""}')
