"""What goes over all of a project, on a PostgreSQL that has not counted its tables since the project began."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import audit_sample, count_refused, differing_pairs
from app.judging.importing_grades import grades_here
from app.projects.models import Project
from app.releases.settling import settle
from app.rubrics.queries import required_rubric
from tests.make import Cast
from tests.releases.story import Story, agreeing

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
ROWS_READ = text("SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables")
"""By this connection, as far as it has not handed its counts in."""

WHOLE: dict[str, Callable[[Session, Project, int], Any]] = {
    "what a release would hold": lambda session, project, family: list(
        settle(session, project, family=family, decisions={})
    ),
    "what an earlier family judged": lambda session, project, family: list(
        settle(session, project, family=family, decisions={}, is_last=True)
    ),
    "pairs that differ": lambda session, project, family: differing_pairs(session, project.id, family),
    "pairs to audit": lambda session, project, family: audit_sample(session, project.id, family),
    "pairs that nobody could judge": lambda session, project, family: count_refused(session, project.id, family),
    "grades that a file may repeat": lambda session, project, _: grades_here(
        session, project, required_rubric(session, project.id)
    ),
}


@pytest.mark.parametrize("what", WHOLE)
def test_of_a_new_project_each_row_is_read_a_few_times(cast: Cast, what: str) -> None:
    story = Story(cast)
    said = agreeing(queries=20)
    for half in (said[:200], said[200:]):
        story.judge(half)
    with cast.database.session(writes=False) as session:
        project = session.get_one(Project, story.project)
        before = session.scalar(ROWS_READ) or 0
        WHOLE[what](session, project, 1)
        # Assignment, grade, pair, document and what they belong to; planned for a single row, 200 rows an answer.
        assert (session.scalar(ROWS_READ) or 0) - before < 12 * len(said)
