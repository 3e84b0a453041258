"""Bugs reported to other projects, named in tests/cases/reported_bugs.json: the right value, or the named error."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.measures import MeasureError, Undefined
from app.measures.conventions import Convention, Ties
from app.measures.kappa import kappa
from app.measures.scores import RunScores, score_query, score_run

FILE = Path(__file__).parents[1] / "cases" / "reported_bugs.json"
BUGS: dict[str, dict[str, Any]] = {bug["id"]: bug for bug in json.loads(FILE.read_text(encoding="utf-8"))}
LINEAR = Convention(k=10, gain="linear")


def right(name: str, key: str = "value") -> Any:
    return BUGS[name]["expected"][key]


def ndcg(run: dict[str, float], judgments: dict[str, float], convention: Convention = LINEAR) -> float | Undefined:
    return score_query(list(run), list(run.values()), judgments, convention)


def in_order(docnos: str | list[str]) -> dict[str, float]:
    return {docno: float(-rank) for rank, docno in enumerate(docnos)}


def whole_run(runs: dict[str, dict[str, float]], qrels: dict[str, dict[str, float]], **choices: Any) -> RunScores:
    rankings = {qid: (list(run), list(run.values())) for qid, run in runs.items()}
    chosen: dict[str, Any] = {"k": 10, "gain": "linear"} | choices
    return score_run(rankings, qrels, Convention(**chosen))


def test_i03_scores_are_compared_in_64_bits() -> None:
    run, judgments = BUGS["I03"]["input"]["run"], BUGS["I03"]["input"]["qrels"]
    assert ndcg(run, judgments) == pytest.approx(right("I03", "right"), abs=1e-12)
    in_32_bits = Convention(k=10, gain="linear", ties="docno32")
    assert ndcg(run, judgments, in_32_bits) == pytest.approx(right("I03", "float32_libs"), abs=1e-12)


def test_i05_the_threshold_is_for_recall_and_not_for_gains() -> None:
    run, judgments = dict(BUGS["I05"]["input"]["run"]), BUGS["I05"]["input"]["qrels"]
    strict = Convention(k=10, gain="linear", threshold=2)
    assert ndcg(run, judgments, strict) == pytest.approx(right("I05", "ndcg10"), abs=1e-12)
    assert ndcg(run, judgments, strict.at("recall", 1)) == right("I05", "recall1_rel2")


def test_i06_no_query_in_common_is_a_named_error() -> None:
    with pytest.raises(MeasureError, match=right("I06", "error")):
        whole_run({"1": {"a": 1.0}, "2": {"a": 1.0}}, {"1.1": {"a": 1}, "2.1": {"a": 1}})


def test_i07_an_unanswered_query_is_0_where_the_mean_runs_over_the_qrels() -> None:
    given = BUGS["I07"]["input"]
    assert whole_run(given["run"], given["qrels"]).mean == right("I07", "over_qrels")
    assert whole_run(given["run"], given["qrels"], missing="exclude").mean == right("I07", "over_run")


def test_i08_a_query_with_no_judgment_leaves_the_others_as_they_are() -> None:
    given = BUGS["I08"]["input"]
    found = whole_run(given["run"], given["qrels"])
    assert found.per_query == pytest.approx(BUGS["I08"]["expected"], abs=1e-12)
    assert found.unjudged == 1


def test_i09_the_same_question_twice_has_the_same_answer() -> None:
    given = BUGS["I08"]["input"]
    first, second = ([whole_run(given["run"], given["qrels"], k=k) for k in (2, 10, 100)] for _ in range(2))
    assert (first == second) is right("I09", "equal")


def test_i10_empty_input_is_a_named_error() -> None:
    with pytest.raises(MeasureError, match="hold no judgment"):
        whole_run({}, {})


def test_i12_a_document_that_stands_twice_is_a_named_error() -> None:
    """Its qrels repeat a judgment too; a mapping can't, so that the reader of the file decides about that."""
    with pytest.raises(MeasureError, match="Document a stands in the ranking twice"):
        score_query(BUGS["I12"]["input"]["run"], [3.0, 2.0, 1.0], {"a": 3}, LINEAR)


def test_i13_negative_grades_keep_ndcg_between_0_and_1() -> None:
    docnos = list("abcde")
    judgments = dict(zip(docnos, BUGS["I13"]["input"]["y_true"], strict=True))
    found = score_query(docnos, BUGS["I13"]["input"]["y_score"], judgments, LINEAR)
    assert not isinstance(found, Undefined)
    assert 0 <= found <= 1


def test_i14_equally_relevant_documents_are_ideal_in_any_order() -> None:
    assert ndcg(in_order("abcd"), BUGS["I14"]["input"]["qrels"], LINEAR.at("nDCG", 4)) == right("I14")


def test_i15_a_query_with_nothing_relevant_is_left_out_and_counted_or_0() -> None:
    qrels = BUGS["I15"]["input"]["qrels"]
    run = {"1": in_order("acb"), "2": in_order("abc")}
    found = whole_run(run, qrels)
    assert (found.mean, found.no_relevant) == (right("I15", "exclude"), right("I15", "n_excluded"))
    assert whole_run(run, qrels, no_relevant="zero").mean == right("I15", "zero")


def test_i16_a_single_document_is_a_list() -> None:
    assert ndcg(BUGS["I16"]["input"]["run"], BUGS["I16"]["input"]["qrels"]) == right("I16")


def test_i17_kappa_is_undefined_when_chance_agreement_is_complete() -> None:
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (BUGS["I17"]["input"]["a"], BUGS["I17"]["input"]["b"]), 1)
    assert right("I17", "kappa") is None
    assert isinstance(kappa(table), Undefined)


def test_i18_a_constant_scorer_is_perfect_only_to_an_optimist() -> None:
    grades = BUGS["I18"]["input"]["grades"]
    rules: dict[Ties, str] = {"optimistic": "optimistic", "average": "average", "docno": "docid_desc"}
    for ties, theirs in rules.items():
        convention = Convention(k=10, gain="linear", ties=ties)
        assert ndcg(dict.fromkeys(grades, 1.0), grades, convention) == pytest.approx(right("I18", theirs), abs=1e-12)


def test_i20_the_ideal_is_over_all_judged() -> None:
    judgments = BUGS["I20"]["input"]["qrels"]
    assert ndcg({"a": 1.0}, judgments) == pytest.approx(right("I20", "all_judged"), abs=1e-12)
    returned = Convention(k=10, gain="linear", ideal="returned")
    assert ndcg({"a": 1.0}, judgments, returned) == right("I20", "returned")


@pytest.mark.parametrize(("k", "key"), [(5, "k5"), (10, "k10"), (None, "k_none")])
def test_i21_a_cut_off_beyond_the_list_changes_nothing(k: int | None, key: str) -> None:
    found = whole_run(
        {"0": {"a": 0.2, "b": 0.3, "c": 0.5}, "1": {"a": 0.1, "b": 0.3, "c": 0.5, "d": 0.2}},
        {"0": {"a": 0, "b": 0, "c": 1}, "1": {"a": 0, "b": 1, "c": 0, "d": 1}},
        k=k,
    )
    assert found.mean == pytest.approx(right("I21", key), abs=1e-6)


def test_i22_queries_are_averaged_and_never_thrown_together() -> None:
    found = whole_run(
        {"1": {"a": 0.1, "b": 0.2, "c": 0.3}, "2": {"a": 0.8, "b": 0.1, "c": 0.05}},
        {"1": {"a": 0, "b": 1, "c": 0}, "2": {"a": 1, "b": 0, "c": 0}},
    )
    assert found.mean == pytest.approx(right("I22", "mean"), abs=1e-12)


def test_i23_equal_scores_keep_the_given_order_only_where_that_is_the_rule() -> None:
    run, scores = BUGS["I23"]["input"]["run"], BUGS["I23"]["input"]["scores"]
    judgments = BUGS["I23"]["input"]["qrels"]
    assert score_query(run, scores, judgments, Convention(k=10, gain="linear", ties="position")) == right("I23", "rank")
    assert score_query(run, scores, judgments, LINEAR) == pytest.approx(right("I23", "docid_desc"), abs=1e-12)


def test_i26_a_query_id_is_any_text_and_a_grade_any_number_of_levels() -> None:
    assert whole_run({"Q0": {"a": 1.0}}, {"Q0": {"a": 5}}).per_query == {"Q0": 1.0}


@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_i28_the_gain_alone_makes_the_difference(gain: Any) -> None:
    run, judgments = dict(BUGS["I28"]["input"]["run"]), BUGS["I28"]["input"]["qrels"]
    assert ndcg(run, judgments, Convention(k=10, gain=gain)) == pytest.approx(right("I28", gain), abs=1e-12)


@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_i29_recall_depends_on_the_threshold_beside_it(threshold: int) -> None:
    run, judgments = dict(BUGS["I29"]["input"]["run"]), BUGS["I29"]["input"]["qrels"]
    convention = Convention(measure="recall", k=3, gain="linear", threshold=threshold)
    assert ndcg(run, judgments, convention) == pytest.approx(right("I29", f"rel{threshold}"), abs=1e-12)


def test_i31_a_query_that_nobody_judged_is_ignored_and_counted() -> None:
    given = BUGS["I31"]["input"]
    found = whole_run(given["run"], given["qrels"])
    assert (found.mean, found.unjudged) == (right("I31", "mean"), right("I31", "ignored_queries"))


def test_every_reported_bug_is_tried_here_or_named_with_where_it_is() -> None:
    elsewhere = {"I24": "RBP", "I32": "test_every_score_lies_between_0_and_1"}
    here = {name.split("_")[1].upper() for name in globals() if name.startswith("test_i")}
    assert here | set(elsewhere) == set(BUGS)
