"""What the field's libraries answer, each under the convention that makes ours answer the same.

The few cases that no convention of ours expresses stand at the end, each with what we refuse or do instead.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from app.measures import MeasureError, Undefined
from app.measures.conventions import Geometric
from app.measures.explaining import explain
from app.measures.gains import discounts
from app.measures.scores import RunScores, score_run
from tests.measures.golden import CASES, EXPRESSED, IDEALS, NOT_OURS, OF_THE_DISCOUNT, OF_THE_IDEAL, convention_of
from tests.measures.lists import Qrels, Run


def lists_of(case: Mapping[str, Any]) -> tuple[Run, Qrels]:
    run: Run = {qid: ([], []) for qid in case["run_empty"]}
    qrels: Qrels = {qid: {} for qid in case["qrels_empty"]}
    for qid, docno, _, score in case["run"]:
        docnos, scores = run.setdefault(qid, ([], []))
        docnos.append(docno)
        scores.append(score)
    for qid, docno, grade in case["qrels"]:
        qrels.setdefault(qid, {})[docno] = grade
    return run, qrels


def scored(case: Mapping[str, Any], **changed: Any) -> RunScores:
    return score_run(*lists_of(case), convention_of(case, **changed))


@pytest.mark.parametrize("name", EXPRESSED)
def test_a_library_s_answer_is_ours_under_its_convention(name: str) -> None:
    case = CASES[name]
    found = scored(case)
    assert found.mean == pytest.approx(case["mean"], abs=case["tol"])
    for qid, expected in case["per_query"].items():
        assert found.per_query[qid] == pytest.approx(expected, abs=case["tol"])


@pytest.mark.parametrize("name", sorted(OF_THE_IDEAL))
def test_an_ideal_list_is_worth_what_the_library_says(name: str) -> None:
    case = CASES[name] | {"kind": "ndcg"}
    run, qrels = lists_of(case)
    ((qid, ranking),) = run.items()
    by_hand = explain(*ranking, qrels[qid], convention_of(case))
    assert by_hand.divisor == pytest.approx(case["mean"], abs=case["tol"])


@pytest.mark.parametrize("name", sorted(OF_THE_DISCOUNT))
def test_the_top_ten_hold_their_share_of_the_discount(name: str) -> None:
    theirs = CASES[name]["convention"]
    discount = Geometric(theirs["p"]) if theirs["discount"] == "geometric" else theirs["discount"]
    share = sum(discounts(10, discount)) / sum(discounts(theirs["N"], discount))
    assert share == pytest.approx(CASES[name]["mean"], abs=CASES[name]["tol"])


@pytest.mark.parametrize("name", ["C103", "C104", "C159", "C206", "C290", "C293"])
def test_an_ideal_over_the_returned_top_k_and_three_tie_rules_are_refused_by_name(name: str) -> None:
    theirs = CASES[name]["convention"]
    refused = theirs["ideal"] if theirs["ideal"] not in IDEALS else theirs["ties"]
    with pytest.raises(MeasureError, match=f"'{refused}'"):
        convention_of(CASES[name])


@pytest.mark.parametrize("name", ["C076", "C092", "C134", "C271"])
def test_documents_that_were_not_returned_earn_nothing(name: str) -> None:
    found = scored(CASES[name])
    assert found.mean < CASES[name]["mean"]


def test_one_of_three_documents_returned_is_420_and_not_895() -> None:
    assert scored(CASES["C271"]).mean == pytest.approx(0.420, abs=5e-4)


def test_negative_grades_take_nothing_away() -> None:
    assert scored(CASES["C115"]).mean == pytest.approx(0.669672, abs=5e-7)


def test_the_rank_column_decides_nothing_where_the_scores_say_otherwise() -> None:
    case = CASES["C206"]
    assert case["mean"] == 1.0
    assert scored(case, ties="docid_desc").mean == pytest.approx(CASES["C201"]["mean"], abs=1e-4)


def test_a_grade_below_the_threshold_keeps_its_gain() -> None:
    assert scored(CASES["C289"]).mean == pytest.approx(0.722988, abs=5e-7)


def test_judged_breaks_ties_as_the_other_measures_of_the_evaluation_do() -> None:
    """z, which nobody judged, stands before a at the same score."""
    assert CASES["C293"]["mean"] == 1.0
    assert scored(CASES["C293"], ties="docid_desc").mean == 0.0
    assert scored(CASES["C290"], ties="docid_desc").mean == 0.5


def test_judged_looks_only_at_what_was_returned() -> None:
    """The library says .1 unjudged: one of ten ranks, eight of which the run never filled."""
    assert CASES["C291"]["mean"] == 0.1
    assert scored(CASES["C291"] | {"kind": "judged"}).mean == 0.5


def test_a_fraction_of_a_grade_counts() -> None:
    case = CASES["C308"]
    assert scored(case).mean != pytest.approx(case["mean"], abs=case["tol"])
    whole = case | {"qrels": [[qid, docno, int(float(grade))] for qid, docno, grade in case["qrels"]]}
    assert scored(whole).mean == pytest.approx(case["mean"], abs=case["tol"])


def test_a_document_named_like_its_query_is_scored() -> None:
    assert scored(CASES["C318"]).mean == 1.0


def test_every_case_is_expressed_or_listed_with_its_reason() -> None:
    assert len(EXPRESSED) == len(CASES) - len(NOT_OURS) - len(OF_THE_IDEAL) - len(OF_THE_DISCOUNT)
    assert set(NOT_OURS) < set(CASES)
    assert not any(isinstance(scored(CASES[name]).mean, Undefined) for name in EXPRESSED)
