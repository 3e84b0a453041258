"""A project of real size to grade in: 32 labellers, each with about 900 pairs in one open round."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text as sql

from app.corpora.models import Document, Query, shown_hash
from app.db import Database
from app.main import create_app
from app.pools.models import Pair, Pool, PoolPair
from app.settings import Settings
from app.web import COOKIE
from tests.make import Cast
from tests.migrating import migrate

LABELLERS, QUERIES, POOL_SIZE = 32, 480, 30


@dataclass(frozen=True)
class Scene:
    """Where the desk is, and the secrets of its labellers' sessions and of its lead's."""

    project_id: str
    secrets: Sequence[str]
    lead: str

    @property
    def desk(self) -> str:
        return f"/projects/{self.project_id}/desk"


def set_scene(url: str, source: Path) -> Scene:
    """Fills the empty database at `url`, by the product's own verbs where it has them."""
    migrate(url)
    app = create_app(Settings(database_url=url))
    cast = Cast(app, app.state.database)
    lead = cast.person("lead")
    project = cast.project(lead)
    cast.rubric(project)
    people = [cast.person(f"labeller{number}") for number in range(LABELLERS)]
    members = [cast.member(project, person, "labeller") for person in people]
    pool = fill_pool(cast.database, project, lead, source)
    cast.round(project, pool, members)
    secrets = [cast.browser(person).cookies[COOKIE] for person in [*people, lead]]
    analyse(cast.database)
    cast.database.close()
    return Scene(project, secrets[:-1], secrets[-1])


def analyse(database: Database) -> None:
    """What PostgreSQL does by itself a minute after tables were filled."""
    if not database.is_sqlite:
        with database.session(writes=True) as session:
            session.execute(sql("ANALYZE"))


def fill_pool(database: Database, project: str, lead: str, source: Path) -> str:
    """The id of a pool of the file's documents (JSON lines: id, title, text and url), shared out by a fixed seed."""
    draw = random.Random(4)
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    documents = [document_of(project, line) for line in lines]
    titles = [line["title"] for line in draw.sample(lines, QUERIES)]
    queries = [Query(project_id=project, qid=str(number), text=title) for number, title in enumerate(titles)]
    with database.session(writes=True) as session:
        pool = Pool(project_id=project, number=1, source="pairs", run_names=[], drawn_by_id=lead)
        session.add_all([*documents, *queries, pool])
        session.flush()
        pairs = [
            Pair(project_id=project, query_id=query.id, document_id=document.id)
            for query in queries
            for document in draw.sample(documents, POOL_SIZE)
        ]
        session.add_all(pairs)
        session.flush()
        session.add_all(PoolPair(project_id=project, pool_id=pool.id, pair_id=pair.id) for pair in pairs)
        return pool.id


def document_of(project: str, line: dict[str, str]) -> Document:
    title, text, url = line["title"], line["text"], line.get("url", "")
    named = {"project_id": project, "docno": line["id"], "title": title, "text": text, "url": url}
    return Document(**named, text_hash=shown_hash(title, text, url))
