from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import MeasureError
from app.measures.conventions import Convention, Geometric, parse, read_discount, read_gain
from app.measures.naming import ask
from app.measures.presets import PRESETS

DEFAULT_LINE = (
    "nDCG@10 gain=exponential discount=log2 ideal=judged unjudged=zero ties=docno no-relevant=exclude missing=zero "
    "threshold=1"
)
NUMBERS = st.floats(0, 1e9, allow_nan=False)
GAINS = st.one_of(
    st.sampled_from(["exponential", "linear"]),
    st.lists(NUMBERS, min_size=2, max_size=6).map(lambda table: tuple(sorted(table))),
)
DISCOUNTS = st.one_of(
    st.sampled_from(["log2", "reciprocal"]),
    st.floats(0, 1, exclude_min=True, exclude_max=True).map(Geometric),
)
CONVENTIONS = st.builds(
    Convention,
    measure=st.sampled_from(["nDCG", "DCG", "recall", "judged"]),
    k=st.none() | st.integers(1, 10**6),
    gain=GAINS,
    discount=DISCOUNTS,
    ideal=st.sampled_from(["judged", "returned"]),
    unjudged=st.sampled_from(["zero", "condensed"]),
    ties=st.sampled_from(["docno", "docno32", "position", "average", "optimistic"]),
    no_relevant=st.sampled_from(["exclude", "zero"]),
    missing=st.sampled_from(["zero", "exclude"]),
    threshold=st.integers(-3, 20) | st.floats(-3, 20),
)


def test_the_line_is_the_one_of_the_method() -> None:
    assert Convention(k=10, gain="exponential").line == DEFAULT_LINE


@given(CONVENTIONS)
def test_every_line_reads_back_as_the_convention_that_wrote_it(convention: Convention) -> None:
    assert parse(convention.line) == convention
    assert parse(convention.line).line == convention.line
    assert "\n" not in convention.line


def test_a_convention_stands_as_a_key_of_what_was_scored_under_it() -> None:
    assert {parse(DEFAULT_LINE): 1}[Convention(k=10, gain="exponential")] == 1


def test_the_order_of_the_choices_on_a_line_does_not_matter() -> None:
    name, *choices = DEFAULT_LINE.split()
    assert parse(" ".join([name, *reversed(choices)])).line == DEFAULT_LINE


def test_other_measures_take_the_same_choices() -> None:
    assert parse(DEFAULT_LINE).at("recall", 100).line == DEFAULT_LINE.replace("nDCG@10", "recall@100")
    assert parse(DEFAULT_LINE).at("AP", None).line == DEFAULT_LINE.replace("nDCG@10", "AP")


def test_tables_and_geometric_discounts_are_written_out() -> None:
    convention = Convention(k=None, gain=(0, 0.01, 0.1, 1.0), discount=Geometric(0.85), threshold=1.5)
    assert "nDCG gain=table:0,0.01,0.1,1 discount=geometric:0.85 " in convention.line
    assert convention.line.endswith("threshold=1.5")
    assert (read_gain("table:0,1,3,7"), read_discount("geometric:0.85")) == ((0, 1, 3, 7), Geometric(0.85))
    assert repr(read_gain("table:0,1.0,2.5")) == "(0, 1, 2.5)"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"measure": "ERR"}, "no measure 'ERR': it is nDCG, "),
        ({"measure": "RBP"}, r"RBP needs its p: write RBP\(p=0.85\)"),
        ({"measure": "RBP-residual"}, "RBP-residual needs its p"),
        ({"measure": "RBP-residual", "discount": Geometric(0.5), "unjudged": "condensed"}, "=condensed drops"),
        ({"measure": "bpref"}, "bpref reads the whole ranking and has no cut-off"),
        ({"measure": "bpref", "k": None, "ties": "average"}, "bpref has no average"),
        ({"gain": "quadratic"}, "no gain 'quadratic'"),
        ({"gain": None}, "no gain None"),
        ({"gain": (1.0,)}, "two gains or more"),
        ({"gain": (0.0, float("inf"))}, "finite"),
        ({"gain": (-1.0, 0.0)}, "none negative"),
        ({"gain": (0.0, 3.0, 1.0)}, "never falls"),
        ({"discount": "ln"}, "no discount 'ln': it is log2, reciprocal or geometric"),
        ({"ideal": "returned_topk"}, "no ideal 'returned_topk': it is judged or returned"),
        ({"unjudged": "skip"}, "no rule for the unjudged 'skip'"),
        ({"ties": "pessimistic"}, "no rule for ties 'pessimistic'"),
        ({"ties": "docid_asc"}, "no rule for ties 'docid_asc'"),
        ({"ties": "rank"}, "no rule for ties 'rank'"),
        ({"no_relevant": "one"}, "no rule for no-relevant 'one'"),
        ({"missing": "skip"}, "no rule for missing 'skip'"),
        ({"k": 10**9 + 1}, "not 1000000001"),
        ({"k": 0}, "from 1 to 1,000,000,000, not 0"),
        ({"k": 2.5}, "from 1 to 1,000,000,000, not 2.5"),
        ({"measure": "precision", "k": None}, "as in precision@10"),
        ({"threshold": float("nan")}, "finite"),
        ({"measure": "RR", "ties": "average"}, "RR has no average"),
        ({"measure": "AP", "ties": "average"}, "AP has no average"),
        ({"measure": "hit", "ties": "average"}, "hit has no average"),
    ],
)
def test_what_a_convention_cannot_express_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        replace(parse(DEFAULT_LINE), **change)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, float("nan")])
def test_a_reader_who_always_or_never_goes_on_is_refused(p: float) -> None:
    with pytest.raises(MeasureError, match="between 0 and 1"):
        Geometric(p)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "does not name a measure"),
        ("nDCG@10", "does not state gain, discount, ideal, unjudged, ties, no-relevant, missing, threshold"),
        (DEFAULT_LINE.replace(" gain=exponential", ""), "does not state gain; there is no silent default"),
        (DEFAULT_LINE + " gain=linear", "states gain twice"),
        (DEFAULT_LINE + " colour=red", "'colour=red' is no choice"),
        (DEFAULT_LINE + " linear", "'linear' is no choice"),
        (DEFAULT_LINE.replace("@10", "@"), "'nDCG@' does not name a measure and a cut-off"),
        (DEFAULT_LINE.replace("@10", "@ten"), "'nDCG@ten' does not name"),
        (DEFAULT_LINE.replace("@10", "@010"), "'nDCG@010' does not name"),
        (DEFAULT_LINE.replace("nDCG", "ndcg"), "no measure 'ndcg'"),
        (DEFAULT_LINE.replace("exponential", "cubic"), "no gain 'cubic'"),
        (DEFAULT_LINE.replace("exponential", "table:0,one"), "'one' is not a number for gain"),
        (DEFAULT_LINE.replace("log2", "log10"), "no discount 'log10'"),
        (DEFAULT_LINE.replace("log2", "geometric:2"), "between 0 and 1"),
        (DEFAULT_LINE.replace("threshold=1", "threshold=high"), "'high' is not a number for threshold"),
        (DEFAULT_LINE.replace("threshold=1", "threshold=inf"), "finite"),
        (DEFAULT_LINE.replace("ties=docno", "ties=docid"), "no rule for ties 'docid'"),
    ],
)
def test_a_line_that_does_not_say_all_or_says_what_is_not_there_is_refused(line: str, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        parse(line)


def test_presets_say_what_they_reproduce_and_where_they_part() -> None:
    assert PRESETS["trec"].convention.line == (
        "nDCG@10 gain=linear discount=log2 ideal=judged unjudged=zero ties=docno no-relevant=zero missing=zero "
        "threshold=1"
    )
    assert PRESETS["pytrec_eval"].convention.line == (
        "nDCG@10 gain=linear discount=log2 ideal=judged unjudged=zero ties=docno32 no-relevant=zero missing=exclude "
        "threshold=1"
    )
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert preset.statement.startswith("Equals ")
        assert "Unlike " in preset.statement


@pytest.mark.parametrize(
    ("preset", "measure", "choices", "said"),
    [
        ("trec", "RR@10", {}, None),
        ("trec", "RBP(p=0.8)@10", {}, "there it is binary, gain=table:0,1,1,1 here"),
        ("trec", "RBP(p=0.8)@10", {"gain": (0.0, 1.0, 1.0, 1.0)}, None),
        ("trec", "judged@10", {}, None),
        (
            "ir_measures",
            "RR@10",
            {},
            "there scores are compared as 64-bit numbers and ties go to the lower document id",
        ),
        ("ir_measures", "RR", {}, None),
        ("ir_measures", "nDCG@10", {}, None),
        (
            "ir_measures",
            "nDCG@10",
            {"gain": "exponential"},
            "with exponential gain it takes gdeval's, which has a preset of its own",
        ),
        ("ir_measures", "recall@10", {"gain": "exponential"}, None),
        (
            "ir_measures",
            "judged@10",
            {},
            "there ties go to the lower document id, and a query missing from the run counts as 0",
        ),
        (
            "ir_measures",
            "RBP(p=0.8)@10",
            {},
            "there another program orders documents whose scores tie",
        ),
        (
            "ranx",
            "bpref",
            {},
            "there it has no value where nothing irrelevant was judged, and a grade below 0 is irrelevant",
        ),
        ("ranx", "RR@10", {}, None),
        ("scikit-learn", "nDCG@10", {}, None),
    ],
)
def test_a_preset_says_of_which_measures_its_library_has_another(
    preset: str, measure: str, choices: dict[str, Any], said: str | None
) -> None:
    asked = replace(ask(measure, PRESETS[preset].convention), **choices)
    assert PRESETS[preset].parts_at(asked) == (said and f"{asked.name} is not that of {preset}: {said}")


@pytest.mark.parametrize("text", ["table:0,1_0", "table:0,1 0", "table:0,x"])
def test_a_gain_is_no_number_that_only_a_program_would_read(text: str) -> None:
    with pytest.raises(MeasureError, match=f"'{text[8:]}' is not a number for gain"):
        read_gain(text)
