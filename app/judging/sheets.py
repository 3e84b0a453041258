"""A pair laid out for whoever grades it: what the templates of the desk and of adjudication need of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Protocol

from sqlalchemy.orm import Session

from app.judging.asking import OwnQuestion, own_questions
from app.judging.desk import Place, Shown, place_of
from app.judging.keys import new_key
from app.projects.guards import Seat, Showing, Sitting

LONGEST_PARAGRAPH = 8000
"""Characters. A browser lays a longer one out at once, in sight or not: it is parted at a space."""

LONG_PAGE = 200_000
"""Characters of HTML."""


class Readable(Protocol):
    """What a row holds of a document that is to be read."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def shown_fields(self) -> Sequence[Sequence[str]]: ...


class Asked(Readable, Protocol):
    """And of a pair."""

    @property
    def qid(self) -> str: ...
    @property
    def query(self) -> str: ...
    @property
    def query_lang(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def narrative(self) -> str: ...
    @property
    def docno(self) -> str: ...
    @property
    def lang(self) -> str: ...


@dataclass(frozen=True)
class Field:
    """Something beside the text that the lead chose to show."""

    name: str
    value: str
    is_picture: bool
    """Whether the value is the address of a picture that may be loaded."""


@dataclass(frozen=True)
class Reading:
    """A document laid out to be read."""

    paragraphs: list[list[str]]
    """Each in the parts that it is laid out in: one, unless it is very long."""
    html: str
    """Harmless, and shown in the paragraphs' place; empty where there is none."""
    is_long: bool
    """Whether a browser should lay out no more of the HTML than is in sight."""
    fields: list[Field]
    words: int
    link: str | None
    link_words: str


@dataclass(frozen=True)
class Sheet:
    """One rendering of a pair; its key is its own."""

    pair: Shown
    place: Place
    key: str
    reading: Reading
    questions: Sequence[OwnQuestion] = ()
    """What the labeller asked the leads about it."""


def sheet_of(session: Session, seat: Seat, pair: Shown) -> Sheet:
    return sheet_with(session, seat, pair, place_of(session, seat, pair))


def sheets_of(session: Session, seat: Seat, pairs: Iterable[Shown]) -> Iterator[Sheet]:
    """One after the other, of one round; pairs of one stop share what is counted."""
    places: dict[int, Place] = {}
    for pair in pairs:
        if pair.stop not in places:
            places[pair.stop] = place_of(session, seat, pair)
        yield sheet_with(session, seat, pair, places[pair.stop])


def sheet_with(session: Session, seat: Sitting, pair: Shown, place: Place) -> Sheet:
    return laid_out(seat.project, pair, place, asked_about(session, seat, pair))


def laid_out(project: Showing, pair: Shown, place: Place, questions: Sequence[OwnQuestion] = ()) -> Sheet:
    return Sheet(pair, place, new_key(pair.text_hash), reading_of(project, pair), questions)


def asked_about(session: Session, seat: Sitting, pair: Shown) -> Sequence[OwnQuestion]:
    """Asking sets a pair aside, so that most need no look."""
    return own_questions(session, seat.project.id, pair.id) if pair.set_aside else ()


def reading_of(project: Showing, document: Readable) -> Reading:
    paragraphs = [] if document.html else paragraphs_of(document.text)
    hosts = project.picture_hosts
    return Reading(
        paragraphs=[list(parts_of(paragraph)) for paragraph in paragraphs],
        html=with_pictures_of(hosts, document.html),
        is_long=len(document.html) > LONG_PAGE,
        fields=[
            Field(name, value, name == project.picture_field and is_picture_of(hosts, value))
            for name, value in document.shown_fields
        ],
        words=len(document.text.split()),
        link=web_address(document.url),
        link_words=re.sub(r"^https?://(www\.)?", "", document.url).rstrip("/"),
    )


def with_pictures_of(hosts: Sequence[str], html: str) -> str:
    """Cleaned HTML in whose other pictures' place stands what they are said to show."""

    def let_through(found: re.Match[str]) -> str:
        said = {name: unescape(value) for name, value in AN_ATTRIBUTE.findall(found[0])}
        if is_picture_of(hosts, said.get("src", "")):
            return found[0]
        return f"<i>[{escape(': '.join(filter(None, ['picture', said.get('alt', '').strip()])))}]</i>"

    return A_PICTURE.sub(let_through, html)


A_PICTURE = re.compile(r'<img(?: [a-z]+="[^"]*")*>')
AN_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')


def is_picture_of(hosts: Sequence[str], address: str) -> bool:
    return any(address.startswith(f"https://{host}/") for host in hosts)


def paragraphs_of(text: str) -> list[str]:
    """Parted at empty lines; a single line end stays one."""
    return [part.strip("\n") for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")) if part.strip()]


def parts_of(paragraph: str) -> Iterator[str]:
    """At most LONGEST_PARAGRAPH characters each, ended after a space where there is one; together the whole."""
    start = 0
    while len(paragraph) - start > LONGEST_PARAGRAPH:
        space = paragraph.rfind(" ", start + LONGEST_PARAGRAPH // 2, start + LONGEST_PARAGRAPH)
        end = space + 1 if space >= 0 else start + LONGEST_PARAGRAPH
        yield paragraph[start:end]
        start = end
    yield paragraph[start:]


def web_address(url: str) -> str | None:
    """`url` where it leads to the web: a document must not bring a script along in its address."""
    return url if url.startswith(("https://", "http://")) else None
