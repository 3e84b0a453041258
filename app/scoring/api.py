"""Scores for scripts: in full precision, each with its convention, the release's hash and the run's."""

from fastapi import APIRouter
from pydantic import BaseModel

from app.db import SessionDep
from app.judging.guards import SeeingReader
from app.measures import Undefined
from app.measures.conventions import Convention
from app.measures.scores import RunScores
from app.reading import CheckedRoute
from app.releases.manifest import marks_of
from app.runs.queries import runs_of
from app.scoring.evaluating import OWN, Card, choose, evaluate_all, pick_release
from app.scoring.queries import run_called

router = APIRouter(route_class=CheckedRoute, tags=["scores"])


class Figure(BaseModel):
    """A number, or none and the reason why it does not exist."""

    value: float | None
    undefined: str | None


class MeasureOut(BaseModel):
    """One run's scores under one convention. `queries` is how many the mean runs over; `note` says which choices of the
    convention don't hold for the measure, if any.
    """

    convention: str
    note: str | None
    mean: Figure
    queries: int
    no_relevant: int
    missing: int
    short: int
    ideal_cut: int
    unjudged_queries: int
    per_query: dict[str, Figure] | None


class RunOut(BaseModel):
    id: str
    name: str
    sha256: str
    refusal: str | None
    """Why the run can't be scored under the convention; then there are no measures."""
    measures: dict[str, MeasureOut]


class ScoredRelease(BaseModel):
    id: str
    number: int
    name: str
    kind: str
    sha256: str
    marks: list[str]


class ScoresOut(BaseModel):
    convention: str
    preset: str
    statement: str
    gated: bool
    release: ScoredRelease
    runs: list[RunOut]


@router.get("/projects/{project_id}/scores")
def show_scores(
    session: SessionDep,
    seat: SeeingReader,
    *,
    release: str | None = None,
    preset: str = OWN,
    run: str | None = None,
    per_query: bool = False,
) -> ScoresOut:
    """Without `release`: the newest that was judged here, else the newest reference qrels. 409 where there is neither,
    with the conditions that fail. `run` is a run's name or id; all of them without it.
    """
    against = pick_release(session, seat.project, release)
    chosen = choose(session, seat.project, against, preset=preset)
    runs = [run_called(session, seat.project, run)] if run else runs_of(session, seat.project)
    cards = evaluate_all(session, runs, against, chosen.conventions)
    return ScoresOut(
        convention=chosen.convention.line,
        preset=chosen.preset,
        statement=chosen.statement,
        gated=against.is_gated,
        release=ScoredRelease(
            id=against.id,
            number=against.number,
            name=against.name,
            kind=against.kind,
            sha256=against.sha256,
            marks=marks_of(against),
        ),
        runs=[run_out(card, chosen.conventions, with_queries=per_query) for card in cards],
    )


def run_out(card: Card, conventions: tuple[Convention, ...], *, with_queries: bool) -> RunOut:
    measures = {
        convention.name: measure_out(scores, convention, with_queries=with_queries)
        for convention, scores in zip(conventions, card.scores, strict=False)
    }
    return RunOut(id=card.run.id, name=card.run.name, sha256=card.run.sha256, refusal=card.refusal, measures=measures)


def measure_out(scores: RunScores, convention: Convention, *, with_queries: bool) -> MeasureOut:
    return MeasureOut(
        convention=convention.line,
        note=convention.note,
        mean=figure(scores.mean),
        queries=scores.queries,
        no_relevant=scores.no_relevant,
        missing=scores.missing,
        short=scores.short,
        ideal_cut=scores.ideal_cut,
        unjudged_queries=scores.unjudged,
        per_query={qid: figure(value) for qid, value in scores.per_query.items()} if with_queries else None,
    )


def figure(value: float | Undefined) -> Figure:
    if isinstance(value, Undefined):
        return Figure(value=None, undefined=value.reason)
    return Figure(value=value, undefined=None)
