"""What is sealed as it is now: every row and content whose seal some act holds."""

from collections.abc import Callable, Iterator, Mapping

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.corpora.sealing import seals_of_documents, seals_of_queries
from app.db import Base
from app.judging.models import Gold, Round
from app.pools.models import Pool
from app.pools.sealing import seals_of_pairs
from app.projects.models import Member, Project
from app.record.sealing import Seals, stored_seals
from app.releases.models import Release
from app.rubrics.models import Rubric, Ruling
from app.runs.models import Run
from app.runs.sealing import seals_of_rankings

Seal = tuple[str, str]
"""An id, and the seal."""


def sealed_now(session: Session, project_id: str, kind: str) -> Iterator[Seal]:
    return CONTENTS[kind](session, project_id)


def rows_of(model: type[Base], *where: ColumnElement[bool], project: str = "project_id") -> "Contents":
    own = model.__table__.c[project]
    return lambda session, project_id: stored_seals(session, model, own == project_id, *where)


def whole(seals_of: Callable[[Session, str], Seals]) -> "Contents":
    """Of something that there is once in a project, if at all."""
    return lambda session, project_id: parts(seals_of(session, project_id))


def each_of(model: type[Pool] | type[Run], seals_of: Callable[[Session, str, str], Seals]) -> "Contents":
    """Of what belongs to a row of the model."""

    def contents(session: Session, project_id: str) -> Iterator[Seal]:
        for row_id in session.scalars(select(model.id).where(model.project_id == project_id)).all():
            yield from parts(seals_of(session, project_id, row_id))

    return contents


def parts(seals: Seals) -> Iterator[Seal]:
    for each in seals.values():
        yield from each.items()


Contents = Callable[[Session, str], Iterator[Seal]]
CONTENTS: Mapping[str, Contents] = {
    "project": rows_of(Project, project="id"),
    "member": rows_of(Member),
    "rubric": rows_of(Rubric, Rubric.published_at.is_not(None)),
    "ruling": rows_of(Ruling),
    "query": whole(seals_of_queries),
    "document": whole(seals_of_documents),
    "run": rows_of(Run),
    "ranking": each_of(Run, seals_of_rankings),
    "pool": rows_of(Pool),
    "pool_pair": each_of(Pool, seals_of_pairs),
    "round": rows_of(Round),
    "gold": rows_of(Gold),
    "release": rows_of(Release),
}
"""By the word under which acts hold the seals."""
WORDS: Mapping[str, str] = {
    "project": "what is settled about the project",
    "member": "the part in the project of",
    "rubric": "rubric version",
    "ruling": "ruling",
    "query": "at least one query",
    "document": "at least one document",
    "run": "run",
    "ranking": "at least one ranking of run",
    "pool": "pool",
    "pool_pair": "at least one pair of pool",
    "round": "round",
    "gold": "gold",
    "release": "release",
}
ONCE = frozenset({"project", "query", "document"})
"""Those that need no name, as a project has one of them."""
