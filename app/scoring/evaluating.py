"""One run scored against one release under one convention."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.errors import NotThere, RuleError
from app.measures import MeasureError
from app.measures.conventions import Convention
from app.measures.explaining import Explanation, explain
from app.measures.judged import Judged
from app.measures.matching import match_lists
from app.measures.presets import PRESETS
from app.measures.scores import RunScores, judge, score
from app.projects.models import Project
from app.releases.manifest import read_manifest
from app.releases.models import Release
from app.releases.queries import judgments_of, newest_of, qrels_of, release_in
from app.releases.releasing import nothing_released
from app.rubrics.queries import published_rubric
from app.runs.models import Run
from app.runs.queries import rankings_by_qid

OWN = "project"
"""The name of the project's own convention among the presets."""
PRESET_NAMES = (OWN, *PRESETS)
OWN_STATEMENT = (
    "The project's own convention: the gain that was chosen before anything was judged, the ideal over all judged "
    "documents, ties as trec_eval breaks them on 64-bit scores. A query without a relevant judgment is left out of the "
    "mean and counted; a query missing from the run counts as 0."
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A convention under its preset's name, with what the preset reproduces and where it parts from the others. nDCG@10
    is never shown alone: recall@100 and judged@10 stand beside it, under the same choices as far as they hold for each.
    """

    preset: str
    statement: str
    convention: Convention

    @property
    def conventions(self) -> tuple[Convention, Convention, Convention]:
        return self.convention, self.convention.at("recall", 100), self.convention.at("judged", 10)


@dataclass(frozen=True, slots=True)
class Card:
    """One run's scores, one entry for each convention asked for; or none, and the sentence that says why."""

    run: Run
    scores: tuple[RunScores, ...]
    refusal: str | None = None


def pick_release(session: Session, project: Project, release_id: str | None) -> Release:
    """The one asked for, else the newest that was judged here, else the newest reference qrels. RuleError, naming the
    conditions that fail, where nothing may be scored against yet.
    """
    if release_id:
        return release_in(session, project, release_id)
    newest = newest_of(session, project, "judged") or newest_of(session, project, "reference")
    if newest is None:
        raise nothing_released(session, project)
    return newest


def choose(session: Session, project: Project, release: Release, *, preset: str) -> Chosen:
    """NotThere for a preset that there is not."""
    if preset == OWN:
        return Chosen(OWN, OWN_STATEMENT, own_convention(session, project, release))
    if preset not in PRESETS:
        raise NotThere(f"There is no preset “{preset[:40]}”.", f"Choose one of {', '.join(PRESET_NAMES)}.")
    return Chosen(preset, PRESETS[preset].statement, PRESETS[preset].convention)


def own_convention(session: Session, project: Project, release: Release) -> Convention:
    return Convention(k=10, gain=project.own_gain, threshold=threshold_of(session, project, release))


def threshold_of(session: Session, project: Project, release: Release) -> int:
    """As the release's own rubric has it; reference qrels come without one and take the project's newest, or 1."""
    if release.kind == "judged":
        return int(read_manifest(release)["rubric"]["threshold"])
    newest = published_rubric(session, project.id)
    return newest.threshold if newest else 1


def evaluate_all(
    session: Session, runs: Sequence[Run], release: Release, conventions: Sequence[Convention]
) -> Iterator[Card]:
    """A card for each run; the judgments are read once, and a run that can't be scored says why on its card."""
    judged = judged_in(session, release)
    for run in runs:
        try:
            yield Card(run, _scores(session, run, judged, conventions))
        except RuleError as refusal:
            yield Card(run, (), refusal.sentence)


def judged_in(session: Session, release: Release) -> Judged:
    """RuleError where the release holds no judgment."""
    try:
        return judge(qrels_of(session, release))
    except MeasureError as error:
        raise RuleError(f"Nothing can be scored against this release. {error}", "Choose another release.") from error


def _scores(session: Session, run: Run, judged: Judged, conventions: Sequence[Convention]) -> tuple[RunScores, ...]:
    """Under each convention; they share one rule for ties, so that one ranking serves them all."""
    rankings = rankings_by_qid(session, run, judged.qids)
    try:
        matched = match_lists(judged, rankings, conventions[0].ties)
        scored = [score(matched, convention) for convention in conventions]
    except MeasureError as error:
        raise RuleError(f"{run.name} can't be scored so. {error}", "Choose another convention or release.") from error
    # Only rankings of judged queries were asked for, so the run's other queries are counted here.
    return tuple(replace(scores, unjudged=run.rankings - len(rankings)) for scores in scored)


def explain_query(session: Session, run: Run, release: Release, convention: Convention, qid: str) -> Explanation:
    """One query by hand; NotThere where the release holds no judgment of it. A run that does not hold the query has an
    empty list.
    """
    judgments = judgments_of(session, release, qid)
    if not judgments:
        raise NotThere("The release holds no judgment of this query.", "Open one from the run's page.")
    rankings = rankings_by_qid(session, run, [qid])
    docnos, scores = rankings.get(qid, ((), ()))
    try:
        return explain(docnos, scores, judgments, convention, is_held=qid in rankings)
    except MeasureError as error:
        raise RuleError(f"{run.name} can't be scored so. {error}", "Choose another convention or release.") from error
