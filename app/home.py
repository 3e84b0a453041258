"""A project's home: the life of the judged set as a line of steps, with their state, their numbers and what comes next.

It stands above the slices, since it asks all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.agreement.gate import GateResult, gate_of
from app.agreement.queries import decisions_of, differing_pairs
from app.corpora.queries import count_documents, count_queries
from app.db import SessionDep
from app.judging.guards import still_judged
from app.judging.models import Round
from app.judging.queries import RoundProgress, progress_by_labeller, progress_by_round
from app.pools.queries import pools_of
from app.projects.guards import MemberSeat, Seat
from app.releases.queries import releases_of
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, published_rubric
from app.runs.queries import runs_of
from app.web import page
from app.words import plural, three

router = APIRouter(include_in_schema=False)
State = Literal["done", "now", "later"]


@dataclass(frozen=True)
class Step:
    """One stage. `act` is the one thing to do there next, under `link`; empty where there is nothing to do yet."""

    name: str
    state: State
    numbers: str
    link: str
    act: str = ""
    why: str = ""


@router.get("/projects/{project_id}")
def show_home(request: Request, session: SessionDep, seat: MemberSeat) -> Response:
    if seat.is_lead:
        steps = list(steps_of(session, seat))
        return page(
            request, "home.html", seat=seat, steps=steps, now=next((s for s in steps if s.state == "now"), None)
        )
    if seat.role == "labeller":
        waiting = sum(left for _, left in own_rounds(session, seat))
        return page(request, "home_labeller.html", seat=seat, rounds=own_rounds(session, seat), waiting=waiting)
    return page(request, "home_reader.html", seat=seat, releases=releases_of(session, seat.project))


def own_rounds(session: Session, seat: Seat) -> list[tuple[Round, int]]:
    """The open rounds in which the member has been dealt queries, oldest first, with the pairs still to grade."""
    found = []
    for each in reversed(progress_by_round(session, seat.project)):
        if each.round.closed_at is None:
            theirs = [own for own in progress_by_labeller(session, each.round) if own.id == seat.member.id]
            found += [(each.round, own.pairs - own.graded) for own in theirs]
    return found


def steps_of(session: Session, seat: Seat) -> Iterator[Step]:
    """Every step in order; the first that is not done is the one to do now."""
    has_now = False
    for step in all_steps(session, seat):
        is_now = step.state == "now" and not has_now
        has_now = has_now or is_now
        yield step if step.state != "now" or is_now else Step(step.name, "later", step.numbers, step.link)


def all_steps(session: Session, seat: Seat) -> Iterator[Step]:
    project = seat.project
    rubric = published_rubric(session, project.id)
    rounds = progress_by_round(session, project)
    yield rubric_step(session, project.id, rubric)
    yield corpus_step(count_queries(session, project), count_documents(session, project))
    runs, pools = len(runs_of(session, project)), pools_of(session, project.id)
    yield runs_step(runs, has_pool=bool(pools))
    yield pool_step([pairs for pool, pairs in pools if pool.source != "grades"], has_imported=bool(pools))
    if still_judged(session, seat):
        yield Step(
            "Agreement", "now", "hidden while you judge", "/desk", "Go on judging", "You judge in an open round."
        )
        return
    gate = gate_of(session, project, rubric.family) if rubric else None
    yield agreement_step(gate, rounds)
    yield main_step(gate, rounds)
    yield adjudication_step(session, project.id, rubric)
    releases = [each for each in releases_of(session, project) if each.kind == "judged"]
    yield release_step(gate, len(releases))
    yield scores_step(runs, has_release=bool(releases_of(session, project)))


def rubric_step(session: Session, project_id: str, rubric: Rubric | None) -> Step:
    if rubric is not None:
        return Step("Rubric", "done", f"version {rubric.number}, frozen", "/rubric")
    if draft_rubric(session, project_id) is not None:
        return Step(
            "Rubric", "now", "a draft", "/rubric/draft", "Publish the rubric", "Grades belong to its exact text."
        )
    why = "A short scale: each level asks what a person can do with the document."
    return Step("Rubric", "now", "none yet", "/rubric", "Write the rubric", why)


def corpus_step(queries: int, documents: int) -> Step:
    numbers = f"{plural(queries, 'query', 'queries')}, {plural(documents, 'document')}"
    if queries and documents:
        return Step("Corpus", "done", numbers, "/corpus")
    act, kind = ("Bring in the documents", "documents") if queries else ("Bring in the queries", "queries")
    return Step("Corpus", "now", numbers, f"/imports/{kind}", act, "What people ask, and what is judged for it.")


def runs_step(runs: int, *, has_pool: bool) -> Step:
    if runs or has_pool:
        return Step("Runs", "done", plural(runs, "system"), "/runs")
    why = "The rankings of the systems that you compare. With a list of pairs you can do without."
    return Step("Runs", "now", "none yet", "/imports/runs", "Bring in runs", why)


def pool_step(pairs: list[int], *, has_imported: bool) -> Step:
    if pairs:
        return Step("Pool", "done", plural(pairs[0], "pair"), "/pool")
    if has_imported:
        return Step("Pool", "done", "imported grades", "/pool")
    return Step("Pool", "now", "not drawn", "/pool", "Draw the pool", "The union of what the systems put on top.")


def agreement_step(gate: GateResult | None, rounds: Sequence[RoundProgress]) -> Step:
    if gate is not None and gate.is_passed:
        return Step("Agreement", "done", f"κ {three(gate.evidence.agreement.kappa)}, passed", "/agreement")
    is_open = [each for each in rounds if each.round.kind == "agreement" and each.round.closed_at is None]
    if is_open and not is_open[0].is_whole:
        link, act = f"/rounds/{is_open[0].round.id}", "Follow the agreement round"
        return Step("Agreement", "now", said(is_open[0]), link, act, "Two people judge each query, blind.")
    if gate is None or not gate.evidence.agreement.pairs:
        why = "About thirty queries, judged twice and blind, tell whether two people apply the rubric alike."
        return Step("Agreement", "now", "not measured", "/rounds", "Open an agreement round", why)
    return Step("Agreement", "now", gate.answer.answer, "/agreement", "See what the gate says", gate.answer.sentence)


def main_step(gate: GateResult | None, rounds: Sequence[RoundProgress]) -> Step:
    """A set may be judged twice as a whole, so a main round is offered on the rounds page and never asked for here."""
    mains = [each for each in rounds if each.round.kind == "main"]
    if not mains:
        return Step("Main round", "later", "open it for the rest" if gate and gate.is_passed else "", "/rounds")
    link = f"/rounds/{mains[0].round.id}"
    if mains[0].round.closed_at is not None or mains[0].is_whole:
        return Step("Main round", "done", said(mains[0]), link)
    return Step("Main round", "now", said(mains[0]), link, "Follow the main round", "The rest of the pool is judged.")


def said(progress: RoundProgress) -> str:
    return f"{progress.graded:,} of {progress.assignments:,} graded"


def adjudication_step(session: Session, project_id: str, rubric: Rubric | None) -> Step:
    if rubric is None:
        return Step("Adjudication", "later", "", "/adjudication")
    decided = decisions_of(session, project_id, rubric.family)
    differing = differing_pairs(session, project_id, rubric.family)
    waiting = sum(each.pair_id not in decided for each in differing)
    if waiting:
        why = "Two labellers differ on them. Those that can move a score come first."
        act = "Adjudicate"
        return Step("Adjudication", "now", f"{waiting:,} waiting", "/adjudication", act, why)
    return Step("Adjudication", "done" if differing else "later", f"{len(differing):,} decided", "/adjudication")


def release_step(gate: GateResult | None, releases: int) -> Step:
    if releases:
        return Step("Release", "done", plural(releases, "release"), "/releases")
    why = "It is frozen and hashed: what is exported and scored from then on."
    return Step(
        "Release", "now" if gate and gate.is_passed else "later", "not yet", "/releases", "Freeze a release", why
    )


def scores_step(runs: int, *, has_release: bool) -> Step:
    if has_release and runs:
        return Step(
            "Scores", "now", plural(runs, "run"), "/scores", "See the scores", "Every run under one convention."
        )
    return Step("Scores", "later", "after release", "/scores")
