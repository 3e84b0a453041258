"""Documents: JSON Lines with id, title, text or HTML, url and language, and whatever else stands beside them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from app.formats import jsonl
from app.formats.errors import FormatError, OnProblem, quoted, refuse, report, shown
from app.formats.ids import fault_of_id
from app.formats.languages import LANG_KEYS, language

ID_KEYS = ("docno", "id", "_id", "docid", "doc_id")
TITLE_KEYS = ("title",)
TEXT_KEYS = ("text", "body", "contents", "content")
HTML_KEYS = ("html",)
URL_KEYS = ("url",)
EXAMPLE = '{"id": "d1", "title": "…", "text": "…", "url": "…"}'
LONGEST_FIELD = 2000
"""Characters. What is longer is a text or a vector, not something to read beside a document."""
LONGEST_NAME = 100
Markup = Literal["plain", "html"]


@dataclass(slots=True, unsafe_hash=True)  # Not frozen: that makes a row four times as dear.
class Document:
    docno: str
    title: str
    text: str
    url: str
    line: int = field(default=0, compare=False)
    html: str = ""
    """As it was given: nothing has made it harmless yet."""
    lang: str = ""
    """A language tag such as pt-BR; empty where none is known."""
    fields: dict[str, str] = field(default_factory=dict, hash=False)
    """The object's other keys with what stands there, in words."""
    passed_over: tuple[str, ...] = ()
    """Other keys whose value can't be shown in a line: objects, and what is longer than LONGEST_FIELD."""


def read_documents(
    stream: BinaryIO,
    name: str,
    *,
    encoding: str = "utf-8",
    markup: Markup = "plain",
    on_problem: OnProblem | None = None,
) -> Iterator[Document]:
    """Documents in the file's order. Title and url may be missing; a text may be empty, but its key, or that of the
    HTML, must be there. With `markup` html the text is taken for HTML.

    Memory: the docnos read so far. A docno that comes twice is refused with both line numbers.
    """
    lines: dict[str, int] = {}
    objects = jsonl.read_objects(stream, name, example=EXAMPLE, encoding=encoding, on_problem=on_problem)
    for number, line, found in objects:
        try:
            document = _document(found, number, markup)
        except ValueError as error:
            report(jsonl.line_problem(name, number, line, str(error), EXAMPLE), on_problem)
            continue
        earlier = lines.setdefault(document.docno, number)
        if earlier != number:
            reason = f"the document {quoted(document.docno)} has been given already on line {earlier}"
            report(FormatError(name, number, reason, shown(line), "Keep one of the two."), on_problem)
            continue
        yield document
    if not lines and on_problem is None:
        refuse(name, "the file holds no documents", jsonl.way_out(EXAMPLE))


def _document(found: dict[str, Any], number: int, markup: Markup) -> Document:
    docno = jsonl.id_word(found, ID_KEYS)
    if fault := fault_of_id(docno):
        raise ValueError(f"the document id {quoted(docno)} {fault}")
    html = jsonl.word(found, HTML_KEYS)
    text = jsonl.word(found, TEXT_KEYS, is_needed=not html)
    if markup == "html" and not html:
        html, text = text, ""
    lang = _lang(found)
    fields = _other_fields(found, {*ID_KEYS, *(LANG_KEYS if lang else ())})
    return Document(
        docno,
        jsonl.word(found, TITLE_KEYS),
        text,
        jsonl.word(found, URL_KEYS),
        number,
        html,
        lang,
        {name: value for name, value in fields.items() if value is not None},
        tuple(name for name, value in fields.items() if value is None),
    )


def _lang(found: dict[str, Any]) -> str:
    """Where it is no tag, such as “English”, it is a field like any other."""
    value = next((found[key] for key in LANG_KEYS if found.get(key)), "")
    return language(value) if isinstance(value, str) else ""


def _other_fields(found: dict[str, Any], taken: set[str]) -> dict[str, str | None]:
    """By name; None where the value can't be shown in a line. Keys with nothing in them are left out."""
    for keys in (TITLE_KEYS, TEXT_KEYS, HTML_KEYS, URL_KEYS):
        taken.update([key for key in keys if found.get(key) is not None][:1])
    others = {key.strip(): _in_words(value) for key, value in found.items() if key.strip() and key not in taken}
    for key, value in others.items():
        if not jsonl.is_storable(key) or not jsonl.is_storable(value or ""):
            raise ValueError(f"the field {quoted(key)} holds a NUL character or half a surrogate pair")
    return {key: value if len(key) <= LONGEST_NAME else None for key, value in others.items() if value != ""}


def _in_words(value: Any) -> str | None:
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        words = ", ".join(filter(None, map(_in_words, value)))
    elif isinstance(value, list | dict):
        return None
    else:
        words = {None: "", True: "yes", False: "no"}.get(value, value)
    return words.strip() if len(words) <= LONGEST_FIELD else None
