"""A project's home: the life of the judged set as a line of steps, with their state, their numbers and what comes next.

It stands above the slices, since it asks all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from app.agreement.adjudication_queries import decisions_of, disputed_pairs, last_decided_at
from app.agreement.gate import GateResult, gate_of
from app.agreement.going_on import Way, outlook_of, way_on_with, ways_on
from app.corpora.queries import count_documents, count_queries
from app.db import SessionDep
from app.judging.choosing import Outlook
from app.judging.claiming import open_claims
from app.judging.guards import still_judged
from app.judging.models import Round
from app.judging.queries import RoundProgress, progress_by_labeller, progress_by_round, progress_of, progress_of_family
from app.pools.models import Pool
from app.pools.queries import pools_of
from app.projects.guards import MemberSeat, Seat
from app.projects.models import Project
from app.reading import CheckedRoute
from app.releases.manifest import read_manifest
from app.releases.models import Release
from app.releases.queries import releases_of
from app.rubrics.models import Rubric
from app.rubrics.queries import draft_rubric, published_rubric
from app.runs.queries import runs_of
from app.web import page
from app.words import plural, three

router = APIRouter(route_class=CheckedRoute, include_in_schema=False)
State = Literal["done", "now", "later"]
AFTER_THE_RUBRIC = (
    ("Agreement", "/agreement"),
    ("Main round", "/rounds"),
    ("Adjudication", "/adjudication"),
    ("Release", "/releases"),
)


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
        rounds, claims = own_rounds(session, seat), open_claims(session, seat)
        waiting = sum(left for _, left in rounds)
        return page(request, "home_labeller.html", seat=seat, rounds=rounds, waiting=waiting, claims=claims)
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
    yield rubric_step(session, project.id, rubric)
    yield corpus_step(count_queries(session, project), count_documents(session, project))
    runs, pools = len(runs_of(session, project)), pools_of(session, project.id)
    yield runs_step(runs, has_pool=bool(pools))
    yield pool_step([drawn for drawn in pools if drawn[0].source != "grades"], has_imported=bool(pools))
    if still_judged(session, seat):
        yield blind_step(session, seat)
        return
    releases = releases_of(session, project)
    if rubric is None:
        yield from (Step(name, "later", "", link) for name, link in AFTER_THE_RUBRIC)
    else:
        yield from judging_steps(session, project, rubric, [each for each in releases if each.kind == "judged"])
    yield scores_step(runs, has_release=bool(releases))


def blind_step(session: Session, seat: Seat) -> Step:
    """For a lead who judges: what is left to do in such rounds, and nothing of what was found."""
    rounds = own_rounds(session, seat)
    round_, left = next((own for own in rounds if own[1]), rounds[0])
    is_whole = progress_of(session, round_).is_whole
    words, link = ("Go on judging", "/desk") if left else way_on_with(round_.number, round_.id, is_whole=is_whole)
    return Step("Agreement", "now", "hidden while you judge", link, words, "You judge in an open round.")


def judging_steps(session: Session, project: Project, rubric: Rubric, releases: Sequence[Release]) -> Iterator[Step]:
    """What was released as it is, with or without the gate, asks for nothing more."""
    gate = gate_of(session, project, rubric.family)
    rounds = progress_of_family(session, project, rubric.family)
    decided = decisions_of(session, project.id, rubric.family)
    differing = [each.pair_id for each in disputed_pairs(session, project, rubric.family)]
    waiting = sum(pair_id not in decided for pair_id in differing)
    is_settled = bool(releases) and holds_everything(session, releases[0], rubric, rounds)
    left = outlook_of(session, project, gate)
    way = ways_on(session, project, gate, undecided=waiting)[0]
    yield agreement_step(gate, rounds, way, left, is_settled=is_settled)
    yield main_step(gate, rounds, left.left if left else 0, is_settled=is_settled)
    yield adjudication_step(len(differing), waiting, is_settled=is_settled)
    yield release_step(gate, len(releases), is_settled=is_settled)


def holds_everything(session: Session, release: Release, rubric: Rubric, rounds: Sequence[RoundProgress]) -> bool:
    """Whether nothing was judged or decided under the rubric's family since the release."""
    manifest = read_manifest(release)
    known = {each["number"] for each in manifest["rounds"]}
    decided_at = last_decided_at(session, release.project_id, rubric.family)
    return (
        manifest["rubric"]["family"] == rubric.family
        and all(each.round.number in known for each in rounds)
        and (decided_at is None or decided_at <= release.frozen_at)
    )


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
    why = "What people ask, and what is judged for it. Two people's grades that exist already come in under Corpus."
    return Step("Corpus", "now", numbers, f"/imports/{kind}", act, why)


def runs_step(runs: int, *, has_pool: bool) -> Step:
    if runs or has_pool:
        return Step("Runs", "done" if runs else "later", plural(runs, "system") if runs else "none", "/runs")
    why = "The rankings of the systems that you compare. Under Corpus, pairs or grades that exist already do without."
    return Step("Runs", "now", "none yet", "/imports/runs", "Bring in runs", why)


def pool_step(drawn: Sequence[tuple[Pool, int]], *, has_imported: bool) -> Step:
    """`drawn` pools, newest first, with their pairs."""
    if drawn:
        newest, pairs = drawn[0]
        numbers = plural(pairs, "pair")
        return Step("Pool", "done", numbers if len(drawn) == 1 else f"pool {newest.number}: {numbers}", "/pool")
    if has_imported:
        return Step("Pool", "done", "imported grades", "/pool")
    return Step("Pool", "now", "not drawn", "/pool", "Draw the pool", "The union of what the systems put on top.")


def agreement_step(
    gate: GateResult, rounds: Sequence[RoundProgress], way: Way, left: Outlook | None, *, is_settled: bool
) -> Step:
    kappa = gate.evidence.agreement.kappa
    numbers = f"κ {three(kappa)}, {gate.answer.answer}" if gate.evidence.agreement.pairs else "not measured"
    if is_settled and not gate.is_passed:
        return Step("Agreement", "done", f"{numbers}; released ungated", "/agreement")
    open_ = [each for each in rounds if each.is_open and each.round.kind == "agreement"]
    if open_:
        return open_step("Agreement", open_[-1], "Two people judge each query, blind.")
    if gate.is_passed:
        return Step("Agreement", "done", numbers, "/agreement")
    if gate.evidence.agreement.pairs:
        why = f"{gate.answer.sentence} {affords(left)}".rstrip()
        return Step("Agreement", "now", numbers, "/agreement", "See what the gate says", why)
    why = "About thirty queries, judged twice and blind, tell whether two people apply the rubric alike."
    why = f"{why} {affords(left)}".rstrip()
    return Step("Agreement", "now", numbers, way.link, way.words, why)


def affords(left: Outlook | None) -> str:
    """How many agreement rounds there can still be: a rubric that fails costs one."""
    if left is None:
        return ""
    fresh = plural(left.fresh, "fresh query", "fresh queries")
    return f"The pool has {fresh}, enough for {plural(left.rounds, 'agreement round')}."


def main_step(gate: GateResult, rounds: Sequence[RoundProgress], left: int, *, is_settled: bool) -> Step:
    """`left` queries of the newest pool were never dealt under the rubric; a set may be judged twice as a whole."""
    mains = [each for each in rounds if each.round.kind == "main"]
    open_ = [each for each in mains if each.is_open]
    if open_:
        return open_step("Main round", open_[-1], "The rest of the pool is judged.")
    if left and gate.is_passed and not is_settled:
        numbers, why = f"{plural(left, 'query', 'queries')} left", "The gate has passed: the rest can be judged."
        return Step("Main round", "now", numbers, "/rounds", "Open the main round", why)
    if mains:
        return Step("Main round", "done", said(mains[0]), f"/rounds/{mains[0].round.id}")
    if gate.is_passed and not left:
        return Step("Main round", "done", "nothing left to judge", "/rounds")
    return Step("Main round", "later", "", "/rounds")


def open_step(name: str, progress: RoundProgress, why: str) -> Step:
    words, link = way_on_with(progress.round.number, progress.round.id, is_whole=progress.is_whole)
    why = "Every grade is given. Closed, they stay as they are." if progress.is_whole else why
    return Step(name, "now", said(progress), link, words, why)


def said(progress: RoundProgress) -> str:
    return f"{progress.graded:,} of {progress.assignments:,} graded"


def adjudication_step(differing: int, waiting: int, *, is_settled: bool) -> Step:
    if waiting and not is_settled:
        why = "Two labellers differ on them. Those that can move a score come first."
        return Step("Adjudication", "now", f"{waiting:,} waiting", "/adjudication", "Adjudicate", why)
    numbers = f"{differing - waiting:,} decided" + (f", {waiting:,} left out" if waiting else "")
    return Step("Adjudication", "done" if differing else "later", numbers, "/adjudication")


def release_step(gate: GateResult, releases: int, *, is_settled: bool) -> Step:
    numbers = plural(releases, "release") if releases else "not yet"
    if is_settled:
        return Step("Release", "done", numbers, "/releases")
    why = "It is frozen and hashed: what is exported and scored from then on."
    if releases:
        why = "The newest release does not hold what was judged or decided since."
    act = "Freeze the next release" if releases else "Freeze a release"
    return Step("Release", "now" if gate.is_passed else "later", numbers, "/releases", act, why)


def scores_step(runs: int, *, has_release: bool) -> Step:
    if has_release and runs:
        why = "Every run under one convention."
        return Step("Scores", "now", plural(runs, "run"), "/scores", "See the scores", why)
    if has_release:
        return Step("Scores", "now", "no run", "/imports/runs", "Bring in runs", "There is a release to score them on.")
    return Step("Scores", "later", "after release", "/scores")
