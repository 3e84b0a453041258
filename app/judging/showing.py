"""What the desk shows beside a document's text: fields that the lead chose, and pictures of hosts that the lead named.

What is shown is part of what a grade was given on, so that it stays as it is while anybody judges.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.corpora.sealing import seals_of_documents
from app.corpora.shown_fields import show_anew
from app.errors import FieldError, RuleError
from app.judging.models import Round
from app.projects.models import Project
from app.projects.queries import lock_project
from app.record.keeping import record
from app.record.sealing import seals_of

MOST_FIELDS = 20
MOST_HOSTS = 20
TELLING = re.compile(
    r"\b(scores?|rank(s|ing)?|position|grade[sd]?|relevan(ce|t)|q?rels?|labels?|judged|judge?ments?|runs?|system|bm|"
    r"similarity|gains?|gold)\b"
)
"""Words in a field's name that promise what a labeller must not know."""
A_HOST = re.compile(r"(?=.{1,253}(?::|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")


@dataclass(frozen=True)
class Showing:
    """What is chosen: names of fields in their order, the one among them that holds a picture's address, if any, and
    whose pictures are loaded.
    """

    fields: Sequence[str] = ()
    picture: str = ""
    hosts: Sequence[str] = ()


def showing_of(project: Project) -> Showing:
    return Showing(project.shown_fields, project.picture_field, project.picture_hosts)


def choose_showing(session: Session, project: Project, wanted: Showing, *, is_warned: bool = False) -> None:
    """Has the desk show this from now on. FieldError where it can't; RuleError while a round is open, and where a field
    promises to tell of scores or grades and nobody `is_warned`.
    """
    fields, hosts = checked_fields(wanted), checked_hosts(wanted.hosts)
    require_warning(fields, is_warned=is_warned)
    lock_project(session, project)
    require_closed(session, project)
    if Showing(fields, wanted.picture, hosts) == showing_of(project):
        return
    project.shown_fields, project.picture_field, project.picture_hosts = fields, wanted.picture, hosts
    having = show_anew(session, project)
    unknown = next((name for name in fields if not having[name]), None)
    if unknown is not None:
        raise FieldError("fields", f"No document has a field “{unknown}”.", "Look at how it is spelt in the file.")
    seals = seals_of(session, project) | seals_of_documents(session, project.id)
    record(session, project.id, "showing chosen", fields=fields, picture=wanted.picture, hosts=hosts, seals=seals)


def checked_fields(wanted: Showing) -> list[str]:
    fields = list(dict.fromkeys(wanted.fields))
    if wanted.picture and wanted.picture not in fields:
        raise FieldError("picture", "The picture's field is not among those that are shown.", "Add it to them.")
    if len(fields) > MOST_FIELDS:
        raise FieldError("fields", f"These are more than {MOST_FIELDS} fields.", "Choose what helps to judge.")
    return fields


def checked_hosts(wanted: Sequence[str]) -> list[str]:
    hosts = list(dict.fromkeys(host.lower() for host in wanted))
    wrong = next((host for host in hosts if not A_HOST.fullmatch(host)), None)
    if wrong is not None:
        way_out = "Write the name alone, such as images.shop.example; pictures are loaded by https."
        raise FieldError("hosts", f"“{wrong[:80]}” is not the name of a host.", way_out)
    if len(hosts) > MOST_HOSTS:
        raise FieldError("hosts", f"These are more than {MOST_HOSTS} hosts.", "Name those that matter.")
    return hosts


def telling_fields(fields: Sequence[str]) -> list[str]:
    """Those whose names promise a score, a rank, a run or a grade."""
    return [name for name in fields if TELLING.search(words_of(name))]


def words_of(name: str) -> str:
    """Small letters parted by blanks, also where words are told apart by capital ones."""
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)).lower()


def require_warning(fields: Sequence[str], *, is_warned: bool) -> None:
    telling = telling_fields(fields)
    if telling and not is_warned:
        raise RuleError(
            f"By its name “{telling[0]}” tells of scores, ranks, runs or grades: a labeller who sees them judges the"
            " systems and not the documents.",
            "Leave it out, or confirm that it tells nothing of the kind.",
            conditions=["blindness"],
            fields=telling,
        )


def require_closed(session: Session, project: Project) -> None:
    is_open = (Round.project_id == project.id) & Round.closed_at.is_(None)
    number = session.scalar(select(Round.number).where(is_open).order_by(Round.number).limit(1))
    if number is not None:
        raise RuleError(
            f"Round {number} is open: what its labellers see must not change under their hands.",
            "Close it first; it can be opened again afterwards. Grades given before are flagged as given on less.",
            conditions=["open round"],
            round=number,
        )
