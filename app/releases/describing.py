"""What a manifest says of a judged release: everything but clocks, row ids and who anybody is."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from app.agreement.answered_before import AnsweredBefore, AtFirst
from app.agreement.judged_before import JudgedBefore, OnFresh, count_imported
from app.judging.models import IS_JUDGING, Assignment, Round
from app.measures.agreement import VersusRest
from app.measures.evidence import Condition
from app.pools.models import Pair
from app.projects.models import Project
from app.releases.manifest import FORMAT, figure
from app.releases.prospect import Prospect, conditions_of, pseudonyms, qualify_labeller, versus_rest, without_names
from app.rubrics.models import Level, Rubric
from app.rubrics.queries import levels_of, versions_of


def describe(
    session: Session,
    project: Project,
    prospect: Prospect,
    *,
    number: int,
    name: str,
    waiver_reason: str | None,
    hashes: Mapping[str, str],
) -> dict[str, Any]:
    rounds = describe_rounds(session, project, prospect.family)
    return {
        "format": FORMAT,
        "project": {"name": project.name},
        "release": {"number": number, "name": name, "kind": "judged"},
        "gated": waiver_reason is None,
        "waiver_reason": waiver_reason,
        "waived": [condition.name for condition in conditions_of(prospect) if not condition.is_met],
        "gain": {"name": project.gain, "table": project.gain_table, "reason": project.gain_reason},
        "rubric": describe_rubric(session, prospect, {each["rubric"] for each in rounds}),
        "policy": asdict(prospect.gate.policy),
        "primary_stands": project.primary_stands,
        "gate": describe_gate(session, project, prospect),
        "answers_before": [describe_answer(answered) for answered in prospect.answers.moments],
        "as_first_given": describe_at_first(prospect.answers.at_first),
        "on_fresh_queries": describe_on_fresh(prospect.on_fresh),
        "grades_set_aside": prospect.set_aside,
        "earlier_families": [describe_earlier(before) for before in prospect.before],
        "labellers": describe_labellers(prospect),
        "rounds": rounds,
        "counts": describe_counts(prospect),
        "hashes": dict(hashes),
    }


def describe_rubric(session: Session, prospect: Prospect, judged: Collection[int]) -> dict[str, Any]:
    """Every version of the family, since grades under all of them count; the levels in the newest words that anything
    was judged under, the versions of number `judged`; and what is carried forward from earlier families, by level.
    """
    newest = prospect.gate.rubric
    versions = [each for each in versions_of(session, newest.project_id) if each.family == newest.family]
    read = next((each for each in versions if each.number in judged), newest)
    return {
        "family": newest.family,
        "versions": describe_versions(session, reversed(versions)),
        "levels": describe_levels(levels_of(session, read)),
        "threshold": newest.threshold,
        "level_0_if_unjudgeable": sorted(prospect.zero_reasons),
        "carried": [
            {
                "family": earlier.family,
                "versions": describe_versions(session, earlier.versions),
                "judgments": {str(level): number for level, number in sorted(levels.items())},
            }
            for earlier, levels in prospect.earlier
            if prospect.is_carrying
        ],
    }


def describe_versions(session: Session, versions: Iterable[Rubric]) -> list[dict[str, Any]]:
    """Each in its own words, since a minor edit may have changed them between two rounds."""
    return [
        {"number": each.number, "text_hash": each.text_hash, "levels": describe_levels(levels_of(session, each))}
        for each in versions
    ]


def describe_levels(levels: Iterable[Level]) -> list[dict[str, Any]]:
    return [{"number": level.number, "name": level.name, "question": level.question} for level in levels]


def describe_gate(session: Session, project: Project, prospect: Prospect) -> dict[str, Any]:
    """The gate's answer in words that name nobody, and the figures that it rests on."""
    gate = without_names(prospect).gate
    answer, evidence, agreement = gate.answer, gate.evidence, gate.evidence.agreement
    return {
        "answer": answer.answer,
        "sentence": answer.sentence,
        "conditions": [describe_condition(condition) for condition in answer.conditions],
        "weights": agreement.kind,
        "confidence": agreement.confidence,
        "kappa": figure(agreement.kappa),
        "low": figure(agreement.low),
        "high": figure(agreement.high),
        "exact": figure(agreement.exact),
        "within_one": figure(agreement.within_one),
        "pairs": agreement.pairs,
        "pairs_by_import": count_imported(session, project, gate),
        "has_passed_over": prospect.has_passed_over,
        "queries": agreement.queries,
        "confusion": agreement.table.tolist(),
        "left_out": {
            "unjudgeable_to_both": evidence.unjudgeable_both,
            "unjudgeable_to_one": evidence.unjudgeable_one,
            "unjudgeable_beside_two_grades": evidence.unjudgeable_beside,
            "ungraded": evidence.ungraded,
            "of_different_texts": evidence.other_text,
        },
    }


def describe_answer(answered: AnsweredBefore) -> dict[str, Any]:
    return {
        "round": answered.round,
        "step": answered.step,
        "answer": answered.answer,
        "kappa": figure(answered.kappa),
        "pairs": answered.pairs,
        "queries": answered.queries,
    }


def describe_at_first(at_first: AtFirst | None) -> dict[str, Any] | None:
    if at_first is None:
        return None
    return {"answer": at_first.answer, "kappa": figure(at_first.kappa), "changed": at_first.changed}


def describe_on_fresh(on_fresh: OnFresh | None) -> dict[str, Any] | None:
    return None if on_fresh is None else asdict(on_fresh) | {"kappa": figure(on_fresh.kappa)}


def describe_earlier(before: JudgedBefore) -> dict[str, Any]:
    """The gate's answer for it, asked now under the same policy, and how many of its queries count again."""
    found = before.gate.evidence.agreement
    return {
        "family": before.family,
        "answer": before.gate.answer.answer,
        "has_failed": before.failed,
        "kappa": figure(found.kappa),
        "pairs": found.pairs,
        "queries": found.queries,
        "again": before.again,
        "again_by_import": before.again_by_import,
    }


def describe_condition(condition: Condition) -> dict[str, Any]:
    return {"name": condition.name, "is_met": condition.is_met, "asked": condition.asked, "found": condition.found}


def describe_labellers(prospect: Prospect) -> list[dict[str, Any]]:
    gate, tally = prospect.gate, prospect.tally
    return [
        {
            "name": name,
            "judgments": tally.contributions[member_id],
            "versus_rest": describe_versus_rest(versus_rest(gate, member_id)),
            "qualified": [describe_condition(each) for each in qualify_labeller(gate, tally, member_id, name=name)],
        }
        for member_id, name in pseudonyms(prospect).items()
    ]


def describe_versus_rest(one: VersusRest | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "kappa": figure(one.kappa),
        "low": figure(one.low),
        "high": figure(one.high),
        "pairs": one.pairs,
        "queries": one.queries,
    }


def describe_rounds(session: Session, project: Project, family: int) -> list[dict[str, Any]]:
    """Queries and pairs as they were asked of somebody in the round; `repeats` and `quiz` are its hidden checks."""
    asked = (
        select(
            Round.number,
            Round.kind,
            Round.seed,
            Round.overlap,
            Round.repeats,
            Round.quiz,
            Rubric.number.label("rubric"),
            func.count(Pair.query_id.distinct()).label("queries"),
            func.count(Assignment.pair_id.distinct()).label("pairs"),
        )
        .join(Rubric, and_(Rubric.project_id == Round.project_id, Rubric.id == Round.rubric_id))
        .join(Assignment, and_(Assignment.project_id == Round.project_id, Assignment.round_id == Round.id))
        .join(Pair, and_(Pair.project_id == Assignment.project_id, Pair.id == Assignment.pair_id))
        .where(Round.project_id == project.id, Rubric.family == family, IS_JUDGING)
        .group_by(Round.number, Round.kind, Round.seed, Round.overlap, Round.repeats, Round.quiz, Rubric.number)
        .order_by(Round.number)
    )
    return [dict(row) for row in session.execute(asked).mappings()]


def describe_counts(prospect: Prospect) -> dict[str, Any]:
    tally = prospect.tally
    return {
        "queries": len(tally.queries),
        "judgments": tally.judgments,
        "sources": dict(tally.sources),
        "left_out": dict(tally.left_out),
        "of_an_earlier_text": tally.outdated,
    }
