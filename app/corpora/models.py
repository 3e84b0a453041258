"""What is judged: queries and documents, under their outside ids; and the files that were handed in."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import JSON, BigInteger, CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db import Base, Bytewise, now
from app.errors import RuleError
from app.people.models import HASH_LENGTH
from app.projects.models import Owned


class Query(Owned, Base):
    """A query and its information need; `qid` is kept byte for byte. One without text is known by its qid only, from
    grades or pairs that were brought in: nobody can judge it here before its text comes.
    """

    __tablename__ = "query"
    qid: Mapped[str] = mapped_column(Bytewise)
    text: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    narrative: Mapped[str] = mapped_column(default="")
    slice: Mapped[str] = mapped_column(default="")
    """The part of the traffic that it stands for, in the words of whoever brought it in; empty where none was named.
    No labeller sees it.
    """
    lang: Mapped[str] = mapped_column(default="")
    """A language tag; empty where none is known, as in a document."""
    imported_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (UniqueConstraint("project_id", "qid"),)

    @property
    def is_placeholder(self) -> bool:
        return not self.text


class Document(Owned, Base):
    """A document; `docno` is kept byte for byte. A placeholder is one whose text is not in hand: it can hold imported
    grades but can't be judged here.
    """

    __tablename__ = "document"
    docno: Mapped[str] = mapped_column(Bytewise)
    title: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(default="")
    url: Mapped[str] = mapped_column(default="")
    html: Mapped[str] = mapped_column(default="")
    """What is shown in the text's place, made harmless; empty where the document came as text alone."""
    lang: Mapped[str] = mapped_column(default="")
    fields: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    """What else came with it, by name. Labellers see nothing of it but `shown_fields`."""
    shown_fields: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    """Names and values of those that the lead chose to show, in their order."""
    is_placeholder: Mapped[bool] = mapped_column(default=False)
    source_hash: Mapped[str | None] = mapped_column(String(HASH_LENGTH))
    """The document's without its shown fields; None where it has none: then it is the next one."""
    text_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """What a labeller was shown, see `shown_hash`."""
    imported_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (UniqueConstraint("project_id", "docno"),)


def shown_hash(title: str, text: str, url: str, html: str = "") -> str:
    """SHA-256 of what the desk shows of a document; the unit separator keeps the parts apart."""
    return hash_of("\x1f".join([title, text, url, *filter(None, [html])]))


def hash_with_fields(source_hash: str, shown_fields: Sequence[Sequence[str]]) -> str:
    """The same where the lead chose fields to show beside it."""
    return hash_of(json.dumps([source_hash, *shown_fields], ensure_ascii=False)) if shown_fields else source_hash


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


NO_TEXT = shown_hash("", "", "")
"""Of a placeholder: whoever graded it read a text that never came here."""


KEPT_FOR = timedelta(days=1)
"""How long a file waits that nobody brings in or drops."""


class Upload(Owned, Base):
    """A file that was handed in: looked at first (`previewed`), then brought in whole (`done`) or dropped."""

    __tablename__ = "upload"
    kind: Mapped[str]
    """queries, documents, runs, pairs, grades, qrels or assignments."""
    name: Mapped[str]
    """The file's own name, for messages only; on disk it lies under its id."""
    size: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(HASH_LENGTH))
    chosen: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What the person chose about reading it: format, columns, name."""
    counts: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What bringing it in did: `counts` (new, same, changed …), `notes`, and where to `see` what was made."""
    state: Mapped[str] = mapped_column(default="previewed")
    uploaded_at: Mapped[datetime] = mapped_column(default=now)
    uploaded_by_id: Mapped[str] = mapped_column(ForeignKey("person.id"))
    ended_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("state IN ('previewed', 'done', 'dropped')", name="state"),)

    def require_open(self) -> None:
        """RuleError where somebody has decided about the file already."""
        if self.state == "done":
            raise RuleError(f"{self.name} has been brought in already.", "Look at what it did.")
        if self.state == "dropped":
            raise RuleError(f"{self.name} was dropped.", "Hand it in again if you want it after all.")

    def end(self, state: Literal["done", "dropped"]) -> None:
        self.state = state
        self.ended_at = now()
