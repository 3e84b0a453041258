"""Topics in XML: `<topic number="…">` with a query or title, a description and a narrative.

A DOCTYPE that only declares elements and attributes is passed over; nothing in it is used, fetched or expanded. One
that declares an entity is refused: entities are how a small file becomes a huge one, or reads another.
"""

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from app.formats.errors import FormatError
from app.formats.opening import LONGEST_LINE, read_chunks
from app.formats.topics_sgml import Fields, tidy_lines

DEEPEST = 64
TOPIC_TAGS = ("topic", "top", "query")
NUMBER_NAMES = ("number", "num", "id", "qid", "topic_id", "query_id")
FIELD_OF = {
    "query": "title", "title": "title", "text": "title",
    "question": "desc", "description": "desc", "desc": "desc",
    "narrative": "narr", "narr": "narr",
    **dict.fromkeys(NUMBER_NAMES, "num"),
}  # fmt: skip
_WAY_OUT = "Correct the XML there; any XML editor shows the place."


def read_topics(stream: BinaryIO, name: str, *, encoding: str = "utf-8") -> Iterator[Fields]:
    """Topics in the file's order, one in memory at a time (4 MiB at most).

    The stream is decoded by `encoding`, whatever the XML declaration says. A fault in XML ends the reading, always.
    """
    topics = _Topics()
    parser = DefusedXMLParser(
        target=topics, encoding="utf-8", forbid_dtd=False, forbid_entities=True, forbid_external=True
    )
    expat = parser.parser
    expat.specified_attributes = (
        True  # Defaults of a DOCTYPE's attribute lists would otherwise be copied into every element.
    )
    expat.buffer_text = True
    topics.expat = expat
    fed = 0
    try:
        for _, lines in read_chunks(stream, name, encoding=encoding):
            block = b"\n".join(lines) + b"\n"
            fed += len(block)
            parser.feed(block)
            if max(fed - expat.CurrentByteIndex, topics.size) > LONGEST_LINE:
                raise _problem(
                    name, expat.CurrentLineNumber, f"a tag, text or topic is longer than {LONGEST_LINE >> 20} MiB"
                )
            yield from topics.finished()
        parser.close()
    except DefusedXmlException:
        reason = "the DOCTYPE declares an entity, which Adjudge does not expand"
        way_out = "Take the entity declarations out and write what they stand for."
        raise FormatError(name, expat.CurrentLineNumber, reason, None, way_out) from None
    except ParseError as error:
        raise _problem(name, error.position[0], f"the XML is broken: {str(error).split(':')[0]}") from None
    except _DeepError:
        raise _problem(name, expat.CurrentLineNumber, f"elements are nested more than {DEEPEST} deep") from None
    yield from topics.finished()


class _DeepError(Exception):
    pass


class _Topics:
    """What the parser tells, turned into topics."""

    def __init__(self) -> None:
        self.expat: object = None
        self.size = 0
        self._done: list[Fields] = []
        self._path: list[str] = []
        self._topic_depth = 0
        self._line = 0
        self._fields: dict[str, str] = {}
        self._own_text = ""
        self._texts: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2].lower()
        self._path.append(tag)
        if len(self._path) > DEEPEST:
            raise _DeepError
        if not self._topic_depth:
            if tag in TOPIC_TAGS and len(self._path) > 1:
                self._begin(attributes)
        elif len(self._path) == self._topic_depth + 1:
            self._own_text += "".join(self._texts)
            self._texts.clear()

    def data(self, text: str) -> None:
        if self._topic_depth:
            self._texts.append(text)
            self.size += len(text)

    def end(self, _tag: str) -> None:
        depth = len(self._path)
        tag = self._path.pop()
        if depth == self._topic_depth:
            self._finish()
        elif self._topic_depth and depth == self._topic_depth + 1:
            field = FIELD_OF.get(tag)
            if field is not None:
                self._fields.setdefault(field, tidy_lines("".join(self._texts)))
            self._texts.clear()

    def close(self) -> None:
        """Asked for by the parser; there is nothing left to do."""

    def finished(self) -> list[Fields]:
        done, self._done = self._done, []
        return done

    def _begin(self, attributes: dict[str, str]) -> None:
        self._topic_depth = len(self._path)
        self._line = getattr(self.expat, "CurrentLineNumber", 0)
        self._own_text = ""
        self._texts.clear()
        numbers = [attributes[name] for name in NUMBER_NAMES if name in attributes]
        self._fields = {"num": numbers[0].strip()} if numbers else {}

    def _finish(self) -> None:
        own = tidy_lines(self._own_text + "".join(self._texts))
        if own:
            self._fields.setdefault("title", own)
        self._done.append((self._line, self._fields))
        self._topic_depth = self.size = 0
        self._texts.clear()


def _problem(name: str, line: int, reason: str) -> FormatError:
    return FormatError(name, line, reason, None, _WAY_OUT)
