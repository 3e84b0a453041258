"""What is refused or undefined, and the whole sentence that says so: people read it, and it tells them a way out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.measures import MeasureError, Undefined
from app.measures.agreement import agreement, pooled_kappa
from app.measures.alpha import alpha
from app.measures.bootstrap import percentile_interval, studentised_interval
from app.measures.by_query import agreement_by_query
from app.measures.coincidences import people_at
from app.measures.comparing import Scored, compare, compare_all, holm, tukey
from app.measures.conventions import Convention, Geometric, parse, read_discount, read_gain
from app.measures.doubles import Doubles
from app.measures.explaining import explain
from app.measures.gains import discount_at, gain_of
from app.measures.gwet import gwet
from app.measures.intervals import analytic_interval, bootstrap_interval, standard_error
from app.measures.jackknife import interval_about
from app.measures.judged import Judged
from app.measures.kappa import cross, kappa, weights, whole
from app.measures.leaving_out import leave_each_out
from app.measures.levels import marginal_shift, specific_agreement, stuart_maxwell
from app.measures.matching import lay_out, match_lists
from app.measures.naming import ask
from app.measures.paired import difference, sign_flip
from app.measures.planning import detectable, queries_needed
from app.measures.pooling import cost, depth_pool, overlap, top, unique_contributions
from app.measures.ranking import order
from app.measures.scenarios import scenarios, scenarios_of_run
from app.measures.scores import score, score_query, score_run, score_runs
from app.measures.second_leg import second_leg
from app.measures.sensitivity import sensitivity
from app.measures.student import refuse_confidence
from app.measures.trials import Trials
from app.measures.watching import rolling_kappas, z_of_times
from app.measures.weighing import weigh

LINEAR = Convention(k=10, gain="linear")
LINE = LINEAR.line
RUN = {"q": (["a", "b"], [2.0, 1.0])}
QRELS = {"q": {"a": 1.0}}
NEARER = "nearer, an interval says nothing."
LESS = "give fewer labellers, seconds or a lower rate."
JUDGED = Judged.of(QRELS)
NOBODY = Doubles.of([], levels=3, labellers=2)
ONE_LEVEL = "those who share pairs gave one and the same level throughout, so that chance alone would agree completely"
TWO_LEVELS = "Agreement needs a scale of at least two levels, and of 100 at most."
NO_PAIRS = "no pair was graded by two people"
MEASURES = "nDCG, DCG, RBP, RBP-residual, recall, precision, judged, RR, AP, hit, bpref"


def doubles(**changed: Any) -> Doubles:
    """Two pairs of two people, or what is changed in them."""
    given: dict[str, Any] = {"query": [0, 1], "a": [0, 0], "b": [1, 1], "level_a": [0, 1], "level_b": [1, 1]}
    return Doubles(**({"levels": 2, "labellers": 2} | given | changed))


def scored(name: str, qids: str = "q", convention: str = LINE, judgments: str = "r1") -> Scored:
    """A run with a value for each query, whose id is a letter."""
    return Scored(name, convention, judgments, dict.fromkeys(qids, 1.0))


def convention(**choices: Any) -> Convention:
    given: dict[str, Any] = {"k": 10, "gain": "linear"}
    return Convention(**(given | choices))


def planned(**asked: float) -> int:
    given = {"delta": 0.03, "spread": 0.2} | asked
    return queries_needed(given.pop("delta"), given.pop("spread"), **given)


def legs(first: dict[str, dict[str, float]], second: dict[str, dict[str, float]]) -> object:
    return second_leg({"one": RUN, "other": RUN}, first, second, LINEAR)


REFUSED: list[tuple[Callable[[], object], str]] = [
    # Tables and scales
    (lambda: kappa([[1, 2, 3], [4, 5, 6]]), "A table of agreement is square and holds counts, none of them negative."),
    (lambda: kappa([[1, -1], [0, 1]]), "A table of agreement is square and holds counts, none of them negative."),
    (lambda: kappa(np.array([[1, 0.5], [0, 1]])), "The table must hold whole numbers."),
    (lambda: kappa([["a", "b"], ["c", "d"]]), "The table must hold whole numbers."),
    (lambda: kappa([1, 2]), "The table must have 2 dimensions, not 1."),
    (lambda: kappa([[5]]), TWO_LEVELS),
    (lambda: whole("query", [[1]]), "query must have 1 dimension, not 2."),
    (lambda: whole("cube", 1, dimensions=3), "cube must have 3 dimensions, not 0."),
    (lambda: whole("query", [1, np.inf]), "query must hold whole numbers."),
    *((lambda levels=levels: weights(levels), TWO_LEVELS) for levels in (2.5, "3", np.nan, 1001)),
    *(
        (
            lambda labellers=labellers: doubles(labellers=labellers),
            f"There are 0 to 1,000,000 labellers, not {labellers}.",
        )
        for labellers in (2.5, "3", np.inf, 2**70)
    ),
    (lambda: gain_of("3", "linear"), "Grade 3 is not a finite number."),  # type: ignore[arg-type]
    (lambda: discount_at(1.5, "log2"), "Ranks start at 1; there is no rank 1.5."),  # type: ignore[arg-type]
    (lambda: scenarios(["a"], [1], {"b": 1}, LINEAR, levels=["0", "1"]), "Levels must hold numbers."),  # type: ignore[list-item]
    (lambda: whole("query", [1e300]), "query must hold whole numbers."),
    (lambda: whole("query", np.array([2**63], dtype=np.uint64)), "query must hold whole numbers."),
    (lambda: whole("query", ["1"]), "query must hold whole numbers."),
    (lambda: Doubles.of([(0, 0, 0, 1, np.nan, 0)], levels=2, labellers=2), "Rows must hold whole numbers."),  # type: ignore[list-item]
    (lambda: Doubles.of([(0, 0, 0, 1, 1.5, 0)], levels=2, labellers=2), "Rows must hold whole numbers."),  # type: ignore[list-item]
    (
        lambda: Doubles.of([(0, 0, 1, 1, 1)], levels=2, labellers=2),  # type: ignore[list-item]
        "Rows must hold pair, query, a, b, level_a and level_b, not 5 numbers.",
    ),
    (lambda: whole("query", [True]), "query must hold whole numbers."),
    (lambda: whole("query", [1 + 0j]), "query must hold whole numbers."),
    (lambda: weights(3, "cubic"), "Weights are linear, quadratic or none, not 'cubic'."),  # type: ignore[arg-type]
    (lambda: cross([[0]], [0], 2), "level_a must have 1 dimension, not 2."),
    (lambda: cross([0], [[0]], 2), "level_b must have 1 dimension, not 2."),
    *(
        (
            lambda ask=ask: ask([[1, 2, 3], [4, 5, 6]]),
            "A table of agreement is square and holds counts, none of them negative.",
        )
        for ask in (specific_agreement, marginal_shift, stuart_maxwell)
    ),
    # Doubly judged pairs
    (lambda: doubles(query=[0]), "Each doubly judged pair needs a query, two labellers and two levels."),
    (lambda: doubles(pair=[0]), "Each doubly judged pair needs a query, two labellers and two levels."),
    (lambda: doubles(levels=1, level_a=[0, 0], level_b=[0, 0]), TWO_LEVELS),
    (lambda: doubles(query=[0.5, 1]), "query must hold whole numbers."),
    (lambda: doubles(pair=[0.5, 1]), "pair must hold whole numbers."),
    (lambda: doubles(level_a=[0, 2]), "There is no level 2: they run from 0 to 1."),
    (lambda: doubles(level_b=[-1, 1]), "There is no level -1: they run from 0 to 1."),
    (lambda: doubles(a=[0, 3], labellers=3), "There is no labeller 3: they run from 0 to 2."),
    (lambda: doubles(b=[-2, 1]), "There is no labeller -2: they run from 0 to 1."),
    (lambda: doubles(query=[-1, 1]), "There is no query -1: they run from 0."),
    (lambda: doubles(pair=[0, -3]), "There is no pair -3: they run from 0."),
    (lambda: doubles(b=[1, 0]), "A pair graded twice by one person shows nothing about agreement between people."),
    (
        lambda: agreement(
            Doubles.of([(0, 0, 0, 1, 0, 0), (0, 0, 0, 2, 1, 0), (0, 0, 1, 2, 0, 0)], levels=2, labellers=3)
        ),
        "A labeller has two different levels for one pair; only the newest grade counts.",
    ),
    *(
        (
            lambda a=a, b=b: agreement(
                doubles(query=[0, 0], pair=[7, 7], a=[0, a], b=[1, b], level_a=[0, 0], level_b=[0, 0])
            ),
            "Two people stand twice with one pair; a grade of it counts once.",
        )
        for a, b in ((0, 1), (1, 0))
    ),
    (
        lambda: people_at(doubles(pair=[0, 0])),
        "A pair that m people graded must stand under all of its m(m-1)/2 couples.",
    ),
    (lambda: alpha(doubles(), "ratio"), "The scale is nominal, ordinal or interval, not 'ratio'."),  # type: ignore[arg-type]
    # Confidence and resamples
    (lambda: refuse_confidence(1), "Confidence lies between 0 and 1, as in .95."),
    (lambda: refuse_confidence(0), "Confidence lies between 0 and 1, as in .95."),
    *(
        (
            lambda near=near: refuse_confidence(near),
            f"Confidence lies between 0 and 1, and a billionth or more away from each: {NEARER}",
        )
        for near in (9e-10, 1 - 9e-10)
    ),
    (lambda: agreement(doubles(), confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: pooled_kappa(doubles(), confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: bootstrap_interval(doubles(), confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: analytic_interval([[1, 2], [3, 4]], confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: difference([0.1, 0.2], confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: percentile_interval([0.1, 0.2], confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: studentised_interval([0.1, 0.2], confidence=95), "Confidence lies between 0 and 1, as in .95."),
    (lambda: bootstrap_interval(doubles(), resamples=0), "Chance is asked by 1 to 1,000,000 resamples, not 0."),
    (lambda: difference([0.1], resamples=0), "Chance is asked by 1 to 1,000,000 resamples, not 0."),
    (
        lambda: difference([0.1], resamples=2_000_000_000),
        "Chance is asked by 1 to 1,000,000 resamples, not 2000000000.",
    ),
    (lambda: difference([0.1], seed=-1), "A seed is a whole number from 0 on, not -1."),
    (lambda: sign_flip([0.1], seed=1.5), "A seed is a whole number from 0 on, not 1.5."),  # type: ignore[arg-type]
    (lambda: studentised_interval([0.1], resamples=0), "Chance is asked by 1 to 1,000,000 resamples, not 0."),
    (lambda: refuse_confidence("0.95"), "Confidence lies between 0 and 1, as in .95."),  # type: ignore[arg-type]
    # Comparisons
    *((lambda p=p: holm(p), "A probability lies between 0 and 1.") for p in ([np.nan, 0.5], [-1, 0.5], [1.5])),
    (lambda: holm(["0.5"]), "Probabilities must hold numbers."),  # type: ignore[list-item]
    *(
        (
            lambda values=values: tukey(values),
            "A test of all pairs needs a finite value of each of two runs or more for every query.",
        )
        for values in (np.empty((0, 2)), [[0.1]], [[0.1, np.nan]], [[0.1, np.inf]])
    ),
    (lambda: tukey([0.1, 0.2]), "Values must have 2 dimensions, not 1."),
    (lambda: tukey([[0.1, 0.2]], resamples=0), "Chance is asked by 1 to 1,000,000 resamples, not 0."),
    (lambda: difference(["0.1"]), "Differences must hold numbers."),
    (
        lambda: difference([1e101]),
        "A difference beyond 10^100 can't be compared: its square is hardly a number any more.",
    ),
    (
        lambda: difference([]),
        "No query has a value for both runs: none that both returned was judged, or none has a relevant judgment.",
    ),
    (lambda: percentile_interval([[0.1]]), "Differences must have 1 dimension, not 2."),
    (lambda: studentised_interval([0.1, np.nan]), "A difference that is no finite number can't be compared."),
    (lambda: compare(scored("one"), []), "A comparison needs two runs or more."),
    (lambda: compare_all([scored("one")]), "A comparison needs two runs or more."),
    (
        lambda: compare(scored("one", convention="nDCG@10"), [scored("other", convention="nDCG@5")]),
        "one and other were scored under different conventions, nDCG@10 and nDCG@5: score both under one.",
    ),
    (
        lambda: compare(scored("one"), [scored("other", judgments="r2")]),
        "one and other were scored against different judgments: score both against one release.",
    ),
    (
        lambda: compare(scored("one", "abc"), [scored("other", "cd")]),
        (
            "one and other can't be compared over different query sets: one has no value for d; other has no "
            "value for a, b. Choose a convention that counts a missing query as 0, missing=zero, or bring complete "
            "runs."
        ),
    ),
    (
        lambda: compare(scored("one", "zdcab"), [scored("other", "z")]),
        (
            "one and other can't be compared over different query sets: other has no value for a, b, c and 1 more. "
            "Choose a convention that counts a missing query as 0, missing=zero, or bring complete runs."
        ),
    ),
    (
        lambda: compare(scored("one", "zcab"), [scored("other", "z")]),
        (
            "one and other can't be compared over different query sets: other has no value for a, b, c. Choose a "
            "convention that counts a missing query as 0, missing=zero, or bring complete runs."
        ),
    ),
    (
        lambda: legs({"q": {"a": 1.0}}, {"q": {"b": 1.0}}),
        "The two labellers' grades are not of the same pairs: leave out what only one has graded.",
    ),
    (
        lambda: legs({"q": {"a": 1.0}}, {"q": {"a": 0.0}}),
        "No query has a value for every run under both labellers' grades.",
    ),
    (lambda: planned(delta=0), "The difference to be found is a number above 0."),
    (lambda: planned(spread=-0.1), "A spread is a number from 0 on."),
    (lambda: planned(power=0.4), "Power lies between .5 and 1, and the level of the test between 0 and 1."),
    (lambda: detectable(5, 0.2, power=1), "Power lies between .5 and 1, and the level of the test between 0 and 1."),
    (lambda: detectable(5, -1), "A spread is a number from 0 on."),
    *(
        (lambda queries=queries: detectable(queries, 0.2), "A query set holds one query or more.")
        for queries in (np.nan, 30.5, "30", True)
    ),
    (lambda: detectable(5, "0.2"), "A spread is a number from 0 on."),  # type: ignore[arg-type]
    (lambda: queries_needed(10**400, 0.2), "The difference to be found is a number above 0."),
    (lambda: queries_needed("0.1", 0.2), "The difference to be found is a number above 0."),  # type: ignore[arg-type]
    (
        lambda: detectable(5, 0.2, level="0.05"),  # type: ignore[arg-type]
        "Power lies between .5 and 1, and the level of the test between 0 and 1.",
    ),
    (lambda: detectable(0, 0.2), "A query set holds one query or more."),
    # Conventions
    (lambda: Geometric(1), "A geometric discount needs a p between 0 and 1, not 1."),
    (lambda: Geometric(0), "A geometric discount needs a p between 0 and 1, not 0."),
    (
        lambda: convention(measure="ERR"),
        f"There is no measure 'ERR': it is {MEASURES.replace(', bpref', ' or bpref')}.",
    ),
    (lambda: convention(no_relevant="one"), "There is no rule for no-relevant 'one': it is exclude or zero."),
    (lambda: convention(gain="cubic"), "There is no gain 'cubic': it is exponential, linear or table:0,1,3,…."),
    (lambda: convention(gain=[0, 1]), "There is no gain [0, 1]: it is exponential, linear or table:0,1,3,…."),
    (lambda: convention(discount="log3"), "There is no discount 'log3': it is log2, reciprocal or geometric:p."),
    (lambda: convention(k=0), "A cut-off is a whole number from 1 to 1,000,000,000, not 0."),
    (lambda: convention(k=2.5), "A cut-off is a whole number from 1 to 1,000,000,000, not 2.5."),
    *(
        (lambda k=k: convention(k=k), f"A cut-off is a whole number from 1 to 1,000,000,000, not {k}.")
        for k in (10.0, True, np.nan, np.inf, "10")
    ),
    (lambda: convention(threshold="1"), "The relevance threshold is a grade, so a finite number."),
    (lambda: Geometric("0.85"), "A geometric discount needs a p between 0 and 1, not 0.85."),  # type: ignore[arg-type]
    (
        lambda: convention(gain=(0, "1")),
        "A table of gains holds two gains or more, each a finite number and none negative.",
    ),
    (
        lambda: convention(gain=(0, 1.7e308)),
        "A gain is at most 2^1000, so that the sum of a list's gains is a number too.",
    ),
    (lambda: gain_of(1e302, "linear"), "Grade 1e+302 is too high for a gain: a sum of a few such is no number."),
    # Rankings and grades that are no numbers
    (lambda: score_query(["a"], ["1"], {"a": 1}, LINEAR), "Scores must hold numbers."),
    (lambda: order(["a"], ["x"], "docno"), "Scores must hold numbers."),
    (lambda: order(["a", "b"], [[1.0], [2.0]], "docno"), "Scores must have 1 dimension, not 2."),
    (lambda: order(["a", "b"], [[1.0], [2.0, 3.0]], "docno"), "Scores must have rows of one length."),
    (lambda: score_query(["a"], [[1.0]], {"a": 1}, LINEAR), "Scores must have 1 dimension, not 2."),
    (lambda: Judged.of({"q": {"a": "3"}}), "Grades must hold numbers."),  # type: ignore[dict-item]
    (lambda: Judged.of({"q": {"a": None}}), "Grades must hold numbers."),  # type: ignore[dict-item]
    (lambda: convention(threshold=np.inf), "The relevance threshold is a grade, so a finite number."),
    (
        lambda: convention(gain=(0,)),
        "A table of gains holds two gains or more, each a finite number and none negative.",
    ),
    (
        lambda: convention(gain=(0, np.inf)),
        "A table of gains holds two gains or more, each a finite number and none negative.",
    ),
    (
        lambda: convention(gain=(-1, 2)),
        "A table of gains holds two gains or more, each a finite number and none negative.",
    ),
    (
        lambda: convention(gain=(0, 3, 1)),
        "A table of gains never falls: a higher grade can't be worth less than a lower one.",
    ),
    (
        lambda: convention(measure="precision", k=None),
        "Precision divides by its cut-off: name one, as in precision@10.",
    ),
    (lambda: convention(measure="bpref"), "bpref reads the whole ranking and has no cut-off: write bpref."),
    *(
        (
            lambda measure=measure: convention(measure=measure, k=None, ties="average"),
            f"{measure} has no average over tied documents here: choose ties=docno or position.",
        )
        for measure in ("RR", "AP", "hit", "bpref")
    ),
    *(
        (
            lambda measure=measure: convention(measure=measure),
            f"{measure} needs its p: write {measure}(p=0.85), or discount=geometric:0.85.",
        )
        for measure in ("RBP", "RBP-residual")
    ),
    (
        lambda: convention(measure="RBP-residual", discount=Geometric(0.5), unjudged="condensed"),
        "RBP-residual weighs the unjudged documents, which unjudged=condensed drops.",
    ),
    (
        lambda: parse(f"{LINE} colour=red"),
        (
            "'colour=red' is no choice of a convention; the choices are gain, discount, ideal, unjudged, ties, "
            "no-relevant, missing, threshold."
        ),
    ),
    (
        lambda: parse(LINE.replace("ideal=judged", "ideal")),
        (
            "'ideal' is no choice of a convention; the choices are gain, discount, ideal, unjudged, ties, no-relevant, "
            "missing, threshold."
        ),
    ),
    (
        lambda: parse(LINE.replace("gain=linear", "gain=a=b")),
        "There is no gain 'a=b': it is exponential, linear or table:0,1,3,….",
    ),
    (lambda: parse(f"{LINE} gain=linear"), "The convention states gain twice."),
    (
        lambda: parse("nDCG@10 gain=linear discount=log2 ideal=judged unjudged=zero ties=docno threshold=1"),
        "The convention does not state no-relevant, missing; there is no silent default.",
    ),
    (lambda: parse(""), "'' does not name a measure and a cut-off, as in nDCG@10."),
    (lambda: parse("nDCG@0"), "'nDCG@0' does not name a measure and a cut-off, as in nDCG@10."),
    (lambda: parse(LINE.replace("threshold=1", "threshold=high")), "'high' is not a number for threshold."),
    (lambda: read_gain("table:0,much"), "'much' is not a number for gain."),
    (lambda: read_gain("cubic"), "There is no gain 'cubic': it is exponential, linear or table:0,1,3,…."),
    (lambda: read_discount("geometric:half"), "'half' is not a number for discount."),
    (
        lambda: read_discount("log3"),
        "There is no discount 'log3': it is log2, reciprocal or geometric:0.85.",
    ),
    (
        lambda: ask("ERR@10", LINEAR),
        f"'ERR@10' names no measure: write one of {MEASURES}, with a cut-off as in nDCG@10.",
    ),
    (
        lambda: ask("nDCG( colour=red )@10", LINEAR),
        (
            "'nDCG( colour=red )@10' has a parameter that is not understood, 'colour=red': write p=0.85, rel=2, "
            "judged_only=True or dcg=exp-log2 in the brackets."
        ),
    ),
    # Grades, rankings and scores
    (lambda: gain_of(np.inf, "linear"), "Grade inf is not a finite number."),
    (
        lambda: gain_of(1001, "exponential"),
        "Grade 1001 is too high for the gain 2^grade - 1: choose gain=linear or a table.",
    ),
    (lambda: gain_of(2, (0, 1)), "Grade 2 is not in the gain table, which holds the grades 0 to 1."),
    (lambda: gain_of(0.5, (0, 1)), "Grade 0.5 is not in the gain table, which holds the grades 0 to 1."),
    (lambda: discount_at(0, "log2"), "Ranks start at 1; there is no rank 0."),
    (
        lambda: Judged.of({"q": {"a": 1.0}, "r": {"b": 2.0, "c": np.nan, "d": np.inf}}),
        "Query r: Document c: Grade nan is not a finite number.",
    ),
    (
        lambda: Judged.of({"q": {"a": 1.0}, "r": {"b": 2.0, "c": 9.0, "d": 9.0}}).gains((0, 1, 2)),
        "Query r: Document c: Grade 9 is not in the gain table, which holds the grades 0 to 2.",
    ),
    (lambda: order(["a"], [1, 2], "docno"), "A ranking of 1 document came with 2 scores."),
    (lambda: order(["a"], [np.nan], "docno"), "A score that is not a number (NaN) has no place in a ranking."),
    (lambda: match_lists(JUDGED, {"q": (["a"], [1, 2])}, "docno"), "A ranking of 1 document came with 2 scores."),
    (
        lambda: match_lists(JUDGED, {"q": (["a"], [np.nan])}, "docno"),
        "A score that is not a number (NaN) has no place in a ranking.",
    ),
    (
        lambda: score_query(["a"], [np.nan], {"a": 1.0}, LINEAR),
        "A score that is not a number (NaN) has no place in a ranking.",
    ),
    (
        lambda: match_lists(JUDGED, {"other": (["a"], [1])}, "docno"),
        "The run and the qrels have no query in common: are their query ids written the same way?",
    ),
    (
        lambda: match_lists(JUDGED, {"q": (["a", "b", "b", "a"], [1, 2, 3, 4])}, "docno"),
        "Query q: Document b stands in the ranking twice.",
    ),
    (
        lambda: match_lists(JUDGED, {"q": (["\udce9", "\udce9"], [1, 2])}, "docno"),
        "Query q: Document \udce9 stands in the ranking twice.",
    ),
    (lambda: lay_out(JUDGED, ["a", "a"], [1, 2], "docno"), "Query q: Document a stands in the ranking twice."),
    (lambda: score_query(["a", "a"], [1, 2], {"a": 1.0}, LINEAR), "Document a stands in the ranking twice."),
    (lambda: explain(["a", "a"], [1, 2], {"a": 1.0}, LINEAR), "Document a stands in the ranking twice."),
    (lambda: score_run(RUN, {"q": {}}, LINEAR), "The qrels hold no judgment."),
    (lambda: score_runs({"run": RUN}, QRELS, []), "Name a convention to score by."),
    (
        lambda: score(match_lists(JUDGED, RUN, "position"), LINEAR),
        "The run was put in order with ties=position, not ties=docno.",
    ),
    (
        lambda: explain(["a"], [1], {"a": 1.0}, convention(measure="RBP-residual", discount=Geometric(0.5))),
        "RBP-residual is what RBP leaves open and no sum over ranks: look at RBP by hand.",
    ),
    (lambda: Trials(["a", "a"], [1, 2], {"a": 1.0}, LINEAR, [0, 1]), "Document a stands in the ranking twice."),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, LINEAR, [1]),
        "What could be judged needs the rubric's levels: two or more, in rising order.",
    ),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, LINEAR, [0, 1, 1]),
        "What could be judged needs the rubric's levels: two or more, in rising order.",
    ),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, LINEAR, [-1, 0]),
        "What could be judged needs levels from 0 on: a grade below 0 is as good as none.",
    ),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, convention(measure="judged"), [0, 1]),
        "judged does not read grades, so that no grading can be tried on it.",
    ),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, convention(measure="RBP-residual", discount=Geometric(0.5)), [0, 1]),
        "RBP-residual does not read grades, so that no grading can be tried on it.",
    ),
    (
        lambda: Trials(["a"], [1], {"a": 1.0}, convention(gain=(0, 1)), [0, 1, 2]),
        "Grade 2 is not in the gain table, which holds the grades 0 to 1.",
    ),
    (
        lambda: weigh(score_run(RUN, QRELS, LINEAR), {}, name="traffic"),
        "The weights traffic name no weight for query q: 0 leaves a query out.",
    ),
    (
        lambda: weigh(score_run(RUN, QRELS, LINEAR), {"q": -1.0}, name="traffic"),
        "The weights traffic give query q -1.0: a weight is 0 or more.",
    ),
    (
        lambda: weigh(score_run(RUN, QRELS, LINEAR), {"q": np.inf}, name="traffic"),
        "The weights traffic give query q inf: a weight is 0 or more.",
    ),
    # Pools
    (lambda: depth_pool({"one": {"q": ["a"]}}, 0), "A pool's depth is a whole number from 1 on, not 0."),
    (lambda: unique_contributions({"one": {"q": ["a"]}}, -3), "A pool's depth is a whole number from 1 on, not -3."),
    (lambda: overlap({"one": {"q": ["a"]}}, 0), "A pool's depth is a whole number from 1 on, not 0."),
    (lambda: depth_pool({"one": {"q": ["a"]}}, 2.5), "A pool's depth is a whole number from 1 on, not 2.5."),  # type: ignore[arg-type]
    (lambda: top((["a"], [1.0]), -1), "A pool's depth is a whole number from 1 on, not -1."),
    (lambda: cost(-1), "The price's pairs: a number from 0 to 1,000,000,000,000,000, not -1."),
    (lambda: cost(1, seconds=np.nan), "The price's seconds: a number from 0 to 1,000,000,000,000,000, not nan."),
    (lambda: cost(10**15, 2, 3600, 0), f"The price goes beyond 1,000,000,000,000,000: {LESS}"),
    (lambda: cost(10**15, 1, 3600, 1.01), f"The price goes beyond 1,000,000,000,000,000: {LESS}"),
    (lambda: cost(1, rate=np.inf), "The price's rate: a number from 0 to 1,000,000,000,000,000, not inf."),
    (lambda: leave_each_out({"one": RUN}, QRELS, 10, LINEAR), "To leave one run out there must be another."),
    # Times
    (lambda: rolling_kappas([0.5], [0], levels=2, window=1), "own must hold whole numbers."),  # type: ignore[list-item]
    (lambda: rolling_kappas([0], [0.5], levels=2, window=1), "others must hold whole numbers."),  # type: ignore[list-item]
    *(
        (
            lambda times=times, lengths=lengths: z_of_times(times, lengths),
            "Each time, which is not negative, needs the length of a text, which is not empty.",
        )
        for times, lengths in (([1, 2], [1]), ([-1], [1]), ([1], [0]), ([[1]], [[1]]), ([1, 1], [1, -2]))
    ),
]


@pytest.mark.parametrize(("asked", "sentence"), REFUSED)
def test_what_can_t_be_computed_is_refused_in_this_sentence(asked: Callable[[], object], sentence: str) -> None:
    with pytest.raises(MeasureError) as refused:
        asked()
    assert str(refused.value) == sentence


UNDEFINED: list[tuple[Callable[[], object], str]] = [
    (lambda: kappa([[0, 0], [0, 0]]), NO_PAIRS),
    (lambda: kappa([[0, 0], [0, 3]]), ONE_LEVEL),
    (lambda: standard_error([[0, 0], [0, 3]]), ONE_LEVEL),
    (lambda: analytic_interval([[0, 0], [0, 3]]), "kappa itself is undefined"),
    (lambda: agreement(NOBODY).kappa, NO_PAIRS),
    (lambda: agreement(NOBODY).exact, NO_PAIRS),
    (lambda: agreement(NOBODY).interval, "kappa itself is undefined"),
    (lambda: agreement(doubles(level_a=[1, 1])).kappa, ONE_LEVEL),
    (lambda: pooled_kappa(NOBODY)[0], NO_PAIRS),
    (lambda: alpha(NOBODY), NO_PAIRS),
    (lambda: alpha(doubles(level_a=[1, 1])), ONE_LEVEL),
    (lambda: gwet(NOBODY), NO_PAIRS),
    (lambda: agreement_by_query(doubles())[1].kappa, ONE_LEVEL),
    (
        lambda: agreement(doubles(query=[0, 0])).interval,
        "an interval needs doubly judged pairs of two queries or more",
    ),
    (lambda: bootstrap_interval(doubles(query=[0, 0])), "an interval needs doubly judged pairs of two queries or more"),
    (lambda: bootstrap_interval(doubles()), "in some resamples of the queries a single level is left"),
    (lambda: agreement(doubles()).interval, "without one of the queries a single level would be left"),
    (lambda: interval_about(Undefined("nothing"), np.ones(3), 0.95), "kappa itself is undefined"),
    (lambda: specific_agreement([[1, 0], [0, 0]])[1], "nobody gave this level to a pair that two graded"),
    (lambda: marginal_shift([[0, 0], [0, 0]]), NO_PAIRS),
    (lambda: stuart_maxwell([[0, 0], [0, 0]]), NO_PAIRS),
    (lambda: stuart_maxwell([[1, 0], [0, 1]]), "the two never differ"),
    (lambda: difference([0.1]).interval, "a spread needs two queries or more"),
    (lambda: difference([0.1]).spread, "a spread needs two queries or more"),
    (lambda: difference([0.1, 0.1]).t, "every query differs by the same amount"),
    (lambda: studentised_interval([0.1]), "a spread needs two queries or more"),
    (lambda: studentised_interval([0.1, 0.1]), "every query differs by the same amount"),
    (lambda: studentised_interval([0.1, 0.2]), "in too many resamples every query differs by the same amount"),
    (lambda: z_of_times([1] * 29, [1] * 29), "fewer than 30 times were measured"),
    (lambda: z_of_times([1] * 30, [1] * 30), "more than half of the times are equal"),
    (
        lambda: score_query(["a"], [1], {"a": 0.0}, LINEAR),
        "no relevant document was judged for this query",
    ),
    (
        lambda: score_run(RUN, QRELS | {"r": {"a": 1.0}}, replace(LINEAR, missing="exclude")).per_query["r"],
        "the run does not hold this query",
    ),
    (
        lambda: score_run(
            RUN, QRELS | {"r": {"a": 0.0}}, replace(LINEAR, missing="exclude", no_relevant="exclude")
        ).per_query["r"],
        "the run does not hold this query",
    ),
    (
        lambda: score_query([], [], {"a": 1.0}, replace(LINEAR, measure="judged")),
        "nothing was returned, so that there is nothing to have judged",
    ),
    (lambda: score_run(RUN, {"q": {"a": 0.0}}, LINEAR).mean, "no query has a value under this convention"),
    (
        lambda: weigh(score_run(RUN, QRELS, LINEAR), {"q": 0.0}, name="traffic").mean,
        "no query with a weight has a value",
    ),
    (
        lambda: leave_each_out({"one": RUN, "other": {"p": (["b"], [1.0])}}, QRELS, 1, LINEAR)[1].without,
        "the run holds no query that was judged",
    ),
    (
        lambda: scenarios_of_run({"q": (["a"], [1.0])}, {"q": {"a": 0.0}}, LINEAR, levels=[0, 1]).highest,
        "no query has a value",
    ),
    (
        lambda: sensitivity(["a"], [1], {"a": 1.0}, LINEAR, levels=(0, 1)),
        "no regrading of one document gives the query a value",
    ),
    (
        lambda: sensitivity(["a"], [1], {"a": 0.0}, LINEAR, levels=(0, 1)),
        "no relevant document was judged for this query",
    ),
    (
        lambda: scenarios(["a"], [1], {"a": 0.0}, LINEAR, levels=(0, 1)).lowest,
        "no judging of these documents gives the query a value",
    ),
]


@pytest.mark.parametrize(("asked", "reason"), UNDEFINED)
def test_what_does_not_exist_is_undefined_for_this_reason(asked: Callable[[], object], reason: str) -> None:
    assert asked() == Undefined(reason)
