"""Documents: JSON Lines with id, title, text and url."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from app.formats import jsonl
from app.formats.errors import FormatError, OnProblem, quoted, refuse, report, shown
from app.formats.ids import fault_of_id

ID_KEYS = ("docno", "id", "_id", "docid", "doc_id")
TITLE_KEYS = ("title",)
TEXT_KEYS = ("text", "body", "contents", "content")
URL_KEYS = ("url",)


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class Document:
    docno: str
    title: str
    text: str
    url: str
    line: int = field(default=0, compare=False)


def read_documents(
    stream: BinaryIO, name: str, *, encoding: str = "utf-8", on_problem: OnProblem | None = None
) -> Iterator[Document]:
    """Documents in the file's order. Title and url may be missing; a text may be empty, but its key must be there.

    Memory: the docnos read so far. A docno that comes twice is refused with both line numbers.
    """
    lines: dict[str, int] = {}
    for number, line, found in jsonl.read_objects(stream, name, encoding=encoding, on_problem=on_problem):
        try:
            document = _document(found, number)
        except ValueError as error:
            report(jsonl.line_problem(name, number, line, str(error)), on_problem)
            continue
        earlier = lines.setdefault(document.docno, number)
        if earlier != number:
            reason = f"the document {quoted(document.docno)} has been given already on line {earlier}"
            report(FormatError(name, number, reason, shown(line), "Keep one of the two."), on_problem)
            continue
        yield document
    if not lines and on_problem is None:
        refuse(name, "the file holds no documents", 'Give objects such as {"id": "d1", "text": "…"}, one a line.')


def _document(found: dict[str, Any], number: int) -> Document:
    docno = jsonl.id_word(found, ID_KEYS)
    if fault := fault_of_id(docno):
        raise ValueError(f"the document id {quoted(docno)} {fault}")
    return Document(
        docno,
        jsonl.word(found, TITLE_KEYS),
        jsonl.word(found, TEXT_KEYS, is_needed=True),
        jsonl.word(found, URL_KEYS),
        number,
    )
