import pytest

from app.measures import MeasureError
from app.measures.conventions import Convention, Geometric
from app.measures.naming import ask

LINEAR = Convention(k=10, gain="linear")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nDCG@5", LINEAR.at("nDCG", 5)),
        ("ndcg", LINEAR.at("nDCG", None)),
        ("R@100", LINEAR.at("recall", 100)),
        ("recall(rel=2)@100", Convention(measure="recall", k=100, gain="linear", threshold=2)),
        ("P@10", LINEAR.at("precision", 10)),
        ("Success@1", LINEAR.at("hit", 1)),
        ("MRR@10", LINEAR.at("RR", 10)),
        ("AP", LINEAR.at("AP", None)),
        ("Judged@10", LINEAR.at("judged", 10)),
        ("Bpref", LINEAR.at("bpref", None)),
        ("RBP(p=.85)", Convention(measure="RBP", k=None, gain="linear", discount=Geometric(0.85))),
        ("RBP-residual(p=0.5)", Convention(measure="RBP-residual", k=None, gain="linear", discount=Geometric(0.5))),
        (" nDCG(judged_only=True)@10 ", Convention(k=10, gain="linear", unjudged="condensed")),
        ("nDCG(dcg='exp-log2', judged_only=False)@10", Convention(k=10, gain="exponential")),
    ],
)
def test_a_measure_is_asked_for_by_our_name_or_by_that_of_ir_measures(name: str, expected: Convention) -> None:
    assert ask(name, LINEAR) == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ERR@10", "'ERR@10' names no measure: write one of nDCG, "),
        ("nDCG@0", "names no measure"),
        ("", "names no measure"),
        ("RBP", "RBP needs its p"),
        ("RBP(p=1)", "between 0 and 1"),
        ("RBP(p=high)", "not understood, 'p=high'"),
        ("nDCG(colour=red)@10", "not understood, 'colour=red': write p=0.85"),
        ("nDCG(judged_only=perhaps)@10", "not understood"),
        ("P", "as in precision@10"),
        ("nDCG(dcg=Xlog2)@10", "not understood, 'dcg=Xlog2'"),
        ("recall(rel=1_0)@3", "not understood, 'rel=1_0'"),
        ("RBP(p=.5,rel=1)", "changes nothing: RBP reads gains, and no threshold"),
        ("nDCG(rel=2)@3", "changes nothing: nDCG reads gains"),
        ("recall(p=.5)@3", "changes nothing: recall reads a threshold"),
        ("AP(dcg=log2)", "changes nothing: AP reads a threshold"),
        ("judged(p=.5)@3", "changes nothing: judged asks"),
        ("judged(dcg=log2)@3", "changes nothing: judged asks"),
        ("judged(rel=1)@3", "changes nothing: judged asks only whether there is a judgment"),
        ("judged(judged_only=True)@3", "changes nothing: judged asks"),
    ],
)
def test_a_measure_that_there_is_not_is_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        ask(name, LINEAR)


def test_a_parameter_that_changes_nothing_is_refused_with_what_to_write() -> None:
    with pytest.raises(MeasureError) as refused:
        ask("RBP(p=.5,rel=1)", LINEAR)
    assert str(refused.value) == (
        "'RBP(p=.5,rel=1)' has a parameter that changes nothing: RBP reads gains, and no threshold. "
        "Name a gain such as table:0,1,1,1 to count relevant documents alike."
    )
