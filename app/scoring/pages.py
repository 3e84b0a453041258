"""Scores: runs against a release, one run query by query, one query by hand."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.db import SessionDep
from app.errors import RuleError
from app.judging.guards import SeeingReader
from app.measures import Undefined
from app.measures.explaining import Explanation
from app.reading import CheckedRoute
from app.releases.manifest import marks_of
from app.releases.queries import releases_of
from app.runs.queries import runs_of
from app.scoring.evaluating import OWN, PRESET_NAMES, Card, choose, evaluate_all, explain_query, pick_release
from app.scoring.queries import query_texts, run_in, titles_of
from app.web import page

router = APIRouter(route_class=CheckedRoute, include_in_schema=False, prefix="/projects/{project_id}/scores")


@router.get("")
def show_scores(
    request: Request, session: SessionDep, seat: SeeingReader, release: str | None = None, preset: str = OWN
) -> Response:
    try:
        against = pick_release(session, seat.project, release)
    except RuleError as lack:
        return page(request, "scoring/none.html", seat=seat, error=lack)
    chosen = choose(session, seat.project, against, preset=preset)
    return page(
        request,
        "scoring/scores.html",
        seat=seat,
        release=against,
        marks=marks_of(against),
        chosen=chosen,
        cards=list(evaluate_all(session, runs_of(session, seat.project), against, chosen.conventions)),
        releases=releases_of(session, seat.project),
        presets=PRESET_NAMES,
    )


@router.get("/{run_id}")
def show_run(
    request: Request,
    session: SessionDep,
    seat: SeeingReader,
    run_id: str,
    release: str | None = None,
    preset: str = OWN,
    query: str | None = None,
) -> Response:
    run = run_in(session, seat.project, run_id)
    against = pick_release(session, seat.project, release)
    chosen = choose(session, seat.project, against, preset=preset)
    by_hand = explain_query(session, run, against, chosen.convention, query) if query is not None else None
    (card,) = evaluate_all(session, [run], against, chosen.conventions)
    return page(
        request,
        "scoring/run.html",
        seat=seat,
        run=run,
        release=against,
        marks=marks_of(against),
        chosen=chosen,
        card=card,
        queries=by_query(card),
        texts=query_texts(session, against),
        query=query,
        by_hand=by_hand,
        depth=chosen.convention.k,
        titles=titles_of(session, seat.project, shown(by_hand, chosen.convention.k)) if by_hand else {},
    )


def by_query(card: Card) -> list[tuple[str, list[float | Undefined], list[str]]]:
    """qid, its values in the order of the card's scores, and why any of them is undefined."""
    found = []
    for qid in card.scores[0].per_query if card.scores else ():
        values = [scores.per_query[qid] for scores in card.scores]
        reasons = dict.fromkeys(value.reason for value in values if isinstance(value, Undefined))
        found.append((qid, values, list(reasons)))
    return found


def shown(by_hand: Explanation, depth: int | None) -> set[str]:
    """The documents that the two lists name."""
    return {row.docno for row in (*by_hand.rows[:depth], *by_hand.ideal[:depth])}
