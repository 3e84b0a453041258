"""The web application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from sys import setswitchinterval
from threading import Thread

import anyio.to_thread
from fastapi import FastAPI, Security
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import PlainTextResponse
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from sqlalchemy import text

from app import home
from app.agreement import adjudication_api, adjudication_pages, labeller_api, labeller_pages, moving_api
from app.agreement import api as agreement_api
from app.agreement import pages as agreement
from app.agreement.gate import answer_gate
from app.agreement.judged_before import told_of_queries
from app.corpora import api as corpora_api
from app.corpora import example_pages
from app.corpora import pages as corpora
from app.corpora.importing_documents import DOCUMENTS
from app.corpora.importing_queries import queries_kind
from app.corpora.kinds import Kind
from app.db import Database, SessionDep
from app.history import api as history_api
from app.history import pages as history
from app.judging import api as judging_api
from app.judging import (
    deal_api,
    gold_api,
    gold_pages,
    opening_pages,
    question_api,
    question_pages,
    round_api,
    round_pages,
    rubric_api,
    rubric_pages,
    showing_api,
    showing_pages,
    work_pages,
)
from app.judging import pages as judging
from app.judging.guards import refuse_while_judging
from app.judging.importing_assignments import assignments_kind
from app.judging.importing_grades import grades_kind
from app.judging.reassigning import give_back
from app.measures.student import load_distributions
from app.people import pages as people
from app.pools import api as pools_api
from app.pools import pages as pools
from app.pools.importing_pairs import PAIRS
from app.pools.queries import find_pooled_queries
from app.projects import admin_pages, member_api, member_pages, token_pages
from app.projects import api as projects_api
from app.projects import pages as projects
from app.projects.guards import find_seat
from app.protecting import protect
from app.refusing import REFUSALS, refuse_in_words
from app.releases import api as releases_api
from app.releases import pages as releases
from app.releases.importing_qrels import QRELS
from app.releases.keeping_closed import keep_closed
from app.rubrics import api as rubrics_api
from app.rubrics import draft_pages
from app.rubrics import pages as rubrics
from app.runs import api as runs_api
from app.runs import pages as runs
from app.runs.importing_runs import RUNS
from app.scoring import api as scoring_api
from app.scoring import pages as scoring
from app.settings import ROOT, Settings
from app.web import API, templates

PAGES = (
    judging.router,  # The first, since routes are looked through in this order, and most requests come from the desk.
    people.router,
    projects.router,
    home.router,
    member_pages.router,
    token_pages.router,
    admin_pages.router,
    rubrics.router,
    draft_pages.router,
    corpora.router,
    example_pages.router,
    runs.router,
    pools.router,
    opening_pages.router,
    round_pages.router,
    gold_pages.router,
    showing_pages.router,
    question_pages.router,
    work_pages.router,
    rubric_pages.router,
    releases.router,
    scoring.router,
    agreement.router,
    adjudication_pages.router,
    labeller_pages.router,
    history.router,
)
APIS = (
    projects_api.router,
    member_api.router,
    rubrics_api.router,
    corpora_api.router,
    runs_api.router,
    pools_api.router,
    round_api.router,
    deal_api.router,
    judging_api.router,
    gold_api.router,
    showing_api.router,
    question_api.router,
    rubric_api.router,
    releases_api.router,
    scoring_api.router,
    agreement_api.router,
    moving_api.router,
    adjudication_api.router,
    labeller_api.router,
    history_api.router,
)


def hidden_from_judges(kind: Kind) -> Kind:
    """Of a kind whose files tell how runs did, or what somebody gave."""
    return replace(kind, refuse=refuse_while_judging)


IMPORT_KINDS: tuple[Kind, ...] = (
    queries_kind(find_frozen=find_pooled_queries),
    DOCUMENTS,
    hidden_from_judges(RUNS),
    PAIRS,
    hidden_from_judges(QRELS),
    hidden_from_judges(grades_kind(told_of_queries)),
    hidden_from_judges(assignments_kind(answer_gate)),
)
"""Files that can be brought in, in the order in which a project needs them."""

FORMS_ELSEWHERE = {
    "/projects": "/projects/new",
    "(/projects/[^/]+)/pools": r"\1/pool",
    "(/projects/[^/]+)/judging/.*": r"\1/desk",
    "(/projects/[^/]+)/rounds/[^/]+/claims": r"\1/desk",
    "(/projects/[^/]+)/rounds/([^/]+)/(closure|reopening|qualifications|experts|queries)": r"\1/rounds/\2",
    "(/projects/[^/]+)/gold/.*": r"\1/gold",
    "(/projects/[^/]+)/invitations.*": r"\1/members",
}
"""Addresses that only take a form, whose page is not above them."""

LONGEST_TURN = 0.001
"""Seconds for which a thread may go on while others wait: Python's own .005 is felt at the desk while a lead's page
sums up a hundred thousand grades.
"""
# It only tells the schema: the guards look at the token, and say in a sentence what is wrong with it.
BEARER = HTTPBearer(auto_error=False, description="A token, made under /account/tokens.")


def create_app(settings: Settings) -> FastAPI:
    """The application on the database that `settings` name; nothing is read or opened before."""

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = app.state.database.threads
        Thread(target=get_ready, daemon=True).start()
        setswitchinterval(LONGEST_TURN)
        yield
        app.state.database.close()

    app = FastAPI(
        title="Adjudge",
        version="1",
        lifespan=live,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
    )
    app.state.settings = settings
    app.state.import_kinds = IMPORT_KINDS
    app.state.answer_gate = answer_gate
    app.state.keep_closed = keep_closed
    app.state.give_back = give_back
    app.state.find_seat = find_seat
    app.state.forms_elsewhere = FORMS_ELSEWHERE
    app.state.database = Database(settings.database_url)
    app.add_api_route("/readyz", ready, include_in_schema=False)
    # Pages are not compressed: with somebody's words beside a secret, their length would tell of it.
    app.mount("/static", GZipMiddleware(StaticFiles(directory=ROOT / "static"), minimum_size=1000))
    for router in PAGES:
        app.include_router(router)
    for router in APIS:
        app.include_router(router, prefix=API, responses=REFUSALS, dependencies=[Security(BEARER)])
    refuse_in_words(app)
    protect(app, settings)

    return app


def get_ready() -> None:
    """What whoever asks first would wait for, most of a second of it."""
    load_distributions()
    for name in templates().list_templates():
        templates().get_template(name)


def ready(session: SessionDep) -> PlainTextResponse:
    """For whoever watches the installation: the database answers."""
    session.execute(text("SELECT 1"))
    return PlainTextResponse("ready\n")


def serve_from_environment() -> FastAPI:
    return create_app(Settings())
